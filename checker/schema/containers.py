"""Queues and bags: how many records of one class as there are, up to a bound.

Both are kept as a length and as many slots as there can be records; what lies above the length is blank. A queue keeps
the order in which records were added. A bag keeps its records sorted, so that bags with the same records are equal. A
record in either does not change: it is taken out, and another one added.
"""

import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Generic, TypeVar

from kafkacheck.checker.schema.id_sets import Ids
from kafkacheck.checker.schema.schema import (
    Array,
    ByPosition,
    Count,
    Draft,
    Kind,
    Size,
    Struct,
    StructMeta,
    clear,
    copy,
    write,
)

T = TypeVar("T")


@dataclass(frozen=True)
class AtMost:
    """Marks a queue or a bag that holds up to `most` records."""

    most: Size


@dataclass(frozen=True)
class Position(Kind):
    """Where a record is in a queue or bag of up to `most` records: 0 .. most-1."""

    most: Size


class Container(Struct, Generic[T]):
    """A queue or a bag. Its classes have two fields, `length` and `slots`, which protocol code does not name."""

    if typing.TYPE_CHECKING:
        length: int
        slots: Array[Any]

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: int) -> T:
        if not 0 <= place < self.length:
            raise IndexError(
                f"index {place} is outside this {_named(self)}, which holds {self.length}; ask first: "
                "`if place >= len(...): return False`"
            )
        record: T = self.slots[place]
        return record

    def __repr__(self) -> str:
        return repr(list(self))

    def __iter__(self) -> Iterator[T]:
        return (self.slots[place] for place in range(self.length))


class Queue(Container[T]):
    """Records in the order in which they were added; `queue[0]` is the oldest."""


class Bag(Container[T]):
    """Records in ascending order of their fields, whatever the order in which they were added."""


@lru_cache(maxsize=1024)
def container_class(kind: type[Container[Any]], element: type[Struct], most: int) -> type[Struct]:
    """The class of a queue or bag of up to `most` records of one class."""
    fields = {"length": Annotated[int, Count(most)], "slots": Annotated[Array[element], ByPosition(most)]}  # type: ignore[valid-type]  # the class is data
    name = f"{kind.__name__}[{element.__name__}]"
    own = {"__annotations__": fields, "__module__": element.__module__, "__qualname__": f"{name} of {most}"}
    made: Any = StructMeta(name, (kind,), own)
    struct: type[Struct] = made
    return struct


def _named(container: Container[Any]) -> str:
    return type(container).__name__


def is_full(container: Container[Any]) -> bool:
    """Whether a queue or bag has no room. Protocol code may call it."""
    return container.length == len(container.slots)


def add(container: Container[T], record: T) -> None:
    """Add a record to a queue or bag: `add(queue, Request(epoch=1))`, or a copy of one of the state.

    IndexError where it is full. Protocol code may call it.
    """
    if is_full(container):
        raise IndexError(f"this {_named(container)} is full with {container.length}; ask first: `if is_full(...)`")
    new = container.slots[container.length]
    if isinstance(record, Draft):
        write(new, record.values)
    else:
        copy(new, record)
    container.length += 1
    if isinstance(container, Bag):
        _settle(container.slots, container.length - 1)


def _settle(slots: Array[Any], last: int) -> None:
    """Bring the last record of a bag to its place."""
    for place in range(last, 0, -1):
        if _key(slots[place]) < _key(slots[place - 1]):
            before = slots[place].copy()
            copy(slots[place], slots[place - 1])
            copy(slots[place - 1], before)


def _key(value: Any) -> Any:
    """What records are sorted by: their scalars, in the order of their declaration."""
    if isinstance(value, Struct):
        return [_key(getattr(value, name)) for name in type(value).field_names]
    if isinstance(value, Array):
        return [_key(each) for each in value]
    return value.bits if isinstance(value, Ids) else value


def remove(container: Container[Any], place: int) -> None:
    """Take the record at a place out of a queue or bag; those behind it move up. IndexError where there is none.

    Protocol code may call it.
    """
    container[place]  # an error where there is none
    slots = container.slots
    for behind in range(place + 1, container.length):
        copy(slots[behind - 1], slots[behind])
    container.length -= 1
    clear(slots[container.length])
