"""Whole records and arrays: `clear`, `copy` and comparison, as functions that are made for the types at hand."""

import ast
from collections.abc import Iterator
from types import FunctionType
from typing import TYPE_CHECKING

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL, INT, SET
from kafkacheck.checker.language.items import moved_by
from kafkacheck.checker.language.values import Value, type_name
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.schema import Struct, clear, copy
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar, Type, lacking, unknown_blank

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader

WRITERS = (clear, copy)

Body = tuple[ir.Statement, ...]


def read_writer(reader: "FunctionReader", node: ast.Call, function: FunctionType, arguments: list[Value]) -> Value:
    """The Value of a call of `clear` or `copy`. ModelError with the mend where it is given something else."""
    types = [argument.type for argument in arguments]
    if function is clear:
        kind = types[0] if len(types) == 1 else None
        if not isinstance(kind, Record):
            mend = "write an array by a loop over it"
            if types[:1] in ([INT], [BOOL]):
                mend = f"write `{ast.unparse(node.args[0])} = {0 if types[0] == INT else False}`"
            if types == [SET]:
                mend = f"write `{ast.unparse(node.args[0])} = Ids()`"
            raise reader.error(node, _misuse("clear() takes one record", arguments, mend))
        if path := unknown_blank(kind, kind.struct.__name__):
            raise reader.error(
                node,
                f"clear() does not know the blank value of {path[0]} ({path[1]}), which a bound sets; write the "
                "fields of this record one by one",
            )
    else:
        kind = types[0] if len(types) == 2 else None
        if not isinstance(kind, Record | ArrayOf):
            mend = "write `target = source` for numbers" if len(types) == 2 else "write `copy(target, source)`"
            raise reader.error(node, _misuse("copy() takes two records or arrays", arguments, mend))
        if not is_alike(types[0], types[1], reader.is_live):
            what = f"copy() from {type_text(types[1])} into {type_text(types[0])}"
            mend = "both must be declared alike, so copy the fields that they share"
            sizes = [lacking(each) for each in types if isinstance(each, Record | ArrayOf)]
            if size := next((each for each in sizes if each != ""), ""):
                mend += f", or ask first whether {size} is above 0"
            raise reader.error(node, f"{what}; {mend}")
        if arguments[0].form == arguments[1].form and not any(each.writes for each in arguments):
            raise reader.error(node, "copy() of a place into itself does nothing; remove it, or correct one of the two")
    require_changeable(reader, node, kind)
    key = (function, kind)
    if key not in reader.program.parts:
        reader.program.parts[key] = _writer(function, kind)
    callee = reader.program.parts[key]
    if isinstance(kind, ArrayOf) and isinstance(kind.element, Scalar) and reader.is_live:
        reader.result.written.add(arguments[0].owner or ir.ANY_ARRAY)
    written_at(reader, node)
    return reader.called(callee, arguments)


def written_at(reader: "FunctionReader", node: ast.Call) -> None:
    """Remember that a call writes."""
    if reader.is_live and not reader.result.write_place:
        reader.result.write_place = place_of(reader.result.function, node.lineno)


def is_alike(one: object, other: object, is_live: bool) -> bool:
    """Whether two types of the schema are the same, but that records of one may change.

    In code that cannot run (not `is_live`) one may lack what the other has, because at other bounds it need not.
    """
    if isinstance(one, Record) and isinstance(other, Record):
        return one.fixed is other.fixed or (not is_live and one.struct is other.struct)
    if isinstance(one, ArrayOf) and isinstance(other, ArrayOf):
        indices = (one.length, one.index) == (other.length, other.index)
        return indices and is_alike(one.element, other.element, is_live)
    if isinstance(one, Scalar) and isinstance(other, Scalar) and not is_live:
        return one.kind == other.kind
    return one == other


def is_same(one: object, other: object, is_live: bool) -> bool:
    """Whether a name can have both types."""
    return one == other or (not is_live and is_alike(one, other, is_live))


def require_changeable(reader: "FunctionReader", node: ast.AST, kind: object) -> None:
    """ModelError where a record or array lies in a queue or bag."""
    if isinstance(kind, Record | ArrayOf) and kind.is_fixed:
        mend = "take it out by remove(), and add() another one"
        raise reader.error(node, f"what lies in a queue or bag does not change; {mend}")


def _misuse(wanted: str, arguments: list[Value], mend: str) -> str:
    given = " and ".join(type_name(argument.type) for argument in arguments) or "nothing"
    return f"{wanted}, not {given}; {mend}"


def type_text(kind: object) -> str:
    """A type in words that tell it from others."""
    if isinstance(kind, ArrayOf):
        element = kind.element.kind if isinstance(kind.element, Scalar) else type_text(kind.element)
        return f"an array of {kind.length} of {element} ({kind.index})"
    return type_name(kind) if isinstance(kind, Record) else str(kind)


