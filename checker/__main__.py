"""`python -m checker`: the command line."""

import sys

from checker.command_line import main

if __name__ == "__main__":
    sys.exit(main())
