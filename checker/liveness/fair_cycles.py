"""Fair behaviours that never reach a goal: searched as a way to a fair cycle, or to a fair stop.

A strongly connected part of the states outside the goal has a fair cycle, through all of its states and steps, where
each requirement that is enabled in it (weak: in all of its states; strong: in some) is also done within it. A part in
which a weak one is not done has no fair cycle at all. If only strong ones are not done, the states that enable them are
taken out, and the rest is divided anew. A behaviour may also stop, if no step of any requirement is enabled.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from kafkacheck.checker.graphs.observed import ObservedGraph
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.fairness import Fairness, Requirement, requirements

Array = np.ndarray[Any, Any]

NOTHING = -1


class Lasso(NamedTuple):
    """A behaviour from an initial state `start` on, as numbers of steps: a stem, then for ever a cycle.

    The cycle is empty if the behaviour stops after the stem.
    """

    start: int
    stem: list[int]
    cycle: list[int]


class Rules:
    """The requirements of a model, by number, and which (action, parameters) each speaks of."""

    def __init__(self, model: Model) -> None:
        self.all: list[Requirement] = requirements(model.fairness)
        self.is_strong = np.array([each.is_strong for each in self.all], bool)
        numbers = {(each.fairness, each.share): number for number, each in enumerate(self.all)}
        self._tables = [self._table(model, each, numbers) for each in model.fairness]
        self._speaks = np.zeros(sum(action.combination_count() for action in model.actions), bool)
        for table in self._tables:
            self._speaks |= table != NOTHING

    @staticmethod
    def _table(model: Model, fairness: Fairness, numbers: dict[tuple[Fairness, tuple[int, ...]], int]) -> Array:
        """The requirement of each (action, parameters), NOTHING for other actions."""
        found: list[int] = []
        for action in model.actions:
            if action.name == fairness.action.name:
                found += [numbers[fairness, fairness.share(values)] for values in action.combinations()]
            else:
                found += [NOTHING] * action.combination_count()
        return np.array(found, np.int64)

    def speaks_of(self, combinations: Array) -> Array:
        """For each of these (action, parameters), whether a requirement speaks of it."""
        return self._speaks[combinations]

    def pairs(self, owners: Array, combinations: Array) -> Array:
        """The distinct pairs of an owner and a requirement of its step, as owner * len(all) + requirement.

        Quickest if the owners ascend, and the (action, parameters) of each.
        """
        found = [np.empty(0, np.int64)]
        for numbers in self.numbers(combinations):
            known = numbers != NOTHING
            found.append(_distinct(owners[known].astype(np.int64) * len(self.all) + numbers[known])[0])
        return np.concatenate(found)

    def numbers(self, combinations: Array) -> list[Array]:
        """The requirements that speak of these (action, parameters): for each fairness of the model one, or NOTHING."""
        return [table[combinations] for table in self._tables]


def find_lasso(graph: ObservedGraph, rules: Rules, starts: Array, outside: Array) -> Lasso | None:
    """A fair behaviour that comes to a state of `starts` and then stays `outside` for ever; None: there is none.

    `starts` bool[states] are states `outside`, bool[states]. The stem is a shortest one to its cycle or stop.
    """
    search = _Search(graph, rules, starts, outside)
    stops = search.stops()
    if stops.any():
        return search.lasso(search.nearest(stops), None)
    part = search.fair_parts()
    if not (part != NOTHING).any():
        return None
    entry = search.nearest(part != NOTHING)
    return search.lasso(entry, part == part[entry])


def _distinct(values: Array) -> tuple[Array, Array]:
    """The distinct values in ascending order, and how often there is each."""
    if (values[1:] < values[:-1]).any():
        values = np.sort(values)
    begins = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1]])[: len(values)])
    return values[begins], np.diff(np.append(begins, len(values)))


class _Search:
    def __init__(self, graph: ObservedGraph, rules: Rules, starts: Array, outside: Array) -> None:
        self.graph, self.rules, self.starts, self.outside = graph, rules, starts, outside
        self.distance = np.full(graph.count, NOTHING, np.int32)
        self.arrival = np.full(graph.count, NOTHING, np.int64)
        self._reach()

    def _reach(self) -> None:
        """How far every state is that can be reached outside the goal, in levels, and the step that leads there."""
        waiting = np.flatnonzero(self.starts)
        waiting = waiting[np.argsort(self.graph.levels[waiting], kind="stable")]
        levels, taken, now = self.graph.levels[waiting], 0, 0
        frontier = waiting[:0]
        while len(frontier) or taken < len(waiting):
            now = now + 1 if len(frontier) else int(levels[taken])
            frontier = self._advance(frontier, now)
            end = int(np.searchsorted(levels, now, side="right"))
            begins = waiting[taken:end]
            begins, taken = begins[self.distance[begins] == NOTHING], end
            self.distance[begins] = now
            frontier = np.concatenate([frontier, begins])

    def _advance(self, frontier: Array, now: int) -> Array:
        steps = self.graph.steps_from(frontier)
        targets = self.graph.targets[steps]
        new = self.outside[targets] & (self.distance[targets] == NOTHING)
        steps, targets = steps[new], targets[new]
        self.arrival[targets[::-1]] = steps[::-1]  # so that the first step to each target stays
        new_states: Array = targets[self.arrival[targets] == steps]
        self.distance[new_states] = now
        return new_states

    def stops(self) -> Array:
        """The states reached in which a behaviour may stop for ever."""
        goes_on = np.zeros(self.graph.count, bool)
        goes_on[self.graph.sources[self.rules.speaks_of(self.graph.combinations)]] = True
        stops: Array = ~goes_on & (self.distance != NOTHING)
        return stops

    def nearest(self, states: Array) -> int:
        """The first of the nearest ones among some states that are reached."""
        numbers = np.flatnonzero(states)
        return int(numbers[np.argmin(self.distance[numbers])])

    def fair_parts(self) -> Array:
        """Strongly connected parts that have a fair cycle: the number of each state's part, or NOTHING.

        It returns as soon as it has some, although taking out states could divide other parts further.
        """
        part = self._divided(self.distance != NOTHING)
        while (part != NOTHING).any():
            unfair_pairs, states = self._unfair(part)
            has_unfair = np.zeros(part.max() + 1, bool)
            has_unfair[unfair_pairs] = True
            is_fair = (part != NOTHING) & ~has_unfair[part]
            if is_fair.any():
                part[~is_fair] = NOTHING
                return part
            alive = part != NOTHING
            alive[states] = False
            part = self._divided(alive)
        return part

    def _divided(self, alive: Array) -> Array:
        """The strongly connected parts of some states that have a step inside them."""
        graph = self.graph
        steps = np.flatnonzero(alive[graph.sources] & alive[graph.targets])
        first = np.concatenate([[0], np.cumsum(np.bincount(graph.sources[steps], minlength=graph.count))])
        ones = np.ones(len(steps), np.float64)
        matrix = csr_array((ones, graph.targets[steps], first), shape=(graph.count, graph.count))
        matrix.sum_duplicates()  # with two entries for the same pair of states, the next line may never end
        part: Array
        _, part = connected_components(matrix, directed=True, connection="strong")
        part[np.bincount(part)[part] == 1] = NOTHING  # no step leads from a state to itself
        return part

    def _unfair(self, part: Array) -> tuple[Array, Array]:
        """The parts in which a requirement is not met, and the states to take out of them."""
        graph, rules, width = self.graph, self.rules, max(1, len(self.rules.all))
        steps = np.flatnonzero(part[graph.sources] != NOTHING)
        enabled = rules.pairs(graph.sources[steps], graph.combinations[steps])
        of_part = part[enabled // width].astype(np.int64) * width + enabled % width
        pairs, counts = _distinct(of_part)
        inner = steps[part[graph.sources[steps]] == part[graph.targets[steps]]]
        done = rules.pairs(part[graph.sources[inner]], graph.combinations[inner])
        always = counts == np.bincount(part[part != NOTHING])[pairs // width]
        unmet = pairs[~np.isin(pairs, done, assume_unique=True) & (always | rules.is_strong[pairs % width])]
        return np.unique(unmet // width), np.unique(enabled[np.isin(of_part, unmet)] // width)

    def lasso(self, entry: int, part: Array | None) -> Lasso:
        """The behaviour to a state and around its part; without a part it stops there."""
        graph, stem, state = self.graph, list[int](), entry
        while self.arrival[state] != NOTHING:
            stem.append(int(self.arrival[state]))
            state = int(graph.sources[stem[-1]])
        while graph.parents[state] >= 0:
            parent = int(graph.parents[state])
            steps = np.arange(graph.first[parent], graph.first[parent + 1])
            stem.append(int(steps[graph.targets[steps] == state][0]))
            state = parent
        return Lasso(state, stem[::-1], [] if part is None else _Cycle(graph, self.rules, part).around(entry))


class _Cycle:
    """Builds a short fair cycle in a part that has one."""

    def __init__(self, graph: ObservedGraph, rules: Rules, part: Array) -> None:
        self.graph, self.rules, self.part = graph, rules, part

    def around(self, entry: int) -> list[int]:
        """The steps of a fair cycle from a state back to it: a shortest one, with detours to unmet requirements."""
        path: list[int] = []
        state = entry
        while True:
            closed = path if path and state == entry else path + self._way(state, self._only(entry))
            unmet = next(self._unmet(closed), None)
            if unmet is None:
                return closed
            steps, goals = self._meeting(unmet)
            if not goals[state]:
                path = path + self._way(state, goals)
                state = int(self.graph.targets[path[-1]])
            following = [step for step in self.graph.steps_from(np.array([state])) if step in steps]
            if following:
                path = [*path, int(following[0])]
                state = int(self.graph.targets[path[-1]])

    def _unmet(self, cycle: list[int]) -> Iterator[int]:
        """The requirements that a cycle does not meet."""
        done = self._spoken_of(cycle)
        states = np.unique(self.graph.sources[cycle])
        enabled = [self._enabled(state) for state in states]
        for number in sorted(set().union(*enabled) - done):
            if self.rules.is_strong[number] or all(number in each for each in enabled):
                yield number

    def _enabled(self, state: int) -> set[int]:
        return self._spoken_of(self.graph.steps_from(np.array([state])))

    def _spoken_of(self, steps: Sequence[int] | Array) -> set[int]:
        combinations = self.graph.combinations[np.asarray(steps, np.int64)]
        return {int(number) for each in self.rules.numbers(combinations) for number in each if number != NOTHING}

    def _only(self, state: int) -> Array:
        goals = np.zeros(self.graph.count, bool)
        goals[state] = True
        return goals

    def _meeting(self, number: int) -> tuple[set[int], Array]:
        """The steps in the part that meet a requirement; their sources, or the states in which it is not enabled."""
        graph = self.graph
        steps = graph.steps_from(np.flatnonzero(self.part))
        asks = np.any([each == number for each in self.rules.numbers(graph.combinations[steps])], axis=0)
        asked = np.zeros(graph.count, bool)
        asked[graph.sources[steps[asks]]] = True
        inner = steps[asks & self.part[graph.targets[steps]]]
        goals = np.zeros(graph.count, bool)
        goals[graph.sources[inner]] = True
        if not self.rules.is_strong[number]:
            goals |= self.part & ~asked
        return set(inner.tolist()), goals

    def _way(self, state: int, goals: Array) -> list[int]:
        """The steps of a shortest way of at least one step, within the part, to one of some states."""
        graph = self.graph
        arrival = np.full(graph.count, NOTHING, np.int64)
        frontier = np.array([state])
        while len(frontier):
            steps = graph.steps_from(frontier)
            targets = graph.targets[steps]
            new = self.part[targets] & (arrival[targets] == NOTHING)
            steps, targets = steps[new], targets[new]
            arrival[targets[::-1]] = steps[::-1]
            frontier = targets[arrival[targets] == steps]
            reached = frontier[goals[frontier]]
            if len(reached):
                return self._back(arrival, int(reached[0]), state)
        raise AssertionError("every state of a strongly connected part leads to every other one")

    def _back(self, arrival: Array, state: int, start: int) -> list[int]:
        way = [int(arrival[state])]
        while int(self.graph.sources[way[-1]]) != start:
            way.append(int(arrival[self.graph.sources[way[-1]]]))
        return way[::-1]
