"""Models whose functions break their contract, or fail, a few steps from the beginning. Each must be told so."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Id, Struct

LIMIT = 3


class Shelf(Struct):
    """A counter beside an array that is one too short for it."""

    count: Annotated[int, Count(LIMIT)]
    cells: Annotated[Array[Annotated[int, Count(LIMIT)]], ByPosition(LIMIT)]


def count_up(shelf: Shelf) -> bool:
    """Sound: takes the count to the limit."""
    if shelf.count == LIMIT:
        return False
    shelf.count += 1
    return True


def writes_then_returns_false(shelf: Shelf) -> bool:
    """Writes before its last guard."""
    shelf.cells[0] = shelf.count
    if shelf.count == 2:
        return False
    shelf.count += 1
    return shelf.count < LIMIT


def put(shelf: Shelf, position: Annotated[int, Id(LIMIT)]) -> bool:
    """A helper that writes."""
    shelf.cells[position] = shelf.count
    return True


def helper_writes_then_returns_false(shelf: Shelf, position: Annotated[int, Id(LIMIT)]) -> bool:
    """Writes through a helper, in a condition."""
    if shelf.count != 1:
        return False
    return put(shelf, position) and shelf.count > 1


def leaves_range_above(shelf: Shelf) -> bool:
    """Counts past the limit."""
    shelf.count += 1
    return True


def leaves_range_below(shelf: Shelf) -> bool:
    """Counts below nothing."""
    if shelf.count < 2:
        return False
    shelf.cells[shelf.count - 1] -= 1
    return True


def leaves_range_by_far(shelf: Shelf) -> bool:
    """Writes what would look harmless after a cut to eight, sixteen or thirty-two bits."""
    if shelf.count != 2:
        return False
    shelf.count = 1 + (shelf.count << 31)
    return True


def passes_through_range(shelf: Shelf) -> bool:
    """A value is out of its range for a moment, and back in it at the end of the step: that is allowed."""
    if shelf.count != 2:
        return False
    shelf.count += 1000
    shelf.count -= 999
    return True


def changes_nothing(shelf: Shelf) -> bool:
    """Returns True without a write."""
    return shelf.count == 2


def writes_back(shelf: Shelf) -> bool:
    """Returns True after writing what was there."""
    if shelf.count != 2:
        return False
    shelf.count -= 1
    shelf.count += 1
    return True


def index_too_large(shelf: Shelf) -> bool:
    """The array has no cell at the limit."""
    if shelf.cells[shelf.count] == LIMIT:
        return False
    shelf.count += 1
    return True


def negative_index(shelf: Shelf) -> bool:
    """An index below 0 does not count from the end."""
    if shelf.count != 2:
        return False
    shelf.cells[shelf.count - LIMIT] = 1
    return True


def divides_by_zero(shelf: Shelf) -> bool:
    """Divides by something that becomes 0."""
    if LIMIT // (2 - shelf.count) == LIMIT + 1:
        return False
    shelf.count += 1
    return True


def remainder_by_zero(shelf: Shelf) -> bool:
    """The remainder of a division by something that becomes 0."""
    if LIMIT % (2 - shelf.count) == LIMIT + 1:
        return False
    shelf.count += 1
    return True


def shifts_by_negative(shelf: Shelf) -> bool:
    """A shift by less than nothing."""
    if shelf.count == 2 and 1 << (shelf.count - LIMIT) == 0:
        return False
    return count_up(shelf)


def property_fails(shelf: Shelf) -> bool:
    """A property that cannot be evaluated everywhere."""
    return shelf.cells[shelf.count] < LIMIT


def step_property_fails(before: Shelf, after: Shelf) -> bool:
    """An action property that cannot be evaluated everywhere."""
    return after.cells[after.count] >= before.cells[before.count]


def starts_outside_range(shelf: Shelf) -> None:
    """An initial state that is none."""
    shelf.count = LIMIT
    shelf.count += 1


def starts_nowhere(shelf: Shelf) -> bool:
    """No initial state at all."""
    return shelf.count > 0


def shelf_model(name: str, **rest) -> Model:
    """A model of a shelf."""
    return Model(**{"name": name, "state": Shelf, "actions": [count_up], **rest})


BROKEN_ACTIONS = [
    writes_then_returns_false,
    helper_writes_then_returns_false,
    leaves_range_above,
    leaves_range_below,
    leaves_range_by_far,
    changes_nothing,
    writes_back,
    index_too_large,
    negative_index,
    divides_by_zero,
    remainder_by_zero,
    shifts_by_negative,
]

MODELS = [
    *(shelf_model(action.__name__, actions=[count_up, action]) for action in BROKEN_ACTIONS),
    shelf_model("invariant_fails", always=[property_fails]),
    shelf_model("action_property_fails", always=[step_property_fails]),
    shelf_model("example_fails", sometimes=[property_fails]),
    shelf_model("constraint_fails", constraint=property_fails),
    shelf_model("initial_outside_range", initial=starts_outside_range),
    shelf_model("no_initial_state", initial=starts_nowhere),
]

SOUND = shelf_model("passes_through_range", actions=[count_up, passes_through_range])
