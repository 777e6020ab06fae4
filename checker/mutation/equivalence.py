"""Equivalent mutants: a model without one of its conditions that takes the same steps from all reachable states.

A step is a pair of states, whichever action takes it, because properties of states and steps see no more of it. If two
models have the same initial states, and take the same steps from each state that the one reaches, they reach the same
states, by induction, and only one of them has to be explored. Fairness sees more: which action takes a step, and with
which parameters. So a mutant that differs only in that is reported separately.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kafkacheck.checker.compiled.compiled import Workspace
from kafkacheck.checker.compiled.context import EVERY_ACTION, EXCLUDED, bit_of_action
from kafkacheck.checker.compiled.kernel import sizes_of
from kafkacheck.checker.compiled.native import FAULT, NO_FAULT, Entry
from kafkacheck.checker.exploration.interpreted import generate_expand
from kafkacheck.checker.language import ir, removal
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema.objects import Values

Array = np.ndarray[Any, Any]

BLOCK = 4096
"""How many states are looked at together."""


class Differences(NamedTuple):
    """Conditions without which a model differs.

    `steps`: some step is another. `names`: all steps are the same, but not all are taken by the same actions.
    """

    steps: set[int]
    names: set[int]


def different_interpreted(model: Model, states: Sequence[Values], numbers: Iterable[int]) -> Differences:
    """Which of these conditions make a difference from one of the states, by plain Python."""
    expand = generate_expand(model)
    left = list(numbers)
    different: set[int] = set()
    renamed: set[int] = set()
    for values in states:
        usual = _calls(expand, values, removal.NOTHING)
        for number in left:
            found = _calls(expand, values, number)
            if found == usual:
                continue
            if found is None or usual is None or {after for _, after in found} != {after for _, after in usual}:
                different.add(number)
            renamed.add(number)
        left = [number for number in left if number not in different]
    removal.remove(removal.NOTHING)
    return Differences(different, renamed - different)


def _calls(expand: Any, values: Values, number: int) -> list[tuple[int, Values]] | None:
    """Which actions are possible in a state, with which parameters, and the states after them.

    None if protocol code fails, because then no step can be compared.
    """
    removal.remove(number)
    found: list[tuple[int, Values, object]] = []
    try:
        expand(values, found)
    except Exception:
        return None
    return [(call, after) for call, after, _ in found]


def different_compiled(model: Model, entries: dict[str, Entry], states: Array, numbers: Iterable[int]) -> Differences:
    """The same by machine code; `states` are packed, uint64[n, words].

    First only the actions that have a condition are tried without it. If they take other steps, the steps of all
    actions decide, as another action may take the same ones.
    """
    sizes = sizes_of(model)
    space = Workspace(sizes, entries, 1, BLOCK * sizes.combinations)
    space.adopt(states)
    space.judge(False)
    tried = actions_with_switches(model)
    left = list(numbers)
    different: set[int] = set()
    renamed: set[int] = set()
    for first in range(0, len(states), BLOCK):
        last = min(first + BLOCK, len(states))
        usual = {each: _steps(space, first, last, removal.NOTHING, each) for each in {tried[number] for number in left}}
        for number in left:
            known, found = usual[tried[number]], _steps(space, first, last, number, tried[number])
            if known is not None and found is not None and np.array_equal(known, found):
                continue
            renamed.add(number)
            if not _are_same(known, found):
                if EVERY_ACTION not in usual:
                    usual[EVERY_ACTION] = _steps(space, first, last, removal.NOTHING, EVERY_ACTION)
                if not _are_same(usual[EVERY_ACTION], _steps(space, first, last, number, EVERY_ACTION)):
                    different.add(number)
        left = [number for number in left if number not in different]
        if not left:
            break
    return Differences(different, renamed - different)


def actions_with_switches(model: Model) -> dict[int, int]:
    """Which actions have each condition, by its number: their bits (`context.bit_of_action`)."""
    found: dict[int, int] = {}
    for place, action in enumerate(model.actions):
        for function in ir.reachable([action.read]):
            for each in ir.switches(function):
                found[each.number] = found.get(each.number, 0) | bit_of_action(place)
    return found


def _are_same(one: Array | None, other: Array | None) -> bool:
    """Whether these are the same set of steps, by whichever actions."""
    if one is None or other is None:
        return False
    one, other = one[:, :-1], other[:, :-1]
    if np.array_equal(one, other):
        return True
    first = _first_difference(one, other)  # a single state is compared sooner than all of them
    for some, others in ((one[one[:, 0] == first], other[other[:, 0] == first]), (one, other)):
        if not np.array_equal(np.unique(some, axis=0), np.unique(others, axis=0)):
            return False
    return True


def _first_difference(one: Array, other: Array) -> int:
    """The first state after which the steps are not in the same order, or not the same."""
    common = min(len(one), len(other))
    differs = np.flatnonzero((one[:common] != other[:common]).any(axis=1))
    row = int(differs[0]) if len(differs) else common
    return min(int(each[row, 0]) for each in (one, other) if row < len(each))


def _steps(space: Workspace, first: int, last: int, number: int, tried: int) -> Array | None:
    """The steps by some actions, in the order in which these are tried; None if the code fails.

    As rows: the number of the state before, whether the one after is excluded, that one, and the number of the action.
    An action that is possible with other parameters, too, has more rows.
    """
    space.remove(number)
    space.try_actions(tried)
    _, amount = space.expand(first, last)
    if space.report[FAULT] != NO_FAULT:
        space.report[FAULT] = NO_FAULT
        return None
    actions = space.actions[:amount]
    return np.column_stack([space.origins[:amount], actions & EXCLUDED, space.successors[:amount], actions])
