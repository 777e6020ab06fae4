"""The interpreted reading: a breadth-first search by CPython, on plain objects, that starts at once."""

import time
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

from kafkacheck.checker.exploration import unreached
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import (
    NO_MEMORY,
    Exploration,
    Found,
    Snapshot,
    Watch,
    failure,
    states_reason,
)
from kafkacheck.checker.exploration.verdict import COMPILING
from kafkacheck.checker.language.source import codes_within
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.process import collector
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.process.interrupts import Stopped
from kafkacheck.checker.schema import Flag, is_id_set
from kafkacheck.checker.schema.id_sets import ID_SETS
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.rows import OutOfRangeError, Rows

Successors = Callable[[Values, list[tuple[int, Values, Any]]], Any]
Judge = Callable[..., list[int]]


class InterpretedSearch:
    """A breadth-first search by the interpreted reading. It can stop between two states and hand over."""

    engine = "interpreted"

    def __init__(self, model: Model, watch: Watch) -> None:
        self.model = model
        self.watch = watch
        self.counts = Exploration(fired=[0] * len(model.actions))
        self.bytes_per_state: float | None = None
        self._evaluation = Evaluation(model)
        self._codes = codes_of(model)
        self._expand = generate_expand(model)
        self._action_of = actions_of_calls(model)
        self._rows = Rows(model.layout)
        self._states: list[bytes] = []
        self._parents: list[int] = []
        self._seen: set[bytes] = set()
        self._next = 0
        numbered = dict(enumerate(model.properties))
        self._failing_steps = generate_judge({number: each for number, each in numbered.items() if each.is_step})
        self._failing = generate_judge({number: each for number, each in numbered.items() if not each.is_step})

    def snapshot(self) -> Snapshot:
        """Everything found so far, for another reading to go on with."""
        return Snapshot([*map(self._rows.values, self._states)], self._parents, self._next, self.counts)

    def run(self, may_stop: Callable[[], bool] = lambda: False) -> Found | None:
        """Search until every state is expanded (None), something stops it, or `may_stop` says so (None too)."""
        try:
            with self.watch.interrupts.stopping_protocol_code(self._codes), collector.paused():
                return self._search(may_stop)
        except Stopped:
            self.counts.level_ends = self.counts.level_ends or [len(self._states)]
            return self.counts.stopped(self.model, self.watch.interrupts.reason())
        except MemoryError:
            self._seen = set()  # frees memory for the report
            return self.counts.stopped(self.model, NO_MEMORY)

    def _search(self, may_stop: Callable[[], bool]) -> Found | None:
        found = self._attempt(self._start) if not self._states else None
        while found is None and self._next < len(self._states):
            level_end = self.counts.level_ends[-1]
            while self._next < level_end:
                found = self._attempt(self._expand_next)
                if found is not None:
                    return found
                self._next += 1
                if self.watch.is_due():
                    reason = self.watch.reason_to_stop(self.engine, self.counts, self._next)
                    if reason:
                        return self.counts.stopped(self.model, reason)
                    if may_stop():
                        return None
            found = self.counts.judge(self.model)
            if found is None and len(self._states) > level_end:
                self.counts.level_ends.append(len(self._states))
                self.counts.keep_whole()
        return found

    def _attempt(self, work: Callable[[], Found | None]) -> Found | None:
        """Do a part of the search; an error of protocol code ends the search, with a reason."""
        expanding = self._next if self.counts.level_ends else -1
        try:
            return work()
        except (EvaluationError, SelfCheckError) as error:
            return failure(error, self.chain(expanding))
        except MemoryError:
            raise
        except Exception:
            return self._failed(expanding)

    def _failed(self, expanding: int) -> Found:
        """The error in words: at the state that was expanded, or at the newest one, whose invariants come next."""
        newest = len(self._states) - 1
        error = self._evaluation.failure_of_invariants(self._rows.values(self._states[newest]))
        if error is not None:
            return failure(error, self.chain(newest))
        of_step = self._evaluation.failure_of_step(self._rows.values(self._states[expanding]))
        return failure(of_step, self.chain(expanding))

    def check_itself(self, _seconds: float) -> None:
        """Nothing: it is plain Python that checks the other readings."""

    @property
    def visited(self) -> unreached.Rows:
        """The distinct states found."""
        return unreached.Rows(self._states, self._rows.values)

    @property
    def finished(self) -> bool:
        """Whether the search began, and every state found was expanded."""
        return bool(self.counts.level_ends) and self._next >= len(self._states)

    def _start(self) -> Found | None:
        limit = self.watch.limits.max_states
        for state in self.model.initial_states():
            values = self.model.layout.flatten(state)
            is_inside = self._evaluation.is_inside(values)
            if is_inside and limit is not None and len(self._states) == limit:
                self.counts.level_ends = [len(self._states)]
                return self.counts.stopped(self.model, states_reason(limit))
            self.counts.generated += 1
            if is_inside:
                row = self._rows.row(values)
                self._seen.add(row)
                self._keep(row, -1, state)
            else:
                self.counts.excluded += 1
                self._evaluation.note_violations(values, [values], self.counts)
        self.counts.level_ends = [len(self._states)]
        found = self.counts.judge(self.model)
        self.counts.keep_whole()
        if found is None and not self._states:
            raise self._evaluation.none_inside()
        return found

    def _expand_next(self) -> Found | None:
        """Find the successors of the next state; Found if the limit on distinct states ended it."""
        counts, limit = self.counts, self.watch.limits.max_states
        number, is_full = self._next, False
        row = self._states[number]
        values = self._rows.values(row)
        successors: list[tuple[int, Values, Any]] = []
        new: list[tuple[bytes, Any]] = []  # judged after all steps of this state, as the compiled reading does
        before = self._expand(values, successors)
        if not successors and self.model.check_deadlock and counts.deadlock is None:
            counts.deadlock = self.chain(number)
        for call, after_values, state in successors:
            try:
                after = self._rows.row(after_values)
            except OutOfRangeError:
                raise self._evaluation.failure_of_step(values) from None
            self._note(self._failing_steps(before, state), number, after)
            is_new, is_inside = after not in self._seen, True
            if is_new:
                if not self.model.layout.in_range(after_values):
                    raise self._evaluation.failure_of_step(values)
                is_inside = self.model.constraint is None or self.model.constraint.holds(state)
                if is_inside and limit is not None and counts.distinct + len(new) >= limit:
                    is_full = True  # later steps of this state are checked, but no longer counted
            elif after == row and not self.model.actions[self._action_of[call]].may_stutter:
                raise self._evaluation.failure_of_step(values)
            if not is_full:
                counts.generated += 1
                counts.excluded += not is_inside
                counts.fired[self._action_of[call]] += 1
            if is_new and not is_inside:
                self._note(self._failing(state), number, after)
            elif is_new and not is_full:
                self._seen.add(after)
                new.append((after, state))
        for after, state in new:
            self._keep(after, number, state)
        return counts.stopped(self.model, states_reason(counts.distinct)) if is_full else None

    def _keep(self, row: bytes, parent: int, state: Any) -> None:
        self._states.append(row)
        self._parents.append(parent)
        self.counts.distinct += 1
        self._note(self._failing(state), parent, row)
        for number, each in enumerate(self.model.sometimes):
            if each.holds(state):
                self.counts.met.add(number)

    def _note(self, failing: list[int], parent: int, row: bytes) -> None:
        for number in failing:
            if number not in self.counts.violated:
                self.counts.violated[number] = [*self.chain(parent), self._rows.values(row)]

    def chain(self, number: int) -> list[Values]:
        """The states from an initial one to the state with this number (none for -1)."""
        behaviour = []
        while number >= 0:
            behaviour.append(self._rows.values(self._states[number]))
            number = self._parents[number]
        return behaviour[::-1]


