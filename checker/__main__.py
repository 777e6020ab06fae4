"""The program: `python -m checker`, installed as `kafkacheck`; or this file itself, as `spark-submit` runs it."""

import os
import signal
import sys
from types import FrameType

NOT_EXHAUSTED = 20  # as in checker.process.statuses, which takes time to import
REQUESTS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def _leave(number: int, frame: FrameType | None) -> None:
    """End the process at once: nothing has begun that must end in order."""
    try:
        os.write(2, b"error: interrupted before the command began\n")
    finally:
        os._exit(NOT_EXHAUSTED)


def _let_leave() -> None:
    """Let a request end the process, unless it is ignored."""
    for each in REQUESTS:
        if signal.getsignal(each) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(each, _leave)


def _let_go() -> None:
    """Give requests Python's own handlers again."""
    for each in REQUESTS:
        if signal.getsignal(each) is _leave:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)


_let_leave()

from pathlib import Path  # noqa: E402  # because it takes long enough to be interrupted

if not __package__:  # run as a file: Python would look for modules in this folder, where `model` is another one
    folder = Path(__file__).resolve().parent
    sys.path[:] = [str(folder.parent), *(place for place in sys.path if Path(place).resolve() != folder)]
    __import__("checker")  # from now on the sources have the name that they have when they are installed

from kafkacheck.checker.process import memory, shutdown  # noqa: E402  # because of where a file that is run looks for modules

_let_go()  # an import of this file must not change Ctrl-C


def main() -> int:
    """Run the command line; the exit status. A request to end while it is being loaded ends the process quietly."""
    _let_leave()
    memory.limit_blas_threads()
    memory.guard_imports()
    shutdown.show_threads_at_quit()
    from kafkacheck.checker.commands import command_line

    shutdown.install(_leave)
    shutdown.allow_supervisor()
    status = command_line.main()
    shutdown.finish(status)
    return status


if __name__ == "__main__":
    sys.exit(main())
