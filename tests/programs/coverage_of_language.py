"""What of the language some programs are made of, against what it has: both are taken from the language's own sources.

What the language has is: every line of the functions that read it, and of those that make terms, machine code,
footprints and ranges of what was read, unless it belongs to an error; every operator and function in the tables of the
readers; and every pair of a node of the typed form with a node that can stand in one of its places.
"""

import ast
import dataclasses
import importlib
import inspect
import linecache
import pkgutil
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

from kafkacheck.checker import language
from kafkacheck.checker.compiled import native
from kafkacheck.checker.language import containers, expressions, footprint, ir, subset, whole
from kafkacheck.checker.model import Model
from kafkacheck.checker.symbolic import symbolic

Line = tuple[str, int]
Pair = tuple[str, str, str]
"""A node of the typed form, one of its places, and the node that stands there."""

WANTED: dict[tuple[str, str], set[str]] = {
    ("Field", "base"): {"record"}, ("Element", "base"): {"array"}, ("Element", "index"): {"int"},
    ("Binary", "left"): {"int"}, ("Binary", "right"): {"int"}, ("Unary", "operand"): {"int", "bool"},
    ("Compare", "sides"): {"int", "bool"}, ("Logical", "values"): {"bool"}, ("Choose", "test"): {"bool"},
    ("Choose", "then"): {"int", "bool"}, ("Choose", "otherwise"): {"int", "bool"},
    ("Call", "arguments"): {"int", "bool", "record", "array"},
    ("Assign", "value"): {"int", "bool", "record", "array"}, ("Store", "value"): {"int", "bool"},
    ("If", "test"): {"bool"}, ("For", "start"): {"int"}, ("For", "stop"): {"int"}, ("Return", "value"): {"int", "bool"},
    ("Do", "call"): {"int", "bool", "nothing"},
}  # fmt: skip
"""Which types can stand in a place; in a place that is not named here, all."""

GIVEN: dict[str, set[str]] = {
    "Binary": {"int"}, "Unary": {"int", "bool"}, "Compare": {"bool"}, "Logical": {"bool"}, "Const": {"int", "bool"},
    "Choose": {"int", "bool"}, "Call": {"int", "bool", "nothing"},
}  # fmt: skip
"""Which types a node can have; one that is not named here, all."""

FOLDED: set[Pair] = {("If", "test", "Const"), ("Unary", "operand", "Const")}
"""What the readers compute: it never comes into the typed form."""
SWITCHES = "Removed"
"""Only functions with switches have it (see `tests/checker/mutation/test_mutation.py`); no program is written so."""

LOOPS = ("For", "comprehension")
TARGETS = ("Name", "Attribute", "Subscript")
"""What can be assigned to."""

WORDING = {
    "error", "type_name", "_membership", "_misuse", "type_text", "_refused", "_error", "_number", "_grow_endlessly",
    "record_problem",
    "refused_display", "mend_of", "no_field", "_writes",
}  # fmt: skip
"""Functions that word an error, or that follow numbers because of which a program is refused."""
SELDOM = (
    'if name in ("min", "max") and node.args:',  # which are refused
    "return one.kind == other.kind",  # of a number that exists in code that cannot run
    "return iterable, found  # which is refused",
    "_refused(reader, loop)",
    "kind = type(node.value).__name__",  # of a constant that is refused
    "far = value[1] if value[1] > HIGHEST else value[0]",  # of a number that is refused
    "self._grow_endlessly(*before)",  # after thousands of rounds
    "return None",  # of a scalar that is no int; which line that is depends on the function
    "self._fails(terms.negation(terms.is_within(value, LOWEST, HIGHEST)))",  # what ranges.py refuses before
    "return terms.narrowed(value, LOWEST, HIGHEST)",
    "with self.builder.if_then(self.builder.must_stop(polled), likely=False):",  # loops of 100,000 statements
    "self.builder.note_fault(polled, STOPPED)",
)
"""Lines that run only in programs that are refused, or that take long."""

