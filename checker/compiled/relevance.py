"""The leaves that a step must change to violate a property of steps: other steps need not be judged."""

import functools

from kafkacheck.checker.language.footprint import footprint
from kafkacheck.checker.language.work import work
from kafkacheck.checker.model import Property
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.symbolic import symbolic
from kafkacheck.checker.symbolic.terms import TRUE

MOST_WORK = 20_000
"""How many statements a property may run that is read symbolically; a longer one is always judged."""


_any_state = functools.lru_cache(maxsize=1)(symbolic.variables)
"""All properties of a model are asked about the same terms."""


def relevant_leaves(condition: Property, layout: Layout) -> frozenset[int] | None:
    """The leaves of the later state that a property of steps reads; None if it must be judged after every step.

    To the property, a step that changes none of them is one that changes nothing. It must be evident that the property
    holds of such a step from any well-typed state, and that its code does not fail.
    """
    if work(condition.read) > MOST_WORK:
        return None
    state = _any_state(layout)
    if symbolic.holds(condition, state, state) is not TRUE:
        return None
    earlier, later = frozenset([len(layout.leaves)]), frozenset([0])
    read = footprint(condition.read, (earlier, later)).read
    return frozenset(leaf for leaf in read if leaf < len(layout.leaves))
