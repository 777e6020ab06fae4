"""The work of one shard in one level: expand its states into successors, and keep the new ones among those it owns.

A shard owns a range of fingerprints. Both halves read from and write to the run directory, and know only the kernel
of the model, so that any process that has the directory can do them, more than once if need be: names of files are
never used twice, and files of an attempt that no level names do not count.
"""

import itertools
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.blocks import Array, Candidates, Level, Visited, parent_of
from kafkacheck.checker.checkpoints.run_directory import File, RunDirectory, Shard
from kafkacheck.checker.compiled import machine_code
from kafkacheck.checker.compiled.compiled import Workspace, slots_for
from kafkacheck.checker.compiled.context import Sizes, kept_slot, successor_slot
from kafkacheck.checker.compiled.native import DEADLOCK, FAULT, FAULT_AT, NO_FAULT, Entry, fingerprint
from kafkacheck.checker.distributed import visited
from kafkacheck.checker.process import cache
from kafkacheck.checker.process.errors import KafkacheckError

CHUNK = 1 << 19
"""How many states of a shard are expanded before their successors are sent on."""
ROOM = 1 << 22
"""How many states, successors and those they come from, are kept at a time while expanding."""
MESSAGE_ROWS = 1 << 17
"""How many successors are sent in one message: a few megabytes."""


class Work(NamedTuple):
    """The task for a level: `kernel` names the kernel in the run directory at `path`, which has `shards` shards."""

    path: str
    kernel: str
    sizes: Sizes
    shards: int
    level: int


class Expanded(NamedTuple):
    """The report of a shard that expanded its part of a level, and how many bytes of successors it sent.

    `violated` gives, by number of the property, the first row with a
    violating successor; `deadlock` and `failed` the first row without an enabled action, and that could not be
    evaluated. `taken` gives, by number of the action, the first row from which it was taken.
    """

    shard: int
    generated: int
    excluded: int
    fired: tuple[int, ...]
    violated: tuple[tuple[int, int], ...]
    deadlock: int | None
    failed: int | None
    sent: int
    taken: tuple[tuple[int, int], ...]


class Absorbed(NamedTuple):
    """A shard's part of the next level: its files, and its findings as in `Expanded`, by its own rows.

    `met_in` are the rows in which the `sometimes` properties of `met` hold. `expanded` are the reports
    of the shards whose messages came here.
    """

    shard: int
    kept: Shard
    met: tuple[int, ...]
    met_in: tuple[int, ...]
    violated: tuple[tuple[int, int], ...]
    failed: int | None
    expanded: tuple[Expanded, ...]


class Trouble(NamedTuple):
    """Why a shard could not do its work, in words: a damaged file, a full disk, too little memory."""

    reason: str


Message = bytes | Expanded | Trouble
"""The messages between shards: successors as a block of `Candidates`, and to themselves a report."""

_kernels: dict[str, dict[str, Entry]] = {}


