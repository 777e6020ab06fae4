"""Plain Python objects for a layout: made from, and turned back into, the flat tuple of a state's values.

`generate` writes straight-line Python for one layout, because these three functions run once per explored state.
"""

import json
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from types import CodeType
from typing import Any

from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.schema.id_sets import ID_SETS, Ids, members_of
from kafkacheck.checker.schema.schema import MOST_MEMBERS, Array, EnumOf, Epoch, Flag, Id, IdSet, Kind, is_id_set
from kafkacheck.checker.schema.shape import Record, Scalar, Type, blank_values

if typing.TYPE_CHECKING:
    from kafkacheck.checker.schema.layout import Layout

Values = tuple[int, ...]


@dataclass(frozen=True)
class StateFunctions:
    """`flatten(state) -> values`, `restore(values) -> state` (sharing nothing), `in_range(values) -> bool`."""

    flatten: Callable[[Any], Values]
    restore: Callable[[Values], Any]
    in_range: Callable[[Values], bool]


def generate(layout: "Layout") -> StateFunctions:
    """The three functions for `layout`, compiled from generated source."""
    writer = _Writer()
    names = ", ".join(f"v{number}" for number in range(len(layout.leaves)))
    root = writer.restore(layout.root)
    body = "\n".join(f"    {line}" for line in writer.lines)
    ranges = " and ".join(f"{leaf.low} <= v{number} <= {leaf.high}" for number, leaf in enumerate(layout.leaves))
    reader = _Writer()
    reader.flatten(layout.root, "state")
    read = "\n".join(f"    {line}" for line in reader.lines)
    source = (
        f"def restore(values):\n    {names}, = values\n{body}\n    return {root}\n"
        f"def flatten(state):\n{read}\n    return ({', '.join(reader.parts)},)\n"
        f"def in_range(values):\n    {names}, = values\n    return {ranges}\n"
    )
    namespace: dict[str, Any] = {"Array": Array, "new": object.__new__, "id_sets": ID_SETS, **writer.classes}
    exec(_compiled(source, f"<objects of {layout.root.struct.__name__}>"), namespace)
    return StateFunctions(namespace["flatten"], namespace["restore"], namespace["in_range"])


@lru_cache(maxsize=64)
def _compiled(source: str, name: str) -> CodeType:
    """The source as code; of many models the layouts are alike."""
    return compile(source, name, "exec")


