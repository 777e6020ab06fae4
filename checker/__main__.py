"""The program: `python -m checker`, installed as `kafkacheck`."""

import sys

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