OTHERS = ("ir", "items", "outside", "removal", "signature", "source", "words", "work")
"""Files of `checker.language` that read no construct: the typed form, where functions are, what they see, words; and
which names are refused after what they stand for has moved."""
FOLDER = [each.name for each in pkgutil.iter_modules(language.__path__) if each.name not in OTHERS]
SOURCES: dict[ModuleType, tuple[str, ...]] = {
    **{importlib.import_module(f"{language.__name__}.{name}"): ("",) for name in FOLDER},
    symbolic: ("_Call", "_"), native: ("_FunctionEmitter",),
}  # fmt: skip
"""The files whose lines count, and how the names of the functions or classes begin whose lines do."""


# -- lines -----------------------------------------------------------------------------------------------------


def lines_of_language() -> set[Line]:
    """Every line of the readers that is no part of an error."""
    found: set[Line] = set()
    for module, begins in SOURCES.items():
        path = inspect.getfile(module)
        tree = ast.parse(Path(path).read_bytes())
        left_out = {line for block in _errors(tree) for line in range(block.lineno, (block.end_lineno or 0) + 1)}
        for code in _functions(compile(tree, path, "exec")):
            outer, *_ = code.co_qualname.split(".")
            if outer.startswith(begins) and code.co_name not in WORDING:
                found |= {(path, line) for line in _lines(code) - left_out}
    texts = {path: Path(path).read_text(encoding="utf-8").splitlines() for path, _ in found}
    without = (*SELDOM, "ir.Removed(", "self.builder.load(removed(")
    return {(path, line) for path, line in found if not any(each in texts[path][line - 1] for each in without)}


def _lines(code: CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno}


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & inspect.CO_NEWLOCALS and constant.co_flags & inspect.CO_OPTIMIZED:
                yield constant
            yield from _functions(constant)


