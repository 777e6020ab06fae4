"""An answer checks itself: before HOLDS, states that machine code expanded are expanded again by plain Python.

They are drawn by their fingerprints, so that the same search draws the same ones; one state is added for each action
that machine code took and for each `sometimes` property with an example. For each state both readings must have the
same successors, in the same order, and the same values of the constraint and of all properties; and each successor
inside the constraint must have been visited. Visited states are looked up without machine code.
"""

import contextlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from kafkacheck.checker.compiled.compiled import CompiledSearch, Workspace
from kafkacheck.checker.compiled.context import EXCLUDED, kept_slot, successor_slot
from kafkacheck.checker.compiled.lookup import BUCKET, INDEX, TAG
from kafkacheck.checker.compiled.native import DEADLOCK, FAULT, NO_FAULT
from kafkacheck.checker.compiled.packing import fingerprints
from kafkacheck.checker.exploration.evaluation import Evaluation, call_text
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import actions_of_calls, codes_of, generate_expand, generate_judge
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import collector
from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.process.interrupts import Stopped
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.schema.objects import Values

Array = np.ndarray[Any, Any]

MOST_STATES = 1000
"""How many visited states are drawn, to which come those for actions and properties."""
MOST_SECONDS = 0.25
"""CPU seconds that a self-check takes at most."""
SHARE = 0.2
"""The share of a short search's CPU seconds that its self-check takes at most."""
PATIENCE = 3.0
"""How many seconds may pass for each CPU second, on a busy machine, before one long call of protocol code is ended."""
AT_ONCE = 64
"""How many states are looked up together."""


class Visited(Protocol):
    """The states that a search has visited, packed: uint64[n, words]."""

    def drawn(self, most: int) -> Array:
        """At most this many states, chosen by their fingerprints; all if there are no more."""

    def has(self, states: Array) -> Array:
        """Which of these states are among them, bool[n]. Machine code has no part in it."""


@dataclass
class Examples:
    """Packed states from machine code: in which an action was taken, and of which a `sometimes` property holds."""

    actions: dict[int, Array] = field(default_factory=dict)
    sometimes: dict[int, Array] = field(default_factory=dict)


class _Told(NamedTuple):
    """The judgement of a reading on a state; no successors if it fails.

    `steps` has the number of the action of each successor, and whether that lies outside the constraint. `wrong` are
    the properties that some step violates, or some successor outside the constraint. `stuck`: that no action is enabled
    is an error.
    """

    steps: list[tuple[int, bool]]
    successors: Any
    failing: list[int]
    wrong: list[int]
    met: list[int]
    stuck: bool = False
    fails: bool = False


FAILED = _Told([], [], [], [], [], fails=True)


def of_search(search: CompiledSearch, seconds: float) -> int:
    """Check a search that visited every state, and took this many CPU seconds; how many states were checked.

    SelfCheckError if the readings differ. Ctrl-C, the time limit and lack of memory end it before its time.
    """
    space = search.workspace(MOST_STATES, 1)
    kept = Kept(search.space, search.counts.distinct)
    stuck = {None} if search.counts.deadlock is not None else set()
    violated = frozenset({*search.counts.violated, *stuck})
    return check(search.model, space, kept, examples_of(search), search.watch, seconds, violated)


def examples_of(search: CompiledSearch) -> Examples:
    """The examples that machine code named in a search."""
    store = search.space.store
    return Examples(
        {action: store[row].copy() for action, row in search.examples.items()},
        {number: store[row].copy() for number, row in search.met_examples().items()},
    )


def check(
    model: Model,
    space: Workspace,
    visited: Visited,
    examples: Examples,
    watch: Watch,
    seconds: float,
    violated: frozenset[int | None] = frozenset(),
) -> int:
    """As `of_search`, for any visited states. `space` is not the one of the search, and its store is replaced.

    `violated` are the numbers of the properties that the search found violated; None if it found a deadlock.
    """
    comparison = _Comparison(model, space, visited, watch, min(MOST_SECONDS, SHARE * seconds), violated)
    with collector.paused(), contextlib.suppress(MemoryError):
        comparison.run(examples)
    return comparison.checked


