"""Functions as they were before an edit, made to run beside those of today, on the same records and rules.

Each is made of its former syntax tree. A name in it means what it meant then: a function that was edited, or calls one
that was, is a former one, too; anything else is today's.
"""

import ast
import importlib
import os
import sys
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from kafkacheck.checker.change.definitions import Key, Kind
from kafkacheck.checker.change.edits import Edits
from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import NOTHING
from kafkacheck.checker.language.removal import is_removed
from kafkacheck.checker.language.source import function_tree, made, parameter_names, variant
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import KafkacheckError, ModelError

FORMER = 1
"""The number by which `checker.language.removal` says that the former functions run."""

SUFFIX = "_as_it_was"
"""How the name of a former property ends."""

_IS_REMOVED, _THEN, _NOW = "__is_removed__", "__then__", "__now__"
_STEP = """
def {name}({parameters}):
    if {is_removed}({number}):
        return {then}({parameters})
    return {now}({parameters})
"""
_START = """
def {name}({parameters}):
    if {is_removed}({number}):
        {then}({parameters})
    else:
        {now}({parameters})
"""


class OtherModelError(KafkacheckError):
    """The two versions of a model cannot be one program."""


class Former:
    """The former functions of a tree, if today's modules that they need are imported."""

    def __init__(self, edits: Edits) -> None:
        self._edits = edits
        self._differing = _with_callers(edits)
        self._made: dict[Key, Any] = {}
        todays = edits.now.definitions
        self._former = {(todays[now].path, now[1]): former for former, now in edits.pairs.items()}

    def key_of(self, function: Any) -> Key | None:
        """The former definition of one of today's functions; None if it is new."""
        root = self._edits.now.root
        path = Path(function.__code__.co_filename).resolve()
        if not path.is_relative_to(root):
            return None
        return self._former.get((path.relative_to(root).as_posix(), function.__name__))

    def is_other(self, function: Any) -> bool:
        """Whether one of today's functions, or one that it calls, was another one."""
        key = self.key_of(function)
        return key is not None and key in self._differing

    def reaches(self, model: Model) -> bool:
        """Whether a function of a model, or one that it calls, was another one."""
        read = [each.function for each in (*model.functions(), *ir.reachable([each.read for each in model.lemmas]))]
        return any(isinstance(each, FunctionType) and self.is_other(each) for each in read)

    def function(self, key: Key, name: str | None = None) -> FunctionType:
        """The former function under a name. OtherModelError if it needs what is no more."""
        found = self._value(key)
        if not isinstance(found, FunctionType):
            raise OtherModelError(f"{key[1]} was no function")
        if name is None:
            return found
        tree = ast.FunctionDef(**{**vars(function_tree(found)), "name": name})
        return made(tree, found.__code__.co_filename, found.__globals__)

    def _value(self, key: Key) -> Any:
        if key not in self._made:
            definition = self._edits.before.definitions[key]
            if key not in self._differing and key in self._edits.pairs:
                self._made[key] = self._todays(self._edits.pairs[key])
            elif definition.kind is Kind.FUNCTION:
                assert isinstance(definition.tree, ast.FunctionDef)
                tree = ast.FunctionDef(**vars(definition.tree))
                scope: dict[str, Any] = {"__name__": key[0]}
                self._made[key] = made(tree, str(self._edits.before.path_of(key[0])), scope)
                self._fill(scope, key)
            elif definition.kind is Kind.VALUE and isinstance(definition.tree, ast.Assign | ast.AnnAssign):
                scope = {}
                self._fill(scope, key)
                value = ast.Expression(definition.tree.value or ast.Constant(None))
                self._made[key] = eval(compile(value, definition.path, "eval"), scope)
            else:
                raise OtherModelError(f"{definition.told} was another {definition.kind.value}")
        return self._made[key]

    def _fill(self, scope: dict[str, Any], key: Key) -> None:
        """Give a former definition the names that it uses, as they were."""
        before = self._edits.before
        named = before.names(key)
        for name, meant in named.items():
            first, *rest = name.split(".")
            if meant in before.definitions and not rest:
                scope[first] = self._value(meant)
            elif meant in before.definitions:
                scope[first] = self._module(scope.get(first), first, rest, self._value(meant))
        tree = before.definitions[key].tree
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id not in scope:
                source = before.imported(key[0], node.id)
                if source is not None:
                    scope[node.id] = _imported(*source)

    def _module(self, known: Any, name: str, rest: list[str], value: Any) -> ModuleType:
        """A module in which a dotted name has this value."""
        module = known if isinstance(known, ModuleType) else ModuleType(name)
        inner = value if len(rest) == 1 else self._module(getattr(module, rest[0], None), rest[0], rest[1:], value)
        setattr(module, rest[0], inner)
        return module

    def _todays(self, key: Key) -> Any:
        path = str(self._edits.now.path_of(key[0]).resolve())
        module = next((each for each in list(sys.modules.values()) if _file_of(each) == path), None)
        if module is None or not hasattr(module, key[1]):
            raise OtherModelError(f"{path} is not imported")
        return getattr(module, key[1])


