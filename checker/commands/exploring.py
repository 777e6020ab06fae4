"""What `kafkacheck explore`, `analyze` and `compare` do once the command line is read.

They need the packages that Spark and Parquet come with, which no other command loads.
"""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kafkacheck.checker.catalogue.named import Source, Wanted, followed
from kafkacheck.checker.commands.output import say, tell
from kafkacheck.checker.commands.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.process import endings
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, UsageError
from kafkacheck.checker.process.statuses import CANNOT_CONVERGE, NOT_EXHAUSTED

if TYPE_CHECKING:
    from kafkacheck.checker.distributed.runs import Cluster
    from kafkacheck.checker.graphs.analysis import Analysis
    from kafkacheck.checker.traces.trace import Trace

PACKAGES = ("pyspark", "py4j", "pyarrow", "jinja2", "pygal")
FOLDER = "analysis"
"""Where the analysis of a data set is written within it, unless told otherwise."""


@contextlib.contextmanager
def needed_packages() -> Iterator[None]:
    """UsageError where a package is missing that only the Spark part needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in PACKAGES:
            raise
        raise UsageError(
            f"this command needs the package {error.name.split('.')[0]}, which is not installed; install "
            "kafkacheck[spark]"
        ) from error


def explore(model: Model, name: str, folder: Path, limits: Limits, with_cut_off: bool) -> int:
    """Write the state graph of a model, which was named so, to a folder; the exit status."""
    from kafkacheck.checker.graphs import dataset

    say(headline(model))
    locator = Source(name).absolute().text
    with ProgressReport(model.name) as progress:
        run = dataset.write(model, locator, folder, progress, limits, with_cut_off)
    return _tell_written(model, run, folder)


def explore_on_spark(
    source: Source, run_folder: Path, folder: Path, limits: Limits, cluster: "Cluster", with_cut_off: bool
) -> int:
    """Search a model on Spark, past violations, keeping a run directory, and write what it has; the exit status.

    UsageError where a folder cannot be used, EvaluationError where the model's code fails, NotExhaustedError where it
    ends before anything is kept.
    """
    from kafkacheck.checker.distributed import runs
    from kafkacheck.checker.graphs import dataset, run_dataset, state_graph
    from kafkacheck.checker.kept.run_directory import RunDirectory

    model = source.model()
    say(headline(model))
    dataset.check_new(folder)
    state_graph.check_judgements(model)
    with ProgressReport(model.name) as progress:
        result = runs.begin(
            source, run_folder, replace(cluster, hand_over_from=1), limits, progress, model, goes_past=True
        )
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    if not RunDirectory(run_folder).committed():
        raise NotExhaustedError(f"nothing was explored: {result.reason}")
    written = run_dataset.write(run_folder, folder, cluster, result.reason, with_cut_off, source.text)
    return _tell_written(model, written, folder)


def explore_run(run_folder: Path, named: str | None, folder: Path, cluster: "Cluster", with_cut_off: bool) -> int:
    """Write the state graph that a run directory has to a folder; the exit status. Otherwise as `explore_on_spark`.

    UsageError also where the run is of a model that is not of the catalogue and is not `named`.
    """
    from kafkacheck.checker.distributed import runs
    from kafkacheck.checker.graphs import run_dataset

    model = runs.source_of(run_folder, named).model()
    say(headline(model))
    return _tell_written(model, run_dataset.write(run_folder, folder, cluster, "", with_cut_off, named), folder)


def _tell_written(model: Model, run: dict[str, Any], folder: Path) -> int:
    for each, counts in run["violations"].items():
        if counts["level"]:
            told = f"{counts['states']:,} states and {counts['steps']:,} steps, first at level {counts['level']}"
            say(f"{each} is violated by {told}")
    if model.liveness:
        say(f"not judged here: {', '.join(each.name for each in model.liveness)}; `check` does that")
    if run["unfinished"]:
        say(unfinished_text(run))
    say(f"written: {folder}")
    found = [run["verdict"], *([run["property"]] if run["property"] else [])]
    say(f"{model.name}: {' '.join(found)} states={run['states']} steps={run['edges']} depth={run['depth']}")
    return NOT_EXHAUSTED if run["unfinished"] else 0


def unfinished_text(run: dict[str, Any]) -> str:
    """Which part of a state graph is there, where it is not all."""
    return (
        f"not all is there: {run['unfinished']}; there are the states of levels 1 to {run['depth']} and the steps from "
        f"those of {run['expanded']} levels"
    )


def analyze(folder: Path, out: Path | None, master: str | None, settings: Sequence[str]) -> int:
    """Print every table of a data set, and write them with the page of plots; the exit status.

    UsageError where the folder to write to has anything else in it.
    """
    from kafkacheck.checker.commands import analysis_report
    from kafkacheck.checker.graphs import dataset, queries

    run = _opened(folder)
    out = out or folder / FOLDER
    if out.exists() and not (out / analysis_report.PAGE).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and is no analysis; name another folder with --out, or remove it")
    with _spark(master, settings) as analysis:
        analysis.open_views(folder, run)
        tables = analysis.tables(run)
    say(f"{run['model']}: {run['verdict']} {run['property'] or ''}".rstrip())
    for name, query in queries.tables(run).items():
        say(f"\n{analysis_report.table_text(query.title, tables[name], sys.stdout.isatty())}")
    with dataset.appearing(out) as work:
        analysis_report.write(work, run, tables)
    say(f"\nwritten: {out / analysis_report.PAGE} and a Parquet file of each table beside it")
    return 0


def where(folder: Path, predicate: str, named: str | None, master: str | None, settings: Sequence[str]) -> int:
    """Print how many states satisfy a predicate, and a shortest behaviour to one; the exit status.

    UsageError where the model, which is needed for that, is not of the catalogue and is not `named`.
    """
    from kafkacheck.checker.graphs import data_trace

    run = _opened(folder)
    (text,) = _followed([folder], [run], [] if named is None else [named])
    with _spark(master, settings) as analysis:
        analysis.open_views(folder, run)
        found = analysis.where(predicate)
    if found.level is not None and found.state is not None:
        _print_trace(data_trace.trace_to(folder, run, found.level, found.state, text))
    say(f"{run['model']}: {found.states} of {run['states']} states satisfy {predicate}{_nearest(found.level)}")
    return 0


def converge(
    folder: Path,
    predicate: str,
    actions: Sequence[str],
    out: Path | None,
    named: str | None,
    master: str | None,
    settings: Sequence[str],
) -> int:
    """Print from how many states a predicate can still be reached, and a shortest behaviour to one that cannot.

    The states that cannot are written to `out`, if that is given. The exit status says whether there are any.
    UsageError where `out` has anything in it, where not all of the graph is there, and for the model as for `where`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from kafkacheck.checker.commands import analysis_report
    from kafkacheck.checker.graphs import data_trace, dataset, manifest

    run = manifest.read(folder)
    if run["unfinished"]:
        raise UsageError(
            f"{folder}: {unfinished_text(run)}. What can be reached from a state without its steps cannot be known; "
            "explore the model to its end, at smaller bounds if need be"
        )
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not an empty folder; name another one with --out, or remove it")
    (text,) = _followed([folder], [run], [] if named is None else [named])
    with _spark(master, settings) as analysis:
        analysis.open_views(folder, run)
        found = analysis.converge(predicate, actions, run)
    if out is not None:
        with dataset.appearing(out) as work:
            pq.write_table(found.table, work / "stuck.parquet", write_page_checksum=True)
        say(f"written: {out / 'stuck.parquet'}")
    by = f"by {', '.join(actions)}" if actions else "by any action"
    if found.stuck.level is not None and found.stuck.state is not None:
        levels = found.table.group_by("level").aggregate([("state", "count"), ("state", "min")]).sort_by("level")
        levels = pa.table(levels.columns, names=["level", "states", "first_state"])
        title = f"States that cannot reach {predicate} {by}"
        say(analysis_report.table_text(title, levels, sys.stdout.isatty()))
        say("\nA shortest behaviour to the first of them:")
        _print_trace(data_trace.trace_to(folder, run, found.stuck.level, found.stuck.state, text))
    say(
        f"{run['model']}: {found.goal} of {run['states']} states satisfy {predicate}; {found.reaching} can reach one "
        f"{by}; {found.stuck.states} cannot"
    )
    return CANNOT_CONVERGE if found.stuck.states else 0


