"""Behaviours of a model, and how a system is told of their states and calls."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kafkacheck.checker.conform.adapter import Adapter, Field
from kafkacheck.checker.graphs.state_graph import Combinations
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.schema.objects import Values, value_to_json
from kafkacheck.checker.traces.saved import RefusedCall
from kafkacheck.checker.traces.trace import Trace


class Op(NamedTuple):
    """One step of a behaviour: the number of its (action, parameters), and the state after it.

    `target` is None for a refusal. `number` is that of its class; -1 if the system is not told of the step.
    """

    combination: int
    target: int | None
    number: int


class Behaviour(NamedTuple):
    """Where the system starts, by the number of the state, and the steps."""

    start: int
    ops: list[Op]


class Telling:
    """States and calls of a model as a system is told of them: JSON data by path, and by name."""

    def __init__(self, model: Model, adapter: Adapter) -> None:
        self.model, self.adapter = model, adapter
        self.combinations = Combinations(model)
        self._parameters: dict[int, dict[str, Any]] = {}
        calls = zip(self.combinations.actions, self.combinations.parameters, strict=True)
        self._numbers = {(int(action), tuple(values)): number for number, (action, values) in enumerate(calls)}

    def values(self, state: int) -> Values:
        """A state, flattened."""
        raise NotImplementedError

    def whole(self, state: int) -> dict[str, Any]:
        """All fields of a state."""
        leaves = zip(self.model.layout.leaves, self.values(state), strict=True)
        return {leaf.path: value_to_json(leaf.kind, int(value)) for leaf, value in leaves}

    def expected(self, state: int) -> dict[str, Any]:
        """The observed fields of a state."""
        values = self.values(state)
        return told_fields(self.adapter.observes, [each.value(values) for each in self.adapter.observes])

    def needed(self, state: int) -> dict[str, Any]:
        """The fields of a state that the system is told before it acts."""
        values = self.values(state)
        return told_fields(self.adapter.needs, [each.value(values) for each in self.adapter.needs])

    def chosen(self, state: int, combination: int, choice: Mapping[str, int]) -> Op | None:
        """The step from a state by the same call with other values of some parameters; None if it is not enabled."""
        raise NotImplementedError

    def with_choice(self, combination: int, choice: Mapping[str, int]) -> int:
        """The number of the same call with other values of some parameters; -1 if there is none."""
        action = int(self.combinations.actions[combination])
        values = self.combinations.parameters[combination]
        named = {**self.model.actions[action].named(values), **choice}
        return self._numbers.get((action, tuple(named.values())), -1)

    def told(self, combination: int) -> dict[str, Any]:
        """The parameters of a call that the system does not choose itself."""
        chosen = self.adapter.chooses.get(int(self.combinations.actions[combination]), ())
        return {name: value for name, value in self.parameters(combination).items() if name not in chosen}

    def parameters(self, combination: int) -> dict[str, Any]:
        """The parameters of a call."""
        if combination not in self._parameters:
            action = self.model.actions[int(self.combinations.actions[combination])]
            pairs = zip(action.parameters, self.combinations.parameters[combination], strict=True)
            self._parameters[combination] = {each.name: value_to_json(each.kind, value) for each, value in pairs}
        return self._parameters[combination]


def told_fields(fields: Sequence[Field], values: Sequence[int]) -> dict[str, Any]:
    """The values of some fields as JSON data, by path."""
    return {each.path: value_to_json(each.kind, int(value)) for each, value in zip(fields, values, strict=True)}


class SavedTelling(Telling):
    """A saved behaviour, whose states are numbered by its steps; `refused` are the calls that were refused on the way.

    UsageError if the system does not perform an action of the behaviour.
    """

    def __init__(self, model: Model, adapter: Adapter, trace: Trace, refused: Sequence[RefusedCall]) -> None:
        super().__init__(model, adapter)
        self._states = [model.layout.flatten(step.state) for step in trace.steps]
        ops = []
        for number, step in enumerate(trace.steps):
            if number:
                action = model.action(step.action or "")
                ops.append(self._op(action, tuple(step.parameters[each.name] for each in action.parameters), number))
            here = [each for each in refused if each.after == number + 1]
            ops += [self._op(model.action(each.action), each.values, None) for each in here]
        self.behaviour = Behaviour(0, ops)

    def _op(self, action: Action, values: Values, target: int | None) -> Op:
        number = self.model.actions.index(action)
        if number not in self.adapter.acts | self.adapter.silent:
            raise UsageError(
                f"the behaviour takes {action.name}, which the system does not perform; name another system"
            )
        if (number, values) not in self._numbers:
            raise UsageError(f"the behaviour calls {action.name} with {values}, outside the ranges of its parameters")
        return Op(self._numbers[number, values], target, -1 if number in self.adapter.silent else 0)

    def chosen(self, state: int, combination: int, choice: Mapping[str, int]) -> Op | None:
        """None: a saved behaviour has no other steps."""
        return None

    def values(self, state: int) -> Values:
        """A state, flattened."""
        return self._states[state]
