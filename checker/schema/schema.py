"""The schema of a state: annotated `Struct` classes whose fields carry a kind and, by it, a range.

A field is annotated with `Annotated[int, <kind>]`, with another `Struct` (a nested record), or with
`Annotated[Array[...], ById(...)]` / `Annotated[Array[...], ByPosition(...)]` (a fixed array). Sizes and ranges
are expressions over the names of the model's bounds ("members", "max_rounds + 1") or plain integers.
Everything else (plain objects, packed words, dtype, text, JSON, `type_ok`) is derived from this one declaration.

Protocol code may call the functions at the end: `clear` and `copy` work on whole records, the others, which are written
in the plain subset, on id sets that are declared as `Annotated[int, IdSet(...)]`, bitmasks. Those that are declared as
`Annotated[Ids, IdSet(...)]` have the operators of Python's sets.
"""

import dataclasses
import typing
from collections.abc import ItemsView, Iterable, Iterator, Mapping, ValuesView
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, Generic, TypeVar, get_args, get_origin

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import declaration_place
from kafkacheck.checker.schema.id_sets import Ids

T = TypeVar("T")

Size = str | int

MOST_MEMBERS = 30
"""The largest set whose subsets are kept as one bitmask: every field fits a signed 32-bit integer."""

NONE = -1
"""The only sentinel an optional field may use: it keeps the range one interval."""


@dataclass(frozen=True)
class Kind:
    """What a scalar field, or a parameter of an action, means. Subclasses give the range."""


@dataclass(frozen=True)
class Id(Kind):
    """An id of the set with `members` elements: 0 .. members-1, or `none` (always -1) where it is optional."""

    members: Size
    none: int | None = None


@dataclass(frozen=True)
class IdSet(Kind):
    """A set of ids of the set with `members` elements, kept as a bitmask: 0 .. 2**members - 1.

    `is_mask`: functions see the bitmask, an int, because the annotation says int; else they see an `Ids`.
    """

    members: Size
    is_mask: bool = dataclasses.field(default=False, repr=False)


@dataclass(frozen=True)
class Offset(Kind):
    """A position in a sequence, 0 .. `end` (inclusive, because ends are exclusive and an end is an offset too)."""

    end: Size


@dataclass(frozen=True)
class Epoch(Kind):
    """A fencing number, 0 .. `highest`, or `none` (always -1) where there may be no epoch yet."""

    highest: Size
    none: int | None = None


@dataclass(frozen=True)
class Count(Kind):
    """How many of something: `lowest` .. `highest`, both inclusive."""

    highest: Size
    lowest: Size = 0


@dataclass(frozen=True)
class Allowance(Count):
    """How often something may still happen: a count that is `highest` in the blank state, and not its lowest."""


@dataclass(frozen=True)
class EnumOf(Kind):
    """A member of an `IntEnum` whose values follow each other without gaps; the enum as annotation means the same.

    `highest`: the value of the last member that occurs, where a model's bounds leave some out.
    """

    members: type[IntEnum]
    highest: Size | None = None


@dataclass(frozen=True)
class Flag(Kind):
    """True or False; `bool` as annotation means the same."""


@dataclass(frozen=True)
class ById:
    """Marks an array with one element for each id of the set with `members` elements."""

    members: Size


@dataclass(frozen=True)
class ByPosition:
    """Marks an array with `length` elements, indexed by position."""

    length: Size


@dataclass(frozen=True)
class If:
    """Marks a field that exists only if `size` is above 0: else all that is in it stays blank and takes no bit.

    Where some exist and others do not, a record or array can be copied to and compared with one under the same `If`;
    behind a question for the bound (`if bounds.files == 0: return False`) with any.
    """

    size: Size


if typing.TYPE_CHECKING:

    class _Elements(Generic[T]):
        """What a type checker knows of an array: that it holds elements, not that it is a dictionary of indices."""

        def __init__(self, pairs: Iterable[tuple[int, T]], /) -> None: ...
        def __getitem__(self, index: int) -> T: ...
        def __setitem__(self, index: int, value: T) -> None: ...
        def __len__(self) -> int: ...
        def __contains__(self, index: int) -> bool: ...
        def items(self) -> ItemsView[int, T]: ...
        def values(self) -> ValuesView[T]: ...

else:

    class _Elements(dict[int, T]):
        __slots__ = ()


class Array(_Elements[T]):
    """A fixed array of records or scalars, indexed by 0 .. len-1; a negative or too large index is an IndexError.

    It is a dictionary underneath, because that is the fastest container of Python's whose look-up refuses a
    negative index. Iteration yields the elements.
    """

    __slots__ = ()

    def __missing__(self, index: int) -> T:
        raise IndexError(f"index {index} is outside this array, whose indices are 0 .. {len(self) - 1}")

    def __setitem__(self, index: int, value: T) -> None:
        if index not in self:
            self.__missing__(index)
        super().__setitem__(index, value)

    def __iter__(self) -> Iterator[T]:
        return iter(self.values())

    def __repr__(self) -> str:
        return f"[{', '.join(repr(value) for value in self.values())}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _array, (list(self.values()),)


