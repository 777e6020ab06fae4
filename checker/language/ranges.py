"""Shows, from the declared ranges alone, that no number in a model's functions can leave 64 bits.

Plain Python has integers of any size, machine code has 64 bits. A model for which this cannot be shown is refused when
it is defined, so that every reading computes the same. What each name can hold is followed as an interval through
branches, loops (round by round) and calls; conditions are not looked at.
"""

import ast
from collections.abc import Callable, Sequence
from typing import TypeVar

from kafkacheck.checker.language import ir
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.schema.shape import ArrayOf, Record, Scalar

Key = TypeVar("Key")

Interval = tuple[int, int]
"""The lowest and the highest value of an int, both inclusive."""

Place = tuple[Record, str] | ArrayOf
"""Where a scalar is kept: a field of a record type, or any array of a type."""

HIGHEST = 2**63 - 1
"""The lowest is -HIGHEST, so that a sign never leads outside."""

HIGHEST_SHIFT = 62
MOST_ROUNDS = 4096
MOST_STATEMENTS = 200_000
"""Beyond these a loop is no longer followed round by round; what still grows in it is taken to grow without end."""

_ENDLESS: Interval = (-(2**200), 2**200)


class Analysis:
    """What is known of the calls of a model's functions, and how much was looked at."""

    def __init__(self) -> None:
        self.statements = 0
        self._known: dict[object, tuple[Interval | None, dict[Place, Interval]]] = {}

    def require_words(self, function: ir.Function, arguments: Sequence[Interval | None]) -> None:
        """ModelError, naming the place and the mend, unless every number fits 64 bits when the function is called so.

        `arguments` are the intervals of the ints among its parameters, None for the others.
        """
        self.statements = 0
        self.call(function, tuple(arguments), {})

    def call(
        self, function: ir.Function, arguments: tuple[Interval | None, ...], stored: dict[Place, Interval]
    ) -> tuple[Interval | None, dict[Place, Interval]]:
        """What a call returns, and what places hold after it, given those that may hold more than they declare."""
        key = (function, arguments, frozenset(stored.items()))
        if key not in self._known:
            self._known[key] = _Run(self, function, arguments, stored).result()
        returned, after = self._known[key]
        return returned, dict(after)


