"""Which leaves a call of a protocol function may read or write, from its typed form and what its arguments can be."""

from functools import lru_cache
from typing import NamedTuple

from kafkacheck.checker.language import ir
from kafkacheck.checker.schema.shape import leaf_count

MOST_KNOWN = 4096
"""How many values of a counter are followed one by one."""

Known = frozenset[int] | None
"""The values that an int can have, or the leaves at which a view can begin; None where any value is possible."""

WHOLE_STATE: Known = frozenset([0])


class Footprint(NamedTuple):
    """The leaves that a call may read and may write: those that it does, and perhaps others."""

    read: frozenset[int]
    written: frozenset[int]


@lru_cache(maxsize=4096)
def footprint(function: ir.Function, arguments: tuple[Known, ...]) -> Footprint:
    """What a call may read and write."""
    return _Call(function, arguments).footprint()


class _Call:
    """Collects what each name can stand for, what is read and what is written, whatever the order of the statements."""

    def __init__(self, function: ir.Function, arguments: tuple[Known, ...]) -> None:
        self._function = function
        self._names = {local.name: known for local, known in zip(function.parameters, arguments, strict=True)}
        self._read: set[int] = set()
        self._written: set[int] = set()

    def footprint(self) -> Footprint:
        """What may be read and written. What a name stands for can depend on later statements of a loop."""
        before = None
        while before != (before := (dict(self._names), len(self._read), len(self._written))):
            self._run(self._function.body)
        return Footprint(frozenset(self._read), frozenset(self._written))

    def _run(self, body: tuple[ir.Statement, ...]) -> None:
        for statement in body:
            match statement:
                case ir.Assign(name, value):
                    self._evaluate(value)
                    self._bind(name, self._known(value))
                case ir.Store(place, value, _):
                    for part in (*ir.parts(place), value):
                        self._evaluate(part)
                    self._written |= self._begins(place)
                case ir.If(test, then, otherwise):
                    self._evaluate(test)
                    self._run(then)
                    self._run(otherwise)
                case ir.For(name, start, stop, step, inner):
                    self._evaluate(start)
                    self._evaluate(stop)
                    self._bind(name, _counted(start, stop, step))
                    self._run(inner)
                case ir.Return(value) if value is not None:
                    self._evaluate(value)
                case ir.Do(call):
                    self._evaluate(call)

    def _bind(self, name: str, known: Known) -> None:
        before = self._names.get(name, frozenset())
        self._names[name] = None if known is None or before is None else before | known

    def _evaluate(self, expression: ir.Expression) -> None:
        for each in ir.within(expression):
            if isinstance(each, ir.Call):
                read, written = footprint(each.function, tuple(self._known(argument) for argument in each.arguments))
                self._read |= read
                self._written |= written
            elif isinstance(each, ir.Field | ir.Element) and isinstance(each.type, str):
                self._read |= self._begins(each)

    def _known(self, expression: ir.Expression) -> Known:
        match expression:
            case ir.Const(value):
                return frozenset([int(value)])
            case ir.Local(name, _):
                return self._names.get(name, frozenset())
            case ir.Field() | ir.Element() if not isinstance(expression.type, str):
                return self._begins(expression)
        return None

    def _begins(self, place: ir.Place) -> frozenset[int]:
        base = self._known(place.base)
        assert base is not None, "where a view begins is always known"
        if isinstance(place, ir.Field):
            offset = place.record.offsets[place.name]
            return frozenset(begin + offset for begin in base)
        length, size = place.array.length, leaf_count(place.array.element)
        known = self._known(place.index)
        # Outside its array, an index is an error and counts as 0 (see `checker.compiled.native`).
        indices = range(length) if known is None else {index if 0 <= index < length else 0 for index in known}
        return frozenset(begin + index * size for begin in base for index in indices)


def _counted(start: ir.Expression, stop: ir.Expression, step: int) -> Known:
    if isinstance(start, ir.Const) and isinstance(stop, ir.Const):
        counted = range(start.value, stop.value, step)
        return frozenset(counted) if len(counted) <= MOST_KNOWN else None
    return None
