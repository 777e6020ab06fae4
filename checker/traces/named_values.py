"""Numbers of a witness under the names that they have in traces: absent ids, members of enums, id sets."""

import ast
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kafkacheck.checker.schema import Array, Kind, Struct, kind_of
from kafkacheck.checker.schema.pretty import kind_value_text

Evaluate = Callable[[ast.expr], Any]
"""The value of an expression where the witness was found; None if it has none."""


class Named(int):
    """A number that is told by a name; JSON has the number."""

    name: str

    def __new__(cls, value: int, name: str) -> "Named":
        """The number, with its name."""
        named = super().__new__(cls, value)
        named.name = name
        return named


def named(value: int, node: ast.expr, evaluate: Evaluate, function: ast.AST) -> int:
    """The value of an expression in a function, with its name if its declaration gives it one; else as it is.

    A name of the function is followed to its annotation, or to what is assigned to it if that is done once.
    """
    if isinstance(value, bool) or type(value) is not int:
        return value
    kind = _kind(_annotation(node, evaluate, function, 3))
    text = str(value) if kind is None else kind_value_text(kind, value)
    return value if text == str(value) else Named(value, text)


def _kind(annotation: Any) -> Kind | None:
    try:
        return kind_of(annotation)
    except Exception:  # an annotation of a local name may be anything
        return None


def _annotation(node: ast.expr, evaluate: Evaluate, function: ast.AST, most: int) -> Any:
    """The annotation of what an expression reads; None if it is not found. `most`: how many names are followed."""
    if isinstance(node, ast.Attribute):
        owner = evaluate(node.value)
        return _fields(type(owner)).get(node.attr) if isinstance(owner, Struct) else None
    if isinstance(node, ast.Subscript):
        return _element(_annotation(node.value, evaluate, function, most))
    if isinstance(node, ast.Name) and most:
        return _of_name(node.id, evaluate, function, most - 1)
    return None


def _of_name(name: str, evaluate: Evaluate, function: ast.AST, most: int) -> Any:
    found = []
    for each in ast.walk(function):
        match each:
            case ast.arg(arg=str(taken), annotation=ast.expr() as annotation) if taken == name:
                found.append(evaluate(annotation))
            case ast.Assign(targets=[ast.Name(id=str(taken))], value=value) if taken == name:
                found.append(_annotation(value, evaluate, function, most))
            case (
                ast.For(target=ast.Name(id=str(taken)), iter=array)
                | ast.comprehension(target=ast.Name(id=str(taken)), iter=array)
            ) if taken == name:
                found.append(_element(_annotation(array, evaluate, function, most)))
    return found[0] if len(found) == 1 else None


def _element(annotation: Any) -> Any:
    """The annotation of the elements of an array, given its own; None for something else."""
    base = typing.get_args(annotation)[0] if typing.get_origin(annotation) is typing.Annotated else annotation
    return typing.get_args(base)[0] if typing.get_origin(base) is Array else None


@lru_cache(maxsize=256)
def _fields(struct: type[Struct]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(struct, include_extras=True)
    except Exception:  # the module of a model may be gone by now
        return {}
