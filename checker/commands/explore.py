"""`kafkacheck explore`: write the state graph of a model as a data set.

The packages of Spark and Parquet are imported only by the functions that need them, because not all have them.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.run_source import source_of
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    Place,
    check_cluster_options,
    cluster_of,
    cluster_options,
    limit_options,
    model_option,
    run_option,
    set_option,
)
from kafkacheck.checker.console.output import say
from kafkacheck.checker.console.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.process.errors import EvaluationError, NotExhaustedError, UsageError
from kafkacheck.checker.process.statuses import NOT_EXHAUSTED

if TYPE_CHECKING:
    from kafkacheck.checker.distributed.runs import Cluster


@click.command(epilog=EXIT_STATUSES)
@click.argument("name", metavar="MODEL|RUN_DIR")
@click.option(
    "--out",
    "folder",
    type=Place(),
    metavar="DIR",
    required=True,
    help="The folder to make. It appears when it is whole.",
)
@set_option
@limit_options
@click.option(
    "--cut-off",
    "with_cut_off",
    is_flag=True,
    help="Also tell which bounds cut a state off: a call would be possible there if the bound were one larger.",
)
@click.option(
    "--engine",
    type=click.Choice(["compiled", "spark"]),
    default="compiled",
    show_default=True,
    help="Where MODEL is explored: in this process, or on Spark.",
)
@model_option()
@run_option
@cluster_options
def explore(
    name: str,
    folder: Path,
    changes: tuple[str, ...],
    max_seconds: float | None,
    max_states: int | None,
    with_cut_off: bool,
    engine: str,
    named: str | None,
    run_folder: Path | None,
    master: str | None,
    conf: tuple[str, ...],
    shards: int | None,
    spark_from: int | None,
) -> int:
    """Write the whole state graph of MODEL as a data set of Parquet files, past violations.

    DIR/states and DIR/edges are tables that DuckDB, pandas and Spark read; DIR/_run.json describes them. If a limit
    or Ctrl-C ends the search, the levels that are complete are written, and DIR/_run.json says that others are missing.

    With --engine spark the search is kept in --run-dir, and Spark writes the graph from there. RUN_DIR, the folder of a
    search on Spark that was begun before, is written as it is, without searching on.
    """
    limits = Limits(max_states, max_seconds)
    if not catalogue.is_ours(name) and Path(name).is_dir():
        given: dict[str, object] = {
            "--set": changes,
            "--run-dir": run_folder,
            "--shards": shards,
            "--spark-from": spark_from,
        }
        given |= {"--max-states": max_states, "--max-seconds": max_seconds}
        for option, value in given.items():
            if value not in (None, ()):
                raise UsageError(f"{name} is the folder of a search, which is written as it is; leave out {option}")
        cluster = cluster_of(master, conf)
        return explore_run(Path(name), named, folder, cluster, with_cut_off)
    if named is not None:
        raise UsageError(f"--model is for the folder of a search, and {name} is none; leave it out")
    check_cluster_options(engine, run_folder, master, conf, shards, spark_from)
    if engine == "compiled":
        model = settings.with_settings(catalogue.find_model(name), changes)
        return explore_in_process(model, name, folder, limits, with_cut_off)
    if run_folder is None:
        raise UsageError("--engine spark keeps the search in a folder; name a new one with --run-dir")
    if folder.resolve() in (run_folder.resolve(), *run_folder.resolve().parents):
        raise UsageError(f"the search in {run_folder} would lie within {folder}; name another folder with --out")
    cluster = cluster_of(master, conf, shards, spark_from)
    return explore_on_spark(Source(name, changes), run_folder, folder, limits, cluster, with_cut_off)


def explore_in_process(model: Model, name: str, folder: Path, limits: Limits, with_cut_off: bool) -> int:
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
    """Search a model on Spark, past violations, in a run directory, and write its graph; the exit status.

    UsageError if a folder cannot be used, EvaluationError if the model's code fails, NotExhaustedError if it
    ends before anything is kept.
    """
    from kafkacheck.checker.checkpoints.run_directory import RunDirectory
    from kafkacheck.checker.distributed import runs
    from kafkacheck.checker.graphs import dataset, run_dataset, state_graph

    model = source.model()
    say(headline(model))
    dataset.check_new(folder)
    state_graph.check_judgements(model)
    with ProgressReport(model.name) as progress:
        result = runs.begin(source, run_folder, replace(cluster, shard_from=1), limits, progress, model, goes_past=True)
    if result.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    if not RunDirectory(run_folder).committed():
        raise NotExhaustedError(f"nothing was explored: {result.reason}")
    written = run_dataset.write(run_folder, folder, cluster, result.reason, with_cut_off, source.text)
    return _tell_written(model, written, folder)


def explore_run(run_folder: Path, named: str | None, folder: Path, cluster: "Cluster", with_cut_off: bool) -> int:
    """Write the state graph that a run directory has to a folder; the exit status. Otherwise as `explore_on_spark`.

    UsageError also if the run is of a model that is not of the catalogue and is not `named`.
    """
    from kafkacheck.checker.graphs import run_dataset

    model = source_of(run_folder, named).model()
    say(headline(model))
    return _tell_written(model, run_dataset.write(run_folder, folder, cluster, "", with_cut_off, named), folder)


def _tell_written(model: Model, run: dict[str, Any], folder: Path) -> int:
    from kafkacheck.checker.graphs import manifest

    for each, counts in run["violations"].items():
        if counts["level"]:
            told = f"{counts['states']:,} states and {counts['steps']:,} steps, first at level {counts['level']}"
            say(f"{each} is violated by {told}")
    if model.liveness:
        say(f"not judged here: {', '.join(each.name for each in model.liveness)}; `check` does that")
    if run["unfinished"]:
        say(manifest.unfinished_text(run))
    say(f"written: {folder}")
    found = [run["verdict"], *([run["property"]] if run["property"] else [])]
    say(f"{model.name}: {' '.join(found)} states={run['states']} steps={run['edges']} depth={run['depth']}")
    return NOT_EXHAUSTED if run["unfinished"] else 0
