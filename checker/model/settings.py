"""Bounds and rules of a model as text: shown, and given by `--set name=value`."""

import re
from collections.abc import Iterable, Sequence

from kafkacheck.checker.model.model import Model
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.names import RELEASE, shortened, unknown
from kafkacheck.checker.schema import rules
from kafkacheck.checker.schema.releases import Released, dated, released

FAR_MORE = 10
"""From this many times the usual number of calls on, a user is told before the search begins."""
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,9}")


def rules_of(model: Model) -> dict[str, int | str]:
    """The rules of a model by name, such as "group.name"; a member of an enum as its name. Empty if there are none."""
    return {name: getattr(value, "name", value) for name, value in rules.switches(model.rules).items()}


def rule_named(name: str, known: Iterable[str], where: str) -> str | None:
    """The whole name of a rule that is given by it, or by its last part. UsageError if that fits several."""
    try:
        return rules.full_name(name, known)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def settings_text(model: Model) -> str:
    """Bounds, then rules, as they are given to `--set`: `nodes=3 rounds=2 retries=NEVER`."""
    return " ".join(f"{name}={value}" for name, value in {**model.bounds, **rules_of(model)}.items())


def headline(model: Model) -> str:
    """The model's name, its bounds, and its rules but for those that are as the rules' class has them by default.

    If the model was given the rules of a release, a second line says which rules that changed, and which stayed.
    """
    first = f"{model.name}: {told_settings(model) or 'no bounds or rules'}"
    return f"{first}\n{_told_release(model.name, model.released)}" if model.released else first


def _told_release(name: str, found: Released) -> str:
    changed, stayed = (
        ", ".join(f"{name}={getattr(value, 'name', value)}" for name, value in each.items())
        for each in (found.changed, found.stayed)
    )
    told = f"{name}: release {found.release} changes {changed or 'no rule'}"
    told += f"; the model's own stay: {stayed}" if stayed else ""
    return f"{told}; no rule of the model is dated after {found.newest}" if found.is_later else told


def told_settings(model: Model) -> str:
    """Bounds, then the rules that are not at their defaults, and how many others there are; empty without any."""
    now, usual = rules_of(model), rules.usual(model.rules)
    words = [f"{name}={value}" for name, value in {**model.bounds, **now}.items() if name not in usual]
    which = "the" if len(usual) == len(now) else "the other"
    words += [f"({which} {len(usual)} rules at their defaults)"] if usual else []
    return " ".join(words)


def require_pair(given: str, example: str) -> tuple[str, str]:
    """The name and the value in `name=value`. UsageError, with an example, where a text is no such pair."""
    name, equals, value = (part.strip() for part in given.partition("="))
    if not equals or not name or not value:
        raise UsageError(f"--set {shortened(given)}: expected name=value, for example --set {example}")
    return name, value


def names_set(model: Model, texts: Sequence[str]) -> list[str]:
    """The bounds and switches, by their whole names, that `texts` set (`name=value`); not what a release sets."""
    names = [text.partition("=")[0].strip() for text in texts if not text.startswith(RELEASE)]
    return [name if name in model.bounds else rules.full_name(name, rules_of(model)) or name for name in names]


def fits(model: Model, text: str) -> bool:
    """Whether a model has what a text sets: a bound, a rule, or rules that say since which release they are so."""
    if text.startswith(RELEASE):
        return bool(dated(model.rules))
    name = text.partition("=")[0].strip()
    return name in model.bounds or rules.full_name(name, rules_of(model)) is not None


def unread(model: Model, texts: Sequence[str]) -> list[str]:
    """The switches that `texts` set and no function of the model reads, as they are: `retries=NEVER`."""
    values = rules_of(model)
    return [
        f"{name}={values[name]}" for name in names_set(model, texts) if name in values and not model.reads_rule(name)
    ]


def with_release(model: Model, release: str) -> Model:
    """The same model by the rules of a release. UsageError if it is none, or no switch has a release.

    A rule that the model has in an older form stays so (`releases.released`).
    """
    found = released(model.rules, release)
    if not dated(model.rules):
        raise UsageError(f"{model.name} has no rule that says since which release it is so; leave out the release")
    return model.with_rules(found.changed).noting(found)


def with_settings(model: Model, texts: Sequence[str]) -> Model:
    """The model with every `name=value` of `texts` applied: a bound, or a switch of its rules.

    UsageError where a text is no such pair, a name is unknown or given twice, or the model cannot have the value.
    """
    bounds: dict[str, int] = {}
    switches: dict[str, str] = {}
    known = rules_of(model)
    for given in sorted(texts, key=lambda each: not each.startswith(RELEASE)):
        text = shortened(given)
        if given.startswith(RELEASE):
            model = with_release(model, given.removeprefix(RELEASE))
            continue
        name, value = require_pair(given, settings_text(model).split(" ")[0] or "nodes=3")
        if name not in model.bounds:
            name = rule_named(name, known, f"--set {text}") or name
        if name in bounds or name in switches:
            raise UsageError(f"--set {text}: {name} is set twice; give it once")
        if name in model.bounds:
            if not WHOLE_NUMBER.fullmatch(value):
                now = model.bounds[name]
                raise UsageError(f"--set {text}: a bound is a whole number of at most 9 digits; {name} is {now} now")
            bounds[name] = int(value)
        elif name in known:
            switches[name] = value
        else:
            raise UsageError(f"--set {text}: {unknown('bound or rule', name, [*model.bounds, *known], model.name)}")
    try:
        return model.with_bounds(bounds).with_rules(switches) if texts else model
    except (UsageError, ModelError) as error:
        raise UsageError(f"{' '.join(f'--set {shortened(text)}' for text in texts)}: {error}") from error


def raised_text(model: Model, usual: Model) -> str:
    """The bounds that are higher than the usual ones, such as `nodes=99 (2 by default)`; empty if none is."""
    higher = [name for name, value in model.bounds.items() if value > usual.bounds[name]]
    return ", ".join(f"{name}={model.bounds[name]} ({usual.bounds[name]} by default)" for name in higher)


def calls_text(model: Model, usual: Model) -> str:
    """How many calls a search tries in each state, if they are far more than usual; else empty."""
    now, before = (sum(action.combination_count() for action in each.actions) for each in (model, usual))
    return f"{now:,} calls are tried in each state, not {before:,}" if now >= FAR_MORE * before else ""
