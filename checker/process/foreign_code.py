"""Protects this process from foreign code: while a user's model is imported, and when its values are printed."""

import builtins
import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

from kafkacheck.checker.process import former_names, shutdown
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.interrupts import limited

SECONDS_TO_SAY = 1.0
"""How long `str` or `repr` of a value may take."""

_forks = 0


def _note_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_parent=_note_fork)


def described(error: BaseException) -> str:
    """Why a module of foreign code cannot be imported, and the mend."""
    name = type(error).__name__
    hint = former_names.hint(error.name or "") if isinstance(error, ImportError) else ""
    if isinstance(error, ModuleNotFoundError):
        mend = f"install {error.name} for {sys.executable}, set PYTHONPATH to the folder that it is in"
        return f"{safe_text(error)}; {hint or f'{mend}, or mend the import'}"
    if isinstance(error, SystemExit):
        return f"it ends the process ({name}: {safe_text(error)}); a model file only defines, so take that out"
    return f"{name}: {safe_text(error)}; {hint or 'mend that line'}"


def safe_text(value: object, how: Callable[[Any], str] = str) -> str:
    """`str(value)`, or `repr(value)` if that is `how`; a remark instead if it raises, is no text or takes long."""
    try:
        with limited(SECONDS_TO_SAY):
            text = how(value)
            return "".join([text])  # a text of its own kind could do anything later
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"<{type(value).__name__}, whose {how.__name__}() ends in {type(error).__name__}>"


class _Aside:
    """An alias of a stream; closing the alias closes nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def close(self) -> None:
        """Nothing."""


@contextlib.contextmanager
def contained(what: str) -> Iterator[None]:
    """Within it, foreign code is imported. Its output goes to stderr, and its changes of the process are undone: of
    streams, the working folder, the recursion limit, signal handlers and builtins.

    ModelError if the code replaces builtins, or forks a process, which would go on in our code and ends here instead.
    At the end the process does not wait for threads that the code began.
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
        if replaced:  # also if the import failed
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
    """The handlers of all signals, if this thread may set them; None for one that was not set by Python."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


@contextlib.contextmanager
def _streams() -> Iterator[None]:
    """Within it stdout is an alias of stderr; afterwards both are as before, even if they were closed."""
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
