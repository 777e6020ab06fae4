"""Kills searches at random moments, damages what they keep, and resumes them: `python -m tests.chaos --kills 100`.

Every search must end with the answer that model/expected.toml pins, and with the same number of steps of each action
as a search that nobody disturbed. A table closes the run; the exit status is 1 at the first difference. `--seed`
chooses the same cases, moments and damages again, as far as the machine is as fast.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests import ROOT
from tests.expected import pinned

PATIENCE = 600
"""Seconds after which a search hangs, also on a busy machine."""
ORDERLY = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
UNFINISHED = 20
REFUSED = 2
PINNED = ("verdict", "property", "trace_states", "distinct", "generated", "depth")
ON_SPARK = ("--master", "local[2]", "--spark-from", "20000")


class DifferenceError(Exception):
    """A search that did not do what it must."""


@dataclass(frozen=True)
class Case:
    """A model of the catalogue and the engine that searches it."""

    model: str
    engine: str = "native"

    @property
    def is_native(self) -> bool:
        return self.engine == "native"

    def begin(self, folder: Path) -> list[str]:
        """The command that begins the search in a folder."""
        more = () if self.is_native else ("--engine", "spark", "--shards", "2", *ON_SPARK)
        return ["check", self.model, "--run-dir", str(folder), "--json", *more]

    def resume(self, folder: Path, *more: str) -> list[str]:
        """The command that goes on."""
        return ["resume", str(folder), "--json", *more, *(() if self.is_native else ON_SPARK)]


SMALL = ("replication.kip320", "replication.kip320_first_try", "metadata_quorum.disks")
LARGE = ("cluster.kraft", "cluster.convergence", "transactions.failover")
NATIVE = tuple(map(Case, (*SMALL, LARGE[0], *SMALL, LARGE[1], *SMALL, LARGE[2])))
SPARK = tuple(Case(name, "spark") for name in ("replication.kip320", "metadata_quorum.restarts", "replication.kip279"))


@dataclass
class Told:
    """What happened to the searches of a case, for the table."""

    kills: int = 0
    orderly: int = 0
    by_moment: Counter[str] = field(default_factory=Counter)
    damaged: int = 0
    refused: int = 0
    levels: int = 0
    searches: int = 0


@dataclass
class Answer:
    """What a search that nobody disturbed answered, and the seconds that the quickest one took."""

    facts: dict[str, object]
    seconds: float


class Chaos:
    """Kills and damages, drawn from a seed, until there were so many kills."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.told: dict[Case, Told] = {}
        self._answers: dict[Case, Answer] = {}

    def kill(self, cases: tuple[Case, ...], kills: int) -> None:
        """Kill searches of the cases in turn, so many times in all. DifferenceError where one answers otherwise."""
        left = kills
        while left > 0:
            for case in cases[: max(left, 1)]:
                left -= self.search(case, min(left, self.random.randint(1, 4)))
                if left <= 0:
                    break

    def search(self, case: Case, kills: int) -> int:
        """Kill one search up to so many times, and resume it to its end; how many times it was killed."""
        told = self.told.setdefault(case, Told())
        wanted = self._undisturbed(case)
        done = 0
        with tempfile.TemporaryDirectory(prefix="kafkacheck-chaos-") as place:
            folder = Path(place) / "run"
            for _ in range(kills):
                if not self._attack(case, folder, wanted, told):
                    break
                done += 1
                if self.random.random() < 0.25:
                    self._damage(case, folder, told)
            found = facts_of(self._ended(case, folder))
            if found != wanted.facts:
                raise DifferenceError(f"{case}: {differences(wanted.facts, found)}")
            told.searches += 1
        print(f"{case.engine} {case.model}: killed {done} times, then {found['verdict']}", flush=True)
        return done

    def _undisturbed(self, case: Case) -> Answer:
        """The answer of a search that nobody disturbs, which is compared with what is pinned."""
        if case not in self._answers:
            with tempfile.TemporaryDirectory(prefix="kafkacheck-chaos-") as place:
                began = time.perf_counter()
                facts = facts_of(self._ended(case, Path(place) / "run"))
                self._answers[case] = Answer(facts, time.perf_counter() - began)
            expected = pinned()[case.model]
            for name, value in facts.items():
                if name in PINNED and expected.get(name) != value:
                    raise DifferenceError(f"{case}: {name} is {value}, and {expected.get(name)} is pinned")
        return self._answers[case]

    def _ended(self, case: Case, folder: Path) -> dict:
        """The document of a search that is not disturbed (any more)."""
        with running(self._command(case, folder)) as process:
            out, errors = process.communicate(timeout=PATIENCE)
        try:
            return json.loads(out)
        except ValueError:
            raise DifferenceError(f"{case}: status {process.returncode}: {errors}") from None

    @staticmethod
    def _command(case: Case, folder: Path) -> list[str]:
        return case.resume(folder) if (folder / "run.json").exists() else case.begin(folder)

    def _attack(self, case: Case, folder: Path, wanted: Answer, told: Told) -> bool:
        """Begin or resume the search and kill it at some moment; whether it had not ended before that."""
        number = signal.SIGKILL if self.random.random() < 0.8 else self.random.choice(ORDERLY)
        moment = self.random.choices(("any", "writing", "start"), (5, 4, 1))[0]
        if not folder.exists() and moment == "start":
            moment = "any"
        began = time.perf_counter()
        with running(self._command(case, folder)) as process:
            if moment == "writing":
                wait_for_writing(folder, process, self.random.randint(1, 6))
                time.sleep(self.random.random() * 0.02)
            else:
                most = wanted.seconds * 0.9 if moment == "any" else 0.4
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(self.random.random() * most)
            if process.poll() is not None:
                if process.returncode == REFUSED:
                    raise DifferenceError(f"{case}: {process.communicate()[1]}")
                wanted.seconds = min(wanted.seconds, time.perf_counter() - began)
                return False
            if number == signal.SIGKILL:
                kill_all(process)
            else:
                process.send_signal(number)
            process.communicate(timeout=PATIENCE)
            if number != signal.SIGKILL and process.returncode == 70:
                raise DifferenceError(f"{case}: {signal.Signals(number).name} ended it with status 70")
        told.kills += 1
        told.orderly += number != signal.SIGKILL
        told.by_moment[moment] += 1
        told.levels += len(list((folder / "levels").glob("[0-9]*.json"))) > 0
        return True

    def _damage(self, case: Case, folder: Path, told: Told) -> None:
        """Damage the last written file: the next command must name it, or find the same without it."""
        if not (folder / "run.json").exists():
            return
        files = [path for path in folder.rglob("*") if path.is_file() and path.suffix in (".arrow", ".json", ".ll")]
        path = max(files, key=lambda each: each.stat().st_mtime_ns)
        whole = path.read_bytes()
        path.write_bytes(damaged(whole, self.random))
        told.damaged += 1
        with running(case.resume(folder, "--max-states", "1")) as process:
            errors = process.communicate(timeout=PATIENCE)[1]
        if process.returncode != REFUSED:
            return
        told.refused += 1
        if path.name not in errors:
            raise DifferenceError(f"{case}: {path.name} is damaged and not named: {errors}")
        if case.is_native and path.name != "run.json" and self.random.random() < 0.7:
            with running(case.resume(folder, "--redo-damaged", "--max-states", "1")) as process:
                errors = process.communicate(timeout=PATIENCE)[1]
            if process.returncode == REFUSED:
                raise DifferenceError(f"{case}: --redo-damaged is refused: {errors}")
        else:
            path.write_bytes(whole)


