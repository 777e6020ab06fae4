"""Queues, bags and new records: their operations, as functions that are made for the types at hand."""

import ast
from collections.abc import Iterator, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL, INT
from kafkacheck.checker.language.items import moved_by
from kafkacheck.checker.language.values import Value, type_name
from kafkacheck.checker.language.whole import Body, is_alike, require_changeable, scalar_stores, type_text, written_at
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.schema import Bag, add, copy, is_full, remove
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar, Type, unknown_blank

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader

FUNCTIONS = (add, is_full, remove)
"""What protocol code calls with a queue or bag."""
TAKE_RECORDS = (add, copy)
"""What protocol code calls with a new record."""

PLACE = ir.Local("place", INT)


class Held(NamedTuple):
    """The parts of a queue or bag that is somewhere: its length, its slots, and how many they are."""

    length: ir.Field
    slots: ir.Field
    array: ArrayOf
    element: Record

    def at(self, index: ir.Expression) -> ir.Element:
        """A slot."""
        return ir.Element(self.slots, self.array, index)

    def record_at(self, index: ir.Expression) -> ir.Element:
        """The record at a place; a place that has none is an error when it is evaluated."""
        is_there = ir.Compare(("<",), (index, self.length))
        return self.at(ir.Choose(is_there, index, ir.Const(self.array.length)))


def held(base: ir.Expression, kind: Record) -> Held:
    """The parts of a queue or bag of this type."""
    length, slots = (ir.Field(base, kind, name, stored) for name, stored in kind.fields)
    array = slots.stored
    assert isinstance(array, ArrayOf) and isinstance(array.element, Record)
    return Held(length, slots, array, array.element)


def read_element(reader: "FunctionReader", node: ast.Subscript, base: Value, index: Value) -> Value:
    """The Value of `queue[place]`."""
    assert isinstance(base.type, Record)
    if base.writes or index.writes:
        raise reader.error(node, f"a part of `{ast.unparse(node)}` writes to the state; compute it on a line before")
    form = held(base.expression, base.type).record_at(index.expression)
    return Value(form.type, form)


def read_length(reader: "FunctionReader", base: Value) -> Value:
    """The Value of `len(queue)`."""
    assert isinstance(base.type, Record)
    return Value(INT, held(base.expression, base.type).length, base.writes, base.writes)


def read_call(reader: "FunctionReader", node: ast.Call, function: FunctionType, arguments: list[Value]) -> Value:
    """The Value of a call of `add`, `remove` or `is_full`. ModelError with the mend where it is misused."""
    kind = arguments[0].type if arguments else None
    wanted: dict[object, str] = {
        add: "a queue or bag and a record",
        remove: "a queue or bag and a place",
        is_full: "a queue or bag",
    }
    count = 1 if function is is_full else 2
    if len(arguments) != count or not isinstance(kind, Record) or not is_container(kind):
        given = " and ".join(type_name(argument.type) for argument in arguments) or "nothing"
        raise reader.error(node, f"{function.__name__}() takes {wanted[function]}, not {given}")
    if function is is_full:
        parts = held(arguments[0].expression, kind)
        form = ir.Compare(("==",), (parts.length, ir.Const(parts.array.length)))
        return Value(BOOL, form, arguments[0].writes, arguments[0].writes)
    require_changeable(reader, node, kind)
    other = arguments[1].type
    if function is remove:
        if other != INT:
            raise reader.error(node, f"remove() takes a place, an int, not {type_name(other)}: remove(queue, 0)")
        return _called(reader, node, (remove, kind), arguments)
    element = held(arguments[0].expression, kind).element
    if not isinstance(other, Record) or not is_alike(other, element, reader.is_live):
        name = element.struct.__name__
        told = f"add() takes {a_or_an(name)} here, not {type_name(other)}"
        raise reader.error(node, f"{told}; write add(..., {name}(...))")
    return _called(reader, node, (add, kind, other), arguments)


