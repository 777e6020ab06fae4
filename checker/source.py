"""Finding the syntax tree of a function, and saying where in a file something is."""

import ast
import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

from checker.errors import ModelError


def place_of(function: Callable[..., Any], line: int | None = None) -> str:
    """Where `function` (or the given line of its file) is, as "path:line", the path relative where that is shorter."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(function)
    return f"{short_path(code.co_filename)}:{code.co_firstlineno if line is None else line}"


def short_path(path: str) -> str:
    """A path as a reader in the current folder would write it."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):
        return path
    return path if relative.startswith("..") else relative


def function_tree(function: Any) -> ast.FunctionDef:
    """The syntax tree of a plain module-level function. ModelError says what else it is, and the mend."""
    if not isinstance(function, FunctionType):
        raise ModelError(f"{function!r} is not a plain Python function; protocol code consists of `def` functions")
    place = place_of(function)
    if function.__name__ == "<lambda>":
        raise ModelError(f"{place}: a lambda is outside the plain subset; write a `def` with a name and a docstring")
    if function.__closure__:
        names = ", ".join(function.__code__.co_freevars)
        raise ModelError(f"{place}: {function.__name__} is a closure over {names}; pass it as an argument instead")
    if hasattr(function, "__wrapped__"):
        raise ModelError(f"{place}: {function.__name__} is decorated; protocol functions carry no decorator")
    if function.__defaults__ or function.__kwdefaults__:
        raise ModelError(f"{place}: {function.__name__} has default arguments; pass every argument")
    code = function.__code__
    functions = _functions_of(code.co_filename, _stamp(code.co_filename, place))
    tree = functions.get((function.__name__, code.co_firstlineno))
    if tree is None:
        raise ModelError(
            f"{place}: the source of {function.__name__} was not found there; protocol functions live in a file, "
            "undecorated, and the file has not changed since it was imported"
        )
    return tree


def _stamp(path: str, place: str) -> tuple[int, int]:
    try:
        status = os.stat(path)
    except OSError:
        raise ModelError(f"{place}: there is no such file; protocol functions must live in a file") from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=256)
def _functions_of(path: str, stamp: tuple[int, int]) -> dict[tuple[str, int], ast.FunctionDef]:
    """All functions of a file by name and first line; `stamp` makes an edited file be read again."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"), path)
    return {
        (node.name, node.lineno): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and not node.decorator_list
    }
