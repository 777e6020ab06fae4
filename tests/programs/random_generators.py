"""Random any(...), all(...), sum(...), loops over several arrays, and whole records, for `random_functions`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.programs import random_containers
from tests.programs.random_schemas import ArrayOf, Record, Scalar, Type, is_known
from tests.programs.random_sets import ids

if TYPE_CHECKING:
    from tests.programs.random_expressions import ExpressionWriter

MOST_ROUNDS = 25
"""How often a generator can give an element at most."""


def generated(writer: "ExpressionWriter", name: str, depth: int) -> tuple[str, int, int]:
    """any(...), all(...) or sum(...) over a generator as text, and the range of its values."""
    kept = writer.scope.copy()
    with writer.quiet():
        clauses = [_clause(writer) for _ in range(writer.random.choice([1, 1, 1, 2]))]
        if name == "sum":
            number = writer.number(depth)
            text, low, high = number.text, min(number.low, 0) * MOST_ROUNDS, max(number.high, 0) * MOST_ROUNDS
        else:
            text, low, high = writer.truth(depth), 0, 1
    writer.scope = kept
    return f"{name}({text} {' '.join(clauses)})", low, high


def _clause(writer: "ExpressionWriter") -> str:
    found = writer.place(lambda kind: isinstance(kind, ArrayOf), 1) if writer.chance(0.7) else None
    held = random_containers.elements(writer) if writer.chance(0.3) else None
    if held is not None:
        target, over, record, index, most = held
        writer.learn(target.split(", ")[-1], record)
        if index:
            writer.scope.ints[index] = (0, most - 1)
    elif writer.chance(0.15):
        target, over = members(writer)
    elif found is None:
        target = writer.new_counter()
        over = f"range({writer.within(writer.number(1), 0, 3)})" if writer.chance(0.5) else "range(2, -1, -1)"
        writer.scope.ints[target] = (0, 3)
    else:
        target, over = elements(writer, *found)
    tests = [f" if {writer.truth(1)}" for _ in range(writer.random.choice([0, 0, 1, 2]))]
    return f"for {target} in {over}{''.join(tests)}"


def elements(writer: "ExpressionWriter", text: str, kind: Type) -> tuple[str, str]:
    """The target and the iterable of a loop over an array, alone or with another one; the target's names are known."""
    assert isinstance(kind, ArrayOf)
    pairs = [(text, kind)]
    while writer.chance(0.3) and len(pairs) < 3:
        other = writer.place(lambda each: isinstance(each, ArrayOf) and each.length == kind.length, 1)
        assert other is not None and isinstance(other[1], ArrayOf)
        pairs.append((other[0], other[1]))
    names = [writer.new_counter() for _ in pairs]
    target, over = names[0], text
    if len(pairs) > 1:
        target, over = ", ".join(names), f"zip({', '.join(each for each, _ in pairs)})"
    if writer.chance(0.3):
        index = writer.new_counter()
        target = f"{index}, ({target})" if len(pairs) > 1 else f"{index}, {target}"
        over = f"enumerate({over})"
        writer.scope.ints[index] = (0, kind.length - 1)
    for name, (_, each) in zip(names, pairs, strict=True):
        writer.learn(name, each.element)
    return target, over


def members(writer: "ExpressionWriter") -> tuple[str, str]:
    """The target and the iterable of a loop over an id set."""
    over, target = ids(writer, 1), writer.new_counter()
    writer.scope.ints[target] = (0, 2)
    return target, over


def compared(writer: "ExpressionWriter") -> str | None:
    """Two records or arrays of one type, compared."""
    sides = _two_places(writer, lambda kind: not isinstance(kind, Scalar))
    return sides and f"({sides[0]} {writer.random.choice(['==', '!='])} {sides[1]})"


def written(writer: "ExpressionWriter") -> str | None:
    """A call of `clear` or `copy`."""
    if writer.chance(0.4):
        found = writer.place(lambda kind: isinstance(kind, Record) and kind is not writer.state and is_known(kind), 2)
        return found and f"clear({found[0]})"
    sides = _two_places(writer, lambda kind: not isinstance(kind, Scalar) and kind is not writer.state)
    return sides and f"{writer.random.choice(['', 'schema.'])}copy({sides[0]}, {sides[1]})"


def _two_places(writer: "ExpressionWriter", wanted: Callable[[Type], bool]) -> tuple[str, str] | None:
    one = writer.place(wanted, 2)
    other = one and writer.place(lambda kind: kind == one[1], 2)
    return (one[0], other[0]) if one and other and one[0] != other[0] else None
