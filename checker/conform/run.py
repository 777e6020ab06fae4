"""Covering the state graph of a model with a system beside it, and making a schedule with a difference shorter."""

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from kafkacheck.checker.conform.beside import Beside
from kafkacheck.checker.conform.differences import START, Difference, Listed
from kafkacheck.checker.conform.link import Link, StoppedError
from kafkacheck.checker.conform.paths import LONGEST, Numbers, Paths, Tours, walk
from kafkacheck.checker.conform.telling import Behaviour, Op
from kafkacheck.checker.model import Model

MOST_SHORTENINGS = 2_000
"""How many behaviours are tried to find a shorter one with the same difference."""
MOST_PAIRED = 40
"""Of how many steps it is tried to leave out any two."""
SECONDS_TO_SHORTEN = 20.0
SHARE_OF_WALKS = 1 / 3
MOST_IDLE_WALKS = 100
"""After this many walks without a step that agrees, walking ends: each meets a known difference at once."""


@dataclass
class Coverage:
    """How much of the model the system was held against.

    `steps` and `refused`: calls that were compared, enabled ones and refusals; `walked`: those of random walks among
    them. `by_action`: by the number of the action, how often it was enabled and how often refused.
    """

    steps: int = 0
    refused: int = 0
    walked: int = 0
    behaviours: int = 0
    by_action: dict[int, list[int]] = field(default_factory=dict)


class Comparison(Beside):
    """A system beside a model, along its whole state graph. `name` is how the command line names the system.

    Raises what `Beside` raises.
    """

    def __init__(self, model: Model, name: str, link: Link) -> None:
        super().__init__(model, name, link)
        self.coverage = Coverage()

    def follow(self, paths: Paths, known: Sequence[Listed], first: Numbers | None = None) -> None:
        """Say along which state graph the system is driven, and which differences are known; nothing is covered yet.

        `first`: for each class of the graph whether it is compared before the others.
        """
        self.telling = self.paths = paths
        self.known, self.tours, self.coverage = known, Tours(paths, first), Coverage()

    def search(self, seed: int, least_steps: int, goes_on: Callable[[], bool]) -> tuple[Behaviour, Difference] | None:
        """Cover every class, then walk at random: the first difference that is not known, with its behaviour.

        Walks are at least a third of all steps, and make the steps at least `least_steps`. It ends when `goes_on` says
        no.
        """
        for behaviour in self.tours:
            if not goes_on():
                return None
            found = self._unknown(behaviour, is_walk=False)
            if found is not None:
                return behaviour, found
        chance = random.Random(seed)
        toured = self.coverage.steps + self.coverage.refused
        wanted = max(least_steps - toured, int(toured * SHARE_OF_WALKS / (1 - SHARE_OF_WALKS)) + 1)
        idle = 0
        while self.coverage.walked < wanted and goes_on():
            before = self.coverage.walked
            behaviour = walk(self.paths, chance, LONGEST)
            found = self._unknown(behaviour, is_walk=True)
            if found is not None:
                return behaviour, found
            idle = 0 if self.coverage.walked > before else idle + 1
            if idle == MOST_IDLE_WALKS:
                break
        return None

    def _unknown(self, behaviour: Behaviour, is_walk: bool) -> Difference | None:
        self.coverage.behaviours += 1
        taken: list[Op] = []
        try:
            found = self.perform(behaviour, taken.append)
        except StoppedError:
            found = None
        for op in taken:
            self._count(op, is_walk)
        judged = [op for op in behaviour.ops if op.number >= 0 or op.target is None]
        ends_early = next((asked for asked, op in zip(judged, taken, strict=False) if asked is not op), None)
        if found is not None and len(taken) < len(judged):
            ends_early = judged[len(taken)]
        if ends_early is not None:
            self.tours.block(ends_early)
        for each in self.known:
            if found is not None and each.covers(found):
                each.times += 1
                return None
        return found

    def _count(self, op: Op, is_walk: bool) -> None:
        self.tours.close(op)
        counted = self.coverage.by_action.setdefault(int(self.paths.combinations.actions[op.combination]), [0, 0])
        counted[op.target is None] += 1
        self.coverage.refused += op.target is None
        self.coverage.steps += op.target is not None
        self.coverage.walked += is_walk

    def shortened(
        self, behaviour: Behaviour, found: Difference, goes_on: Callable[[], bool]
    ) -> tuple[Behaviour, Difference]:
        """A shorter behaviour with a difference like that one; no step of it, and no two, can be left out.

        It tries the shortest way to the model's state first. Limits are `MOST_SHORTENINGS` and `SECONDS_TO_SHORTEN`.
        """
        best = self._cut(behaviour, found)
        self.tried, begun = 0, time.monotonic()

        def shows(candidate: Behaviour) -> Difference | None:
            self.tried += 1
            if self.tried > MOST_SHORTENINGS or time.monotonic() - begun > SECONDS_TO_SHORTEN or not goes_on():
                return None
            try:
                shown = self.perform(candidate)
            except StoppedError:
                return None
            return shown if shown is not None and shown.is_like(found) else None

        last = best.ops[-1] if best.ops else None
        if last is not None:
            way = self.paths.path_to(_state_before(best, len(best.ops) - 1))
            candidate = Behaviour(way.start, [*way.ops, last])
            shown = shows(candidate) if len(candidate.ops) < len(best.ops) else None
            if shown is not None:
                best, found = self._cut(candidate, shown), shown
        is_shorter = True
        while is_shorter:
            is_shorter = False
            for places in _ways_to_leave_out(best):
                shorter = self._without(best, places)
                shown = None if shorter is None else shows(shorter)
                if shorter is not None and shown is not None:
                    best, found, is_shorter = self._cut(shorter, shown), shown, True
                    break
        return best, found

    def _cut(self, behaviour: Behaviour, found: Difference) -> Behaviour:
        """The behaviour up to the difference."""
        return Behaviour(behaviour.start, [] if found.action == START else behaviour.ops[: found.at + 1])

    def _without(self, behaviour: Behaviour, places: Set[int]) -> Behaviour | None:
        """The behaviour without the steps at some places; None if the others cannot all be taken any more."""
        state, ops = behaviour.start, []
        for op in (op for place, op in enumerate(behaviour.ops) if place not in places):
            step = self.paths.follow(state, op.combination)
            if op.target is None:
                if not self._is_refused(state, op.combination):
                    return None
                ops.append(op)
            elif step is None or step.target is None:
                return None
            else:
                ops.append(step)
                state = step.target
        return Behaviour(behaviour.start, ops)

    def _is_refused(self, state: int, call: int) -> bool:
        return any(op.combination == call for op in self.paths.refusals_in(state))


