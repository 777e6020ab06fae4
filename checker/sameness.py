"""Whether two models take the same steps from the same states.

Where they have the same initial states, and from each state that the one reaches take the same steps, they reach the
same states, by induction; so only one of them has to be explored.
"""

from collections.abc import Sequence

import numpy as np

from checker.compiled import BUFFER, Workspace
from checker.exploration import Values
from checker.interpreted import generate_expand
from checker.kernel import sizes_of
from checker.model import Model
from checker.native import FAULT, NO_FAULT, Entry


def same_interpreted(one: Model, other: Model, states: Sequence[Values]) -> bool:
    """Whether both take the same (action, state after) in the same order from each state, by plain Python."""
    expand_one, expand_other = generate_expand(one), generate_expand(other)
    for values in states:
        try:
            steps = []
            for expand in (expand_one, expand_other):
                found: list[tuple[int, Values, object]] = []
                expand(values, found)
                steps.append([(action, after) for action, after, _ in found])
        except Exception:  # protocol code that fails takes no step that could be compared
            return False
        if steps[0] != steps[1]:
            return False
    return True


def same_compiled(
    one: Model,
    one_entries: dict[str, Entry],
    other_entries: dict[str, Entry],
    states: "np.ndarray[tuple[int, int], np.dtype[np.uint64]]",
) -> bool:
    """The same by machine code, of packed states, uint64[n, words]; the models have one layout."""
    spaces = [Workspace(sizes_of(one), entries, 1) for entries in (one_entries, other_entries)]
    for space in spaces:
        space.adopt(states)
    following = 0
    while following < len(states):
        last = min(following + BUFFER, len(states))
        ends = [space.expand(following, last) for space in spaces]
        if ends[0] != ends[1] or any(space.report[FAULT] != NO_FAULT for space in spaces):
            return False
        following, amount = ends[0]
        for kept in ("origins", "actions", "successors"):
            first, second = (getattr(space, kept)[:amount] for space in spaces)
            if not np.array_equal(first, second):
                return False
    return True
