"""Whether two models take the same steps from the same states.

A step is a pair of states, whatever the action that is named for it, because properties see no more of it. Where two
models have the same initial states, and from each state that the one reaches take the same steps, they reach the same
states, by induction; so only one of them has to be explored.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from checker.compiled import Workspace
from checker.context import EXCLUDED
from checker.exploration import Values
from checker.interpreted import generate_expand
from checker.kernel import sizes_of
from checker.model import Model
from checker.native import FAULT, NO_FAULT, Entry

Array = np.ndarray[Any, Any]


def same_interpreted(one: Model, other: Model, states: Sequence[Values]) -> bool:
    """Whether both have the same successors of each state, by plain Python."""
    expand_one, expand_other = generate_expand(one), generate_expand(other)
    for values in states:
        following = []
        for expand in (expand_one, expand_other):
            found: list[tuple[int, Values, object]] = []
            try:
                expand(values, found)
            except Exception:  # protocol code that fails takes no step that could be compared
                return False
            following.append({after for _, after, _ in found})
        if following[0] != following[1]:
            return False
    return True


def same_compiled(model: Model, entries: Sequence[dict[str, Entry]], states: Array) -> bool:
    """The same by machine code: `entries` of the kernels of two models that have the layout and the actions of `model`.

    `states` are packed, uint64[n, words].
    """
    spaces = [Workspace(sizes_of(model), each, 1) for each in entries]
    block = spaces[0].room // spaces[0].sizes.combinations
    for space in spaces:
        space.adopt(states)
    for first in range(0, len(states), block):
        amounts = [space.expand(first, min(first + block, len(states)))[1] for space in spaces]
        if any(space.report[FAULT] != NO_FAULT for space in spaces):
            return False
        one, other = (_steps(space, amount) for space, amount in zip(spaces, amounts, strict=True))
        if not np.array_equal(one, other) and not np.array_equal(np.unique(one, axis=0), np.unique(other, axis=0)):
            return False
    return True


def _steps(space: Workspace, amount: int) -> Array:
    """The collected steps as rows: the number of the state before, whether the one after is excluded, and that one."""
    excluded = space.actions[:amount] & EXCLUDED
    return np.column_stack([space.origins[:amount], excluded, space.successors[:amount]])
