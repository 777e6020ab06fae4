"""Expressions of the plain subset: their types, their constants, and the typed form they become."""

import ast
import operator
from collections.abc import Callable
from enum import IntEnum
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from kafkacheck.checker.language import containers, id_sets, ir
from kafkacheck.checker.language.comprehensions import OVER_GENERATORS, read_comprehension
from kafkacheck.checker.language.ir import BOOL, INT, NOTHING, SET
from kafkacheck.checker.language.ranges import HIGHEST_SHIFT
from kafkacheck.checker.language.values import Host, Value, ValueType, constant, mend_of, type_name
from kafkacheck.checker.language.whole import read_comparison
from kafkacheck.checker.language.words import words_for
from kafkacheck.checker.process.names import a_or_an, did_you_mean
from kafkacheck.checker.schema import Ids, StructMeta
from kafkacheck.checker.schema.canonical import is_container
from kafkacheck.checker.schema.plain_values import enum_problem, int_problem
from kafkacheck.checker.schema.rules import is_group
from kafkacheck.checker.schema.shape import ArrayOf, Record

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader


_ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("*", operator.mul),
    ast.FloorDiv: ("//", operator.floordiv),
    ast.Mod: ("%", operator.mod),
    ast.BitAnd: ("&", operator.and_),
    ast.BitOr: ("|", operator.or_),
    ast.BitXor: ("^", operator.xor),
    ast.LShift: ("<<", operator.lshift),
    ast.RShift: (">>", operator.rshift),
}
_SIGNS: dict[type[ast.unaryop], tuple[str, Callable[[int], int]]] = {
    ast.USub: ("-", operator.neg),
    ast.UAdd: ("+", operator.pos),
    ast.Invert: ("~", operator.invert),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[int, int], bool]]] = {
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_INSTEAD: dict[type[ast.expr], str] = {
    ast.ListComp: "any(...), all(...) or sum(...) of a generator, or a `for` loop",
    ast.SetComp: "any(...), all(...) or sum(...) of a generator, or a `for` loop",
    ast.GeneratorExp: "it as the one argument of any(...), all(...) or sum(...)",
    ast.DictComp: "a `for` loop over range(...)",
    ast.List: "an Array field of the state, or clear(...) to empty a queue or bag",
    ast.Dict: "an Array field of the state, or Ids() for an empty id set",
    ast.Tuple: "separate names",
    ast.JoinedStr: "an enum member",
    ast.Lambda: "a `def` function",
    ast.NamedExpr: "an assignment on a line of its own",
    ast.Slice: "a `for` loop over range(...)",
    ast.Await: "a plain call",
    ast.Yield: "`return`",
    ast.YieldFrom: "`return`",
}
_SIGNS_OF_SETS = {"add": "|=", "remove": "-=", "discard": "-="}
"""What stands in place of the methods by which Python's own sets change."""
_HIGHEST_CONSTANT = 2**62


class ExpressionReader:
    """Reads the expressions of one function; `function` knows its names and resolves the functions it calls."""

    def __init__(self, function: "FunctionReader") -> None:
        self.function = function

    def read(self, node: ast.expr) -> Value:
        """The Value of an expression. ModelError with file, line and mend where it is outside the plain subset."""
        method = getattr(self, f"_read_{type(node).__name__}", None)
        if method is None:
            instead = _INSTEAD.get(type(node), "ints, bools, fields, indexing and calls")
            raise self.function.error(node, f"{words_for(node)} is outside the plain subset; use {instead}")
        value: Value = method(node)
        return value

    def read_side(self, node: ast.expr) -> Value:
        """The Value of a side of an operator, where a set display can stand."""
        return id_sets.read_display(self, node) if isinstance(node, ast.Set) else self.read(node)

    def read_int(self, node: ast.expr, what: str) -> Value:
        """The Value of an expression that must be an int; `what` names its role in the error."""
        return self.expect(node, self.read(node), INT, what)

    def read_bool(self, node: ast.expr, what: str) -> Value:
        """The Value of an expression that must be a bool; `what` names its role in the error."""
        return self.expect(node, self.read(node), BOOL, what)

    def expect(self, node: ast.expr, value: Value, wanted: str, what: str) -> Value:
        """The Value, if it is of the wanted type; `what` names its role in the error."""
        if value.type != wanted:
            mend = mend_of(wanted, value.type, ast.unparse(node))
            raise self.function.error(node, f"{what} must be {wanted}, not {type_name(value.type)}; {mend}")
        return value

    def _combined(self, form: ir.Expression, parts: list[Value], known: int | None = None) -> Value:
        writes = any(part.writes for part in parts)
        if known is not None and not writes:
            return constant(known)
        return Value(form.type, form, writes, writes)

    def _read_Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool):
            return constant(node.value)
        if isinstance(node.value, int):
            return self._checked_constant(node, node.value)
        kind = type(node.value).__name__
        raise self.function.error(
            node,
            f"the {kind} {node.value!r} is outside the plain subset; "
            + ("use the sentinel -1 for none, or False" if node.value is None else "use ints and enums"),
        )

    def _checked_constant(self, node: ast.expr, value: int) -> Value:
        if abs(value) > _HIGHEST_CONSTANT:
            raise self.function.error(node, f"the constant {value} does not fit 62 bits; use a smaller one")
        return constant(value)

    def _read_Name(self, node: ast.Name) -> Value:
        return self.function.name(node)

    def _read_Attribute(self, node: ast.Attribute) -> Value:
        base = self.read(node.value)
        if isinstance(base.type, Record):
            return self._field(node, base, base.type)
        if isinstance(base.type, Host):
            return self._host_attribute(node, base.type.value)
        raise self.function.error(node, no_field(base.type, node))

    def _field(self, node: ast.Attribute, base: Value, record: Record) -> Value:
        if is_container(record):
            name = record.struct.__name__
            use = "len(...), is_full(...), an index, a loop, add(...), remove(...) or clear(...)"
            raise self.function.error(node, f"protocol code sees no field of a {name}, as {node.attr!r}; use {use}")
        field_type = record.field(node.attr)
        if field_type is None:
            names = ", ".join(name for name, _ in record.fields)
            raise self.function.error(node, f"{record.struct.__name__} has no field {node.attr!r}; its fields: {names}")
        form = ir.Field(base.expression, record, node.attr, field_type)
        owner = (record.struct.__name__, node.attr)
        return Value(form.type, form, base.writes, base.writes, owner)

    def _host_attribute(self, node: ast.Attribute, host: Any) -> Value:
        if is_group(host):
            return self._setting(node, host)
        if not hasattr(host, node.attr):
            members = getattr(host, "__members__", {})
            told = f"; its members: {', '.join(members)}" if members else did_you_mean(node.attr, dir(host))
            raise self.function.error(node, f"{getattr(host, '__name__', host)!s} has no {node.attr!r}{told}")
        self.function.sees_attribute(node, host)
        return self.host_value(node, getattr(host, node.attr), node.attr)

    def _setting(self, node: ast.Attribute, settings: Any) -> Value:
        """A switch of the rules, a group of them, or a bound."""
        program = self.function.program
        if node.attr not in settings._fields:
            names = ", ".join(settings._fields)
            if settings is program.bounds:
                raise self.function.error(node, f"the model has no bound {node.attr!r}; its bounds: {names or 'none'}")
            if hasattr(settings, node.attr):  # says why that is no switch
                self.function.sees_attribute(node, settings)
            raise self.function.error(node, f"the rules have no switch {node.attr!r}; they have: {names}")
        if settings is program.bounds:
            program.bounds_used.add(node.attr)
        else:
            program.switches_used.add((id(settings), node.attr))
            self.function.sees_attribute(node, settings)
        value = getattr(settings, node.attr)
        if is_group(value):
            return Value(program.host(value), None)
        return self.host_value(node, value, node.attr)

    def host_value(self, node: ast.expr, value: Any, name: str) -> Value:
        """The Value of a Python object found outside the function: a constant, enum, module or function."""
        problem = ""
        if isinstance(value, int):
            problem = int_problem(value)
        elif isinstance(value, type) and issubclass(value, IntEnum):
            problem = enum_problem(value)
        if problem:
            raise self.function.error(node, f"{name} {problem}")
        if isinstance(value, bool):
            return constant(value)
        if isinstance(value, int):
            return self._checked_constant(node, int(value))
        if type(value) is Ids:
            return Value(SET, ir.Const(value.bits))
        if (
            value is Ids
            or isinstance(value, ModuleType | FunctionType | StructMeta)
            or (isinstance(value, type) and issubclass(value, IntEnum))
        ):
            return Value(Host(value), None)
        raise self.function.error(
            node,
            f"{name} is {a_or_an(type(value).__name__)}; from outside a function only int constants, IntEnum members, "
            "modules and plain functions can be used",
        )

    def _read_Subscript(self, node: ast.Subscript) -> Value:
        base = self.read(node.value)
        if not isinstance(base.type, ArrayOf) and not is_container(base.type):
            raise self.function.error(node, f"{type_name(base.type)} cannot be indexed; only an Array field can")
        index = self.read_int(node.slice, "an index")
        if index.constant is not None and index.constant < 0 and self.function.is_live:
            most = f" .. {base.type.length - 1}" if isinstance(base.type, ArrayOf) else " or more"
            raise self.function.error(
                node, f"the index {index.constant} is negative; indices are 0{most}, so count from 0"
            )
        if not isinstance(base.type, ArrayOf):
            return containers.read_element(self.function, node, base, index)
        form = ir.Element(base.expression, base.type, index.expression)
        writes = base.writes or index.writes
        return Value(form.type, form, writes, writes, base.owner)

    def _read_Set(self, node: ast.Set) -> Value:
        raise id_sets.refused_display(self, node)

    def _read_BinOp(self, node: ast.BinOp) -> Value:
        if type(node.op) not in _ARITHMETIC:
            raise self.function.error(
                node, f"{words_for(node.op)} is outside the plain subset; use + - * // % & | ^ << >>"
            )
        symbol, compute = _ARITHMETIC[type(node.op)]
        left, right = self.read_side(node.left), self.read_side(node.right)
        if SET in (left.type, right.type):
            return id_sets.read_operation(self, node, left, right)
        self.expect(node.left, left, INT, f"the left side of {symbol}")
        self.expect(node.right, right, INT, f"the right side of {symbol}")
        form = ir.Binary(symbol, left.expression, right.expression, node=node)
        if not self.function.is_live:
            return self._combined(form, [left, right])
        if symbol in ("//", "%") and right.constant == 0:
            raise self.function.error(node, "this always fails: it divides by 0")
        if symbol in ("<<", ">>") and right.constant is not None and not 0 <= right.constant <= HIGHEST_SHIFT:
            raise self.function.error(node, f"a shift by {right.constant}; shift by 0 .. {HIGHEST_SHIFT}")
        known = None
        if left.constant is not None and right.constant is not None:
            known = compute(left.constant, right.constant)
            self._checked_constant(node, known)
        return self._combined(form, [left, right], known)

    def _read_UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            operand = self.read_bool(node.operand, "the operand of `not`")
            if operand.constant is not None:
                return constant(not operand.constant)
            form = ir.Unary("not", operand.expression)
            return Value(BOOL, form, operand.writes_if_false, operand.writes_if_true)
        operand = self.read_int(node.operand, "the operand of a sign")
        symbol, compute = _SIGNS[type(node.op)]
        known = None if operand.constant is None else compute(operand.constant)
        if symbol == "+":
            return operand
        return self._combined(ir.Unary(symbol, operand.expression, node), [operand], known)

    def _read_BoolOp(self, node: ast.BoolOp) -> Value:
        word, deciding = ("and", False) if isinstance(node.op, ast.And) else ("or", True)
        kept: list[Value] = []
        decided = False
        for side in node.values:
            with self.function.reading(live=not decided):
                value = self.read_bool(side, f"each side of `{word}`")
            if not decided and value.constant in (None, deciding):
                kept.append(value)
                decided = value.constant is deciding
        if not kept:
            return constant(not deciding)
        if decided and all(ir.is_harmless(value.expression) for value in kept):
            return constant(deciding)
        if len(kept) == 1:
            return kept[0]
        form = ir.Logical(word, tuple(value.expression for value in kept))
        undecided = any(value.writes_if(not deciding) for value in kept)
        decided_late = any(value.writes_if(not deciding) for value in kept[:-1])
        decided_writes = decided_late or any(value.writes_if(deciding) for value in kept)
        return Value(BOOL, form, *((decided_writes, undecided) if deciding else (undecided, decided_writes)))

    def _read_Compare(self, node: ast.Compare) -> Value:
        symbols = []
        for operation in node.ops:
            if isinstance(operation, ast.In | ast.NotIn):
                return id_sets.read_membership(self, node)
            if type(operation) not in _COMPARISONS:
                raise self.function.error(node, f"{words_for(operation)} is outside the plain subset; use == or !=")
            symbols.append(_COMPARISONS[type(operation)])
        sides = [self.read_side(side) for side in [node.left, *node.comparators]]
        if any(side.type == SET for side in sides):
            return id_sets.read_comparison(self, node, sides)
        if any(isinstance(side.type, Record | ArrayOf) for side in sides):
            return read_comparison(self.function, node, sides)
        for side_node, side in zip([node.left, *node.comparators], sides, strict=True):
            if side.type not in (INT, BOOL):
                raise self.function.error(side_node, f"a comparison needs ints, not {type_name(side.type)}")
            if side.type != sides[0].type:
                raise self.function.error(side_node, "an int is compared with a bool; make both the same type")
        known = None
        if all(side.constant is not None for side in sides):
            constants = [side.constant for side in sides if side.constant is not None]
            pairs = zip(constants, constants[1:], symbols, strict=False)
            known = all(compute(left, right) for left, right, (_, compute) in pairs)
        forms = [side.expression for side in sides]
        if sides[0].type == BOOL and any(symbol not in ("==", "!=") for symbol, _ in symbols):
            forms = [ir.Choose(form, ir.Const(1), ir.Const(0)) for form in forms]  # False comes before True
        form = ir.Compare(tuple(symbol for symbol, _ in symbols), tuple(forms))
        return self._combined(form, sides, known)

    def _read_IfExp(self, node: ast.IfExp) -> Value:
        test = self.read_bool(node.test, "the condition")
        with self.function.reading(live=test.constant is not False):
            then = self.read(node.body)
        with self.function.reading(live=test.constant is not True):
            otherwise = self.read(node.orelse)
        if then.type not in (INT, BOOL, SET) or then.type != otherwise.type:
            raise self.function.error(
                node, "both values of a conditional expression must be ints, or both bools, or both id sets"
            )
        if test.constant is not None:
            return then if test.constant else otherwise
        if then.constant is not None and then.constant == otherwise.constant and ir.is_harmless(test.expression):
            return then
        form = ir.Choose(test.expression, then.expression, otherwise.expression)
        if test.writes:
            return Value(then.type, form, True, True)
        when_true, when_false = (then.writes_if(each) or otherwise.writes_if(each) for each in (True, False))
        return Value(then.type, form, when_true, when_false)

    def _read_Call(self, node: ast.Call) -> Value:
        value = self._call(node)
        if value.writes and self.function.result.is_part and self.function.is_live:
            text = ast.unparse(node)
            mend = f"write a loop: `for ... in ...:`, and `{text}` on a line in it"
            raise self.function.error(node, f"`{text}` writes to the state, and a generator only reads; {mend}")
        return value

    def _call(self, node: ast.Call) -> Value:
        is_builtin = isinstance(node.func, ast.Name) and self.function.is_builtin(node.func.id)
        if not is_builtin and self._is_struct(node.func):
            raise self.function.error(node, containers.record_problem(node, self.function.tree))
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise self.function.error(
                node,
                "keyword arguments and starred ones are outside the plain subset; pass them by position, one by one",
            )
        if isinstance(node.func, ast.Name) and is_builtin:
            return self._builtin(node, node.func.id)
        callee = self.read(node.func)
        if isinstance(callee.type, Host) and callee.type.value is Ids:
            return id_sets.read_literal(self, node)
        if not isinstance(callee.type, Host) or not isinstance(callee.type.value, FunctionType):
            is_enum = isinstance(callee.type, Host) and isinstance(callee.type.value, type)
            mend = "name a member of it, or take the number as it is" if is_enum else "only plain functions can"
            raise self.function.error(node, f"{type_name(callee.type)} cannot be called; {mend}")
        function, last = callee.type.value, node.args[-1] if node.args else None
        if function in containers.TAKE_RECORDS and isinstance(last, ast.Call) and self._is_struct(last.func):
            return containers.read_with_record(self.function, node, function, self.read(node.args[0]))
        arguments = [self.read(argument) for argument in node.args]
        for place, argument in zip(node.args, arguments, strict=True):
            if argument.type == NOTHING:
                raise self.function.error(place, f"{ast.unparse(place)} returns nothing, so it cannot be an argument")
        return self.function.call(node, function, arguments)

    def _is_struct(self, node: ast.expr) -> bool:
        """Whether it names a class of records."""
        is_own = isinstance(node, ast.Name) and not self.function.is_builtin(node.id)
        kind = self.read(node).type if is_own or isinstance(node, ast.Attribute) else None
        return isinstance(kind, Host) and isinstance(kind.value, StructMeta)

    def _builtin(self, node: ast.Call, name: str) -> Value:
        if name in OVER_GENERATORS:
            return read_comprehension(self.function, node, name)
        if name == "len" and len(node.args) == 1:
            value = self.read(node.args[0])
            if value.type == SET:
                return id_sets.read_length(self.function, value)
            if is_container(value.type):
                return containers.read_length(self.function, value)
            if not isinstance(value.type, ArrayOf):
                what = f"len() of {type_name(value.type)}"
                raise self.function.error(node, f"{what}; only arrays, id sets, queues and bags have one")
            if value.writes:
                raise self.function.error(node, "the argument of len() writes to the state; write on a line of its own")
            if not ir.is_harmless(value.expression):
                raise self.function.error(node, "len() behind an index; give the record a name first: `row = rows[i]`")
            return constant(value.type.length)
        if name in ("min", "max") and len(node.args) >= 2:
            values = [self.read_int(argument, f"each argument of {name}()") for argument in node.args]
            constants = [value.constant for value in values if value.constant is not None]
            known = None
            if len(constants) == len(values):
                known = min(constants) if name == "min" else max(constants)
            form = values[0].expression
            for value in values[1:]:
                form = ir.Binary(name, form, value.expression, node=node)
            return self._combined(form, values, known)
        if name == "abs" and len(node.args) == 1:
            value = self.read_int(node.args[0], "the argument of abs()")
            known = None if value.constant is None else abs(value.constant)
            return self._combined(ir.Unary("abs", value.expression, node), [value], known)
        if name == "int" and len(node.args) == 1:
            value = self.read(node.args[0])
            if value.type == BOOL:
                known = None if value.constant is None else int(value.constant)
                return self._combined(ir.Choose(value.expression, ir.Const(1), ir.Const(0)), [value], known)
            return self.expect(node.args[0], value, INT, "the argument of int()")
        if name == "bool" and len(node.args) == 1:
            value = self.read(node.args[0])
            if value.type == INT:
                known = None if value.constant is None else bool(value.constant)
                return self._combined(ir.Compare(("!=",), (value.expression, ir.Const(0))), [value], known)
            return self.expect(node.args[0], value, BOOL, "the argument of bool()")
        if name in ("min", "max") and node.args:
            mend = f"name them, `{name}(one, other)`, or keep the {name}imum in a `for` loop"
            raise self.function.error(
                node, f"{name}() takes two or more numbers, not `{ast.unparse(node.args[0])}`; {mend}"
            )
        raise self.function.error(
            node,
            f"{name}() with {len(node.args)} argument(s) is outside the plain subset; there are len, min, max, abs, "
            "int, bool, any, all and sum of a generator, and range, enumerate and zip behind `in`",
        )


def no_field(kind: ValueType, node: ast.Attribute) -> str:
    """Why an expression of a type has no field of that name, and what to write."""
    if kind == SET and node.attr in _SIGNS_OF_SETS:
        sign = f"`{ast.unparse(node.value)} {_SIGNS_OF_SETS[node.attr]} {{member}}`"
        return f"an id set has no {node.attr}(); write {sign}"
    mend = "an enum member is its number" if (kind, node.attr) == (INT, "value") else "only records have fields"
    return f"{type_name(kind)} has no field {node.attr!r}; {mend}"