class _Run:
    """One function, run on intervals."""

    def __init__(
        self,
        analysis: Analysis,
        function: ir.Function,
        arguments: tuple[Interval | None, ...],
        stored: dict[Place, Interval],
    ) -> None:
        self._analysis = analysis
        self._function = function
        self._names = {
            local.name: given for local, given in zip(function.parameters, arguments, strict=True) if given is not None
        }
        self._stored = dict(stored)
        self._returned: Interval | None = None
        self._left: dict[Place, Interval] = {}

    def result(self) -> tuple[Interval | None, dict[Place, Interval]]:
        """What it returns, and what places hold after it."""
        if not self._block(self._function.body):
            self._leave(None)
        return self._returned, self._left

    def _leave(self, value: Interval | None) -> None:
        if value is not None:
            self._returned = value if self._returned is None else _either(self._returned, value)
        self._left = _joined(self._left, self._stored)

    # -- statements --------------------------------------------------------------------------------------------

    def _block(self, body: tuple[ir.Statement, ...]) -> bool:
        """Run statements; whether every path through them returns."""
        return any(self._statement(statement) for statement in body)

    def _statement(self, statement: ir.Statement) -> bool:
        self._analysis.statements += 1
        match statement:
            case ir.Assign(name, value):
                self._bind(name, self._value(value))
            case ir.Store():
                self._store(statement)
            case ir.Do(call):
                self._value(call)
            case ir.Return(value):
                self._leave(None if value is None else self._value(value))
                return True
            case ir.If(test, then, otherwise):
                return self._if(test, then, otherwise)
            case ir.For():
                self._for(statement)
        return False

    def _bind(self, name: str, value: Interval | None) -> None:
        if value is not None:
            self._names[name] = value

    def _store(self, statement: ir.Store) -> None:
        value = self._value(statement.value)
        self._look(statement.place)
        if value is not None:
            place, declared = _place(statement.place), (statement.scalar.low, statement.scalar.high)
            now = _either(self._stored.get(place, declared), value)
            if now != declared:
                self._stored[place] = now

    def _if(self, test: ir.Expression, then: tuple[ir.Statement, ...], otherwise: tuple[ir.Statement, ...]) -> bool:
        self._look(test)
        names, stored = dict(self._names), dict(self._stored)
        then_ends = self._block(then)
        after_then = (self._names, self._stored)
        self._names, self._stored = names, stored
        if self._block(otherwise):
            if not then_ends:
                self._names, self._stored = after_then
            return then_ends
        if not then_ends:
            self._names, self._stored = _joined(after_then[0], self._names), _joined(after_then[1], self._stored)
        return False

    def _for(self, loop: ir.For) -> None:
        start, stop = self._int(loop.start), self._int(loop.stop)
        if loop.step > 0:
            rounds, counted = -((start[0] - stop[1]) // loop.step), (start[0], stop[1] - 1)
        else:
            rounds, counted = -((stop[0] - start[1]) // -loop.step), (stop[0] + 1, start[1])
        end = (counted[0] - abs(loop.step), counted[1] + abs(loop.step))
        if rounds > 0:
            self._checked(end, loop.node)
        if loop.node is not None:
            known = self._function.most_rounds
            known[loop.node] = max(known.get(loop.node, 0), rounds)
        before, done = (dict(self._names), dict(self._stored)), 0
        while done < rounds:
            self._names[loop.name] = counted
            self._block(loop.body)
            self._names, self._stored = _joined(before[0], self._names), _joined(before[1], self._stored)
            if (self._names, self._stored) == before:
                break
            done += 1
            if done == MOST_ROUNDS or self._analysis.statements > MOST_STATEMENTS:
                self._grow_endlessly(*before)
            before = (dict(self._names), dict(self._stored))

    def _grow_endlessly(self, names: dict[str, Interval], stored: dict[Place, Interval]) -> None:
        for name, value in self._names.items():
            if names.get(name, value) != value:
                self._names[name] = _ENDLESS
        for place, value in self._stored.items():
            if stored.get(place) != value:
                self._stored[place] = _ENDLESS

    # -- expressions -------------------------------------------------------------------------------------------

    def _int(self, expression: ir.Expression) -> Interval:
        value = self._value(expression)
        assert value is not None, "an int has an interval"
        return value

    def _look(self, expression: ir.Expression) -> None:
        """Look at everything in an expression, where what it can be does not matter."""
        while isinstance(expression, ir.Field):
            expression = expression.base
        if not isinstance(expression, ir.Const | ir.Local):
            self._value(expression)

    def _value(self, expression: ir.Expression) -> Interval | None:
        """What an expression can be where it is an int, else None. Everything in it is looked at."""
        match expression:
            case ir.Const(value):
                return None if isinstance(value, bool) else (value, value)
            case ir.Local(name, kind):
                return self._names.get(name, _ENDLESS) if kind in (ir.INT, ir.SET) else None
            case ir.Field(base):
                self._look(base)
                return self._read(expression)
            case ir.Element(base, _, index):
                self._look(base)
                self._look(index)
                return self._read(expression)
            case ir.Binary(operator, left, right):
                return self._binary(expression, operator, self._int(left), self._int(right))
            case ir.Unary(operator, operand):
                given = self._value(operand)
                return None if given is None else self._checked(_signed(operator, given), expression.node)
            case ir.Compare(_, parts) | ir.Logical(_, parts):
                for part in parts:
                    self._look(part)
                return None
            case ir.Choose(test, then, otherwise):
                self._look(test)
                one, other = self._value(then), self._value(otherwise)
                return None if one is None or other is None else _either(one, other)
            case ir.Removed():
                return None
            case ir.Call(function, arguments):
                passed = tuple(self._value(argument) for argument in arguments)
                returned, self._stored = self._analysis.call(function, passed, self._stored)
                return returned
        raise AssertionError(expression)

    def _read(self, place: ir.Place) -> Interval | None:
        if place.type == ir.BOOL or not isinstance(place.stored, Scalar):
            return None
        return self._stored.get(_place(place), (place.stored.low, place.stored.high))

    def _binary(self, expression: ir.Binary, operator: str, left: Interval, right: Interval) -> Interval:
        if operator == "<<" and right[1] > HIGHEST_SHIFT:
            raise self._error(
                expression.node,
                f"can shift by {_number(right[1])}, and at most {HIGHEST_SHIFT} fits 64 bits; bound it with "
                f"`min(..., {HIGHEST_SHIFT})`, or lower the range of what it shifts by",
            )
        return self._checked(_OPERATIONS[operator](left, right), expression.node)

    def _checked(self, value: Interval, node: ast.AST | None) -> Interval:
        if max(-value[0], value[1]) <= HIGHEST:
            return value
        far = value[1] if value[1] > HIGHEST else value[0]
        raise self._error(
            node,
            f"can leave 64 bits: by the declared ranges it can come to {_number(far)}; lower a range, or bound a part "
            "of it with min(), max() or %",
        )

    def _error(self, node: ast.AST | None, message: str) -> ModelError:
        function = self._function.function
        text = ast.unparse(node.iter if isinstance(node, ast.For) else node) if node is not None else "a number"
        place = place_of(function, getattr(node, "lineno", None))
        return ModelError(f"{place}: in {function.__name__}: `{text}` {message}")


def _number(value: int) -> str:
    """A number in words, if it is too long to read."""
    if abs(value) >= _ENDLESS[1]:
        return "more with every round of a loop"
    return str(value) if abs(value) < 10**6 else f"{'-' if value < 0 else ''}2**{abs(value).bit_length() - 1} or more"


def _place(place: ir.Place) -> Place:
    return (place.record, place.name) if isinstance(place, ir.Field) else place.array


def _either(one: Interval, other: Interval) -> Interval:
    return min(one[0], other[0]), max(one[1], other[1])


def _joined(one: dict[Key, Interval], other: dict[Key, Interval]) -> dict[Key, Interval]:
    """What holds where either does. A place that one of them does not have holds there what the other says."""
    return {**one, **{key: _either(one.get(key, value), value) for key, value in other.items()}}


def _corners(compute: Callable[[int, int], int], left: Sequence[int], right: Sequence[int]) -> Interval:
    values = [compute(one, other) for one in left for other in right]
    return min(values), max(values)


def _divided(left: Interval, right: Interval) -> Interval:
    """After a division by 0, which is an error, machine code goes on as if it were by 1."""
    divisors = [each for each in (*right, 1, -1) if right[0] <= each <= right[1] and each] or [1]
    return _corners(lambda one, other: one // other, left, [*divisors, 1] if right[0] <= 0 <= right[1] else divisors)


def _remainder(left: Interval, right: Interval) -> Interval:
    low, high = min(right[0] + 1, 0), max(right[1] - 1, 0)
    return low, min(high, left[1]) if left[0] >= 0 and right[0] >= 0 else high


def _shifted_left(left: Interval, right: Interval) -> Interval:
    return _corners(lambda one, other: one << other, left, [max(each, 0) for each in right])


def _shifted_right(left: Interval, right: Interval) -> Interval:
    return _corners(lambda one, other: one >> other, left, [min(max(each, 0), HIGHEST_SHIFT + 1) for each in right])


def _both_bits(left: Interval, right: Interval) -> Interval:
    unsigned = [each[1] for each in (left, right) if each[0] >= 0]
    return (0, min(unsigned)) if unsigned else _any_bits(left, right)


def _any_bits(left: Interval, right: Interval) -> Interval:
    """Every number of as many bits as the sides can have."""
    ends = (*left, *right)
    above = (1 << max((each if each >= 0 else ~each).bit_length() for each in ends)) - 1
    return 0 if min(ends) >= 0 else ~above, above


def _signed(operator: str, value: Interval) -> Interval:
    low, high = value
    if operator == "abs":
        return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    return (-high, -low) if operator == "-" else (~high, ~low)


_OPERATIONS: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": lambda left, right: (left[0] + right[0], left[1] + right[1]),
    "-": lambda left, right: (left[0] - right[1], left[1] - right[0]),
    "*": lambda left, right: _corners(lambda one, other: one * other, left, right),
    "//": _divided,
    "%": _remainder,
    "<<": _shifted_left,
    ">>": _shifted_right,
    "&": _both_bits,
    "|": _any_bits,
    "^": _any_bits,
    "min": lambda left, right: (min(left[0], right[0]), min(left[1], right[1])),
    "max": lambda left, right: (max(left[0], right[0]), max(left[1], right[1])),
}
