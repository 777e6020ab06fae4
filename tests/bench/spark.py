"""Measures searches on Spark beside the compiled reading, in one go.

    python -m tests.bench.spark [--bounds 3/2/2/2 --bounds ...] [--shards 2 --shards 4 ...] [--spark-from N] [--levels]

CPU seconds are those of all processes together: the driver, Java, and Spark's Python workers, looked at ten times a
second; what a process used after the last look before it ended is missed. Closes with what 10^9 and 10^11 states would
need, reckoned from the last run. The exit status is 1 where counts differ.
"""

import argparse
import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from kafkacheck.checker.checkpoints.run_directory import RunDirectory
from tests.bench import ours
from tests.bench.__main__ import bounds_from
from tests.bench.measure import BenchmarkError, Bounds, Search

SMALL, MEDIUM, LARGE = Bounds(3, 2, 2, 2), Bounds(3, 3, 3, 2), Bounds(3, 2, 2, 3)
MASTER = "local[2]"
SECONDS_BETWEEN_LOOKS = 0.1


@dataclass(frozen=True)
class Run:
    """One search on Spark.

    CPU seconds by kind of process; bytes in all; `widest` is the number of states of the widest level; a
    (level, states, seconds) per Spark job.
    """

    search: Search
    cpu: dict[str, float]
    sent: int
    on_disk: int
    widest: int
    jobs: list[tuple[int, int, float]]


def explored(bounds: Bounds, shards: int, spark_from: int) -> Run:
    """Search kip320 at some bounds on Spark, in a process of its own. BenchmarkError where that fails."""
    with tempfile.TemporaryDirectory(prefix="kafkacheck-bench-") as place:
        folder = Path(place) / "run"
        command = [sys.executable, "-m", "checker", "check", "kip320", "--engine", "spark", "--master", MASTER]
        command += ["--shards", str(shards), "--spark-from", str(spark_from), "--run-dir", str(folder), "--json"]
        for name, value in bounds._asdict().items():
            command += ["--set", f"{name}={value}"]
        began = time.perf_counter()
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            cpu = _cpu_until_it_ends(process)
            output = process.stdout.read() if process.stdout else ""
            if process.returncode != 0:
                errors.seek(0)
                raise BenchmarkError(f"`{' '.join(command)}` ended with {process.returncode}:\n{errors.read()[-2000:]}")
        wall = time.perf_counter() - began
        answer = json.loads(output)
        run = RunDirectory(folder)
        levels = [run.level(number) for number in run.committed()]
        on_disk = sum(path.stat().st_size for path in run.shards.iterdir())
    found = answer["states_distinct"], answer["states_generated"], answer["depth"]
    search = Search(found[0], sum(cpu.values()), wall, 0, found[1], found[2])
    jobs = [
        (level.number, before.states, level.seconds)
        for before, level in itertools.pairwise(levels)
        if level.sent and before.states >= spark_from
    ]
    widest = max(level.states for level in levels)
    return Run(search, cpu, sum(level.sent for level in levels), on_disk, widest, jobs)


def _cpu_until_it_ends(process: "subprocess.Popen[str]") -> dict[str, float]:
    """The CPU seconds of a process and all that it starts, by kind, until it ends."""
    seen: dict[int, tuple[str, float]] = {}
    root = psutil.Process(process.pid)
    while process.poll() is None:
        try:
            for each in (root, *root.children(recursive=True)):
                kind = "driver" if each.pid == root.pid else "java" if each.name() == "java" else "workers"
                used = each.cpu_times()
                seen[each.pid] = (kind, used.user + used.system)
        except psutil.Error:
            pass
        time.sleep(SECONDS_BETWEEN_LOOKS)
    total: Counter[str] = Counter()
    for kind, seconds in seen.values():
        total[kind] += seconds
    return {kind: total[kind] for kind in ("driver", "java", "workers")}


