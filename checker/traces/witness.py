"""Why a property is violated: the condition in its source that decided, and the values it saw there."""

import ast
import copy
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from kafkacheck.checker.model import Property
from kafkacheck.checker.process.locations import short_path
from kafkacheck.checker.schema import NONE, Array, Ids, Struct
from kafkacheck.checker.traces.named_values import Named, named
from kafkacheck.checker.traces.trace import Trace, property_named

OPERATORS = frozenset({Struct.__eq__.__code__.co_filename, sys.modules[Ids.__module__].__file__})
"""The files with what compares whole records and id sets, which is no call of the protocol."""


@dataclass(frozen=True)
class Witness:
    """The first evidence that the property `name` met: where it returned False, on which condition, with which values.

    `sentence` is the first sentence of the property's docstring. `place` is "path/file.py:line". `condition` is the
    source of the condition that decided, a part of a returned expression or of the test of an `if`, and `outcome` its
    value; "" and None if nothing but `return False` stands there. `operands` are the values in the condition by their
    source, `values` the scalar locals (loop variables among them), outermost function first. If any(...) or all(...)
    decided by one element, the condition is the one on that element, and `values` has the names that the generator gave
    it: a number, or the path of a record, such as "state.nodes[2]".
    """

    name: str
    sentence: str
    place: str
    condition: str
    outcome: bool | None
    operands: tuple[tuple[str, int | str], ...]
    values: tuple[tuple[str, int | str], ...]

    @property
    def text(self) -> str:
        """The witness in one line: "first witness: r1=0 offset=2, where `offset >= end` is true: ... (x.py:23)"."""
        values = " ".join(f"{name}={_shown(value)}" for name, value in self.values)
        where = f"where {self.decision}" if self.condition else ""
        return f"first witness: {', '.join(filter(None, [values, where]))} ({self.place})"

    @property
    def decision(self) -> str:
        """The deciding condition and its values: "`offset >= end` is true: offset = 2, end = 2"; "" without one."""
        if not self.condition:
            return ""
        operands = ", ".join(f"{source} = {_shown(value)}" for source, value in self.operands)
        return f"`{self.condition}` is {'true' if self.outcome else 'false'}{': ' * bool(operands)}{operands}"

    def to_json(self) -> dict[str, Any]:
        """The witness as JSON data."""
        return {
            "property": self.name,
            "place": self.place,
            "condition": self.condition or None,
            "outcome": self.outcome,
            "operands": dict(self.operands),
            "values": dict(self.values),
            "text": self.text,
        }


def _shown(value: int | str) -> str:
    return value.name if isinstance(value, IntEnum | Named) else str(value)


@dataclass
class _Call:
    """One call seen while a property was evaluated: where it was called from, what it returned and where."""

    code: CodeType
    caller_line: int
    line: int = 0
    result: Any = None
    locals: dict[str, Any] = field(default_factory=dict)
    globals: dict[str, Any] = field(default_factory=dict)
    last: "_Call | None" = None


def explain(trace: Trace) -> Witness | None:
    """The first witness that the last state (or step) of the trace violates its property; None if it does not.

    None of a lasso: no one state violates a liveness property.
    """
    if trace.property is None or trace.loop is not None:
        return None
    checked = property_named(trace.model, trace.property)
    last = [step.state for step in trace.steps[-2:]]
    if checked.is_step and len(last) < 2:
        return None
    return find_witness(checked, *(last if checked.is_step else last[-1:]))


def find_witness(checked: Property, *states: Any) -> Witness | None:
    """Evaluate a property once more, watching; None if it holds. The states are not changed."""
    call = _watch(checked.function, lambda: checked.holds(*states))
    if call is None or call.result:
        return None
    values: dict[str, int | str] = {}
    while True:
        here = {name: _told_here(call, ast.Name(name, ast.Load()), value) for name, value in call.locals.items()
                if isinstance(value, int | Ids)}  # fmt: skip
        decision = _decision(call)
        here |= {} if decision is None else decision.element
        values = values | {name: value for name, value in here.items() if name not in values}
        inner = call.last
        if decision is None or inner is None or inner.result is not False or inner.caller_line not in decision.lines:
            break
        call = inner
    place = f"{short_path(call.code.co_filename)}:{call.line}"
    return Witness(
        name=checked.name,
        sentence=_first_sentence(checked.function),
        place=place,
        condition="" if decision is None else ast.unparse(decision.node),
        outcome=None if decision is None else decision.outcome,
        operands=() if decision is None else decision.operands,
        values=tuple(values.items()),
    )


