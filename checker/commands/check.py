"""`kafkacheck check`: search one model, or many of the catalogue."""

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafkacheck.checker.catalogue import catalogue, selection
from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.checkpointing import Checkpoints
from kafkacheck.checker.console import report
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    check_cluster_options,
    cluster_of,
    cluster_options,
    memory_option,
    run_option,
    search_options,
    set_option,
)
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.console.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError, UsageError
from kafkacheck.checker.process.files import make_usable, remove_empty
from kafkacheck.checker.process.statuses import (
    DEADLOCK,
    EVALUATION_FAILED,
    INTERNAL_ERROR,
    INVARIANT_VIOLATED,
    NOT_EXHAUSTED,
    STEP_VIOLATED,
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
    help="Check only this property of the model. May be repeated.",
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
    of distinct and generated states, the depth of the state graph, and the seconds it took. A table closes the list of
    several models: names of the catalogue, patterns such as 'cluster.*', files, or folders. --set and --property are
    then for the models that have what they name. --keep-going tells first the
    violations by which users lose something; the verdict is that of the shortest counterexample.
    """
    limits = Limits(max_states, max_seconds, max_memory)
    check_cluster_options(engine, None, master, conf, shards, spark_from)
    if engine == "interpreted" and run_folder is not None:
        raise UsageError(
            "--run-dir keeps the search of the compiled reading; leave out --engine interpreted, or --run-dir"
        )
    if keep_going and (run_folder is not None or engine == "spark"):
        raise UsageError(
            "--keep-going keeps nothing of its search; leave out --keep-going, or --run-dir and --engine spark"
        )
    if everything or selection.is_several(model_names):
        if everything and model_names:
            raise UsageError("--all checks every model of the catalogue; leave out --all, or " + " ".join(model_names))
        alone: dict[str, object] = {"--engine spark": engine == "spark", "--run-dir": run_folder}
        alone |= {"--set": changes, "--property": properties, "--lemmas": lemmas} if everything else {}
        given = [name for name, value in alone.items() if value]
        if given:
            several = "--all" if everything else "several models"
            raise UsageError(f"{' and '.join(given)} cannot be given with {several}; name one model, or leave it out")
        from kafkacheck.checker.commands.check_several import Asked, check_several

        texts = catalogue.catalogue_names() if everything else selection.selected(model_names)
        asked = Asked(tuple(changes), tuple(properties), lemmas)
        return check_several(texts, asked, engine, limits, folder or CATALOGUE_FOLDER, as_json, strict, keep_going)
    if not model_names:
        raise UsageError("check needs a MODEL, or --all; `kafkacheck models` lists the catalogue")
    source = Source(model_names[0], changes, properties, lemmas)
    if engine == "spark":
        how = _on_spark(source, run_folder, cluster_of(master, conf, shards, spark_from))
    else:
        how = by_engine(engine, source, run_folder, keep_going)
    usual = catalogue.find_model(source.text, max_seconds)
    expected = None if changes or properties or lemmas else selection.expected_of(source.text, usual)
    model = source.of(usual)
    raised = settings.raised_text(model, usual)
    if raised and (calls := settings.calls_text(model, usual)):
        mend = "" if max_seconds else "; --max-seconds ends the search in time"
        tell(f"note: {model.name} has {raised}: {calls}{mend}")
    status = check_model(model, how, limits, folder, as_json, strict, changes, expected)
    if raised and status == NOT_EXHAUSTED:
        tell(f"note: {model.name} has {raised}; a search at smaller bounds ends sooner")
    return status


def check_model(
    model: Model,
    how: Search,
    limits: Limits,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    changes: Sequence[str] = (),
    expected: Expectation | None = None,
) -> int:
    """Search one model, write and print what was found; the exit status. The folder is tried before the search.

    `changes` are the settings with which the model was asked for, `expected` is what the search must find.
    UsageError if the folder or a file in it cannot be written, EvaluationError if the model's code fails; the result
    is printed all the same.
    """
    made = [] if folder is None else make_usable(folder)
    try:
        if not as_json:
            say(headline(model))
        result = how(model, limits)
    except KeyboardInterrupt:  # before the search has begun to listen; or a second one, which wants an end at once
        result = Result(model, Verdict.NOT_EXHAUSTED, 0, 0, 0, "none", 0.0, reason=interrupted(), interrupted=True)
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
        print_result(result, files, changes, expected)
    if failure is not None:
        remove_empty(made)
        raise failure
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    if result.verdict is Verdict.SELF_CHECK_FAILED:
        raise SelfCheckError(result.reason)
    return VACUOUS if strict and result.is_vacuous else exit_status(result.model, result.verdict, result.property)


def interrupted() -> str:
    """The reason why a search is not finished, if the process was asked to end."""
    return f"it was {shutdown.reason()}"


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


def print_result(
    result: Result, files: Sequence[Path], changes: Sequence[str] = (), expected: Expectation | None = None
) -> None:
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
    judged = report.expectation_text(result, expected)
    if judged:
        say(judged)
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