def compare(folder_a: Path, folder_b: Path, named: Sequence[str], master: str | None, settings: Sequence[str]) -> int:
    """Print what two data sets do not have in common, and the first behaviour that only one has; the exit status.

    UsageError where their states have not the same fields, and where a model is not of the catalogue and not `named`.
    """
    from kafkacheck.checker.commands import analysis_report
    from kafkacheck.checker.graphs import data_trace

    folders = {"a": folder_a, "b": folder_b}
    runs = {side: _opened(folder) for side, folder in folders.items()}
    if runs["a"]["schema"] != runs["b"]["schema"]:
        raise UsageError(
            f"{folder_a} and {folder_b} have states of different fields, so they cannot be compared: "
            f"{runs['a']['schema']} and {runs['b']['schema']}"
        )
    texts = dict(zip("ab", _followed(list(folders.values()), list(runs.values()), named), strict=True))
    with _spark(master, settings) as analysis:
        for side, folder in folders.items():
            analysis.open_views(folder, runs[side], f"_{side}")
        columns = {side: list(run["columns"].values()) for side, run in runs.items()}
        takes = {side: any(each["parameters"] for each in run["actions"].values()) for side, run in runs.items()}
        found = analysis.difference(columns, takes)
    for side in "ab":
        say(f"{side}: {folders[side]}: {_settings_of(runs[side])}")
    say(f"\n{analysis_report.table_text('By level', found.levels, sys.stdout.isatty())}")
    for side, told in (("b", "The first behaviour that is new in b"), ("a", "The first behaviour that b has lost")):
        state, step = found.first_state.get(side), found.first_step.get(side)
        if state is None and step is None:
            say(f"\n{told}: none")
            continue
        say(f"\n{told}:")
        is_initial = state is not None and state["level"] == 1
        if step is None or is_initial:
            assert state is not None
            _print_trace(data_trace.trace_to(folders[side], runs[side], state["level"], state["state"], texts[side]))
        else:
            _print_trace(data_trace.trace_with_step(folders[side], runs[side], step, texts[side]))
    total = {name: sum(found.levels[name].to_pylist()) for name in found.levels.column_names[3:]}
    say(
        f"states: {total['states_lost']} lost, {total['states_gained']} gained; "
        f"steps: {total['steps_lost']} lost, {total['steps_gained']} gained"
    )
    return 0


