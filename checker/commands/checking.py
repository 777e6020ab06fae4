"""What `kafkacheck check` and `replay` do once the command line is read: search, write files, print, and judge."""

import contextlib
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.catalogue.named import Source
from kafkacheck.checker.commands import report
from kafkacheck.checker.commands.output import say, tell
from kafkacheck.checker.commands.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.kept.kept_levels import Keeping
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, rules_of, settings_text, told_settings
from kafkacheck.checker.process import endings
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError, SelfCheckError, UsageError
from kafkacheck.checker.process.files import check_writable, make_usable, remove_empty
from kafkacheck.checker.process.statuses import (
    DEADLOCK,
    EVALUATION_FAILED,
    INTERNAL_ERROR,
    INVARIANT_VIOLATED,
    NO_LONGER_APPLIES,
    NOT_EXHAUSTED,
    STEP_VIOLATED,
    UNEXPECTED,
    VACUOUS,
)
from kafkacheck.checker.result import Result

ENOUGH_TO_MEASURE = 10_000
"""With fewer distinct states, the memory for each of them is mostly that of the smallest tables there are."""

Search = Callable[[Model, Limits], Result]
"""Searches a model, with progress on stderr."""


def check_model(model: Model, how: Search, limits: Limits, folder: Path | None, as_json: bool, strict: bool) -> int:
    """Search one model, write and print what was found; the exit status. The folder is tried before the search.

    UsageError where the folder or a file in it cannot be written, EvaluationError where the model's code fails; what
    was found is printed all the same.
    """
    made = [] if folder is None else make_usable(folder)
    try:
        if not as_json:
            say(headline(model))
        result = how(model, limits)
    except KeyboardInterrupt:  # before the search has begun to listen; or a second one, which wants an end at once
        result = Result(model, Verdict.NOT_EXHAUSTED, 0, 0, 0, "none", 0.0, reason=_interrupted(), interrupted=True)
    files: tuple[Path, ...] = ()
    failure: BaseException | None = None
    try:
        files = write_counterexample(result, folder)
    except (Exception, KeyboardInterrupt) as error:  # the verdict comes first, whatever befalls the files
        failure = error
    warn_of_vacuity(result)
    if as_json:
        say(report.json_text(report.document(result, files)))
    else:
        print_result(result, files)
    if failure is not None:
        remove_empty(made)
        raise failure
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    if result.verdict is Verdict.SELF_CHECK_FAILED:
        raise SelfCheckError(result.reason)
    return VACUOUS if strict and result.is_vacuous else exit_status(result.model, result.verdict, result.property)


def check_catalogue(
    names: Sequence[str], engine: str, limits: Limits, folder: Path, as_json: bool, strict: bool
) -> int:
    """Search models of the catalogue, one after the other, and close with a table or one JSON document.

    The exit status is 0 if each verdict is the expected one, none vacuous; otherwise the highest of what went wrong.
    """
    expectations = catalogue.expectations()
    made = make_usable(folder)
    rows: list[report.Checked] = []
    for name in names:
        row = _searched(name, expectations.get(name), engine, limits)
        if row.result is not None:
            warn_of_vacuity(row.result)
            if not as_json:
                within = report.constraint_text(row.result)
                say("\n".join([*([within] if within else []), report.closing_line(row.result)]))
        row = _written(row, folder)
        rows.append(row)
        if row.error:
            remove_empty(made)
            tell(f"error: {name}: {row.error}")
        if row.error_status == NOT_EXHAUSTED:
            break
    rows += [report.Checked(name, expectations.get(name), None, is_begun=False) for name in names[len(rows) :]]
    if as_json:
        say(report.json_text(report.catalogue_document(rows)))
    else:
        say(report.closing_table(rows, sys.stdout))
    return max((_row_status(row, strict) for row in rows), default=0)


def _searched(name: str, expected: Expectation | None, engine: str, limits: Limits) -> report.Checked:
    """Search a model of the catalogue; an error is part of the answer."""
    row = report.Checked(name, expected, None)
    try:
        result = by_engine(engine, Source(name))(catalogue.find_model(name, limits.max_seconds), limits)
    except KafkacheckError as error:
        return replace(row, error=str(error), error_status=error.exit_status)
    except KeyboardInterrupt:
        return replace(row, error=_interrupted(), error_status=NOT_EXHAUSTED)
    row = replace(row, result=result)
    if result.verdict is Verdict.EVALUATION_FAILED:
        return replace(row, error=result.reason, error_status=EVALUATION_FAILED)
    if result.verdict is Verdict.SELF_CHECK_FAILED:
        return replace(row, error=result.reason, error_status=INTERNAL_ERROR)
    return replace(row, error=_interrupted(), error_status=NOT_EXHAUSTED) if result.interrupted else row


