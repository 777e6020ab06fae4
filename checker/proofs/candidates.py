"""A pool of simple clauses over a model's scalars, from which lemmas can be found (`checker.proofs.houdini`).

A clause says that one of up to three facts holds: a scalar has a value, or has not, or two scalars of one kind are
equal or in order.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kafkacheck.checker.language import ir
from kafkacheck.checker.model import Property
from kafkacheck.checker.proofs.reached import Reached
from kafkacheck.checker.schema import Flag, IdSet
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.pretty import value_text
from kafkacheck.checker.schema.shape import ArrayOf, Leaf, Record

MOST_VALUES = 6
"""Scalars with more values than this are only compared with each other."""

MOST_TRIED = 60_000
"""How many clauses are tried; longer ones are left out if there would be more."""

MOST_KEPT = 500
"""How many clauses a pool has at most; longer ones are left out if there would be more."""

LONGEST = 3
BLOCK = 1 << 16


@dataclass(frozen=True)
class Fact:
    """A fact about one or two scalars: as text, in the typed form, and on columns of flattened states."""

    text: str
    form: ir.Expression
    holds: Callable[[Any], Any]
    group: tuple[int, ...]


def facts(layout: Layout) -> list[Fact]:
    """All facts about a layout's scalars, in a fixed order."""
    found = []
    for number, leaf in enumerate(layout.leaves):
        if not isinstance(leaf.kind, IdSet) and leaf.high - leaf.low < MOST_VALUES:
            values = [leaf.high] if leaf.high - leaf.low == 1 else range(leaf.low, leaf.high + 1)
            for value, symbol in itertools.product(values, ("==", "!=")):
                found.append(_value_fact(layout, number, leaf, symbol, value))
    for one, other in itertools.combinations(range(len(layout.leaves)), 2):
        left, right = layout.leaves[one], layout.leaves[other]
        if left.kind == right.kind and left.owner == right.owner and not isinstance(left.kind, Flag):
            found += [_order_fact(layout, one, other, symbol) for symbol in ("==", "!=", "<=", ">=")]
    return found


def _value_fact(layout: Layout, number: int, leaf: Leaf, symbol: str, value: int) -> Fact:
    known = ir.Const(bool(value) if isinstance(leaf.kind, Flag) else value)
    form = ir.Compare((symbol,), (place_of(layout, leaf), known))
    text = f"{leaf.path} {symbol} {value_text(leaf, value)}"
    if symbol == "==":
        return Fact(text, form, lambda rows: rows[:, number] == value, (number,))
    return Fact(text, form, lambda rows: rows[:, number] != value, (number,))


def _order_fact(layout: Layout, one: int, other: int, symbol: str) -> Fact:
    left, right = layout.leaves[one], layout.leaves[other]
    compare = {"==": np.equal, "!=": np.not_equal, "<=": np.less_equal, ">=": np.greater_equal}[symbol]
    form = ir.Compare((symbol,), (place_of(layout, left), place_of(layout, right)))
    text = f"{left.path} {symbol} {right.path}"
    return Fact(text, form, lambda rows: compare(rows[:, one], rows[:, other]), (one, other))


def place_of(layout: Layout, leaf: Leaf) -> ir.Expression:
    """A scalar of the state, which the typed form calls `state`."""
    place: ir.Expression = ir.Local("state", layout.root)
    for step in leaf.steps:
        kind = place.type
        if isinstance(kind, Record):
            stored = kind.field(str(step))
            assert stored is not None
            place = ir.Field(place, kind, str(step), stored)
        else:
            assert isinstance(kind, ArrayOf)
            place = ir.Element(place, kind, ir.Const(int(step)))
    return place


def clauses(layout: Layout, reached: Reached) -> list[Property]:
    """The clauses that hold of every state reached, none of which follows from a shorter one; shortest first."""
    known = facts(layout)
    holding = _bits(known, reached)
    kept: list[tuple[int, ...]] = []
    tried = 0
    for size in range(1, LONGEST + 1):
        combinations = list(_combinations(known, size, MOST_TRIED - tried))
        tried += len(combinations)
        stronger = set(kept)
        new = [
            numbers
            for numbers in combinations
            if not any(part in stronger for less in range(1, size) for part in itertools.combinations(numbers, less))
            and (np.bitwise_or.reduce([holding[number] for number in numbers]) == 0xFF).all()
        ]
        if len(kept) + len(new) > MOST_KEPT:
            break
        kept += new
    return [clause(layout, [known[number] for number in numbers]) for numbers in kept]


def _combinations(known: Sequence[Fact], size: int, room: int) -> Iterator[tuple[int, ...]]:
    """The choices of this many facts; none if there are more than `room`. Two facts speak of different scalars."""
    count = 1
    for number in range(size):
        count = count * (len(known) - number) // (number + 1)
    if count > room:
        return
    for numbers in itertools.combinations(range(len(known)), size):
        if len({known[number].group for number in numbers}) == size:
            yield numbers


def _bits(known: Sequence[Fact], reached: Reached) -> list[Any]:
    """In which of the states reached each fact holds, a bit each; those that fill up the last byte are set."""
    parts: list[list[Any]] = [[] for _ in known]
    for first in range(0, reached.counts.distinct, BLOCK):
        rows = reached.rows(first, first + BLOCK)
        filling = np.ones(-len(rows) % 8, np.bool_)
        for fact, found in zip(known, parts, strict=True):
            found.append(np.packbits(np.concatenate([fact.holds(rows), filling])))
    return [np.concatenate(found) for found in parts]


def clause(layout: Layout, parts: Sequence[Fact]) -> Property:
    """At least one of some facts, as a property that every reading understands."""
    form = parts[0].form if len(parts) == 1 else ir.Logical("or", tuple(part.form for part in parts))

    def holds(state: Any) -> bool:
        rows = np.array([layout.flatten(state)], np.int64)
        return any(bool(part.holds(rows)[0]) for part in parts)

    text = " or ".join(part.text for part in parts)
    read = ir.Function(holds, (ir.Local("state", layout.root),), ir.BOOL, (ir.Return(form),))  # type: ignore[arg-type]  # a function of this file has the right type
    return Property(text, holds, given=(), is_step=False, read=read)
