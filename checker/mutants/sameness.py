"""Without which of its conditions a model takes the same steps from the states that it reaches.

A step is a pair of states, whatever the action that is named for it, because properties see no more of it. Where two
models have the same initial states, and from each state that the one reaches take the same steps, they reach the same
states, by induction; so only one of them has to be explored.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from checker.compiled import Workspace
from checker.exploration import Values
from checker.interpreted import generate_expand
from checker.language import removal
from checker.machine.context import EXCLUDED
from checker.machine.kernel import sizes_of
from checker.machine.native import FAULT, NO_FAULT, Entry
from checker.model import Model

Array = np.ndarray[Any, Any]

BLOCK = 4096
"""How many states are looked at together."""


def different_interpreted(model: Model, states: Sequence[Values], numbers: Iterable[int]) -> set[int]:
    """Which of these conditions make a difference to a step from one of the states, by plain Python."""
    expand = generate_expand(model)
    left, different = list(numbers), set()
    for values in states:
        usual = _successors(expand, values, removal.NOTHING)
        different |= {number for number in left if _successors(expand, values, number) != usual}
        left = [number for number in left if number not in different]
    removal.remove(removal.NOTHING)
    return different


def _successors(expand: Any, values: Values, number: int) -> set[Values] | None:
    """The states after a state; None where protocol code fails, which takes no step that could be compared."""
    removal.remove(number)
    found: list[tuple[int, Values, object]] = []
    try:
        expand(values, found)
    except Exception:
        return None
    return {after for _, after, _ in found}


def different_compiled(model: Model, entries: dict[str, Entry], states: Array, numbers: Iterable[int]) -> set[int]:
    """The same by machine code; `states` are packed, uint64[n, words]."""
    sizes = sizes_of(model)
    space = Workspace(sizes, entries, 1, BLOCK * sizes.combinations)
    space.adopt(states)
    left, different = list(numbers), set()
    for first in range(0, len(states), BLOCK):
        last = min(first + BLOCK, len(states))
        usual = _steps(space, first, last, removal.NOTHING)
        different |= {number for number in left if not _are_same(usual, _steps(space, first, last, number))}
        left = [number for number in left if number not in different]
        if not left:
            break
    return different


def _are_same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return False
    return np.array_equal(one, other) or np.array_equal(np.unique(one, axis=0), np.unique(other, axis=0))


def _steps(space: Workspace, first: int, last: int, number: int) -> Array | None:
    """The steps as rows: the number of the state before, whether the one after is excluded, and that one.

    None where the code fails.
    """
    space.remove(number)
    _, amount = space.expand(first, last)
    if space.report[FAULT] != NO_FAULT:
        space.report[FAULT] = NO_FAULT
        return None
    excluded = space.actions[:amount] & EXCLUDED
    return np.column_stack([space.origins[:amount], excluded, space.successors[:amount]])
