"""`kafkacheck resume`: go on with a search that is kept in a folder."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kafkacheck.checker.checkpoints.checkpointing import Checkpoints
from kafkacheck.checker.checkpoints.run_directory import RunDirectory
from kafkacheck.checker.checkpoints.run_source import source_of
from kafkacheck.checker.commands.check import Search, check_model, search
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    Place,
    cluster_of,
    cluster_options,
    memory_option,
    model_option,
    search_options,
)
from kafkacheck.checker.console.output import tell
from kafkacheck.checker.console.progress import ProgressReport
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.result import Result

if TYPE_CHECKING:
    from kafkacheck.checker.distributed.runs import Cluster


@click.command(epilog=EXIT_STATUSES)
@click.argument("run_folder", metavar="RUN_DIR", type=Place())
@model_option()
@search_options
@memory_option
@click.option(
    "--redo-damaged",
    is_flag=True,
    help="If a file is damaged, go on from the level before it. Not for a search on Spark, which needs all files.",
)
@cluster_options
def resume(
    run_folder: Path,
    named: str | None,
    max_states: int | None,
    max_seconds: float | None,
    folder: Path | None,
    as_json: bool,
    strict: bool,
    max_memory: int | None,
    redo_damaged: bool,
    master: str | None,
    conf: tuple[str, ...],
    shards: int | None,
    spark_from: int | None,
) -> int:
    """Continue a search that was stopped, killed or failed, from the last complete level in its folder.

    Refused if the model has changed since, or if a file is damaged. Ends like `check`.
    """
    limits = Limits(max_states, max_seconds, max_memory)
    engine = RunDirectory(run_folder).described()["engine"]
    if engine == "spark":
        if redo_damaged:
            raise UsageError(f"--redo-damaged is not for {run_folder}, a run on Spark; restore the file, or begin anew")
        how = _on_spark(run_folder, named, cluster_of(master, conf, shards, spark_from))
    else:
        given = {"--master": master, "--conf": conf, "--shards": shards, "--spark-from": spark_from}
        for option, value in given.items():
            if value not in (None, ()):
                raise UsageError(
                    f"{run_folder} holds a search without Spark, which cannot go on there; leave out {option}"
                )
        how = _in_process(run_folder, redo_damaged)
    model = source_of(run_folder, named).model()
    return check_model(model, how, limits, folder, as_json, strict)


def _in_process(folder: Path, redoes: bool) -> Search:
    """The search that goes on with a run in this process. If it `redoes`, it finds damaged levels anew."""
    return lambda model, limits: search(model, "auto", limits, Checkpoints.resuming(folder, redoes))


def _on_spark(folder: Path, named: str | None, cluster: "Cluster") -> Search:
    """The search that goes on with a run on Spark."""
    from kafkacheck.checker.distributed import runs

    def search(model: Model, limits: Limits) -> Result:
        if model.liveness:  # a run to explore the model may have them
            names = ", ".join(each.name for each in model.liveness)
            tell(f"warning: the verdict does not cover {names}; `check` without Spark judges liveness properties")
        with ProgressReport(model.name) as progress:
            return runs.resume(folder, cluster, limits, progress, model, named)

    return search