def _written(row: report.Checked, folder: Path) -> report.Checked:
    """Write what a search found; the files, or an error that comes on top of one before, are part of the answer."""
    if row.result is None:
        return row
    try:
        return replace(row, files=write_counterexample(row.result, folder))
    except KafkacheckError as error:
        told = f"{row.error}; {error}" if row.error else str(error)
        return replace(row, error=told, error_status=max(row.error_status, error.exit_status))
    except KeyboardInterrupt:
        return replace(row, error=_interrupted(), error_status=NOT_EXHAUSTED)


def _interrupted() -> str:
    """The reason why a search is not finished where the process was asked to end."""
    return f"it was {endings.told()}"


def _row_status(row: report.Checked, strict: bool) -> int:
    if row.error:
        return row.error_status
    if not row.is_finished:
        return NOT_EXHAUSTED
    if strict and row.result is not None and row.result.is_vacuous:
        return VACUOUS
    return 0 if row.is_expected else UNEXPECTED


def search(model: Model, engine: str, limits: Limits, keeping: Keeping | None = None) -> Result:
    """Search a model's states in this process."""
    from kafkacheck.checker.search import check

    with ProgressReport(model.name) as progress, contextlib.closing(keeping or Keeping.of_nothing()) as kept:
        return check(model, engine, limits, progress, kept)


def by_engine(engine: str, source: Source | None = None, folder: Path | None = None) -> Search:
    """The search by an engine that runs in this process. It is kept, in the folder or unasked, if `source` is given."""

    def kept() -> Keeping | None:
        return None if source is None else Keeping({"source": source.as_json()}, folder)

    return lambda model, limits: search(model, engine, limits, kept())


def continuing(folder: Path, redoes: bool) -> Search:
    """The search that goes on with what a folder has, and finds anew what is damaged if it `redoes` that."""
    return lambda model, limits: search(model, "auto", limits, Keeping.resuming(folder, redoes))


def write_counterexample(result: Result, folder: Path | None) -> tuple[Path, ...]:
    """Write the files that show what a search ended in into the folder; their paths. Nothing without a folder."""
    if folder is None or result.trace is None:
        return ()
    from kafkacheck.checker.pictures.render import write_files

    written = write_files(result.trace, folder)
    for note in written.notes:
        tell(f"note: {note}")
    return written.files


def print_result(result: Result, files: Sequence[Path]) -> None:
    """Print the counterexample, where its files are, how far an unfinished search came, and the closing line."""
    if result.trace is not None:
        from kafkacheck.checker.pictures.render import trace_text

        say(trace_text(result.trace))
    for file in files:
        say(f"written: {file}")
    if result.verdict is Verdict.NOT_EXHAUSTED:
        say(f"the search is not finished: {result.reason}; no violation was found until then")
    within = report.constraint_text(result)
    if within:
        say(within)
    if result.checked is not None:
        say(f"self-check: {result.checked:,} of {result.states_distinct:,} states, by plain Python")
    if result.bytes_per_state is not None and result.states_distinct >= ENOUGH_TO_MEASURE:
        where = "on disk" if result.engine == "spark" else "of memory"
        say(f"{result.bytes_per_state:.0f} bytes {where} per distinct state ({result.engine} reading)")
    say(report.closing_line(result))


def warn_of_vacuity(result: Result) -> None:
    """Say on stderr what never occurred in a model that holds."""
    if result.is_vacuous:
        tell(f"warning: {result.model.name} may hold only because {report.vacuous_text(result)}")


def exit_status(model: Model, verdict: Verdict, violated: str | None) -> int:
    """The exit status for a verdict on `model`, and the property that is violated, if one is."""
    if verdict is Verdict.VIOLATED:
        of_steps = [each.name for each in model.properties if each.is_step] + [each.name for each in model.liveness]
        return STEP_VIOLATED if violated in of_steps else INVARIANT_VIOLATED
    return {
        Verdict.HOLDS: 0,
        Verdict.DEADLOCK: DEADLOCK,
        Verdict.NOT_EXHAUSTED: NOT_EXHAUSTED,
        Verdict.EVALUATION_FAILED: EVALUATION_FAILED,
        Verdict.SELF_CHECK_FAILED: INTERNAL_ERROR,
    }[verdict]