class _Writer:
    """Collects the lines of one generated function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.parts: list[str] = []
        self.classes: dict[str, type] = {}
        self._leaf = 0
        self._local = 0

    def _name(self) -> str:
        self._local += 1
        return f"o{self._local}"

    def restore(self, node: Type) -> str:
        """Write what builds `node` from the next leaves; returns the expression that holds it."""
        if isinstance(node, Scalar):
            self._leaf += 1
            value = f"v{self._leaf - 1}"
            return f"id_sets[{value}]" if is_id_set(node.kind) else value
        if isinstance(node, Record):
            class_name = f"Class_{len(self.classes)}"
            known = [name for name, struct in self.classes.items() if struct is node.struct]
            class_name = known[0] if known else class_name
            self.classes[class_name] = node.struct
            values = [(name, self.restore(child)) for name, child in node.fields]
            target = self._name()
            self.lines.append(f"{target} = new({class_name})")
            self.lines.extend(f"{target}.{name} = {value}" for name, value in values)
            return target
        elements = [self.restore(node.element) for _ in range(node.length)]
        target = self._name()
        inside = ", ".join(f"{index}: {value}" for index, value in enumerate(elements))
        self.lines.append(f"{target} = Array({{{inside}}})")
        return target

    def flatten(self, node: Type, source: str) -> None:
        """Write what reads the leaves of `node`, which the expression `source` holds."""
        if isinstance(node, Scalar):
            self.parts.append(_flat(node, source))
            return
        if isinstance(node, Record):
            children = [(f"{source}.{name}", child) for name, child in node.fields]
        else:
            children = [(f"{source}[{index}]", node.element) for index in range(node.length)]
        for expression, child in children:
            if isinstance(child, Scalar):
                self.parts.append(_flat(child, expression))
            else:
                local = self._name()
                self.lines.append(f"{local} = {expression}")
                self.flatten(child, local)


def _flat(node: Scalar, source: str) -> str:
    """The expression that gives what `source` holds as a number."""
    return f"{source}.bits" if is_id_set(node.kind) else source


def plain_value(value: Any) -> int:
    """A scalar of a state as a number: of an id set its bitmask."""
    return value.bits if isinstance(value, Ids) else value


def is_optional(kind: Kind) -> bool:
    """Whether the kind has the sentinel -1 for "none"."""
    return isinstance(kind, Id | Epoch) and kind.none is not None


def value_to_json(kind: Kind, value: int) -> Any:
    """One scalar as JSON data."""
    if isinstance(kind, Flag):
        return bool(value)
    if isinstance(kind, IdSet):
        return members_of(value)
    if isinstance(kind, EnumOf):
        return kind.members(value).name
    if is_optional(kind) and value < 0:
        return None
    return int(value)


def _is_member(data: Any) -> bool:
    return type(data) is int and 0 <= data < MOST_MEMBERS


def value_from_json(kind: Kind, data: Any, place: str) -> int:
    """The scalar that `value_to_json` wrote. UsageError naming `place` where the data does not fit the kind."""
    if isinstance(kind, Flag) and isinstance(data, bool):
        return int(data)
    if isinstance(kind, IdSet) and isinstance(data, list) and all(_is_member(each) for each in data):
        return sum(1 << member for member in set(data))
    if isinstance(kind, EnumOf) and isinstance(data, str) and data in kind.members.__members__:
        member: IntEnum = kind.members[data]
        return int(member)
    if is_optional(kind) and data is None:
        return -1
    if not isinstance(kind, Flag | IdSet | EnumOf) and type(data) is int:
        return data
    raise UsageError(f"{place}: {json.dumps(data)} is not a value of {kind}; was the file written for this model?")


def to_json(record: Record, state: Any) -> dict[str, Any]:
    """A record object as JSON data."""
    return {name: _json(node, getattr(state, name)) for name, node in record.fields}


def _json(node: Type, value: Any) -> Any:
    if isinstance(node, Scalar):
        return value_to_json(node.kind, plain_value(value))
    if isinstance(node, Record):
        return to_json(node, value) if node.slots is None else [_json(node.slots.element, each) for each in value]
    return [_json(node.element, element) for element in value]


def leaf_values(node: Type, data: Any, place: str = "state") -> Iterator[int]:
    """The values of the leaves of `node` in order, read from JSON data; UsageError where the data does not fit."""
    if isinstance(node, Scalar):
        value = value_from_json(node.kind, data, place)
        if not node.low <= value <= node.high:
            raise UsageError(
                f"{place}: {json.dumps(data)} is outside {node.low} .. {node.high}; are the bounds the same?"
            )
        yield value
    elif isinstance(node, Record) and node.slots is not None:
        most, element = node.slots.length, node.slots.element
        if not isinstance(data, list) or len(data) > most:
            found = len(data) if isinstance(data, list) else data
            raise UsageError(
                f"{place}: expected a list of at most {most}, found {json.dumps(found)}; are the bounds the same?"
            )
        yield len(data)
        for index, each in enumerate(data):
            yield from leaf_values(element, each, f"{place}[{index}]")
        yield from blank_values(element) * (most - len(data))
    elif isinstance(node, Record):
        if not isinstance(data, dict) or set(data) != {name for name, _ in node.fields}:
            found = sorted(data) if isinstance(data, dict) else data
            raise UsageError(
                f"{place}: expected the fields {', '.join(name for name, _ in node.fields)}, found "
                f"{json.dumps(found)}; the file was written for another model or version"
            )
        for name, child in node.fields:
            yield from leaf_values(child, data[name], f"{place}.{name}")
    else:
        if not isinstance(data, list) or len(data) != node.length:
            found = len(data) if isinstance(data, list) else data
            raise UsageError(
                f"{place}: expected a list of {node.length}, found {json.dumps(found)}; are the bounds the same?"
            )
        for index, element in enumerate(data):
            yield from leaf_values(node.element, element, f"{place}[{index}]")
