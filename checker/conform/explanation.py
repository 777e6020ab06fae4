"""Is there a behaviour of a model that explains a recorded log? The search, over sets of states.

How much of a log is explained is a position: how many lines of each process. For every position that can be reached
the search keeps all states in which the system can be then, steps that nobody saw included. Lines of one process are
explained in their order, lines of several processes in any.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from kafkacheck.checker.conform.adapter import Field
from kafkacheck.checker.conform.paths import Numbers, columns, edges_of
from kafkacheck.checker.conform.recording import Line, Recording
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.graphs.state_graph import NO_STATE, Combinations, explored
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import NotExhaustedError
from kafkacheck.checker.schema.objects import Values

Position = tuple[int, ...]
NONE = -1


class Seen(NamedTuple):
    """One step of a behaviour, by the number of its edge (`NONE`: no step), and the line that it explains, if any."""

    edge: int
    line: Line | None


@dataclass
class Fitting:
    """The states that fit a position, in order of discovery.

    Of each: the edge by which it was found (`NONE` if without a step), and the process of the line that led here
    (`NONE` if no line did: a step that nobody saw, or the start). `since`: by state, its place here.
    """

    states: list[Numbers] = field(default_factory=list)
    edges: list[Numbers] = field(default_factory=list)
    processes: list[Numbers] = field(default_factory=list)

    def add(self, states: Numbers, edges: Numbers, process: int) -> None:
        """Add states that are not here yet."""
        self.states.append(states)
        self.edges.append(edges)
        self.processes.append(np.full(len(states), process, np.int64))

    @property
    def all(self) -> Numbers:
        """All states."""
        return np.concatenate(self.states)

    def found(self, state: int) -> tuple[int, int]:
        """The edge and the process by which a state was found."""
        at = int(np.flatnonzero(self.all == state)[0])
        return int(np.concatenate(self.edges)[at]), int(np.concatenate(self.processes)[at])


@dataclass(frozen=True)
class Closest:
    """How near the model comes to a line that no behaviour explains.

    `start` and `steps`: a behaviour that explains everything before. `differing`: by path, the value that the log
    tells and the model's. `is_possible`: whether the step of the line is possible at all at the end of the behaviour.
    """

    line: Line
    start: int
    steps: list[Seen]
    differing: Mapping[str, tuple[int, int, Field]]
    is_possible: bool


class Explanation:
    """A search for behaviours of a model that explain a recording.

    `unfinished` says why the state graph is not whole; "" if it is. `most`: how many states fitted at once at most.
    """

    def __init__(self, model: Model, recording: Recording, watch: Watch) -> None:
        self.model, self._watch = model, watch
        self._lines = list(recording.lines.values())
        self._graph = explored(model, watch)
        sources, calls, targets, self.unfinished = edges_of(self._graph)
        inside = targets != NO_STATE
        order = np.argsort(sources[inside], kind="stable")
        self.sources, self.calls, self.targets = (each[inside][order] for each in (sources, calls, targets))
        self.states = self._graph.counts.distinct
        self._starts = np.searchsorted(self.sources, np.arange(self.states + 1))
        self.combinations = Combinations(model)
        self._fields = list(dict.fromkeys(each for lines in self._lines for line in lines for each in line.fields))
        self._values = columns(self._graph, self.states, self._fields) if self._fields else np.empty((self.states, 0))
        logged = np.isin(self.combinations.actions, sorted(recording.logged))
        self._is_unseen = ~logged[self.calls]
        self._calls: dict[int, Numbers] = {}
        self.fitting: dict[Position, Fitting] = {}
        self.most = 0

    def search(self) -> list[tuple[int, list[Seen]]]:
        """A behaviour that explains all lines, as its start and its steps: [it], or [] if there is none.

        NotExhaustedError if a limit ends the search.
        """
        position = tuple(0 for _ in self._lines)
        end = tuple(len(lines) for lines in self._lines)
        starts = np.arange(self._graph.counts.level_ends[0] if self._graph.counts.level_ends else 0)
        waiting = {position: [(starts, np.full(len(starts), NONE), NONE)]}
        for _ in range(sum(end) + 1):
            following: dict[Position, list[tuple[Numbers, Numbers, int]]] = {}
            for position, entries in waiting.items():
                self._enter(position, entries, is_end=position == end)
                for process, after in self._next(position):
                    states, edges = self._explain(self.fitting[position].all, self._line(position, process))
                    if len(states):
                        following.setdefault(after, []).append((states, edges, process))
            waiting = following
        if end not in self.fitting or not len(self.fitting[end].all):
            return []
        return [self.behaviour(end, int(self.fitting[end].all[0]))]

    def _line(self, position: Position, process: int) -> Line:
        return self._lines[process][position[process]]

    def _next(self, position: Position) -> Iterator[tuple[int, Position]]:
        """The processes that have a line left, each with the position after it."""
        for process, count in enumerate(position):
            if count < len(self._lines[process]):
                yield process, tuple(each + (at == process) for at, each in enumerate(position))

    def _enter(self, position: Position, entries: list[tuple[Numbers, Numbers, int]], is_end: bool) -> None:
        """Find all states that fit a position: those entered by a line, and those behind steps that nobody saw."""
        fitting = self.fitting[position] = Fitting()
        is_known = np.zeros(self.states, bool)
        for states, edges, process in entries:
            states, first = np.unique(states, return_index=True)
            new = ~is_known[states]
            fitting.add(states[new], edges[first][new], process)
            is_known[states] = True
        level = fitting.all
        while len(level) and not is_end:
            reason = self._watch.interrupts.reason()
            if reason:
                raise NotExhaustedError(reason)
            edges = self._out(level)
            edges = edges[self._is_unseen[edges] & ~is_known[self.targets[edges]]]
            level, first = np.unique(self.targets[edges], return_index=True)
            is_known[level] = True
            fitting.add(level, edges[first], NONE)
        self.most = max(self.most, len(fitting.all))

    def _out(self, states: Numbers) -> Numbers:
        """The edges from some states."""
        starts, ends = self._starts[states], self._starts[states + 1]
        counts = ends - starts
        before = np.repeat(np.cumsum(counts) - counts, counts)
        edges: Numbers = np.repeat(starts, counts) + np.arange(int(counts.sum())) - before
        return edges

    def _explain(self, states: Numbers, line: Line) -> tuple[Numbers, Numbers]:
        """The states after a line that is seen in one of some states, and the edges to them."""
        if line.action is None:
            states = states[self._distance(states, line) == 0]
            return states, np.full(len(states), NONE)
        edges = self._steps_of(states, line)
        edges = edges[self._distance(self.targets[edges], line) == 0]
        return self.targets[edges], edges

    def _steps_of(self, states: Numbers, line: Line) -> Numbers:
        """The edges from some states by the call of a line."""
        if line.number not in self._calls:
            actions = self.model.actions
            self._calls[line.number] = np.array(
                [
                    action == line.action and line.parameters.items() <= actions[action].named(values).items()
                    for action, values in zip(self.combinations.actions, self.combinations.parameters, strict=True)
                ]
            )
        edges = self._out(states)
        chosen: Numbers = edges[self._calls[line.number][self.calls[edges]]]
        return chosen

    def _distance(self, states: Numbers, line: Line) -> Numbers:
        """In how many fields some states differ from a line."""
        places = [self._fields.index(each) for each in line.fields]
        distance: Numbers = np.sum(self._values[states][:, places] != list(line.fields.values()), axis=1)
        return distance

    def behaviour(self, position: Position, state: int) -> tuple[int, list[Seen]]:
        """A behaviour to a state that fits a position: its start, and its steps with the lines that they explain."""
        steps: list[Seen] = []
        while True:
            edge, process = self.fitting[position].found(state)
            if process == NONE and edge == NONE:
                return state, steps[::-1]
            line = None
            if process != NONE:
                position = tuple(each - (at == process) for at, each in enumerate(position))
                line = self._line(position, process)
            steps.append(Seen(edge, line))
            state = state if edge == NONE else int(self.sources[edge])

    def closest(self) -> list[Closest]:
        """For each line that no behaviour explains after all that can be explained before it, the nearest miss."""
        most = max(sum(position) for position, fitting in self.fitting.items() if len(fitting.all))
        found: dict[int, Closest] = {}
        for position, fitting in self.fitting.items():
            if sum(position) == most:
                for process, _ in self._next(position):
                    near = self._nearest(position, fitting.all, self._line(position, process))
                    known = found.get(near.line.number)
                    if known is None or _badness(near) < _badness(known):
                        found[near.line.number] = near
        return [found[number] for number in sorted(found)]

    def _nearest(self, position: Position, states: Numbers, line: Line) -> Closest:
        edges = np.empty(0, np.int64) if line.action is None else self._steps_of(states, line)
        is_possible = line.action is None or len(edges) > 0
        ends = self.targets[edges] if len(edges) else states
        best = int(np.argmin(self._distance(ends, line)))
        at = int(self.sources[edges[best]]) if len(edges) else int(states[best])
        start, steps = self.behaviour(position, at)
        differing = {}
        if is_possible:
            if len(edges):
                steps.append(Seen(int(edges[best]), line))
            for each, value in line.fields.items():
                shown = int(self._values[ends[best], self._fields.index(each)])
                if shown != value:
                    differing[each.path] = (value, shown, each)
        return Closest(line, start, steps, differing, is_possible)

    def values(self, states: Sequence[int]) -> list[Values]:
        """States by their numbers, flattened."""
        return self._graph.values_of(states)


def _badness(near: Closest) -> tuple[bool, int]:
    return not near.is_possible, len(near.differing)
