"""The state graph of a model as a system under test sees it, and behaviours that cover it.

Two edges look the same to a system if source and target show the same fields and the call is the same; such edges form
one class. A call that is not enabled and may be asked for is a refusal, and refusals form classes in the same way.
"""

import random
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kafkacheck.checker.conform.adapter import Adapter, Field
from kafkacheck.checker.conform.telling import Behaviour, Op, Telling, told_fields
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.graphs.state_graph import NO_STATE, StateGraph, explored
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import NotExhaustedError, UsageError
from kafkacheck.checker.schema.objects import Values

Numbers = np.ndarray[Any, Any]

LONGEST = 300
"""How many steps a behaviour has at most, so that a difference is not far from the start."""
MOST_LOOKED_AT = 300
"""How many states are looked at for a class that is not covered before the system is started anew."""
BLOCK = 1 << 16
SHARE_OF_REFUSALS = 0.2


def edges_of(graph: StateGraph) -> tuple[Numbers, Numbers, Numbers, str]:
    """Explore a graph: sources, calls and targets of all edges, and why they are not all; "" if they are.

    The target of an edge that leaves the constraint is NO_STATE. EvaluationError if the model's code fails.
    """
    found: list[tuple[Numbers, ...]] = []
    unfinished = ""
    try:
        for steps in graph.steps():
            found.append((steps.sources.copy(), steps.combinations.copy(), steps.targets.copy()))
    except NotExhaustedError as error:
        unfinished = str(error)
    if not found:
        nothing = np.empty(0, np.int64)
        return nothing, nothing, nothing, unfinished
    sources, calls, targets = (np.concatenate(each).astype(np.int64) for each in zip(*found, strict=True))
    return sources, calls, targets, unfinished


def columns(graph: StateGraph, count: int, fields: Sequence[Field]) -> Numbers:
    """The values of some fields, in a row for each of the first `count` states."""
    blocks = [np.empty((0, len(fields)), np.int32)]
    for start in range(0, count, BLOCK):
        words = np.concatenate([states.words for states in graph.states(start, min(start + BLOCK, count))])
        values = graph.model.layout.unpack(words)
        blocks.append(np.stack([each.column(values) for each in fields], axis=1).astype(np.int32))
    return np.ascontiguousarray(np.concatenate(blocks))


