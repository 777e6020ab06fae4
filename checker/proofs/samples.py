"""Well-typed states drawn at random: anywhere, or near known ones, from where actions are enabled more often."""

import random

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values

MOST_CHANGED = 3
"""In how many scalars a state near another one differs from it at most."""


def anywhere(layout: Layout, rng: random.Random) -> Values:
    """A flattened state, every scalar drawn from its range."""
    return tuple(rng.randint(leaf.low, leaf.high) for leaf in layout.leaves)


def near(layout: Layout, rng: random.Random, known: Values) -> Values:
    """A flattened state that is `known` but for up to `MOST_CHANGED` scalars, which are drawn from their ranges."""
    values, leaves = list(known), layout.leaves
    for place in rng.sample(range(len(leaves)), min(rng.randrange(MOST_CHANGED + 1), len(leaves))):
        values[place] = rng.randint(leaves[place].low, leaves[place].high)
    return tuple(values)
