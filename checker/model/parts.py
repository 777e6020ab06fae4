"""What a model is made of, once it is read: actions with their parameters, properties, measures."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kafkacheck.checker.language.ir import Function
from kafkacheck.checker.schema import Flag, Kind, is_id_set
from kafkacheck.checker.schema.id_sets import ID_SETS

LOST_TO_USERS = re.compile(r"^\s*Lost to users:", re.MULTILINE)
"""The part of a property's docstring that says what users lose if it fails."""

Protocol = Callable[..., Any]
"""A function of the protocol, in the plain subset."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an action and its domain `low` .. `high`, tried in that order."""

    name: str
    kind: Kind
    low: int
    high: int

    @property
    def values(self) -> tuple[int, ...]:
        """The domain, in the order in which it is tried; booleans for a flag."""
        if isinstance(self.kind, Flag):
            return (False, True)
        return tuple(range(self.low, self.high + 1))


@dataclass(frozen=True)
class Action:
    """A step of the system: a function `(state[, rules][, bounds], *parameters) -> bool` and its parameters' domains.

    `given`: the rules and the bounds, if the function takes them. `step` is the function that runs: `function` itself,
    or with its charge if it is charged to an `allowance` (`checker.model.charges`). `read` is that one as the plain
    subset understands it. `may_stutter`: it may be a step that leaves the state as it was.
    """

    name: str
    function: Protocol
    parameters: tuple[Parameter, ...]
    given: tuple[Any, ...]
    read: Function
    step: Protocol
    allowance: str = ""
    may_stutter: bool = False

    def apply(self, state: Any, values: Sequence[int]) -> bool:
        """Run the step on `state`, which it may change; whether it was enabled."""
        return bool(self.step(state, *self.given, *(self._with_sets(values) if self._takes_sets else values)))

    @cached_property
    def _takes_sets(self) -> bool:
        return any(is_id_set(each.kind) for each in self.parameters)

    def _with_sets(self, values: Sequence[int]) -> list[Any]:
        """The arguments of the function: id sets for what is kept as bitmasks."""
        pairs = zip(self.parameters, values, strict=True)
        return [ID_SETS[value] if is_id_set(each.kind) else value for each, value in pairs]

    def is_used_up(self, state: Any) -> bool:
        """Whether it is charged, and nothing is left in `state` to pay with."""
        return bool(self.allowance) and getattr(state.budget, self.allowance) == 0

    def combinations(self) -> Iterable[tuple[int, ...]]:
        """All parameter values in the order in which they are tried: the last parameter varies fastest."""
        return itertools.product(*(parameter.values for parameter in self.parameters))

    def combination_count(self) -> int:
        """How many parameter values there are to try."""
        return math.prod(parameter.high - parameter.low + 1 for parameter in self.parameters)

    def named(self, values: Sequence[int]) -> dict[str, int]:
        """Parameter values by name."""
        return {parameter.name: value for parameter, value in zip(self.parameters, values, strict=True)}


@dataclass(frozen=True)
class Property:
    """What must hold of every state (`is_step` False) or of every step (`is_step` True); or have an example."""

    name: str
    function: Protocol
    given: tuple[Any, ...]
    is_step: bool
    read: Function

    @property
    def is_outcome(self) -> bool:
        """Whether its docstring says what users lose if it fails; other properties only restate rules of the system."""
        return bool(LOST_TO_USERS.search(self.function.__doc__ or ""))

    def holds(self, *states: Any) -> bool:
        """Evaluate it on one state, or on the states before and after a step."""
        return bool(self.function(*states, *self.given))


@dataclass(frozen=True)
class Liveness:
    """What must come to pass in every fair behaviour: `goal`, some time, after every state of `trigger`.

    Without a `trigger`: after the initial state.
    """

    name: str
    trigger: Property | None
    goal: Property

    @property
    def is_outcome(self) -> bool:
        """Whether its goal is one."""
        return self.goal.is_outcome


@dataclass(frozen=True)
class Measure:
    """A number that a state has, by which the states of a state graph are grouped."""

    name: str
    function: Protocol
    given: tuple[Any, ...]
    read: Function

    def value(self, state: Any) -> int:
        """Evaluate it on one state."""
        return int(self.function(state, *self.given))
