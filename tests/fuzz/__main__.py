"""Compare random programs in all readings, as long as it takes, and go on after any end where it was.

    python -m tests.fuzz --programs 100000 --proofs 5000 --spark 200 --out DIR

The same command goes on with the run in DIR. The first difference ends it with status 1, and its program is
`DIR/difference_<kind>_<seed>_<number>.py`, which `python -m checker` takes. Status 2: the command is wrong; 3: a
comparison ended without an answer.
"""

import argparse
import contextlib
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from tests import ROOT
from tests.fuzz import programs
from tests.fuzz.comparing import Totals, compiled_programs, spark_programs
from tests.fuzz.ledger import Entry, Ledger
from tests.fuzz.programs import DifferenceError
from tests.fuzz.proving import proved_programs

DIFFERENT = 10
"""The status of a process that has found a difference; Python itself ends with 1 where its code fails."""


@dataclass(frozen=True)
class Kind:
    """A comparison: how the programs of a seed are compared, and how many seeds one process does."""

    compare: Callable[[int, Path], Totals]
    seeds: int


KINDS = {
    "compiled": Kind(compiled_programs, 100),
    "proofs": Kind(proved_programs, 25),
    "spark": Kind(spark_programs, 10),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command; its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description="Compare random programs in all readings."
    )
    parser.add_argument("--programs", type=int, default=0, help="how many to compare interpreted and compiled, in all")
    parser.add_argument(
        "--proofs", type=int, default=0, help="how many to compare with proofs and bounded checks, in all"
    )
    parser.add_argument("--spark", type=int, default=0, help="how many to compare with Spark, in all")
    parser.add_argument("--out", type=Path, help="the folder of the run (default: one that is gone afterwards)")
    parser.add_argument("--seed", type=int, default=0, help="where a new run begins (default: 0)")
    parser.add_argument("--processes", type=int, default=1, help="how many processes work (default: 1)")
    parser.add_argument("--range", type=int, help="how many seeds one process does, and a line of the ledger tells of")
    parser.add_argument("--worker", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.range is not None and given.range < 1:
        parser.error(f"--range {given.range}: a process does at least one seed")
    if min(given.programs, given.proofs, given.spark, given.seed) < 0 or given.processes < 1:
        parser.error("numbers of programs and the seed are at least 0, the number of processes at least 1")
    with contextlib.ExitStack() as until_the_end:
        folder = given.out or Path(until_the_end.enter_context(tempfile.TemporaryDirectory()))
        if given.worker:
            kind, first, last = given.worker
            return work(kind, range(int(first), int(last)), folder)
        return run({"compiled": given.programs, "proofs": given.proofs, "spark": given.spark}, folder, given)


def run(wanted: dict[str, int], folder: Path, given: argparse.Namespace) -> int:
    """Add to the ledger of a folder until so many programs of each kind were compared; the exit status."""
    ledger, status = Ledger(folder), 0
    for line in ledger.lines():
        print(f"so far {line}", flush=True)
    with ThreadPoolExecutor(given.processes) as threads:
        begun = {kind: ledger.next_seed(kind, given.seed) for kind in KINDS}
        planned: Counter[str] = Counter({kind: ledger.programs(kind) for kind in KINDS})
        running: dict[Future[tuple[int, Totals]], tuple[str, int, int]] = {}
        while status == 0:
            while len(running) < given.processes and (kind := _next_kind(wanted, planned)):
                first, last = begun[kind], begun[kind] + (given.range or KINDS[kind].seeds)
                begun[kind] = last
                planned[kind] += last - first  # there are more; corrected when it is done
                running[threads.submit(_process, kind, first, last, folder)] = (kind, first, last)
            if not running:
                break
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for each in done:
                kind, first, last = running.pop(each)
                status, totals = each.result()
                planned[kind] += totals["programs"] - (last - first)
                if status:
                    print(f"{kind}: stopped among the seeds {first}..{last - 1}", flush=True)
                    break
                ledger.add(Entry(kind, first, last, programs.digest(), totals))
                print(f"{kind}: {ledger.programs(kind):,} of {wanted[kind]:,} programs", flush=True)
    for line in ledger.lines():
        print(line, flush=True)
    ends = {0: "no difference", 1: f"a difference: see {folder}"}
    print(ends.get(status, "a comparison ended without an answer: give the same command to go on"), flush=True)
    return status


def _next_kind(wanted: dict[str, int], planned: Counter[str]) -> str | None:
    """The kind that is furthest from its number, None where all have come to it."""
    open_kinds = [kind for kind, number in wanted.items() if planned[kind] < number]
    return min(open_kinds, key=lambda kind: planned[kind] / wanted[kind], default=None)


def _process(kind: str, first: int, last: int, folder: Path) -> tuple[int, Totals]:
    """Compare a range of seeds in a process of its own, which may die of what it compares: its status and totals."""
    command = [sys.executable, "-m", "tests.fuzz", "--worker", kind, str(first), str(last), "--out", str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode == 0:
        return 0, Counter(json.loads(done.stdout.splitlines()[-1]))
    print(done.stdout, end="", flush=True)
    if done.returncode != DIFFERENT:
        at = folder / f"at_{kind}_{first}"
        seed = at.read_text() if at.exists() else f"{first} or later"
        print(f"{kind}: the process ended with status {done.returncode} at seed {seed}", flush=True)
    return (1 if done.returncode == DIFFERENT else 3), Counter()


def work(kind: str, seeds: range, folder: Path) -> int:
    """Compare the programs of some seeds in this process; print the totals as JSON, or save the first difference."""
    totals: Totals = Counter()
    at = folder / f"at_{kind}_{seeds.start}"
    with _environment(kind), tempfile.TemporaryDirectory() as scratch:
        gc.freeze()
        gc.disable()  # what a program leaves behind is looked for once a seed, and not while it is compared
        begun = time.process_time()
        for seed in seeds:
            at.write_text(str(seed))
            try:
                totals += KINDS[kind].compare(seed, Path(scratch))
            except DifferenceError as difference:
                path = folder / f"difference_{kind}_{seed}_{difference.number}.py"
                path.write_text(difference.text, encoding="utf-8")
                print(f"{kind}: {difference}\nthe program is {path}")
                return DIFFERENT
            gc.collect()
        totals["cpu"] = round(1000 * (time.process_time() - begun))
    at.unlink()
    print(json.dumps(totals))
    return 0


@contextlib.contextmanager
def _environment(kind: str) -> Iterator[None]:
    """What comparisons of a kind need in their process."""
    if kind != "spark":
        yield
        return
    from kafkacheck.checker.distributed import spark

    with spark.session("local[2]", {"spark.sql.shuffle.partitions": "2"}):
        yield


if __name__ == "__main__":
    sys.exit(main())
