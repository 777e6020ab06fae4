"""`any(...)`, `all(...)` and `sum(...)` over a generator: a function of their own, made of loops, that is called there.

The names that the generator takes from around it are its parameters. What its first `for` runs over is evaluated
outside, as Python does.
"""

import ast
from typing import TYPE_CHECKING

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL, INT
from kafkacheck.checker.language.items import note_read
from kafkacheck.checker.language.loops import read_loop
from kafkacheck.checker.language.values import Host, Value, named
from kafkacheck.checker.language.words import words_for
from kafkacheck.checker.process.errors import ModelError

if TYPE_CHECKING:
    from kafkacheck.checker.language.subset import FunctionReader

OVER_GENERATORS = ("any", "all", "sum")

_TOTAL = "sum()"
"""The local name of what was added so far: none that code could have."""

Body = tuple[ir.Statement, ...]


def read_comprehension(reader: "FunctionReader", call: ast.Call, name: str) -> Value:
    """The Value of any(...), all(...) or sum(...). ModelError with the mend where it is outside the plain subset."""
    generator = _generator(reader, call, name)
    targets = _targets(reader, generator)
    given = {each.id for each in ast.walk(generator) if isinstance(each, ast.Name)} - targets
    names = {each: value for each, value in reader.flow.names.items() if each in given}
    for each in sorted(names):
        note_read(reader, generator, each)
    first, outside = _evaluated_outside(reader, generator.generators[0].iter, targets)
    names |= outside
    passed = {each: value for each, value in names.items() if value.form is not None and value.constant is None}
    inside = {each: named(each, value.type) if each in passed else value for each, value in names.items()}
    key = (call, reader.is_live, *((each, value.type) for each, value in passed.items()))
    if key not in reader.parts:
        reader.parts[key] = _Comprehension(reader.part(inside, targets), call, generator, name).read(first, passed)
    return reader.call_of(reader.parts[key], [value.expression for value in passed.values()])


def _generator(reader: "FunctionReader", call: ast.Call, name: str) -> ast.GeneratorExp:
    example = f"`{name}({'1' if name == 'sum' else 'node.up'} for node in state.nodes)`"
    if name == "sum" and len(call.args) == 2:
        raise reader.error(call, "sum() takes no start; add it in front: `start + sum(...)`")
    if len(call.args) != 1:
        raise reader.error(call, f"{name}() takes one generator, not {len(call.args)} arguments: {example}")
    given = call.args[0]
    if isinstance(given, ast.ListComp | ast.SetComp):
        raise reader.error(
            given, f"{words_for(given)} is outside the plain subset; leave out its brackets: `{name}(... for ...)`"
        )
    if not isinstance(given, ast.GeneratorExp):
        text = ast.unparse(given)
        if isinstance(given, ast.Call) and _writes(reader, given):
            example = f"write `{text}` on a line of its own, and ask here for what it changes: {example}"
        raise reader.error(call, f"{name}() takes a generator, not `{text}`: {example}")
    if any(each.is_async for each in given.generators):
        raise reader.error(given, "`async for` is outside the plain subset; use a plain `for`")
    return given


def _writes(reader: "FunctionReader", call: ast.Call) -> bool:
    try:
        return reader.expressions.read(call).writes
    except ModelError:
        return False  # which is refused here in any case


def _targets(reader: "FunctionReader", generator: ast.GeneratorExp) -> set[str]:
    """The names that the generator binds, which are known nowhere else."""
    found: set[str] = set()
    for clause in generator.generators:
        for each in ast.walk(clause.target):
            if not isinstance(each, ast.Name):
                continue
            if each.id in found:
                raise reader.error(
                    generator, f"the generator binds {each.id!r} twice; give each `for` a name of its own"
                )
            found.add(each.id)
    return found


