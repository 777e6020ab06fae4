"""Runs commands and says what they used, as the operating system counted it for that process and its children."""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

MAXRSS_UNIT = 1 if sys.platform == "darwin" else 1024


class Bounds(NamedTuple):
    """The bounds of the replication models, written 3/2/2/2."""

    replicas: int
    log_size: int
    max_records: int
    max_leader_epoch: int

    def __str__(self) -> str:
        return "/".join(str(value) for value in self)


class BenchmarkError(Exception):
    """A measurement that cannot be trusted: a tool that failed, or counts that differ."""


@dataclass(frozen=True)
class Usage:
    """What one command used, and what it printed. `cpu` is user and system time, `memory` the peak in bytes."""

    cpu: float
    wall: float
    memory: int
    output: str
    status: int


@dataclass(frozen=True)
class Search:
    """One exploration by one engine. `memory` is in bytes; `generated` and `depth` are None where not comparable."""

    distinct: int
    cpu: float
    wall: float
    memory: float
    generated: int | None = None
    depth: int | None = None


def run(
    command: Sequence[str | Path],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    statuses: Iterable[int] = (0,),
) -> Usage:
    """Run a command to its end. BenchmarkError where its exit status is none of `statuses`."""
    with tempfile.TemporaryFile("w+") as output:
        began = perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _, code, used = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGKILL)
            process.wait()
            raise
        wall = perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(code)
        output.seek(0)
        text = output.read()
    if process.returncode not in statuses:
        shown = " ".join(str(part) for part in command)
        raise BenchmarkError(f"`{shown}` ended with status {process.returncode}:\n{text[-2000:]}")
    return Usage(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * MAXRSS_UNIT, text, process.returncode)


def middle(searches: Sequence[Search]) -> Search:
    """The medians of several explorations. BenchmarkError where they did not find the same."""
    if len({(each.distinct, each.generated, each.depth) for each in searches}) != 1:
        raise BenchmarkError(f"runs of one engine disagree: {searches}")
    first = searches[0]
    cpu, wall, memory = (
        statistics.median(getattr(each, name) for each in searches) for name in ("cpu", "wall", "memory")
    )
    return Search(first.distinct, cpu, wall, memory, first.generated, first.depth)
