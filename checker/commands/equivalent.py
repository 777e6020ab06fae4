"""`kafkacheck equivalent`: prove that the actions of two models do the same, or show a difference."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.console.options import EXIT_STATUSES, json_option, set_option, smt2_option, timeout_option
from kafkacheck.checker.console.output import json_text, say
from kafkacheck.checker.exploration.evaluation import call_text
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, with_settings
from kafkacheck.checker.process.statuses import INVARIANT_VIOLATED, NOT_EXHAUSTED
from kafkacheck.checker.proofs.confirmation import Confirmed, Effect, Searched
from kafkacheck.checker.proofs.differential import sample_of
from kafkacheck.checker.proofs.equivalent import Comparison, Same, ask_for, compare, confirm, description_of
from kafkacheck.checker.proofs.scripts import Scripts
from kafkacheck.checker.proofs.solver import VERSION
from kafkacheck.checker.proofs.workers import worker_count
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.schema.objects import Values


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL_A")
@click.argument("other_name", metavar="MODEL_B")
@click.option("--action", "actions", metavar="NAME", multiple=True, help="Compare only this action. May be repeated.")
@set_option
@timeout_option
@smt2_option
@json_option
def equivalent(
    model_name: str,
    other_name: str,
    actions: tuple[str, ...],
    changes: tuple[str, ...],
    timeout: float,
    scripts: Path | None,
    as_json: bool,
) -> int:
    """Prove that the actions of MODEL_A and MODEL_B do the same in every well-formed state, or show where they differ.

    For an edit that claims to be a refactoring: name the model in another copy of the sources as MODEL_B, by the path
    of its file. The modules beside that file are read with it. --set is for both models.
    """
    model = with_settings(catalogue.find_model(model_name), changes)
    return compare_models(model, other_name, changes, actions, timeout, scripts, as_json)


def compare_models(
    model: Model,
    other_name: str,
    changes: Sequence[str],
    actions: Sequence[str],
    timeout: float,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Compare the actions of two models, print what was found, and return the exit status.

    `folder`, if one is given, gets every question as an SMT-LIB script.

    UsageError or ModelError if the other model cannot be read or is not alike. SelfCheckError if plain Python
    shows that an answer is wrong.
    """
    scripts = None if folder is None else Scripts(folder)
    sample = sample_of(model, Searched(model.with_properties(())))
    other = description_of(other_name, changes, ask_for(model, sample.calls))
    found = compare(model, other, actions, timeout, worker_count(), scripts)
    confirm(model, other_name, changes, found, sample, other)
    if as_json:
        say(json_text(document(model, other_name, found, sample.confirmed)))
    else:
        say(headline(model))
        for each in found:
            say("\n".join(lines(model, each)))
        if any(each.same is Same.EQUIVALENT for each in found):
            say(sample.confirmed.told(model))
        say(closing_line(model, found))
    outcomes = {each.same for each in found}
    if Same.DIFFERENT in outcomes:
        return INVARIANT_VIOLATED
    return NOT_EXHAUSTED if Same.UNKNOWN in outcomes else 0


def closing_line(model: Model, found: Sequence[Comparison]) -> str:
    """The last line: the verdict on all actions, and how many there are of each."""
    counts = {same.value.lower(): sum(each.same is same for each in found) for same in Same}
    verdict = next((same for same in (Same.DIFFERENT, Same.UNKNOWN) if counts[same.value.lower()]), Same.EQUIVALENT)
    return f"{model.name}: {verdict.value.upper()} " + " ".join(f"{name}={count}" for name, count in counts.items())


def lines(model: Model, compared: Comparison) -> Iterator[str]:
    """An action and whether it is the same; if not, a state, and the effect of each model's action on it."""
    reason = f" ({compared.reason})" if compared.reason else ""
    yield f"{compared.action.name}: {compared.same.value}, {compared.seconds:.2f} s{reason}"
    if compared.same is not Same.DIFFERENT:
        return
    yield f"  {call_text(compared.action, compared.parameters)} in this state:"
    yield from (f"    {line}" for line in pretty.lines_unlike_blank(model.layout, compared.before))
    for name, effect in zip(("the first model", "the second model"), compared.effects, strict=True):
        yield f"  {name} {effect_text(model, compared.before, effect)}"


def effect_text(model: Model, before: Values, effect: Effect) -> str:
    """The effect of an action on a state, in a line."""
    if effect.error:
        return "fails with an error"
    changes = "; ".join(map(str, pretty.difference(model.layout, before, effect.after)))
    returned = "returns True" if effect.enabled else "returns False"
    return f"{returned} and changes {changes or 'nothing'}"


def document(model: Model, other_name: str, found: Sequence[Comparison], confirmed: Confirmed) -> dict[str, Any]:
    """The JSON document of a comparison."""
    return {
        "model": model.name,
        "other": other_name,
        "bounds": model.bounds,
        "solver": f"Z3 {VERSION}",
        "confirmed": asdict(confirmed),
        "actions": [_entry(model, each) for each in found],
    }


def _entry(model: Model, compared: Comparison) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "action": compared.action.name,
        "outcome": compared.same.value.lower(),
        "seconds": round(compared.seconds, 3),
    }
    if compared.reason:
        entry["reason"] = compared.reason
    if compared.same is Same.DIFFERENT:
        entry["state"] = model.layout.to_json(model.layout.restore(compared.before))
        entry["parameters"] = compared.action.named([int(value) for value in compared.parameters])
        entry["effects"] = [effect_text(model, compared.before, effect) for effect in compared.effects]
    return entry
