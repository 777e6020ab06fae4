"""Removing one condition of a function, by its syntax tree.

Each `Mutant` is a function with one condition gone:

- an `if` is never taken; or always, if its body does not return. A guard `if ...: return False` is thus removed.
- the test of a conditional expression is always or never true.
- an operand of `and` or `or` is dropped: the rest decides.
- the value that a predicate returns is always true, or never.
- a link of a chain of comparisons is dropped; `<` becomes `<=` and back, `>` becomes `>=` and back.
- an `if` of a generator is dropped; or, if any(...) or all(...) has one, its question about each remaining element.

A condition that reads nothing but constants, rules and bounds is left alone: it is a switch, which a model sets.

`switched` makes one function of all these: it asks `checker.language.removal` which of its conditions is removed.
"""

import ast
import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType

from kafkacheck.checker.language.source import codes_within, function_tree
from kafkacheck.checker.process.locations import place_of

Change = tuple[str, str, ast.expr]
"""The source text of a condition, its change in words, and the expression that takes its place."""

_ACROSS: dict[type[ast.cmpop], tuple[str, type[ast.cmpop]]] = {
    ast.Lt: ("< becomes <=", ast.LtE),
    ast.LtE: ("<= becomes <", ast.Lt),
    ast.Gt: ("> becomes >=", ast.GtE),
    ast.GtE: (">= becomes >", ast.Gt),
}

SETTINGS = {"rules", "bounds"}
"""The names of the parameters that are constant in a model."""

IS_REMOVED = "__is_removed__"
"""The name under which functions with switches call `removal.is_removed`."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """A function without one of its conditions.

    `text` is the source text of the condition, `change` its change in words, `line` its line; `instead`
    is the expression that takes its place, and `node` the number of the node that holds it, in the order of
    `ast.walk`. `name` tells it from all others of the file and does not move with the line.
    """

    function: FunctionType
    text: str
    change: str
    line: int
    ordinal: int
    node: int
    instead: ast.expr

    @property
    def name(self) -> str:
        """Such as "client_writes: if not client.has_read: return False: never taken"."""
        again = f" ({self.ordinal})" if self.ordinal > 1 else ""
        return f"{self.function.__name__}: {self.text}: {self.change}{again}"

    @property
    def place(self) -> str:
        """Where the condition stands, "path:line"."""
        return place_of(self.function, self.line)


def mutants_of(function: FunctionType, is_predicate: bool) -> list[Mutant]:
    """Every mutant of a function, in the order of its text; `is_predicate`: its returned values are conditions."""
    found: list[Mutant] = []
    seen: dict[tuple[str, str], int] = {}
    conditions = _Conditions(function, is_predicate)
    for index, node in enumerate(ast.walk(function_tree(function))):
        for text, change, instead in conditions.changes(node):
            seen[text, change] = seen.get((text, change), 0) + 1
            found.append(Mutant(function, text, change, _line(node), seen[text, change], index, instead))
    return sorted(found, key=lambda each: each.line)


def _line(node: ast.AST) -> int:
    line: int = getattr(node, "lineno", 0)
    return line


def switched(function: FunctionType, numbered: Sequence[tuple[int, Mutant]]) -> ast.FunctionDef:
    """The tree of a function in which the condition of each of these mutants is removed while its number says so."""
    whole = copy.deepcopy(function_tree(function))
    nodes = list(ast.walk(whole))
    changes: dict[ast.AST, list[tuple[int, ast.expr]]] = {}
    for number, mutant in numbered:
        changes.setdefault(nodes[mutant.node], []).append((number, mutant.instead))
    tree = _Switches(changes).visit(whole)
    assert isinstance(tree, ast.FunctionDef)
    return ast.fix_missing_locations(tree)


class _Switches(ast.NodeTransformer):
    """Puts switches around conditions: the replacement of each, by the node that holds it."""

    def __init__(self, changes: dict[ast.AST, list[tuple[int, ast.expr]]]) -> None:
        self._changes = changes

    def visit(self, node: ast.AST) -> ast.AST:
        """The node with its switches, and those within it."""
        changes = self._changes.get(node, [])
        self.generic_visit(node)
        if isinstance(node, ast.If | ast.IfExp):
            node.test = _switches(node.test, changes)
        elif isinstance(node, ast.Return) and node.value is not None:
            node.value = _switches(node.value, changes)
        elif isinstance(node, ast.expr):
            return _switches(node, changes)
        return node


def _switches(usual: ast.expr, changes: Sequence[tuple[int, ast.expr]]) -> ast.expr:
    for number, instead in changes:
        call = ast.Call(ast.Name(IS_REMOVED, ast.Load()), [ast.Constant(number)], [])
        usual = ast.copy_location(ast.IfExp(call, instead, usual), usual)
    return usual


class _Conditions:
    """Finds the conditions of one function."""

    def __init__(self, function: FunctionType, is_predicate: bool) -> None:
        codes = codes_within(function.__code__)
        self._names = {name for code in codes for name in (*code.co_varnames, *code.co_cellvars)} - SETTINGS
        self._is_predicate = is_predicate
        self._generated: dict[ast.AST, Change] = {}

    def changes(self, node: ast.AST) -> Iterator[Change]:
        """Each change of each condition that a node holds. Nodes are given from the outside in, as by `ast.walk`."""
        if isinstance(node, ast.Call):
            self._generated |= {part: change for part, change in _generator_changes(node) if self._varies(part)}
        if node in self._generated:
            yield self._generated[node]
        if isinstance(node, ast.If) and self._varies(node.test):
            yield from _branch_changes(node)
        elif isinstance(node, ast.IfExp) and self._varies(node.test):
            yield ast.unparse(node), "never", ast.Constant(False)
            yield ast.unparse(node), "always", ast.Constant(True)
        elif isinstance(node, ast.BoolOp):
            for place, operand in enumerate(node.values):
                if self._varies(operand):
                    rest = [each for other, each in enumerate(node.values) if other != place]
                    left = rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
                    yield ast.unparse(node), f"without `{ast.unparse(operand)}`", left
        elif isinstance(node, ast.Return) and self._is_predicate and node.value is not None:
            if self._varies(node.value):
                for value in (True, False):
                    yield ast.unparse(node), f"always {value}", ast.Constant(value)
        elif isinstance(node, ast.Compare) and self._varies(node):
            yield from _comparison_changes(node)

    def _varies(self, condition: ast.expr) -> bool:
        """Whether a condition reads a parameter or local name other than the rules."""
        return any(isinstance(each, ast.Name) and each.id in self._names for each in ast.walk(condition))


def _generator_changes(node: ast.Call) -> Iterator[tuple[ast.expr, Change]]:
    """The conditions of the generator of any(...), all(...) or sum(...), each with its change."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.GeneratorExp() as generator]):
            text = f"{name}({ast.unparse(generator)[1:-1]})"
            tests = [test for clause in generator.generators for test in clause.ifs]
            for test in tests:
                yield test, (text, f"without `if {ast.unparse(test)}`", ast.Constant(True))
            element = generator.elt
            whole = {"any": ast.And, "all": ast.Or}.get(name)
            if whole and tests and not (isinstance(element, ast.BoolOp) and isinstance(element.op, whole)):
                yield element, (text, f"without `{ast.unparse(element)}`", ast.Constant(name == "any"))


