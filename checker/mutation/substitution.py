"""A model in which functions of its actions are other ones, without touching any file or module.

The functions that the actions reach are copied; the copies see copies of their modules' names, in which the functions
and the modules that they name are the copies. So every caller sees the changed function, however it was imported, and
the model's own functions stay as they are.
"""

import ast
from collections.abc import Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import BOOL
from kafkacheck.checker.language.removal import is_removed
from kafkacheck.checker.language.source import codes_within, variant
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.charges import is_charged
from kafkacheck.checker.mutation import mutation
from kafkacheck.checker.mutation.mutation import IS_REMOVED, Mutant, mutants_of
from kafkacheck.checker.process.sources import is_of_checker


def protocol_functions(model: Model) -> list[ir.Function]:
    """The functions that the actions reach, callees first, each once; those of the checker itself left out.

    What charges an action is none of them: it says how often the model lets something happen, not when it can.
    """
    found: dict[FunctionType, ir.Function] = {}
    for each in ir.reachable([action.read for action in model.actions]):
        is_own = is_charged(each.function) or is_of_checker(each.function.__code__.co_filename)
        if not each.is_part and not is_own:
            found.setdefault(each.function, each)
    return list(found.values())


def mutants(model: Model) -> list[Mutant]:
    """Every mutant of every function that the actions reach, actions first in the model's order, then their callees.

    The value that an action returns is no condition of it: it says whether the action was enabled.
    """
    read: dict[Any, ir.Function] = {each.function: each for each in protocol_functions(model)}
    actions: list[Any] = [action.function for action in model.actions]
    found: list[Mutant] = []
    for function in dict.fromkeys([*actions, *read]):
        found += mutants_of(function, read[function].returns == BOOL and function not in actions)
    return found


def switched(model: Model, known: Mapping[int, Mutant]) -> Model:
    """The model whose actions can do without any one of these conditions: `removal.remove` says which by its number.

    ModelError if that is not well-formed.
    """
    by_function: dict[FunctionType, list[tuple[int, Mutant]]] = {}
    for number, mutant in known.items():
        by_function.setdefault(mutant.function, []).append((number, mutant))
    return with_trees(model, {each: mutation.switched(each, numbered) for each, numbered in by_function.items()})


def with_trees(model: Model, trees: Mapping[FunctionType, ast.FunctionDef]) -> Model:
    """The model in which functions of its actions have these syntax trees. ModelError if that is not well-formed."""
    copies = _Copies([each.function for each in protocol_functions(model)], trees)
    return model.with_actions(copies.function)


def switches_of(model: Model) -> set[int]:
    """The numbers of the conditions that a model with switches has; those that its rules leave out are none."""
    found: set[int] = set()
    for function in ir.reachable([action.read for action in model.actions]):
        found |= {each.number for each in ir.switches(function)}
    return found


class _Copies:
    """Copies of functions that call each other, some with another syntax tree."""

    def __init__(self, functions: Iterable[FunctionType], trees: Mapping[FunctionType, ast.FunctionDef]) -> None:
        self._own = set(functions)
        self._trees = trees
        codes = [code for function in self._own for code in codes_within(function.__code__)]
        self._names = {name for code in codes for name in code.co_names}
        self._functions: dict[FunctionType, FunctionType] = {}
        self._modules: dict[ModuleType, ModuleType] = {}
        self._scopes: dict[int, dict[str, Any]] = {}

    def function(self, function: Any) -> Any:
        """The copy of a function; itself if it is none of them."""
        if function not in self._own:
            return function
        if function not in self._functions:
            scope = self._scopes.get(id(function.__globals__))
            is_new = scope is None
            if scope is None:
                scope = self._scopes[id(function.__globals__)] = {**function.__globals__, IS_REMOVED: is_removed}
            self._functions[function] = variant(function, scope, self._trees.get(function))
            if is_new:
                self._fill(scope)
        return self._functions[function]

    def _fill(self, scope: dict[str, Any]) -> None:
        for name in self._names & scope.keys():
            value = scope[name]
            if isinstance(value, FunctionType):
                scope[name] = self.function(value)
            elif isinstance(value, ModuleType):
                scope[name] = self._module(value)

    def _module(self, module: ModuleType) -> ModuleType:
        if module not in self._modules:
            copy = self._modules[module] = ModuleType(module.__name__)
            copy.__dict__.update(vars(module))
            self._fill(copy.__dict__)
        return self._modules[module]
