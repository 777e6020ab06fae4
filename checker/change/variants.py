"""Settings of a model at which an edit may matter though it does not at the model's own, the likeliest first."""

import ast
from collections.abc import Iterator, Sequence
from enum import IntEnum
from itertools import combinations

from kafkacheck.checker.change.definitions import Kind
from kafkacheck.checker.change.edits import Edit, Edits
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.names import RELEASE
from kafkacheck.checker.schema.releases import dated, order
from kafkacheck.checker.schema.rules import switches

Settings = tuple[str, ...]


def near_names(edits: Edits, touching: Sequence[Edit]) -> tuple[set[str], set[str]]:
    """The names that edited functions look up in something, such as a rule or a bound; and those that their callers
    and the functions that they call look up.
    """
    now = edits.now
    edited = {each.now.key for each in touching if each.now is not None}
    near = now.reached(edited) | {key for key in now.definitions if now.uses(key) & edited}
    own = _looked_up([each.definition.tree for each in touching])
    functions = [now.definitions[key].tree for key in near if now.definitions[key].kind is Kind.FUNCTION]
    return own, _looked_up(functions) - own


def _looked_up(trees: Sequence[ast.stmt]) -> set[str]:
    return {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def variants(model: Model, edits: Edits, touching: Sequence[Edit]) -> list[tuple[int, Settings]]:
    """Settings to try, each with its rank: one switch or bound at a time, then releases, then two switches at a time.

    Those come first that the edited functions read, then those that functions near them read.
    """
    own, near = near_names(edits, touching)

    def rank(name: str) -> int:
        last = name.rpartition(".")[2]
        return 0 if last in own else 1 if last in near else 3

    singles = [(rank(name), f"{name}={text}") for name, text in _others(model)]
    found: list[tuple[int, Settings]] = [(place, (text,)) for place, text in singles]
    found += [(4, (f"{RELEASE}{release}",)) for release in _releases(model)]
    close = [text for place, text in singles if place < 2]
    found += [(2, pair) for pair in combinations(close, 2) if _name(pair[0]) != _name(pair[1])]
    return sorted(found, key=lambda each: each[0])


def _name(text: str) -> str:
    return text.partition("=")[0]


def _others(model: Model) -> Iterator[tuple[str, str]]:
    """Each switch with its other values, and each bound with the next one."""
    for name, value in switches(model.rules).items():
        if isinstance(value, bool):
            yield name, str(not value).lower()
        elif isinstance(value, IntEnum):
            yield from ((name, each) for each, member in type(value).__members__.items() if member != value)
        else:
            yield name, str(value + 1)
    for name, bound in model.bounds.items():
        yield name, str(bound + 1)


def _releases(model: Model) -> list[str]:
    """The releases that a rule of the model names, the newest first."""
    named = {step.release for steps in dated(model.rules).values() for step in steps}
    return sorted((each for each in named if order(each) != (0,)), key=order, reverse=True)
