"""A model with a queue and a bag in every place where one can be, and with absent parts.

`HELD` are properties that hold only because of the form in which queues and bags are kept; `BROKEN` are violated.
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import (
    Array,
    AtMost,
    Bag,
    ByPosition,
    Count,
    Ids,
    IdSet,
    If,
    Position,
    Queue,
    Struct,
    add,
    clear,
    copy,
    is_full,
    remove,
)

Number = Annotated[int, Count(2, 1)]
Place = Annotated[int, Position(2)]


class Item(Struct):
    """A record that is blank with 1."""

    number: Number


class Pair(Struct):
    """A record with an array."""

    up: bool
    numbers: Annotated[Array[Number], ByPosition(2)]


class Holder(Struct):
    """A record with a bag."""

    bag: Annotated[Bag[Item], AtMost(2)]


class State(Struct):
    """Everything."""

    ids: Annotated[Ids, IdSet(3)]
    pair: Pair
    queue: Annotated[Queue[Item], AtMost(2)]
    twin: Annotated[Queue[Item], AtMost(2)]
    bag: Annotated[Bag[Pair], AtMost(2)]
    lanes: Annotated[Array[Annotated[Queue[Item], AtMost(1)]], ByPosition(2)]
    holder: Holder
    holders: Annotated[Queue[Holder], AtMost(2)]
    absent: Annotated[Queue[Item], AtMost(2), If("parts")]
    gone: Annotated[Holder, If("parts")]


def queue_gains(state: State, number: Number) -> bool:
    """A queue gains an item."""
    if is_full(state.queue):
        return False
    add(state.queue, Item(number=number))
    return True


def twin_gains(state: State, number: Number) -> bool:
    """The other queue gains an item."""
    if is_full(state.twin):
        return False
    add(state.twin, Item(number=number))
    return True


def queue_loses(state: State, place: Place) -> bool:
    """A queue loses an item."""
    if place >= len(state.queue):
        return False
    remove(state.queue, place)
    return True


def queue_is_copied(state: State) -> bool:
    """A queue becomes the other one."""
    if state.queue == state.twin:
        return False
    copy(state.queue, state.twin)
    return True


def pair_changes(state: State, place: Place, number: Number) -> bool:
    """What the bag gains next is another record, and its place a member."""
    if state.pair.numbers[place] == number:
        return False
    state.pair.numbers[place] = number
    state.pair.up = number == 2
    state.ids |= {place}
    return True


def bag_gains(state: State) -> bool:
    """A bag gains a record."""
    if is_full(state.bag):
        return False
    add(state.bag, state.pair)
    return True


def bag_loses(state: State, place: Place) -> bool:
    """A bag loses a record, unless it is alone: then all of them go."""
    if place >= len(state.bag):
        return False
    if len(state.bag) == 1:
        clear(state.bag)
    else:
        remove(state.bag, place)
    return True


def lane_gains(state: State, place: Place, number: Number) -> bool:
    """A queue of an array gains an item."""
    if is_full(state.lanes[place]):
        return False
    add(state.lanes[place], Item(number=number))
    return True


def lane_loses(state: State, place: Place) -> bool:
    """A queue of an array loses its item."""
    if len(state.lanes[place]) == 0:
        return False
    remove(state.lanes[place], 0)
    return True


def holder_gains(state: State, number: Number) -> bool:
    """A bag in a record gains an item."""
    if is_full(state.holder.bag):
        return False
    add(state.holder.bag, Item(number=number))
    return True


def holder_is_kept(state: State) -> bool:
    """A record with a bag goes into a queue, and is blank then."""
    if is_full(state.holders):
        return False
    add(state.holders, state.holder)
    clear(state.holder)
    return True


def holder_is_taken(state: State, place: Place) -> bool:
    """A record with a bag is taken out of a queue."""
    if place >= len(state.holders):
        return False
    copy(state.holder, state.holders[place])
    remove(state.holders, place)
    return True


def empty_queues_are_equal(state: State) -> bool:
    """Two empty queues are equal."""
    return len(state.queue) > 0 or len(state.twin) > 0 or state.queue == state.twin


def empty_lanes_are_equal(state: State) -> bool:
    """Two empty queues of an array are equal."""
    return len(state.lanes[0]) > 0 or len(state.lanes[1]) > 0 or state.lanes[0] == state.lanes[1]


def bag_is_sorted(state: State) -> bool:
    """The records of a bag are in order, the first field first."""
    return len(state.bag) < 2 or not state.bag[0].up or state.bag[1].up


def bag_is_sorted_by_its_array(state: State) -> bool:
    """Those that are alike until then are in the order of their array."""
    if len(state.bag) < 2 or state.bag[0].up != state.bag[1].up:
        return True
    return state.bag[0].numbers[0] <= state.bag[1].numbers[0]


def holder_is_sorted(state: State) -> bool:
    """A bag in a record is in order."""
    bag = state.holder.bag
    return len(bag) < 2 or bag[0].number <= bag[1].number


def holders_are_sorted(state: State) -> bool:
    """A bag in a record in a queue is in order."""
    return all(len(each.bag) < 2 or each.bag[0].number <= each.bag[1].number for each in state.holders)


def absent_is_empty(state: State) -> bool:
    """What does not exist holds nothing, and ids are below their number."""
    return len(state.absent) + len(state.gone.bag) == 0 and state.ids <= Ids(range(3))


def queues_are_equal(state: State) -> bool:
    """Two queues are equal."""
    return state.queue == state.twin


def bag_is_alike(state: State) -> bool:
    """A bag has the same record twice."""
    return len(state.bag) < 2 or state.bag[0] == state.bag[1]


def lanes_are_equal(state: State) -> bool:
    """Two queues of an array are equal."""
    return state.lanes[0] == state.lanes[1]


def holder_holds_one(state: State) -> bool:
    """A bag in a record has at most one item."""
    return len(state.holder.bag) < 2


def holders_are_empty(state: State) -> bool:
    """The bags in a queue are empty."""
    return all(len(each.bag) == 0 for each in state.holders)


HELD = (
    empty_queues_are_equal, empty_lanes_are_equal, bag_is_sorted, bag_is_sorted_by_its_array, holder_is_sorted,
    holders_are_sorted, absent_is_empty,
)  # fmt: skip
BROKEN = (queues_are_equal, bag_is_alike, lanes_are_equal, holder_holds_one, holders_are_empty)
MODEL = Model(
    name="every_part",
    state=State,
    bounds={"parts": 0},
    actions=[
        queue_gains, twin_gains, queue_loses, queue_is_copied, pair_changes, bag_gains, bag_loses, lane_gains,
        lane_loses, holder_gains, holder_is_kept, holder_is_taken,
    ],
    always=[*HELD, *BROKEN],
    stuttering=[holder_is_kept, holder_is_taken],
)  # fmt: skip
