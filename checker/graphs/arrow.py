"""States and steps as Arrow columns: named and typed as the schema declares them, so that SQL on them is easy to read.

Numbers are 32-bit integers, whatever their range, so that arithmetic on them does not overflow. A missing value (of an
optional id or epoch) is null. Enum members are their names, flags booleans, sets of ids lists of ids, records structs,
and arrays, queues and bags lists.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from kafkacheck.checker.graphs.state_graph import Combinations
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, EnumOf, Epoch, Flag, IdSet, Kind, Offset, Struct
from kafkacheck.checker.schema.containers import Container
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import is_optional
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar, Type, leaf_count

Rows = np.ndarray[Any, Any]

OWN_COLUMNS = ("state", "fingerprint", "parent", "level", "properties", "sometimes", "measures", "at_bound", "cut_off")
"""The columns of a state that are not fields of it."""


@dataclass(frozen=True)
class Names(Kind):
    """An enum without its class: the names of its members, and the number of the first."""

    names: tuple[str, ...]
    first: int


def field_columns(layout: Layout) -> dict[str, str]:
    """The column of each field of a state; a field with the name of another column gets an underscore at its end."""
    columns: dict[str, str] = {}
    taken = {name.lower() for name in OWN_COLUMNS}
    for name, _ in layout.root.fields:
        column = name
        while column.lower() in taken:
            column += "_"
        taken.add(column.lower())
        columns[name] = column
    return columns


def portable(node: Type) -> Type:
    """The type without the model's own classes, for processes that do not have them."""
    if isinstance(node, Scalar):
        return Scalar(_without_class(node.kind), node.low, node.high)
    if isinstance(node, Record):
        struct = Struct if node.slots is None else Container
        return Record(struct, tuple((name, portable(child)) for name, child in node.fields))
    return ArrayOf(portable(node.element), node.length, node.index)


def _without_class(kind: Kind) -> Kind:
    if not isinstance(kind, EnumOf):
        return kind
    by_number = sorted(kind.members, key=int)
    return Names(tuple(member.name for member in by_number), int(by_number[0]))


def kind_type(kind: Kind) -> pa.DataType:
    """The Arrow type of a scalar."""
    if isinstance(kind, Flag):
        return pa.bool_()
    if isinstance(kind, IdSet):
        return pa.list_(pa.int32())
    return pa.string() if isinstance(kind, EnumOf | Names) else pa.int32()


def kind_array(kind: Kind, values: Rows) -> pa.Array:
    """Scalars of one kind, int64[n], as an Arrow array."""
    if isinstance(kind, Flag):
        return pa.array(values != 0)
    if isinstance(kind, IdSet):
        members = (values[:, None] >> np.arange(31)) & 1
        ends = np.concatenate(([0], members.sum(axis=1).cumsum()))
        ids = np.nonzero(members)[1]
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(ids.astype(np.int32)))
    kind = _without_class(kind)
    if isinstance(kind, Names):
        return pa.array(kind.names).take(pa.array(values - kind.first))
    mask = values < 0 if is_optional(kind) else None
    return pa.array(values.astype(np.int32), mask=mask)


def type_array(node: Type, rows: Rows) -> pa.Array:
    """The leaves of a type, int64[n, leaves], as an Arrow array of length n."""
    if isinstance(node, Scalar):
        return kind_array(node.kind, rows[:, 0])
    if isinstance(node, Record) and node.slots is not None:
        lengths, slots = rows[:, 0], node.slots
        records = rows[:, 1:].reshape(len(rows) * slots.length, leaf_count(slots.element))
        elements = type_array(slots.element, records[(np.arange(slots.length) < lengths[:, None]).ravel()])
        return pa.ListArray.from_arrays(pa.array(np.append(0, lengths.cumsum()).astype(np.int32)), elements)
    if isinstance(node, Record):
        names, arrays, first = [], [], 0
        for name, child in node.fields:
            last = first + leaf_count(child)
            names.append(name)
            arrays.append(type_array(child, rows[:, first:last]))
            first = last
        return pa.StructArray.from_arrays(arrays, names=names)
    elements = type_array(node.element, rows.reshape(len(rows) * node.length, leaf_count(node.element)))
    return pa.ListArray.from_arrays(pa.array(np.arange(len(rows) + 1, dtype=np.int32) * node.length), elements)


def flags(names: Sequence[str], columns: Iterable[Rows]) -> pa.Array:
    """A struct of named booleans."""
    return pa.StructArray.from_arrays([pa.array(column) for column in columns], names=list(names))


def limited_by(layout: Layout, switched: Collection[str]) -> dict[str, list[int]]:
    """For each bound the leaves that count up to it: an offset, epoch or count whose highest value names the bound.

    Or down from it, in an allowance. The bounds `switched`, which are 0 or 1, cut nothing off.
    """
    found: dict[str, list[int]] = {}
    for place, leaf in enumerate(layout.leaves):
        kind = leaf.kind
        size = kind.end if isinstance(kind, Offset) else kind.highest if isinstance(kind, Epoch | Count) else 0
        for name in re.findall(r"[^\W\d]\w*", str(size)):
            found.setdefault(name, []).append(place)
    return {name: found[name] for name in layout.bounds.values if name in found and name not in switched}


class StepColumns:
    """The columns of steps that depend on the action and its parameters only, one row for each combination."""

    def __init__(self, model: Model) -> None:
        combinations = Combinations(model)
        names = pa.array([action.name for action in model.actions])
        self.actions = names.take(pa.array(combinations.actions))
        self.parameters = self._parameters(model, combinations)

    def __len__(self) -> int:
        return len(self.actions)

    def _parameters(self, model: Model, combinations: Combinations) -> pa.Array | None:
        """A struct with a field for each parameter that some action has, null if an action lacks it.

        None if no action has a parameter. A name that means two types has a field for each action.
        """
        types: dict[str, set[pa.DataType]] = {}
        for action in model.actions:
            for parameter in action.parameters:
                types.setdefault(parameter.name, set()).add(kind_type(parameter.kind))
        columns: dict[str, list[pa.Array]] = {}
        total = 0
        for number, action in enumerate(model.actions):
            given = [combinations.parameters[place] for place in np.flatnonzero(combinations.actions == number)]
            for place, parameter in enumerate(action.parameters):
                name = parameter.name if len(types[parameter.name]) == 1 else f"{parameter.name}_of_{action.name}"
                chunks = columns.setdefault(name, [])
                missing = total - sum(map(len, chunks))
                values = np.array([int(each[place]) for each in given], np.int64)
                chunks += [pa.nulls(missing, kind_type(parameter.kind)), kind_array(parameter.kind, values)]
            total += len(given)
        if not columns:
            return None
        for chunks in columns.values():
            chunks.append(pa.nulls(total - sum(map(len, chunks)), chunks[0].type))
        return pa.StructArray.from_arrays(
            [pa.concat_arrays(chunks) for chunks in columns.values()], names=list(columns)
        )


def name_lists(names: Sequence[str], masks: Rows) -> pa.Array:
    """For each mask, uint64[n], the list of the names whose bits are set."""
    kinds, places = np.unique(masks, return_inverse=True)
    lists = [[name for place, name in enumerate(names) if int(kind) >> place & 1] for kind in kinds]
    return pa.array(lists, pa.list_(pa.string())).take(pa.array(places))