def _file_of(module: object) -> str:
    file = getattr(module, "__file__", None)
    return os.path.realpath(file) if isinstance(file, str) else ""


def _with_callers(edits: Edits) -> set[Key]:
    """The former definitions that were edited, and the functions that use one of them, directly or not."""
    users: dict[Key, set[Key]] = {}
    for key, each in edits.before.definitions.items():
        if each.kind is Kind.FUNCTION:
            for used in edits.before.uses(key):
                users.setdefault(used, set()).add(key)
    found, left = set[Key](), [*edits.former]
    while left:
        key = left.pop()
        if key not in found:
            found.add(key)
            left += users.get(key, ())
    return found


def _imported(module: str, name: str) -> Any:
    try:
        found = importlib.import_module(module)
        return getattr(found, name) if name else found
    except (ImportError, AttributeError) as error:
        raise OtherModelError(f"what was imported is no more: {error}") from None


def one_program(model: Model, former: Former) -> Model:
    """The model that takes today's steps, or the former ones while `removal` says `FORMER`.

    Its properties are today's; those that were others follow as they were, under a name that ends in `SUFFIX`.
    OtherModelError if records, rules or bounds were others, or if an action had another name or other parameters.
    """
    returns = {each.function: each.read.returns != NOTHING for each in model.initial}
    try:
        changed = model.with_actions(lambda each: _switched(former, each, returns.get(each, True)))
        observers = [*model.sometimes, *model.predicates(), *([model.constraint] if model.constraint else [])]
        if any(former.is_other(each.function) for each in observers):
            raise OtherModelError("an example, a constraint or a part of a liveness property was another one")
        others = [each.function for each in changed.properties if former.is_other(each.function)]
        kept = [former.function(key, f"{each.__name__}{SUFFIX}") for each in others if (key := former.key_of(each))]
        return changed.with_given_lemmas(kept).with_lemmas() if kept else changed
    except (ModelError, NameError, TypeError, AttributeError) as error:
        raise OtherModelError(str(error)) from None


def _switched(former: Former, function: Any, returns: bool) -> Any:
    """A function that is the former one while `removal` says so."""
    key = former.key_of(function)
    if key is None or not former.is_other(function):
        return function
    then = former.function(key)
    if parameter_names(then) != parameter_names(function):
        raise OtherModelError(f"{function.__name__} had other parameters")
    text = (_STEP if returns else _START).format(
        name=function.__name__, parameters=", ".join(parameter_names(function)), is_removed=_IS_REMOVED,
        number=FORMER, then=_THEN, now=_NOW,
    )  # fmt: skip
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    for node in ast.walk(tree):
        if "lineno" in node._attributes:
            ast.copy_location(node, ast.Pass(lineno=function.__code__.co_firstlineno, col_offset=0))
    scope = {**function.__globals__, _IS_REMOVED: is_removed, _THEN: then, _NOW: function}
    return variant(function, scope, tree)
