"""The symbolic reading: protocol functions as terms over any state, their branches merged.

It walks the same typed form (`checker.language.ir`) that becomes machine code. A branch is read on both sides, and its
condition chooses between values that differ; a loop is unrolled over the values that its counter can have; an index
that is not known chooses among the elements. An error of plain Python becomes the condition under which it is raised.

The order of evaluation is that of `checker.language.ir`. The state at the point of reading is inside `_Machine` and
nowhere else: a scalar is read and written by its place at that moment, and a branch keeps the state as a tuple, into
which nothing can be stored.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kafkacheck.checker.language import ir
from kafkacheck.checker.model import Action, Property
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.process.locations import place_of
from kafkacheck.checker.schema import Flag
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.shape import ArrayOf, leaf_count
from kafkacheck.checker.symbolic import terms
from kafkacheck.checker.symbolic.terms import FALSE, ONE, TRUE, ZERO, Term

LOWEST, HIGHEST = -(2**63), 2**63 - 1
"""The integers that every reading can compute with."""

HIGHEST_SHIFT = 62
MOST_ROUNDS = 100_000
"""How many rounds of one loop are unrolled."""

Leaves = tuple[Term, ...]
"""A state as the terms of its scalars, in the order of the layout's leaves."""


class View(NamedTuple):
    """A record or array of the state: at which leaf it begins, if that is not known under which condition."""

    places: tuple[tuple[Term, int], ...]


Read = Term | View


@dataclass(frozen=True)
class Effect:
    """A call on any state: the value that it returns (None for nothing), the state after it, and when it fails."""

    value: Term | None
    leaves: Leaves
    fault: Term


class Step(NamedTuple):
    """An action on any state: when it is enabled, the state that it leads to, and when its code fails."""

    enabled: Term
    leaves: Leaves
    fault: Term


def variables(layout: Layout, suffix: str = "") -> Leaves:
    """A state of which only the ranges are known; the variables are named after the leaves' paths.

    `checker.symbolic.well_formed` says what else is so of every state that there can be.
    """
    return tuple(
        terms.as_number(terms.flag(leaf.path + suffix))
        if isinstance(leaf.kind, Flag) and leaf.low < leaf.high
        else terms.variable(leaf.path + suffix, leaf.low, leaf.high)
        for leaf in layout.leaves
    )


def parameter_variables(action: Action, suffix: str = "") -> tuple[Term, ...]:
    """Any values of an action's parameters; the variables are named `action(parameter)`."""
    names = [(each, f"{action.name}({each.name}){suffix}") for each in action.parameters]
    return tuple(
        terms.flag(name) if isinstance(each.kind, Flag) else terms.variable(name, each.low, each.high)
        for each, name in names
    )


def constants(values: Sequence[int]) -> Leaves:
    """A known state."""
    return tuple(terms.number(value) for value in values)


def step(action: Action, leaves: Leaves, parameters: Sequence[Term]) -> Step:
    """The step of an action from a state, with these values of its parameters."""
    effect = run(action.read, leaves, [_view(0), *parameters])
    return Step(TRUE if effect.value is None else effect.value, effect.leaves, effect.fault)


def holds(condition: Property, *states: Leaves) -> Term:
    """When a property holds of a state, or of a state and the next one: it returns True and does not fail."""
    effect = _observed(condition, *states)
    assert effect.value is not None
    return terms.conjunction(terms.negation(effect.fault), effect.value)


def fails(condition: Property, *states: Leaves) -> Term:
    """When the code of a property fails."""
    return _observed(condition, *states).fault


def _observed(condition: Property, *states: Leaves) -> Effect:
    count = len(states[0])
    views = [_view(number * count) for number in range(len(states))]
    return run(condition.read, tuple(leaf for state in states for leaf in state), views)


def run(function: ir.Function, leaves: Leaves, arguments: Sequence[Read]) -> Effect:
    """The call of a function on the leaves. ModelError if a loop has too many rounds to be unrolled."""
    machine = _Machine(leaves)
    value = _Call(machine, function, arguments, TRUE).run()
    return Effect(value, machine.state(), terms.disjunction(*machine.faults))


def _view(place: int) -> View:
    return View(((TRUE, place),))


class _Machine:
    """The part that all calls share: the state at this point, and the conditions under which one of them has failed."""

    def __init__(self, state: Leaves) -> None:
        self._leaves = list(state)
        self.faults: list[Term] = []

    def load(self, place: int) -> Term:
        """The scalar at a place of the state at this point."""
        return self._leaves[place]

    def store(self, place: int, value: Term) -> None:
        """Write a scalar of the state at this point."""
        self._leaves[place] = value

    def state(self) -> Leaves:
        """The state at this point; later writes do not change it."""
        return tuple(self._leaves)

    def go_to(self, state: Leaves) -> None:
        """Let this be the state at this point."""
        self._leaves = list(state)


