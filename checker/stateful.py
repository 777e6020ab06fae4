"""The Hypothesis bridge: a model as a rule-based state machine, whose runs call the plain functions on plain objects.

A machine's rules are the model's actions and its invariants are the model's properties. Runs are random schedules, so
they also reach states that a breadth-first search has no time for; a run that falsifies something is shrunk, and
printed as the calls that reproduce it. The only file that imports Hypothesis.
"""

from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kafkacheck.checker.exploration.evaluation import Evaluation, call_text
from kafkacheck.checker.language.ir import NOTHING
from kafkacheck.checker.model import Model, Parameter
from kafkacheck.checker.process.errors import EvaluationError, UsageError
from kafkacheck.checker.schema import EnumOf, Flag, IdSet, Kind
from kafkacheck.checker.schema.id_sets import bits_of, members_of
from kafkacheck.checker.schema.objects import Values, is_optional
from kafkacheck.checker.traces.witness import find_witness

LOOKAHEAD = 2
MOST_REMEMBERED = 100_000

Call = tuple[int, Values]
"""The number of an action, and the values of its parameters."""


def state_machine(model: Model, lookahead: int = LOOKAHEAD) -> type["ModelMachine"]:
    """A `RuleBasedStateMachine` class for a model; its `.TestCase` is a test.

    Every step is an enabled one, and is held against the contract of actions. If something false is at most `lookahead`
    steps away, a run goes there; otherwise every enabled step is open to it. A run depends only on the values that
    Hypothesis draws, so that a seed determines it. It ends at a state outside the constraint. EvaluationError if the
    initial states cannot be made.
    """
    graph = _Graph(model, lookahead)
    members: dict[str, Any] = {"_graph": graph, "__doc__": model.question, "__module__": __name__}

    def add(name: str, function: Callable[..., None], text: str | None, *decorators: Callable[[Any], Any]) -> None:
        while name in members or hasattr(ModelMachine, name):
            name += "_"
        function.__name__ = function.__qualname__ = name
        function.__doc__ = text
        for decorate in decorators:
            function = decorate(function)
        members[name] = function

    for number, action in enumerate(model.actions):
        arguments: dict[str, Any] = {
            _argument_name(parameter): _argument(number, place) for place, parameter in enumerate(action.parameters)
        }
        add(action.name, _step(number), action.function.__doc__, rule(**arguments), precondition(_may_take(number)))
    for number, each in enumerate(model.properties):
        # Hypothesis prints the invariants that it calls: this way only the violated one, after the calls that matter.
        add(each.name, _claim(number), each.function.__doc__, invariant(), precondition(_is_violated(number)))
    if model.check_deadlock:
        add("no_deadlock", _no_deadlock, "Some action is enabled.", invariant(), precondition(_is_deadlock))
    if len(graph.starts) > 1:
        start = initialize(at=st.sampled_from(list(graph.starts)))
        add("start", _start, "Choose one of the initial states.", start)
    name = "".join(word.capitalize() for word in model.name.split("_"))
    return type(name, (ModelMachine,), members)


def _is_over(machine: "ModelMachine") -> bool:
    return not machine._open()


class ModelMachine(RuleBasedStateMachine):
    """A run of a model: the state it is in and the one before, flattened. `state_machine` makes its subclasses."""

    _graph: "_Graph"

    def __init__(self) -> None:
        super().__init__()
        starts = list(self._graph.starts.values())
        self._before: Values | None = None
        self._now: Values = starts[0]
        self._drawn: dict[str, Any] = {}

    def _open(self) -> list[Call]:
        return self._graph.open_calls(self._now)

    def _take(self, number: int, named: dict[str, Any]) -> None:
        self._drawn = {}
        action = self._graph.model.actions[number]
        given = tuple(_plain_value(named[_argument_name(parameter)]) for parameter in action.parameters)
        after = self._graph.evaluation.apply(action, given, self._now)
        if after is None:
            raise UsageError(
                f"{call_text(action, given)} is not enabled here; did the code change since this was printed?"
            )
        self._before, self._now = self._now, after

    @precondition(_is_over)
    @rule()
    def stutter(self) -> None:
        """Change nothing, because no action is enabled."""


def _step(number: int) -> Callable[..., None]:
    def step(self: ModelMachine, **named: Any) -> None:
        self._take(number, named)

    return step


def _may_take(number: int) -> Callable[[ModelMachine], bool]:
    return lambda machine: any(action == number for action, _ in machine._open())


@st.composite
def _argument(draw: Callable[[Any], Any], number: int, place: int) -> Any:
    """A value of one parameter of an action, such that the action is enabled with it and with those already drawn."""
    machine = draw(st.runner())
    action = machine._graph.model.actions[number]
    known = machine._drawn

    def fits(value: int) -> bool:
        given = {**known, place: value}
        return any(
            each == number and all(values[at] == wanted for at, wanted in given.items())
            for each, values in machine._open()
        )

    parameter = action.parameters[place]
    known[place] = draw(st.sampled_from(parameter.values).filter(fits))
    return _named_value(parameter.kind, known[place])


def _claim(number: int) -> Callable[[ModelMachine], None]:
    def claim(self: ModelMachine) -> None:
        reason = self._graph.violation(number, self._before, self._now)
        assert reason is None, reason

    return claim


def _is_violated(number: int) -> Callable[[ModelMachine], bool]:
    return lambda machine: machine._graph.is_violated(number, machine._before, machine._now)