def facts_of(document: dict) -> dict[str, object]:
    """What must not change, of the JSON document of a check."""
    facts = {
        "verdict": document["verdict"],
        "property": document["property"],
        "distinct": document["states_distinct"],
        "generated": document["states_generated"],
        "excluded": document["states_excluded"],
        "depth": document["depth"],
        "actions": document["actions"],
        "unmet": document["unmet"],
    }
    if document["trace"] is not None:
        facts["trace_states"] = len(document["trace"])
    return facts


def differences(wanted: dict[str, object], found: dict[str, object]) -> str:
    """What is different, in words."""
    names = sorted({*wanted, *found})
    each = [f"{name} is {found.get(name)}, not {wanted.get(name)}" for name in names]
    return "; ".join(text for name, text in zip(names, each, strict=True) if wanted.get(name) != found.get(name))


def damaged(content: bytes, chance: random.Random) -> bytes:
    """The content cut off somewhere, or with one bit flipped."""
    place = chance.randrange(max(len(content), 1))
    if chance.random() < 0.5 or not content:
        return content[:place]
    return content[:place] + bytes([content[place] ^ (1 << chance.randrange(8))]) + content[place + 1 :]


@contextlib.contextmanager
def running(arguments: list[str]) -> "Iterator[subprocess.Popen[str]]":
    """The command as a process, in a session of its own, all of which is killed on leaving."""
    process = subprocess.Popen(
        [sys.executable, "-m", "checker", *arguments], cwd=ROOT, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        kill_all(process)
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()


def kill_all(process: "subprocess.Popen[str]") -> None:
    """Kill a process and what it started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        for each in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def wait_for_writing(folder: Path, process: "subprocess.Popen[str]", times: int) -> None:
    """Wait until files have begun to be written so many times, or the process has ended."""
    until = time.monotonic() + PATIENCE
    for _ in range(times):
        before = names_in(folder)
        while names_in(folder) <= before:
            if process.poll() is not None or time.monotonic() > until:
                return
            time.sleep(0.001)


def names_in(folder: Path) -> set[str]:
    """The names of what lies in the folders of levels, temporary files too."""
    found = set()
    for each in (folder / "shards", folder / "levels"):
        with contextlib.suppress(OSError):
            found |= {f"{each.name}/{name}" for name in os.listdir(each)}
    return found


def table(told: dict[Case, Told]) -> str:
    """What was done to each case."""
    head = ("search", "ended", "kills", "orderly", "any time", "writing", "start", "levels kept", "damaged", "refused")
    rows = [head]
    for case, each in told.items():
        moments = [each.by_moment[name] for name in ("any", "writing", "start")]
        numbers = (each.searches, each.kills, each.orderly, *moments, each.levels, each.damaged, each.refused)
        rows.append((f"{case.engine} {case.model}", *map(str, numbers)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=100, help="how many kills there are in all (default: 100)")
    parser.add_argument("--spark", type=int, help="how many of them hit a search on Spark (default: 3 of 10)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="what chance is drawn from")
    given = parser.parse_args(arguments)
    on_spark = given.kills * 3 // 10 if given.spark is None else min(given.spark, given.kills)
    chaos = Chaos(given.seed)
    print(
        f"seed {given.seed}: {given.kills - on_spark} kills of searches in one process, {on_spark} on Spark", flush=True
    )
    try:
        chaos.kill(NATIVE, given.kills - on_spark)
        chaos.kill(SPARK, on_spark)
    except (DifferenceError, subprocess.TimeoutExpired) as error:
        print(table(chaos.told))
        print(f"seed {given.seed}: DIFFERENT: {error}")
        return 1
    print(table(chaos.told))
    kills = sum(each.kills for each in chaos.told.values())
    print(f"seed {given.seed}: {kills} of {kills} kills: every search ended as a search that nobody disturbs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
