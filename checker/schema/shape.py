"""The types a schema is made of, at given bounds: scalars with their ranges, records, fixed arrays, and leaves."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

from kafkacheck.checker.schema.containers import Container
from kafkacheck.checker.schema.schema import Allowance, ById, ByPosition, EnumOf, Kind, Size, Struct, blank_of


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
    """The type of a nested record: its class and its fields in order. A layout has one for each class that exists.

    `is_fixed`: its records do not change, because they are in a queue or bag; a layout has one of these, too.
    """

    struct: type[Struct]
    fields: tuple[tuple[str, "Type"], ...]
    is_fixed: bool = False

    @cached_property
    def fixed(self) -> "Record":
        """The same for the records in a queue or bag, which do not change."""
        return (
            self
            if self.is_fixed
            else Record(self.struct, tuple((name, fixed(each)) for name, each in self.fields), True)
        )

    def __repr__(self) -> str:
        return f"Record({self.struct.__name__})"

    def field(self, name: str) -> "Type | None":
        """The type of the field `name`, or None where there is no such field."""
        return self._types.get(name)

    @cached_property
    def _types(self) -> "dict[str, Type]":
        return dict(self.fields)

    @cached_property
    def slots(self) -> "ArrayOf | None":
        """The array in which a queue or bag keeps its records, behind its length; None for another record."""
        kept = self._types.get("slots") if issubclass(self.struct, Container) else None
        return kept if isinstance(kept, ArrayOf) else None

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
    """The type of an array: its element's type, its length, and what indexes it. `is_fixed`: as of a record."""

    element: "Type"
    length: int
    index: ById | ByPosition
    is_fixed: bool = False

    @cached_property
    def leaf_count(self) -> int:
        """How many scalars it has."""
        return self.length * leaf_count(self.element)


Type = Scalar | Record | ArrayOf


def fixed(node: Type) -> Type:
    """The type of the same in a record of a queue or bag."""
    if isinstance(node, Scalar):
        return node
    return node.fixed if isinstance(node, Record) else replace(node, element=fixed(node.element), is_fixed=True)


def unknown_blank(node: Type, path: str) -> tuple[str, Kind] | None:
    """The first scalar in a type whose class alone does not say what it is when it is blank: its path and its kind."""
    if isinstance(node, Scalar):
        return (path, node.kind) if blank_of(node.kind) is None else None
    if isinstance(node, ArrayOf):
        return unknown_blank(node.element, f"{path}[...]")
    found = (unknown_blank(child, f"{path}.{name}") for name, child in node.fields)
    return next((each for each in found if each), None)


def missing(node: Type, size: Size, known: dict[tuple[Record, Size], Record]) -> Type:
    """The same type where it does not exist, because `size` is 0: each scalar in it can only be blank.

    `known` keeps what becomes of records, so that each becomes the same one each time.
    """
    if isinstance(node, Scalar):
        return Scalar(node.kind, node.blank, node.blank, size)
    if isinstance(node, ArrayOf):
        return replace(node, element=missing(node.element, size, known))
    if (node, size) not in known:
        fields = tuple((name, missing(child, size, known)) for name, child in node.fields)
        known[node, size] = Record(node.struct, fields, node.is_fixed)
    return known[node, size]


def lacking(node: Type) -> Size:
    """The size that is 0 where all of a type exists only `If` that is above 0; else ""."""
    if isinstance(node, Scalar):
        return node.missing
    parts = [node.element] if isinstance(node, ArrayOf) else [child for _, child in node.fields]
    found = {lacking(each) for each in parts}
    return found.pop() if len(found) == 1 else ""


def leaf_count(node: Type) -> int:
    """How many scalars a type has."""
    return 1 if isinstance(node, Scalar) else node.leaf_count


def blank_values(node: Type) -> list[int]:
    """The scalars of a type if they are blank, in order."""
    if isinstance(node, Scalar):
        return [node.blank]
    if isinstance(node, ArrayOf):
        return blank_values(node.element) * node.length
    return [value for _, child in node.fields for value in blank_values(child)]


@dataclass(frozen=True)
class Leaf:
    """One scalar of a state.

    `steps` leads to it from the state (field names and indices). `path` is the same as it is written in Python, where
    a record in a queue is `queue[0]`, and the length of the queue `queue.length`. `owner` is the (class name, field
    name) that declares it, and it is kept in bits `shift` .. `shift + bits - 1` of word `word`.
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