def read_with_record(reader: "FunctionReader", node: ast.Call, function: FunctionType, target: Value) -> Value:
    """The Value of a call of `add` or `copy` with a new record, `Request(epoch=1)`, as its last argument."""
    literal = node.args[-1]
    assert isinstance(literal, ast.Call)
    kind, name = target.type, function.__name__
    if not isinstance(kind, Record) or is_container(kind) is (function is copy) or len(node.args) != 2:
        what = "a queue or bag" if function is add else "a record"
        raise reader.error(node, f"{name}() takes {what} and a record of its class, not {type_name(kind)}")
    require_changeable(reader, node, kind)
    element = held(target.expression, kind).element if function is add else kind
    named = _fields(reader, literal, element, function)
    if function is copy:
        for field, child in element.fields:
            if field not in named and (path := unknown_blank(child, f"{element.struct.__name__}.{field}")):
                raise reader.error(literal, f"{path[0]} ({path[1]}) has a bound for its blank value; name it, too")
    types = tuple((field, value.type) for field, value in named.items())
    return _called(reader, node, (function, kind, types), [target, *named.values()])


def record_problem(literal: ast.Call, tree: ast.AST) -> str:
    """Why a new record cannot stand where it does in a function, and what to write instead."""
    text = ast.unparse(literal)
    mend = f"write add(queue, {text}), or copy(target, {text}) to a record of the state"
    match next((each for each in ast.walk(tree) if literal in ast.iter_child_nodes(each)), None):
        case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign() | ast.NamedExpr():
            mend = "no name can hold it: write it anew in each add(...) or copy(..., ...) that takes it"
        case ast.Assign(targets=[target]):
            mend = f"write copy({ast.unparse(target)}, {text})"
        case ast.Return():
            mend = f"a function returns no record: let a parameter be the one to write into, and copy(that, {text})"
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            whole = ast.unparse(right if left is literal else left)
            is_member = isinstance(operator, ast.In | ast.NotIn)
            other = "each" if is_member else whole
            asked = [f"{other}.{each.arg} == {ast.unparse(each.value)}" for each in literal.keywords if each.arg]
            told = " and ".join(asked) or f"{other}.field == ..."
            mend = f"compare field by field: `{f'any({told} for each in {whole})' if is_member else told}`"
    return f"{text} is a new record, which only add(...) and copy(..., ...) take, as their last argument; {mend}"


def _fields(reader: "FunctionReader", literal: ast.Call, record: Record, function: FunctionType) -> dict[str, Value]:
    """The Values of the fields that a new record names, in the order in which they are written."""
    struct = reader.expressions.read(literal.func).type
    name = record.struct.__name__
    if getattr(struct, "value", None) is not record.struct:
        told = f"{function.__name__}() takes {a_or_an(name)} here"
        raise reader.error(literal, f"{told}, not {ast.unparse(literal.func)}")
    if literal.args or any(each.arg is None for each in literal.keywords):
        raise reader.error(literal, f"{name}(...) takes its fields by name: `{record.fields[0][0]}=...`")
    named: dict[str, Value] = {}
    for keyword in literal.keywords:
        field = str(keyword.arg)
        stored = record.field(field)
        if stored is None:
            names = ", ".join(each for each, _ in record.fields)
            raise reader.error(literal, f"{name} has no field {field!r}; its fields: {names}")
        value = reader.expressions.read(keyword.value)
        if isinstance(stored, Scalar):
            reader.require_storable(keyword.value, f"{name}.{field}", stored, value)
        elif function is copy:
            mend = f"leave {field} out, and copy it on a line of its own"
            raise reader.error(literal, f"{name}.{field} is {type_name(stored)}; {mend}")
        elif not is_alike(value.type, stored, reader.is_live):
            raise reader.error(literal, f"{name}.{field} holds {type_text(stored)}, not {type_text(value.type)}")
        named[field] = value
    return named


