"""Charges: a model can say of an action that it happens only so often.

A charged action is enabled only while the allowance of that name in the state's `budget` is above 0, and each time that
it is taken it pays 1. Neither is written in its function: the step that every reading runs is made here, and calls it.
The charge is the step's: a call of the function by another one would cost nothing, so that no action calls it.
"""

import ast
from collections.abc import Mapping
from functools import lru_cache
from types import FunctionType
from typing import Any

from kafkacheck.checker.language.ir import Function, reachable
from kafkacheck.checker.language.source import parameter_names, variant
from kafkacheck.checker.process.names import did_you_mean
from kafkacheck.checker.schema import Allowance
from kafkacheck.checker.schema.shape import Record, Scalar

BUDGET = "budget"
"""The field of the state that has the allowances."""

_ACTION = "__action__"
_STEP = """
def {name}({parameters}):
    if {state}.{budget}.{allowance} == 0:
        return False
    if not {action}({parameters}):
        return False
    {state}.{budget}.{allowance} -= 1
    return True
"""


@lru_cache(maxsize=1024)
def charged(function: FunctionType, allowance: str) -> FunctionType:
    """The step that an action is, once it is charged: a function of the same parameters; the same one each time.

    ModelError where it is no plain function.
    """
    parameters = parameter_names(function)
    text = _STEP.format(
        name=function.__name__, parameters=", ".join(parameters), state=parameters[0] if parameters else "",
        budget=BUDGET, allowance=allowance, action=_ACTION,
    )  # fmt: skip
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    for node in ast.walk(tree):
        if "lineno" in node._attributes:  # all of it is where the function begins
            ast.copy_location(node, ast.Pass(lineno=function.__code__.co_firstlineno, col_offset=0))
    return variant(function, {"__name__": function.__module__, _ACTION: function}, tree)


def is_charged(function: FunctionType) -> bool:
    """Whether a function is the step of a charged action."""
    return _ACTION in function.__globals__


def charge_problem(state: Record, read: Function, allowance: str) -> str:
    """Why an action cannot be charged to an allowance, in words that follow its name; "" if it can.

    `state` is the type of the state, `read` the action's function.
    """
    told, budget = f"is charged to {allowance!r}", state.field(BUDGET)
    if not isinstance(budget, Record):
        has = "has no" if budget is None else "has no record in its"
        return (
            f"{told}, and {state.struct.__name__} {has} field `{BUDGET}`; write `{BUDGET}: Budget` in it, with the "
            "Budget of kafkacheck.checker.schema"
        )
    kept = budget.field(allowance)
    if not isinstance(kept, Scalar) or not isinstance(kept.kind, Allowance):
        near = did_you_mean(allowance, [name for name, _ in budget.fields])
        found = f"is missing{near}" if kept is None else f"is {kept.kind if isinstance(kept, Scalar) else 'no number'}"
        return (
            f"{told}, and {budget.struct.__name__}.{allowance} {found}; let it be "
            f"`Annotated[int, Allowance({allowance!r})]`, or write `{BUDGET}: Budget`, with the Budget of "
            "kafkacheck.checker.schema"
        )
    if (budget.struct.__name__, allowance) in read.written:
        return (
            f"{told} and writes {BUDGET}.{allowance} by itself, too; leave out that write, and the guard that goes "
            "with it"
        )
    return ""


class OfFamily(dict[Any, str]):
    """The charges of a family: each of its models takes some of these actions."""


def call_problem(read: Function, charges: Mapping[FunctionType, str]) -> str:
    """Why an action, by its function as read, cannot call a charged one, in words that follow its name; "" if it does
    not.
    """
    for each in reachable([read]):
        if each.function is not read.function and each.function in charges:
            name = each.function.__name__
            return (
                f"calls {name}, which is charged to {charges[each.function]!r}: only a step by {name} itself pays, a "
                "call does not; move what both do into a function that is not charged, and let both call that"
            )
    return ""
