"""Random schemas for Hypothesis, each with what it must turn into, worked out here without the code under test."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Annotated, Any

from hypothesis import strategies as st

from kafkacheck.checker.schema import (
    Allowance,
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Epoch,
    Flag,
    Id,
    IdSet,
    Offset,
    Struct,
    StructMeta,
)

BOUNDS = {"members": 3, "size": 2}
HIGHEST = 2**31 - 1

# A size as it is written, and what it is at these bounds.
SIZES = {
    1: 1, 2: 2, "1": 1, "members": 3, "size": 2, "size + 1": 3, "members * size": 6, "(members + size) // 2": 2,
    "members - 1": 2, " size ": 2,
}  # fmt: skip
sizes = st.sampled_from(list(SIZES))


@dataclass
class Drawn:
    """A type as it is annotated, and the (path, low, high) of its scalars in order."""

    annotation: Any
    leaves: list[tuple[str, int, int]]
    blank: list[int] = field(default_factory=list)


def enum(low: int, count: int) -> type[IntEnum]:
    """An enum with consecutive values, not listed in order."""
    members = [(f"MEMBER_{number}", low + number) for number in range(count)]
    return IntEnum("Drawn", members[::-1])


def scalar(base: type, kind: object, low: int, high: int) -> Drawn:
    return Drawn(Annotated[base, kind], [("", low, high)], [low])


scalars = st.one_of(
    sizes.map(lambda size: scalar(int, Id(size), 0, SIZES[size] - 1)),
    sizes.map(lambda size: scalar(int, Id(size, none=-1), -1, SIZES[size] - 1)),
    sizes.map(lambda size: scalar(int, IdSet(size), 0, 2 ** SIZES[size] - 1)),
    st.just(scalar(int, IdSet(30), 0, 2**30 - 1)),
    sizes.map(lambda size: scalar(int, Offset(size), 0, SIZES[size])),
    sizes.map(lambda size: scalar(int, Epoch(size), 0, SIZES[size])),
    sizes.map(lambda size: scalar(int, Epoch(size, none=-1), -1, SIZES[size])),
    st.tuples(sizes, sizes).map(
        lambda pair: scalar(int, Count(pair[0], f"-({pair[1]})"), -SIZES[pair[1]], SIZES[pair[0]])
    ),
    st.integers(-HIGHEST, HIGHEST).flatmap(
        lambda low: st.integers(low, HIGHEST).map(lambda high: scalar(int, Count(high, low), low, high))
    ),
    st.tuples(st.integers(-3, 3), st.integers(1, 5)).map(
        lambda pair: scalar(IntEnum, EnumOf(enum(*pair)), pair[0], pair[0] + pair[1] - 1)
    ),
    st.just(scalar(bool, Flag(), 0, 1)),
    st.just(Drawn(bool, [("", 0, 1)], [0])),
    sizes.map(lambda size: Drawn(Annotated[int, Allowance(size)], [("", 0, SIZES[size])], [SIZES[size]])),
)


def struct(name: str, fields: dict[str, Any]) -> type[Struct]:
    """A Struct class, made as a class statement makes it."""
    created = StructMeta(name, (Struct,), {"__annotations__": fields, "__module__": __name__, "__doc__": "Drawn."})
    return created


def record(parts: list[Drawn]) -> Drawn:
    names = [f"field_{number}" for number in range(len(parts))]
    leaves = [(f".{name}{path}", *span) for name, part in zip(names, parts, strict=True) for path, *span in part.leaves]
    fields = {name: part.annotation for name, part in zip(names, parts, strict=True)}
    return Drawn(struct("Record", fields), leaves, [value for part in parts for value in part.blank])


def array(element: Drawn, size: str | int, by_id: bool) -> Drawn:
    index = ById(size) if by_id else ByPosition(size)
    leaves = [(f"[{place}]{path}", *span) for place in range(SIZES[size]) for path, *span in element.leaves]
    return Drawn(Annotated[Array[element.annotation], index], leaves, element.blank * SIZES[size])


def extended(inner: st.SearchStrategy[Drawn]) -> st.SearchStrategy[Drawn]:
    return st.one_of(st.lists(inner, min_size=1, max_size=3).map(record), st.builds(array, inner, sizes, st.booleans()))


types = st.recursive(scalars, extended, max_leaves=5).filter(lambda drawn: len(drawn.leaves) <= 200)
records = st.lists(types, min_size=1, max_size=4).map(record).filter(lambda drawn: len(drawn.leaves) <= 300)


def states(drawn: Drawn) -> st.SearchStrategy[tuple[int, ...]]:
    """The flattened values of a state of this schema: each in its range, often at one of its ends."""
    return st.tuples(*(st.sampled_from([low, high]) | st.integers(low, high) for _, low, high in drawn.leaves))


@st.composite
def schemas_with_states(draw: Any, count: int) -> tuple[Drawn, list[tuple[int, ...]]]:
    """A schema, and some flattened states of it."""
    drawn = draw(records)
    return drawn, [draw(states(drawn)) for _ in range(count)]


def value_at(state: Any, path: str) -> int:
    """The scalar at a path, as Python itself reads it."""
    found: int = eval(f"state.{path}", {"state": state})
    return found


def scalars_of(state: Any) -> Iterator[int]:
    """All scalars of a state in order of declaration, found by walking it."""
    if isinstance(state, Struct):
        for name in type(state).field_names:
            yield from scalars_of(getattr(state, name))
    elif isinstance(state, Array):
        for element in state:
            yield from scalars_of(element)
    else:
        yield int(state)