def _array(values: list[T]) -> Array[T]:
    return Array(enumerate(values))


def _own_field_names(namespace: dict[str, Any]) -> list[str]:
    """Names annotated in a class body, also where Python (3.14 on) evaluates annotations lazily."""
    if "__annotations__" in namespace:
        return list(namespace["__annotations__"])
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    if annotate is None:
        return []
    from annotationlib import Format, call_annotate_function  # type: ignore[import-not-found]  # Python 3.14 on

    return list(call_annotate_function(annotate, Format.FORWARDREF))


_OWN_NAMES = ("copy", "field_names")


class StructMeta(type):
    """Turns the annotations of a `Struct` into slots, so that a misspelt field is an error and not a new field."""

    field_names: tuple[str, ...]

    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "StructMeta":
        """Create the class with `__slots__` named after its annotations and `field_names` in order of declaration."""
        own = _own_field_names(namespace)
        for field in own:
            if field in namespace:
                place = declaration_place(namespace["__module__"], name, field)
                raise ModelError(
                    f"{place}: {name}.{field} has a default value; a blank state has every field at its lowest value "
                    "(an Allowance at its highest), and the model's `initial` function sets the rest"
                )
            if field in _OWN_NAMES or any(field in getattr(base, "field_names", ()) for base in bases):
                taken = "has a meaning of its own in every Struct" if field in _OWN_NAMES else "is a field of its base"
                place = declaration_place(namespace["__module__"], name, field)
                raise ModelError(f"{place}: {name}.{field} cannot be a field: the name {taken}; choose another one")
        for field, value in namespace.items():
            if field not in own and not field.startswith("__") and not hasattr(value, "__get__"):
                place = declaration_place(namespace["__module__"], name, field)
                raise ModelError(
                    f"{place}: {name}.{field} has no annotation, so that it would be no field; write "
                    f"`{field}: Annotated[int, Count(3)]` or another kind, or put a constant at the top of the module"
                )
        namespace["__slots__"] = tuple(own)
        inherited: tuple[str, ...] = ()
        for base in bases:
            inherited += getattr(base, "field_names", ())
        created = super().__new__(mcs, name, bases, namespace)
        created.field_names = inherited + tuple(own)
        return created

    def __call__(cls, *positional: Any, **values: Any) -> Any:
        """A record that is not of any state: what its fields are, for `add` and `copy`."""
        unknown = [name for name in values if name not in cls.field_names]
        if positional or unknown:
            raise TypeError(f"{cls.__name__}(...) takes its fields by name: {', '.join(cls.field_names)}")
        return Draft(cls, values)


@dataclass(frozen=True, eq=False)
class Draft:
    """A new record, before it is written into a place of a state: `values` by field; the other fields are blank."""

    struct: StructMeta
    values: dict[str, Any]


class Struct(metaclass=StructMeta):
    """Base of all records of a state. Instances are made by a layout (`model.layout.blank()`).

    In protocol code `Request(epoch=1)` is a new record, which `add` and `copy` take; fields that it does not name are
    blank.
    """

    if typing.TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...

    def copy(self) -> "Struct":
        """A deep copy that shares nothing with this record."""
        other = object.__new__(type(self))
        for name in type(self).field_names:
            setattr(other, name, _copy_value(getattr(self, name)))
        return other

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in type(self).field_names)

    __hash__ = None  # type: ignore[assignment]  # records are mutable; hash their flattened values instead

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name, '?')!r}" for name in type(self).field_names)
        return f"{type(self).__name__}({inside})"


def _copy_value(value: Any) -> Any:
    if isinstance(value, Struct):
        return value.copy()
    if isinstance(value, Array):
        return _array([_copy_value(element) for element in value.values()])
    return value


def kind_of(annotation: Any) -> Kind | None:
    """The kind that an annotation such as `Annotated[int, Count(3)]` carries, or None; `bool` and enums are kinds.

    ModelError where it carries two, or one that does not fit its type.
    """
    annotation, _ = split_condition(annotation)
    if annotation is bool:
        return Flag()
    if isinstance(annotation, type) and issubclass(annotation, IntEnum):
        return EnumOf(annotation)
    if get_origin(annotation) is typing.Annotated:
        base, *extras = get_args(annotation)
        kinds = [extra for extra in extras if isinstance(extra, Kind)]
        if len(kinds) > 1:
            raise ModelError(f"the annotation {annotation!r} gives {len(kinds)} kinds; keep one of them")
        if kinds and base is bool and not isinstance(kinds[0], Flag):
            raise ModelError(f"the annotation {annotation!r} gives a bool the kind of an int; write bool, or int in it")
        return _as_seen(annotation, base, kinds[0]) if kinds else None
    return None


