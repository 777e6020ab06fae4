"""Finding the syntax tree of a function, and saying where in a file something is or has failed."""

import ast
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from checker.errors import EvaluationError, ModelError
from checker.places import is_of_checker

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_TREE = "__kafkacheck_tree__"
"""The attribute that holds the syntax tree of a function which no file has; see `variant`."""


def place_of(function: Callable[..., Any], line: int | None = None) -> str:
    """Where `function` (or the given line of its file) is, as "path:line", the path relative where that is shorter."""
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
    """What a statement gives a value, or declares."""
    match statement:
        case ast.AnnAssign(target=target):
            return [ast.unparse(target)]
        case ast.Assign(targets=targets):
            return [ast.unparse(target) for target in targets]
    return []


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


def variant(function: FunctionType, scope: dict[str, Any], tree: ast.FunctionDef | None = None) -> FunctionType:
    """A copy of a function that sees `scope` as its module, and has another syntax tree where one is given.

    It says that it lives where the original does, line by line.
    """
    code = function.__code__
    if tree is not None:
        whole = compile(ast.Module([tree], []), code.co_filename, "exec", 0, True)
        code = next(each for each in _codes(whole) if each.co_name == tree.name)
    copy = FunctionType(code, scope, function.__name__)
    copy.__annotations__ = dict(function.__annotations__)
    copy.__doc__ = function.__doc__
    copy.__module__ = function.__module__
    if tree is not None:
        setattr(copy, _TREE, tree)
    return copy


def function_tree(function: Any) -> ast.FunctionDef:
    """The syntax tree of a plain module-level function. ModelError says what else it is, and the mend."""
    if isinstance(function, FunctionType) and hasattr(function, _TREE):
        tree = getattr(function, _TREE)
        assert isinstance(tree, ast.FunctionDef)
        return tree
    inside = getattr(function, "__func__", None)
    if isinstance(function, staticmethod | classmethod) and isinstance(inside, FunctionType):
        raise ModelError(f"{place_of(inside)}: {inside.__name__} is decorated; protocol functions carry no decorator")
    if not isinstance(function, FunctionType):
        raise ModelError(f"{shown(function)} is not a plain Python function; protocol code consists of `def` functions")
    code = function.__code__
    if code.co_name == "<lambda>":
        raise ModelError(
            f"{place_of(function)}: a lambda is outside the plain subset; write a `def` with a name and a docstring"
        )
    if hasattr(function, "__wrapped__"):
        raise ModelError(
            f"{place_of(function)}: {function.__name__} is decorated; protocol functions carry no decorator"
        )
    if function.__closure__:
        names = ", ".join(code.co_freevars)
        raise ModelError(
            f"{place_of(function)}: {function.__name__} is a closure over {names}; pass it as an argument instead"
        )
    if function.__defaults__ or function.__kwdefaults__:
        raise ModelError(f"{place_of(function)}: {function.__name__} has default arguments; pass every argument")
    return _tree_of(function, code, _stamp(function))


@lru_cache(maxsize=4096)
def _tree_of(function: FunctionType, code: CodeType, stamp: tuple[int, int]) -> ast.FunctionDef:
    """The syntax tree of a function with this code in its file as it is now."""
    functions = _functions_of(code.co_filename, stamp)
    tree, compiled = functions.get((code.co_name, code.co_firstlineno), (None, None))
    if isinstance(tree, ast.AsyncFunctionDef):
        raise ModelError(
            f"{place_of(function)}: {function.__name__} is `async`; a step waits for nothing, so write a plain `def` "
            "without `await`"
        )
    if not isinstance(tree, ast.FunctionDef):
        raise ModelError(
            f"{place_of(function)}: no `def {code.co_name}` was found there; protocol functions are plain ones that "
            "live in a file, and the file must not change while it is in use"
        )
    if tree.decorator_list:
        raise ModelError(
            f"{place_of(function)}: {function.__name__} is decorated; protocol functions carry no decorator"
        )
    if compiled is None or _essence(compiled) != _essence(code):
        raise ModelError(
            f"{place_of(function)}: the text of {function.__name__} is not what Python runs: the file has changed "
            "since it was imported; start again, and if that does not help remove the __pycache__ folder beside it"
        )
    return tree


def parameter_names(function: Any) -> list[str]:
    """The names of a function's parameters. ModelError where some are not plain ones."""
    arguments = function_tree(function).args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        raise ModelError(
            f"{place_of(function)}: {function.__name__} has / or * among its parameters; only plain positional "
            "parameters are in the plain subset"
        )
    return [argument.arg for argument in arguments.args]


def _stamp(function: FunctionType) -> tuple[int, int]:
    try:
        status = os.stat(function.__code__.co_filename)
    except OSError:
        message = f"{place_of(function)}: there is no such file; protocol functions must live in a file"
        raise ModelError(message) from None
    return status.st_mtime_ns, status.st_size


@lru_cache(maxsize=256)
def _functions_of(path: str, stamp: tuple[int, int]) -> dict[tuple[str, int], tuple[ast.AST, CodeType | None]]:
    """All functions of a file by name and first line, read and compiled; `stamp` makes an edited file be read again."""
    try:
        tree = ast.parse(Path(path).read_bytes(), path)
        codes = {(code.co_name, code.co_firstlineno): code for code in _codes(compile(tree, path, "exec", 0, True))}
    except (SyntaxError, ValueError):
        return {}
    found: dict[tuple[str, int], tuple[ast.AST, CodeType | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            key = (node.name, min(part.lineno for part in (node, *node.decorator_list)))
            found[key] = (node, codes.get(key))
    return found


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _essence(code: CodeType) -> tuple[object, ...]:
    """What makes two compiled functions do the same."""
    constants = [(type(each), each) for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_code, constants, code.co_names, code.co_varnames


@lru_cache(maxsize=1 << 14)
def nested_deeper(statement: ast.stmt, most: int) -> ast.AST | None:
    """An expression of a statement that lies deeper than `most` expressions; None if there is none."""
    parts: list[tuple[ast.AST, int]] = [(statement, 0)]
    while parts:
        node, depth = parts.pop()
        if depth > most:
            return node
        parts += [(each, depth + isinstance(each, ast.expr)) for each in ast.iter_child_nodes(node)]
    return None
