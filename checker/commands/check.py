"""`kafkacheck check`: search one model, or many of the catalogue."""

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.checkpointing import Checkpoints
from kafkacheck.checker.commands import report
from kafkacheck.checker.commands.options import (
    EXIT_STATUSES,
    check_cluster_options,
    cluster_of,
    cluster_options,
    memory_option,
    run_option,
    search_options,
    set_option,
)
from kafkacheck.checker.commands.output import json_text, say, tell
from kafkacheck.checker.commands.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError, SelfCheckError, UsageError
from kafkacheck.checker.process.files import make_usable, remove_empty
from kafkacheck.checker.process.statuses import (
    DEADLOCK,
    EVALUATION_FAILED,
    INTERNAL_ERROR,
    INVARIANT_VIOLATED,
    NOT_EXHAUSTED,
    STEP_VIOLATED,
    UNEXPECTED,
    VACUOUS,
)
from kafkacheck.checker.result import Result

if TYPE_CHECKING:
    from kafkacheck.checker.distributed.runs import Cluster

ENOUGH_TO_MEASURE = 10_000
"""With fewer distinct states, the memory for each of them is mostly that of the smallest tables there are."""

CATALOGUE_FOLDER = Path("out")
"""The folder for the files of `check` of several models, unless --out names another."""

Search = Callable[[Model, Limits], Result]
"""Searches a model, with progress on stderr."""


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_names", metavar="[MODEL]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Check every model of the catalogue at its default bounds.")
@set_option
@click.option(
    "--property",
    "properties",
    metavar="NAME",
    multiple=True,
    help="Check only this property of those the model has. May be repeated.",
)
@click.option(
    "--engine",
    type=click.Choice(["auto", "interpreted", "compiled", "spark"]),
    default="auto",
    show_default=True,
    help="How the model's code is run: as it is, compiled, compiled as soon as the compiler is ready, or on Spark.",
)
@search_options
@memory_option
@click.option(
    "--keep-going",
    is_flag=True,
    help="Go on past violations, and show a shortest counterexample of every violated property.",
)
@click.option("--lemmas", is_flag=True, help="Check the model's lemmas as well, after its properties.")
@run_option
@cluster_options
def check(
    model_names: tuple[str, ...],
    everything: bool,
    changes: tuple[str, ...],
    properties: tuple[str, ...],
    engine: str,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    max_memory: int | None,
    keep_going: bool,
    lemmas: bool,
    run_folder: Path | None,
    master: str | None,
    conf: tuple[str, ...],
    shards: int | None,
    spark_from: int | None,
) -> int:
    """Visit every reachable state of MODEL and check its properties.

    A property that is violated comes with a shortest counterexample. The last line is the verdict, with the number
    of distinct and generated states, the depth of the state graph, and the seconds it took. Several models, by names of
    the catalogue or patterns such as 'cluster.*', are checked at their defaults; a table closes the list. --keep-going
    tells first which violations lose something of the users'; the verdict is the shortest one, as without it.
    """
    limits = Limits(max_states, max_seconds, max_memory)
    check_cluster_options(engine, None, master, conf, shards, spark_from)
    if engine == "interpreted" and run_folder is not None:
        raise UsageError("--run-dir keeps what is compiled; leave out --engine interpreted, or --run-dir")
    if keep_going and (run_folder is not None or engine == "spark"):
        raise UsageError("--keep-going keeps nothing of its search; leave it out, or --run-dir and --engine spark")
    if everything or len(model_names) > 1 or catalogue.is_pattern("".join(model_names)):
        if everything and model_names:
            raise UsageError("--all checks every model of the catalogue; leave out --all, or " + " ".join(model_names))
        alone: dict[str, object] = {"--set": changes, "--property": properties, "--lemmas": lemmas}
        alone |= {"--engine spark": engine == "spark", "--run-dir": run_folder}
        given = [name for name, value in alone.items() if value]
        if given:
            several = "--all" if everything else "several models"
            raise UsageError(f"{' and '.join(given)} cannot be given with {several}; name one model, or leave it out")
        names = catalogue.catalogue_names() if everything else catalogue.names_matching(model_names)
        return check_catalogue(names, engine, limits, folder or CATALOGUE_FOLDER, as_json, strict, keep_going)
    if not model_names:
        raise UsageError("check needs a MODEL, or --all; `kafkacheck models` lists the catalogue")
    source = Source(model_names[0], changes, properties, lemmas)
    if engine == "spark":
        how = _on_spark(source, run_folder, cluster_of(master, conf, shards, spark_from))
    else:
        how = by_engine(engine, source, run_folder, keep_going)
    return check_model(source.model(max_seconds), how, limits, folder, as_json, strict, changes)


