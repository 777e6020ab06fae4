"""The command `conform`: a model beside a real system."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.conform import report
from kafkacheck.checker.conform.beside import Beside
from kafkacheck.checker.conform.differences import Difference, Listed, listed
from kafkacheck.checker.conform.link import Link, command_of
from kafkacheck.checker.conform.outcomes import guard_outcomes
from kafkacheck.checker.conform.paths import Paths
from kafkacheck.checker.conform.report import Conformance, Outcome
from kafkacheck.checker.conform.run import Comparison
from kafkacheck.checker.conform.telling import Behaviour, SavedTelling
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    Place,
    Seconds,
    json_option,
    limit_options,
    out_option,
    set_option,
)
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.console.progress import ProgressReport
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, with_settings
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.statuses import DIFFERENT, DONE, NOT_EXHAUSTED
from kafkacheck.checker.traces.saved import Saved
from kafkacheck.checker.traces.trace import Trace

SECONDS_FOR_ANSWER = 10.0
STATUSES = {
    Conformance.CONFORMS: DONE,
    Conformance.DIFFERENT: DIFFERENT,
    Conformance.OUTDATED: DIFFERENT,
    Conformance.NOT_EXHAUSTED: NOT_EXHAUSTED,
}

NOTHING_SHOWN = "the system showed no value of any field, so that nothing was compared; let observe() return some"


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.argument("system", metavar="SYSTEM")
@set_option
@click.option("--seed", type=int, default=0, show_default=True, help="Where the random walks begin.")
@click.option(
    "--steps",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Walk on until at least N steps were compared. Random walks are always at least a third of all steps.",
)
@click.option(
    "--answer-seconds",
    type=Seconds(min=0, min_open=True),
    default=SECONDS_FOR_ANSWER,
    show_default=True,
    metavar="S",
    help="How long the system may take for one step.",
)
@click.option(
    "--known",
    type=Place(),
    multiple=True,
    metavar="FILE",
    help="The differences that are known, with their reasons.  [default: SYSTEM with the ending .toml]",
)
@limit_options
@out_option
@json_option
def conform(
    model_name: str,
    system: str,
    changes: tuple[str, ...],
    seed: int,
    steps: int,
    answer_seconds: float,
    known: tuple[Path, ...],
    max_seconds: float | None,
    max_states: int | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Run a real SYSTEM beside MODEL, step by step, and compare them after each step.

    SYSTEM is a file of Python code that defines SYSTEM, or a command that reads and writes JSON lines. It is driven
    along every edge of the state graph that it can tell from the others, and along random walks. A difference comes
    with a short schedule.
    """
    model = with_settings(catalogue.find_model(model_name, max_seconds), changes)
    if not as_json:
        say(f"{headline(model)}, beside {system}")
    for file in known:
        if not file.exists():
            raise UsageError(f"--known {file}: there is no such file; name one, or leave it out")
    files_known = known or ((Path(system).with_suffix(".toml"),) if system.endswith(".py") else ())
    actions = [action.name for action in model.actions]
    entries = [each for file in files_known for each in listed(file, actions)]
    limits = Limits(max_states, max_seconds)
    with Link(command_of(system), answer_seconds) as link:
        outcome = _compared(model, system, link, entries, limits, seed, steps)
    files = () if outcome.trace is None else _written(outcome, system, folder)
    if as_json:
        say(json_text(report.document(outcome, system, seed) | {"files": [str(file) for file in files]}))
        return STATUSES[outcome.verdict]
    if outcome.trace is not None:
        from kafkacheck.checker.pictures.render import trace_text

        say(trace_text(outcome.trace))
    for file in files:
        say(f"written: {file}")
    if files:
        say(f"again: {report.replay_command(model_name, files[0], system)}")
    for line in report.lines(outcome):
        say(line)
    return STATUSES[outcome.verdict]


