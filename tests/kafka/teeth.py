"""Would a wrong rule be noticed? `python -m tests.kafka.teeth` makes rules wrong, and asks Kafka's classes.

Of each system it turns the switches that the judged modules read, one at a time, and goes on until model and class
differ. `--mutants 100` takes conditions away instead, as `kafkacheck guards` does. `--profiles` asks whether the dates
of the switches are right: the release that a switch names, and the one before it, must both tell the values apart.

The runs of a system come one after another, each with the changes that those before it did not tell. What no run tells
is listed in `untold.toml` with the reason, or the command ends with status 1.
"""

import ast
import os
import random
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from kafkacheck.checker.language import ir, removal
from kafkacheck.checker.language.source import function_tree
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.substitution import mutants, switched, switches_of
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.schema.releases import dated, order, rules_in, values_of
from kafkacheck.checker.schema.rules import full_name, switches
from tests.kafka import judged
from tests.kafka.bench import Bench, Outcome, Verdict, model_of
from tests.kafka.judged import DATES, MUTANTS, SWITCHES
from tests.kafka.libs import OLDEST, KafkaError, classes_of, newest_release
from tests.kafka.runs import JUDGES, RELEASES, RUNS, Run, plain
from tests.kafka.systems.jvm import CLASSES

IMPL = Path(__file__).resolve().parents[2] / "impl"
CANNOT = 2

Change = tuple[Model, int]
"""A changed model, and the number of the condition that is removed from it."""
Changes = Callable[[Bench], Mapping[str, Change]]
"""The changes of the model of a run, by name."""


def judged_functions(model: Model, acts: Iterable[int], system: str) -> list[ir.Function]:
    """The functions of the judged modules that the actions of a system reach, and those that they call."""
    files = {str(IMPL / each) for each in JUDGES[system][1]}
    reached = ir.reachable([model.actions[number].read for number in sorted(acts)])
    return ir.reachable([each for each in reached if each.function.__code__.co_filename in files])


def switches_read(model: Model, functions: Iterable[ir.Function]) -> list[str]:
    """The dated switches that some functions read, by whole name, in order of declaration."""
    texts = {text for each in {each.function for each in functions} for text in _read(function_tree(each))}
    known = switches(model.rules)
    found = {full_name(text, known) for text in texts}
    return [name for name in dated(model.rules) if name in found]


def _read(tree: ast.AST) -> Iterable[str]:
    """What a function reads of its rules, such as "log.verification"."""
    for node in ast.walk(tree):
        text = ast.unparse(node) if isinstance(node, ast.Attribute) else ""
        if text.startswith("rules."):
            yield text.removeprefix("rules.")


def _told(name: str, value: int) -> str:
    """A switch with its value. A rule of a group has the same name in models that have the group alone."""
    return f"{name.rpartition('.')[2]}={getattr(value, 'name', value)}"


def turned_switches(bench: Bench) -> dict[str, Change]:
    """The model with each switch turned, but for those that the run sets itself."""
    own = {each.partition("=")[0] for each in bench.run.settings}
    model = bench.model
    return {
        _told(name, value): (model.with_rules({name: value}), removal.NOTHING)
        for name in switches_read(model, judged_functions(model, bench.acts, bench.run.system))
        if name not in own
        for value in values_of(model.rules, name)
        if value != switches(model.rules)[name]
    }


def some_mutants(bench: Bench, count: int, seed: int) -> dict[str, Change]:
    """The model without a condition of a judged module, for some of these conditions."""
    files = {str(IMPL / each) for each in JUDGES[bench.run.system][1]}
    known = {
        number: each for number, each in enumerate(mutants(bench.model)) if each.function.__code__.co_filename in files
    }
    # Each condition has a place in an order of its own, so that all runs of a system choose the same ones.
    ranked = sorted(known, key=lambda number: random.Random(f"{seed} {known[number].name}").random())
    chosen = {number: known[number] for number in ranked[:count]}
    model = switched(bench.model, chosen)
    there = switches_of(model)
    return {each.name: (model, number) for number, each in chosen.items() if number in there}


