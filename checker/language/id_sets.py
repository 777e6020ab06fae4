"""Id sets: their operators, as operations on the bits of the bitmasks that they are kept as."""

import ast
from collections.abc import Sequence
from types import FunctionType
from typing import TYPE_CHECKING

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL, INT, SET
from kafkacheck.checker.language.ranges import HIGHEST_SHIFT
from kafkacheck.checker.language.values import Value, type_name
from kafkacheck.checker.language.words import words_for
from kafkacheck.checker.schema import Ids, cardinality, contains, excluding, including

if TYPE_CHECKING:
    from kafkacheck.checker.language.expressions import ExpressionReader
    from kafkacheck.checker.language.subset import FunctionReader

_SIZES = (4, 8)
"""A loop over a set that has no larger id than these runs so often; over any other, once for each id there can be."""

_OPERATORS = {ast.BitOr: "|", ast.BitAnd: "&", ast.BitXor: "^", ast.Sub: "-"}
_COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}

MASK_FUNCTIONS: dict[object, str] = {
    contains: "`member in ids`",
    including: "`ids | {member}`",
    excluding: "`ids - {member}`",
    cardinality: "`len(ids)`",
}
"""Functions of bitmasks, and what is written of an id set instead."""

_DISPLAY = "Python's own set, which can change; write Ids({member}), or use it beside an id set: `ids | {member}`"
_LITERAL = "Ids() takes nothing, a display or a range: Ids(), Ids({one, other}), Ids(range(3))"


def refused_display(expressions: "ExpressionReader", node: ast.Set) -> Exception:
    """The error for a display that stands alone."""
    return expressions.function.error(node, f"`{ast.unparse(node)}` is {_DISPLAY}")


def read_literal(expressions: "ExpressionReader", node: ast.Call) -> Value:
    """The Value of `Ids(...)`."""
    match node.args:
        case []:
            return _set_of([], ir.Const(0), 0)
        case [ast.Set() as display]:
            return read_display(expressions, display)
        case [ast.Call(func=ast.Name("range"), args=[end], keywords=[])] if expressions.function.is_builtin("range"):
            count = expressions.read_int(end, "the argument of range()")
            if count.constant is not None:
                most = max(_checked_id(expressions, end, max(count.constant, 0)), 0)
                return _set_of([count], count.expression, (1 << most) - 1)
            above = ir.Binary("max", count.expression, ir.Const(0), node=node)
            all_bits = ir.Binary("<<", ir.Const(1), above, node=node)
            return _set_of([count], ir.Binary("-", all_bits, ir.Const(1), SET, node))
    raise expressions.function.error(node, f"{_LITERAL}; not `{ast.unparse(node)}`")


def read_display(expressions: "ExpressionReader", node: ast.Set) -> Value:
    """The Value of a set display, beside an id set or within `Ids(...)`."""
    members = [expressions.read_int(each, "a member of a set") for each in node.elts]
    form: ir.Expression | None = None
    known: int | None = 0
    for place, member in zip(node.elts, members, strict=True):
        if member.constant is None:
            known = None
        else:
            _checked_id(expressions, place, member.constant)
            known = None if known is None else known | 1 << member.constant
        bit = ir.Binary("<<", ir.Const(1), member.expression, SET, node)
        form = bit if form is None else ir.Binary("|", form, bit, SET, node)
    assert form is not None
    return _set_of(members, form, known)


def _checked_id(expressions: "ExpressionReader", node: ast.expr, member: int) -> int:
    if expressions.function.is_live and not 0 <= member <= HIGHEST_SHIFT:
        raise expressions.function.error(node, f"{member} is no id of a set; ids are 0 .. {HIGHEST_SHIFT}")
    return min(max(member, 0), HIGHEST_SHIFT)


def _set_of(parts: Sequence[Value], form: ir.Expression, known: int | None = None) -> Value:
    writes = any(part.writes for part in parts)
    return Value(SET, form if known is None or writes else ir.Const(known), writes, writes)


def read_operation(expressions: "ExpressionReader", node: ast.BinOp, left: Value, right: Value) -> Value:
    """The Value of `|`, `&`, `-` or `^` of two sets."""
    symbol = _OPERATORS.get(type(node.op))
    if symbol is None:
        raise expressions.function.error(
            node, f"{ast.unparse(node)}: of id sets there are | & - and ^, and `ids | {{member}}` for one id"
        )
    _require_sets(expressions, node, [node.left, node.right], [left, right])
    other = right.expression
    known = None
    if left.constant is not None and right.constant is not None:
        one, two = left.constant, right.constant
        known = {"|": one | two, "&": one & two, "-": one & ~two, "^": one ^ two}[symbol]
    if symbol == "-":
        symbol, other = "&", ir.Unary("~", other, node)
    return _set_of([left, right], ir.Binary(symbol, left.expression, other, SET, node), known)


def _require_sets(
    expressions: "ExpressionReader", node: ast.expr, places: Sequence[ast.expr], values: Sequence[Value]
) -> None:
    for place, value in zip(places, values, strict=True):
        if value.type != SET:
            hint = f"; write `{{{ast.unparse(place)}}}` for a set of one id" if value.type == INT else ""
            message = f"`{ast.unparse(node)}` mixes an id set with {type_name(value.type)}{hint}"
            raise expressions.function.error(place, message)
    if all(isinstance(place, ast.Set) for place in places):
        raise refused_display(expressions, places[0])  # type: ignore[arg-type]  # as was just asked


