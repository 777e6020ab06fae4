"""The program: `python -m checker`, installed as `kafkacheck`; or this file itself, as `spark-submit` runs it."""

import sys
from pathlib import Path

if not __package__:  # run as a file: Python would look for modules in this folder, where `model` is another one
    folder = Path(__file__).resolve().parent
    sys.path[:] = [str(folder.parent), *(place for place in sys.path if Path(place).resolve() != folder)]

from checker.statuses import NOT_EXHAUSTED


def main() -> int:
    """Run the command line; the exit status. Ctrl-C while it is being loaded ends it as it does later."""
    try:
        from checker import command_line
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted before the command began\n")
        return NOT_EXHAUSTED
    return command_line.main()


if __name__ == "__main__":
    sys.exit(main())
