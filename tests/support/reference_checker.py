"""A naive third checker: what a search means, in as few lines as possible.

It shares no code with the readings in checker/: states are copied with `copy.deepcopy`, told apart by walking their
attributes, and kept in dictionaries, level by level. It evaluates the model's functions and nothing else of the model.
"""

import copy
import itertools
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Counts as in checker.result; `behaviour` is the counterexample as (action, parameters, frozen state)."""

    verdict: str = "HOLDS"
    property: str | None = None
    distinct: int = 0
    generated: int = 0
    depth: int = 0
    fired: dict = field(default_factory=dict)
    unmet: set = field(default_factory=set)
    behaviour: list = field(default_factory=list)


def freeze(value):
    """A record or array as nested tuples, a scalar as an int."""
    if hasattr(value, "field_names"):
        return tuple(freeze(getattr(value, name)) for name in value.field_names)
    return tuple(freeze(each) for each in value) if hasattr(value, "__iter__") else int(value)


def argument(parameter, value):
    """What a function is given for a parameter: a set of ids for the bits of one, if it is declared as `Ids`."""
    if type(parameter.kind).__name__ != "IdSet" or parameter.kind.is_mask:
        return value
    return frozenset(member for member in range(value.bit_length()) if value >> member & 1)


def attempts(functions, state):
    """Each function that does not return False, with each choice of parameters, as (name, parameters, state after)."""
    after = copy.deepcopy(state)
    for each in functions:
        extra = each.given
        for values in itertools.product(*(parameter.values for parameter in each.parameters)):
            if each.step(after, *extra, *map(argument, each.parameters, values)) is not False:
                yield each.name, dict(zip((p.name for p in each.parameters), map(int, values), strict=True)), after
                after = copy.deepcopy(state)  # a call that returned False has changed nothing, so its copy is as good
    assert freeze(after) == freeze(state), "some action returned False after it wrote"


def explore(model) -> Outcome:
    """All reachable states, breadth first; the level in which something is violated is finished before it is told."""
    outcome = Outcome(fired={action.name: 0 for action in model.actions}, unmet={p.name for p in model.sometimes})
    origin, violations = {}, []

    def visit(before, name, parameters, state):
        """Check a state, however it was found; whether it is new and to be expanded."""
        frozen = freeze(state)
        for number, each in enumerate(model.properties):
            is_due = before is not None if each.is_step else frozen not in origin
            if is_due and not each.holds(*([before, state] if each.is_step else [state])):
                violations.append((number, each.name, [*behaviour(before), (name, parameters, frozen)]))
        if frozen in origin or not (model.constraint is None or model.constraint.holds(state)):
            return False
        outcome.unmet -= {each.name for each in model.sometimes if each.holds(state)}
        origin[frozen] = (before, name, parameters)
        return True

    def behaviour(state):
        """The steps that lead to a state."""
        if state is None:
            return []
        before, name, parameters = origin[freeze(state)]
        return [*behaviour(before), (name, parameters, freeze(state))]

    blank = model.layout.blank()
    starts = {freeze(each): each for _, _, each in attempts(model.initial, blank)} if model.initial else {(): blank}
    outcome.generated = len(starts)
    level = [state for state in starts.values() if visit(None, None, {}, state)]
    while level and not violations:
        outcome.depth += 1
        following = []
        for state in level:
            steps = list(attempts(model.actions, state))
            if not steps and model.check_deadlock:
                violations.append((-1, None, behaviour(state)))
            for name, parameters, after in steps:
                outcome.generated += 1
                outcome.fired[name] += 1
                if visit(state, name, parameters, after):
                    following.append(after)
        level = following
    outcome.distinct = len(origin)
    outcome.depth += bool(level)
    if violations:
        number, outcome.property, outcome.behaviour = min(violations, key=lambda each: (len(each[2]), each[0]))
        outcome.verdict = "DEADLOCK" if number < 0 else "VIOLATED"
    return outcome
