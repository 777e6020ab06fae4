"""Where the sources of the checker lie, and how another process imports them."""

import functools
import hashlib
import os
import sys
from pathlib import Path

CHECKER = Path(__file__).resolve().parent.parent
"""The folder of the package `kafkacheck.checker`."""

SOURCES = CHECKER.parent
"""The folder that has that package in it. The package `kafkacheck` is this folder, under any name."""


def bootstrap() -> str:
    """Lines of Python by which another process finds these sources under their name."""
    return (
        "import importlib.machinery, importlib.util, sys\n"
        "spec = importlib.machinery.ModuleSpec('kafkacheck', None, is_package=True)\n"
        f"spec.submodule_search_locations = [{str(SOURCES)!r}]\n"
        "sys.modules['kafkacheck'] = importlib.util.module_from_spec(spec)"
    )


def child_command(program: str) -> list[str]:
    """The command that runs lines of Python in another process, which finds this package and ends with this process."""
    begin = f"from kafkacheck.checker.process import shutdown; shutdown.end_with({os.getpid()})"
    return [sys.executable, "-P", "-c", f"{bootstrap()}\n{begin}\n{program}"]


def elsewhere_command(first: str, program: str) -> list[str]:
    """The same, where the modules in the folder `first` come before those of these sources, but for the checker."""
    lines = [
        "from kafkacheck.checker.process import former_names",
        "former_names.heed()",
        'sys.modules["checker"] = sys.modules["kafkacheck.checker"]',
        f'sys.modules["kafkacheck"].__path__[:0] = [{first!r}]',
        f"sys.path[:0] = [{first!r}]",
    ]
    return child_command("\n".join([*lines, program]))


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