def _opened(folder: Path) -> dict[str, Any]:
    """What `_run.json` of a data set says, with a warning where not all of the graph is there."""
    from kafkacheck.checker.graphs import manifest

    run = manifest.read(folder)
    if run["unfinished"]:
        tell(f"warning: {folder}: {unfinished_text(run)}; what is told is told of these alone")
    return run


def _followed(folders: Sequence[Path], runs: Sequence[dict[str, Any]], named: Sequence[str]) -> list[str]:
    """How to find the model of each data set: see `checker.catalogue.named.followed`."""
    wanted = [Wanted(folder, run["model"], run["locator"]) for folder, run in zip(folders, runs, strict=True)]
    return followed(wanted, named)


@contextlib.contextmanager
def _spark(master: str | None, settings: Sequence[str]) -> "Iterator[Analysis]":
    from kafkacheck.checker.distributed import spark
    from kafkacheck.checker.graphs.analysis import Analysis

    endings.supervise()  # before Java begins: what is found may be replayed by a model of the user's own
    with spark.session(master, spark.parse_settings(settings)) as session:
        tell(spark.description(session.sparkContext))
        yield Analysis(session)


def _print_trace(trace: "Trace") -> None:
    from kafkacheck.checker.pictures.render import trace_text

    say(trace_text(trace))


def _nearest(level: int | None) -> str:
    return "" if level is None else f", the nearest at level {level}"


def _settings_of(run: dict[str, Any]) -> str:
    told = " ".join(f"{name}={value}" for name, value in {**run["bounds"], **run["rules"]}.items())
    return f"{run['model']} {told} states={run['states']} steps={run['edges']}"