def before(release: str) -> str | None:
    """The newest release before one, among those that are held against the models; None before the oldest."""
    older = [each for each in RELEASES if order(each) < order(release)]
    return max(older, key=order, default=None)


def moments(model: Model, names: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
    """By release the switches that must have, or must not have yet, their value there, each with the wrong value."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name in names:
        for step in dated(model.rules)[name]:
            at = step.release + ".0" * (2 - step.release.count("."))
            if order(at)[:2] < OLDEST or order(at) > order(newest_release()):
                continue
            former = before(at)
            now = rules_in(model.rules, at)[name]
            then = rules_in(model.rules, former or "3.9.0")[name]
            if now == then:
                continue
            found.setdefault(at, []).append((name, then))
            if former is not None:
                found.setdefault(former, []).append((name, now))
    return found


def wrong_moments(wanted: Sequence[tuple[str, int]]) -> Changes:
    """The model of a release with each of these switches as it was before, or came after."""

    def changes(bench: Bench) -> dict[str, Change]:
        read = set(switches_read(bench.model, judged_functions(bench.model, bench.acts, bench.run.system)))
        now = switches(bench.model.rules)
        return {
            _told(name, value): (bench.model.with_rules({name: value}), removal.NOTHING)
            for name, value in wanted
            if name in read and now[name] != value
        }

    return changes


@dataclass(frozen=True)
class Asked:
    """The user's question: which kind of changes, in which releases, how many conditions, and of which names.

    `seconds`: the most for each change. `seed`: which conditions, and where walks begin.
    """

    kind: str
    releases: tuple[str, ...]
    count: int
    only: tuple[str, ...]
    seconds: float
    seed: int


def bitten(runs: Sequence[Run], release: str, changes: Changes, asked: Asked) -> dict[str, Outcome]:
    """By change the best outcome in the runs of one system. Each run has the changes that none before it has told."""
    best: dict[str, Outcome] = {}
    tried: dict[str, set[str]] = {}
    places = list(Verdict)
    for run in runs:
        if plain(release) in run.not_in:
            continue
        if run.model in tried and all(best[name].is_caught for name in tried[run.model]):
            continue
        bench = Bench(run, release, asked.seconds, asked.seed)
        try:
            wrong = changes(bench)
            tried[run.model] = set(wrong)
            for name, (model, number) in wrong.items():
                if name in best and best[name].is_caught:
                    continue
                found = bench.judged(model, number)
                print(f"  Kafka {release}, {run.name}, {name}: {found}", flush=True)
                if name not in best or places.index(found.verdict) < places.index(best[name].verdict):
                    best[name] = found
        finally:
            bench.close()
    return best


def limited(changes: Changes, only: Sequence[str]) -> Changes:
    """Those of the changes whose names begin with one of some texts; all, if there is none."""

    def some(bench: Bench) -> dict[str, Change]:
        found = changes(bench)
        return {name: each for name, each in found.items() if not only or name.startswith(tuple(only))}

    return some


def judge(system: str, runs: Sequence[Run], asked: Asked) -> dict[str, Outcome]:
    """All changes of one kind for one system, by name."""
    if asked.kind != DATES:
        wrong = turned_switches if asked.kind == SWITCHES else partial(some_mutants, count=asked.count, seed=asked.seed)
        release = prepared(next(iter(asked.releases), newest_release()))
        return bitten(runs, release, limited(wrong, asked.only), asked)
    found: dict[str, Outcome] = {}
    wanted: dict[str, list[tuple[str, int]]] = {}
    for run in runs:
        model = model_of(run, newest_release())
        names = switches_read(model, judged_functions(model, range(len(model.actions)), system))
        for release, each in moments(model, names).items():
            wanted.setdefault(release, []).extend(each)
    for release in sorted(wanted, key=order):
        if asked.releases and release not in asked.releases:
            continue
        changes = limited(wrong_moments(list(dict.fromkeys(wanted[release]))), asked.only)
        outcomes = bitten(runs, prepared(release), changes, asked)
        found |= {f"{name} in {release}": outcome for name, outcome in outcomes.items()}
    return found


def prepared(release: str) -> str:
    """A release whose classes the systems will have from now on. KafkaError if they cannot be had."""
    os.environ[CLASSES] = classes_of(release).path
    return release


@click.command()
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option("--kafka", "releases", multiple=True, metavar="RELEASE", help="Which release; by default the newest.")
@click.option("--seconds", type=float, default=20.0, show_default=True, metavar="S", help="The most for each change.")
@click.option("--mutants", "count", type=int, metavar="N", help="Take N conditions of the judged modules away.")
@click.option("--profiles", "dates", is_flag=True, help="Turn each switch in the releases around its date.")
@click.option("--only", "only", multiple=True, metavar="NAME", help="Only what is called so, or begins so.")
@click.option("--seed", type=int, default=0, show_default=True, help="Which conditions, and where walks begin.")
@click.option("--record", "records", is_flag=True, help="Keep the outcomes for impl/JUDGED.md.")
def main(
    names: tuple[str, ...],
    releases: tuple[str, ...],
    seconds: float,
    count: int | None,
    dates: bool,
    only: tuple[str, ...],
    seed: int,
    records: bool,
) -> None:
    """Make the rules wrong, one at a time, and see whether Kafka's classes notice.

    RUN is one of `python -m tests.kafka --list`; or the beginning of some, if none has the name.
    """
    exact = [run for run in RUNS if run.name in names]
    runs = exact or [run for run in RUNS if not names or any(run.name.startswith(name) for name in names)]
    if not runs:
        raise SystemExit(f"error: no run begins with {names[0]}; `python -m tests.kafka --list` shows all")
    if count is not None and dates:
        raise SystemExit("error: --mutants and --profiles are given together; give one, as each takes long")
    kind = DATES if dates else SWITCHES if count is None else MUTANTS
    asked = Asked(kind, releases, count or 0, only, seconds, seed)
    untold = 0
    try:
        for system in dict.fromkeys(run.system for run in runs):
            own = [run for run in runs if run.system == system]
            found = judge(system, own, asked)
            if records:
                is_whole = not only and own == [run for run in RUNS if run.system == system]
                judged.record_teeth(kind, system, _recorded(kind, found), is_whole)
            untold += _tell(kind, system, found)
    except (KafkaError, KafkacheckError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    raise SystemExit(1 if untold else 0)


def _recorded(kind: str, found: Mapping[str, Outcome]) -> dict[str, str]:
    """The outcomes as they are kept; of conditions their numbers, too, and none that is without effect."""
    if kind != MUTANTS:
        return {name: str(outcome) for name, outcome in found.items()}
    others = {name: str(each) for name, each in found.items() if each.verdict is not Verdict.SAME}
    told = sum(1 for each in found.values() if each.is_caught)
    numbers = (len(found), told, len(found) - len(others), len(others) - told)
    return {judged.ALL: " | ".join(map(str, numbers)), **others}


def _tell(kind: str, system: str, found: Mapping[str, Outcome]) -> int:
    """Print the table of a system; how many changes no system is known to tell, and no reason is listed for that."""
    known = judged.untold_conditions(system) if kind == MUTANTS else judged.untold()
    recorded, wrong = judged.teeth().get(kind, {}), 0
    for name, outcome in found.items():
        is_listed = (name.partition(" in ")[0] if kind == DATES else name) in known
        others = [each for each, told in recorded.get(name, {}).items() if each != system and judged.is_told(told)]
        note = f" (told by {', '.join(others)})" if others else " (listed)" if is_listed else ""
        if kind == MUTANTS and outcome.verdict is Verdict.SAME:
            note = " (no step is another)"
        if outcome.is_caught and is_listed:
            note = "; but untold.toml lists it: remove the entry"
        wrong += is_listed if outcome.is_caught else not note
        print(f"{system}, {name}: {outcome}{note}")
    told = sum(1 for outcome in found.values() if outcome.is_caught)
    print(f"{system}: {told} of {len(found)} told", flush=True)
    return wrong


if __name__ == "__main__":
    main()