class Kept:
    """The states that a search keeps in memory, and its table of them."""

    def __init__(self, space: Workspace, count: int) -> None:
        self._store, self._table, self._count = space.store, space.table, count

    def drawn(self, most: int) -> Array:
        """As `Visited`: those that the first buckets of the table name, which are numbered by fingerprints."""
        slots, rows = most, np.arange(self._count if self._count <= most else 0)
        while self._count > most and len(rows) < most and slots < 2 * len(self._table):
            slots *= 2
            named = self._table[:slots] & np.uint64(INDEX)
            rows = named[named > 0].astype(np.int64) - 1
        chosen: Array = self._store[np.sort(rows[:most])]
        return chosen

    def has(self, states: Array) -> Array:
        """As `Visited`, by the table."""
        wanted = fingerprints(states)
        slots = ((wanted >> np.uint64(32)) & np.uint64(len(self._table) - BUCKET)).astype(np.int64)
        found = np.zeros(len(states), bool)
        left = np.arange(len(states))
        for _ in range(len(self._table) // BUCKET):
            if not len(left):
                break
            entries = self._table[slots[left, None] + np.arange(BUCKET)]
            alike = ((entries & np.uint64(TAG)) == (wanted[left, None] & np.uint64(TAG))) & (entries != 0)
            rows = np.where(alike, (entries & np.uint64(INDEX)).astype(np.int64) - 1, 0)
            alike &= (self._store[rows] == states[left, None]).all(axis=2) & (rows < self._count)
            found[left] = alike.any(axis=1)
            left = left[~found[left] & (entries != 0).all(axis=1)]
            slots[left] = (slots[left] + BUCKET) % len(self._table)
        return found


class _Comparison:
    """Compares the readings state by state, until its time is over. `checked`: how many distinct ones were."""

    def __init__(
        self,
        model: Model,
        space: Workspace,
        visited: Visited,
        watch: Watch,
        seconds: float,
        violated: frozenset[int | None],
    ) -> None:
        self.model = model
        self._compared: set[Values] = set()
        self._space, self._visited, self._watch, self._violated = space, visited, watch, violated
        self._until = time.process_time() + seconds
        self._codes = codes_of(model)
        self._evaluation = Evaluation(model)
        self._expand = generate_expand(model)
        self._action_of = actions_of_calls(model)
        numbered = dict(enumerate(model.properties))
        self._failing_steps = generate_judge({number: each for number, each in numbered.items() if each.is_step})
        self._failing = generate_judge({number: each for number, each in numbered.items() if not each.is_step})

    @property
    def checked(self) -> int:
        """How many distinct states were compared."""
        return len(self._compared)

    def run(self, examples: Examples) -> None:
        """First the examples, then the initial states, then drawn states. SelfCheckError as `of_search`."""
        named = [*examples.actions.values(), *examples.sometimes.values()]
        if named and self._compare(np.stack(named), examples):
            self._look_up_initial()
        drawn = self._visited.drawn(MOST_STATES)
        for first in range(0, len(drawn), AT_ONCE):
            if not self._compare(drawn[first : first + AT_ONCE]):
                break

    def _look_up_initial(self) -> None:
        starts = [self.model.layout.flatten(state) for state in self.model.initial_states()[:MOST_STATES]]
        inside = [values for values in starts if self._evaluation.is_inside(values)]
        for values, is_there in zip(inside, self._visited.has(self._packed(inside)), strict=True):
            if not is_there:
                raise self._difference(values, "a behaviour begins with it", "the search never visited it")

    def _packed(self, rows: Sequence[Values]) -> Array:
        flat = np.array(rows, np.int64).reshape(len(rows), len(self.model.layout.leaves))
        return self.model.layout.pack(flat)

    def _compare(self, states: Array, examples: Examples | None = None) -> bool:
        """Compare both readings on some packed states; False if the time was over before the last of them."""
        self._space.adopt(np.ascontiguousarray(states))
        rows: list[Values] = [tuple(values) for values in self.model.layout.unpack(states).tolist()]
        for values, is_there in zip(rows, self._visited.has(states), strict=True):
            if not is_there:
                raise self._difference(values, "cannot say", "the search kept this state and does not find it again")
        plain: list[_Told] = []
        # A difference is reported outside of this, so that Ctrl-C cannot end the report.
        left = PATIENCE * max(self._until - time.process_time(), 0.0)
        with contextlib.suppress(Stopped), self._watch.interrupts.stopping_protocol_code(self._codes, left):
            for values in rows:
                if time.process_time() > self._until or self._watch.interrupts.reason():
                    break
                plain.append(self._plain(values))
        packed = self._packed([after for told in plain for after in told.successors])
        inside = np.array([not outside for told in plain for _, outside in told.steps], bool)
        missing = np.zeros(len(packed), bool)
        missing[inside] = ~self._visited.has(packed[inside])
        first = 0
        for number, (values, told) in enumerate(zip(rows, plain, strict=False)):
            last = first + len(told.steps)
            self._compare_one(values, told, self._machine(number), packed[first:last])
            for place in np.flatnonzero(missing[first:last])[:1]:
                step = self._step_text(values, told, int(place))
                raise self._difference(values, step, "the search never visited the state that this leads to")
            if examples is not None:
                self._compare_example(examples, number, values, told)
            first = last
            self._compared.add(values)
        return len(plain) == len(rows)

    def _compare_example(self, examples: Examples, number: int, values: Values, told: _Told) -> None:
        """Whether plain Python takes the action, or sees the property, for which machine code named a state."""
        actions, sometimes = list(examples.actions), list(examples.sometimes)
        if number < len(actions):
            name, is_so = self.model.actions[actions[number]].name, actions[number] in {each for each, _ in told.steps}
        else:
            which = sometimes[number - len(actions)]
            name, is_so = self.model.sometimes[which].name, which in told.met
        if not is_so:
            raise self._difference(values, f"it is no example of {name}", f"it is an example of {name}")

    def _compare_one(self, values: Values, plain: _Told, machine: _Told, packed: Array) -> None:
        if plain.fails:
            error = self._evaluation.failure_of_invariants(values) or self._evaluation.failure_of_step(values)
            raise self._difference(values, f"fails: {error}", "evaluated it")
        if machine.fails:
            raise self._difference(values, "evaluates it", "fails")
        shared = min(len(plain.steps), len(machine.steps))
        differ = (packed[:shared] != machine.successors[:shared]).any(axis=1)
        for place in range(max(len(plain.steps), len(machine.steps))):
            if place >= shared or differ[place] or plain.steps[place] != machine.steps[place]:
                one, other = (self._step_text(values, each, place) for each in (plain, machine))
                raise self._difference(values, one, other)
        properties, sometimes = ([each.name for each in some] for some in (self.model.properties, self.model.sometimes))
        for names, seen, other_seen, text in (
            (properties, plain.failing, machine.failing, "{} does not hold in it"),
            (properties, plain.wrong, machine.wrong, "{} does not hold of one of its steps"),
            (sometimes, plain.met, machine.met, "it is an example of {}"),
        ):
            for number in sorted({*seen} ^ {*other_seen}):
                told, silent = text.format(names[number]), f"not that {text.format(names[number])}"
                raise self._difference(values, *((told, silent) if number in seen else (silent, told)))
        for number in {*plain.failing, *plain.wrong} - self._violated:
            raise self._difference(values, f"{properties[number]} is violated", f"{properties[number]} holds")
        if plain.stuck != machine.stuck or (plain.stuck and None not in self._violated):
            raise self._difference(values, "no action is enabled in it", "there is no such state")

    def _step_text(self, values: Values, told: _Told, place: int) -> str:
        """The judgement of a reading on one successor of a state."""
        if place >= len(told.steps):
            return f"it has {len(told.steps)} successors"
        action, outside = told.steps[place]
        name, after = self.model.actions[action].name, told.successors[place]
        if isinstance(after, np.ndarray):
            after = tuple(self.model.layout.unpack(after[None])[0].tolist())
        else:
            calls = [call_text(each, given) for each, given, _ in self._evaluation.successors(values)]
            name = calls[place]
        layout = self.model.layout
        changes = "; ".join(map(str, pretty.difference(layout, values, after)))
        where = ", which lies outside the constraint" if outside else ""
        return f"successor {place + 1} is by {name}: {changes}{where}"

    def _plain(self, values: Values) -> _Told:
        """The judgement of plain Python on a state."""
        model = self.model
        successors: list[tuple[int, Values, Any]] = []
        steps, wrong = [], set()
        try:
            before = self._expand(values, successors)
            for call, after, state in successors:
                outside = model.constraint is not None and not model.constraint.holds(state)
                steps.append((self._action_of[call], outside))
                wrong.update(self._failing_steps(before, state))
                if outside:
                    wrong.update(self._failing(state))
                is_allowed = after != values or model.actions[self._action_of[call]].may_stutter
                if not is_allowed or not model.layout.in_range(after):
                    return FAILED
            met = [number for number, each in enumerate(model.sometimes) if each.holds(before)]
            failing = self._failing(before)
        except MemoryError:
            raise
        except Exception:  # the model's code may raise anything; it is evaluated again for the message
            return FAILED
        stuck = model.check_deadlock and not steps
        return _Told(steps, [after for _, after, _ in successors], failing, sorted(wrong), met, stuck)

    def _machine(self, row: int) -> _Told:
        """The judgement of machine code on the state in a row of the store."""
        space = self._space
        space.report[:] = -1
        space.report[FAULT] = NO_FAULT
        _, amount = space.expand(row, row + 1)
        actions, successors = space.actions[:amount].tolist(), space.successors[:amount].copy()
        space.check(row, row + 1)
        report = space.report.tolist()
        if report[FAULT] != NO_FAULT:
            return FAILED
        numbers = range(space.sizes.properties)
        return _Told(
            [(action % EXCLUDED, action >= EXCLUDED) for action in actions],
            successors,
            [number for number in numbers if report[kept_slot(number)] >= 0],
            [number for number in numbers if report[successor_slot(number)] >= 0],
            [number for number in range(space.sizes.sometimes) if report[space.sizes.sometimes_slot(number)] >= 0],
            report[DEADLOCK] >= 0,
        )

    def _difference(self, values: Values, plain: str, machine: str) -> SelfCheckError:
        """The error for a state on which the readings differ."""
        layout = self.model.layout
        state = json.dumps(layout.to_json(layout.restore(values)))
        return SelfCheckError(
            f"the self-check found that machine code and plain Python differ about {self.model.name}. Plain Python: "
            f"{plain}. Machine code: {machine}. The state: {state}. `--engine interpreted` needs no machine code"
        )
