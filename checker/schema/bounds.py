"""Sizes and ranges written as expressions over the names of a model's bounds, such as "max_rounds + 1"."""

import ast
import contextlib
import operator
from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema.plain_values import int_problem
from kafkacheck.checker.schema.schema import Size

_OPERATIONS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


_LEAST_TRIED, _TRIED = -100, 1000
"""From which value on, and how many of them, are tried for a bound that is too low."""


class Bounds:
    """The named integers that make a model finite. Remembers which of them were used, so that none is idle."""

    def __init__(self, values: Mapping[str, int]) -> None:
        for name, value in values.items():
            if not isinstance(value, int) or isinstance(value, bool):
                raise ModelError(f"bound {name} is {value!r}; a bound is a whole number")
            if problem := int_problem(value):
                raise ModelError(f"bound {name} {problem}")
        self.values = dict(values)
        self.used: set[str] = set()

    def as_tuple(self) -> Any:
        """The bounds as functions are given them: a NamedTuple."""
        made = namedtuple("Bounds", list(self.values), rename=True)  # type: ignore[misc]  # the names are data
        return made(*self.values.values())

    def evaluate(self, size: Size, place: str) -> int:
        """The value of `size`; ModelError, which names `place` (a field or parameter), if the value is missing."""
        if isinstance(size, int) and not isinstance(size, bool):
            if problem := int_problem(size):
                raise ModelError(f"{place}: the size {problem}")
            return size
        if not isinstance(size, str):
            raise ModelError(f"{place}: {size!r} is not a size; give a whole number or an expression such as 'members'")
        tree = _parsed(size)
        if tree is None:
            raise ModelError(
                f"{place}: {size!r} is not an expression over bounds; write for example 'members' or 'max_rounds + 1'"
            )
        return self._value(tree, size, place)

    def mend(self, size: Size, least: int) -> str:
        """Which bound to raise, and to which least value, so that `size` is not below `least`; "" if none does."""
        for name in sorted(names_in(size) & self.values.keys()):
            start = max(self.values[name], _LEAST_TRIED)
            for value in range(start + 1, start + _TRIED):
                with contextlib.suppress(ModelError):  # it may divide by zero
                    if Bounds({**self.values, name: value}).evaluate(size, "") >= least:
                        return f"; the bound {name} is {self.values[name]}, and must be at least {value} here"
        return ""

    def _value(self, node: ast.expr, size: str, place: str) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            if node.id not in self.values:
                known = ", ".join(sorted(self.values)) or "none"
                raise ModelError(
                    f"{place}: the bound {node.id!r} is not defined; the model's bounds are: {known}. "
                    f"Add {node.id!r} to `bounds` or correct the name"
                )
            self.used.add(node.id)
            return self.values[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._value(node.operand, size, place)
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            left = self._value(node.left, size, place)
            right = self._value(node.right, size, place)
            if isinstance(node.op, ast.FloorDiv) and right == 0:
                raise ModelError(f"{place}: {size!r} divides by zero at these bounds")
            return _OPERATIONS[type(node.op)](left, right)
        raise ModelError(f"{place}: {size!r} may use only bounds, integers, + - * and //")


def names_in(size: Size) -> frozenset[str]:
    """The bounds that a size names; none for a number, or for a text that is no expression."""
    tree = _parsed(size) if isinstance(size, str) else None
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name)) if tree else frozenset()


@lru_cache(maxsize=4096)
def _parsed(size: str) -> ast.expr | None:
    """The tree of an expression; None if the text is no expression."""
    try:
        return ast.parse(size.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