def replay_trace(model: Model, path: Path, changes: Sequence[str], as_json: bool, system: str | None = None) -> int:
    """Run a saved trace on today's code, with the bounds and rules that it was saved with and then `--set` `changes`.

    If it applies and a `system` is named, that is driven along it, too. Prints the outcome; the exit status is that of
    the failure, 0 if there is none any more, or NO_LONGER_APPLIES. UsageError if the file is no trace of the model,
    EvaluationError if the model's code fails.
    """
    from kafkacheck.checker.pictures.render import replay_text
    from kafkacheck.checker.traces import saved as saved_traces
    from kafkacheck.checker.traces.replay import replay

    saved = saved_traces.read(path)
    model = saved_traces.as_saved(model, saved, changes)
    if not as_json:
        is_same = settings_text(model) == saved.settings()
        source = "as saved with the trace" if is_same else f"the trace was saved with {saved.settings()}"
        now = told_settings(model)
        say(f"{model.name}: {now} ({source})" if now else f"{model.name}: no bounds or rules")
    outcome = replay(model, *saved_traces.load(model, saved))
    violated, length, status = outcome.trace.property, len(outcome.trace.steps), 0
    if system is not None and outcome.failed_step is None:
        from kafkacheck.checker.commands.conform import replay_beside

        return replay_beside(model, system, saved, outcome.trace, as_json)
    if outcome.violated_step is not None:
        verdict, told = "VIOLATED", f"still violates {violated} trace={outcome.violated_step + 1}"
        status = exit_status(model, Verdict.VIOLATED, violated)
    elif outcome.failed_step is not None:
        verdict, told = "NO_LONGER_APPLIES", f"the trace no longer applies at step {outcome.failed_step + 1}"
        status = NO_LONGER_APPLIES
    elif saved.difference is not None:
        verdict, told = "APPLIES", f"the steps apply trace={length}; --system compares a system"
    elif violated is not None:
        verdict, told = "NO_LONGER_VIOLATED", f"no longer violates {violated} trace={length}"
    elif not outcome.is_deadlock:
        verdict, told = "NO_LONGER_DEADLOCK", f"no longer a deadlock trace={length}"
    elif not model.check_deadlock:
        verdict = "DEADLOCK_ALLOWED"
        told = f"still without an enabled action, which {model.name} now allows trace={length}"
    else:
        verdict, told, status = "DEADLOCK", f"still a deadlock trace={length}", DEADLOCK
    if as_json:
        say(report.json_text(report.replay_document(model, verdict, outcome)))
    else:
        say(replay_text(outcome))
        say(f"{model.name}: {told}")
    return status


def draw_graph(name: str, default: Model, model: Model, path: Path) -> int:
    """Write the picture of a model's state graph; the exit status.

    `name` is how the command line names the model, and `default` the model before `--set`, for the advice where the
    graph is too large. UsageError then, and where the file cannot be written; EvaluationError where code fails.
    """
    from kafkacheck.checker.pictures.graph import TooManyStatesError, check_name, smaller, write_graph

    check_name(path)
    check_writable(path)
    check_writable(path.with_suffix(".dot"))
    try:
        written = write_graph(model, path)
    except TooManyStatesError as error:
        raise UsageError(f"{error}; {_advice(name, default, smaller(model), path)}") from None
    for note in written.notes:
        tell(f"note: {note}")
    for file in written.files:
        say(f"written: {file}")
    return 0


def _advice(name: str, default: Model, small: Model | None, path: Path) -> str:
    """The command that draws `small`, to be followed word for word."""
    if small is None:
        return "no smaller bounds were found that make it small enough; draw a smaller model"
    before = {**default.bounds, **rules_of(default)}
    now = {**small.bounds, **rules_of(small)}
    changes = [f"--set {each}={value}" for each, value in now.items() if value != before[each]]
    return f"try kafkacheck graph {shlex.quote(name)} {' '.join(changes)} --out {shlex.quote(str(path))}"
