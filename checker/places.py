"""Where the sources of the checker itself lie."""

from pathlib import Path

CHECKER = Path(__file__).resolve().parent
"""The folder of this package."""

SOURCES = CHECKER.parent
"""The folder that has this package in it: with it on Python's path, another process imports the same one."""


def is_of_checker(file: str | Path) -> bool:
    """Whether a file of Python code is one of the checker's own."""
    return Path(file).resolve().is_relative_to(CHECKER)
