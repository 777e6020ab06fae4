"""Removing one condition of a function, by its syntax tree.

Each `Mutant` is a function with one condition gone:

- an `if` is never taken; or always, where its body does not return. A guard `if ...: return False` is thus removed.
- the test of a conditional expression is always or never true.
- an operand of `and` or `or` is dropped: what is left decides.
- what a predicate returns is always true, or never.
- a link of a chain of comparisons is dropped; `<` becomes `<=` and back, `>` becomes `>=` and back.

A condition that reads nothing but constants and the rules is left alone: it is a switch, which a model sets.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType

from checker.source import function_tree, place_of

Change = tuple[str, Callable[[ast.AST], ast.AST]]
"""What becomes of a condition, in words, and what makes of the node that holds it the changed one."""

_ACROSS: dict[type[ast.cmpop], tuple[str, type[ast.cmpop]]] = {
    ast.Lt: ("< becomes <=", ast.LtE),
    ast.LtE: ("<= becomes <", ast.Lt),
    ast.Gt: ("> becomes >=", ast.GtE),
    ast.GtE: (">= becomes >", ast.Gt),
}


RULES = "rules"
"""The name of the parameter that holds a model's switches."""


@dataclass(frozen=True, eq=False)
class Mutant:
    """A function without one of its conditions.

    `text` is the source text of the condition, `change` what becomes of it in words, `line` where it stands, and
    `tree` the changed function. `name` tells it from all others of the model and does not move with the line.
    """

    function: FunctionType
    text: str
    change: str
    line: int
    tree: ast.FunctionDef
    ordinal: int

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
    tree = function_tree(function)
    found: list[Mutant] = []
    seen: dict[tuple[str, str], int] = {}
    for index, node in enumerate(ast.walk(tree)):
        for text, (change, make) in _Conditions(function, is_predicate).changes(node):
            seen[text, change] = seen.get((text, change), 0) + 1
            changed = _changed(tree, index, make)
            found.append(Mutant(function, text, change, _line(node), changed, seen[text, change]))
    return sorted(found, key=lambda each: each.line)


def _line(node: ast.AST) -> int:
    line: int = getattr(node, "lineno", 0)
    return line


def _changed(tree: ast.FunctionDef, index: int, make: Callable[[ast.AST], ast.AST]) -> ast.FunctionDef:
    """A copy of the tree in which the node of that number is another."""
    whole = copy.deepcopy(tree)
    target = list(ast.walk(whole))[index]

    class Swap(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is not target:
                return self.generic_visit(node)
            made = make(node)
            return made if made is node else ast.copy_location(made, node)

    swapped = Swap().visit(whole)
    assert isinstance(swapped, ast.FunctionDef)
    return ast.fix_missing_locations(swapped)


class _Conditions:
    """Finds the conditions of one function."""

    def __init__(self, function: FunctionType, is_predicate: bool) -> None:
        self._names = set(function.__code__.co_varnames) - {RULES}
        self._is_predicate = is_predicate

    def changes(self, node: ast.AST) -> Iterator[tuple[str, Change]]:
        """The source text of each condition that a node holds, and each of its changes."""
        if isinstance(node, ast.If) and self._varies(node.test):
            yield from _branch_changes(node)
        elif isinstance(node, ast.IfExp) and self._varies(node.test):
            yield ast.unparse(node), ("never", _with_test(False))
            yield ast.unparse(node), ("always", _with_test(True))
        elif isinstance(node, ast.BoolOp):
            for place, operand in enumerate(node.values):
                if self._varies(operand):
                    change = f"without `{ast.unparse(operand)}`"
                    yield ast.unparse(node), (change, _with_operand(place, isinstance(node.op, ast.And)))
        elif isinstance(node, ast.Return) and self._is_predicate and node.value is not None:
            if self._varies(node.value):
                for value in (True, False):
                    yield ast.unparse(node), (f"always {value}", _returning(value))
        elif isinstance(node, ast.Compare) and self._varies(node):
            yield from _comparison_changes(node)

    def _varies(self, condition: ast.expr) -> bool:
        """Whether a condition reads a parameter or local name other than the rules."""
        return any(isinstance(each, ast.Name) and each.id in self._names for each in ast.walk(condition))


def _branch_changes(node: ast.If) -> Iterator[tuple[str, Change]]:
    returns = isinstance(node.body[-1], ast.Return)
    text = f"if {ast.unparse(node.test)}"
    if returns and len(node.body) == 1:
        text += f": {ast.unparse(node.body[0])}"
    yield text, ("never taken", _with_test(False))
    if not returns:
        yield text, ("always taken", _with_test(True))


def _comparison_changes(node: ast.Compare) -> Iterator[tuple[str, Change]]:
    text = ast.unparse(node)
    for place, operation in enumerate(node.ops):
        if type(operation) in _ACROSS:
            change, other = _ACROSS[type(operation)]
            which = f" ({place + 1})" if len(node.ops) > 1 else ""
            yield text, (change + which, _with_operation(place, other))
    if len(node.ops) > 1:
        sides = [node.left, *node.comparators]
        for place, operation in enumerate(node.ops):
            link = ast.unparse(ast.Compare(sides[place], [operation], [sides[place + 1]]))
            yield text, (f"without `{link}`", _without_link(place))


def _with_test(value: bool) -> Callable[[ast.AST], ast.AST]:
    def make(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.If | ast.IfExp)
        node.test = ast.copy_location(ast.Constant(value), node.test)
        return node

    return make


def _with_operand(place: int, value: bool) -> Callable[[ast.AST], ast.AST]:
    def make(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.BoolOp)
        node.values[place] = ast.copy_location(ast.Constant(value), node.values[place])
        return node

    return make


def _returning(value: bool) -> Callable[[ast.AST], ast.AST]:
    def make(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Return)
        node.value = ast.copy_location(ast.Constant(value), node)
        return node

    return make


def _with_operation(place: int, other: type[ast.cmpop]) -> Callable[[ast.AST], ast.AST]:
    def make(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Compare)
        node.ops[place] = other()
        return node

    return make


def _without_link(place: int) -> Callable[[ast.AST], ast.AST]:
    def make(node: ast.AST) -> ast.AST:
        assert isinstance(node, ast.Compare)
        sides = [node.left, *node.comparators]
        left = ast.Compare(sides[0], node.ops[:place], sides[1 : place + 1]) if place else None
        rest = node.ops[place + 1 :]
        right = ast.Compare(sides[place + 1], rest, sides[place + 2 :]) if rest else None
        parts: list[ast.expr] = [each for each in (left, right) if each is not None]
        return parts[0] if len(parts) == 1 else ast.BoolOp(ast.And(), parts)

    return make
