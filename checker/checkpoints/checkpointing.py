"""Checkpoints of a search in this process: its levels are kept on disk while it goes on, and a later search goes on.

A thread compresses and writes the levels that have become whole since it last looked, so that the search does not wait.
A failure to write is reported once, and the write is tried again; the search goes on.
"""

import contextlib
import shlex
import shutil
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.exploration import NO_MEMORY, Exploration, memory_reason
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model.identity import differences, identity_of
from kafkacheck.checker.process.errors import KafkacheckError, UsageError
from kafkacheck.checker.process.files import reason_of
from kafkacheck.checker.process.memory import THREAD, require
from kafkacheck.checker.result import Result

if TYPE_CHECKING:
    from kafkacheck.checker.checkpoints.blocks import Kept
    from kafkacheck.checker.checkpoints.local_run import LocalRun, Piece
    from kafkacheck.checker.compiled.compiled import CompiledSearch
    from kafkacheck.checker.exploration.exploration import Watch
    from kafkacheck.checker.model import Model

KEPT_AFTER = 60.0
"""After how many seconds a search is kept unasked."""
BETWEEN = 0.5
"""Seconds between two files, so that many small levels share one."""
TRIED_AGAIN = 10.0
"""Seconds until the next attempt after a write that failed."""


class _Whole(NamedTuple):
    """The states and counts of a search when a level is whole."""

    states: Any
    parents: Any
    ends: tuple[int, ...]
    generated: int
    excluded: int
    fired: tuple[int, ...]
    met: tuple[int, ...]


class _GivenUpError(Exception):
    """The levels that are being written are no longer needed."""


@dataclass
class _Writer:
    """Writes levels in a thread of its own."""

    run: "LocalRun"
    pieces: "list[Piece]"
    failure: str = ""

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._whole: _Whole | None = None
        self._is_ending = self._is_given_up = False
        require(THREAD)
        self._thread = threading.Thread(target=self._work, name="kafkacheck-levels", daemon=True)
        self._thread.start()

    @property
    def level(self) -> int:
        """The last level that is kept."""
        return self.pieces[-1].last if self.pieces else 0

    def note(self, whole: _Whole) -> None:
        """Write these levels when there is time, or the ones noted later."""
        with self._changed:
            self._whole = whole
            self._changed.notify()

    def end(self, give_up: bool) -> None:
        """Wait until everything is written, or give up the rest."""
        with self._changed:
            self._is_ending, self._is_given_up = True, give_up
            self._changed.notify()
        self._thread.join()
        self._whole = None

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_ending or self._has_news())
                if not self._has_news() or self._is_given_up:
                    return
                whole = self._whole
            assert whole is not None
            try:
                self._write(whole)
                self.failure = ""
            except _GivenUpError:
                return
            except MemoryError:
                self.failure = NO_MEMORY
            except Exception as error:  # the search goes on after any error
                self.failure = reason_of(error) if isinstance(error, OSError) else str(error)
            if self.failure and self._is_ending:
                return
            with self._changed:
                self._changed.wait_for(lambda: self._is_ending, TRIED_AGAIN if self.failure else BETWEEN)

    def _has_news(self) -> bool:
        return self._whole is not None and len(self._whole.ends) > self.level

    def _write(self, whole: _Whole) -> None:
        from kafkacheck.checker.checkpoints.local_run import Piece, parts_of
        from kafkacheck.checker.checkpoints.run_directory import File

        known = self.level
        ends = (0, *whole.ends)
        states = tuple(last - first for first, last in zip(ends[known:], ends[known + 1 :], strict=False))
        counts = (whole.generated, whole.excluded, whole.fired, whole.met)
        piece = Piece(known + 1, states, File("", 0, 0, 0), *counts)
        parts = parts_of(whole.states, whole.parents, ends[known], ends[-1])
        self.pieces.append(self.run.keep(piece, self._unless_given_up(parts)))

    def _unless_given_up(self, parts: "Iterator[Kept]") -> "Iterator[Kept]":
        for part in parts:
            if self._is_given_up:
                raise _GivenUpError
            yield part