def _evaluated_outside(
    reader: "FunctionReader", iterable: ast.expr, targets: set[str]
) -> tuple[ast.expr, dict[str, Value]]:
    """What the first `for` runs over, with its parts replaced by names, and the Values of these."""
    found: dict[str, Value] = {}

    def replaced(node: ast.expr) -> ast.expr:
        text = ast.unparse(node)
        if text in targets:
            raise reader.error(node, f"{text!r} names an element and what it is an element of; use two names")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            return with_names(node)
        value = reader.expressions.read(node)
        if value.writes:
            raise reader.error(node, f"`{text}` writes to the state; compute it on a line before")
        found[text] = value
        return ast.copy_location(ast.Name(text, ast.Load()), node)

    def with_names(call: ast.Call) -> ast.expr:
        return ast.copy_location(ast.Call(call.func, [replaced(each) for each in call.args], call.keywords), call)

    match iterable:
        case ast.Call(func=ast.Name(id="range" | "enumerate" | "zip" as name)) if reader.is_builtin(name):
            return with_names(iterable), found
        case ast.Call():
            return iterable, found  # which is refused as in any loop
    return replaced(iterable), found


def _plain_type(value: Value) -> ir.IrType:
    assert not isinstance(value.type, Host)
    return value.type


class _Comprehension:
    """Reads one generator, by a reader to whom its names are known and no others."""

    def __init__(self, part: "FunctionReader", call: ast.Call, generator: ast.GeneratorExp, name: str) -> None:
        self._part = part
        self._call = call
        self._generator = generator
        self._name = name

    def read(self, first: ast.expr, passed: dict[str, Value]) -> ir.Function:
        """The function that is called; `first` is what its first `for` runs over, `passed` what it is given."""
        function = self._part.result
        function.parameters = tuple(ir.Local(name, _plain_type(value)) for name, value in passed.items())
        function.returns = INT if self._name == "sum" else BOOL
        total = ir.Assign(_TOTAL, ir.Const(0)), ir.Return(ir.Local(_TOTAL, INT))
        before, after = {
            "any": ((), (ir.Return(ir.Const(False)),)),
            "all": ((), (ir.Return(ir.Const(True)),)),
            "sum": (total[:1], total[1:]),
        }[self._name]
        function.body = (*before, *self._clause(0, first), *after)
        return function

    def _clause(self, number: int, iterable: ast.expr) -> Body:
        """The loop of a `for` of the generator, with all that is in it."""
        clause = self._generator.generators[number]
        node = ast.copy_location(ast.For(clause.target, iterable, [], []), self._call)
        loop = read_loop(self._part, node)
        for name, array in loop.arrays:
            self._part.assign_name(node, name, array)
        self._part.assign_name(node, loop.counter, Value(INT, None))
        binds, _ = self._part.block(loop.binds)
        body = (*binds, *self._filtered(number, [*loop.tests, *clause.ifs]))
        assigns = (ir.Assign(name, array.expression) for name, array in loop.arrays)
        return (*assigns, ir.For(loop.counter, loop.start, loop.stop, loop.step, body, node))

    def _filtered(self, number: int, tests: list[ast.expr]) -> Body:
        if not tests:
            further = self._generator.generators[number + 1 :]
            return self._clause(number + 1, further[0].iter) if further else self._innermost()
        test = self._part.expressions.read_bool(tests[0], "the condition behind `if`")
        with self._part.reading(live=test.constant is not False):
            body = self._filtered(number, tests[1:])
        if test.constant is not None:
            return body if test.constant else ()
        return (ir.If(test.expression, body, ()),)

    def _innermost(self) -> Body:
        element = self._generator.elt
        if self._name == "sum":
            value = self._part.expressions.read_int(element, "what sum() adds up")
            added = ir.Binary("+", ir.Local(_TOTAL, INT), value.expression, node=self._call)
            return (ir.Assign(_TOTAL, added),)
        value = self._part.expressions.read_bool(element, f"what {self._name}() asks of each element")
        decides = self._name == "any"
        found = (ir.Return(ir.Const(decides)),)
        if value.constant is not None:
            return found if value.constant is decides else ()
        test = value.expression if decides else ir.Unary("not", value.expression)
        return (ir.If(test, found, ()),)