def _branch_changes(node: ast.If) -> Iterator[Change]:
    returns = isinstance(node.body[-1], ast.Return)
    text = f"if {ast.unparse(node.test)}"
    if returns and len(node.body) == 1:
        text += f": {ast.unparse(node.body[0])}"
    yield text, "never taken", ast.Constant(False)
    if not returns:
        yield text, "always taken", ast.Constant(True)


def _comparison_changes(node: ast.Compare) -> Iterator[Change]:
    text = ast.unparse(node)
    sides = [node.left, *node.comparators]
    for place, operation in enumerate(node.ops):
        if type(operation) in _ACROSS:
            change, other = _ACROSS[type(operation)]
            which = f" ({place + 1})" if len(node.ops) > 1 else ""
            operations = [*node.ops[:place], other(), *node.ops[place + 1 :]]
            yield text, change + which, ast.Compare(node.left, operations, node.comparators)
    if len(node.ops) > 1:
        for place, operation in enumerate(node.ops):
            link = ast.unparse(ast.Compare(sides[place], [operation], [sides[place + 1]]))
            yield text, f"without `{link}`", _without_link(node, place)


def _without_link(node: ast.Compare, place: int) -> ast.expr:
    sides = [node.left, *node.comparators]
    left = ast.Compare(sides[0], node.ops[:place], sides[1 : place + 1]) if place else None
    rest = node.ops[place + 1 :]
    right = ast.Compare(sides[place + 1], rest, sides[place + 2 :]) if rest else None
    parts: list[ast.expr] = [each for each in (left, right) if each is not None]
    return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)
