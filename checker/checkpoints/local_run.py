"""The run directory of a search in this process: its states in order of discovery, some levels in each file.

It has the form of `checker.checkpoints.run_directory`, with one shard. `levels/000017.json` names a file of `shards`,
the levels in it, how many states each has, and the counts of the search when the last level was whole. The file is an
Arrow file: parts of at most `ROWS` states, each compressed and readable by itself, so that a search that needs sorted
levels can read and sort them part by part.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.blocks import Array, Kept
from kafkacheck.checker.checkpoints.run_directory import DamagedRunError, File, RunDirectory, damaged, sync

ROWS = 1 << 16
"""How many states a part has, at most."""
COMPRESSION = "lz4"
"""Costs 50 to 90 ns a state (a search takes 300 to 2,000); zstd costs up to twice that and saves up to half."""


class Piece(NamedTuple):
    """Levels that are kept: the first one's number, the states of each, their file, and the counts until then.

    The counts are those of `checker.exploration.exploration.Exploration` when the last of the levels was found whole.
    """

    first: int
    levels: tuple[int, ...]
    file: File
    generated: int
    excluded: int
    fired: tuple[int, ...]
    met: tuple[int, ...]

    @property
    def last(self) -> int:
        """The number of the last of the levels."""
        return self.first + len(self.levels) - 1


class LocalRun(RunDirectory):
    """The run directory of a search in this process."""

    engine = "compiled"

    def keep(self, piece: Piece, parts: Iterator[Kept]) -> Piece:
        """Make levels exist, whose states are given in parts; the piece with its file. OSError or UsageError if not."""
        name = f"{piece.last:06}"
        file = self._written(name, sum(piece.levels), lambda path: blocks.write_all(path, parts, COMPRESSION))
        piece = piece._replace(file=file)
        self._commit(piece.last, {"level": piece.last, "run": self._name, **piece._asdict()})
        return piece

    def pieces(self) -> "tuple[list[Piece], DamagedRunError | None]":
        """The undamaged pieces, from the first level on without a gap, and the damage of the next one, if any.

        Every file is compared with its checksum.
        """
        found: list[Piece] = []
        for number in self._numbers():
            try:
                found.append(self._piece(number, found[-1].last + 1 if found else 1))
            except DamagedRunError as error:
                return found, error
        return found, None

    def _piece(self, number: int, first: int) -> Piece:
        data = self._committed(number)
        piece = Piece(*(_frozen(data[each]) for each in Piece._fields))._replace(file=File(*data["file"]))
        if piece.first != first:
            raise damaged(self._level_file(piece.first - 1), "it is missing, and later levels are there")
        self.verify_file(piece.file)
        return piece

    def states(self, piece: Piece) -> "Iterator[tuple[Array, Array]]":
        """The states of a piece and the numbers of their parents, part by part. DamagedRunError if that fails."""
        path = self.shards / piece.file.name
        try:
            for part in blocks.read_all(Kept, path):
                yield part.states, np.cumsum(part.steps, dtype=np.uint32)
        except (OSError, ValueError) as error:
            raise damaged(path, str(error)) from None

    def forget_after(self, level: int) -> None:
        """Remove the levels after this one, the last first, so that they are found anew. OSError if that fails."""
        for number in reversed(self._numbers()):
            if number > level:
                self._level_file(number).unlink(missing_ok=True)
        sync(self._levels)  # or power loss could bring back levels that do not fit those found anew

    def sweep_all_but(self, pieces: list[Piece]) -> None:
        """Remove the files of states that none of the pieces names: a killed process left them."""
        self._sweep({piece.file.name for piece in pieces})


def parts_of(states: Array, parents: Array, start: int, end: int) -> Iterator[Kept]:
    """The states start .. end-1 of a search in parts, as they are kept."""
    for first in range(start, end, ROWS):
        last = min(first + ROWS, end)
        steps = parents[first:last].copy()
        steps[1:] -= parents[first : last - 1]
        yield Kept(states[first:last], steps)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
