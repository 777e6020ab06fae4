"""The form in which queues and bags are kept: blank above the length, and of a bag the records in order.

`add`, `remove`, `clear` and `copy` keep it, and protocol code writes neither a length nor a slot, so that no reachable
state has another form. In these states equal queues, and bags with the same records, have equal scalars.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from kafkacheck.checker.schema.containers import Bag, Container
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar, Type, leaf_count

T = TypeVar("T")


class Part(NamedTuple):
    """A queue or bag of a state: its path and type, at which scalar it begins, and those it is in are before it."""

    path: str
    type: Record
    begin: int

    @property
    def is_bag(self) -> bool:
        """Whether its records are kept in order."""
        return issubclass(self.type.struct, Bag)

    def length_of(self, scalars: Sequence[T]) -> T:
        """Its length among the scalars of a state."""
        return scalars[self.begin]

    def slots_of(self, scalars: Sequence[T]) -> list[tuple[T, ...]]:
        """The scalars of each slot among those of a state."""
        slots = self.type.field("slots")
        assert isinstance(slots, ArrayOf)
        size = leaf_count(slots.element)
        first = self.begin + 1
        return [tuple(scalars[first + number * size : first + (number + 1) * size]) for number in range(slots.length)]


def is_container(kind: object) -> bool:
    """Whether it is the type of a queue or bag."""
    return isinstance(kind, Record) and issubclass(kind.struct, Container)


def parts_of(node: Type, path: str = "", begin: int = 0) -> Iterator[Part]:
    """The queues and bags in a type, each after those that are in it."""
    if isinstance(node, Scalar):
        return
    if isinstance(node, ArrayOf):
        size = leaf_count(node.element)
        for number in range(node.length):
            yield from parts_of(node.element, f"{path}[{number}]", begin + number * size)
        return
    for name, child in node.fields:
        yield from parts_of(child, f"{path}.{name}".removeprefix("."), begin + node.offsets[name])
    if is_container(node):
        yield Part(path, node, begin)


def canonical(parts: Sequence[Part], values: Values, blank: Values) -> Values:
    """A flattened state with its queues and bags, `parts`, brought into their form; `blank` is the blank state."""
    if not parts:
        return values
    changed = list(values)
    for part in parts:
        length, slots = part.length_of(changed), part.slots_of(changed)
        held = sorted(slots[:length]) if part.is_bag else slots[:length]
        kept = [value for slot in (*held, *part.slots_of(blank)[length:]) for value in slot]
        changed[part.begin + 1 : part.begin + 1 + len(kept)] = kept
    return tuple(changed)
