"""A schema at given bounds: the tree of its records, its scalars in a fixed order, and how they are packed.

The scalars of a state, in order of declaration, are its *leaves*. A state is exchanged between the readings as
the tuple of its leaves' values ("flattened") or as that tuple packed into 64-bit words.
"""

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple, get_args, get_origin

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import declaration_place
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.schema import objects
from kafkacheck.checker.schema.bounds import Bounds, names_in
from kafkacheck.checker.schema.budget import Budget, budget_of
from kafkacheck.checker.schema.canonical import Part, canonical, parts_of
from kafkacheck.checker.schema.containers import AtMost, Bag, Container, Position, Queue, container_class
from kafkacheck.checker.schema.id_sets import Ids
from kafkacheck.checker.schema.plain_values import enum_problem
from kafkacheck.checker.schema.schema import (
    MOST_MEMBERS,
    NONE,
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Epoch,
    Flag,
    Id,
    IdSet,
    Kind,
    Offset,
    Size,
    Struct,
    kind_of,
    split_condition,
)
from kafkacheck.checker.schema.shape import (
    ArrayOf,
    Leaf,
    Record,
    Scalar,
    Type,
    fixed,
    leaf_count,
    missing,
    unknown_blank,
)

if typing.TYPE_CHECKING:
    import numpy as np

WORD_BITS = 64
HIGHEST_VALUE = 2**31 - 1
MOST_LEAVES = 4096


class Slot(NamedTuple):
    """Where a scalar is kept in a packed state, less its lowest value."""

    word: int
    shift: int
    bits: int
    low: int


def scalar_of(kind: Kind, bounds: Bounds, place: str) -> Scalar:
    """The range of `kind` at `bounds`. ModelError, naming `place`, where it is empty or too large for a field."""
    low, high = _range(kind, bounds, place)
    if high < low:
        size: Size = getattr(kind, "highest", None) or getattr(kind, "end", None) or 0
        usual = "raise the bound it uses" if names_in(size) else "let its highest value be at least its lowest"
        mend = bounds.mend(size, low) or f"; {usual}"
        raise ModelError(f"{place}: the range of {kind} is {low} .. {high}, which is empty{mend}")
    if high > HIGHEST_VALUE or low < -HIGHEST_VALUE:
        raise ModelError(f"{place}: the range of {kind} is {low} .. {high}; a field holds at most 2**31 - 1")
    return Scalar(kind, low, high)


def _range(kind: Kind, bounds: Bounds, place: str) -> tuple[int, int]:
    match kind:
        case Flag():
            return 0, 1
        case EnumOf(members, highest):
            if not isinstance(members, type) or not issubclass(members, IntEnum):
                raise ModelError(f"{place}: EnumOf takes an IntEnum class, not {members!r}")
            if problem := enum_problem(members):
                raise ModelError(f"{place}: {members.__name__} {problem}")
            values = sorted(int(member) for member in members)
            if not values or values != list(range(values[0], values[0] + len(values))):
                raise ModelError(
                    f"{place}: the values of {members.__name__} are {values}; number the members of an enum field "
                    "one after the other, without gaps"
                )
            return values[0], values[-1] if highest is None else min(bounds.evaluate(highest, place), values[-1])
        case Id(members, none):
            count = _members(bounds, members, place)
            return _with_none(none, place), count - 1
        case IdSet(members):
            count = _members(bounds, members, place)
            if count > MOST_MEMBERS:
                raise ModelError(f"{place}: a set of ids has at most {MOST_MEMBERS} members; {members!r} is {count}")
            return 0, (1 << count) - 1
        case Position(most):
            return 0, _members(bounds, most, place) - 1
        case Offset(end):
            return 0, bounds.evaluate(end, place)
        case Epoch(highest, none):
            return _with_none(none, place), bounds.evaluate(highest, place)
        case Count(highest, lowest):
            return bounds.evaluate(lowest, place), bounds.evaluate(highest, place)
    raise ModelError(f"{place}: {kind!r} is not a kind of field; see kafkacheck.checker.schema for the kinds")


