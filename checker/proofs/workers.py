"""Processes that put questions to the solver side by side. One that hangs or dies is replaced, and says UNKNOWN."""

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.sources import child_command
from kafkacheck.checker.proofs import second_solver
from kafkacheck.checker.proofs.smt_lib import script
from kafkacheck.checker.proofs.solver import Answer, Status, Translation, solve
from kafkacheck.checker.symbolic.terms import Term, dump, load

GRACE = 10.0
"""Seconds that the solver may go on after its timeout before its process is ended."""

_PROGRAM = "from kafkacheck.checker.proofs.workers import serve; serve()"


@dataclass(frozen=True)
class Question:
    """Whether some terms can all hold, asked with a timeout in seconds; see `solver.solve`.

    is_repeated: whether the second solver is asked, too.
    """

    assertions: Sequence[Term]
    timeout: float | None
    wishes: Mapping[str, int] = field(default_factory=dict)
    is_repeated: bool = False

    @property
    def longest(self) -> float | None:
        """The most seconds that an answer may take."""
        return None if self.timeout is None else self.timeout * (1 + self.is_repeated)


@dataclass(frozen=True)
class Reply:
    """An answer, and how many seconds it took; and the same of the second solver if it was asked."""

    answer: Answer
    seconds: float
    second: Answer | None = None
    second_seconds: float = 0.0


def reply_to(question: Question, translation: Translation) -> Reply:
    """The reply of this process, which waits for the solvers."""
    began = time.perf_counter()
    answer = solve(question.assertions, question.timeout, question.wishes, translation)
    seconds = time.perf_counter() - began
    if not question.is_repeated:
        return Reply(answer, seconds)
    began = time.perf_counter()
    second = second_solver.solve(script(question.assertions), question.timeout)
    return Reply(answer, seconds, second, time.perf_counter() - began)


def serve() -> None:
    """Answer questions from standard input on standard output, until the input ends.

    A question is pickled, as (dumped assertions, the other fields of a `Question`); an answer is a pickled `Reply`.
    """
    translation = Translation()
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        try:
            dumped, *others = pickle.load(questions)
        except EOFError:
            return
        pickle.dump(reply_to(Question(load(dumped), *others), translation), answers)
        answers.flush()


def worker_count() -> int:
    """How many processes this one may use at a time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Solvers:
    """Answers questions, by `jobs` processes side by side; with 0 this process asks the solver, and waits for it.

    `interrupted` is "" until the process is asked to end (see `listening`), and then how: every question that has no
    reply by then is UNKNOWN, and so is every later one.
    """

    def __init__(self, jobs: int) -> None:
        self.interrupted = ""
        self._jobs = jobs
        self._found: list[queue.SimpleQueue[Reply]] = []

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Within it a request to end, such as Ctrl-C, only ends the questions; a second one raises KeyboardInterrupt.

        Only the main thread hears requests.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        with shutdown.handling(lambda number, frame: self._interrupt()):
            yield

    def _interrupt(self) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = shutdown.reason()
        for each in self._found:
            each.put(self._unknown())  # a question that has its reply gives that one first

    def _unknown(self) -> Reply:
        return Reply(Answer(Status.UNKNOWN, reason=f"it was {self.interrupted}"), 0.0)

    def replies(
        self, questions: Sequence[Question], meanwhile: Callable[[], None] = lambda: None
    ) -> Generator[Reply, None, None]:
        """The replies to the questions, in their order, each as soon as it and all before it are known.

        `meanwhile` is called as soon as the processes work. If it raises KeyboardInterrupt, that is a request to end.
        """
        self._found = [queue.SimpleQueue() for _ in questions]
        if self.interrupted:
            yield from [self._unknown() for _ in questions]
            return
        workers: list[_Worker] = []
        if self._jobs:
            waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
            for number in range(len(questions)):
                waiting.put(number)
            workers = [_Worker(questions, waiting, self._found) for _ in range(min(self._jobs, len(questions)))]
        try:
            for worker in workers:
                worker.start()
            try:
                meanwhile()
            except KeyboardInterrupt:
                self._interrupt()
            translation = Translation()
            for question, found in zip(questions, self._found, strict=True):
                if not workers and not self.interrupted:
                    found.put(reply_to(question, translation))
                yield found.get()
        finally:
            for worker in workers:
                worker.stop()


class _Worker(threading.Thread):
    """A thread that hands questions to a process of its own."""

    def __init__(
        self, questions: Sequence[Question], waiting: "queue.SimpleQueue[int]", found: "list[queue.SimpleQueue[Reply]]"
    ) -> None:
        super().__init__(daemon=True)
        self._questions = questions
        self._waiting = waiting
        self._found = found
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def run(self) -> None:
        """Answer until no question is left, or the work is stopped."""
        while not self._stopped:
            try:
                number = self._waiting.get_nowait()
            except queue.Empty:
                break
            self._found[number].put(self._reply(self._questions[number]))
        self._end()

    def stop(self) -> None:
        """End the process at once, and wait for the thread."""
        self._stopped = True
        self._end()
        if self.ident is not None:
            self.join()

    def _reply(self, question: Question) -> Reply:
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            self._end()

        longest = question.longest
        seconds = None if longest is None else min(longest + GRACE, threading.TIMEOUT_MAX)
        timer = None if seconds is None else threading.Timer(seconds, expire)
        if timer is not None:
            timer.start()
        try:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            others = question.timeout, dict(question.wishes), question.is_repeated
            pickle.dump((dump(question.assertions), *others), process.stdin)
            process.stdin.flush()
            reply: Reply = pickle.load(process.stdout)
            return reply
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
            self._end()
            reason = "timeout" if expired.is_set() else f"the solver's process ended ({type(error).__name__})"
            gave_up = Answer(Status.UNKNOWN, reason=reason)
            return Reply(gave_up, question.timeout or 0.0, gave_up if question.is_repeated else None)
        finally:
            if timer is not None:
                timer.cancel()

    def _running(self) -> "subprocess.Popen[bytes]":
        with self._lock:
            if self._stopped:
                raise OSError("the work is stopped")
            if self._process is None:
                self._process = subprocess.Popen(
                    child_command(_PROGRAM),
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, process_group=0,
                )  # fmt: skip
            return self._process

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            process.wait()
