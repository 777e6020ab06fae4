"""What `kafkacheck check` and `replay` do once the command line is read: search, write files, print, and judge."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from checker import catalogue, report
from checker import trace as traces
from checker.catalogue import Expectation
from checker.errors import EvaluationError, KafkacheckError, UsageError
from checker.files import make_folder
from checker.model import Model
from checker.result import Limits, Result, Verdict
from checker.settings import settings_text

UNEXPECTED = 1
DEADLOCK = 11
INVARIANT_VIOLATED = 12
STEP_VIOLATED = 13
NOT_EXHAUSTED = 20
VACUOUS = 21
EVALUATION_FAILED = 75

INTERRUPTED = "it was interrupted"
"""The reason why a search is not finished where Ctrl-C ended it."""


def check_model(model: Model, engine: str, limits: Limits, folder: Path | None, as_json: bool, strict: bool) -> int:
    """Search one model, write and print what was found; the exit status. The folder is tried before the search.

    UsageError where the folder or a file in it cannot be written, EvaluationError where the model's code fails; what
    was found is printed all the same.
    """
    if folder is not None:
        make_usable(folder)
    if not as_json:
        click.echo(f"{model.name}: {settings_text(model) or 'no bounds or rules'}")
    result = search(model, engine, limits)
    files: tuple[Path, ...] = ()
    failure: UsageError | KeyboardInterrupt | None = None
    try:
        files = write_counterexample(result, folder)
    except (UsageError, KeyboardInterrupt) as error:
        failure = error
    warn_of_vacuity(result)
    if as_json:
        click.echo(report.json_text(report.document(result, files)))
    else:
        print_result(result, files)
    if failure is not None:
        raise failure
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    return VACUOUS if strict and is_vacuous(result) else exit_status(result.model, result.verdict, result.property)


def check_catalogue(engine: str, limits: Limits, folder: Path, as_json: bool, strict: bool) -> int:
    """Search every model of the catalogue, one after the other, and close with a table or one JSON document.

    The exit status is 0 if each verdict is the expected one, otherwise the highest of what went wrong.
    """
    expectations = catalogue.expectations()
    names = catalogue.catalogue_names()
    make_usable(folder)
    rows: list[report.Checked] = []
    for name in names:
        row = _checked(name, expectations.get(name), engine, limits, folder)
        rows.append(row)
        if row.error:
            click.echo(f"error: {name}: {row.error}", err=True)
        if row.result is not None:
            warn_of_vacuity(row.result)
            if not as_json:
                click.echo(report.closing_line(row.result))
        if row.error == INTERRUPTED:
            break
    if as_json:
        click.echo(report.json_text(report.catalogue_document(rows)))
    else:
        click.echo(report.closing_table(rows, len(names), sys.stdout))
    return max((_row_status(row, strict) for row in rows), default=0)


def _checked(name: str, expected: Expectation | None, engine: str, limits: Limits, folder: Path) -> report.Checked:
    """Search a model of the catalogue and write what was found; the first error is part of the answer."""
    result: Result | None = None
    files: tuple[Path, ...] = ()
    try:
        result = search(catalogue.find_model(name), engine, limits)
        files = write_counterexample(result, folder)
        if result.verdict is Verdict.EVALUATION_FAILED:
            raise EvaluationError(result.reason)
        if result.interrupted:
            raise KeyboardInterrupt
    except KafkacheckError as error:
        return report.Checked(name, expected, result, files, str(error), error.exit_status)
    except KeyboardInterrupt:
        return report.Checked(name, expected, result, files, INTERRUPTED, NOT_EXHAUSTED)
    return report.Checked(name, expected, result, files)


def _row_status(row: report.Checked, strict: bool) -> int:
    if row.error:
        return row.error_status
    if not row.is_expected:
        return UNEXPECTED
    return VACUOUS if strict and row.result is not None and is_vacuous(row.result) else 0


def search(model: Model, engine: str, limits: Limits) -> Result:
    """Search a model's states, with progress on stderr."""
    from checker.search import check

    with report.ProgressReport(model.name) as progress:
        return check(model, engine=engine, limits=limits, progress=progress)


