"""The state graph of a model as arrays, with the values of some predicates for each state, by either reading."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import Successors, actions_of_calls, codes_of, generate_expand
from kafkacheck.checker.model import Model, Property
from kafkacheck.checker.process.errors import NotExhaustedError
from kafkacheck.checker.process.interrupts import Stopped
from kafkacheck.checker.schema.objects import Values

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class ObservedGraph:
    """All states of a model, numbered in order of discovery, and all steps that change it, in order of their sources.

    `levels` int32[states]: the level of each, initial states 1. `parents` int64[states]: the state it was found from,
    -1 for an initial one. `sources` and `targets` int32 or uint32[steps]; `combinations` uint32[steps] numbers (action,
    parameters) in the order in which they are tried. `first` int64[states + 1]: the steps from state s are first[s] ..
    first[s + 1] - 1. `truths` holds bool[states] for the name of each predicate. `values_of` gives states, flattened.
    """

    levels: Array
    parents: Array
    sources: Array
    targets: Array
    combinations: Array
    first: Array
    truths: dict[str, Array]
    values_of: Callable[[Sequence[int]], list[Values]]

    @property
    def count(self) -> int:
        """How many states there are."""
        return len(self.levels)

    def steps_from(self, states: Array) -> Array:
        """The numbers of the steps from some states, int64, in order of the states."""
        starts = self.first[states]
        counts = self.first[states + 1] - starts
        before = np.cumsum(counts) - counts
        return np.repeat(starts - before, counts) + np.arange(counts.sum())


def first_steps(sources: Array, count: int) -> Array:
    """Where the steps of each of `count` states begin, int64[count + 1], in sources that ascend."""
    return np.concatenate([[0], np.cumsum(np.bincount(sources, minlength=count))]).astype(np.int64)


def compiled_graph(model: Model, predicates: Sequence[Property], watch: Watch) -> ObservedGraph:
    """The graph by the compiled reading. EvaluationError if code fails, NotExhaustedError at a limit."""
    from kafkacheck.checker.graphs import state_graph

    graph = state_graph.explored(model.observed_by(predicates), watch)
    told = [(each.sources.copy(), each.targets.copy(), each.combinations.copy()) for each in graph.steps()]
    sources, targets, combinations = (
        np.concatenate(column) for column in (zip(*told, strict=True) if told else [[np.empty(0, np.uint32)]] * 3)
    )
    changing = sources != targets
    sources, targets, combinations = sources[changing], targets[changing], combinations[changing]
    count = graph.counts.distinct
    levels, parents = np.empty(count, np.int32), np.empty(count, np.int64)
    for number, (start, end) in enumerate(graph.levels, start=1):
        levels[start:end] = number
    verdicts = np.empty(count, np.uint64)
    for part in graph.states(0, count):
        end = part.first + len(part.words)
        verdicts[part.first : end], parents[part.first : end] = part.verdicts, part.parents
    truths = {
        each.name: (verdicts >> np.uint64(bit) & np.uint64(1)).astype(bool) for bit, each in enumerate(predicates)
    }
    return ObservedGraph(
        levels, parents, sources, targets, combinations, first_steps(sources, count), truths, graph.values_of
    )


def interpreted_graph(model: Model, predicates: Sequence[Property], watch: Watch) -> ObservedGraph:
    """The same by the interpreted reading: for small models, and at once. Raises as `compiled_graph`."""
    try:
        with watch.interrupts.stopping_protocol_code(codes_of(model)):
            return _Interpreted(model, predicates, watch).graph()
    except Stopped:
        raise NotExhaustedError(watch.interrupts.reason()) from None


class _Interpreted:
    def __init__(self, model: Model, predicates: Sequence[Property], watch: Watch) -> None:
        self.model, self.predicates, self.watch = model, predicates, watch
        self.evaluate = Evaluation(model)
        self.action_of = actions_of_calls(model)
        self.numbers: dict[Values, int] = {}
        self.states: list[Values] = []
        self.levels: list[int] = []
        self.parents: list[int] = []

    def _number(self, values: Values, parent: int) -> int:
        if values not in self.numbers:
            self.numbers[values] = len(self.states)
            self.states.append(values)
            self.parents.append(parent)
            self.levels.append(1 if parent < 0 else self.levels[parent] + 1)
        return self.numbers[values]

    def _successors(self, expand: Successors, values: Values) -> list[tuple[int, Values]]:
        found: list[tuple[int, Values, Any]] = []
        try:
            expand(values, found)
        except Exception:
            raise self.evaluate.failure_of_step(values) from None
        stutters = [call for call, after, _ in found if after == values]
        is_allowed = all(self.model.actions[self.action_of[call]].may_stutter for call in stutters)
        if not is_allowed or not all(self.model.layout.in_range(after) for _, after, _ in found):
            raise self.evaluate.failure_of_step(values)
        return [(call, after) for call, after, _ in found if after != values]

    def graph(self) -> ObservedGraph:
        """Every state and step."""
        for state in self.model.initial_states():
            self._number(self.model.layout.flatten(state), -1)
        expand = generate_expand(self.model)
        steps: list[tuple[int, int, int]] = []
        source = 0
        while source < len(self.states):
            if self.watch.interrupts.reason():
                raise Stopped
            for call, after in self._successors(expand, self.states[source]):
                steps.append((source, self._number(after, source), call))
            source += 1
        columns = np.array(steps, np.int64).reshape(-1, 3)
        truths = {
            each.name: np.array([self.evaluate.holds(each, values) for values in self.states])
            for each in self.predicates
        }
        return ObservedGraph(
            np.array(self.levels, np.int32), np.array(self.parents, np.int64), columns[:, 0], columns[:, 1],
            columns[:, 2], first_steps(columns[:, 0], len(self.states)), truths,
            lambda numbers: [self.states[number] for number in numbers],
        )  # fmt: skip