def read_comparison(expressions: "ExpressionReader", node: ast.Compare, sides: list[Value]) -> Value:
    """The Value of a comparison of two sets: `<=` asks whether the left one is a part of the right one."""
    function = expressions.function
    if len(sides) != 2:
        raise function.error(node, "id sets are compared two at a time; join two comparisons by `and`")
    _require_sets(expressions, node, [node.left, *node.comparators], sides)
    symbol = _COMPARISONS[type(node.ops[0])]
    left, right = (side.expression for side in sides)
    form: ir.Expression
    if symbol in ("==", "!="):
        form = ir.Compare((symbol,), (left, right))
    elif symbol in ("<", ">"):
        return function.called(_part(function, ("less", symbol)), sides)
    else:
        form = _is_part(symbol, left, right, node)
    writes = any(side.writes for side in sides)
    return Value(BOOL, form, writes, writes)


def _is_part(symbol: str, left: ir.Expression, right: ir.Expression, node: ast.expr | None = None) -> ir.Expression:
    """Whether the left set is a part of the right one (`<=`), or the other way round; each evaluated once, in order."""
    if symbol == "<=":
        rest = ir.Binary("&", left, ir.Unary("~", right, node), SET, node)
    else:
        rest = ir.Binary("&", ir.Unary("~", left, node), right, SET, node)
    return ir.Compare(("==",), (rest, ir.Const(0)))


def read_membership(expressions: "ExpressionReader", node: ast.Compare) -> Value:
    """The Value of `member in ids` or `member not in ids`."""
    function, operation, behind = expressions.function, node.ops[0], node.comparators[0]
    if len(node.ops) > 1:
        raise function.error(node, "`in` stands in no chain of comparisons; join two of them by `and`")
    if isinstance(behind, ast.Tuple | ast.List | ast.Set) or _is_range(behind):
        instead = "`low <= value < high`" if _is_range(behind) else "`value == ONE or value == OTHER`"
        raise function.error(node, f"{words_for(operation)} asks for a member of an id set; use {instead}")
    member, ids = expressions.read(node.left), expressions.read(behind)
    if ids.type != SET:
        text = ast.unparse(behind)
        hint = f"any(each == value for each in {text}) for an array, a queue or a bag"
        what = f"{words_for(operation)} asks for a member of an id set, not of {type_name(ids.type)}"
        raise function.error(node, f"{what}; use {hint}")
    expressions.expect(node.left, member, INT, "what stands in front of `in`")
    if member.writes or ids.writes:
        raise function.error(node, f"a side of {words_for(operation)} writes to the state; compute it on a line before")
    if member.constant is not None:
        _checked_id(expressions, node.left, member.constant)
    known = None
    if member.constant is not None and ids.constant is not None:
        known = ids.constant >> max(member.constant, 0) & 1
    form = ir.Compare(("==",), (_bit(ids.expression, member.expression, node), ir.Const(1)))
    if isinstance(operation, ast.NotIn):
        form, known = ir.Compare(("==",), (form.sides[0], ir.Const(0))), None if known is None else 1 - known
    return Value(BOOL, form if known is None else ir.Const(known == 1))


def _is_range(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"


def _bit(ids: ir.Expression, member: ir.Expression, node: ast.expr | None = None) -> ir.Expression:
    return ir.Binary("&", ir.Binary(">>", ids, member, INT, node), ir.Const(1), INT, node)


def read_length(function: "FunctionReader", ids: Value) -> Value:
    """The Value of `len(ids)`."""
    if ids.constant is not None:
        return Value(INT, ir.Const(ids.constant.bit_count()))
    return function.called(_part(function, ("len",)), [ids])


def end_of(ids: ir.Expression) -> ir.Expression:
    """The end of a loop over the members of a set whose evaluation does nothing: above them all."""
    end: ir.Expression = ir.Const(HIGHEST_SHIFT + 1)
    for size in reversed(_SIZES):
        end = ir.Choose(ir.Compare(("<",), (ids, ir.Const(1 << size))), ir.Const(size), end)
    return end


def _part(reader: "FunctionReader", key: tuple[str, ...]) -> ir.Function:
    """The function of sets that a program has under this key: `<`, `>` or `len`."""
    parts = reader.program.parts
    if (SET, *key) not in parts:
        parts[(SET, *key)] = _length() if key == ("len",) else _less(key[-1])
    return parts[(SET, *key)]


def _length() -> ir.Function:
    ids, total, member = ir.Local("ids", SET), ir.Local("total", INT), ir.Local("member", INT)
    node = ast.For(ast.Name(member.name, ast.Store()), ast.Name(ids.name, ast.Load()), [], [])
    added = ir.Assign(total.name, ir.Binary("+", total, _bit(ids, member)))
    loop = ir.For(member.name, ir.Const(0), end_of(ids), 1, (added,), node)
    body = (ir.Assign(total.name, ir.Const(0)), loop, ir.Return(total))
    return _made(Ids.__len__, (ids,), INT, body)


def _less(symbol: str) -> ir.Function:
    left, right = ir.Local("left", SET), ir.Local("right", SET)
    differ = ir.Compare(("!=",), (left, right))
    less = ir.Logical("and", (_is_part(f"{symbol}=", left, right), differ))
    return _made(Ids.__lt__, (left, right), BOOL, (ir.Return(less),))


def _made(
    function: object, parameters: tuple[ir.Local, ...], returns: ir.IrType, body: tuple[ir.Statement, ...]
) -> ir.Function:
    assert isinstance(function, FunctionType)
    return ir.Function(function, parameters, returns, body)