def make_usable(folder: Path) -> None:
    """Make the folder where it is missing. UsageError where that fails, or no file can be written into it."""
    make_folder(folder)
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"cannot write into the folder {folder}: {reason}; name another one with --out") from error


def write_counterexample(result: Result, folder: Path | None) -> tuple[Path, ...]:
    """Write the files that show a violation or deadlock into the folder; their paths. Nothing without a folder."""
    if folder is None or result.trace is None or result.verdict not in (Verdict.VIOLATED, Verdict.DEADLOCK):
        return ()
    from checker.render import write_files

    written = write_files(result.trace, folder)
    for note in written.notes:
        click.echo(f"note: {note}", err=True)
    return written.files


def print_result(result: Result, files: Sequence[Path]) -> None:
    """Print the counterexample, where its files are, how far an unfinished search came, and the closing line."""
    if result.trace is not None:
        from checker.render import trace_text

        click.echo(trace_text(result.trace))
    for file in files:
        click.echo(f"written: {file}")
    if result.verdict is Verdict.NOT_EXHAUSTED:
        click.echo(f"the search is not finished: {result.reason}; no violation was found until then")
    if result.bytes_per_state is not None:
        click.echo(f"{result.bytes_per_state:.0f} bytes of memory per distinct state ({result.engine} reading)")
    click.echo(report.closing_line(result))


def is_vacuous(result: Result) -> bool:
    """Whether a model holds although something that it says is possible never is."""
    return result.verdict is Verdict.HOLDS and bool(result.unmet or result.never_fired)


def warn_of_vacuity(result: Result) -> None:
    """Say on stderr what never occurred in a model that holds."""
    if is_vacuous(result):
        click.echo(f"warning: {result.model.name} may hold only because {report.vacuous_text(result)}", err=True)


def exit_status(model: Model, verdict: Verdict, violated: str | None) -> int:
    """The exit status for a verdict on `model`, and the property that is violated, if one is."""
    if verdict is Verdict.VIOLATED:
        is_step = any(each.is_step for each in model.properties if each.name == violated)
        return STEP_VIOLATED if is_step else INVARIANT_VIOLATED
    return {
        Verdict.HOLDS: 0,
        Verdict.DEADLOCK: DEADLOCK,
        Verdict.NOT_EXHAUSTED: NOT_EXHAUSTED,
        Verdict.EVALUATION_FAILED: EVALUATION_FAILED,
    }[verdict]


def replay_trace(model: Model, path: Path) -> int:
    """Run a saved trace on today's code and print what comes of it; the exit status is that of what still fails."""
    from checker.render import replay_text

    outcome = traces.replay(model, traces.load(model, path))
    click.echo(replay_text(outcome))
    violated, length = outcome.trace.property, len(outcome.trace.steps)
    verdict = Verdict.HOLDS
    if outcome.violated_step is not None:
        told, verdict = f"still violates {violated} trace={outcome.violated_step + 1}", Verdict.VIOLATED
    elif not outcome.applies:
        told = f"the trace no longer applies after {length} of its states"
    elif violated is None and model.check_deadlock and outcome.is_deadlock:
        told, verdict = f"still a deadlock trace={length}", Verdict.DEADLOCK
    else:
        told = f"no longer violates {violated} trace={length}" if violated else f"no deadlock trace={length}"
    click.echo(f"{model.name}: {told}")
    return exit_status(model, verdict, violated)


def draw_graph(model: Model, path: Path) -> int:
    """Write the picture of a model's state graph; the exit status."""
    from checker.graph import write_graph

    make_usable(path.parent)
    written = write_graph(model, path)
    for note in written.notes:
        click.echo(f"note: {note}", err=True)
    for file in written.files:
        click.echo(f"written: {file}")
    return 0