class _Outcome(NamedTuple):
    """A `return` that is met: under which condition, given that none before it was."""

    path: Term
    value: Term | None
    state: Leaves


class _Point(NamedTuple):
    """A point of a call: the conditions under which it is reached (see `_Call`), and the facts known there."""

    path: Term
    reach: Term
    names: dict[str, Read]
    state: Leaves

    def under(self, test: Term) -> "_Point":
        """The same point if `test` holds."""
        return self._replace(path=terms.conjunction(self.path, test), reach=terms.conjunction(self.reach, test))


class _Call:
    """One call of a function.

    `path` is the condition, given that no `return` was met yet, under which the statement at hand runs, and `reach`
    the whole condition under which it runs, counted from the outermost call.
    """

    def __init__(self, machine: _Machine, function: ir.Function, arguments: Sequence[Read], reach: Term) -> None:
        self._machine = machine
        self._function = function
        self._names: dict[str, Read] = {
            local.name: argument for local, argument in zip(function.parameters, arguments, strict=True)
        }
        self._path = TRUE
        self._reach = reach
        self._outcomes: list[_Outcome] = []

    def run(self) -> Term | None:
        """Run the whole function; the value that it returns. The machine has the state after it."""
        self._block(self._function.body)
        if self._path is not FALSE:
            self._leave(None)
        last = self._outcomes[-1]
        value, state = last.value, last.state
        for outcome in reversed(self._outcomes[:-1]):
            state = _merged(outcome.path, outcome.state, state)
            if value is not None and outcome.value is not None:
                value = terms.choice(outcome.path, outcome.value, value)
        self._machine.go_to(state)
        return value

    def _leave(self, value: Term | None) -> None:
        self._outcomes.append(_Outcome(self._path, value, self._machine.state()))
        self._path = FALSE

    # -- statements --------------------------------------------------------------------------------------------

    def _block(self, body: tuple[ir.Statement, ...]) -> None:
        for statement in body:
            if self._path is FALSE:
                return
            self._statement(statement)

    def _statement(self, statement: ir.Statement) -> None:
        match statement:
            case ir.Assign(name, value):
                self._names[name] = self._read(value)
            case ir.Store(place, value, _):
                self._store(place, self._term(value))
            case ir.If(test, then, otherwise):
                blocks = functools.partial(self._block, then), functools.partial(self._block, otherwise)
                self._branch(self._term(test), *blocks)
            case ir.For(name, start, stop, step, body):
                self._loop(name, self._term(start), self._term(stop), step, body)
            case ir.Return(value):
                self._leave(None if value is None else self._term(value))
            case ir.Do(call):
                self._read(call)

    def _branch(self, test: Term, then: Callable[[], None], otherwise: Callable[[], None]) -> None:
        if test.is_constant:
            (then if test.value else otherwise)()
            return
        before = self._point()
        opposite = terms.negation(test)
        then_starts = before.under(test)
        self._go_to(then_starts)
        then()
        then_ends = self._point()
        other_starts = before.under(opposite)
        if then_ends.path is FALSE:  # the value that it returns is evaluated before all that follows
            other_starts = other_starts._replace(path=before.path)
        self._go_to(other_starts)
        otherwise()
        if then_ends.path is FALSE:
            return
        if self._path is FALSE:
            self._go_to(then_ends._replace(path=before.path))
            return
        self._join(test, then_ends)
        is_whole = then_ends.reach is then_starts.reach and self._reach is other_starts.reach
        self._path = before.path
        self._reach = before.reach if is_whole else terms.disjunction(then_ends.reach, self._reach)

    def _point(self) -> "_Point":
        return _Point(self._path, self._reach, self._names, self._machine.state())

    def _go_to(self, point: "_Point") -> None:
        self._path, self._reach, self._names = point.path, point.reach, dict(point.names)
        self._machine.go_to(point.state)

    def _join(self, test: Term, then: "_Point") -> None:
        """Let names and leaves be those of `then` if `test` holds, and the present ones otherwise."""
        self._machine.go_to(_merged(test, then.state, self._machine.state()))
        self._names = {
            name: _chosen(test, then.names[name], value) for name, value in self._names.items() if name in then.names
        }

    def _loop(self, name: str, start: Term, stop: Term, step: int, body: tuple[ir.Statement, ...]) -> None:
        first, last = (start.low, stop.high) if step > 0 else (start.high, stop.low)
        rounds = max(0, -((first - last) // step))
        if rounds > MOST_ROUNDS:
            name = self._function.function.__name__
            raise ModelError(
                f"{place_of(self._function.function)}: in {name}: a loop can have {rounds:,} rounds, from {first} to "
                f"{last}; at most {MOST_ROUNDS:,} are read symbolically, so give its range a smaller bound"
            )
        for done in range(rounds):
            if self._path is FALSE:
                return
            counter = terms.number(first + done * step)
            if not start.is_constant and abs(step) != 1:
                counter = terms.plus(start, terms.number(done * step))
            self._branch(
                _is_counted(start, stop, step, counter), functools.partial(self._round, name, counter, body), _nothing
            )

    def _round(self, name: str, counter: Term, body: tuple[ir.Statement, ...]) -> None:
        self._names[name] = counter
        self._block(body)

    # -- places ------------------------------------------------------------------------------------------------

    def _store(self, place: ir.Place, value: Term) -> None:
        stored = terms.as_number(value) if value.is_bool else value
        for condition, leaf in self._place(place).places:
            self._machine.store(leaf, terms.choice(condition, stored, self._machine.load(leaf)))

    def _place(self, place: ir.Place) -> View:
        base = self._read(place.base)
        assert isinstance(base, View)
        if isinstance(place, ir.Field):
            offset = place.record.offsets[place.name]
            return View(tuple((condition, begin + offset) for condition, begin in base.places))
        return self._element(base, place.array, self._term(place.index))

    def _element(self, base: View, array: ArrayOf, index: Term) -> View:
        self._fails(terms.negation(terms.is_within(index, 0, array.length - 1)))
        size = leaf_count(array.element)
        found: dict[int, Term] = {}
        for number in range(max(index.low, 0), min(index.high, array.length - 1) + 1):
            is_here = terms.equals(index, terms.number(number))
            for condition, begin in base.places:
                both = terms.conjunction(condition, is_here)
                if both is not FALSE:
                    place = begin + number * size
                    found[place] = terms.disjunction(found.get(place, FALSE), both)
        return View(tuple((condition, place) for place, condition in found.items()) or ((FALSE, base.places[0][1]),))

    def _fails(self, condition: Term) -> None:
        fault = terms.conjunction(self._reach, condition)
        if fault is not FALSE:
            self._machine.faults.append(fault)

    # -- expressions -------------------------------------------------------------------------------------------

    def _term(self, expression: ir.Expression) -> Term:
        value = self._read(expression)
        assert isinstance(value, Term)
        return value

    def _read(self, expression: ir.Expression) -> Read:
        match expression:
            case ir.Const(known):
                return terms.truth(known) if isinstance(known, bool) else terms.number(known)
            case ir.Local(name, _):
                return self._names[name]
            case ir.Field() | ir.Element():
                view = self._place(expression)
                return self._loaded(view, expression.type == ir.BOOL) if isinstance(expression.type, str) else view
            case ir.Binary(operator, left, right):
                return self._binary(operator, self._term(left), self._term(right))
            case ir.Unary(operator, operand):
                return self._unary(operator, self._term(operand))
            case ir.Compare(operators, sides):
                return self._compare(operators, sides)
            case ir.Logical(operator, values):
                return self._logical(operator == "and", values)
            case ir.Choose(test, then, otherwise):
                return self._choose(self._term(test), then, otherwise)
            case ir.Removed():
                raise AssertionError("functions with switches are only run")
            case ir.Call(function, arguments):
                given = [self._read(argument) for argument in arguments]
                value = _Call(self._machine, function, given, self._reach).run()
                return TRUE if value is None else value

    def _loaded(self, view: View, is_bool: bool) -> Term:
        value = self._machine.load(view.places[-1][1])
        for condition, leaf in reversed(view.places[:-1]):
            value = terms.choice(condition, self._machine.load(leaf), value)
        return terms.equals(value, ONE) if is_bool else value

    def _binary(self, operator: str, left: Term, right: Term) -> Term:
        if operator in ("//", "%"):
            self._fails(terms.equals(right, ZERO))
        if operator in ("<<", ">>"):
            return self._shift(operator, left, right)
        return self._checked(_BINARY[operator](left, right))

    def _shift(self, operator: str, left: Term, right: Term) -> Term:
        if operator == ">>":  # a shift to the right may be wider: nothing is left but the sign
            right = terms.least(right, terms.number(HIGHEST_SHIFT + 1))
        self._fails(terms.negation(terms.is_within(right, 0, HIGHEST_SHIFT + (operator == ">>"))))
        value: Term | None = None
        for places in range(max(right.low, 0), min(right.high, HIGHEST_SHIFT + (operator == ">>")) + 1):
            is_here = terms.equals(right, terms.number(places))
            shifted = (
                terms.shifted_down(left, places) if operator == ">>" else terms.times(left, terms.number(1 << places))
            )
            value = shifted if value is None else terms.choice(is_here, shifted, value)
        return self._checked(left if value is None else value)

    def _checked(self, value: Term) -> Term:
        """`value`, which fails if it leaves the range that every reading can compute with."""
        if value.low >= LOWEST and value.high <= HIGHEST:
            return value
        self._fails(terms.negation(terms.is_within(value, LOWEST, HIGHEST)))
        return terms.narrowed(value, LOWEST, HIGHEST)

    def _unary(self, operator: str, operand: Term) -> Term:
        match operator:
            case "not":
                return terms.negation(operand)
            case "~":
                return terms.minus(terms.number(-1), operand)
        negative = self._checked(terms.minus(ZERO, operand))
        return negative if operator == "-" else terms.greatest(operand, negative)

    def _compare(self, operators: tuple[str, ...], sides: tuple[ir.Expression, ...]) -> Term:
        left, right = self._term(sides[0]), self._term(sides[1])
        result = _compared(operators[0], left, right)
        for operator, side in zip(operators[1:], sides[2:], strict=True):
            if result is FALSE:
                break
            left, right = right, self._under(result, side)
            result = terms.conjunction(result, _compared(operator, left, right))
        return result

    def _logical(self, is_and: bool, values: tuple[ir.Expression, ...]) -> Term:
        result = self._term(values[0])
        for value in values[1:]:
            goes_on = result if is_and else terms.negation(result)
            if goes_on is FALSE:
                break
            following = self._under(goes_on, value)
            result = (terms.conjunction if is_and else terms.disjunction)(result, following)
        return result

    def _choose(self, test: Term, then: ir.Expression, otherwise: ir.Expression) -> Term:
        if test.is_constant:
            return self._term(then if test.value else otherwise)
        one = self._under(test, then)
        return terms.choice(test, one, self._under(terms.negation(test), otherwise))

    def _under(self, condition: Term, expression: ir.Expression) -> Term:
        """The value of an expression that is evaluated only under a condition."""
        reach, before = self._reach, self._machine.state()
        self._reach = terms.conjunction(reach, condition)
        value = self._term(expression)
        self._machine.go_to(_merged(condition, self._machine.state(), before))
        self._reach = reach
        return value


_BINARY = {
    "+": terms.plus, "-": terms.minus, "*": terms.times, "//": terms.quotient, "%": terms.remainder,
    "&": terms.bits_and, "|": terms.bits_or, "^": terms.bits_xor, "min": terms.least, "max": terms.greatest,
}  # fmt: skip


def _nothing() -> None:
    """The other branch of a round."""


def _merged(condition: Term, then: Leaves, otherwise: Leaves) -> Leaves:
    return tuple(
        one if one is other else terms.choice(condition, one, other) for one, other in zip(then, otherwise, strict=True)
    )


def _chosen(condition: Term, then: Read, otherwise: Read) -> Read:
    if isinstance(then, Term) and isinstance(otherwise, Term):
        return terms.choice(condition, then, otherwise)
    assert isinstance(then, View) and isinstance(otherwise, View)
    if then == otherwise:
        return then
    found: dict[int, Term] = {}
    for guard, view in ((condition, then), (terms.negation(condition), otherwise)):
        for inner, place in view.places:
            found[place] = terms.disjunction(found.get(place, FALSE), terms.conjunction(guard, inner))
    return View(tuple((inner, place) for place, inner in found.items()))


def _is_counted(start: Term, stop: Term, step: int, counter: Term) -> Term:
    """Whether a loop has a round with this value of its counter."""
    if step > 0:
        return terms.conjunction(terms.is_at_most(start, counter), terms.is_less(counter, stop))
    return terms.conjunction(terms.is_at_most(counter, start), terms.is_less(stop, counter))


def _compared(operator: str, left: Term, right: Term) -> Term:
    match operator:
        case "==":
            return terms.equals(left, right)
        case "!=":
            return terms.negation(terms.equals(left, right))
        case "<":
            return terms.is_less(left, right)
        case "<=":
            return terms.is_at_most(left, right)
        case ">":
            return terms.is_less(right, left)
    return terms.is_at_most(right, left)