def _compared(
    model: Model, name: str, link: Link, known: list[Listed], limits: Limits, seed: int, steps: int
) -> Outcome:
    begun = time.perf_counter()
    comparison = Comparison(model, name, link)
    with ProgressReport(model.name) as progress:
        watch = Watch(limits, progress)
        with watch.interrupts.listening():
            link.must_stop = lambda: bool(watch.interrupts.reason())
            paths = Paths(model, comparison.adapter, watch)
            comparison.follow(paths, known)

            def goes_on() -> bool:
                progress.show(lambda: _told(comparison, begun))
                return not watch.interrupts.reason()

            found = comparison.search(seed, steps, goes_on)
            reason = watch.interrupts.reason() or paths.unfinished
            if found is not None:
                found = comparison.shortened(*found, goes_on)
    return _judged(comparison, found, reason, begun)


def _judged(comparison: Comparison, found: tuple[Behaviour, Difference] | None, reason: str, begun: float) -> Outcome:
    guards = guard_outcomes(comparison)
    outcome = Outcome(Conformance.CONFORMS, comparison, time.perf_counter() - begun, guards=guards)
    if found is not None:
        behaviour, difference = found
        trace, refused = report.trace_of(comparison.paths, behaviour, difference, comparison.name)
        outcome.verdict, outcome.difference, outcome.trace = Conformance.DIFFERENT, difference, trace
        outcome.refused = refused
        return outcome
    outcome.outdated = [each for each in comparison.known if not each.times]
    open_classes = int(comparison.tours.open.sum())
    if reason:
        outcome.verdict, outcome.reason = Conformance.NOT_EXHAUSTED, reason
    elif not any(comparison.shown.values()):
        outcome.verdict, outcome.reason = Conformance.NOT_EXHAUSTED, NOTHING_SHOWN
    elif outcome.outdated:
        outcome.verdict = Conformance.OUTDATED
    elif open_classes and not comparison.known and not comparison.adapter.chooses:
        outcome.verdict, outcome.reason = Conformance.NOT_EXHAUSTED, f"{open_classes:,} classes were not compared"
    return outcome


def _told(comparison: Comparison, begun: float) -> str:
    """How far a comparison is."""
    coverage, count = comparison.coverage, comparison.paths.count
    return (
        f"{comparison.model.name}: steps={coverage.steps + coverage.refused} "
        f"classes={count - int(comparison.tours.open.sum())}/{count} walked={coverage.walked} "
        f"seconds={time.perf_counter() - begun:.1f}"
    )


def _written(outcome: Outcome, name: str, folder: Path | None) -> tuple[Path, ...]:
    if folder is None or outcome.trace is None or outcome.difference is None:
        return ()
    from kafkacheck.checker.pictures.render import write_files

    difference = report.difference_document(outcome.difference, outcome.refused, name)
    written = write_files(outcome.trace, folder, {"difference": difference})
    for note in written.notes:
        tell(f"note: {note}")
    return written.files


def replay_beside(model: Model, system: str, saved: Saved, trace: Trace, as_json: bool) -> int:
    """Drive a system along a saved trace, and say whether it differs; the exit status."""
    from kafkacheck.checker.pictures.render import trace_text

    with Link(command_of(system), SECONDS_FOR_ANSWER) as link:
        beside = Beside(model, system, link)
        beside.telling = telling = SavedTelling(model, beside.adapter, trace, saved.refused_calls(model))
        difference = beside.perform(telling.behaviour)
    verdict = "AGREES" if difference is None else "DIFFERENT"
    shown: Trace = trace
    refused: list[dict[str, Any]] = []
    if difference is not None:
        ops = telling.behaviour.ops[: difference.at + 1]
        shown, refused = report.trace_of(telling, telling.behaviour._replace(ops=ops), difference, system)
    length = len(shown.steps)
    if as_json:
        told = None if difference is None else report.difference_document(difference, refused, system)
        say(json_text({"model": model.name, "verdict": verdict, "trace": length, "difference": told}))
    else:
        say(trace_text(replace(shown, property=None, is_deadlock=False)))
        say(f"{model.name}: {verdict} trace={length}")
    return 0 if difference is None else DIFFERENT