def _watch(function: Callable[..., Any], run: Callable[[], Any]) -> _Call | None:
    """Run `run` and return the first call of `function` within it, with the calls it made; None if there was none."""
    found: list[_Call] = []
    active: list[_Call] = []

    def on_event(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename in OPERATORS:
            return None
        if frame.f_code.co_name == "<genexpr>":
            return on_event if active else None  # the calls that it makes are made by the function it stands in
        if event == "call":
            if not active and (found or frame.f_code is not function.__code__):
                return None
            active.append(_Call(frame.f_code, frame.f_back.f_lineno if frame.f_back else 0))
        elif event == "return":
            call = active.pop()
            call.line, call.result, call.locals = frame.f_lineno, argument, dict(frame.f_locals)
            call.globals = frame.f_globals
            if active:
                active[-1].last = call
            else:
                found.append(call)
        return on_event

    previous = sys.gettrace()
    sys.settrace(on_event)
    try:
        run()
    finally:
        sys.settrace(previous)
    return found[0] if found else None


@dataclass(frozen=True)
class _Decision:
    """The condition that decided for a `return`: on these lines of its file, its value, and the values in it.

    `element` are the names of the element of any(...) or all(...) that the condition is about.
    """

    node: ast.expr
    lines: range
    outcome: bool
    operands: tuple[tuple[str, int | str], ...]
    element: dict[str, int | str]


def _decision(call: _Call) -> _Decision | None:
    """The decision for the `return` at which a call ended; None if it has no condition, or no source is found."""
    try:
        source, first = inspect.getsourcelines(call.code)
        tree = ast.parse(textwrap.dedent("".join(source)))
    except (OSError, SyntaxError):
        return None
    for node, outcome in _conditions(tree, call.line - first + 1):
        lines = range(node.lineno + first - 1, (node.end_lineno or node.lineno) + first)
        if not _is(call, node, outcome):  # a name was bound anew in between
            return _Decision(node, lines, outcome, (), {})
        part, outcome, element = _part(call, node, outcome)
        operands = tuple(_named(call, part, dict(_operands(call, part))).items())
        return _Decision(part, lines, outcome, operands, element)
    return None


def _conditions(tree: ast.AST, line: int) -> Iterator[tuple[ast.expr, bool]]:
    """The condition and its value for the `return` at a line: the returned expression, or the test of its `if`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and _covers(node, line) and not isinstance(node.value, ast.Constant | None):
            yield node.value, False
        if isinstance(node, ast.If):
            for branch, outcome in ((node.body, True), (node.orelse, False)):
                if any(_covers(each, line) and isinstance(each.value, ast.Constant) for each in _returns(branch)):
                    yield node.test, outcome


def _returns(branch: list[ast.stmt]) -> Iterator[ast.Return]:
    return (each for each in branch if isinstance(each, ast.Return))


def _part(call: _Call, node: ast.expr, outcome: bool) -> tuple[ast.expr, bool, dict[str, int | str]]:
    """The part of a condition that decided it, the value of that part, and the names of the element that it is about.

    That is, for example, the side of an `and` that is false, or the condition of all(...) on the first element for
    which it is false; the names of that element are from then on among those of the call.
    """
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _part(call, node.operand, not outcome)
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) is outcome:
        return _part(call, next(side for side in node.values if _is(call, side, outcome)), outcome)
    if isinstance(node, ast.BoolOp):
        sides = [_part(replace(call, locals=dict(call.locals)), side, outcome)[2] for side in node.values]
        return node, outcome, {name: value for side in sides for name, value in side.items()}
    match node:
        case ast.Call(func=ast.Name(id="any" | "all" as name), args=[ast.GeneratorExp() as generator]):
            found = _deciding(call, generator, outcome) if (name == "any") is outcome else None
            if found is not None:
                names, values = found
                call.locals |= values
                part, outcome, inner = _part(call, generator.elt, outcome)
                return part, outcome, {**_elements(call, generator, names), **inner}
    return node, outcome, {}


def _deciding(call: _Call, generator: ast.GeneratorExp, outcome: bool) -> tuple[list[str], dict[str, Any]] | None:
    """The names that a generator gives, and their values for the first element of which `outcome` is true."""
    targets = (part for clause in generator.generators for part in ast.walk(clause.target))
    bound = [part.id for part in targets if isinstance(part, ast.Name)]
    wanted = generator.elt if outcome else ast.UnaryOp(ast.Not(), generator.elt)
    clauses = [*generator.generators[:-1], copy.copy(generator.generators[-1])]
    clauses[-1].ifs = [*clauses[-1].ifs, wanted]
    gives = ast.List([ast.Name(name, ast.Load()) for name in bound], ast.Load())
    search = ast.ListComp(gives, clauses)
    found = _evaluate(call, ast.fix_missing_locations(search))
    return (bound, dict(zip(bound, found[0], strict=True))) if found else None


def _elements(call: _Call, generator: ast.GeneratorExp, names: list[str]) -> dict[str, int | str]:
    """The element by its names: numbers as they are, a record or array by its path."""
    found: dict[str, int | str] = {}
    sources: dict[str, ast.expr] = {}
    for clause in generator.generators:
        sources |= _sources(clause.target, clause.iter)
    for name in names:
        value = call.locals[name]
        if isinstance(value, int | Ids):
            found[name] = _told_here(call, ast.Name(name, ast.Load()), value)
        elif name in sources:
            members = list(_evaluate(call, sources[name]) or ())
            places = [place for place, member in enumerate(members) if member is value]
            if places:
                found[name] = f"{ast.unparse(sources[name])}[{places[0]}]"
    return found


def _sources(target: ast.expr, iterable: ast.expr) -> dict[str, ast.expr]:
    """The arrays whose elements names are, by name."""
    match target, iterable:
        case ast.Tuple(elts=[_, element]), ast.Call(func=ast.Name(id="enumerate"), args=[inner]):
            return _sources(element, inner)
        case ast.Tuple(elts=elements), ast.Call(func=ast.Name(id="zip"), args=arrays):
            return {name: array for each, inner in zip(elements, arrays, strict=False)
                    for name, array in _sources(each, inner).items()}  # fmt: skip
        case ast.Name(id=name), _:
            return {name: iterable}
    return {}


def _told(value: int | Ids) -> int | str:
    """A scalar as it is told: an id set as text."""
    return str(value) if isinstance(value, Ids) else value


def _told_here(call: _Call, node: ast.expr, value: int | Ids) -> int | str:
    """The scalar value of an expression as it is told, in the call that ended."""
    told = _told(value)
    return told if isinstance(told, str) else named(told, node, lambda part: _evaluate(call, part), _tree_of(call.code))


@lru_cache(maxsize=64)
def _tree_of(code: CodeType) -> ast.AST:
    """The syntax of a function; an empty one if no source is found."""
    try:
        return ast.parse(textwrap.dedent("".join(inspect.getsourcelines(code)[0])))
    except (OSError, SyntaxError):
        return ast.Module([], [])


def _operands(call: _Call, node: ast.expr) -> Iterator[tuple[str, int | str]]:
    """The scalars that a condition is made of, by their source; of two records that differ, the first that does."""
    if isinstance(node, ast.Compare):
        yield from _difference(
            *((ast.unparse(side), _evaluate(call, side)) for side in (node.left, node.comparators[0]))
        )
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
            value = _evaluate(call, part)
            if isinstance(value, int | Ids):
                yield ast.unparse(part), _told_here(call, part, value)
        if isinstance(part, ast.expr) and not isinstance(part, ast.Name | ast.Attribute | ast.Subscript):
            yield from _operands(call, part)


def _difference(one: tuple[str, Any], other: tuple[str, Any]) -> Iterator[tuple[str, int | str]]:
    """Both values, by their source, of the first scalar in which two records or arrays differ."""
    (source, left), (other_source, right) = one, other
    if type(left) is not type(right) or not isinstance(left, Struct | Array):
        return
    if isinstance(left, Struct):
        parts = [(f".{name}", getattr(left, name), getattr(right, name)) for name in type(left).field_names]
    else:
        parts = [(f"[{index}]", *pair) for index, pair in enumerate(zip(left, right, strict=False))]
    part, mine, yours = next((each for each in parts if each[1] != each[2]), ("", 0, 0))
    named = ((source + part, mine), (other_source + part, yours))
    if part and isinstance(mine, int | Ids):
        yield from ((name, _told(value)) for name, value in named)
    elif part:
        yield from _difference(*named)


def _named(call: _Call, node: ast.expr, operands: dict[str, int | str]) -> dict[str, int | str]:
    """The operands without members of enums and sentinels; a value compared with a member is written by its name."""
    if isinstance(node, ast.Compare):
        sides = {ast.unparse(side) for side in (node.left, *node.comparators)}
        members = [value for source, value in operands.items() if source in sides and isinstance(value, IntEnum)]
        for source, value in operands.items():
            if members and source in sides and value in list(type(members[0])):
                operands[source] = type(members[0])(value)
    constants = {source for source in operands if _is_constant(call, source)}
    return {source: value for source, value in operands.items() if source not in constants}


def _is_constant(call: _Call, source: str) -> bool:
    """Whether it is a member of an enum, as `Stage.IDLE`, or a name of the module for the sentinel of absent ids."""
    if source not in call.locals and call.globals.get(source) == NONE:
        return True
    owner, _, name = source.rpartition(".")
    kind = call.globals.get(owner)
    return isinstance(kind, type) and issubclass(kind, IntEnum) and name in kind.__members__


def _is(call: _Call, node: ast.expr, outcome: bool) -> bool:
    value = _evaluate(call, node)
    return value is not None and bool(value) is outcome


def _evaluate(call: _Call, node: ast.expr) -> Any:
    """The value of an expression at the end of a call; None if it has none there."""
    try:
        return eval(compile(ast.Expression(node), "<witness>", "eval"), call.globals | call.locals)
    except Exception:  # it was not evaluated there, and may fail
        return None


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _first_sentence(function: Callable[..., Any]) -> str:
    text = " ".join((inspect.getdoc(function) or "").split())
    head, dot, _ = text.partition(". ")
    return head + dot.strip()
