"""The plain subset: reads protocol functions, checks and types them, and brings them into their typed form.

One pass over the syntax tree gives all that is known of a function before it runs: that every construct is in the
subset, every name and field exists, every path returns, which fields it may write, and whether it can have written
when it returns False. The typed form (`checker.language.ir`) has the rules and all constants folded in.
"""

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from kafkacheck.checker.language import containers, ir
from kafkacheck.checker.language.comprehensions import OVER_GENERATORS
from kafkacheck.checker.language.expressions import ExpressionReader
from kafkacheck.checker.language.id_sets import MASK_FUNCTIONS
from kafkacheck.checker.language.ir import ANY_ARRAY, BOOL, INT, NOTHING, SET, Function
from kafkacheck.checker.language.items import Items, note_call, note_read
from kafkacheck.checker.language.loops import read_loop
from kafkacheck.checker.language.outside import Outside
from kafkacheck.checker.language.removal import is_removed
from kafkacheck.checker.language.source import function_tree, nested_deeper, parameter_names
from kafkacheck.checker.language.values import Host, Value, ValueType, mend_of, named, type_name
from kafkacheck.checker.language.whole import WRITERS, is_same, read_writer, require_changeable
from kafkacheck.checker.language.words import INSTEAD, words_for
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.schema.id_sets import ID_SETS
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar

MOST_LINES = 70
MOST_NESTED = 100
"""How many expressions may lie within each other: every reading goes down as far, and Python does not go very deep."""
_BUILTINS = ("len", "min", "max", "abs", "int", "bool", "range", "enumerate", "zip", *OVER_GENERATORS)

Body = tuple[ir.Statement, ...]


@dataclass
class _Flow:
    """What is known at one point of a function: the names that have a value, and whether a write may have happened."""

    names: dict[str, Value]
    dirty: bool = False
    items: Items = field(default_factory=Items)

    def copy(self) -> "_Flow":
        return _Flow(dict(self.names), self.dirty, self.items)


class Program:
    """All protocol functions of a model, read for its layout and rules; each function and argument types once."""

    def __init__(self, rules: Any = None, bounds: Any = None) -> None:
        self.rules = rules
        self.bounds = bounds
        self.bounds_used: set[str] = set()
        self.switches_used: set[tuple[int, str]] = set()  # the id of a group of rules, and a switch in it that is read
        self.outside = Outside()
        self._hosts: dict[int, Host] = {}
        self.parts: dict[tuple[Any, ...], Function] = {}
        self.judged: set[tuple[Any, ...]] = set()  # functions and kinds of arguments, of `checker.language.meanings`
        self._functions: dict[tuple[Any, ...], Function] = {}
        self._reading: list[FunctionType] = []

    def function(self, function: Any, arguments: Sequence[ValueType], is_live: bool = True) -> Function:
        """The function read for these argument types. ModelError where it is outside the plain subset.

        Not `is_live`: only code that cannot run calls it so.
        """
        is_live = is_live or (function, True, *arguments) in self._functions
        key = (function, is_live, *arguments)
        if key not in self._functions:
            if function in self._reading:
                cycle = " -> ".join(each.__name__ for each in [*self._reading, function])
                raise ModelError(f"{place_of(function)}: recursion is outside the plain subset ({cycle}); use a loop")
            tree = function_tree(function)
            self.outside.note_function(function)
            self._reading.append(function)
            try:
                self._functions[key] = FunctionReader(self, function, tree, arguments, is_live).read()
            finally:
                self._reading.pop()
        return self._functions[key]

    def host(self, settings: Any) -> Host:
        """The type of an argument that is given the rules, a group of them, or the bounds."""
        return self._hosts.setdefault(id(settings), Host(settings))