class Checkpoints:
    """Keeps the levels of one search in the folder that the user names; without one, after the search has lasted long.

    `about` names the model, as JSON data, so that a later command finds it again. A folder that the user did not name
    is removed when the search has an answer.
    """

    def __init__(self, about: dict[str, Any], folder: Path | None = None, after: float = KEPT_AFTER) -> None:
        self._about, self._after = about, after
        self._folder, self._is_named = folder, folder is not None
        self.is_resumed = self._redoes = False
        self._held = contextlib.ExitStack()
        self._model: Model | None = None
        self._text = ""
        self._writer: _Writer | None = None
        self._pieces: list[Piece] = []
        self._whole: _Whole | None = None
        self._may_begin = True
        self._has_failed = False

    @classmethod
    def none(cls) -> "Checkpoints":
        """Keep nothing."""
        checkpoints = cls({})
        checkpoints._may_begin = False
        return checkpoints

    @classmethod
    def resuming(cls, folder: Path, redoes: bool) -> "Checkpoints":
        """Go on with the search in a folder. If it `redoes`, damaged levels are searched again."""
        checkpoints = cls({}, folder)
        checkpoints.is_resumed, checkpoints._redoes = True, redoes
        return checkpoints

    def begin(self, model: "Model", text: str) -> None:
        """Take the model and its kernel's text; make the folder, or read it. UsageError if that fails.

        DamagedRunError names a file that is damaged.
        """
        self._model, self._text = model, text
        if self.is_resumed:
            self._look()
        elif self._is_named:
            self._open()

    def _look(self) -> None:
        """Read the undamaged levels of the same model."""
        from kafkacheck.checker.checkpoints.local_run import LocalRun
        from kafkacheck.checker.checkpoints.run_directory import DamagedRunError

        assert self._folder is not None and self._model is not None
        run = LocalRun(self._folder)
        about = run.about()
        self._about = {"source": about["source"]}
        changed = differences(about["identity"], identity_of(self._model, self._text))
        if changed:
            raise UsageError(
                f"{run.path} was begun with another {self._model.name}: {'; '.join(changed[:5])}; undo that, or begin "
                "a new run"
            )
        self._is_named = not about["unasked"]
        self._held.enter_context(run.locked())
        self._pieces, damage = run.pieces()
        level = self._pieces[-1].last if self._pieces else 0
        if damage is not None and not self._redoes:
            mend = f"{self._resuming()} --redo-damaged"
            where = f"from level {level} on" if level else "from the start"
            raise DamagedRunError(f"{damage}; or search again {where} with: {mend}")
        run.forget_after(level)
        run.sweep_all_but(self._pieces)
        self._writer = _Writer(run, self._pieces)

    def _open(self) -> None:
        """Make the folder, and begin to write into it."""
        from kafkacheck.checker.checkpoints.local_run import LocalRun

        assert self._folder is not None and self._model is not None
        run = LocalRun(self._folder)
        identity = identity_of(self._model, self._text)
        about = {"model": self._model.name, **self._about, "unasked": not self._is_named, "identity": identity}
        run.create(about, None)
        self._held.enter_context(run.locked())
        self._writer = _Writer(run, self._pieces)

    def restore(self, search: "CompiledSearch") -> str:
        """Put the kept levels into a search that has not begun; why that had to stop, or ""."""
        if not self._pieces:
            return ""
        from kafkacheck.checker.checkpoints.local_run import LocalRun

        assert self._folder is not None
        run, last = LocalRun(self._folder), self._pieces[-1]
        ends = list(accumulate(states for piece in self._pieces for states in piece.levels))
        counts = Exploration(ends[-1], last.generated, last.excluded, list(last.fired), ends, set(last.met))
        return search.go_on(counts, (part for piece in self._pieces for part in run.states(piece)))

    def note(self, search: "CompiledSearch") -> None:
        """A level is whole. The first failure to write is reported."""
        watch, counts = search.watch, search.counts
        if self._folder is None and self._may_begin and (watch.seconds >= self._after or watch.is_warned):
            self._keep_unasked(watch)
        states, parents = search.rows
        fired, met = tuple(search.fired()), tuple(sorted(counts.met))
        ends = tuple(counts.level_ends)
        self._whole = _Whole(states, parents, ends, counts.generated, counts.excluded, fired, met)
        writer = self._writer
        if writer is None:
            return
        writer.note(self._whole)
        if writer.failure and not self._has_failed:
            self._has_failed = True
            watch.tell(
                f"warning: {self._folder} takes no more levels: {writer.failure}; the search goes on, and they are "
                "kept as soon as that is mended"
            )

    def _keep_unasked(self, watch: "Watch") -> None:
        from kafkacheck.checker.process import cache

        assert self._model is not None
        try:
            self._folder = cache.folder().absolute() / "runs" / f"{self._model.name}-{uuid.uuid4().hex[:8]}"
            self._open()
        except (OSError, RuntimeError, KafkacheckError, MemoryError) as error:
            self._folder, self._writer, self._may_begin = None, None, False
            watch.tell(f"warning: finished levels are not kept: {error}; name a folder with --run-dir")
            return
        watch.tell(f"note: finished levels are kept from now on; if the search ends without an answer, {self._mend()}")

    def _mend(self) -> str:
        return f"continue with: {self._resuming()}"

    def _resuming(self) -> str:
        """The command that goes on; a model of the user's own is named, because a file must not run its code."""
        model = str(self._about["source"][0])
        named = ["--model", model] if catalogue.own_name(model) is None else []
        return shlex.join(["kafkacheck", "resume", str(self._folder), *named])

    def let_go(self) -> None:
        """Write all levels, and need the search no more."""
        self._whole = None
        if self._writer is not None:
            self._writer.end(give_up=False)

    def finish(self, result: Result, watch: "Watch") -> None:
        """Keep the levels if there is no answer, and say how to go on; otherwise remove a folder that nobody named."""
        if result.reason in (memory_reason(watch.memory_limit), NO_MEMORY):
            self._keep_at_last(watch)
        writer = self._writer
        if writer is None or self._folder is None:
            return
        is_open = result.verdict is Verdict.NOT_EXHAUSTED
        writer.end(give_up=not is_open and not self._is_named)
        if is_open:
            if writer.failure:
                result.reason += f"; {self._folder} has the levels up to {writer.level} only: {writer.failure}"
            result.reason += f"; {self._mend()}"
            result.resume = self._resuming()
        elif not self._is_named:
            shutil.rmtree(self._folder, ignore_errors=True)
        self.close()

    def _keep_at_last(self, watch: "Watch") -> None:
        """Keep the levels of a search that ran out of memory, even if it was too short to be kept."""
        if self._folder is None and self._may_begin and self._whole is not None:
            self._keep_unasked(watch)
            if self._writer is not None:
                self._writer.note(self._whole)

    def close(self) -> None:
        """Release the folder."""
        if self._writer is not None:
            self._writer.end(give_up=True)
        self._held.close()
