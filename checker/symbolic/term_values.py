"""Terms evaluated on many states at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from kafkacheck.checker.schema import Flag
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.symbolic.terms import Term, in_order

Known = Mapping[str, Any]
"""The value of each variable: one, or an array of as many as there are states."""

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "not": np.logical_not,
    "and": lambda *sides: np.logical_and.reduce(np.broadcast_arrays(*sides)),
    "or": lambda *sides: np.logical_or.reduce(np.broadcast_arrays(*sides)),
    "choose": np.where,
    "==": np.equal,
    "<": np.less,
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "narrow": lambda value: value,
    "//": lambda left, right: np.floor_divide(left, np.where(right == 0, 1, right)),
    "%": lambda left, right: np.remainder(left, np.where(right == 0, 1, right)),
}


def known_of(layout: Layout, rows: "np.ndarray[Any, Any]") -> Known:
    """The values of the variables of `symbolic.variables(layout)` in flattened states, int64[n, leaves]."""
    return {
        leaf.path: rows[:, column].astype(np.bool_) if isinstance(leaf.kind, Flag) else rows[:, column]
        for column, leaf in enumerate(layout.leaves)
    }


def evaluate(roots: Sequence[Term], known: Known) -> list[Any]:
    """The value of each root: one, or an array of as many as there are states. Sums beyond 64 bits are not noticed."""
    values: dict[int, Any] = {}
    for term in in_order(roots):
        values[id(term)] = _value(term, [values[id(argument)] for argument in term.arguments], known)
    return [values[id(root)] for root in roots]


def _value(term: Term, arguments: list[Any], known: Known) -> Any:
    match term.operator:
        case "const":
            return np.bool_(term.value) if term.is_bool else np.int64(term.value)
        case "variable":
            return known[str(term.payload)]
        case ">>":
            return np.right_shift(arguments[0], np.int64(term.payload or 0))
    return _OPERATIONS[term.operator](*arguments)
