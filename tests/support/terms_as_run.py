"""What the symbolic reading makes of an action, evaluated on many states at once, and what plain Python does."""

import numpy as np

from kafkacheck.checker.proofs.solver import Translation
from kafkacheck.checker.schema import Flag
from kafkacheck.checker.symbolic import symbolic
from tests.support import z3_values

FAILED = "failed"


def assignments(model, rows, suffix=""):
    return {
        leaf.path + suffix: rows[:, column].astype(bool) if isinstance(leaf.kind, Flag) else rows[:, column]
        for column, leaf in enumerate(model.layout.leaves)
    }


def evaluated(translation, known, terms):
    done = {}
    count = len(next(iter(known.values())))
    values = [z3_values.evaluate(translation.expression(term), known, done) for term in terms]
    return [np.broadcast_to(value, count) for value in values]


def outcome(action, model, values, parameters):
    """What the function returns, and the state it leaves; or that it failed."""
    state = model.layout.restore(values)
    try:
        return action.apply(state, parameters), model.layout.flatten(state)
    except (IndexError, ZeroDivisionError, ValueError):
        return FAILED


def read_symbolically(model, action, drawn, parameters):
    """Where the terms say that the action fails and is enabled, and the states they give, row by row."""
    step = symbolic.step(action, symbolic.variables(model.layout), symbolic.parameter_variables(action))
    known = assignments(model, np.array(drawn, np.int64))
    for number, each in enumerate(action.parameters):
        known[f"{action.name}({each.name})"] = np.array([values[number] for values in parameters])
    fault, enabled, *after = evaluated(Translation(), known, [step.fault, step.enabled, *step.leaves])
    return fault, enabled, np.stack(after, axis=1)
