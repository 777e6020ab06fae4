"""Which leaves a call of a protocol function may write, found from its typed form and what its arguments can be."""

from functools import lru_cache

from checker.language import ir
from checker.shape import leaf_count

MOST_KNOWN = 4096
"""How many values of a counter are followed one by one."""

Known = frozenset[int] | None
"""The values that an int can have, or the leaves at which a view can begin; None where any value is possible."""

WHOLE_STATE: Known = frozenset([0])


@lru_cache(maxsize=4096)
def written_leaves(function: ir.Function, arguments: tuple[Known, ...]) -> frozenset[int]:
    """The leaves that a call may write: those that it writes, and perhaps others."""
    return _Writes(function, arguments).leaves() if function.writes else frozenset()


class _Writes:
    """Collects what each name can stand for and what is written, without regard to the order of the statements."""

    def __init__(self, function: ir.Function, arguments: tuple[Known, ...]) -> None:
        self._function = function
        self._names = {local.name: known for local, known in zip(function.parameters, arguments, strict=True)}
        self._leaves: set[int] = set()

    def leaves(self) -> frozenset[int]:
        """The leaves that may be written. What a name stands for can depend on later statements of a loop."""
        before = None
        while before != (before := (dict(self._names), len(self._leaves))):
            self._run(self._function.body)
        return frozenset(self._leaves)

    def _run(self, body: tuple[ir.Statement, ...]) -> None:
        for statement in body:
            match statement:
                case ir.Assign(name, value):
                    self._evaluate(value)
                    self._bind(name, self._known(value))
                case ir.Store(place, value, _):
                    self._evaluate(place)
                    self._evaluate(value)
                    self._leaves |= self._begins(place)
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
        for call in ir.calls(expression):
            arguments = tuple(self._known(each) for each in call.arguments)
            self._leaves |= written_leaves(call.function, arguments)

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
        # Outside its array, an index is an error and counts as 0 (see `checker.machine.native`).
        indices = range(length) if known is None else {index if 0 <= index < length else 0 for index in known}
        return frozenset(begin + index * size for begin in base for index in indices)


def _counted(start: ir.Expression, stop: ir.Expression, step: int) -> Known:
    if isinstance(start, ir.Const) and isinstance(stop, ir.Const):
        counted = range(start.value, stop.value, step)
        return frozenset(counted) if len(counted) <= MOST_KNOWN else None
    return None