def codes_of(model: Model) -> frozenset[CodeType]:
    """The code of every function of a model that can run, and of the generators in it."""
    functions = (each.function for each in model.functions())
    return frozenset(code for function in functions for code in codes_within(function.__code__))


def generate_expand(model: Model) -> Successors:
    """A function that appends (call number, values after, state after) for every enabled step, and returns the state.

    A call is an action with its parameters' values; they are numbered in the order in which they are tried.

    One state object is tried with action after action, and made anew after each success; that is sound because an
    action that returns False has not written, which is proved from its syntax or checked here after each call.
    """
    lines = ["def expand(values, successors):", "    state = restore(values)"]
    scope: dict[str, Any] = {"restore": model.layout.restore, "flatten": model.layout.flatten, "id_sets": ID_SETS}
    calls = 0
    for number, action in enumerate(model.actions):
        scope[f"action_{number}"] = action.step
        scope |= {f"given_{number}_{place}": each for place, each in enumerate(action.given)}
        lines += _attempts(number, action, calls)
        calls += action.combination_count()
    lines.append("    return state")
    exec(compile("\n".join(lines), f"<successors of {model.name}>", "exec"), scope)
    expand: Successors = scope["expand"]
    return expand


def generate_judge(properties: Mapping[int, Property]) -> Judge:
    """A function of a state, or of the states before and after a step: the numbers of those that do not hold.

    Straight-line Python, as it runs for every state and every step.
    """
    lines = ["def judge(*states):", "    failing = []"]
    scope: dict[str, Any] = {}
    for number, each in properties.items():
        scope |= {f"property_{number}": each.function, f"given_{number}": each.given}
        given = f"*states, *given_{number}" if each.given else "*states"
        lines += [f"    if not property_{number}({given}):", f"        failing.append({number})"]
    lines.append("    return failing")
    exec(compile("\n".join(lines), "<properties>", "exec"), scope)
    judge: Judge = scope["judge"]
    return judge


