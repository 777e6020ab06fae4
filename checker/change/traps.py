"""Does a model ever run the lines that were edited? A trap before each of them tells.

A trap is a statement that fails while `checker.language.removal` has its number, and does nothing otherwise. A model
runs the line behind a trap if its steps from some state that it reaches are other ones with the trap than without it.
"""

import ast
import copy
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from kafkacheck.checker.change.definitions import Kind, is_text, without_docstrings
from kafkacheck.checker.change.edits import Edit, Edits, Way
from kafkacheck.checker.language.source import function_tree
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.mutation import IS_REMOVED
from kafkacheck.checker.mutation.substitution import protocol_functions, with_trees


class Line(NamedTuple):
    """A line of a function: the path of its file from the top of the tree, its number, the name of the function."""

    path: str
    number: int
    function: str

    @property
    def told(self) -> str:
        """Such as "impl/log.py:9 in append"."""
        return f"{self.path}:{self.number} in {self.function}"


Place = tuple[list[ast.stmt], ast.stmt | None]
"""A block of a syntax tree and the statement in it before which something stands; None: at its end."""

TRAP = f"trap = 1 % (0 if {IS_REMOVED}({{number}}) else 1)"
"""The statement that fails while its number says so."""


class Traps:
    """The traps before the lines of functions that some edits change, in models of the working tree."""

    def __init__(self, edits: Edits) -> None:
        self._root = edits.now.root
        self._edits: dict[tuple[str, str], Edit] = {}
        for each in edits.edits:
            kinds = {part.kind for part in (each.before, each.now) if part is not None}
            if each.way is Way.EDITED and kinds == {Kind.FUNCTION}:
                self._edits[each.definition.place] = each

    def laid(self, model: Model) -> tuple[Model, dict[int, Line]]:
        """The model with its traps, and the line behind each trap, by the number of the trap."""
        trees, lines = {}, dict[int, Line]()
        for each in protocol_functions(model):
            function = each.function
            path = Path(function.__code__.co_filename).resolve()
            place = path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else ""
            edit = self._edits.get((place, function.__name__))
            if edit is not None and edit.before is not None:
                tree = copy.deepcopy(function_tree(function))
                for block, statement in list(edited_places([edit.before.tree], [tree])):
                    number = len(lines)
                    lines[number] = Line(place, (statement or block[-1]).lineno, function.__name__)
                    trap = ast.parse(TRAP.format(number=number)).body[0]
                    for node in ast.walk(trap):
                        ast.copy_location(node, statement or block[-1])
                    block.insert(len(block) if statement is None else block.index(statement), trap)
                trees[function] = tree
        return with_trees(model, trees), lines


def edited_places(before: list[ast.stmt], now: list[ast.stmt]) -> Iterator[Place]:
    """Where the statements of a block, and of blocks within it, are other ones than before."""
    olds, news = ([each for each in block if not is_text(each)] for block in (before, now))
    before_texts, now_texts = ([ast.dump(without_docstrings(each)) for each in block] for block in (olds, news))
    for tag, first, last, start, end in SequenceMatcher(a=before_texts, b=now_texts, autojunk=False).get_opcodes():
        if tag == "delete":
            yield now, news[start] if start < len(news) else None
        elif tag != "equal":
            is_paired = last - first == end - start
            for number, new in enumerate(news[start:end]):
                old = olds[first + number] if is_paired else None
                if old is None or _head(old) != _head(new):
                    yield now, new
                pairs = zip_longest([] if old is None else _blocks(old), _blocks(new), fillvalue=list[ast.stmt]())
                for one, other in pairs:
                    yield from edited_places(one, other)


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    return [getattr(statement, name) for name in ("body", "orelse") if hasattr(statement, name)]


def _head(statement: ast.stmt) -> str:
    """A statement without the blocks within it."""
    head = copy.copy(statement)
    for name in ("body", "orelse"):
        if hasattr(head, name):
            setattr(head, name, [])
    return ast.dump(head)
