"""Requests to end the process (Ctrl-C, SIGTERM, a closed terminal), and a supervisor that notices every other end.

Little is imported here, because it is needed before anything that takes long.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType

REQUESTS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # fmt: skip
"""The signals that ask for an orderly end. SIGQUIT asks for one at once, with the place."""
SAME_REQUEST = 0.5
"""Seconds within which a second signal counts as the first one, sent once to the group and once to the process."""
SECONDS_BETWEEN_LOOKS = 0.2

Handler = Callable[[int, FrameType | None], None]


def name_of(number: int | None) -> str:
    """`interrupted`; with the name of the signal, unless it was Ctrl-C."""
    if number is None or number == signal.SIGINT:
        return "interrupted"
    return f"interrupted by {signal.Signals(number).name}"


def reason() -> str:
    """As `name_of`, of the signal that was heard last."""
    return name_of(_heard)


def lost_terminal() -> bool:
    """Whether the process ends because its terminal was closed, so that nobody can read what it prints."""
    return _heard is not None and _heard == getattr(signal, "SIGHUP", None)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


_handler: Handler = _interrupt
_heard: int | None = None
_heard_at = -SAME_REQUEST


def install(instead_of: Handler) -> None:
    """From now on a request raises KeyboardInterrupt, or calls the handler of `handling`.

    This replaces Python's own handlers and `instead_of`. Other handlers stay, and so do signals that are ignored, as
    by `nohup`.
    """
    for number in REQUESTS:
        if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler, instead_of):
            signal.signal(number, _hear)


def _hear(number: int, frame: FrameType | None) -> None:
    global _heard, _heard_at
    now = time.monotonic()
    if _pipe is not None and now - _heard_at < SAME_REQUEST:
        return
    _heard, _heard_at = number, now
    _handler(number, frame)


def show_threads_at_quit() -> None:
    r"""Let SIGQUIT (Ctrl-\) print the stack of every thread on stderr, before it ends the process as always."""
    if hasattr(signal, "SIGQUIT") and signal.getsignal(signal.SIGQUIT) == signal.SIG_DFL and sys.stderr is not None:
        import faulthandler

        with contextlib.suppress(OSError, ValueError, AttributeError):  # stderr is no file
            faulthandler.register(signal.SIGQUIT, chain=True)


def finish(status: int) -> None:
    """The command is done: report its status, and let a request end the process at once, with that status.

    If foreign code has begun threads that Python would wait for, the process ends here.
    """
    global _handler

    def end(number: int, frame: FrameType | None) -> None:
        os._exit(status)

    _handler = end
    report(f"status {status}")
    if _has_foreign_threads:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(status)


def handle(number: int, frame: FrameType | None) -> None:
    """Handle a request that was held back."""
    _handler(number, frame)


@contextlib.contextmanager
def handling(do: Handler) -> Iterator[None]:
    """Within it, a request to end calls `do`. Only for the main thread.

    Ctrl-C is heard even if `install` was not called, unless it is ignored.
    """
    global _handler
    before, _handler = _handler, do
    before_ours = signal.getsignal(signal.SIGINT)
    is_taken = before_ours not in (signal.SIG_IGN, _hear, None)
    if is_taken:
        signal.signal(signal.SIGINT, _hear)
    try:
        yield
    finally:
        if is_taken:
            signal.signal(signal.SIGINT, before_ours)
        _handler = before


@contextlib.contextmanager
def waking(stop: Callable[[], None], is_due: Callable[[], bool]) -> Iterator[None]:
    """Within it, another thread calls `stop` as soon as the process is asked to end, or at a signal when it `is_due`.

    For long calls of machine code, whose end Python's handlers wait for. Only for the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    reader, writer = os.pipe()
    os.set_blocking(writer, False)

    def watch() -> None:
        while signals := os.read(reader, 4096):
            if any(number in signals for number in REQUESTS) or is_due():
                stop()

    thread = threading.Thread(target=watch, name="kafkacheck-interrupts", daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)
        thread.join()
        os.close(reader)


