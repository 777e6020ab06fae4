"""The commands that make and question state graphs: `explore`, `analyze` and `compare`."""

from pathlib import Path

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.named import Source
from kafkacheck.checker.commands import exploring
from kafkacheck.checker.commands.options import (
    EXIT_STATUSES,
    Place,
    check_cluster_options,
    cluster_options,
    limit_options,
    model_option,
    run_option,
    set_option,
    spark_options,
)
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import settings
from kafkacheck.checker.process.errors import UsageError


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

    DIR/states and DIR/edges are tables that DuckDB, pandas and Spark read; DIR/_run.json says what they are of. Where a
    limit or Ctrl-C ends it, the levels found whole are written, and DIR/_run.json says that they are not all.

    With --engine spark the search is kept in --run-dir, and Spark writes what that has. RUN_DIR, the folder of a search
    on Spark that was begun before, is written as it is, without searching on.
    """
    limits = Limits(max_states, max_seconds)
    with exploring.needed_packages():
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
            from kafkacheck.checker.commands import spark_checking

            cluster = spark_checking.cluster_of(master, conf, None, None)
            return exploring.explore_run(Path(name), named, folder, cluster, with_cut_off)
        if named is not None:
            raise UsageError(f"--model is for the folder of a search, and {name} is none; leave it out")
        check_cluster_options(engine, run_folder, master, conf, shards, spark_from)
        if engine == "compiled":
            model = settings.with_settings(catalogue.find_model(name), changes)
            return exploring.explore(model, name, folder, limits, with_cut_off)
        if run_folder is None:
            raise UsageError("--engine spark keeps the search in a folder; name a new one with --run-dir")
        if folder.resolve() in (run_folder.resolve(), *run_folder.resolve().parents):
            raise UsageError(f"the search in {run_folder} would lie within {folder}; name another folder with --out")
        from kafkacheck.checker.commands import spark_checking

        cluster = spark_checking.cluster_of(master, conf, shards, spark_from)
        return exploring.explore_on_spark(Source(name, changes), run_folder, folder, limits, cluster, with_cut_off)


@click.command(epilog=EXIT_STATUSES)
@click.argument("folder", metavar="DIR", type=Place())
@click.option(
    "--out",
    type=Place(),
    metavar="DIR",
    help="Write the tables as Parquet and the page of plots into this folder.  [default: DIR/analysis]",
)
@click.option(
    "--where", "predicate", metavar="SQL", help="Count the states for which SQL holds, and show how to reach one."
)
@click.option("--converge", "goal", metavar="SQL", help="From which states can one be reached for which SQL holds?")
@click.option("--by", "actions", metavar="ACTION,...", help="With --converge: by these actions alone.  [default: all]")
@model_option()
@spark_options
def analyze(
    folder: Path,
    out: Path | None,
    predicate: str | None,
    goal: str | None,
    actions: str | None,
    named: str | None,
    master: str | None,
    conf: tuple[str, ...],
) -> int:
    """Tell what is in the state graph that `explore` wrote to DIR, or answer one question about it.

    SQL is a predicate over the columns of a state in Spark's SQL, for example `depth > 3 AND nodes[0].vote IS NULL`.
    """
    if predicate is not None and goal is not None:
        raise UsageError("--where and --converge are two questions; ask one")
    if actions is not None and goal is None:
        raise UsageError("--by says by which actions --converge may reach its goal; give both")
    if predicate is not None and out is not None:
        raise UsageError("--where writes nothing; leave out --out")
    names = [name.strip() for name in (actions or "").split(",") if name.strip()]
    with exploring.needed_packages():
        if predicate is not None:
            return exploring.where(folder, predicate, named, master, conf)
        if goal is not None:
            return exploring.converge(folder, goal, names, out, named, master, conf)
        return exploring.analyze(folder, out, master, conf)


@click.command(epilog=EXIT_STATUSES)
@click.argument("folder_a", metavar="DIR_A", type=Place())
@click.argument("folder_b", metavar="DIR_B", type=Place())
@model_option(multiple=True)
@spark_options
def compare(folder_a: Path, folder_b: Path, named: tuple[str, ...], master: str | None, conf: tuple[str, ...]) -> int:
    """Tell which states and steps the state graph in DIR_B has lost and gained against the one in DIR_A.

    Both must have the same fields; bounds and rules may differ. The first new behaviour is shown, and the first lost.
    """
    with exploring.needed_packages():
        return exploring.compare(folder_a, folder_b, named, master, conf)


COMMANDS = (explore, analyze, compare)
