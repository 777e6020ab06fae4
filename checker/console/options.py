"""The options and kinds of values that several commands share."""

import functools
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kafkacheck.checker.console.output import tell
from kafkacheck.checker.process import statuses
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.names import RELEASE, shortened

if TYPE_CHECKING:
    from kafkacheck.checker.distributed.runs import Cluster

Command = Callable[..., Any]

EXIT_STATUSES = statuses.help_text()

TIMEOUT = 60.0
"""Seconds for a single question to the solver, unless told otherwise."""

LEAST_MEMORY, MOST_MEMORY = 1 << 20, 10**6 << 40


class Seconds(click.FloatRange):
    """A finite number of seconds above 0."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; a usage error if it is none, infinite, or not above 0."""
        try:
            is_number = math.isfinite(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            self.fail(
                f"{shortened(str(value))!r} is not a finite number of seconds; write one such as 30 or 0.5.", param, ctx
            )
        return float(super().convert(value, param, ctx))


class Size(click.ParamType[int]):
    """A number of bytes, such as 512M or 4G."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes; a usage error if it is no size, or less than `LEAST_MEMORY`."""
        given = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([KMGT]?)(?:I?B)?", str(value).strip().upper())
        if given is None:
            self.fail(
                f"{shortened(str(value))!r} is no size; write a number with K, M, G or T (times 1024), such as 4G.",
                param,
                ctx,
            )
        size = float(given[1]) * 1024 ** " KMGT".index(given[2] or " ")
        if not LEAST_MEMORY <= size < MOST_MEMORY:
            self.fail(f"{shortened(str(value))!r} is not between 1M and 1000000T; write a size such as 4G.", param, ctx)
        return int(size)


class Place(click.Path):
    """The path of a file or folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error if the text is empty or cannot be one."""
        if not str(value).strip():
            self.fail("it is empty; name a file or folder, such as out.", param, ctx)
        if "\0" in str(value):
            self.fail(f"{shortened(str(value))!r} has a zero byte, which no path may have.", param, ctx)
        return super().convert(value, param, ctx)


def set_option(command: Command) -> Command:
    """The options `--set` and `--kafka RELEASE`, the same for every command that has them; both become settings."""

    @functools.wraps(command)
    def with_release(*given: Any, release: str | None, changes: tuple[str, ...], **more: Any) -> Any:
        settings = changes if release is None else (f"{RELEASE}{release}", *changes)
        return command(*given, changes=settings, **more)

    settings = click.option(
        "--set",
        "changes",
        metavar="NAME=VALUE",
        multiple=True,
        help="Another value for a bound (nodes=2) or a switch of the rules (retries=NEVER). May be repeated.",
    )
    release = click.option(
        "--kafka",
        "release",
        metavar="RELEASE",
        help="Take the rules of this release, such as 4.1. The model keeps its choices, and rules that are older.",
    )
    return settings(release(with_release))


def limit_options(command: Command) -> Command:
    """The options that end a search unfinished."""
    seconds = click.option(
        "--max-seconds", type=Seconds(min=0, min_open=True), metavar="S", help="Stop after this much time."
    )
    states = click.option(
        "--max-states", type=click.IntRange(min=1), metavar="N", help="Stop after this many distinct states."
    )
    return states(seconds(command))


def memory_option(command: Command) -> Command:
    """The option that limits the memory of a search."""
    return click.option(
        "--max-memory",
        type=Size(),
        metavar="SIZE",
        help="Stop once the search takes this much memory, such as 512M or 4G.  [default: 0.9 of what is free, and of "
        "what a control group or `ulimit` leaves]",
    )(command)


def out_option(command: Command) -> Command:
    """The option that says where counterexamples are written."""
    return click.option(
        "--out",
        "folder",
        type=Place(),
        metavar="DIR",
        help="Write counterexamples into this folder: JSON, ITF, DOT and SVG. `check` of several models, by names or "
        "by --all, writes into out unasked.",
    )(command)


def json_option(command: Command) -> Command:
    """The option that asks for JSON."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout instead of text.")(
        command
    )


def timeout_option(command: Command) -> Command:
    """The option `--timeout`, the same for every command that has it."""
    return click.option(
        "--timeout",
        type=Seconds(min=0, min_open=True),
        default=TIMEOUT,
        show_default=True,
        metavar="S",
        help="Give up a single question to the solver after this much time.",
    )(command)


def property_option(command: Command) -> Command:
    """The option `--property`, the same for every command that has it."""
    return click.option(
        "--property", "properties", metavar="NAME", multiple=True, help="Only this property. May be repeated."
    )(command)


def smt2_option(command: Command) -> Command:
    """The option `--smt2`, the same for every command that has it."""
    return click.option(
        "--smt2",
        "--smt-lib",
        "scripts",
        type=Place(),
        metavar="DIR",
        help="Write every question as an SMT-LIB 2 script into this folder, with an index.",
    )(command)


def search_options(command: Command) -> Command:
    """The options of a search that ends in a verdict."""
    strict = click.option(
        "--strict", is_flag=True, help="Fail (status 21) if an action or `sometimes` property never occurs."
    )
    return limit_options(out_option(json_option(strict(command))))


def spark_options(command: Command) -> Command:
    """The options that say where Spark runs, of every command that uses it."""
    command = click.option(
        "--conf", metavar="NAME=VALUE", multiple=True, help="Spark: a setting of Spark's. May be repeated."
    )(command)
    return click.option(
        "--master",
        metavar="URL",
        help="Spark: local[N], spark://HOST:PORT, k8s://URL or yarn.  [default: spark-submit's, or local[*]]",
    )(command)


def run_option(command: Command) -> Command:
    """The option that says where a search is kept."""
    return click.option(
        "--run-dir",
        "run_folder",
        type=Place(),
        metavar="DIR",
        help="Keep the levels of the search in this new folder, from which `resume` goes on; not with plain Python.",
    )(command)


def model_option(multiple: bool = False) -> Callable[[Command], Command]:
    """The option that names the model of a folder, which does not run code by itself."""
    often = " Given twice: that of DIR_A, then that of DIR_B." if multiple else ""
    return click.option(
        "--model",
        "named",
        metavar="MODEL",
        multiple=multiple,
        help=f"The model, if it is not of the catalogue: no code is run because a folder names it.{often}",
    )


def cluster_options(command: Command) -> Command:
    """The options of a search on Spark; `cluster_of` takes them."""
    for option in reversed(
        (
            spark_options,
            click.option(
                "--shards",
                type=click.IntRange(1, 4096),
                metavar="N",
                help="Spark: into how many shards the states are divided.  [default: one for each core]",
            ),
            click.option(
                "--spark-from",
                type=click.IntRange(min=1),
                metavar="N",
                help="Spark: a level with at least this many states is a job.  [default: 200000]",
            ),
        )
    ):
        command = option(command)
    return command


def cluster_of(
    master: str | None, conf: Sequence[str], shards: int | None = None, spark_from: int | None = None
) -> "Cluster":
    """Where Spark runs, from the options of the command line. UsageError if a setting is malformed."""
    from kafkacheck.checker.distributed import runs, spark

    widest = runs.SPARK_FROM if spark_from is None else spark_from
    return runs.Cluster(master, spark.parse_settings(conf), shards, widest, tell=lambda line: tell(f"note: {line}"))


def check_cluster_options(engine: str, *given: object) -> None:
    """UsageError if an option for Spark is given (not None or empty) and another engine is asked for."""
    names = ("--run-dir", "--master", "--conf", "--shards", "--spark-from")
    for name, value in zip(names, given, strict=True):
        if engine != "spark" and value not in (None, ()):
            raise UsageError(f"{name} is for --engine spark only; give that too, or leave out {name}")