def _writer(function: FunctionType, kind: Record | ArrayOf) -> ir.Function:
    parameters = tuple(ir.Local(name, kind) for name in ("target", "source")[: 1 if function is clear else 2])
    made = ir.Function(function, parameters, write_place=place_of(function), moves=moved_by(kind))
    made.body = tuple(scalar_stores(made, parameters, kind, ("", "")))
    return made


def scalar_stores(
    made: ir.Function, places: tuple[ir.Expression, ...], kind: Type, owner: ir.Owner, depth: int = 0
) -> Iterator[ir.Statement]:
    """What writes each scalar of the first place: blank, or what the second one holds."""
    if isinstance(kind, Scalar):
        target = places[0]
        assert isinstance(target, ir.Field | ir.Element)
        if owner != ("", ""):
            made.written.add(owner)
        blank = ir.Const(bool(kind.blank) if target.type == BOOL else kind.blank)
        yield ir.Store(target, blank if len(places) == 1 else places[1], kind)
    elif isinstance(kind, Record):
        for name, child in kind.fields:
            fields = tuple(ir.Field(place, kind, name, child) for place in places)
            yield from scalar_stores(made, fields, child, (kind.struct.__name__, name), depth)
    else:
        index = ir.Local(f"index_{depth}", ir.INT)
        inner = tuple(ir.Element(place, kind, index) for place in places)
        yield _for_each(index, kind, tuple(scalar_stores(made, inner, kind.element, owner, depth + 1)))


def _for_each(index: ir.Local, array: ArrayOf, body: Body) -> ir.For:
    node = ast.For(ast.Name(index.name, ast.Store()), ast.Name("array", ast.Load()), [], [])
    return ir.For(index.name, ir.Const(0), ir.Const(array.length), 1, body, node)


def read_comparison(reader: "FunctionReader", node: ast.Compare, sides: list[Value]) -> Value:
    """The Value of `==` or `!=` of two records or arrays. ModelError with the mend where they cannot be compared."""
    if len(sides) != 2 or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        raise reader.error(node, "records and arrays are compared two at a time, by == or !=; compare fields otherwise")
    left, right = (side.type for side in sides)
    if not (
        isinstance(left, Record | ArrayOf)
        and isinstance(right, Record | ArrayOf)
        and _alike(left, right, reader.is_live)
    ):
        shown = [type_name(each) for each in (left, right)]
        if isinstance(left, ArrayOf) and isinstance(right, ArrayOf):
            shown = [type_text(each) for each in (left, right)]
        raise reader.error(node, f"{shown[0]} is compared with {shown[1]}; compare the fields that are meant")
    if sides[0].form == sides[1].form and not any(side.writes for side in sides):
        raise reader.error(node, f"`{ast.unparse(node)}` compares a place with itself; correct one of its sides")
    key = ("==", left, right)
    if key not in reader.program.parts:
        reader.program.parts[key] = _comparison(left, right)
    value = reader.called(reader.program.parts[key], sides)
    if isinstance(node.ops[0], ast.NotEq):
        assert value.form is not None
        value.form = ir.Unary("not", value.form)
    return value


def _alike(left: Type, right: Type, is_live: bool) -> bool:
    match left, right:
        case Scalar(), Scalar():
            return ir.read_type(left) == ir.read_type(right)
        case ArrayOf(), ArrayOf():
            return left.length == right.length and _alike(left.element, right.element, is_live)
    return isinstance(left, Record) and isinstance(right, Record) and is_alike(left, right, is_live)


def _comparison(left: Record | ArrayOf, right: Record | ArrayOf) -> ir.Function:
    """A function of two places: whether every scalar of them is equal."""
    parameters = (ir.Local("left", left), ir.Local("right", right))
    function = Struct.__eq__
    assert isinstance(function, FunctionType)
    body = (*_comparisons(*parameters, left, right), ir.Return(ir.Const(True)))
    return ir.Function(function, parameters, BOOL, body)


def _comparisons(
    one: ir.Expression, other: ir.Expression, left: Type, right: Type, depth: int = 0
) -> Iterator[ir.Statement]:
    if isinstance(left, Record) and isinstance(right, Record):
        scalars: list[ir.Expression] = []
        rest: list[ir.Statement] = []
        for name, child in left.fields:
            sides = (ir.Field(one, left, name, child), ir.Field(other, left, name, child))
            if isinstance(child, Scalar):
                scalars.append(ir.Compare(("==",), sides))
            else:
                rest += _comparisons(*sides, child, child, depth)
        if scalars:
            yield _unless(scalars[0] if len(scalars) == 1 else ir.Logical("and", tuple(scalars)))
        yield from rest
    elif isinstance(left, ArrayOf) and isinstance(right, ArrayOf):
        index = ir.Local(f"index_{depth}", ir.INT)
        elements = (ir.Element(one, left, index), ir.Element(other, right, index))
        yield _for_each(index, left, tuple(_comparisons(*elements, left.element, right.element, depth + 1)))
    else:
        yield _unless(ir.Compare(("==",), (one, other)))


def _unless(equal: ir.Expression) -> ir.If:
    return ir.If(ir.Unary("not", equal), (ir.Return(ir.Const(False)),), ())