def _called(reader: "FunctionReader", node: ast.Call, key: tuple[Any, ...], arguments: list[Value]) -> Value:
    """The call of a function that is made for these types."""
    if key not in reader.program.parts:
        function, kind, *rest = key
        made: ir.Function
        if function is remove:
            made = _remove(kind)
        elif isinstance(rest[0], Record):
            made = _add(kind, rest[0], ())
        else:
            made = _add(kind, None, rest[0]) if function is add else _copy(kind, rest[0])
        reader.program.parts[key] = made
    written_at(reader, node)
    return reader.called(reader.program.parts[key], arguments)


Named = Sequence[tuple[str, ir.IrType]]


def _made(function: object, parameters: Sequence[ir.Local]) -> ir.Function:
    assert isinstance(function, FunctionType)
    return ir.Function(function, tuple(parameters), write_place=place_of(function))


def _parameters(target: ir.Local, named: Named) -> list[ir.Local]:
    return [target, *(ir.Local(f"value.{name}", kind) for name, kind in named)]


def _named_stores(made: ir.Function, place: ir.Expression, record: Record, named: Named) -> Iterator[ir.Statement]:
    """What writes the named fields of a record from the parameters."""
    for name, kind in named:
        stored = record.field(name)
        assert stored is not None
        field = ir.Field(place, record, name, stored)
        yield from scalar_stores(made, (field, ir.Local(f"value.{name}", kind)), stored, (record.struct.__name__, name))


def _copy(kind: Record, named: Named) -> ir.Function:
    """`copy(target, Request(...))`: the fields that are not named become blank."""
    target = ir.Local("target", kind)
    made = _made(copy, _parameters(target, named))
    made.moves = moved_by(kind)
    known = {name for name, _ in named}
    blank = [
        store
        for name, stored in kind.fields
        if name not in known
        for store in scalar_stores(made, (ir.Field(target, kind, name, stored),), stored, (kind.struct.__name__, name))
    ]
    made.body = (*blank, *_named_stores(made, target, kind, named))
    return made


def _add(kind: Record, source: Record | None, named: Named) -> ir.Function:
    """`add(container, record)`: into the first slot that is free, from where a bag brings it to its place."""
    target = ir.Local("target", kind)
    parts = held(target, kind)
    given = ir.Local("source", parts.element)
    made = _made(add, _parameters(target, named) if source is None else [target, given])
    new = ir.Local("new", parts.element)
    body: list[ir.Statement] = [ir.Assign(PLACE.name, parts.length), ir.Assign(new.name, parts.at(PLACE))]
    if source is None:
        body += _named_stores(made, new, parts.element, named)
    else:
        body += scalar_stores(made, (new, given), parts.element, ("", ""))
    longer = ir.Binary("min", ir.Binary("+", PLACE, ir.Const(1)), ir.Const(parts.array.length))
    body += _set_length(made, parts, kind, longer)
    if issubclass(kind.struct, Bag):
        made.moves = moved_by(kind)
        body.append(_settle(made, parts))
    made.body = tuple(body)
    return made


def _set_length(made: ir.Function, parts: Held, kind: Record, value: ir.Expression) -> Body:
    made.written.add((kind.struct.__name__, "length"))
    assert isinstance(parts.length.stored, Scalar)
    return (ir.Store(parts.length, value, parts.length.stored),)


def _settle(made: ir.Function, parts: Held) -> ir.For:
    """Bring the record at `place` forward, past those that are larger."""
    at = ir.Local("at", INT)
    pair = (parts.at(at), parts.at(ir.Binary("-", at, ir.Const(1))))
    is_before, swap = _is_before(parts.element), _swap(parts.element)
    made.calls = [is_before, swap]
    made.written |= swap.written
    moved = ir.If(ir.Call(is_before, pair), (ir.Do(ir.Call(swap, pair)),), ())
    return ir.For(at.name, PLACE, ir.Const(0), -1, (moved,), _loop_node(at.name))


