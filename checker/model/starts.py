"""The initial states of a model: what its initial functions make of the blank state."""

import typing
from typing import Any

from kafkacheck.checker.language.ir import NOTHING
from kafkacheck.checker.model.parts import Action
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.process.locations import guarded, place_of
from kafkacheck.checker.schema.objects import Values

if typing.TYPE_CHECKING:
    from kafkacheck.checker.model.model import Model


def calls(model: "Model") -> list[tuple[Action, Values, Any]]:
    """The first call that makes each initial state, and that state. EvaluationError as `Model.initial_calls` says."""
    found: dict[Values, tuple[Action, Values, Any]] = {}
    for action in model.initial:
        for values in action.combinations():
            state = model.layout.blank()
            if _starts(action, state, values):
                flat = model.layout.flatten(state)
                bad = model.layout.first_out_of_range(flat)
                if bad is not None:
                    raise EvaluationError(
                        f"{place_of(action.function)}: {action.name} leaves {bad[0].path} = {bad[1]}, "
                        f"outside its range {bad[0].low} .. {bad[0].high}"
                    )
                found.setdefault(flat, (action, values, state))
    if model.initial and not found:
        names = ", ".join(action.name for action in model.initial)
        raise EvaluationError(f"{model.name} has no initial state: {names} returned False for all parameters")
    return list(found.values())


def _starts(action: Action, state: Any, values: Values) -> bool:
    enabled = guarded(f"{action.name} on the blank state", lambda: action.apply(state, values))
    return enabled or action.read.returns == NOTHING
