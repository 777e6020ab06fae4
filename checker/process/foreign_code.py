"""What code that is not ours may not do to this process while it is imported, and what its values say of themselves."""

import builtins
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.interrupts import limited

SECONDS_TO_SAY = 1.0
"""How long a value may take to say what it is."""

_forks = 0


def _note_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_note_fork)


def safe_text(value: object, how: Callable[[Any], str] = str) -> str:
    """`str(value)` or, as `how`, `repr(value)`; in its place a remark where that raises, is no text or takes long."""
    try:
        with limited(SECONDS_TO_SAY):
            text = how(value)
            return "".join([text])  # a text of its own kind could do anything later
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<{type(value).__name__}, whose {how.__name__}() ends in {type(error).__name__}>"


class _Aside:
    """A stream under another name: what closes it closes nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        """Nothing."""


@contextlib.contextmanager
def contained(what: str) -> Iterator[None]:
    """Within it code of others is imported. What it prints goes to stderr, and what it changes is put back: the
    streams, the working folder, the recursion limit, signal handlers and builtins.

    ModelError where it replaces builtins or begins processes by a fork, which go on in our code; one that was begun so
    ends here. Threads of its own are not waited for when the process ends.
    """
    process, forks, threads = os.getpid(), _forks, set(threading.enumerate())
    known = {name: value for name, value in vars(builtins).items() if name != "_"}
    try:
        with _streams(), _settings():
            yield
    finally:
        if os.getpid() != process:
            os._exit(1)
        replaced = [name for name, value in known.items() if vars(builtins).get(name, builtins) is not value]
        vars(builtins).update({name: known[name] for name in replaced})
        if any(each.is_alive() and not each.daemon for each in set(threading.enumerate()) - threads):
            shutdown.note_foreign_threads()
        if replaced:  # whatever came of that
            raise ModelError(
                f"{what} replaces what Python gives to every module: {', '.join(sorted(replaced))}; a model file only "
                "defines, so take that out"
            )
    if _forks != forks:
        raise ModelError(f"{what} begins another process by a fork; a model file only defines, so take that out")


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    limit, handlers = sys.getrecursionlimit(), _handlers()
    here: str | None = None
    with contextlib.suppress(OSError):
        here = os.getcwd()
    try:
        yield
    finally:
        if sys.getrecursionlimit() != limit:
            sys.setrecursionlimit(limit)
        with contextlib.suppress(OSError):
            if here is not None:
                os.chdir(here)
        for number, handler in _handlers().items():
            if handler is not handlers.get(number) and handlers.get(number) is not None:
                signal.signal(number, handlers[number])


def _handlers() -> dict[int, Any]:
    """The handlers of all signals, where this thread may set them; None for one that is not Python's."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Within it stdout is an alias of stderr; afterwards both are as they were, also where they were closed."""
    before = sys.stdout, sys.stderr
    kept: dict[int, int] = {}
    for number in (1, 2):
        with contextlib.suppress(OSError):
            kept[number] = os.dup(number)
    sys.stdout = sys.stderr = _Aside(before[1])
    try:
        yield
    finally:
        for number, copy in kept.items():
            os.dup2(copy, number)
            os.close(copy)
        sys.stdout, sys.stderr = (
            open(number, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115  # to the end
            if getattr(stream, "closed", False) and number in kept
            else stream
            for number, stream in zip((1, 2), before, strict=True)
        )
