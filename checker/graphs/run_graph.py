"""The work of one task: write a part of a state graph as Parquet, from the levels of a run directory.

A state is numbered by its place in the run: the states of earlier levels come first, then those of earlier shards, then
those of lesser fingerprints. The target of a step is a packed state first; its number is found by the task that holds
that part of all states, a range of fingerprints, in memory. A file appears whole, under a name that does not depend on
the attempt, and two attempts write the same.
"""

import contextlib
import itertools
import os
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.blocks import ROW_BITS, Array, Level, Sent
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError, File, RunDirectory
from kafkacheck.checker.compiled.compiled import slots_for
from kafkacheck.checker.compiled.context import EXCLUDED, Sizes
from kafkacheck.checker.compiled.native import FAULT, FAULT_AT, NO_FAULT
from kafkacheck.checker.distributed.shard import Trouble, kernel_from, kernel_soon, owners, trouble_text
from kafkacheck.checker.graphs.cut_off import CutOff, Larger
from kafkacheck.checker.graphs.dataset_tables import Tables
from kafkacheck.checker.graphs.manifest import EDGES, STATES, bit_counts, level_folder
from kafkacheck.checker.graphs.sealed import Digest, SealedFile
from kafkacheck.checker.graphs.state_graph import States, Steps, StepSpace
from kafkacheck.checker.process.errors import KafkacheckError

MESSAGE_ROWS = 1 << 15
"""How many steps are sent in one message at most: one or two megabytes."""
ROWS_AT_ONCE = 1 << 20
"""About how many steps are collected before they are sent to the tasks that know the targets."""
WRITTEN_AT_ONCE = 1 << 17
"""About how many steps make a row group of Parquet."""


class Graph(NamedTuple):
    """The data that every task needs.

    `run` and `out` are the run directory and the folder to write to; `kernel` is the text of the kernel with steps,
    `others` has the answer of `cut_off.larger` for each bound. `files` are those of each level by shard, and `starts`,
    int64[levels, shards], the numbers of their first states. The states are divided into `parts`, a multiple of the
    number of shards.
    """

    run: str
    out: str
    kernel: str
    sizes: Sizes
    tables: Tables
    others: dict[str, Larger | None]
    measures: int
    files: tuple[tuple[File, ...], ...]
    starts: Array
    parts: int


class Piece(NamedTuple):
    """Some rows of a shard's part of a level; `number` tells it from all other pieces."""

    number: int
    level: int
    shard: int
    first: int
    last: int


class Written(NamedTuple):
    """The counts of written rows of a level: all of them, and by verdict or by step.

    `file` is the name of the file within the folder of its level, empty if nothing was written. Of states `counts`
    says how many have each bit of the verdicts; of steps how often each (action, parameters) is one, and `wrongs` how
    often each property is violated.
    """

    kind: str
    level: int
    rows: int
    counts: Array
    wrongs: Array
    file: str
    digest: Digest | None


class Failed(NamedTuple):
    """At which state the model's code failed."""

    level: int
    shard: int
    row: int


class _StateError(Exception):
    """The model's code failed at a state."""

    def __init__(self, *place: int) -> None:
        super().__init__(place)
        self.place = place


Key = tuple[int, int, int, int]
"""The order in which a part is given steps: the part, the level and the piece they are from, and a number."""


def space_of(graph: Graph) -> StepSpace:
    """Arrays for the kernel, without states."""
    space = StepSpace(graph.sizes, kernel_from(graph.kernel), 1)
    space.use_measures(graph.measures)
    return space


def write_states(graph: Graph, pieces: Iterable[Piece]) -> Iterator[Written | Failed | Trouble]:
    """Write the states of some pieces, each as a file, after comparing the files they are in with their checksums."""
    try:
        space = space_of(graph)
        cutting = (graph.sizes, graph.tables.slots, graph.others, kernel_soon, graph.kernel)
        cut_off = CutOff(*cutting) if graph.others else None
        for piece in pieces:
            yield _write_states(graph, piece, space, cut_off)
    except _StateError as error:
        yield Failed(*error.place)
    except (OSError, MemoryError, KafkacheckError, pa.ArrowException) as error:
        yield Trouble(trouble_text(error))