class FunctionReader:
    """Reads one function; see the module."""

    def __init__(
        self,
        program: Program,
        function: FunctionType,
        tree: ast.FunctionDef,
        arguments: Sequence[ValueType],
        is_live: bool = True,
    ) -> None:
        self.program = program
        self.result = Function(function)
        self.tree = tree
        self._arguments = arguments
        self.expressions = ExpressionReader(self)
        self.flow = _Flow({})
        self.statement: ast.AST = tree
        self._live = is_live
        self._returned = False
        self._types: dict[bool, dict[str, ValueType]] = {True: {}, False: {}}  # by whether the code can run
        self._own_names = frozenset((*function.__code__.co_varnames, *function.__code__.co_cellvars))
        self.parts: dict[tuple[Any, ...], Function] = {}

    def part(self, names: dict[str, Value], bound: set[str]) -> "FunctionReader":
        """A reader for a part of this function that is called like one; it knows these names, and binds others."""
        other = FunctionReader(self.program, self.result.function, self.tree, (), self._live)
        other.result.is_part = True
        other.flow = _Flow(names)
        other._types[self._live] = {name: value.type for name, value in names.items()}
        other._own_names = self._own_names | bound
        return other

    def error(self, node: ast.AST, message: str) -> ModelError:
        """A ModelError that names the file, line and function."""
        line = getattr(node, "lineno", None)
        return ModelError(f"{place_of(self.result.function, line)}: in {self.result.function.__name__}: {message}")

    def read(self) -> Function:
        """The whole function."""
        tree = self.tree
        parameters = self._parameters()
        for name, kind in zip(parameters, self._arguments, strict=True):
            self.flow.names[name] = named(name, kind)
            self.flow.items = self.flow.items.bound(name, None, kind)
        body = tree.body
        if (
            isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            body = body[1:]
        first = body[0].lineno if body else tree.lineno
        length = (tree.end_lineno or first) - first + 1
        if length > MOST_LINES:
            raise self.error(tree, f"{length} lines; at most {MOST_LINES} are allowed, so split it")
        for statement in body:
            self._check_depth(statement)
        self.result.body, _ = self.block(body)
        if self.result.returns != NOTHING and not _always_returns(body):
            raise self.error(tree, "one path ends without `return`; end it with `return True` or `return False`")
        self.result.parameters = tuple(
            ir.Local(name, kind)
            for name, kind in zip(parameters, self._arguments, strict=True)
            if not isinstance(kind, Host)
        )
        return self.result

    def _check_depth(self, statement: ast.stmt) -> None:
        node = nested_deeper(statement, MOST_NESTED)
        if node is not None:
            text = "expressions are nested too deep"
            raise self.error(node, f"{text}; at most {MOST_NESTED} are allowed, so give a part of them a name")

    def _parameters(self) -> list[str]:
        names, given = parameter_names(self.result.function), len(self._arguments)
        if len(names) != given:
            raise self.error(self.tree, f"it takes {len(names)} argument(s) and is called with {given}")
        return names

    # -- names and calls, as the expressions need them ---------------------------------------------------------

    def is_builtin(self, name: str) -> bool:
        """Whether `name` means the builtin function here."""
        function = self.result.function
        if name not in _BUILTINS or self._is_local(name) or name in function.__globals__:
            return False
        self.program.outside.note_builtin(function, name)
        return True

    def name(self, node: ast.Name) -> Value:
        """The Value of a name: a local, or something of the module."""
        if node.id in self.flow.names:
            note_read(self, node, node.id)
            return self.flow.names[node.id]
        if self._is_local(node.id):
            raise self.error(node, f"{node.id!r} may have no value here; give it one before the `if` or the loop")
        scope = self.result.function.__globals__
        if node.id not in scope and hasattr(builtins, node.id):
            known = ", ".join(_BUILTINS) + "; for a set write Ids()" * (node.id in ("set", "frozenset"))
            told = f"{node.id!r} is outside the plain subset; of Python's own functions there are {known}"
            raise self.error(node, told)
        if node.id not in scope:
            taken = f"let the function take it: `def {self.tree.name}(state, {node.id}, ...)`"
            mend = taken if node.id in ("rules", "bounds") else "define or import it, or correct it"
            raise self.error(node, f"the name {node.id!r} is not defined; {mend}")
        self.program.outside.note_name(self.result.function, node.lineno, node.id)
        return self.expressions.host_value(node, scope[node.id], node.id)

    def sees_attribute(self, node: ast.Attribute, holder: Any) -> None:
        """Remember that the function sees an attribute of a module, an enum, a function or a group of rules."""
        try:
            self.program.outside.note_attribute(self.result.function, node.lineno, ast.unparse(node), holder, node.attr)
        except ModelError as error:
            raise self.error(node, str(error)) from None

    def _is_local(self, name: str) -> bool:
        return name in self._own_names

    @property
    def is_live(self) -> bool:
        """Whether the code that is read can run under the model's rules."""
        return self._live

    @contextlib.contextmanager
    def reading(self, live: bool) -> Iterator[None]:
        """Read code that, where not `live`, cannot run: it is checked and typed, but does nothing."""
        before = self._live
        self._live = before and live
        yield
        self._live = before

    def call(self, node: ast.Call, function: FunctionType, arguments: list[Value]) -> Value:
        """The Value of a call of a project function."""
        if function is is_removed:
            return Value(BOOL, ir.Removed(arguments[0].constant or 0))
        if function in MASK_FUNCTIONS and any(argument.type == SET for argument in arguments):
            what = f"{function.__name__}() takes a set that is declared as an int"
            raise self.error(node, f"{what}; of this one write {MASK_FUNCTIONS[function]}")
        if function in WRITERS:
            return read_writer(self, node, function, arguments)
        if function in containers.FUNCTIONS:
            return containers.read_call(self, node, function, arguments)
        try:
            callee = self.program.function(function, [argument.type for argument in arguments], self._live)
        except ModelError as error:
            if "is called with" in str(error):
                raise self.error(node, f"{function.__name__}: {str(error).split(': ', 2)[-1]}") from None
            raise
        return self.called(callee, arguments)

    def called(self, callee: Function, arguments: list[Value]) -> Value:
        """The Value of a call of a function that was read for these arguments."""
        given = [argument.expression for argument in arguments if argument.form is not None]
        value = self.call_of(callee, given)
        if any(argument.writes for argument in arguments):
            value.writes_if_true = value.writes_if_false = True
        return value

    def call_of(self, callee: Function, given: list[ir.Expression]) -> Value:
        """The Value of a call of a function that was read."""
        if self._live:
            if callee not in self.result.calls:
                self.result.calls.append(callee)
            self.result.written |= callee.written
            if callee.writes and not self.result.write_place:
                self.result.write_place = callee.write_place
        note_call(self, callee, given)
        when_false = callee.writes and not callee.false_is_clean
        return Value(callee.returns, ir.Call(callee, tuple(given)), callee.writes, when_false)

    # -- statements --------------------------------------------------------------------------------------------

    def block(self, statements: list[ast.stmt]) -> tuple[Body, bool]:
        """The typed form of some statements, and whether every path through them returns."""
        body: list[ir.Statement] = []
        for number, statement in enumerate(statements):
            method: Callable[[Any], tuple[Body, bool]] | None
            method = getattr(self, f"_do_{type(statement).__name__}", None)
            if method is None:
                instead = INSTEAD.get(type(statement), "assignment, if, for ... in range, return and calls")
                raise self.error(statement, f"{words_for(statement)} is outside the plain subset; use {instead}")
            self.statement = statement
            forms, ends = method(statement)
            body += forms
            if ends:
                self._unreached(statement, statements[number + 1 :])
                return tuple(body), True
        return tuple(body), False

    def _unreached(self, last: ast.stmt, rest: list[ast.stmt]) -> None:
        """Check what follows a statement that always returns: under other rules an `if` may lead there."""
        if not rest:
            return
        if _always_returns([last]):
            raise self.error(rest[0], "this is never reached; remove it")
        with self.reading(live=False):
            self.block(rest)

    def _do_Pass(self, statement: ast.Pass) -> tuple[Body, bool]:
        return (), False

    def _do_Expr(self, statement: ast.Expr) -> tuple[Body, bool]:
        value = self.expressions.read(statement.value)
        if not isinstance(statement.value, ast.Call):
            raise self.error(statement, "the value of this expression is not used; assign or return it, or remove it")
        self.flow.dirty |= value.writes
        return (ir.Do(value.expression),), False

    def _do_Return(self, statement: ast.Return) -> tuple[Body, bool]:
        if statement.value is None:
            self._returns(statement, NOTHING)
            return (ir.Return(None),), True
        value = self.expressions.read(statement.value)
        if value.type not in (INT, BOOL, SET):
            what = f"a function returns an int, a bool, an id set or nothing, not {type_name(value.type)}"
            raise self.error(statement, f"{what}; return its id")
        self._returns(statement, value.type)
        is_true = value.constant is True
        if self._live and not is_true and (self.flow.dirty or value.writes_if_false):
            self.result.false_is_clean = False
        return (ir.Return(value.expression),), True

    def _returns(self, statement: ast.stmt, kind: ValueType) -> None:
        if self._returned and self.result.returns != kind:
            before = type_name(self.result.returns)
            told = f"it returns {type_name(kind)} here and {before} elsewhere"
            raise self.error(statement, f"{told}; let each `return` give the same type")
        assert not isinstance(kind, Host)
        self._returned = True
        self.result.returns = kind

    def _do_If(self, statement: ast.If) -> tuple[Body, bool]:
        test = self.expressions.read_bool(statement.test, "the condition of `if`")
        before = self.flow
        outcomes = []
        for branch, taken, writes in (
            (statement.body, True, test.writes_if_true),
            (statement.orelse, False, test.writes_if_false),
        ):
            self.flow = before.copy()
            self.flow.dirty |= writes
            with self.reading(live=test.constant in (None, taken)):
                body, ends = self.block(branch)
            outcomes.append((body, ends, self.flow))
        (then, then_ends, then_flow), (other, other_ends, other_flow) = outcomes
        if _always_returns(statement.body):
            joined = other_flow
        elif _always_returns(statement.orelse):
            joined = then_flow
        else:
            joined = self._join(statement, then_flow, other_flow, test.constant)
        if then_ends != other_ends:
            joined.items = other_flow.items if then_ends else then_flow.items
        if test.constant is not None:  # the names are those that have a value whatever the rules
            body, ends, flow = outcomes[0] if test.constant else outcomes[1]
            self.flow = _Flow(joined.names, flow.dirty, flow.items)
            return body, ends
        dirty = any(flow.dirty and not ends for _, ends, flow in outcomes)
        self.flow = _Flow(joined.names, dirty, joined.items)
        return (ir.If(test.expression, then, other),), then_ends and other_ends

    def _join(self, statement: ast.stmt, one: _Flow, other: _Flow, decided: int | None = None) -> _Flow:
        """What is known after either; `decided` says whether only the first one can run, or only the other one."""
        names = {}
        for name, value in one.names.items():
            if name in other.names:
                if not is_same(other.names[name].type, value.type, self._live and decided is None):
                    raise self.error(statement, f"{name!r} has different types in the two branches")
                value = other.names[name] if decided is False else value
                same = value.owner == other.names[name].owner
                names[name] = value if same else replace(value, owner=ANY_ARRAY)
        return _Flow(names, one.dirty or other.dirty, one.items.join(other.items, names))

    def _do_For(self, statement: ast.For) -> tuple[Body, bool]:
        loop = read_loop(self, statement)
        self.flow.dirty |= loop.writes
        for name, array in loop.arrays:
            self.assign_name(statement, name, array)
        body = self._loop(statement, loop.counter, [*loop.binds, *loop.under_test(statement.body)])
        assigns = (ir.Assign(name, array.expression) for name, array in loop.arrays)
        return (*assigns, ir.For(loop.counter, loop.start, loop.stop, loop.step, body, statement)), False

    def _loop(self, statement: ast.For, counter: str, statements: list[ast.stmt]) -> Body:
        before = self.flow.copy()
        body = self._loop_body(statement, counter, statements)
        while (later := self._join(statement, before, self.flow)) != before:
            before = later  # a later round starts with what an earlier one has left
            self.flow = before.copy()
            body = self._loop_body(statement, counter, statements)
        self.flow = before
        return body

    def _loop_body(self, statement: ast.For, counter: str, statements: list[ast.stmt]) -> Body:
        self.assign_name(statement, counter, Value(INT, None))
        before = self.flow.items
        body, ends = self.block(statements)
        if ends:
            self.flow.items = before
        return body

    def _do_Assign(self, statement: ast.Assign) -> tuple[Body, bool]:
        if len(statement.targets) != 1:
            raise self.error(statement, "one assignment has one target; write them one below the other")
        value = self.expressions.read(statement.value)
        self.flow.dirty |= value.writes
        return self._assign(statement, statement.targets[0], value), False

    def _do_AnnAssign(self, statement: ast.AnnAssign) -> tuple[Body, bool]:
        if statement.value is None:
            raise self.error(statement, "a declaration without a value; give it one")
        value = self.expressions.read(statement.value)
        self.flow.dirty |= value.writes
        return self._assign(statement, statement.target, value), False

    def _do_AugAssign(self, statement: ast.AugAssign) -> tuple[Body, bool]:
        load = _as_load(statement.target)
        place = self.expressions.read(load)
        if place.writes:
            raise self.error(
                statement, "the index in front of this sign writes to the state; compute it on a line before"
            )
        if _may_move(place) and self.expressions.read_side(statement.value).writes:
            raise self.error(  # Python looks up what stands in front before it, and machine code after it
                statement, "what stands behind this sign writes to the state; compute it on a line before"
            )
        combined = ast.copy_location(ast.BinOp(load, statement.op, statement.value), statement)
        value = self.expressions.read(combined)
        self.flow.dirty |= value.writes
        return self._assign(statement, statement.target, value), False

    def _assign(self, statement: ast.stmt, target: ast.expr, value: Value) -> Body:
        if isinstance(target, ast.Name):
            if value.type == NOTHING or isinstance(value.type, Host):
                raise self.error(
                    statement, f"{target.id!r} would be {type_name(value.type)}; use it where it is needed"
                )
            self.assign_name(statement, target.id, value)
            return (ir.Assign(target.id, value.expression),)
        if not isinstance(target, ast.Attribute | ast.Subscript):
            raise self.error(statement, "assign to a name, a field or an element of an array, one at a time")
        return self._store(statement, target, value)

    def assign_name(self, statement: ast.stmt, name: str, value: Value) -> None:
        """Give a local name a value; `statement` does it."""
        known = self.flow.names.get(name)
        if known is not None and not is_same(known.type, value.type, self._live):
            before, after = type_name(known.type), type_name(value.type)
            raise self.error(statement, f"{name!r} was {before} and would become {after}; use another name")
        self.flow.items = self.flow.items.bound(name, value.form, value.type)
        owner = value.owner if known is None or known.owner == value.owner else ANY_ARRAY
        self.flow.names[name] = replace(named(name, value.type), owner=owner)
        self._types[self._live].setdefault(name, value.type)
        for was_live, types in self._types.items():
            if not is_same(kind := types.get(name, value.type), value.type, self._live and was_live):
                what = f"{name!r} is {type_name(kind)} elsewhere in this function"
                raise self.error(statement, f"{what}; use another name")

    def _store(self, statement: ast.stmt, target: ast.Attribute | ast.Subscript, value: Value) -> Body:
        place = self.expressions.read(target)
        if isinstance(place.type, Record | ArrayOf):
            mend = "write copy(target, source), of kafkacheck.checker.schema"
            raise self.error(statement, f"a whole record or array cannot be assigned; {mend}")
        if not isinstance(place.form, ir.Field | ir.Element) or not isinstance(place.form.stored, Scalar):
            raise self.error(target, "only a field of a record or an element of an array of the state can be written")
        scalar = place.form.stored
        require_changeable(self, statement, place.form.record if isinstance(place.form, ir.Field) else place.form.array)
        self.require_storable(statement, ast.unparse(target), scalar, value)
        if self._live:
            self.result.written.add(place.owner or ANY_ARRAY)
            if not self.result.write_place:
                self.result.write_place = place_of(self.result.function, statement.lineno)
        self.flow.dirty = True
        return (ir.Store(place.form, value.expression, scalar),)

    def require_storable(self, node: ast.AST, text: str, scalar: Scalar, value: Value) -> None:
        """ModelError where a value cannot be kept in a scalar; `text` names the scalar."""
        wanted = ir.read_type(scalar)
        if value.type != wanted:
            written = getattr(node, "value", node)
            mend = mend_of(wanted, value.type, ast.unparse(written))
            raise self.error(node, f"{text} holds {wanted}, not {type_name(value.type)}; {mend}")
        if self._live and value.constant is not None and not scalar.low <= value.constant <= scalar.high:
            numbers = (int(value.constant), scalar.low, scalar.high)
            now, low, high = (str(ID_SETS[each] if wanted == SET else each) for each in numbers)
            raise self.error(node, f"{text} = {now} is outside its range {low} .. {high} ({scalar.told})")


def _may_move(place: Value) -> bool:
    """Whether a write to the state can make a place another one: an index in it is read from the state."""
    indices = [part.index for part in ir.within(place.expression) if isinstance(part, ir.Element)]
    return any(isinstance(part, ir.Field | ir.Element | ir.Call) for index in indices for part in ir.within(index))


def _always_returns(statements: list[ast.stmt]) -> bool:
    """Whether nothing after these statements is ever reached, whatever the rules."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)


def _as_load(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    same = copy(target)
    same.ctx = ast.Load()
    return same