class Paths(Telling):
    """The part of a model's state graph that an adapter can follow. States, calls and classes are numbers.

    `unfinished` says why the graph is not whole; it is "" if it is. UsageError if a silent action changes an observed
    field; EvaluationError if the model's code fails.
    """

    def __init__(self, model: Model, adapter: Adapter, watch: Watch) -> None:
        super().__init__(model, adapter)
        graph = explored(model, watch)
        sources, calls, targets, self.unfinished = edges_of(graph)
        self.states = graph.counts.distinct
        self._graph = graph
        self.initial = list(range(graph.counts.level_ends[0])) if graph.counts.level_ends else []
        self.shown, self._rows = self._projection(adapter.observes)
        self._lasting = [at for at, field in enumerate(adapter.observes) if field.path not in adapter.answers]
        lasting = (adapter.observes[at] for at in self._lasting)
        self.seen, self._seen_rows = self._projection(tuple(dict.fromkeys((*lasting, *adapter.needs))))
        self._arrange(sources, calls, targets)
        self.classes = np.full(len(self.sources), -1, np.int64)
        self.is_blocked = np.zeros(1, bool)
        self.find_parents()
        self._classify()
        # One more for the edges that are in no class, whose number is -1: nothing blocks them.
        self.is_blocked = np.zeros(self.count + 1, bool)
        self._values_of: dict[int, Values] = {}
        self._expected: dict[int, dict[str, Any]] = {}
        self._needed: dict[int, dict[str, Any]] = {}

    def _projection(self, fields: tuple[Field, ...]) -> tuple[Numbers, Numbers]:
        """For each state the number of its values in some fields, and the values by that number."""
        rows = columns(self._graph, self.states, fields)
        whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
        _, first, number = np.unique(whole, return_index=True, return_inverse=True)
        return number.astype(np.int64), rows[first]

    def _arrange(self, sources: Numbers, calls: Numbers, targets: Numbers) -> None:
        """Keep the edges that the adapter can follow, by source, and check that silent ones show nothing."""
        acts, silent = (self._of(each) for each in (self.adapter.acts, self.adapter.silent))
        self.enabled = sources * len(self.combinations) + calls
        inside = (targets != NO_STATE) & (acts | silent)[calls]
        self.sources, self.calls, self.targets = sources[inside], calls[inside], targets[inside]
        self._is_silent = silent[self.calls]
        silent = np.flatnonzero(self._is_silent & (self.shown[self.sources] != self.shown[self.targets]))
        lasting = self._rows[:, self._lasting]
        before, after = (lasting[self.shown[each[silent]]] for each in (self.sources, self.targets))
        wrong = silent[np.any(before != after, axis=1)]
        if len(wrong):
            raise UsageError(self._lie(int(wrong[0])))
        self._starts = np.searchsorted(self.sources, np.arange(self.states + 1))

    def _of(self, actions: frozenset[int]) -> Numbers:
        """For each call whether its action is one of these."""
        return np.isin(self.combinations.actions, sorted(actions))

    def _lie(self, edge: int) -> str:
        before, after = (self._rows[self.shown[each[edge]], self._lasting] for each in (self.sources, self.targets))
        field = self.adapter.observes[self._lasting[int(np.flatnonzero(before != after)[0])]]
        action = self.model.actions[int(self.combinations.actions[self.calls[edge]])].name
        return (
            f"the system calls {action} silent, but it changes {field.path}, which the "
            "system observes; let it act, or do not observe that field"
        )

    def find_parents(self) -> None:
        """For each state find an edge by which a shortest path comes to it that the system goes along."""
        self._parents = np.full(self.states, -1, np.int64)
        self._depths = np.full(self.states, -1, np.int64)
        level = np.arange(self.states) if self.adapter.starts_anywhere else np.asarray(self.initial, np.int64)
        depth = 0
        self._depths[level] = 0
        while len(level):
            depth += 1
            edges = np.concatenate([np.arange(self._starts[state], self._starts[state + 1]) for state in level])
            edges = edges[(self._depths[self.targets[edges]] < 0) & ~self.is_blocked[self.classes[edges]]]
            level, first = np.unique(self.targets[edges], return_index=True)
            self._parents[level], self._depths[level] = edges[first], depth

    def _classify(self) -> None:
        """Number the classes of edges, then those of refusals; find a first member of each that can be reached."""
        reached = self._depths >= 0
        judged = np.flatnonzero(~self._is_silent & reached[self.sources])
        calls, shown = len(self.combinations), len(self._rows)
        order = judged[np.argsort(self._depths[self.sources[judged]], kind="stable")]
        keys = (self.seen[self.sources[order]] * calls + self.calls[order]) * shown + self.shown[self.targets[order]]
        _, first, number = np.unique(keys, return_index=True, return_inverse=True)
        self.classes[order] = number
        self.edge_classes = len(first)
        self._first_edge = order[first]
        self._members = order[np.argsort(number, kind="stable")]
        self._first_member = np.searchsorted(np.sort(number), np.arange(len(first) + 1))
        self._by_seen = np.argsort(self.seen, kind="stable")
        self.refusals: dict[tuple[int, int], int] = {}
        self._first_refusal: list[int] = []
        self._calls_of_refusals: list[int] = []
        refusable = np.flatnonzero(self._of(self.adapter.refuses))
        by_depth = np.argsort(self._depths, kind="stable")
        by_depth = by_depth[reached[by_depth] & (by_depth < self._expanded())]
        for call in refusable:
            disabled = by_depth
            for each in self._siblings(int(call)):
                disabled = disabled[~self._is_enabled(disabled, each)]
            seen, first = np.unique(self.seen[disabled], return_index=True)
            for each, state in zip(seen.tolist(), disabled[first].tolist(), strict=True):
                self.refusals[each, int(call)] = self.edge_classes + len(self._first_refusal)
                self._first_refusal.append(state)
                self._calls_of_refusals.append(int(call))
        self._refusable = {int(call): self._siblings(int(call)) for call in refusable}

    def _is_enabled(self, states: Numbers, call: int) -> Numbers:
        """For each of some states whether a call is enabled there."""
        wanted = states * len(self.combinations) + call
        places = np.minimum(np.searchsorted(self.enabled, wanted), len(self.enabled) - 1)
        return self.enabled[places] == wanted if len(self.enabled) else np.zeros(len(states), bool)

    def _siblings(self, call: int) -> list[int]:
        """The calls that differ only in parameters that the system chooses: it can refuse all of them or none."""
        action = int(self.combinations.actions[call])
        chosen = self.adapter.chooses.get(action)
        if not chosen:
            return [call]
        named = self.model.actions[action].named
        fixed = {name: value for name, value in named(self.combinations.parameters[call]).items() if name not in chosen}
        calls = np.flatnonzero(self.combinations.actions == action).tolist()
        return [each for each in calls if fixed.items() <= named(self.combinations.parameters[each]).items()]

    def _expanded(self) -> int:
        """How many states, in order of discovery, have all their edges."""
        return self.states if not self.unfinished else int(self.sources[-1]) if len(self.sources) else 0

    @property
    def count(self) -> int:
        """How many classes there are, of edges and refusals."""
        return self.edge_classes + len(self._first_refusal)

    def keys(self) -> list[tuple[bytes, int, bytes]]:
        """For each class what the system sees of it: what is shown before, the call, and what is shown after.

        Classes of graphs of one model by several rules are the same if these are equal. Nothing comes after a refusal.
        """
        seen = [each.tobytes() for each in self._seen_rows]
        shown = [each.tobytes() for each in self._rows]
        first, refused = self._first_edge, zip(self._first_refusal, self._calls_of_refusals, strict=True)
        edges = zip(self.sources[first].tolist(), self.calls[first].tolist(), self.targets[first].tolist(), strict=True)
        keys = [(seen[self.seen[source]], call, shown[self.shown[target]]) for source, call, target in edges]
        return keys + [(seen[self.seen[state]], call, b"") for state, call in refused]

    def is_same(self, other: "Paths") -> bool:
        """Whether both graphs have the same states and edges, found in the same order."""
        if self.states != other.states or self.unfinished or other.unfinished:
            return False
        mine, its = ((each.enabled, each.calls, each.targets) for each in (self, other))
        if not all(np.array_equal(one, another) for one, another in zip(mine, its, strict=True)):
            return False
        return np.array_equal(self._packed(), other._packed())

    def _packed(self) -> Numbers:
        """All states, packed, in a row each."""
        return np.concatenate([part.words for part in self._graph.states(0, self.states)])

    def actions(self) -> Numbers:
        """For each class the number of its action."""
        calls = [*self.calls[self._first_edge].tolist(), *self._calls_of_refusals]
        return np.asarray(self.combinations.actions)[np.asarray(calls, np.int64)]

    def depths(self) -> Numbers:
        """For each class how far its first member is from the start, in steps."""
        states = [*self.sources[self._first_edge].tolist(), *self._first_refusal]
        return self._depths[np.asarray(states, np.int64)]

    def first_of(self, number: int) -> tuple[int, int]:
        """The state and the call of the first member of a class."""
        if number < self.edge_classes:
            edge = int(self._first_edge[number])
            return int(self.sources[edge]), int(self.calls[edge])
        place = number - self.edge_classes
        return self._first_refusal[place], self._calls_of_refusals[place]

    def out(self, state: int) -> range:
        """The numbers of the edges from a state."""
        return range(int(self._starts[state]), int(self._starts[state + 1]))

    def op(self, edge: int) -> Op:
        """The step of an edge."""
        return Op(int(self.calls[edge]), int(self.targets[edge]), int(self.classes[edge]))

    def follow(self, state: int, call: int) -> Op | None:
        """The step from a state by a call; None if the call is not enabled, or leaves what the adapter can follow."""
        for edge in self.out(state):
            if self.calls[edge] == call:
                return self.op(edge)
        return None

    def chosen(self, state: int, combination: int, choice: Mapping[str, int]) -> Op | None:
        """The step from a state by the same call with other values of some parameters; None if it is not enabled."""
        return self.follow(state, self.with_choice(combination, choice))

    def refusals_in(self, state: int) -> Iterator[Op]:
        """The refusals that a system can be asked for in a state."""
        if state >= self._expanded():
            return
        enabled = self._enabled_in(state)
        for call, siblings in self._refusable.items():
            if enabled.isdisjoint(siblings):
                number = self.refusals.get((int(self.seen[state]), call), -1)
                yield Op(call, None, number)

    def _enabled_in(self, state: int) -> set[int]:
        calls = len(self.combinations)
        low, high = np.searchsorted(self.enabled, [state * calls, (state + 1) * calls])
        return {int(each) % calls for each in self.enabled[low:high]}

    def path_to(self, state: int) -> Behaviour:
        """A shortest behaviour that ends in a state; without a step if the system can start there."""
        ops: list[Op] = []
        while self._parents[state] >= 0:
            edge = int(self._parents[state])
            ops.append(self.op(edge))
            state = int(self.sources[edge])
        return Behaviour(state, ops[::-1])

    def way_to(self, number: int) -> tuple[Behaviour, Op] | None:
        """A behaviour to a member of a class, and its step.

        None if the system goes along no way to one, or if a step of the way was blocked after the last `find_parents`.
        """
        found = self._nearest(number)
        if found is None:
            return None
        state, op = found
        behaviour = self.path_to(state)
        return None if any(self.is_blocked[each.number] for each in behaviour.ops) else (behaviour, op)

    def _nearest(self, number: int) -> tuple[int, Op] | None:
        """The member of a class that is nearest to the start: its state and its step; None if none is reached."""
        if number < self.edge_classes:
            edges = self._members[self._first_member[number] : self._first_member[number + 1]]
            sources = self.sources[edges]
        else:
            first, call = self.first_of(number)
            low, high = np.searchsorted(self.seen, self.seen[first] + np.array([0, 1]), sorter=self._by_seen)
            sources = self._by_seen[low:high]
            sources = sources[(sources < self._expanded()) & (self._depths[sources] >= 0)]
            for each in self._refusable[call]:
                sources = sources[~self._is_enabled(sources, each)]
        reached = np.flatnonzero(self._depths[sources] >= 0)
        if not len(reached):
            return None
        best = int(reached[np.argmin(self._depths[sources[reached]])])
        op = self.op(int(edges[best])) if number < self.edge_classes else Op(call, None, number)
        return int(sources[best]), op

    def expected(self, state: int) -> dict[str, Any]:
        """The observed fields of a state."""
        number = int(self.shown[state])
        if number not in self._expected:
            self._expected[number] = told_fields(self.adapter.observes, self._rows[number])
        return self._expected[number]

    def needed(self, state: int) -> dict[str, Any]:
        """The fields of a state that the system is told before it acts."""
        number = int(self.seen[state])
        if number not in self._needed:
            self._needed[number] = super().needed(state)
        return self._needed[number]

    def values(self, state: int) -> Values:
        """A state, flattened."""
        if state not in self._values_of:
            self._values_of[state] = self._graph.values_of([state])[0]
        return self._values_of[state]


