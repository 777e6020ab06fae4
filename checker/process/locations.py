"""Places in files: of functions, declarations and failures."""

import ast
import os
import re
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Any

from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.process.sources import is_of_checker

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def place_of(function: Callable[..., Any], line: int | None = None) -> str:
    """Where `function` (or the given line of its file) is, as "path:line", with the path as `short_path` writes it."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(function)
    return f"{short_path(code.co_filename)}:{code.co_firstlineno if line is None else line}"


def declaration_place(module: str, class_name: str, name: str = "") -> str:
    """Where a class, or the field `name` in its body, is declared: "path:line", or less if not found."""
    path = getattr(sys.modules.get(module), "__file__", None)
    try:
        tree = ast.parse(Path(path or "").read_bytes())
    except (OSError, SyntaxError, ValueError):
        return module
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            fields = [each for each in node.body if name in _assigned(each)]
            if fields or not name:
                line = fields[0].lineno if fields else node.lineno
                return f"{short_path(str(path))}:{line}"
    return short_path(str(path))


def _assigned(statement: ast.stmt) -> list[str]:
    """The names that a statement assigns or declares."""
    match statement:
        case ast.AnnAssign(target=target):
            return [ast.unparse(target)]
        case ast.Assign(targets=targets):
            return [ast.unparse(target) for target in targets]
    return []


def caller() -> FrameType:
    """The nearest frame that runs code which is not the checker's own; the caller's if there is none."""
    nearest = frame = sys._getframe(1)
    while is_of_checker(frame.f_code.co_filename):
        if frame.f_back is None:
            return nearest
        frame = frame.f_back
    return frame


def shown(value: object) -> str:
    """A value as an error shows it: as Python does, without the address that it has in memory."""
    return ADDRESS.sub("", repr(value))


def short_path(path: str) -> str:
    """A path as a reader in the current folder would write it."""
    try:
        relative = _relative(path, os.getcwd())
    except (ValueError, OSError):
        return path
    return path if relative.startswith("..") else relative


@lru_cache(maxsize=1024)
def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder)


def guarded(what: str, function: Callable[[], Any]) -> Any:
    """Call protocol code; any exception it raises becomes an EvaluationError that says where."""
    try:
        return function()
    except (EvaluationError, MemoryError):
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [each for each in frames if not is_of_checker(each.filename)]
        frame = (own or frames)[-1]
        raise EvaluationError(
            f"{short_path(frame.filename)}:{frame.lineno}: {what} failed: {type(error).__name__}: {error}"
            + (f" (in `{frame.line}`)" if frame.line else "")
        ) from error