def check_model(
    model: Model,
    how: Search,
    limits: Limits,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    changes: Sequence[str] = (),
) -> int:
    """Search one model, write and print what was found; the exit status. The folder is tried before the search.

    `changes` are the settings with which the model was asked for.
    UsageError if the folder or a file in it cannot be written, EvaluationError if the model's code fails; the result
    is printed all the same.
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
    except (Exception, KeyboardInterrupt) as error:  # the verdict comes first, even if the files cannot be written
        failure = error
    warn_of_vacuity(result)
    if as_json:
        say(json_text(report.document(result, files, changes)))
    else:
        print_result(result, files, changes)
    if failure is not None:
        remove_empty(made)
        raise failure
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    if result.verdict is Verdict.SELF_CHECK_FAILED:
        raise SelfCheckError(result.reason)
    return VACUOUS if strict and result.is_vacuous else exit_status(result.model, result.verdict, result.property)


def check_catalogue(
    names: Sequence[str], engine: str, limits: Limits, folder: Path, as_json: bool, strict: bool, keep_going: bool
) -> int:
    """Search models of the catalogue, one after the other, and close with a table or one JSON document.

    The exit status is 0 if each verdict is the expected one, none vacuous; otherwise the highest one of a model.
    """
    expectations = catalogue.expectations()
    made = make_usable(folder)
    rows: list[report.Checked] = []
    for name in names:
        row = _searched(name, expectations.get(name), engine, limits, keep_going)
        if row.result is not None:
            warn_of_vacuity(row.result)
            if not as_json:
                within = report.constraint_text(row.result)
                listed = report.violation_lines(row.result)
                say("\n".join([*listed, *([within] if within else []), report.closing_line(row.result)]))
        row = _written(row, folder)
        rows.append(row)
        if row.error:
            remove_empty(made)
            tell(f"error: {name}: {row.error}")
        if row.error_status == NOT_EXHAUSTED:
            break
    rows += [report.Checked(name, expectations.get(name), None, is_begun=False) for name in names[len(rows) :]]
    if as_json:
        say(json_text(report.catalogue_document(rows)))
    else:
        say(report.closing_table(rows, sys.stdout))
    return max((_row_status(row, strict) for row in rows), default=0)


def _searched(name: str, expected: Expectation | None, engine: str, limits: Limits, keep_going: bool) -> report.Checked:
    """Search a model of the catalogue; an error is part of the answer."""
    row = report.Checked(name, expected, None)
    try:
        result = by_engine(engine, Source(name), None, keep_going)(
            catalogue.find_model(name, limits.max_seconds), limits
        )
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
    """Write the counterexample of a search; the files, or another error, are part of the answer."""
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
    """The reason why a search is not finished, if the process was asked to end."""
    return f"it was {shutdown.reason()}"


def _row_status(row: report.Checked, strict: bool) -> int:
    if row.error:
        return row.error_status
    if not row.is_finished:
        return NOT_EXHAUSTED
    if strict and row.result is not None and row.result.is_vacuous:
        return VACUOUS
    return 0 if row.is_expected else UNEXPECTED


def search(
    model: Model, engine: str, limits: Limits, checkpoints: Checkpoints | None = None, keep_going: bool = False
) -> Result:
    """Search a model's states in this process."""
    from kafkacheck.checker.search import check

    with ProgressReport(model.name) as progress, contextlib.closing(checkpoints or Checkpoints.none()) as kept:
        return check(model, engine, limits, progress, kept, keep_going)


def by_engine(
    engine: str, source: Source | None = None, folder: Path | None = None, keep_going: bool = False
) -> Search:
    """The search by an engine that runs in this process. It is kept, in the folder or unasked, if `source` is given and
    the search does not go on past violations (`keep_going`).
    """

    def kept() -> Checkpoints | None:
        return None if source is None or keep_going else Checkpoints({"source": source.as_json()}, folder)

    return lambda model, limits: search(model, engine, limits, kept(), keep_going)


def _on_spark(source: Source, folder: Path | None, cluster: "Cluster") -> Search:
    """The search that begins a run on Spark. It raises UsageError if the model has liveness properties."""
    from kafkacheck.checker.distributed import runs

    def search(model: Model, limits: Limits) -> Result:
        if model.liveness:
            names = ", ".join(each.name for each in (*model.properties, *model.sometimes)) or "type_ok"
            raise UsageError(
                f"{model.name} has liveness properties, which Spark cannot judge; leave out --engine spark, or name "
                f"other properties with --property: {names}"
            )
        with ProgressReport(model.name) as progress:
            return runs.begin(source, folder, cluster, limits, progress, model)

    return search


def write_counterexample(result: Result, folder: Path | None) -> tuple[Path, ...]:
    """Write the files that show the counterexamples into the folder; their paths. Nothing without a folder."""
    if folder is None or not result.shown:
        return ()
    from kafkacheck.checker.pictures.render import write_files

    written = [write_files(trace, folder) for trace in result.shown]
    for note in dict.fromkeys(note for each in written for note in each.notes):
        tell(f"note: {note}")
    return tuple(file for each in written for file in each.files)


def print_result(result: Result, files: Sequence[Path], changes: Sequence[str] = ()) -> None:
    """Print the counterexamples, the paths of their files, how far an unfinished search came, and the closing line."""
    for trace in result.shown:
        from kafkacheck.checker.pictures.render import trace_text

        say(trace_text(trace))
    for file in files:
        say(f"written: {file}")
    if result.verdict is Verdict.NOT_EXHAUSTED:
        say(f"the search is not finished: {result.reason}; no violation was found until then")
    for line in report.violation_lines(result):
        say(line)
    within = report.constraint_text(result)
    if within:
        say(within)
    if result.checked is not None:
        say(f"self-check: {result.checked:,} of {result.states_distinct:,} states, by plain Python")
    if result.bytes_per_state is not None and result.states_distinct >= ENOUGH_TO_MEASURE:
        where = "on disk" if result.engine == "spark" else "of memory"
        say(f"{result.bytes_per_state:.0f} bytes {where} per distinct state ({result.engine} reading)")
    for note in report.notes(result, changes):
        say(f"note: {note}")
    say(report.closing_line(result))


def warn_of_vacuity(result: Result) -> None:
    """Name on stderr the actions and examples that never occurred in a model that holds."""
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