def end_with(parent: int) -> None:
    """End this process soon after the process `parent`, which began it, has ended in any way."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    threading.Thread(target=watch, name="kafkacheck-parent", daemon=True).start()


# The rest is for foreign code: a model of the user.

_may_supervise = False
_has_foreign_threads = False
_pipe: int | None = None
"""The pipe to the supervisor of this process, if it has one."""


def allow_supervisor() -> None:
    """Allow `supervise`: this process is the program's own."""
    global _may_supervise
    _may_supervise = hasattr(os, "fork")


def supervise() -> None:
    """Go on in a child, so that this process notices an end that the child does not report, such as `os._exit(0)`.

    Both are in one process group, so that a terminal's signals reach the child as well; other signals are passed on.
    Does nothing if it was called before, in another program than ours, or if other threads run already.
    """
    global _may_supervise, _pipe
    if not _may_supervise or threading.active_count() > 1:
        return
    _may_supervise = False
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
    passed_on = [each for each in (*REQUESTS, signal.SIGQUIT) if signal.getsignal(each) != signal.SIG_IGN]
    reader, writer = os.pipe()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [*passed_on, signal.SIGCHLD])
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:  # too little memory for another process: go on without a supervisor
        os.close(reader)
        os.close(writer)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return
    if child:
        os.close(writer)
        os._exit(_supervised(child, reader, passed_on))
    os.close(reader)
    _pipe = writer
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    end_with(parent)


def note_foreign_threads() -> None:
    """Remember that foreign code has begun threads, for which Python would wait at its end."""
    global _has_foreign_threads
    _has_foreign_threads = True


def report(line: str) -> None:
    """Report to the supervisor, if there is one: `importing FILE`, `imported`, or `status N`."""
    if _pipe is not None:
        with contextlib.suppress(OSError):
            os.write(_pipe, f"{line}\n".encode(errors="replace"))


def _supervised(child: int, reader: int, passed_on: list[int]) -> int:
    """Wait for the child; the exit status that it reported, or else the one for its end, which is printed."""
    from kafkacheck.checker.process import statuses  # not before it is needed

    while True:
        number, is_of_all = _next_signal([*passed_on, signal.SIGCHLD])
        if number == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
        elif not is_of_all:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
    os.set_blocking(reader, False)
    with contextlib.suppress(BlockingIOError):
        lines = os.read(reader, 1 << 20).decode(errors="replace").splitlines()
        last = lines[-1] if lines else ""
    if last.startswith("status "):
        return int(last.removeprefix("status "))
    code = os.waitstatus_to_exitcode(status)
    if -code == signal.SIGQUIT:
        return statuses.BY_SIGNAL + signal.SIGQUIT
    how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit status {code}"
    answer = statuses.BY_SIGNAL - code if code < 0 else statuses.EVALUATION_FAILED
    where = "before it had an answer; what it imports, or the model's own code, must not end the process"
    if last.startswith("importing "):
        answer = answer if code == -signal.SIGKILL else statuses.NOT_WELL_FORMED
        where = f"while it was {last}; a model file only defines, so take out what ends the process"
    if code == -signal.SIGKILL:
        where = "from outside, as the system does if memory runs out; its results are lost"
    with contextlib.suppress(OSError):
        os.write(2, f"error: the process was {how} {where}\n".encode(errors="replace"))
    return answer


def _next_signal(waited: list[int]) -> tuple[int, bool]:
    """The next of these signals, which are blocked, and whether a key of a terminal sent it, to the whole group.

    A terminal that is closed signals only the first process of its session.
    """
    if not hasattr(signal, "sigwaitinfo"):
        return signal.sigwait(waited), False
    found = signal.sigwaitinfo(waited)
    return found.si_signo, found.si_code > 0 and found.si_signo in (signal.SIGINT, signal.SIGQUIT)
