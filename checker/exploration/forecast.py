"""A forecast of a search: how many states are left, and whether they will fit the memory.

The number of states on a level grows and then shrinks, in a curve that is much like a bell: each level's share of the
one before falls by about the same factor. Once levels shrink, the curve is extended. Over the models of a catalogue of
protocols the estimate of all states was 0.6 to 1.9 times their number, mostly within a tenth. While levels still grow
there is no estimate: a curve that has not turned may turn anywhere.
"""

from collections.abc import Sequence
from itertools import pairwise

LEAST_LEVELS = 6
"""With fewer levels there is no curve yet."""
LEAST_STATES = 1_000
"""With fewer states a level that shrinks is chance."""
MOST_LEVELS = 100_000
"""The curve is extended by at most this many levels."""


def states_left(level_ends: Sequence[int], distinct: int) -> int | None:
    """About how many states will still be found; None if no estimate can be made.

    `level_ends` are those of `checker.exploration.exploration.Exploration`, `distinct` how many states are found.
    """
    if len(level_ends) < LEAST_LEVELS or distinct < LEAST_STATES:
        return None
    sizes = [end - start for start, end in pairwise(level_ends[-5:])]
    if sizes[-1] >= sizes[-2]:
        return None
    share = sizes[-1] / sizes[-2]
    falls = min(1.0, (share * sizes[-4] / sizes[-3]) ** 0.5)
    states, total = float(sizes[-1]), 0.0
    for _ in range(MOST_LEVELS):
        share *= falls
        states *= share
        total += states
        if states < 1:
            break
    return max(0, round(total) - (distinct - level_ends[-1]))


def memory_warning(taken: int, limit: int, each: float, distinct: int, left: int | None, rate: float) -> str:
    """A warning that the memory will not be enough, or "".

    `taken` and `limit` are bytes that the search has and may have, `each` those for one more state, `left` is what
    `states_left` says, `rate` the new states a second. With an estimate it comes at once; without one when half of the
    limit is taken.
    """
    if left is not None:
        needed = taken + each * left
        if needed <= limit:
            return ""
        told = f"the search will need about {_size(needed)} of memory for {distinct + left:,} states"
    elif 2 * taken < limit:
        return ""
    else:
        seconds = max(limit - taken, 0) / (each * rate) if each * rate > 0 else None
        when = "" if seconds is None else f"; at this rate it runs out in about {seconds:,.0f} seconds"
        told = f"half of the memory is used and levels still grow{when}"
    return (
        f"{told}. It may have {_size(limit)}, takes {each:,.0f} bytes a state, and stops there: give it more "
        "(--max-memory), or choose smaller bounds (--set)"
    )


def _size(count: float) -> str:
    return f"{count / 2**30:,.1f} GiB" if count >= 2**30 else f"{count / 2**20:,.0f} MiB"