def _errors(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements that lead to an error in any case, and docstrings of functions."""
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[-1], ast.Raise | ast.Assert):
                last = block[-1]
                yield from block if isinstance(last, ast.Raise) and not isinstance(node, ast.FunctionDef) else [last]
        if isinstance(node, ast.Raise | ast.Assert | ast.ExceptHandler):
            yield node  # type: ignore[misc]  # all have lines


class LinesRun:
    """Inside it (`with`), the lines of the readers that run are taken from `missing`."""

    def __init__(self) -> None:
        self.missing = lines_of_language()
        self._left: dict[CodeType, set[int]] = {}
        self._before: Any = None

    def __enter__(self) -> "LinesRun":
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, argument: Any) -> Any:
        """Look at a call only where lines of its code are missing: that is slow, and soon seldom."""
        code = frame.f_code
        if code not in self._left:
            self._left[code] = {line for line in _lines(code) if (code.co_filename, line) in self.missing}
        return self._inside if self._left[code] else None

    def _inside(self, frame: FrameType, event: str, argument: Any) -> Any:
        self._left[frame.f_code].discard(frame.f_lineno)
        self.missing.discard((frame.f_code.co_filename, frame.f_lineno))
        return self._inside

    def misses(self, module: ModuleType) -> bool:
        """Whether lines of a file are missing."""
        return any(path == inspect.getfile(module) for path, _ in self.missing)

    def shown(self) -> list[str]:
        """The missing lines, with their text."""
        return [
            f"{Path(path).name}:{line}: {linecache.getline(path, line).strip()}" for path, line in sorted(self.missing)
        ]


# -- the typed form ----------------------------------------------------------------------------------------------


def pairs_of_language() -> set[Pair]:
    """Every node of the typed form in every place where its type can stand."""
    nodes = [*typing.get_args(ir.Expression), *typing.get_args(ir.Statement)]
    found = set()
    for parent in nodes:
        hints = typing.get_type_hints(parent, vars(ir))
        for field in dataclasses.fields(parent):
            for child in _members(hints[field.name]):
                wanted = WANTED.get((parent.__name__, field.name))
                given = GIVEN.get(child.__name__)
                if wanted is None or given is None or wanted & given:
                    found.add((parent.__name__, field.name, child.__name__))
    return {pair for pair in found if SWITCHES not in pair} - FOLDED


def _members(hint: Any) -> Iterator[type]:
    """The nodes that an annotation speaks of."""
    nodes = (*typing.get_args(ir.Expression), *typing.get_args(ir.Statement))
    for each in typing.get_args(hint) or (hint,):
        if each in nodes:
            yield each
        elif isinstance(each, types.UnionType | types.GenericAlias) or typing.get_origin(each) is not None:
            yield from _members(each)


def pairs_of(function: ir.Function) -> Iterator[Pair]:
    """The pairs of a function."""
    waiting: list[Any] = list(function.body)
    while waiting:
        node = waiting.pop()
        for field in dataclasses.fields(node):
            value = getattr(node, field.name)
            for child in value if isinstance(value, tuple) else (value,):
                if isinstance(child, typing.get_args(ir.Expression) + typing.get_args(ir.Statement)):
                    yield type(node).__name__, field.name, type(child).__name__
                    waiting.append(child)


# -- operators and functions -------------------------------------------------------------------------------------


def words_of_language() -> set[str]:
    """The statements, expressions, operators and functions that the readers know, and the forms of some of them."""
    tables = (expressions._ARITHMETIC, expressions._SIGNS, expressions._COMPARISONS)
    return {
        *(each.__name__ for table in tables for each in table),
        *("And", "Or", "Not"),
        *(name.removeprefix("_do_") for name in vars(subset.FunctionReader) if name.startswith("_do_")),
        *(name.removeprefix("_read_") for name in vars(expressions.ExpressionReader) if name.startswith("_read_")),
        *subset._BUILTINS,
        *(each.__name__ for each in (*whole.WRITERS, *containers.FUNCTIONS)),
        *("In", "NotIn", "Ids"),
        *(f"{each.__name__} = to {target}" for each in expressions._ARITHMETIC for target in TARGETS),
        *(f"Assign to {target}" for target in TARGETS),
        *(f"range with {count} and step {step}" for count, step in ((1, "up"), (2, "up"), (3, "up"), (3, "down"))),
        *("Return in For", "For in For", "If in For", "enumerate of zip", "rules.inner.most", "bounds.members"),
        *(f"{loop} over {what}" for loop in LOOPS for what in ("Attribute", "Subscript", "Name", "enumerate", "zip")),
        *("two comprehensions in one", "if in comprehension"),
    }


def words_of(tree: ast.AST) -> Iterator[str]:
    """The words of a function's syntax tree."""
    for node in ast.walk(tree):
        yield type(node).__name__
        match node:
            case ast.Name(name):
                yield name
            case ast.AugAssign(target, operator):
                yield f"{type(operator).__name__} = to {type(target).__name__}"
            case ast.Assign([target]):
                yield f"Assign to {type(target).__name__}"
            case ast.Attribute(ast.Attribute() | ast.Name()):
                yield ast.unparse(node)
            case ast.GeneratorExp(generators=[_, _, *_]):
                yield "two comprehensions in one"
            case ast.comprehension(iter=array):
                yield from _words_of_loop("comprehension", array)
                if node.ifs:
                    yield "if in comprehension"
            case ast.For(iter=array):
                yield from _words_of_loop("For", array)
        if isinstance(node, ast.For):
            inside = {type(each).__name__ for statement in node.body for each in ast.walk(statement)}
            yield from (f"{name} in For" for name in inside)


def _words_of_loop(loop: str, iterable: ast.expr) -> Iterator[str]:
    match iterable:
        case ast.Call(ast.Name("range"), arguments):
            step = "down" if len(arguments) == 3 and isinstance(arguments[2], ast.UnaryOp) else "up"
            yield f"range with {len(arguments)} and step {step}"
        case ast.Call(ast.Name(name), [argument, *_]):
            yield f"{loop} over {name}"
            if isinstance(argument, ast.Call):
                yield f"{name} of {ast.unparse(argument.func)}"
        case _:
            yield f"{loop} over {type(iterable).__name__}"


def use(model: Model, lines: LinesRun) -> None:
    """Bring the functions of a model into terms, machine code and footprints, as far as lines of that are missing."""
    with lines:
        if lines.misses(native):
            native.define(native.llvm.Module(), model.functions(), [])
        if lines.misses(footprint):
            for action in model.actions:
                footprint.footprint(action.read, (footprint.WHOLE_STATE, *(None for _ in action.parameters)))
        if lines.misses(symbolic):
            state = symbolic.variables(model.layout)
            for action in model.actions:
                symbolic.step(action, state, symbolic.parameter_variables(action))
            for each in model.properties:
                symbolic.holds(each, *[state, symbolic.variables(model.layout, "'")][: 1 + each.is_step])