def _loop_node(name: str) -> ast.For:
    return ast.For(ast.Name(name, ast.Store()), ast.Name("slots", ast.Load()), [], [])


def _is_before(element: Record) -> ir.Function:
    """Whether a record comes before another one in a bag."""
    sides = (ir.Local("one", element), ir.Local("other", element))
    made = _made(add, sides)
    made.returns = BOOL
    made.body = (*_comparisons(sides, element), ir.Return(ir.Const(False)))
    return made


def _comparisons(sides: tuple[ir.Expression, ...], kind: Type, depth: int = 0) -> Iterator[ir.Statement]:
    if isinstance(kind, Record):
        for name, child in kind.fields:
            yield from _comparisons(tuple(ir.Field(side, kind, name, child) for side in sides), child, depth)
    elif isinstance(kind, ArrayOf):
        index = ir.Local(f"index_{depth}", INT)
        inner = tuple(_comparisons(tuple(ir.Element(side, kind, index) for side in sides), kind.element, depth + 1))
        yield ir.For(index.name, ir.Const(0), ir.Const(kind.length), 1, inner, _loop_node(index.name))
    else:
        sides = tuple(ir.Choose(side, ir.Const(1), ir.Const(0)) if side.type == BOOL else side for side in sides)
        after = ir.If(ir.Compare((">",), sides), (ir.Return(ir.Const(False)),), ())
        yield ir.If(ir.Compare(("<",), sides), (ir.Return(ir.Const(True)),), (after,))


def _swap(element: Record) -> ir.Function:
    """Let two slots change their records."""
    sides = (ir.Local("one", element), ir.Local("other", element))
    made = _made(add, sides)
    made.body = tuple(_exchanges(made, sides, element, ("", "")))
    return made


def _exchanges(
    made: ir.Function, sides: tuple[ir.Expression, ...], kind: Type, owner: ir.Owner, depth: int = 0
) -> Iterator[ir.Statement]:
    if isinstance(kind, Record):
        for name, child in kind.fields:
            fields = tuple(ir.Field(side, kind, name, child) for side in sides)
            yield from _exchanges(made, fields, child, (kind.struct.__name__, name), depth)
    elif isinstance(kind, ArrayOf):
        index = ir.Local(f"index_{depth}", INT)
        inner = tuple(ir.Element(side, kind, index) for side in sides)
        body = tuple(_exchanges(made, inner, kind.element, owner, depth + 1))
        yield ir.For(index.name, ir.Const(0), ir.Const(kind.length), 1, body, _loop_node(index.name))
    else:
        one, other = sides
        assert isinstance(one, ir.Field | ir.Element) and isinstance(other, ir.Field | ir.Element)
        made.written.add(owner)
        kept = ir.Local(f"kept {one.type}", one.type)
        yield ir.Assign(kept.name, one)
        yield ir.Store(one, other, kind)
        yield ir.Store(other, kept, kind)


def _remove(kind: Record) -> ir.Function:
    """`remove(container, place)`: what lies behind the place moves up, and the last slot becomes blank."""
    target = ir.Local("target", kind)
    parts = held(target, kind)
    made = _made(remove, [target, PLACE])
    made.moves = moved_by(kind)
    at, last = ir.Local("at", INT), ir.Local("last", INT)
    pair = (parts.at(ir.Binary("-", at, ir.Const(1))), parts.at(at))
    moved = tuple(scalar_stores(made, pair, parts.element, ("", "")))
    shorter = ir.Binary("max", ir.Binary("-", parts.length, ir.Const(1)), ir.Const(0))
    made.body = (
        ir.Assign("gone", parts.record_at(PLACE)),
        ir.For(at.name, ir.Binary("+", PLACE, ir.Const(1)), parts.length, 1, moved, _loop_node(at.name)),
        *_set_length(made, parts, kind, shorter),
        ir.Assign(last.name, parts.length),
        *scalar_stores(made, (parts.at(last),), parts.element, ("", "")),
    )
    return made
