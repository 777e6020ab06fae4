"""The program: `python -m checker`, installed as `kafkacheck`; or this file itself, as `spark-submit` runs it."""

import os
import signal
import sys
from types import FrameType

NOT_EXHAUSTED = 20  # as in checker.statuses, which is not to be waited for


def _leave(number: int, frame: FrameType | None) -> None:
    """End the process at once: nothing has begun that would have to be ended in order."""
    try:
        os.write(2, b"error: interrupted before the command began\n")
    finally:
        os._exit(NOT_EXHAUSTED)


def _let_interruptions(do: "signal._HANDLER") -> None:
    """Let Ctrl-C do something else from now on, unless whoever started the process has it ignored."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, _leave):
        signal.signal(signal.SIGINT, do)


_let_interruptions(_leave)

from pathlib import Path  # noqa: E402  # because it takes long enough to be interrupted

if not __package__:  # run as a file: Python would look for modules in this folder, where `model` is another one
    folder = Path(__file__).resolve().parent
    sys.path[:] = [str(folder.parent), *(place for place in sys.path if Path(place).resolve() != folder)]

from checker import room  # noqa: E402  # because of where a file that is run looks for modules

_let_interruptions(signal.default_int_handler)  # who only imports this file shall see no other Ctrl-C


def _end_as_by_ctrl_c(number: int, frame: FrameType | None) -> None:
    """Do what Ctrl-C does: tell what was found, and leave nothing half-written."""
    os.kill(os.getpid(), signal.SIGINT)


def main() -> int:
    """Run the command line; the exit status. Ctrl-C while it is being loaded ends the process quietly."""
    _let_interruptions(_leave)
    room.without_threads()
    room.watch_imports()
    from checker.commands import command_line

    _let_interruptions(signal.default_int_handler)
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _end_as_by_ctrl_c)
    return command_line.main()


if __name__ == "__main__":
    sys.exit(main())
