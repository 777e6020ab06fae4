"""Measures speed and memory, and compares with other model checkers that are installed.

    python -m tests.bench [--bounds 3/2/2/2 --bounds ...] [--large] [--runs N] [--patient]
                          [--tla2tools JAR --kafka-specification DIR]

Everything is measured in one go, the engines taking turns, and given as the median of several runs. CPU seconds are
user and system time as the operating system counts them. The exit status is 1 where engines disagree on a count.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.bench import ours
from tests.bench.measure import BenchmarkError, Bounds, Search, Usage, middle, run
from tests.bench.rivals import Rival, Rumur, Spin, Tlc

US = "kafkacheck"
SMALL, MEDIUM, LARGE = Bounds(3, 2, 2, 2), Bounds(3, 3, 3, 2), Bounds(3, 2, 2, 3)
ENOUGH_SECONDS = 30.0
"""An engine that used this much CPU at some bounds is not run there again."""
CLUSTER = ("cluster.zookeeper", "cluster.kraft", "cluster.three")
CLUSTER_HEAD = ("model", "distinct", "generated", "CPU s", "distinct/CPU s", "bytes/state", "ratio")
VIOLATED = 12
"""The exit status of a check that finds an invariant violated."""


def bounds_from(text: str) -> Bounds:
    """Bounds as written on the command line."""
    try:
        return Bounds(*map(int, text.split("/")))
    except (TypeError, ValueError):
        message = f"{text!r} is not of the form 3/2/2/2: replicas, log size, records, largest leader epoch"
        raise argparse.ArgumentTypeError(message) from None


def arguments_from(given: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--bounds", type=bounds_from, action="append", metavar="R/L/R/E", help=f"[{SMALL} and {MEDIUM}]"
    )
    parser.add_argument("--large", action="store_true", help=f"also {LARGE}: ten million states")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="how often each engine explores [5]")
    parser.add_argument(
        "--patient", action="store_true", help="run Rumur and TLC at all bounds, not at the first alone"
    )
    parser.add_argument("--tla2tools", type=Path, metavar="JAR", help="TLC, to be run beside")
    parser.add_argument(
        "--kafka-specification", type=Path, metavar="DIR", help="a checkout of the public TLA+ specification, for TLC"
    )
    arguments = parser.parse_args(given)
    if (arguments.tla2tools is None) != (arguments.kafka_specification is None):
        parser.error("TLC needs both --tla2tools and --kafka-specification")
    if arguments.tla2tools is not None and not arguments.tla2tools.is_file():
        parser.error(f"--tla2tools: there is no file {arguments.tla2tools}")
    if arguments.kafka_specification is not None and not (arguments.kafka_specification / "Kip320.tla").is_file():
        parser.error(f"--kafka-specification: there is no Kip320.tla in {arguments.kafka_specification}")
    if arguments.runs < 1:
        parser.error(f"--runs {arguments.runs}: at least one")
    arguments.bounds = arguments.bounds or [SMALL, MEDIUM]
    if arguments.large:
        arguments.bounds.append(LARGE)
    return arguments


def rivals(arguments: argparse.Namespace) -> list[type[Rival]]:
    """The rivals that can be run here; says of the others why not."""
    available: list[type[Rival]] = []
    for rival in (Spin, Rumur, Tlc):
        missing = rival.missing()
        if rival is Tlc and arguments.tla2tools is None:
            print("TLC is left out: give --tla2tools and --kafka-specification")
        elif missing:
            print(f"{rival.name} is left out: not installed: {', '.join(missing)}")
        else:
            available.append(rival)
    if arguments.tla2tools is not None:
        Tlc.tla2tools = arguments.tla2tools.resolve()
        Tlc.specification = arguments.kafka_specification.resolve()
    return available


def compare(bounds: Bounds, contenders: list[type[Rival]], runs: int) -> bool:
    """Explore `kip320` at `bounds` by every engine, print the table; whether all counts agree."""
    first = ours.explored("kip320", bounds)
    built = [rival(bounds, first.distinct) for rival in contenders]
    try:
        for rival in built:
            rival.build()
        engines: dict[str, Callable[[], Search]] = {US: lambda: ours.explored("kip320", bounds)}
        engines.update({rival.name: rival.explore for rival in built})
        searches: dict[str, list[Search]] = {name: [] for name in engines}
        for _ in range(runs):
            for name, explore in engines.items():
                if sum(each.cpu for each in searches[name]) < ENOUGH_SECONDS:
                    searches[name].append(explore())
    finally:
        for rival in built:
            rival.close()
    print_table(bounds, searches)
    return agree({name: middle(found) for name, found in searches.items()})


def print_table(bounds: Bounds, searches: dict[str, list[Search]]) -> None:
    """One line an engine: medians, and how many times the CPU and wall time of ours it takes."""
    us = middle(searches[US])
    print(f"\nkip320 at {bounds}: {us.distinct:,} distinct, {us.generated:,} generated, depth {us.depth}")
    head = ("engine", "runs", "CPU s", "wall s", "distinct/CPU s", "bytes/state", "CPU ratio", "wall ratio")
    print(("{:12}" + "{:>6}" + "{:>10}" * 2 + "{:>16}" + "{:>13}" + "{:>12}" * 2).format(*head))
    for name, found in searches.items():
        one = middle(found)
        print(
            f"{name:12}{len(found):6}{one.cpu:10.3f}{one.wall:10.3f}{one.distinct / one.cpu:16,.0f}"
            f"{one.memory / one.distinct:13.0f}{one.cpu / us.cpu:12.2f}{one.wall / us.wall:12.2f}"
        )


def agree(found: dict[str, Search]) -> bool:
    """Print and return whether all engines counted the same."""
    us = found[US]
    different = [
        f"{name}: {one.distinct:,} distinct, {one.generated} generated"
        for name, one in found.items()
        if one.distinct != us.distinct or one.generated not in (None, us.generated)
    ]
    if different:
        print(f"COUNTS DIFFER from {US}: {'; '.join(different)}")
    elif len(found) > 1:
        print(f"counts agree: {', '.join(found)}")
    return not different


def cluster_models(runs: int) -> None:
    """Explore models of the message-level cluster at their own bounds, beside `kip320` at the smallest ones."""
    names = {f"kip320 at {SMALL}": ("kip320", SMALL), **{name: (name, None) for name in CLUSTER}}
    found = {title: middle([ours.explored(*given) for _ in range(runs)]) for title, given in names.items()}
    rate = next(one.distinct / one.cpu for one in found.values())
    print("\nthe cluster's models, message by message, at their own bounds")
    print(("{:22}" + "{:>11}" * 2 + "{:>8}{:>16}{:>13}{:>8}").format(*CLUSTER_HEAD))
    for title, one in found.items():
        print(
            f"{title:22}{one.distinct:11,}{one.generated:11,}{one.cpu:8.2f}{one.distinct / one.cpu:16,.0f}"
            f"{one.memory / one.distinct:13.0f}{one.distinct / one.cpu / rate:8.2f}"
        )


def whole_commands(runs: int) -> None:
    """Measure whole commands: with a warm cache, and from a cold start without any."""
    check = [sys.executable, "-m", "checker", "check"]
    print("\nwhole commands, medians (CPU s, wall s)")
    with tempfile.TemporaryDirectory(prefix="kafkacheck-bench-") as cache:
        environment = {"KAFKACHECK_CACHE": cache}
        run([*check, "kip320"], environment=environment)
        warm = [run([*check, "kip320"], environment=environment) for _ in range(runs)]
        print_command("kafkacheck check kip320, warm cache", warm)
    for name in ("kip320", "kip101"):
        cold = []
        for _ in range(runs):
            with tempfile.TemporaryDirectory(prefix="kafkacheck-bench-") as cache:
                cold.append(run([*check, name], environment={"KAFKACHECK_CACHE": cache}, statuses=(0, VIOLATED)))
        print_command(f"kafkacheck check {name}, no cache", cold)


def print_command(title: str, used: list[Usage]) -> None:
    """One line for several runs of a command, with the last line it printed."""
    cpu = sorted(each.cpu for each in used)[len(used) // 2]
    wall = sorted(each.wall for each in used)[len(used) // 2]
    print(f"{title:42}{cpu:8.2f}{wall:8.2f}   {used[-1].output.strip().splitlines()[-1]}")


def main(given: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    arguments = arguments_from(given)
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores")
    print(f"load before: {', '.join(f'{load:.1f}' for load in os.getloadavg())}; medians, engines taking turns")
    available = rivals(arguments)
    agreed = True
    try:
        for place, bounds in enumerate(arguments.bounds):
            patient = place == 0 or arguments.patient
            contenders = [rival for rival in available if patient or rival is Spin]
            agreed &= compare(bounds, contenders, arguments.runs)
        cluster_models(arguments.runs)
        whole_commands(arguments.runs)
    except BenchmarkError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