def _ways_to_leave_out(behaviour: Behaviour) -> Iterator[set[int]]:
    """Sets of places before the last step: all refusals, runs of steps, longer ones first, and pairs of steps."""
    last = len(behaviour.ops) - 1
    if last < 1:  # nothing comes before the last step, or the difference is in the initial state
        return
    refusals = {place for place in range(last) if behaviour.ops[place].target is None}
    if refusals:
        yield refusals
    size = last
    while size:
        yield from (set(range(start, min(start + size, last))) for start in range(0, last, size))
        size //= 2
    if last <= MOST_PAIRED:
        yield from map(set, itertools.combinations(range(last), 2))


def _state_before(behaviour: Behaviour, at: int) -> int:
    states = [behaviour.start, *(op.target for op in behaviour.ops[:at] if op.target is not None)]
    return states[-1]


def covered_by_action(comparison: Comparison) -> Sequence[Sequence[int]]:
    """For each action: how many classes of edges it has, how many of them are covered; the same of refusals."""
    paths, is_covered = comparison.paths, ~comparison.tours.open
    is_edge = np.arange(paths.count) < paths.edge_classes
    which = (is_edge, is_edge & is_covered, ~is_edge, ~is_edge & is_covered)
    actions, count = paths.actions(), len(comparison.model.actions)
    return list(zip(*(np.bincount(actions[each], minlength=count).tolist() for each in which), strict=True))
