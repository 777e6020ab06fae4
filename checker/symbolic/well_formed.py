"""The constraint that a state is well-formed, beside the ranges of its scalars, which its terms have themselves.

Ranges say all of an id set, and of a part that does not exist, whose scalars can only be blank. What is left are queues
and bags: only their canonical form can be reached (see `checker.schema.canonical`).
"""

from collections.abc import Iterator, Sequence

from kafkacheck.checker.schema.canonical import Part
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.symbolic import terms
from kafkacheck.checker.symbolic.symbolic import Leaves
from kafkacheck.checker.symbolic.terms import TRUE, Term


def well_formed(layout: Layout, leaves: Leaves) -> Term:
    """When every queue and bag of a state is in its canonical form, however deep it lies."""
    return terms.conjunction(*(term for part in layout.containers for term in _of_part(layout, part, leaves)))


def _of_part(layout: Layout, part: Part, leaves: Leaves) -> Iterator[Term]:
    length, slots = part.length_of(leaves), part.slots_of(leaves)
    for place, (slot, blank) in enumerate(zip(slots, part.slots_of(layout.blank_values), strict=True)):
        is_held = terms.is_less(terms.number(place), length)
        blanks = (terms.equals(leaf, terms.number(value)) for leaf, value in zip(slot, blank, strict=True))
        yield terms.disjunction(is_held, terms.conjunction(*blanks))
        if part.is_bag and place:
            yield terms.implication(is_held, _in_order(slots[place - 1], slot))


def _in_order(one: Sequence[Term], other: Sequence[Term]) -> Term:
    """Whether a record is at most another one, by their scalars in the order of their declaration."""
    found = TRUE
    for left, right in reversed(list(zip(one, other, strict=True))):
        found = terms.choice(terms.equals(left, right), found, terms.is_less(left, right))
    return found
