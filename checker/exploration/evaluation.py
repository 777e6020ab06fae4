"""Evaluating a model's functions on plain objects, one state at a time, with every contract checked.

The searches use it for rare work: initial states, counterexamples, and exact messages about errors.
"""

import re
from collections.abc import Iterator

from kafkacheck.checker.exploration.exploration import Exploration
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.process.locations import guarded, place_of
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.shape import Scalar


class Evaluation:
    """A model's functions applied to flattened states. ModelError if the values that they read have changed."""

    def __init__(self, model: Model) -> None:
        model.require_unchanged()
        self.model = model
        self._layout = model.layout

    def successors(self, values: Values) -> Iterator[tuple[Action, Values, Values]]:
        """Every enabled (action, parameters, state after), in the order of the search.

        EvaluationError if an action fails, changes the state and returns False, returns True without a change if it
        may not stutter, or leaves a value outside its range.
        """
        for action in self.model.actions:
            for given in action.combinations():
                after = self.apply(action, given, values)
                if after is not None:
                    yield action, given, after

    def apply(self, action: Action, given: Values, values: Values) -> Values | None:
        """The state after an action, or None if it is not enabled. EvaluationError as in `successors`."""
        state = self._layout.restore(values)
        call = call_text(action, given)
        enabled = guarded(call, lambda: action.apply(state, given))
        after = self._layout.flatten(state)
        bad = self._layout.first_out_of_range(after)
        if bad is not None:
            leaf, value = bad
            raise EvaluationError(
                f"{place_of(action.function)}: {call} leaves {leaf.path} = {value}, outside its range "
                f"{leaf.low} .. {leaf.high} ({leaf.scalar.told}); guard the step, {self._larger(leaf.scalar)}"
            )
        if enabled and after == values and not action.may_stutter:
            raise EvaluationError(
                f"{place_of(action.function)}: {call} returned True and changed nothing; True means that the state "
                "became another one, so add a guard, or list the action in the model's `stuttering`"
            )
        if not enabled and after != values:
            changes = pretty.difference(self._layout, values, after)
            raise EvaluationError(
                f"{place_of(action.function)}: {call} returned False after it wrote {changes[0]}; False means that "
                "the step is not enabled, so put every guard before the first write"
            )
        return after if enabled else None

    def _larger(self, scalar: Scalar) -> str:
        """How a range can be made larger: by the bounds that its kind or condition names, or in the schema alone."""
        sizes = [scalar.missing] if scalar.missing != "" else vars(scalar.kind).values()
        named = re.findall(r"[a-z]\w*", " ".join(map(str, sizes)))
        bounds = [name for name in self.model.bounds if name in named]
        if not bounds:
            return "or widen the range in the schema"
        return f"widen the range in the schema, or raise {' or '.join(bounds)} (--set)"

    def holds(self, each: Property, *states: Values) -> bool:
        """Whether a property holds. EvaluationError if it fails to evaluate."""
        objects = [self._layout.restore(values) for values in states]
        return bool(guarded(each.name, lambda: each.holds(*objects)))

    def is_inside(self, values: Values) -> bool:
        """Whether a state satisfies the constraint, if there is one."""
        return self.model.constraint is None or self.holds(self.model.constraint, values)

    def none_inside(self) -> EvaluationError:
        """The message if every initial state lies outside the constraint."""
        assert self.model.constraint is not None
        name, place = self.model.constraint.name, place_of(self.model.constraint.function)
        return EvaluationError(
            f"{place}: every initial state lies outside the constraint {name}, so there is nothing to explore; let it "
            "be true of the initial states"
        )

    def note_violations(self, values: Values, behaviour: list[Values], counts: Exploration) -> None:
        """Record the invariants that a state violates, unless a violation was recorded before; each is evaluated."""
        for number, each in enumerate(self.model.properties):
            if not each.is_step and not self.holds(each, values):
                counts.violated.setdefault(number, behaviour)

    def violating_successor(self, values: Values, number: int) -> Values:
        """The first successor that violates an action property, or that is not kept and violates an invariant.

        EvaluationError if there is none, or if evaluating one fails.
        """
        each = self.model.properties[number]
        for _, _, after in self.successors(values):
            if each.is_step and not self.holds(each, values, after):
                return after
            if not each.is_step and not self.is_inside(after) and not self.holds(each, after):
                return after
        raise SelfCheckError(
            f"the compiled reading found a successor that violates {each.name}, the interpreted one did not"
        )

    def violating_start(self, number: int) -> Values:
        """The first initial state that violates an invariant."""
        starts = map(self._layout.flatten, self.model.initial_states())
        return next(values for values in starts if not self.holds(self.model.properties[number], values))

    def failure_of_invariants(self, values: Values) -> EvaluationError | None:
        """Why evaluating the invariants and `sometimes` of a state fails, or None."""
        try:
            for each in (*self.model.properties, *self.model.sometimes):
                if not each.is_step:
                    self.holds(each, values)
        except EvaluationError as error:
            return error
        return None

    def failure_of_step(self, values: Values) -> EvaluationError | SelfCheckError:
        """Why evaluating the steps from a state fails."""
        try:
            self._evaluate_successors(values)
        except EvaluationError as error:
            return error
        return SelfCheckError("plain Python evaluates this state and machine code does not")

    def _evaluate_successors(self, values: Values) -> None:
        for _, _, after in self.successors(values):
            inside = self.is_inside(after)
            for each in self.model.properties:
                if each.is_step:
                    self.holds(each, values, after)
                elif not inside:
                    self.holds(each, after)


def call_text(action: Action, given: Values) -> str:
    """A step as it would be called: "send(sender=0, number=1)"."""
    parts = [
        f"{parameter.name}={pretty.kind_value_text(parameter.kind, value)}"
        for parameter, value in zip(action.parameters, given, strict=True)
    ]
    return f"{action.name}({', '.join(parts)})"
