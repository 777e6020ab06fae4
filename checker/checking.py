"""What `kafkacheck check` and `replay` do once the command line is read: search, write files, print, and judge."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from checker import catalogue, report
from checker import trace as traces
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


def check_model(model: Model, engine: str, limits: Limits, folder: Path | None, as_json: bool, strict: bool) -> int:
    """Search one model, write and print what was found; the exit status. The folder is tried before the search."""
    if folder is not None:
        make_usable(folder)
    if not as_json:
        click.echo(f"{model.name}: {settings_text(model)}")
    result = search(model, engine, limits)
    files: tuple[Path, ...] = ()
    failure: KafkacheckError | None = None
    try:
        files = write_counterexample(result, folder)
    except UsageError as error:
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

    The exit status is 0 if each verdict is the expected one; otherwise that of the first error, or UNEXPECTED.
    """
    expectations = catalogue.expectations()
    make_usable(folder)
    rows: list[report.Checked] = []
    status = 0
    for name in catalogue.catalogue_names():
        try:
            result = search(catalogue.find_model(name), engine, limits)
            files = write_counterexample(result, folder)
            row = report.Checked(name, expectations.get(name), result, files)
        except KafkacheckError as error:
            click.echo(f"error: {error}", err=True)
            rows.append(report.Checked(name, expectations.get(name), None, error=str(error)))
            status = status or error.exit_status
            continue
        rows.append(row)
        warn_of_vacuity(result)
        if not as_json:
            click.echo(report.closing_line(result))
        if result.verdict is Verdict.EVALUATION_FAILED:
            click.echo(f"error: {result.reason}", err=True)
        if "interrupted" in result.reason:
            status = NOT_EXHAUSTED
            break
        if strict and is_vacuous(result):
            status = status or VACUOUS
        if not row.is_expected:
            status = status or UNEXPECTED
    click.echo(report.json_text(report.catalogue_document(rows)) if as_json else report.closing_table(rows, sys.stdout))
    return status


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