def actions_of_calls(model: Model) -> list[int]:
    """The number of the action of each call."""
    return [number for number, action in enumerate(model.actions) for _ in range(action.combination_count())]


def _attempts(number: int, action: Action, first_call: int) -> list[str]:
    lines = []
    indent = "    "
    call = "0"
    arguments = ["state", *(f"given_{number}_{place}" for place in range(len(action.given)))]
    for place, parameter in enumerate(action.parameters):
        is_flag = isinstance(parameter.kind, Flag)
        domain = "(False, True)" if is_flag else f"range({parameter.low}, {parameter.high + 1})"
        lines.append(f"{indent}for p{place} in {domain}:")
        arguments.append(f"id_sets[p{place}]" if is_id_set(parameter.kind) else f"p{place}")
        call = f"({call}) * {parameter.high - parameter.low + 1} + p{place} - {parameter.low}"
        indent += "    "
    lines.append(f"{indent}if action_{number}({', '.join(arguments)}):")
    lines.append(f"{indent}    successors.append(({first_call} + {call}, flatten(state), state))")
    lines.append(f"{indent}    state = restore(values)")
    if not action.read.false_is_clean:
        lines.append(f"{indent}elif flatten(state) != values:")
        lines.append(f"{indent}    raise ValueError('an action wrote and returned False')")
    return lines


def wait(search: InterpretedSearch, is_ready: Callable[[], bool]) -> Found | None:
    """Wait for the compiler; Found if a limit or Ctrl-C ends the waiting."""
    watch = search.watch
    while not is_ready() or watch.interrupts.pressed:  # Ctrl-C may have ended the compiler, too
        is_due = watch.is_due() or watch.interrupts.pressed
        reason = watch.reason_to_stop(COMPILING, search.counts, 0) if is_due else ""
        if reason:
            return search.counts.stopped(search.model, reason)
        time.sleep(0.01)
    return None