def _members(bounds: Bounds, members: Size, place: str) -> int:
    count = bounds.evaluate(members, place)
    if count < 1:
        told = f"{place}: the set {members!r} has {count} members at these bounds; it needs at least 1"
        raise ModelError(told + bounds.mend(members, 1))
    return count


def _with_none(none: int | None, place: str) -> int:
    if none is None:
        return 0
    if none != NONE:
        raise ModelError(f"{place}: the sentinel is {none}; it must be {NONE}, so that the range stays one interval")
    return NONE


class _FieldError(ModelError):
    """An error in a field or record, whose message begins with its place."""


def _place(struct: type[Struct], name: str = "") -> str:
    owner = next((each for each in struct.__mro__ if name in vars(each).get("__annotations__", {})), struct)
    return declaration_place(owner.__module__, owner.__name__, name)


class Layout:
    """A schema at given bounds. Raises ModelError where a field has no usable type, range or size.

    `allowances` are the fields of a `Budget` in it.
    """

    def __init__(
        self, struct: type[Struct], bounds: Mapping[str, int] | Bounds, allowances: Iterable[str] = ()
    ) -> None:
        self.bounds = bounds if isinstance(bounds, Bounds) else Bounds(bounds)
        self._allowances = tuple(dict.fromkeys(allowances))
        self._records: dict[type[Struct], Record] = {}
        self._missing: dict[tuple[Record, Size], Record] = {}
        self._pending: list[type[Struct]] = []
        self.root = self._record(struct)
        size = leaf_count(self.root)
        if size > MOST_LEAVES:
            raise ModelError(
                f"{_place(struct)}: {struct.__name__} has {size:,} scalars at these bounds; at most {MOST_LEAVES:,} "
                "are supported, so lower the bounds that size its arrays"
            )
        self.leaves = tuple(self._leaves())
        if not self.leaves:
            raise ModelError(f"{_place(struct)}: {struct.__name__} has no fields; a state needs at least one")
        self.word_count = self.leaves[-1].word + 1
        functions = objects.generate(self)
        self.flatten = functions.flatten
        self.restore = functions.restore
        self.in_range = functions.in_range
        self.blank_values = tuple(leaf.scalar.blank for leaf in self.leaves)

    def blank(self) -> Any:
        """A new state with every field at its sentinel or lowest value."""
        return self.restore(self.blank_values)

    def type_ok(self, state: Any) -> bool:
        """Whether every scalar of `state` lies in its declared range."""
        return self.in_range(self.flatten(state))

    @cached_property
    def containers(self) -> tuple[Part, ...]:
        """The queues and bags of a state, each after those that are in it."""
        return tuple(parts_of(self.root))

    def canonical(self, values: objects.Values) -> objects.Values:
        """A flattened state, every scalar in its range, with its queues and bags in the form in which they are kept."""
        return canonical(self.containers, values, self.blank_values)

    def first_out_of_range(self, values: tuple[int, ...]) -> tuple[Leaf, int] | None:
        """The first leaf whose value in the flattened state lies outside its range, with that value."""
        for leaf, value in zip(self.leaves, values, strict=True):
            if not leaf.low <= value <= leaf.high:
                return leaf, value
        return None

    def to_json(self, state: Any) -> dict[str, Any]:
        """`state` as JSON data: sentinels as null, id sets as lists, enum members by name, flags as booleans."""
        return objects.to_json(self.root, state)

    def from_json(self, data: Any) -> Any:
        """The state that `to_json` wrote. UsageError naming the path of the first part that does not fit."""
        return self.restore(tuple(objects.leaf_values(self.root, data)))

    @cached_property
    def dtype(self) -> "np.dtype[np.void]":
        """The structured dtype: every scalar an int64, in the order of the leaves, so it can be viewed as int64."""
        derived: np.dtype[np.void] = _dtype(self.root)
        return derived

    def pack(self, rows: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Flattened states, int64[n, leaves], as packed words, uint64[n, words]."""
        return packed(rows, self.slots)

    def unpack(self, words: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
        """Packed words, uint64[n, words], as flattened states, int64[n, leaves]."""
        return unpacked(words, self.slots)

    @cached_property
    def slots(self) -> "list[Slot]":
        """Where the leaves are kept in a packed state."""
        return [Slot(leaf.word, leaf.shift, leaf.bits, leaf.low) for leaf in self.leaves]

    def record(self, struct: type[Struct]) -> Record | None:
        """The type of the records of class `struct`, or None where this schema has none."""
        return self._records.get(struct)

    @property
    def structs(self) -> Iterator[type[Struct]]:
        """The classes of all records in a state."""
        return iter(self._records)

    def _record(self, struct: type[Struct]) -> Record:
        struct = budget_of(self._allowances) if struct is Budget else struct
        if struct in self._records:
            return self._records[struct]
        if struct in self._pending:
            raise _FieldError(
                f"{_place(struct)}: {struct.__name__} contains itself; a record cannot be nested in itself"
            )
        self._pending.append(struct)
        try:
            hints = typing.get_type_hints(struct, include_extras=True)
        except Exception as error:  # an annotation may be any expression
            text = f"{_place(struct)}: {struct.__name__}: {error}; import the names that its annotations use"
            raise _FieldError(text) from None
        fields = tuple((name, self._field(struct, name, hints[name])) for name in struct.field_names)
        self._pending.pop()
        self._records[struct] = Record(struct, fields)
        return self._records[struct]

    def _field(self, struct: type[Struct], name: str, annotation: Any) -> Type:
        try:
            return self._type(annotation, f"{struct.__name__}.{name}")
        except _FieldError:
            raise
        except ModelError as error:
            raise _FieldError(f"{_place(struct, name)}: {error}") from None

    def _type(self, annotation: Any, place: str) -> Type:
        annotation, condition = split_condition(annotation)
        found = self._whole_type(annotation, place)
        size = 1 if condition is None else self.bounds.evaluate(condition.size, place)
        if condition is None or size > 0:
            return found
        if size < 0 and condition.size in self.bounds.values:
            mend = self.bounds.mend(condition.size, 0)
            raise ModelError(f"{place}: it exists only if {condition.size} is above 0, and is absent if it is 0{mend}")
        return missing(found, condition.size, self._missing)

    def _whole_type(self, annotation: Any, place: str) -> Type:
        if isinstance(annotation, type) and issubclass(annotation, Struct):
            return self._record(annotation)
        kind = kind_of(annotation)
        if kind is not None:
            return scalar_of(kind, self.bounds, place)
        base, *extras = get_args(annotation) if get_origin(annotation) is typing.Annotated else (annotation,)
        bound = next((extra for extra in extras if isinstance(extra, AtMost)), None)
        if get_origin(base) in (Queue, Bag) and bound is not None:
            return self._container(get_origin(base), get_args(base)[0], bound, place)
        index = next((extra for extra in extras if isinstance(extra, ById | ByPosition)), None)
        if get_origin(base) is Array and index is not None:
            size = index.members if isinstance(index, ById) else index.length
            length = self.bounds.evaluate(size, place)
            if length < 1:
                told = f"{place}: its length {size!r} is {length} at these bounds; it needs at least 1"
                raise ModelError(told + self.bounds.mend(size, 1))
            return ArrayOf(self._type(get_args(base)[0], f"{place}[...]"), length, index)
        told = f"{place}: the annotation {annotation!r} gives no kind"
        if annotation is Ids or set in (annotation, get_origin(annotation)):
            raise ModelError(f"{told}; write Annotated[Ids, IdSet('set')]")
        if type(None) in get_args(annotation):
            raise ModelError(f"{told}; write Annotated[int, Id('set', none=-1)], or an Epoch with none=-1")
        raise ModelError(
            f"{told}; write Annotated[int, Count(3)] (or another kind "
            "of kafkacheck.checker.schema), an IntEnum, a Struct, Annotated[Array[...], ById('set')] or "
            "ByPosition('length'), or Annotated[Queue[...], AtMost('bound')] or of a Bag"
        )

    def _container(self, kind: type[Container[Any]], element: Any, bound: AtMost, place: str) -> Record:
        """A queue or bag: a record of its length and its slots, whose records do not change."""
        if not isinstance(element, type) or not issubclass(element, Struct):
            told = f"{a_or_an(kind.__name__)} holds records, not {element!r}; make it a field of a Struct"
            raise ModelError(f"{place}: {told}")
        most = self.bounds.evaluate(bound.most, place)
        if most < 1:
            told = f"{place}: it holds at most {bound.most!r}, {most} at these bounds; it needs at least 1"
            raise ModelError(told + self.bounds.mend(bound.most, 1))
        struct = container_class(kind, element, most)
        if struct not in self._records:
            if path := unknown_blank(self._record(element), element.__name__):
                raise ModelError(
                    f"{place}: {path[0]} ({path[1]}) has a bound for its blank value, which records in a "
                    f"{kind.__name__} cannot have; use a Count, or a lowest value that is a number"
                )
            length, slots = (self._type(each, place) for each in vars(struct)["__annotations__"].values())
            self._records[struct] = Record(struct, (("length", length), ("slots", fixed(slots))))
        return self._records[struct]

    def _leaves(self) -> Iterator[Leaf]:
        word, shift = 0, 0
        for steps, path, owner, scalar in _walk(self.root, (), "", (self.root.struct.__name__, "")):
            bits = (scalar.high - scalar.low).bit_length()
            if shift + bits > WORD_BITS:
                word, shift = word + 1, 0
            yield Leaf(steps, path.removeprefix("."), owner, scalar, word, shift, bits)
            shift += bits


def packed(rows: "np.ndarray[Any, Any]", slots: Sequence[Slot]) -> "np.ndarray[Any, Any]":
    """Flattened states, int64[n, leaves], as packed words, uint64[n, words], by where the leaves are kept."""
    import numpy as np

    words = np.zeros((len(rows), 1 + max((slot.word for slot in slots), default=0)), dtype=np.uint64)
    for column, slot in enumerate(slots):
        value = (rows[:, column] - slot.low).astype(np.uint64)
        words[:, slot.word] |= value << np.uint64(slot.shift)
    return words


def unpacked(words: "np.ndarray[Any, Any]", slots: Sequence[Slot]) -> "np.ndarray[Any, Any]":
    """Packed words, uint64[n, words], as flattened states, int64[n, leaves], by where the leaves are kept."""
    import numpy as np

    rows = np.empty((len(words), len(slots)), dtype=np.int64)
    for column, slot in enumerate(slots):
        value = (words[:, slot.word] >> np.uint64(slot.shift)) & np.uint64((1 << slot.bits) - 1)
        rows[:, column] = value.astype(np.int64) + slot.low
    return rows


def _walk(
    node: Type, steps: tuple[str | int, ...], path: str, owner: tuple[str, str]
) -> Iterator[tuple[tuple[str | int, ...], str, tuple[str, str], Scalar]]:
    if isinstance(node, Scalar):
        yield steps, path, owner, node
    elif isinstance(node, Record):
        for name, child in node.fields:
            inner = path if child is node.slots else f"{path}.{name}"
            yield from _walk(child, (*steps, name), inner, (node.struct.__name__, name))
    else:
        for index in range(node.length):
            yield from _walk(node.element, (*steps, index), f"{path}[{index}]", owner)


def _dtype(node: Type) -> Any:
    import numpy as np

    if isinstance(node, Scalar):
        return np.dtype(np.int64)
    if isinstance(node, ArrayOf):
        return np.dtype((_dtype(node.element), (node.length,)))
    return np.dtype([(name, _dtype(child)) for name, child in node.fields])
