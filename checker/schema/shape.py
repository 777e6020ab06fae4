"""The types a schema is made of, at given bounds: scalars with their ranges, records, fixed arrays, and leaves."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from kafkacheck.checker.schema.schema import Allowance, ById, ByPosition, EnumOf, Kind, Size, Struct


@dataclass(frozen=True)
class Scalar:
    """The type of a scalar: its kind and its range `low` .. `high`, both inclusive.

    `missing` is the size that is 0, where it is in a part that exists only `If` that is above 0; else "".
    """

    kind: Kind
    low: int
    high: int
    missing: Size = ""

    @property
    def told(self) -> str:
        """What says its range, in words."""
        what = self.kind.members.__name__ if isinstance(self.kind, EnumOf) else str(self.kind)
        return f"{what}, which exists only if {self.missing} is above 0" if self.missing != "" else what

    @property
    def blank(self) -> int:
        """The value before `initial` runs: the sentinel where there is one, what is allowed, else the lowest value."""
        return self.high if isinstance(self.kind, Allowance) else self.low


@dataclass(frozen=True, eq=False)
class Record:
    """The type of a nested record: its class and its fields in order. A layout has one for each class that exists."""

    struct: type[Struct]
    fields: tuple[tuple[str, "Type"], ...]

    def __repr__(self) -> str:
        return f"Record({self.struct.__name__})"

    def field(self, name: str) -> "Type | None":
        """The type of the field `name`, or None where there is no such field."""
        return self._types.get(name)

    @cached_property
    def _types(self) -> "dict[str, Type]":
        return dict(self.fields)

    @cached_property
    def leaf_count(self) -> int:
        """How many scalars it has."""
        return sum(leaf_count(child) for _, child in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """How many scalars come before each of its fields."""
        sizes = [0, *(leaf_count(child) for _, child in self.fields)]
        return dict(zip(self._types, accumulate(sizes), strict=False))


@dataclass(frozen=True)
class ArrayOf:
    """The type of a fixed array: its element's type, its length, and what indexes it."""

    element: "Type"
    length: int
    index: ById | ByPosition

    @cached_property
    def leaf_count(self) -> int:
        """How many scalars it has."""
        return self.length * leaf_count(self.element)


Type = Scalar | Record | ArrayOf


def missing(node: Type, size: Size, known: dict[tuple[Record, Size], Record]) -> Type:
    """The same type where it does not exist, because `size` is 0: each scalar in it can only be blank.

    `known` keeps what becomes of records, so that each becomes the same one each time.
    """
    if isinstance(node, Scalar):
        return Scalar(node.kind, node.blank, node.blank, size)
    if isinstance(node, ArrayOf):
        return ArrayOf(missing(node.element, size, known), node.length, node.index)
    if (node, size) not in known:
        fields = tuple((name, missing(child, size, known)) for name, child in node.fields)
        known[node, size] = Record(node.struct, fields)
    return known[node, size]


def leaf_count(node: Type) -> int:
    """How many scalars a type has."""
    return 1 if isinstance(node, Scalar) else node.leaf_count


@dataclass(frozen=True)
class Leaf:
    """One scalar of a state.

    `steps` leads to it from the state (field names and indices), `path` is the same as text, `owner` is the
    (class name, field name) that declares it, and it is kept in bits `shift` .. `shift + bits - 1` of word `word`.
    """

    steps: tuple[str | int, ...]
    path: str
    owner: tuple[str, str]
    scalar: Scalar
    word: int
    shift: int
    bits: int

    @property
    def kind(self) -> Kind:
        """The kind of the field that declares it."""
        return self.scalar.kind

    @property
    def low(self) -> int:
        """Its lowest value (the sentinel where there is one)."""
        return self.scalar.low

    @property
    def high(self) -> int:
        """Its highest value."""
        return self.scalar.high


def path_text(steps: tuple[str | int, ...]) -> str:
    """A path as it is written in Python: ("members", 0, "vote") is "members[0].vote"."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return text.removeprefix(".")
