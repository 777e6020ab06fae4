"""`kafkacheck analyze`: tables of a state graph that `explore` wrote, or the answer to one question about it.

The packages of Spark and Parquet are imported only by the functions that need them, because not all have them.
"""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kafkacheck.checker.catalogue.model_source import Recorded, resolve
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, model_option, spark_options
from kafkacheck.checker.console.output import say, tell
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.statuses import CANNOT_CONVERGE

if TYPE_CHECKING:
    from kafkacheck.checker.graphs.analysis import Analysis
    from kafkacheck.checker.traces.trace import Trace

FOLDER = "analysis"
"""Where the analysis of a data set is written within it, unless told otherwise."""


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
@click.option("--converge", "goal", metavar="SQL", help="Say from which states a state with SQL can be reached.")
@click.option("--by", "actions", metavar="ACTION,...", help="With --converge: take these actions only.  [default: all]")
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
    if predicate is not None:
        return where(folder, predicate, named, master, conf)
    if goal is not None:
        return converge(folder, goal, names, out, named, master, conf)
    return all_tables(folder, out, master, conf)


def all_tables(folder: Path, out: Path | None, master: str | None, settings: Sequence[str]) -> int:
    """Print every table of a data set, and write them with the page of plots; the exit status.

    UsageError if the folder to write to has anything else in it.
    """
    from kafkacheck.checker.graphs import analysis_page, dataset, queries

    run = opened(folder)
    out = out or folder / FOLDER
    if out.exists() and not (out / analysis_page.PAGE).is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and is no analysis; name another folder with --out, or remove it")
    with session(master, settings) as analysis:
        analysis.open_views(folder, run)
        tables = analysis.tables(run)
    say(f"{run['model']}: {run['verdict']} {run['property'] or ''}".rstrip())
    for name, query in queries.tables(run).items():
        say(f"\n{analysis_page.table_text(query.title, tables[name], sys.stdout.isatty())}")
    with dataset.appearing(out) as work:
        analysis_page.write(work, run, tables)
    say(f"\nwritten: {out / analysis_page.PAGE} and a Parquet file of each table beside it")
    return 0


def where(folder: Path, predicate: str, named: str | None, master: str | None, settings: Sequence[str]) -> int:
    """Print how many states satisfy a predicate, and a shortest behaviour to one; the exit status.

    UsageError if the model, which is needed for that, is not of the catalogue and is not `named`.
    """
    from kafkacheck.checker.graphs import data_trace

    run = opened(folder)
    (text,) = models_of([folder], [run], [] if named is None else [named])
    with session(master, settings) as analysis:
        analysis.open_views(folder, run)
        found = analysis.where(predicate)
    if found.level is not None and found.state is not None:
        print_trace(data_trace.trace_to(folder, run, found.level, found.state, text))
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
    UsageError if `out` has anything in it, if not all of the graph is there, and for the model as for `where`.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from kafkacheck.checker.graphs import analysis_page, data_trace, dataset, manifest

    run = manifest.read(folder)
    if run["unfinished"]:
        raise UsageError(
            f"{folder}: {manifest.unfinished_text(run)}. Where a state leads is not known without its steps; "
            "explore the model to its end, at smaller bounds if need be"
        )
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} is there already and not an empty folder; name another one with --out, or remove it")
    (text,) = models_of([folder], [run], [] if named is None else [named])
    with session(master, settings) as analysis:
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
        say(analysis_page.table_text(title, levels, sys.stdout.isatty()))
        say("\nA shortest behaviour to the first of them:")
        print_trace(data_trace.trace_to(folder, run, found.stuck.level, found.stuck.state, text))
    say(
        f"{run['model']}: {found.goal} of {run['states']} states satisfy {predicate}; {found.reaching} can reach one "
        f"{by}; {found.stuck.states} cannot"
    )
    return CANNOT_CONVERGE if found.stuck.states else 0


def opened(folder: Path) -> dict[str, Any]:
    """The content of `_run.json` of a data set, with a warning if not all of the graph is there."""
    from kafkacheck.checker.graphs import manifest

    run = manifest.read(folder)
    if run["unfinished"]:
        tell(f"warning: {folder}: {manifest.unfinished_text(run)}; the answers are about these alone")
    return run


def models_of(folders: Sequence[Path], runs: Sequence[dict[str, Any]], named: Sequence[str]) -> list[str]:
    """How to find the model of each data set: see `checker.catalogue.model_source.resolve`."""
    recorded = [Recorded(folder, run["model"], run["locator"]) for folder, run in zip(folders, runs, strict=True)]
    return resolve(recorded, named)


@contextlib.contextmanager
def session(master: str | None, settings: Sequence[str]) -> "Iterator[Analysis]":
    """Spark for queries on data sets. UsageError if it cannot be started."""
    from kafkacheck.checker.distributed import spark
    from kafkacheck.checker.graphs.analysis import Analysis

    shutdown.supervise()  # before Java begins: a model of the user may replay the answer
    with spark.session(master, spark.parse_settings(settings)) as session:
        tell(spark.description(session.sparkContext))
        yield Analysis(session)


def print_trace(trace: "Trace") -> None:
    """Print a behaviour as text."""
    from kafkacheck.checker.pictures.render import trace_text

    say(trace_text(trace))


def _nearest(level: int | None) -> str:
    return "" if level is None else f", the nearest at level {level}"
