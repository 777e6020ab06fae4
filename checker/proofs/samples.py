"""Well-formed states drawn at random: anywhere, or near known ones, from where actions are enabled more often."""

import random

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values

MOST_CHANGED = 3
"""In how many scalars a state near another one differs from it at most; records that a queue gains do not count."""


def anywhere(layout: Layout, rng: random.Random) -> Values:
    """A flattened state, every scalar drawn from its range; queues and bags are then brought into their form."""
    return layout.canonical(tuple(rng.randint(leaf.low, leaf.high) for leaf in layout.leaves))


def near(layout: Layout, rng: random.Random, known: Values) -> Values:
    """A flattened state that is `known` but for up to `MOST_CHANGED` scalars, which are drawn from their ranges.

    Where one of them is the length of a queue or bag, records that this adds are drawn, too.
    """
    values, leaves = list(known), layout.leaves
    places = rng.sample(range(len(leaves)), min(rng.randrange(MOST_CHANGED + 1), len(leaves)))
    for place in places:
        values[place] = rng.randint(leaves[place].low, leaves[place].high)
    changed = set(places)
    for part in layout.containers:
        added = part.slots_of(range(len(leaves)))[known[part.begin] : values[part.begin]]
        for place in (each for slot in added for each in slot if each not in changed):
            values[place] = rng.randint(leaves[place].low, leaves[place].high)
    return layout.canonical(tuple(values))
