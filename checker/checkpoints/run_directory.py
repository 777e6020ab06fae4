"""A run directory: the files of a distributed search, which can be killed at any time and resumed.

    run.json              the task: the model and how to find it, its identity, the number of shards
    lock                  held by the process that continues the run
    kernel.ll             the text of the kernel, for the processes that run it
    levels/000012.json    a level found whole: its counts, and the files of each shard with sizes and checksums
    shards/*.arrow        states, as `checker.checkpoints.blocks` writes them

A level exists once its file in `levels` does, which is written last, under another name first. Files in `shards` that
no level names were left by attempts that did not finish; they are removed as the search goes on.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import time
import uuid
import zlib
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import IO, Any, NamedTuple

from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.blocks import Block
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from kafkacheck.checker.process.files import atomic_write, make_folder

FORMAT = "kafkacheck run"
VERSION = 3
SECONDS_TO_END = 5.0
"""How long another process that continues the run is waited for: it may be about to end."""


class DamagedRunError(KafkacheckError):
    """A file of a run directory that is missing or is not as it was written (exit status 2)."""


class File(NamedTuple):
    """A file in `shards`: its name, how many states it has, its length in bytes, its CRC-32."""

    name: str
    states: int
    length: int
    checksum: int


class Shard(NamedTuple):
    """A shard after a level: its part of the level, and the runs in which all its visited states are."""

    level: File
    visited: tuple[File, ...]


Violation = tuple[int, int, int, int, bool]
"""The number of a property, and its first violation: the level, shard and row of the state, and whether a successor of
that state violates it. Level 0: an initial state outside the constraint violates it."""


class Summary(NamedTuple):
    """The counts up to a level, including those of expanding the level before, as in `Exploration`.

    `generated`, `excluded` and `fired` count all levels. `met` are the numbers of the `sometimes` properties with an
    example. `violated` has the first violation of each property, `deadlock` the level, shard and row of the first state
    without an enabled action.
    """

    generated: int
    excluded: int
    fired: tuple[int, ...]
    met: tuple[int, ...] = ()
    violated: tuple[Violation, ...] = ()
    deadlock: tuple[int, int, int] | None = None


class Committed(NamedTuple):
    """A level found whole, with the seconds it took and the bytes of successors that shards sent each other for it.

    `summary` is None for a level that was found before the search was handed over; the last of those levels has one. If
    the last level has none, the hand-over was not finished.
    """

    number: int
    shards: tuple[Shard, ...]
    summary: Summary | None
    seconds: float
    sent: int = 0

    @property
    def states(self) -> int:
        """How many states the level has."""
        return sum(shard.level.states for shard in self.shards)


class RunDirectory:
    """The run directory at `path`."""

    engine = "spark"
    """Which engine keeps such a run."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def kernel(self) -> Path:
        """The file with the text of the kernel."""
        return self.path / "kernel.ll"

    @property
    def shards(self) -> Path:
        """The folder of the files that hold states."""
        return self.path / "shards"

    def check_writable(self) -> None:
        """UsageError if the run cannot be continued, because nothing can be written into its folder."""
        if self.path.is_dir() and not os.access(self.path, os.W_OK | os.X_OK):
            raise UsageError(
                f"{self.path} cannot be written, and a search that goes on writes into it; copy it to a place that can "
                f"be written, or write the state graph of what it has: kafkacheck explore {self.path} --out DIR, with "
                "--model FILE as you gave it here, if you did"
            )

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes from continuing the run. UsageError if one does so now."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW  # or the target of a link would be truncated
        with open(os.open(self.path / "lock", flags, 0o666), "w") as file:
            self._lock(file, fcntl.LOCK_EX)
            yield

    @contextlib.contextmanager
    def read_only(self) -> Iterator[None]:
        """As `locked`, without writing anything: if there is no lock to hold, nobody is kept from continuing."""
        with contextlib.ExitStack() as held:
            with contextlib.suppress(OSError):  # a folder from elsewhere has none, and the system may know no locks
                self._lock(held.enter_context(open(self.path / "lock")), fcntl.LOCK_SH)
            yield

    def _lock(self, file: IO[str], kind: int) -> None:
        """A process that was killed just now may need a moment to end with its children."""
        until = time.monotonic() + SECONDS_TO_END
        while True:
            try:
                return fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise UsageError(
                        f"{self.path} is being continued by another process; wait for it, or end it"
                    ) from None
                time.sleep(0.05)

    def create(self, about: dict[str, Any], kernel: str | None) -> None:
        """Begin a run, described by `about`, which is given the run's name. UsageError if one is there already.

        The kernel's text is for other processes; None if there are none.
        """
        if self._about.exists():
            raise UsageError(
                f"{self.path} holds a run already; continue it with `kafkacheck resume {self.path}`, or name another "
                "folder"
            )
        if self.path.is_dir() and not self._is_hardly_begun():
            raise UsageError(f"{self.path} is not empty and holds no run; name a new folder")
        for folder in (self.path, self.shards, self._levels):
            make_folder(folder)
        about["run"] = uuid.uuid4().hex
        if kernel is not None:
            self.write_kernel(kernel)
        self.describe(about)
        for folder in (self.path, self.path.parent):
            sync(folder)

    def _is_hardly_begun(self) -> bool:
        """Whether the folder has only files that are made before `run.json`, by a process that was killed."""
        own = {self.shards, self._levels, self.kernel}
        return all(
            (each in own and not (each.is_dir() and any(each.iterdir()))) or each.name.startswith(".kafkacheck-")
            for each in self.path.iterdir()
        )

    def kernel_text(self, name: str) -> str:
        """The text of the kernel of that name, see `kernel_name`. DamagedRunError if another one is there."""
        text = self.kernel.read_text(encoding="utf-8", errors="replace")
        if kernel_name(text) != name:
            raise damaged(self.kernel, "it is not the text of the kernel that is searched with")
        return text

    def write_kernel(self, text: str) -> None:
        """Write the text of the kernel, anew if it is there."""
        atomic_write(self.kernel, text)

    def describe(self, about: dict[str, Any]) -> None:
        """Write the description of the run anew."""
        atomic_write(self._about, sealed({"format": FORMAT, "version": VERSION, "engine": self.engine, **about}))

    def about(self) -> dict[str, Any]:
        """The description of the run. UsageError if the folder has no run of this engine that can be read."""
        data = self.described()
        if data["engine"] != self.engine:
            raise UsageError(
                f"{self.path} holds a run by the engine {data['engine']}, and one by {self.engine} is needed here; "
                f"`kafkacheck resume {self.path}` goes on with either"
            )
        return data

    def described(self) -> dict[str, Any]:
        """The description of a run of any engine. UsageError if there is none that this program can read."""
        if not self._about.is_file():
            raise UsageError(f"{self.path} holds no run (no {self._about.name}); name the folder given as --run-dir")
        links = [path.name for path in (self._about, self.shards, self._levels) if path.is_symlink()]
        if links:
            raise UsageError(
                f"{self.path / links[0]} is a link, which may lead out of the run; put what it leads to in its place"
            )
        data = unsealed(self._about)
        if data.get("format") != FORMAT or data.get("version") != VERSION:
            raise UsageError(
                f"{self._about} has format {data.get('format')!r} and version {data.get('version')!r}; this program "
                f"reads {FORMAT!r}, version {VERSION}; resume it with the kafkacheck that wrote it"
            )
        return {"engine": RunDirectory.engine, **data}

    def commit(self, level: Committed) -> None:
        """Make a level exist, whose files are all written. UsageError if that fails."""
        data = {
            "level": level.number,
            "run": self._name,
            "states": level.states,
            "seconds": round(level.seconds, 3),
            "sent": level.sent,
            "summary": None if level.summary is None else level.summary._asdict(),
            "shards": [{"level": shard.level, "visited": shard.visited} for shard in level.shards],
        }
        self._commit(level.number, data)

    def _commit(self, number: int, data: dict[str, Any]) -> None:
        """Write the file of a level, after the disk has the names of its files."""
        for folder in (self.shards, self._levels):
            sync(folder)
        atomic_write(self._level_file(number), sealed(data))
        sync(self._levels)

    def forget(self) -> None:
        """Remove every level, the last first, and all files of states. OSError if that fails."""
        for path in [*sorted(self._levels.glob("[0-9]*.json"), reverse=True), *self.shards.iterdir()]:
            path.unlink(missing_ok=True)

    def committed(self) -> list[int]:
        """The numbers of the levels that exist: 1, 2, 3 and so on. DamagedRunError if one between is missing."""
        numbers = self._numbers()
        for expected, number in enumerate(numbers, start=1):
            if number != expected:
                raise damaged(self._level_file(expected), "it is missing, and later levels are there")
        return numbers

    def level(self, number: int) -> Committed:
        """A level that exists. DamagedRunError if its file is missing or damaged."""
        data = self._committed(number)
        shards = tuple(
            Shard(File(*each["level"]), tuple(File(*file) for file in each["visited"])) for each in data["shards"]
        )
        given = data["summary"]
        summary = None
        if given is not None:
            deadlock, violated = given["deadlock"], tuple(tuple(each) for each in given["violated"])
            given = {**given, "fired": tuple(given["fired"]), "met": tuple(given["met"]), "violated": violated}
            summary = Summary(**{**given, "deadlock": None if deadlock is None else tuple(deadlock)})
        return Committed(data["level"], shards, summary, data["seconds"], data["sent"])

    def _committed(self, number: int) -> dict[str, Any]:
        """The content of the file of a level. DamagedRunError if it is missing or damaged."""
        path = self._level_file(number)
        data = unsealed(path)
        if data["level"] != number:
            raise damaged(path, f"it is level {data['level']}")
        if data["run"] != self._name:
            raise damaged(path, "it is of another run")
        return data

    def write(self, name: str, block: Block) -> File:
        """Write a file of states. OSError if that fails; then it is not there."""
        return self._written(name, len(block[0]), lambda path: blocks.write(path, block))

    def _written(self, name: str, states: int, write: Callable[[Path], None]) -> File:
        """The file with this many states that `write` writes. OSError if that fails; then it is not there."""
        path = self.shards / f"{name}.arrow"
        try:
            write(path)
            return File(path.name, states, path.stat().st_size, blocks.checksum(path))
        except BaseException:
            path.unlink(missing_ok=True)
            raise

    def read(self, kind: type[Block], file: File) -> Block:
        """The states in a file. DamagedRunError if it is missing or has another length."""
        path = self.shards / file.name
        try:
            if path.stat().st_size == file.length:
                return blocks.read(kind, path)
        except (OSError, ValueError) as error:
            raise damaged(path, str(error)) from None
        raise damaged(path, f"it has {path.stat().st_size:,} bytes and not {file.length:,}")

    def verify(self, levels: list[Committed]) -> None:
        """Compare every file that the levels need with its checksum. DamagedRunError names the first that differs."""
        needed = {shard.level for level in levels for shard in level.shards}
        needed |= {file for shard in levels[-1].shards for file in shard.visited}
        for file in sorted(needed):
            self.verify_file(file)

    def verify_file(self, file: File) -> None:
        """Compare a file with its checksum. DamagedRunError if it differs."""
        path = self.shards / file.name
        try:
            found = blocks.checksum(path)
        except OSError as error:
            raise damaged(path, (error.strerror or str(error)).lower()) from None
        if found != file.checksum:
            raise damaged(path, f"its checksum is {found:08x} and not {file.checksum:08x}")

    def sweep(self, levels: list[Committed]) -> None:
        """Remove the files that neither the levels nor the search from the last one on can need."""
        needed = {shard.level.name for level in levels for shard in level.shards}
        needed |= {file.name for shard in levels[-1].shards for file in shard.visited}
        self._sweep(needed)

    def _sweep(self, needed: set[str]) -> None:
        for path in (*self.shards.iterdir(), *self._levels.glob(".kafkacheck-*.tmp")):
            if path.name not in needed:
                path.unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        return sorted(int(path.stem) for path in self._levels.glob("[0-9]*.json"))

    @cached_property
    def _name(self) -> str:
        """The name of the run, which every level carries."""
        name: str = self.about()["run"]
        return name

    @property
    def _about(self) -> Path:
        return self.path / "run.json"

    @property
    def _levels(self) -> Path:
        return self.path / "levels"

    def _level_file(self, number: int) -> Path:
        return self._levels / f"{number:06}.json"


def kernel_name(text: str) -> str:
    """A name for a kernel's text, which no other text has."""
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def sealed(data: dict[str, Any]) -> str:
    """The data as JSON text, with a checksum of itself."""
    content = json.loads(json.dumps(data))
    return json.dumps({**content, "checksum": _seal(content)}) + "\n"


def _seal(content: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def unsealed(path: Path) -> dict[str, Any]:
    """The data that was sealed in a file. DamagedRunError if it is missing or not as it was written."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise damaged(path, (error.strerror or str(error)).lower()) from None
    except ValueError as error:
        raise damaged(path, f"it is not JSON ({error})") from None
    if not isinstance(data, dict):
        raise damaged(path, "it is not a JSON object")
    checksum = data.pop("checksum", None)
    if checksum != _seal(data):
        raise damaged(path, f"its checksum is not {checksum}")
    return data


def damaged(path: Path, why: str) -> DamagedRunError:
    """The error for a file that is not as it was written."""
    return DamagedRunError(f"{path} is damaged: {why}; restore that file, or begin a new run in another folder")


def sync(folder: Path) -> None:
    """Wait until the disk has the names in a folder, if the system can do that."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