def _as_seen(annotation: Any, base: Any, kind: Kind) -> Kind:
    """The kind, which says of an id set whether functions see it as an int."""
    if isinstance(kind, IdSet):
        if base not in (Ids, int):
            raise ModelError(f"the annotation {annotation!r} is no id set; write Annotated[Ids, IdSet(...)]")
        return replace(kind, is_mask=base is int)
    if base is Ids:
        raise ModelError(
            f"the annotation {annotation!r} gives an id set another kind; write Annotated[Ids, IdSet(...)]"
        )
    return kind


def is_id_set(kind: Kind) -> bool:
    """Whether functions see it as an `Ids`."""
    return isinstance(kind, IdSet) and not kind.is_mask


def split_condition(annotation: Any) -> tuple[Any, If | None]:
    """An annotation without its `If`, and that, or None where it has none. ModelError where it has two."""
    if get_origin(annotation) is not typing.Annotated:
        return annotation, None
    base, *extras = get_args(annotation)
    conditions = [extra for extra in extras if isinstance(extra, If)]
    if not conditions:
        return annotation, None
    if len(conditions) > 1:
        raise ModelError(
            f"the annotation {annotation!r} gives {len(conditions)} conditions; give one, such as "
            "If('sessions * files')"
        )
    for extra in (each for each in extras if not isinstance(each, If)):
        base = typing.Annotated[base, extra]
    return base, conditions[0]


def blank_of(kind: Kind) -> int | None:
    """What a field of this kind is when it is blank (see `checker.schema.shape.Scalar`), or None if a bound says it."""
    match kind:
        case Flag():
            return False
        case EnumOf(members):
            return int(min(members))
        case Id(none=none) | Epoch(none=none):
            return 0 if none is None else none
        case Allowance() | Count(lowest=str()):
            return None
        case Count(lowest=int() as lowest):
            return lowest
    return 0


def clear(record: Struct) -> None:
    """Set every field of a record, and of the records and arrays in it, to its blank value.

    Protocol code may call it. A model that is defined has shown that the class says what these values are.
    """
    for name, blank in _blanks(type(record)):
        if isinstance(blank, int | Ids):
            setattr(record, name, blank)
        else:
            _clear_part(getattr(record, name), blank)


_Blank = int | Ids | list["_Blank"] | None
"""A blank scalar, an array by what its elements are (a list of one), or None for a record."""


def _clear_part(part: Any, blank: _Blank) -> None:
    if blank is None:
        clear(part)
    elif isinstance(blank, list):
        for index, element in part.items():
            if isinstance(blank[0], int | Ids):
                part[index] = blank[0]
            else:
                _clear_part(element, blank[0])


@lru_cache(maxsize=1024)
def _blanks(struct: type[Struct]) -> list[tuple[str, _Blank]]:
    """The fields of a class, each with what it is when it is blank."""
    return [(name, _blank(each)) for name, each in typing.get_type_hints(struct, include_extras=True).items()]


def _blank(annotation: Any) -> _Blank:
    annotation, _ = split_condition(annotation)
    kind = kind_of(annotation)
    if kind is not None:
        return Ids() if is_id_set(kind) else blank_of(kind)
    if isinstance(annotation, type):
        return None
    if not issubclass(get_origin(get_args(annotation)[0]), Array):  # a queue or a bag is a record
        return None
    return [_blank(get_args(get_args(annotation)[0])[0])]


def copy(target: T, source: T) -> None:
    """Write what one record or array holds into another one of the same type, or a new record: `Request(epoch=1)`.

    Protocol code may call it.
    """
    if isinstance(source, Draft):
        assert isinstance(target, Struct)
        clear(target)
        write(target, source.values)
    elif isinstance(target, Array) and isinstance(source, Array):
        for index, value in source.items():
            if isinstance(value, Struct | Array):
                copy(target[index], value)
            else:
                target[index] = value
    elif isinstance(target, Struct):
        for name in type(target).field_names:
            value = getattr(source, name)
            if isinstance(value, Struct | Array):
                copy(getattr(target, name), value)
            else:
                setattr(target, name, value)


def write(record: Struct, values: Mapping[str, Any]) -> None:
    """Write some fields of a record."""
    for name, value in values.items():
        if isinstance(value, Struct | Array):
            copy(getattr(record, name), value)
        else:
            setattr(record, name, value)


def contains(ids: int, member: int) -> bool:
    """Whether `member` (an id, not the sentinel) is in the id set `ids`."""
    return (ids >> member) & 1 == 1


def including(ids: int, member: int) -> int:
    """The id set `ids` with `member` added."""
    return ids | (1 << member)


def excluding(ids: int, member: int) -> int:
    """The id set `ids` with `member` taken out."""
    return ids & ~(1 << member)


def everyone(members: int) -> int:
    """The id set of all ids 0 .. members-1."""
    return (1 << members) - 1


def cardinality(ids: int) -> int:
    """How many ids the set `ids` has."""
    total = 0
    for member in range(MOST_MEMBERS):
        total += (ids >> member) & 1
    return total