def _write_states(graph: Graph, piece: Piece, space: StepSpace, cut_off: CutOff | None) -> Written:
    run, file = RunDirectory(Path(graph.run)), graph.files[piece.level - 1][piece.shard]
    if piece.first == 0:
        run.verify_file(file)
    part = run.read(Level, file)
    space.adopt(part.states)
    counts = np.zeros(graph.sizes.properties + graph.sizes.sometimes, np.int64)
    name = f"{STATES}-{piece.shard:04}-{piece.first:012}.parquet"
    with _writing(graph, STATES, piece.level, name) as writer:
        for first in range(piece.first, piece.last, space.room):
            last = min(first + space.room, piece.last)
            space.check(first, last)
            if space.report[FAULT] != NO_FAULT:
                raise _StateError(piece.level, piece.shard, int(space.report[FAULT_AT]))
            number = int(graph.starts[piece.level - 1, piece.shard]) + first
            parents = _parents(graph, piece.level, part.parents[first:last])
            verdicts, measures = space.verdicts[: last - first], space.measures[: last - first]
            judged = States(number, part.states[first:last], part.fingerprints[first:last], parents, verdicts, measures)
            writer.write(graph.tables.states(judged, cut_off(judged.words) if cut_off else {}))
            counts += bit_counts(verdicts, len(counts))
    nothing = np.empty(0, np.int64)
    return Written(STATES, piece.level, piece.last - piece.first, counts, nothing, name, writer.digest)


def _parents(graph: Graph, level: int, parents: Array) -> Array:
    """The numbers of parents, -1 for initial states."""
    if level == 1:
        return np.full(len(parents), -1, np.int64)
    shards, rows = parents >> np.uint64(ROW_BITS), parents & np.uint64((1 << ROW_BITS) - 1)
    numbers: Array = graph.starts[level - 2][shards.astype(np.int64)] + rows.astype(np.int64)
    return numbers


def find_steps(graph: Graph, pieces: Iterable[Piece]) -> Iterator[tuple[Key, bytes | Trouble]]:
    """The steps from the states of some pieces, for the parts that have their targets."""
    try:
        space, targets = space_of(graph), space_of(graph)
        for piece in pieces:
            yield from _find_steps(graph, piece, space, targets)
    except (OSError, MemoryError, KafkacheckError) as error:
        yield (0, 0, 0, 0), Trouble(trouble_text(error))


def _find_steps(graph: Graph, piece: Piece, space: StepSpace, targets: StepSpace) -> Iterator[tuple[Key, bytes]]:
    run, file = RunDirectory(Path(graph.run)), graph.files[piece.level - 1][piece.shard]
    space.adopt(run.read(Level, file).states)
    start = graph.starts[piece.level - 1, piece.shard].astype(np.uint64)
    collected: list[Sent] = []
    numbers = itertools.count()
    following = piece.first
    while following < piece.last:
        following, amount = space.expand(following, piece.last)
        if space.report[FAULT] != NO_FAULT:
            raise DamagedRunError(f"{run.path} is damaged: a state of {file.name} cannot be expanded; begin a new run")
        sources = start + space.origins[:amount].astype(np.uint64)
        outside = (space.actions[:amount] >= EXCLUDED).astype(np.uint8)
        told = (space.successors[:amount], sources, space.combinations[:amount], outside, space.wrongs[:amount])
        collected.append(Sent(*(array.copy() for array in told)))
        if sum(len(each.sources) for each in collected) >= ROWS_AT_ONCE or following >= piece.last:
            found = Sent(*(np.concatenate(columns) for columns in zip(*collected, strict=True)))
            collected = []
            for part, message in _messages(graph, found, targets):
                yield (part, piece.level, piece.number, next(numbers)), message


def _messages(graph: Graph, found: Sent, space: StepSpace) -> Iterator[tuple[int, bytes]]:
    """Steps as messages to the parts that have their targets, in the order of their sources."""
    space.adopt(found.targets)
    owner = owners(space.fingerprints(0, len(found.targets)), graph.parts)
    order = np.argsort(owner, kind="stable")
    ends = np.searchsorted(owner[order], np.arange(graph.parts + 1, dtype=np.uint64))
    for part, (start, end) in enumerate(itertools.pairwise(ends)):
        for piece in range(start, end, MESSAGE_ROWS):
            rows = order[piece : min(end, piece + MESSAGE_ROWS)]
            yield part, blocks.to_bytes(Sent(*(column[rows] for column in found)))


def write_steps(graph: Graph, messages: Iterable[tuple[Key, bytes | Trouble]]) -> Iterator[Written | Trouble]:
    """Write the steps that a part was sent, in the order of their keys, as a file for each level they are from."""
    part: _Part | None = None
    try:
        for level, sent in itertools.groupby(messages, key=lambda message: message[0][1]):
            writer: SealedFile | None = None
            written, name = _Steps(graph), ""
            with contextlib.ExitStack() as opened:
                for (number, *_), message in sent:
                    if isinstance(message, Trouble):
                        yield message
                        return
                    part = part or _Part(graph, number)
                    name = f"{EDGES}-{number:06}.parquet"
                    writer = writer or opened.enter_context(_writing(graph, EDGES, level, name))
                    written.add(part.numbered(blocks.from_bytes(Sent, message)), writer)
                if writer is not None:
                    written.flush(writer)
            digest = None if writer is None else writer.digest
            yield Written(EDGES, level, written.rows, written.counts, written.wrongs, name, digest)
    except (OSError, MemoryError, KafkacheckError, pa.ArrowException) as error:
        yield Trouble(trouble_text(error))


