"""Ending a search by Ctrl-C or at its time limit, also in the middle of one long call of protocol code.

Between two calls a search asks whether to stop. A call itself is ended by an exception: the handlers of SIGINT and of
a timer raise it, but only while protocol code runs, so that no book of the search is left half-written. Python's
handlers do not run during machine code; there another thread, woken by the signal, sets a flag that the code polls.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Set
from types import CodeType, FrameType

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.memory import THREAD, require

SECONDS_BETWEEN_TICKS = 0.1
"""Seconds until the next attempt to end a search, if no protocol code ran at the last one."""
OURS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "")
"""The path that the files of this package begin with."""
LONGEST_TIMER = 1e8
"""The most seconds that every system lets a timer run."""


class Stopped(BaseException):
    """Raised in protocol code if the search must end. No error: no handler of errors may catch it."""


@contextlib.contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `Stopped` in the code within, after this many seconds. Only the main thread can be stopped."""
    if seconds is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise Stopped

    before = signal.signal(signal.SIGALRM, late)
    first = min(max(seconds, 0.001), LONGEST_TIMER)
    timer = signal.setitimer(signal.ITIMER_REAL, first, SECONDS_BETWEEN_TICKS)  # an exception in a callback is lost
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)


class Interrupts:
    """Whether a search must end, by a request or by its time limit. Without `listening` it only reads the clock."""

    def __init__(self, max_seconds: float | None = None) -> None:
        self.pressed = False
        self._request: int | None = None
        self._deadline = None if max_seconds is None else time.perf_counter() + max_seconds
        self._seconds = max_seconds
        self._listens = False
        self._protocol_code: Set[CodeType] = frozenset()
        self._code_deadline: float | None = None
        self._may_raise_in_ours = False

    @property
    def is_late(self) -> bool:
        """Whether the time limit has passed."""
        return self._deadline is not None and time.perf_counter() > self._deadline

    def reason(self) -> str:
        """Why the search must end, or ""."""
        if self.pressed:
            return f"it was {shutdown.name_of(self._request)}"
        return f"it was stopped after {self._seconds:g} seconds" if self.is_late else ""

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Let a request to end, such as Ctrl-C, end the search instead of the process; a second interrupts at once.

        Only the main thread can listen; elsewhere none is heard, and a call that runs is not ended.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGALRM, self._on_tick)
        self._listens = True
        first = 0.0 if self._seconds is None else min(max(self._seconds, 0.001), LONGEST_TIMER)
        timer = signal.setitimer(signal.ITIMER_REAL, first, SECONDS_BETWEEN_TICKS)
        try:
            with shutdown.handling(self._on_press):
                yield
        finally:
            self._listens = False
            signal.setitimer(signal.ITIMER_REAL, *timer)
            signal.signal(signal.SIGALRM, before)

    def _on_press(self, number: int, frame: FrameType | None) -> None:
        if self.pressed:
            raise KeyboardInterrupt
        self.pressed, self._request = True, number
        signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_TICKS, SECONDS_BETWEEN_TICKS)
        self._on_tick(number, frame)

    def _on_tick(self, number: int, frame: FrameType | None) -> None:
        wanted = self.pressed or self.is_late or self._is_code_late()
        is_protocol_code = frame is not None and frame.f_code in self._protocol_code
        if wanted and (is_protocol_code or (self._may_raise_in_ours and _is_ours(frame))):
            raise Stopped

    def _is_code_late(self) -> bool:
        return self._code_deadline is not None and time.perf_counter() > self._code_deadline

    @contextlib.contextmanager
    def stopping_protocol_code(self, codes: Set[CodeType], seconds: float | None = None) -> Iterator[None]:
        """Within it, `Stopped` is raised in the functions with these codes; also after this many seconds, if given."""
        self._protocol_code, begun = codes, time.perf_counter()
        timer = 0.0, 0.0
        if seconds is not None and self._listens:
            self._code_deadline = begun + seconds
            timer = signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001), SECONDS_BETWEEN_TICKS)
        try:
            yield
        finally:
            self._protocol_code = frozenset()
            if self._code_deadline is not None:
                self._code_deadline = None
                left = max(timer[0] - (time.perf_counter() - begun), 0.001) if timer[0] else 0.0
                signal.setitimer(signal.ITIMER_REAL, left, timer[1])

    @contextlib.contextmanager
    def stopping_ours(self) -> Iterator[None]:
        """Within it, `Stopped` is raised wherever code of this package runs: for work that leaves nothing behind.

        It is not raised in other code: the garbage collector may have called that, or a finalizer, and there Python
        only prints an exception and goes on.
        """
        self._may_raise_in_ours = True
        try:
            yield
        finally:
            self._may_raise_in_ours = False

    @contextlib.contextmanager
    def stopping_machine_code(self, stop: Callable[[], None]) -> Iterator[None]:
        """Within it, `stop` is called by another thread as soon as the search must end. MemoryError without room."""
        if not self._listens:
            yield
            return
        require(THREAD)
        with shutdown.waking(stop, lambda: self.pressed or self.is_late):
            yield


def _is_ours(frame: FrameType | None) -> bool:
    """Whether code of this package runs, other than a handler in this file that an earlier tick called."""
    file = "" if frame is None else frame.f_code.co_filename
    return file.startswith(OURS) and file != __file__
