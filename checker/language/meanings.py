"""What numbers mean: whether a function uses one of a kind where only another kind makes sense.

Of most numbers no kind is known, and they are not judged. One is known of a field, of a parameter of an action, and of
a name that has only such values.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kafkacheck.checker.language import ir
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.schema import Count, Kind, remove
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.containers import Position
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import Program


def _is_id(kind: Kind | None) -> bool:
    """Whether numbers of a kind may be ids; those of a Count that does not begin at 0 may be a choice of them."""
    return not isinstance(kind, Count) or kind.lowest != 0


def judged(program: "Program", bounds: Bounds, function: ir.Function, kinds: Sequence[Kind | None]) -> ir.Function:
    """The function, of whose parameters these are the kinds, None for unknown.

    ModelError, with the place and the mend, if it or one that it calls uses a number of a wrong kind.
    """
    key = (function, tuple(kinds))
    if key not in program.judged:
        program.judged.add(key)
        judge = _Judge(function, kinds)
        for expression in ir.expressions(function.body):
            for each in ir.within(expression):
                judge.look(each, bounds)
                if isinstance(each, ir.Call):
                    judged(program, bounds, each.function, [judge.kind(given) for given in each.arguments])
    return function


class _Judge:
    """One function, whose parameters are of some kinds."""

    def __init__(self, function: ir.Function, kinds: Sequence[Kind | None]) -> None:
        self._function = function
        self._kinds = {local.name: kind for local, kind in zip(function.parameters, kinds, strict=True)}
        bound = list(_bound(function.body))
        for name, value in bound:
            self._kinds.setdefault(name, self.kind(value))
        while unsure := [name for name, value in bound if self._kinds[name] not in (None, self.kind(value))]:
            self._kinds |= dict.fromkeys(unsure)

    def kind(self, expression: ir.Expression | None) -> Kind | None:
        """The kind of a number, if it is known."""
        match expression:
            case ir.Local(name):
                return self._kinds.get(name)
            case ir.Field(stored=Scalar(kind)) | ir.Element(array=ArrayOf(element=Scalar(kind))):
                return kind
            case ir.Choose(_, then, otherwise):
                one, other = self.kind(then), self.kind(otherwise)
                return one if one == other else None
        return None

    def look(self, expression: ir.Expression, bounds: Bounds) -> None:
        """ModelError if a number in an expression is of a wrong kind; its parts are not looked at."""
        match expression:
            case ir.Binary(">>", left, member, _, ast.expr() as node) if left.type == ir.SET:
                self._require_id(member, f"`{ast.unparse(node)}` asks an id set for", node)
            case ir.Binary("<<", _, member, ir.SET, ast.expr() as node):
                self._require_id(member, f"`{ast.unparse(node)}` makes an id set of", node)
            case ir.Element(ir.Field(base, Record() as container), _, ir.Choose(_, place)) if is_container(container):
                self._require_all_places(base, container, place, bounds)
            case ir.Call(ir.Function(function), (container, place)) if function is remove:
                assert isinstance(container.type, Record)
                self._require_all_places(container, container.type, place, bounds)

    def _require_id(self, member: ir.Expression, told: str, node: ast.expr) -> None:
        kind = self.kind(member)
        if not _is_id(kind):
            mend = "name an id, or declare this number as Id(...)"
            raise self._error(f"{told} {a_or_an(str(kind))}, which is no id; {mend}", node)

    def _require_all_places(self, base: ir.Expression, kind: Record, place: ir.Expression, bounds: Bounds) -> None:
        given, slots = self.kind(place), kind.slots
        if not isinstance(given, Position) or slots is None:
            return
        count = bounds.evaluate(given.most, "")
        if count < slots.length:
            where = f"{base.record.struct.__name__}.{base.name}" if isinstance(base, ir.Field) else "the queue or bag"
            raise self._error(
                f"a {given} has the values 0 .. {count - 1}, and {where} has {slots.length} places, so that the last "
                f"ones are never asked for; let Position(...) name the same size as the AtMost(...) of {where}"
            )

    def _error(self, message: str, node: ast.AST | None = None) -> ModelError:
        function = self._function.function
        return ModelError(f"{place_of(function, getattr(node, 'lineno', None))}: in {function.__name__}: {message}")


def _bound(body: tuple[ir.Statement, ...]) -> Iterator[tuple[str, ir.Expression | None]]:
    """The names that statements bind, each with its value; None for the counter of a loop."""
    for statement in body:
        match statement:
            case ir.Assign(name, value):
                yield name, value
            case ir.If(_, then, otherwise):
                yield from _bound((*then, *otherwise))
            case ir.For(name, body=inner):
                yield name, None
                yield from _bound(inner)