class _Steps:
    """Steps on their way into a file, some at a time, and their counts."""

    def __init__(self, graph: Graph) -> None:
        self._tables = graph.tables
        self._waiting: list[Sent] = []
        self.rows = 0
        self.counts = np.zeros(len(graph.tables.steps), np.int64)
        self.wrongs = np.zeros(graph.sizes.properties, np.int64)

    def add(self, sent: Sent, writer: SealedFile) -> None:
        """Take steps whose targets are numbers."""
        self._waiting.append(sent)
        if sum(len(each.sources) for each in self._waiting) >= WRITTEN_AT_ONCE:
            self.flush(writer)

    def flush(self, writer: SealedFile) -> None:
        """Write the steps that wait."""
        if not self._waiting:
            return
        sent = Sent(*(np.concatenate(columns) for columns in zip(*self._waiting, strict=True)))
        self._waiting = []
        steps = Steps(0, sent.sources, sent.combinations, sent.targets, sent.wrongs)
        writer.write(self._tables.edges(steps, sent.outside == 1))
        self.rows += len(sent.sources)
        self.counts += np.bincount(sent.combinations, minlength=len(self.counts))
        self.wrongs += bit_counts(sent.wrongs, len(self.wrongs))


class _Part:
    """All states with fingerprints of one range, in memory, found by the same table that a search finds them by."""

    def __init__(self, graph: Graph, part: int) -> None:
        run, shard = RunDirectory(Path(graph.run)), part * len(graph.files[0]) // graph.parts
        found, ends, numbers, count = [], [], [], 0
        for files, starts in zip(graph.files, graph.starts, strict=True):
            level = run.read(Level, files[shard])
            first, last = (_first_row(level.fingerprints, each, graph.parts) for each in (part, part + 1))
            if first < last:
                found.append(level.states[first:last])
                numbers.append(int(starts[shard]) + first - count)
                count += last - first
                ends.append(count)
        self._run = run
        self._count, self._ends, self._numbers = count, np.array(ends, np.int64), np.array(numbers, np.int64)
        self._space = space_of(graph)
        self._space.adopt(np.concatenate(found) if found else np.empty((0, graph.sizes.words), np.uint64))
        self._space.fill_table(count, slots_for(count + self._space.room))

    def numbered(self, sent: Sent) -> Sent:
        """The steps with the numbers of their targets in place of these. DamagedRunError if one is not there."""
        space, targets = self._space, np.empty(len(sent.sources), np.int64)
        for first in range(0, len(targets), space.room):
            last = min(first + space.room, len(targets))
            amount = last - first
            space.successors[:amount] = sent.targets[first:last]
            space.actions[:amount] = np.where(sent.outside[first:last], EXCLUDED, 0)
            _, looked = space.absorb(self._count, amount, self._count)
            if looked < amount:
                raise DamagedRunError(
                    f"{self._run.path} is damaged: a step leads to a state that it does not have; begin a new run"
                )
            rows = space.targets[:amount].astype(np.int64)
            inside = sent.outside[first:last] == 0
            stretch = np.searchsorted(self._ends, rows[inside], side="right")
            rows[inside] += self._numbers[stretch]
            targets[first:last] = rows
        return sent._replace(targets=targets)


def _first_row(fingerprints: Array, part: int, parts: int) -> int:
    """The first of some ascending fingerprints that belongs to a part or to a later one."""
    least = -(-(part << 32) // parts) << 32
    return len(fingerprints) if least >> 64 else int(np.searchsorted(fingerprints, np.uint64(least)))


@contextlib.contextmanager
def _writing(graph: Graph, kind: str, level: int, name: str) -> Iterator[SealedFile]:
    """A file of a level, which takes its name when it is whole."""
    folder = Path(graph.out) / level_folder(kind, level)
    path = folder / name
    work = folder / f".{path.name}.{uuid.uuid4().hex}"
    writer = SealedFile(work)
    try:
        yield writer
        writer.close()
        os.replace(work, path)
    except BaseException:
        with contextlib.suppress(OSError):
            writer.close()
        work.unlink(missing_ok=True)
        raise


def pieces_of(graph: Graph, levels: int, most: int) -> list[Sequence[Piece]]:
    """The states of the first levels in pieces of at most `most`, and those together that have not more in all."""
    pieces: list[Piece] = []
    for level, files in enumerate(graph.files[:levels], start=1):
        for shard, file in enumerate(files):
            for first in range(0, file.states, most):
                pieces.append(Piece(len(pieces), level, shard, first, min(first + most, file.states)))
    tasks: list[list[Piece]] = []
    room = 0
    for piece in pieces:
        size = piece.last - piece.first
        if not tasks or size > room:
            tasks.append([])
            room = most
        tasks[-1].append(piece)
        room -= size
    return list(tasks)