class Tours:
    """Behaviours that cover all classes: each goes on from class to class as long as one is near, then starts anew.

    `first`: for each class whether it is sought before the others are.
    """

    def __init__(self, paths: Paths, first: Numbers | None = None) -> None:
        self._paths = paths
        self._first = np.zeros(paths.count, bool) if first is None else first
        self.open = np.ones(paths.count, bool)
        self._planned = np.zeros(paths.count, bool)

    def __iter__(self) -> Iterator[Behaviour]:
        """The behaviours, until each class is compared, blocked, or behind one that is blocked.

        Each behaviour must be performed before the next one is asked for.
        """
        yield from self._over(self._first)
        yield from self._over(np.ones_like(self._first))

    def _over(self, wanted: Numbers) -> Iterator[Behaviour]:
        depths = self._paths.depths()
        goes_on = True
        while goes_on:
            goes_on = False
            self._planned = ~self.open | self._paths.is_blocked[:-1] | ~wanted
            for number in np.argsort(depths, kind="stable").tolist():
                behaviour = None if self._planned[number] else self._tour(number)
                if behaviour is not None:
                    goes_on = True
                    yield behaviour
            if goes_on and self._paths.is_blocked.any():
                self._paths.find_parents()

    def close(self, op: Op) -> None:
        """Note that a step was compared."""
        if op.number >= 0:
            self.open[op.number] = False

    def block(self, op: Op) -> None:
        """Note that the system does not go along a step: it takes another one there, or differs in a known way."""
        if op.number >= 0 and self.open[op.number]:
            self._paths.is_blocked[op.number] = True

    def _tour(self, number: int) -> Behaviour | None:
        paths = self._paths
        way = paths.way_to(number)
        if way is None:
            self._planned[number] = True
            return None
        (start, ops), op = way
        ops = [self._plan(each) for each in (*ops, op)]
        state = next((each.target for each in reversed(ops) if each.target is not None), start)
        while len(ops) < LONGEST:
            ops += [self._plan(op) for op in paths.refusals_in(state) if not self._is_planned(op)]
            edges = self._way_on(state)
            if not edges:
                break
            for edge in edges:
                ops.append(self._plan(paths.op(edge)))
                state = int(paths.targets[edge])
        return Behaviour(start, ops)

    def _plan(self, op: Op) -> Op:
        if op.number >= 0:
            self._planned[op.number] = True
        return op

    def _is_planned(self, op: Op) -> bool:
        return op.number < 0 or bool(self._planned[op.number])

    def _way_on(self, state: int) -> list[int]:
        """A shortest way to an edge, or a state with refusals, that is not planned; [] if none is near."""
        paths = self._paths
        waiting, came = deque([state]), {state: -1}
        while waiting and len(came) < MOST_LOOKED_AT:
            at = waiting.popleft()
            for edge in paths.out(at):
                number, target = int(paths.classes[edge]), int(paths.targets[edge])
                if number >= 0 and not self._planned[number]:
                    return [*self._back(came, at), edge]
                if target not in came and not paths.is_blocked[number]:
                    came[target] = edge
                    waiting.append(target)
        return []

    def _back(self, came: dict[int, int], state: int) -> list[int]:
        way = []
        while came[state] >= 0:
            way.append(came[state])
            state = int(self._paths.sources[came[state]])
        return way[::-1]


def walk(paths: Paths, chance: random.Random, longest: int) -> Behaviour:
    """A random behaviour: each action that is enabled is as likely as any other, and now and then one is refused."""
    start = chance.randrange(paths.states) if paths.adapter.starts_anywhere else chance.choice(paths.initial)
    state, ops = start, list[Op]()
    while len(ops) < longest:
        if paths.adapter.refuses and chance.random() < SHARE_OF_REFUSALS:
            refusals = list(paths.refusals_in(state))
            if refusals:
                ops.append(chance.choice(refusals))
        by_action: dict[int, list[int]] = {}
        for edge in paths.out(state):
            by_action.setdefault(int(paths.combinations.actions[paths.calls[edge]]), []).append(edge)
        if not by_action:
            break
        edge = chance.choice(by_action[chance.choice(sorted(by_action))])
        ops.append(paths.op(edge))
        state = int(paths.targets[edge])
    return Behaviour(start, ops)
