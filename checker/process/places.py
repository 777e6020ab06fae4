"""Where the sources of the checker itself lie."""

import functools
import hashlib
import os
import sys
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent
"""The folder of the package `checker`."""

SOURCES = CHECKER.parent
"""The folder that has that package in it: with it on Python's path, another process imports the same one."""


def child(program: str) -> list[str]:
    """The command that runs lines of Python in another process, which finds this package and ends with this process."""
    begin = f"from checker.process import endings; endings.end_with({os.getpid()})"
    return [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(SOURCES)!r})\n{begin}\n{program}"]


def is_of_checker(file: str | Path) -> bool:
    """Whether a file of Python code is one of the checker's own."""
    return Path(file).resolve().is_relative_to(CHECKER)


@functools.cache
def digest_of_sources(folder: Path = CHECKER, but: Path | None = None) -> str:
    """A hash of the Python files in a folder, but for those in another one."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        if but is None or not path.is_relative_to(but):
            digest.update(path.read_bytes())
    return digest.hexdigest()