def owners(fingerprints: Array, count: int) -> Array:
    """The shard of each fingerprint among `count`, uint64[n], ascending with the fingerprint."""
    return ((fingerprints >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32)


def expand(work: Work, shard: int, part: File) -> Iterator[tuple[int, Message]]:
    """The successors of a shard's part of a level, distinct within a chunk, for the shards that own them; a report."""
    try:
        states = RunDirectory(Path(work.path)).read(Level, part).states
        space = Workspace(work.sizes, kernel_of(work), ROOM)
        found = _Found()
        for start in range(0, len(states), CHUNK):
            for first, last in _batches(space, states[start : start + CHUNK], found, start):
                for owner, message in _messages(work, space, first, last, parent_of(shard, start)):
                    found.sent += len(message)
                    yield owner, message
            found.note(space, start)
            if found.failed is not None:
                break
        violated = tuple(sorted(found.violated.items()))
        fired = tuple(int(each) for each in space.fired)
        counted = (found.generated, found.excluded, fired)
        yield (
            shard,
            Expanded(shard, *counted, violated, found.deadlock, found.failed, found.sent, tuple(found.taken.items())),
        )
    except (OSError, MemoryError, KafkacheckError) as error:
        yield shard, Trouble(trouble_text(error))


class _Found:
    """The findings of expanding so far; rows count from the first of the shard's part."""

    def __init__(self) -> None:
        self.generated = 0
        self.excluded = 0
        self.sent = 0
        self.violated: dict[int, int] = {}
        self.taken: dict[int, int] = {}
        self.deadlock: int | None = None
        self.failed: int | None = None

    def note_taken(self, space: Workspace, looked: int, start: int) -> None:
        """Take over from which states actions were taken first, after a number of successors was looked at."""
        for action in np.flatnonzero(space.fired).tolist():
            origin = None if action in self.taken else space.first_origin(action, looked)
            if origin is not None:
                self.taken[action] = start + origin

    def note(self, space: Workspace, start: int) -> None:
        """Take over the report of the kernel on a chunk that begins at row `start`."""
        report = space.report
        for number in range(space.sizes.properties):
            row = int(report[successor_slot(number)])
            if row >= 0:
                self.violated.setdefault(number, start + row)
        if report[DEADLOCK] >= 0 and self.deadlock is None:
            self.deadlock = start + int(report[DEADLOCK])
        if report[FAULT] != NO_FAULT:
            self.failed = start + int(report[FAULT_AT])
        _clear(space)


def _clear(space: Workspace) -> None:
    space.report[:] = -1
    space.report[FAULT] = NO_FAULT


def _batches(space: Workspace, states: Array, found: _Found, start: int) -> Iterator[tuple[int, int]]:
    """Expand states; whenever successors must be sent, their first and last row in the store.

    The first of the states is the row `start` of the shard's part.
    """
    count = len(states)
    space.store[:count] = states
    kept = _only_sources(space, count)
    following = 0
    while following < count and space.report[FAULT] == NO_FAULT:
        if kept + space.room > space.capacity:
            yield count, kept
            kept = _only_sources(space, count)
        following, amount = space.expand(following, count)
        kept, looked = space.absorb(kept, amount, space.capacity)
        found.generated += looked
        found.excluded += space.excluded(looked)
        found.note_taken(space, looked, start)
        if slots_for(kept + space.room) > space.slots:
            space.fill_table(kept, slots_for(kept + space.room))
    yield count, kept


def _only_sources(space: Workspace, count: int) -> int:
    """Let the table know only the first states, which are expanded; their number."""
    space.fill_table(count, slots_for(3 * count + space.room))  # most have one or two new successors
    return count


def _messages(work: Work, space: Workspace, first: int, last: int, origin: int) -> Iterator[tuple[int, bytes]]:
    """The states first .. last-1 of the store as messages to their owners; `origin` names the first one's source.

    They are sent by ascending fingerprint, so that owners have only to merge.
    """
    fingerprints = space.fingerprints(first, last)
    order = np.argsort(fingerprints)
    owner = owners(fingerprints[order], work.shards)
    ends = np.searchsorted(owner, np.arange(work.shards + 1, dtype=np.uint64))
    parents = space.parents[first:last].astype(np.uint64) + np.uint64(origin)
    for shard, (start, end) in enumerate(itertools.pairwise(ends)):
        for piece in range(start, end, MESSAGE_ROWS):
            rows = order[piece : min(end, piece + MESSAGE_ROWS)]
            yield shard, blocks.to_bytes(Candidates(space.store[first:last][rows], parents[rows]))


def absorb(work: Work, shard: int, messages: Iterable[Message], runs: Sequence[File]) -> Absorbed | Trouble:
    """Keep new ones among the states sent to a shard, given the runs of those it knows."""
    try:
        came: list[Candidates] = []
        expanded = []
        for message in messages:
            if isinstance(message, Trouble):
                return message
            if isinstance(message, Expanded):
                expanded.append(message)
            else:
                came.append(blocks.from_bytes(Candidates, message))
        return _absorb(work, shard, came, runs, tuple(expanded))
    except (OSError, MemoryError, KafkacheckError) as error:
        return Trouble(trouble_text(error))


def _absorb(
    work: Work, shard: int, came: list[Candidates], runs: Sequence[File], expanded: tuple[Expanded, ...]
) -> Absorbed:
    run = RunDirectory(Path(work.path))
    space = Workspace(work.sizes, kernel_of(work), 1)
    known = [run.read(Visited, file) for file in runs]
    new = visited.unvisited(_distinct(space, came), known[::-1])
    _check(space, new.states)
    kept = keep(run, work.level, shard, new, list(zip(runs, known, strict=True)))
    report = space.report
    violated = tuple(
        (number, int(report[kept_slot(number)]))
        for number in range(work.sizes.properties)
        if report[kept_slot(number)] >= 0
    )
    met = tuple(number for number in range(work.sizes.sometimes) if report[work.sizes.sometimes_slot(number)] >= 0)
    met_in = tuple(int(report[work.sizes.sometimes_slot(number)]) for number in met)
    failed = None if report[FAULT] == NO_FAULT else int(report[FAULT_AT])
    return Absorbed(shard, kept, met, met_in, violated, failed, expanded)


def _distinct(space: Workspace, came: list[Candidates]) -> Level:
    empty = Candidates(np.empty((0, space.sizes.words), np.uint64), np.empty(0, np.uint64))
    candidates = Candidates(*(np.concatenate(columns) for columns in zip(empty, *came, strict=True)))
    space.adopt(candidates.states)
    return visited.distinct(candidates, space.fingerprints(0, len(candidates.states)))


def _check(space: Workspace, states: Array) -> None:
    space.adopt(np.ascontiguousarray(states))
    space.check(0, len(states))


def file_name(level: int, shard: int) -> str:
    """A name for a file of a shard's part of a level that no other attempt uses."""
    return f"{level:06}-{shard:04}-{uuid.uuid4().hex[:12]}"


def keep(run: RunDirectory, level: int, shard: int, new: Level, known: Sequence[tuple[File, Visited]]) -> Shard:
    """Write a shard's part of a level, and the runs in which its visited states are from then on."""
    name = file_name(level, shard)
    part = run.write(name, new)
    if not len(new.states):
        return Shard(part, tuple(file for file, _ in known))
    last = visited.to_merge([*(file.states for file, _ in known), part.states])
    if last == 1:
        return Shard(part, (*(file for file, _ in known), part))
    older, merging = known[: len(known) - last + 1], known[len(known) - last + 1 :]
    run_of_all = visited.merged([*(each for _, each in merging), Visited(new.states, new.fingerprints)])
    return Shard(part, (*(file for file, _ in older), run.write(f"{name}-visited", run_of_all)))


def kernel_of(work: Work) -> dict[str, Entry]:
    """The kernel's entries."""
    if work.kernel not in _kernels:
        _kernels[work.kernel] = kernel_from(RunDirectory(Path(work.path)).kernel_text(work.kernel))
    return _kernels[work.kernel]


def kernel_from(text: str, compiled: Callable[[str], dict[str, Entry]] = machine_code.entries) -> dict[str, Entry]:
    """The entries of a kernel; compiled once per machine, loaded once per process."""
    name = fingerprint(text)
    if name not in _kernels:
        with cache.one_at_a_time(name):
            _kernels[name] = compiled(text)
    return _kernels[name]


def kernel_soon(text: str) -> dict[str, Entry]:
    """The same, compiled quickly unless it is there: for a kernel that does not run long."""
    return kernel_from(text, machine_code.entries_soon)


def trouble_text(error: BaseException) -> str:
    """The failure, in words for the user."""
    if isinstance(error, MemoryError):
        return "a shard's states need more memory than there is; use more shards"
    if isinstance(error, OSError):
        return f"{error.filename or 'a file of the run'}: {(error.strerror or str(error)).lower()}"
    return str(error)
