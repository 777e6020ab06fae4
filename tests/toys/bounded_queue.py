"""Does a bounded queue give out its items in the order in which they were put?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Id, Struct

NOTHING = -1

Item = Annotated[int, Id("kinds")]
OptionalItem = Annotated[int, Id("kinds", none=NOTHING)]


class Queue(Struct):
    """A queue: its items, the oldest first, and the item that was taken last."""

    length: Annotated[int, Count("capacity")]
    items: Annotated[Array[OptionalItem], ByPosition("capacity")]
    last_taken: OptionalItem
    closed: bool


def put(queue: Queue, item: Item) -> bool:
    """Add an item at the end."""
    if queue.closed:
        return False
    if queue.length == len(queue.items):
        return False
    queue.items[queue.length] = item
    queue.length += 1
    return True


def take(queue: Queue) -> bool:
    """Remove the oldest item."""
    if queue.length == 0:
        return False
    queue.last_taken = queue.items[0]
    for place in range(len(queue.items) - 1):
        queue.items[place] = queue.items[place + 1]
    queue.items[len(queue.items) - 1] = NOTHING
    queue.length -= 1
    return True


def close(queue: Queue) -> bool:
    """Refuse further items."""
    if queue.closed:
        return False
    queue.closed = True
    return True


def items_are_first(queue: Queue) -> bool:
    """The slots behind the last item are empty."""
    return all((item == NOTHING) == (place >= queue.length) for place, item in enumerate(queue.items))


MODEL = Model(
    name="bounded_queue",
    question=__doc__,
    state=Queue,
    actions=[put, take, close],
    always=[items_are_first],
    bounds={"capacity": 3, "kinds": 2},
    check_deadlock=False,
)
