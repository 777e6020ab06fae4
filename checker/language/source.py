"""Finding the syntax tree of a function, and saying where in a file something is or has failed."""

import ast
import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import place_of, shown

_TREE = "__kafkacheck_tree__"
"""The attribute that holds the syntax tree of a function which no file has; see `variant`."""


def variant(function: FunctionType, scope: dict[str, Any], tree: ast.FunctionDef | None = None) -> FunctionType:
    """A copy of a function that sees `scope` as its module, and has another syntax tree where one is given.

    It says that it lives where the original does, line by line.
    """
    code = function.__code__
    copy = FunctionType(code, scope, function.__name__) if tree is None else made(tree, code.co_filename, scope)
    copy.__annotations__ = dict(function.__annotations__)
    copy.__doc__ = function.__doc__
    copy.__module__ = function.__module__
    return copy


def made(tree: ast.FunctionDef, path: str, scope: dict[str, Any]) -> FunctionType:
    """The function that a syntax tree of a file defines, which sees `scope` as its module. It has no annotations."""
    whole = compile(ast.Module([tree], []), path, "exec", 0, True)
    function = FunctionType(next(each for each in codes_within(whole) if each.co_name == tree.name), scope, tree.name)
    setattr(function, _TREE, tree)
    return function


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
        codes = {
            (code.co_name, code.co_firstlineno): code for code in codes_within(compile(tree, path, "exec", 0, True))
        }
    except (SyntaxError, ValueError):
        return {}
    found: dict[tuple[str, int], tuple[ast.AST, CodeType | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            key = (node.name, min(part.lineno for part in (node, *node.decorator_list)))
            found[key] = (node, codes.get(key))
    return found


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """A compiled function, and the generators within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_within(constant)


def _essence(code: CodeType) -> tuple[object, ...]:
    """What makes two compiled functions do the same."""
    constants = [_essence(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars, code.co_freevars


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
