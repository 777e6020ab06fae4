"""Processes that work on tasks, each with a copy of all that was read before; they can be ended at any moment."""

import contextlib
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.statuses import DONE

Task = TypeVar("Task")
Answer = TypeVar("Answer")


@dataclass
class _Worker:
    process: Any
    pipe: Connection
    task: Any = None


class Pool(Generic[Task, Answer]):
    """Processes that answer tasks by `work`. Leaving it ends them, whatever they do. UsageError without fork."""

    def __init__(self, size: int, work: Callable[[Task], Answer]) -> None:
        if "fork" not in multiprocessing.get_all_start_methods():
            raise UsageError("this system cannot copy a process (fork); run kafkacheck change on Linux or macOS")
        self._work = work
        self._workers = [self._begun() for _ in range(size)]

    def __enter__(self) -> "Pool[Task, Answer]":
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._workers:
            each.process.kill()
        for each in self._workers:
            each.process.join()
            each.pipe.close()

    @property
    def is_free(self) -> bool:
        """Whether a process has no task."""
        return any(each.task is None for each in self._workers)

    @property
    def tasks(self) -> list[Task]:
        """The tasks that are under way."""
        return [each.task for each in self._workers if each.task is not None]

    def begin(self, task: Task) -> None:
        """Give a task to a process that has none."""
        worker = next(each for each in self._workers if each.task is None)
        worker.task = task
        worker.pipe.send(task)

    def answers(self, seconds: float) -> list[tuple[Task, Answer | None]]:
        """The tasks that were answered within this time, at least one if there is one; None if its process died."""
        waiting = {each.pipe: each for each in self._workers if each.task is not None}
        found: list[tuple[Task, Answer | None]] = []
        for pipe in wait(list(waiting), max(0.0, seconds)):
            assert isinstance(pipe, Connection)
            worker = waiting[pipe]
            task, worker.task = worker.task, None
            try:
                found.append((task, pipe.recv()))
            except EOFError:
                worker.process.join()
                pipe.close()
                self._workers[self._workers.index(worker)] = self._begun()
                found.append((task, None))
        return found

    def _begun(self) -> _Worker:
        context = multiprocessing.get_context("fork")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(os.getpid(), ours, theirs, self._work), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)


def _serve(parent: int, ours: Connection, theirs: Connection, work: Callable[[Any], Any]) -> None:
    """Answer tasks until the process is ended."""
    ours.close()
    shutdown.end_with(parent)
    with contextlib.suppress(KeyboardInterrupt, EOFError, BrokenPipeError):
        while True:
            theirs.send(work(theirs.recv()))
    os._exit(DONE)
