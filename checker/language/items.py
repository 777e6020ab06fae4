"""Names of what lies in a queue or bag: they are read before it moves, and not after.

Such a name is a view of a slot. After `remove`, another record lies there, or a blank one; so a later read would get
another record without a word. It is refused where the function is read, also if a called function moves the records, or
reads the name of one.
"""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kafkacheck.checker.language import ir
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.shape import ArrayOf, Record, Type

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader

Place = ir.Origin
NOWHERE: frozenset[Place] = frozenset()


@dataclass
class Items:
    """What is known of names at one point of a function.

    `places`: by which fields or parameters a name was reached. `views`: the names that stand for what lies in a queue
    or bag. `moved`: which of them may have moved, where they were, what moved, and the line that moved it.
    """

    places: dict[str, frozenset[Place]] = field(default_factory=dict)
    views: frozenset[str] = frozenset()
    moved: frozenset[tuple[str, Place, Place, int]] = frozenset()

    def join(self, other: "Items", names: Iterable[str]) -> "Items":
        """What is known where two branches meet."""
        places = {name: self.places.get(name, NOWHERE) | other.places.get(name, NOWHERE) for name in names}
        return Items(places, self.views | other.views, self.moved | other.moved)

    def places_of(self, expression: ir.Expression) -> frozenset[Place]:
        """By which fields or parameters a place is reached: the queue or bag, for what lies in one."""
        match expression:
            case ir.Element(base):
                return self.places_of(base)
            case ir.Field(base, record, name):
                return (
                    self.places_of(base)
                    if record.is_fixed or is_container(record)
                    else frozenset({(record.struct, name)})
                )
            case ir.Local(name):
                return self.places.get(name, NOWHERE)
        return NOWHERE

    def bound(self, name: str, expression: ir.Expression | None, kind: object) -> "Items":
        """After a name got a value."""
        if not isinstance(kind, Record | ArrayOf):
            return self
        is_slots = isinstance(expression, ir.Field) and is_container(expression.record)
        places = self.places | {name: self.places_of(expression) if expression is not None else frozenset({name})}
        views = self.views | {name} if kind.is_fixed or is_slots else self.views - {name}
        return Items(places, views, frozenset(each for each in self.moved if each[0] != name))

    def after(self, moving: frozenset[Place], line: int) -> "Items":
        """After all that lies at these places may have moved."""
        found = {
            (name, at, place, line)
            for place in moving
            for name in self.views
            for at in self.places.get(name, NOWHERE)
            if may_be_one(at, place)
        }
        return replace(self, moved=self.moved | found) if found else self


def may_be_one(one: Place, other: Place) -> bool:
    """Whether two may be the same queue or bag: a parameter may be any, unless its caller knows better."""
    return one == other or isinstance(one, str) or isinstance(other, str)


def containers_in(kind: Type) -> frozenset[Place]:
    """The fields of a record that hold queues or bags, as deep as they lie."""
    if isinstance(kind, ArrayOf):
        return containers_in(kind.element)
    if not isinstance(kind, Record) or is_container(kind):
        return NOWHERE
    own = {(kind.struct, name) for name, child in kind.fields if is_container(_innermost(child))}
    return frozenset(own).union(*(containers_in(child) for _, child in kind.fields))


def _innermost(kind: Type) -> Type:
    return _innermost(kind.element) if isinstance(kind, ArrayOf) else kind


def moved_by(kind: Type) -> frozenset[Place]:
    """The places that a function moves which writes its parameter `target` of this type."""
    return frozenset({"target"}) if is_container(_innermost(kind)) else containers_in(kind)


def note_read(reader: "FunctionReader", node: ast.AST, name: str) -> None:
    """A name is read. ModelError if it stands for what may lie elsewhere by now."""
    for moved, at, place, line in sorted(reader.flow.items.moved, key=str):
        if moved != name or not reader.is_live:
            continue
        if at == place:
            raise reader.error(node, _problem(name, place, line))
        reader.result.late_reads |= {(at, place)}


def note_call(reader: "FunctionReader", callee: ir.Function, given: list[ir.Expression]) -> None:
    """A function is called. ModelError if it reads what it is given after it moved it."""
    if not reader.is_live or not (callee.moves or callee.late_reads):
        return
    items, line = reader.flow.items, getattr(reader.statement, "lineno", 0)
    known = {local.name: items.places_of(each) for local, each in zip(callee.parameters, given, strict=True)}

    def here(place: Place) -> frozenset[Place]:
        return known.get(place, NOWHERE) if isinstance(place, str) else frozenset({place})

    for one, other in sorted(callee.late_reads, key=str):
        for at in here(one):
            for place in here(other):
                if at == place:
                    name = callee.function.__name__
                    text = f"{name}() reads a record of {_text(place)} that it is given, after it moved what lies there"
                    raise reader.error(reader.statement, f"{text}; in {name}(), read its fields first")
                if may_be_one(at, place):
                    reader.result.late_reads |= {(at, place)}
    moving = NOWHERE.union(*(here(each) for each in callee.moves))
    reader.result.moves |= moving
    reader.flow.items = items.after(moving, line)


def _text(place: Place) -> str:
    return place if isinstance(place, str) else f"{place[0].__name__}.{place[1]}"


def _problem(name: str, place: Place, line: int) -> str:
    changes = f"line {line} moves what lies in {_text(place)}"
    if "." in name:
        back = "for place in range(len(queue) - 1, -1, -1):"
        return f"{changes}, and this loop goes on over it; return after that line, or loop by places: `{back}`"
    return f"{changes}, so {name!r} may be another record or a blank one here; read its fields first, above that line"