def _is_deadlock(machine: ModelMachine) -> bool:
    return machine._graph.is_deadlock(machine._now)


def _no_deadlock(self: ModelMachine) -> None:
    assert not _is_deadlock(self), "no action is enabled"


def _start(self: ModelMachine, at: str) -> None:
    self._before, self._now = None, self._graph.starts[at]


class _Graph:
    """The part of a model's state graph that runs have looked at; remembering it changes nothing but the time."""

    def __init__(self, model: Model, lookahead: int) -> None:
        self.model = model
        self.evaluation = Evaluation(model)
        self.starts = dict(_starts(model))
        self._lookahead = lookahead
        self._steps: dict[Values, list[tuple[Call, Values | None]]] = {}
        self._open: dict[Values, list[Call]] = {}

    def open_calls(self, values: Values) -> list[Call]:
        """The enabled calls of a state, or of these the ones that lead to something false soonest, if any does."""
        if values not in self._open:
            if len(self._open) >= MOST_REMEMBERED:
                self._open.clear()
            self._open[values] = self._find_open(values)
        return self._open[values]

    def _find_open(self, values: Values) -> list[Call]:
        steps = self.steps(values)
        for distance in range(1, self._lookahead + 1):
            leading = [call for call, after in steps if self._is_false_at(values, after, distance)]
            if leading:
                return leading
        return [call for call, _ in steps]

    def _is_false_at(self, before: Values, after: Values | None, distance: int) -> bool:
        """Whether something is false `distance` steps from `before` on, the first of them being the one to `after`."""
        if after is None or distance == 1:
            return after is None or self._is_wrong(before, after)
        return any(self._is_false_at(after, further, distance - 1) for _, further in self.steps(after))

    def steps(self, values: Values) -> list[tuple[Call, Values | None]]:
        """Every enabled call of a state with the state after it; None if the call fails or breaks its contract."""
        if values not in self._steps:
            if len(self._steps) >= MOST_REMEMBERED:
                self._steps.clear()
            self._steps[values] = list(self._find_steps(values)) if self._is_inside(values) else []
        return self._steps[values]

    def _find_steps(self, values: Values) -> Iterator[tuple[Call, Values | None]]:
        layout = self.model.layout
        state = layout.restore(values)
        for number, action in enumerate(self.model.actions):
            for given in action.combinations():
                try:
                    enabled = action.apply(state, given)
                    after = layout.flatten(state)
                    is_kept = enabled == (after != values) or (enabled and action.may_stutter)
                    is_sound = layout.in_range(after) and is_kept
                except Exception:  # the step itself reports the error when it is taken
                    enabled, after, is_sound = True, (), False
                if enabled or not is_sound:
                    state = layout.restore(values)
                    yield (number, given), after if is_sound else None

    def _is_inside(self, values: Values) -> bool:
        return self.evaluation.is_inside(values)

    def _is_wrong(self, before: Values, after: Values) -> bool:
        if any(self.is_violated(number, before, after) for number in range(len(self.model.properties))):
            return True
        return self.model.check_deadlock and self.is_deadlock(after)

    def is_deadlock(self, values: Values) -> bool:
        """Whether a state that is explored has no enabled action."""
        return self._is_inside(values) and not self.steps(values)

    def is_violated(self, number: int, before: Values | None, after: Values) -> bool:
        """Whether a property is false of a state, or of the step to it, or fails to evaluate."""
        try:
            return not self._holds(number, before, after)
        except EvaluationError:
            return True

    def _holds(self, number: int, before: Values | None, after: Values) -> bool:
        each = self.model.properties[number]
        if not each.is_step:
            return self.evaluation.holds(each, after)
        return before is None or self.evaluation.holds(each, before, after)

    def violation(self, number: int, before: Values | None, after: Values) -> str | None:
        """How a property is violated, None if it holds. EvaluationError if it fails to evaluate."""
        if self._holds(number, before, after):
            return None
        each = self.model.properties[number]
        states = [values for values in (before, after) if values is not None] if each.is_step else [after]
        witness = find_witness(each, *(self.model.layout.restore(values) for values in states))
        return f"{each.name} does not hold" + (f"; {witness.text}" if witness else "")


def _starts(model: Model) -> Iterator[tuple[str, Values]]:
    """The distinct initial states, each with the call that makes it."""
    states = model.initial_states()
    if not model.initial:
        yield "", model.layout.flatten(states[0])
    known: set[Values] = set()
    for action in model.initial:
        for given in action.combinations():
            state = model.layout.blank()
            starts = action.apply(state, given) or action.read.returns == NOTHING
            values = model.layout.flatten(state)
            if starts and values not in known:
                known.add(values)
                yield call_text(action, given), values


def _argument_name(parameter: Parameter) -> str:
    """The parameter's name; `rule` keeps the names "target" and "targets" for itself."""
    return parameter.name + "_" if parameter.name in ("target", "targets", "self") else parameter.name


def _named_value(kind: Kind, value: int) -> Any:
    """A value as it reads best in a printed call: True, {0, 2}, an enum's member, None for "none", or a number."""
    if isinstance(kind, Flag):
        return bool(value)
    if isinstance(kind, IdSet):
        return set(members_of(value))
    if isinstance(kind, EnumOf):
        return kind.members(value)
    return None if is_optional(kind) and value < 0 else value


def _plain_value(named: Any) -> int:
    """The parts of which `_named_value` was made."""
    if isinstance(named, set | frozenset):
        return bits_of(named)
    if named is None:
        return -1
    return named if isinstance(named, bool) else int(named)