def arguments_from(given: Sequence[str] | None) -> argparse.Namespace:
    """The parsed command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.spark", description=__doc__.split("\n")[0])
    parser.add_argument(
        "--bounds", type=bounds_from, action="append", metavar="R/L/R/E", help=f"[{SMALL} {MEDIUM} {LARGE}]"
    )
    parser.add_argument("--shards", type=int, action="append", metavar="N", help="[2]")
    parser.add_argument("--spark-from", type=int, default=40_000, metavar="N", help="[40000]")
    parser.add_argument("--levels", action="store_true", help="also print every Spark job")
    arguments = parser.parse_args(given)
    arguments.bounds = arguments.bounds or [SMALL, MEDIUM, LARGE]
    arguments.shards = arguments.shards or [2]
    return arguments


HEAD = ("shards", "CPU s", "driver", "java", "workers", "wall s", "us/state", "CPU ratio", "sent/state", "disk/state")


def print_row(name: str, cells: Sequence[object]) -> None:
    """One line of the table; a float with two digits."""
    texts = [f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells]
    print(f"{name:10}" + "".join(f"{text:>11}" for text in texts))


def print_run(run: Run, shards: int, native: Search, with_levels: bool) -> None:
    """The line of a search on Spark; bytes are for each distinct state."""
    one, count = run.search, run.search.distinct
    used = (one.cpu, run.cpu["driver"], run.cpu["java"], run.cpu["workers"], one.wall, 1e6 * one.cpu / count)
    print_row("spark", (shards, *used, one.cpu / native.cpu, round(run.sent / count), round(run.on_disk / count)))
    for level, states, seconds in run.jobs if with_levels else ():
        print(
            f"  level {level:3}: {states:9,} states expanded in {seconds:6.2f} s, {1e6 * seconds / states:8.2f} us each"
        )


STATES_PER_SHARD = 100_000_000
"""How many states a shard may have in the reckoning: a few gigabytes of files, and memory as reckoned."""
SUCCESSOR_COPIES = 4
"""How often the successors that come to a shard lie in memory at the most: as they came, together, sorted, new."""


def print_reckoning(run: Run) -> None:
    """What larger spaces would need, if all figures for a state stayed as they were in a run."""
    count = run.search.distinct
    cpu, sent, disk = run.search.cpu / count, run.sent / count, run.on_disk / count
    share = run.widest / count
    print(
        f"\nreckoned from the last run: {1e6 * cpu:.2f} us, {sent:.0f} bytes sent and {disk:.0f} on disk for a state;"
    )
    print(f"{100 * share:.0f} per cent of all states in the widest level; shards of {STATES_PER_SHARD:,} states")
    print_row("states", ("shards", "CPU hours", "GB on disk", "GB sent", "GB/shard", "GB memory"))
    for states in (10**9, 10**11):
        shards = states // STATES_PER_SHARD
        memory = STATES_PER_SHARD * share * sent * SUCCESSOR_COPIES
        sizes = (states * disk / 1e9, states * sent / 1e9, STATES_PER_SHARD * disk / 1e9, memory / 1e9)
        print_row(f"{states:.0e}", (shards, states * cpu / 3600, *sizes))


def main(given: Sequence[str] | None = None) -> int:
    """Run the benchmark; the exit status."""
    arguments = arguments_from(given)
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, Spark on {MASTER}")
    print(f"load before: {', '.join(f'{load:.1f}' for load in os.getloadavg())}; one run each, native beside")
    agreed = True
    for bounds in arguments.bounds:
        native = ours.explored("kip320", bounds)
        counts = (native.distinct, native.generated, native.depth)
        print("\nkip320 at {}: {:,} distinct, {:,} generated, depth {}".format(bounds, *counts))
        print_row("engine", HEAD)
        each = 1e6 * native.cpu / native.distinct
        print_row("compiled", ("", native.cpu, native.cpu, "", "", native.wall, each, 1.0, "", ""))
        for shards in arguments.shards:
            run = explored(bounds, shards, arguments.spark_from)
            agreed &= (run.search.distinct, run.search.generated, run.search.depth) == counts
            print_run(run, shards, native, arguments.levels)
    print_reckoning(run)
    print("counts agree" if agreed else "COUNTS DIFFER")
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
