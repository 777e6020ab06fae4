"""Bounds that no state reaches, and parameters with which an action is never possible: what a search did not need.

They are looked for in the states that a search has visited, so that the search itself is no slower.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, Protocol

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.schema.bounds import names_in
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.schema.schema import Allowance
from kafkacheck.checker.schema.shape import ArrayOf, Scalar, Type, leaf_count

MOST_CALLS = 10_000
"""If there are more states times calls (an action with its parameters), nothing is said of parameters."""


class Visited(Protocol):
    """The states that a search has visited."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def has(self, place: int, value: int) -> bool:
        """Whether the leaf of that number has that value in one of them."""
        ...

    def varies(self, place: int) -> bool:
        """Whether the leaf of that number has several values in them."""
        ...

    def values(self) -> Sequence[Values]:
        """All of them, flattened; to be asked for few states only."""
        ...


class Rows:
    """States as the interpreted reading keeps them; `values` flattens one."""

    def __init__(self, rows: Sequence[bytes], values: Callable[[bytes], Values]) -> None:
        self._rows, self._values = rows, values

    def __len__(self) -> int:
        return len(self._rows)

    def has(self, place: int, value: int) -> bool:
        """Whether a leaf has that value in one of them. The last ones come first, as bounds are reached late."""
        return any(self._values(row)[place] == value for row in reversed(self._rows))

    def varies(self, place: int) -> bool:
        """Whether a leaf has several values in them."""
        first = self._values(self._rows[0])[place]
        return any(self._values(row)[place] != first for row in reversed(self._rows))

    def values(self) -> Sequence[Values]:
        """All of them, flattened."""
        return [*map(self._values, self._rows)]


class _Use(NamedTuple):
    """How a state reaches a bound: a leaf has this value, or several values if it is None."""

    leaf: int
    value: int | None


@dataclass(frozen=True)
class Unreached:
    """What no visited state needs: bounds by name, and values with which an action is never possible, in words."""

    bounds: dict[str, int] = field(default_factory=dict)
    calls: tuple[str, ...] = ()


def unreached(model: Model, visited: Visited, is_whole: bool = True) -> Unreached:
    """The bounds that no visited state reaches, and the values that an action's parameter never has.

    A state reaches a bound if a field has the highest value that the bound gives it, if it changes the last element of
    an array that the bound sizes, or if it leaves nothing of an allowance. Nothing is said of a bound that does none of
    this, of an action that is never possible, of the value "none", and of parameters unless all states are visited
    (`is_whole`).
    """
    uses: dict[str, list[_Use]] = {}
    for name, use in _uses(model.layout.root, 0):
        if model.layout.leaves[use.leaf].scalar.missing == "":
            uses.setdefault(name, []).append(use)
    idle = [name for name in model.bounds if name in uses and not any(_occurs(visited, use) for use in uses[name])]
    calls = tuple(_impossible_calls(model, visited)) if is_whole else ()
    return Unreached({name: model.bounds[name] for name in idle}, calls)


def _impossible_calls(model: Model, visited: Visited) -> Iterator[str]:
    if len(visited) * sum(action.combination_count() for action in model.actions) > MOST_CALLS:
        return
    evaluation, states = Evaluation(model), visited.values()
    for action in model.actions:
        missing = {(each.name, value) for each in action.parameters for value in each.values if value >= 0}
        total = len(missing)
        for values, given in itertools.product(states, action.combinations()):
            having = missing & {*action.named(given).items()}
            if having and evaluation.apply(action, given, values) is not None:
                missing -= having
        for parameter in action.parameters if len(missing) < total else ():
            told = [value for value in parameter.values if (parameter.name, value) in missing]
            if told:
                shown = " or ".join(pretty.kind_value_text(parameter.kind, value) for value in told)
                yield f"{action.name} is never possible with {parameter.name}={shown}"


def _occurs(visited: Visited, use: _Use) -> bool:
    return visited.varies(use.leaf) if use.value is None else visited.has(use.leaf, use.value)


def _uses(node: Type, first: int) -> Iterator[tuple[str, _Use]]:
    """Every bound that gives something in a type a range or a size, with how it is reached; `first`: its first leaf."""
    if isinstance(node, Scalar):
        use = _Use(first, node.low if isinstance(node.kind, Allowance) else node.high)
        yield from ((name, use) for name in _bounds_of(node.kind))
    elif isinstance(node, ArrayOf):
        size = leaf_count(node.element)
        last = first + (node.length - 1) * size
        for name in _bounds_of(node.index):
            yield from ((name, _Use(leaf, None)) for leaf in range(last, last + size))
        for index in range(node.length):
            yield from _uses(node.element, first + index * size)
    else:
        for _, child in node.fields:
            yield from _uses(child, first)
            first += leaf_count(child)


def _bounds_of(kind: Any) -> set[str]:
    """The bounds that the range of a kind, or the length of an array by its index, depends on."""
    sizes = (getattr(kind, each.name) for each in fields(kind))
    return {name for size in sizes if isinstance(size, str) for name in names_in(size)}
