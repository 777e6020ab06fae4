"""Random expressions of the plain subset, of every form, each with the range of its values.

The ranges keep the programs inside 64 bits and most indices and stores inside their ranges.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from tests.programs import random_containers
from tests.programs.random_generators import compared, generated
from tests.programs.random_schemas import FLAGS, ArrayOf, Record, Route, Scalar, Type, routes
from tests.programs.random_sets import asked, ids

MOST = 10_000
"""Numbers that could be larger are brought back before they are used."""
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Number(NamedTuple):
    """An int as text, and the lowest and the highest value that it can have."""

    text: str
    low: int
    high: int


@dataclass
class Helper:
    """A function that can be called: the types of its parameters, and what it returns."""

    name: str
    takes: tuple[Type | str, ...]
    returns: str
    writes: bool
    low: int = 0
    high: int = 0


class Scope:
    """The names that have a value: ints with their ranges, flags, id sets, and views with their types."""

    def __init__(self) -> None:
        self.ints: dict[str, tuple[int, int]] = {}
        self.flags: set[str] = set()
        self.sets: set[str] = set()
        self.views: dict[str, Type] = {}

    def copy(self) -> "Scope":
        other = Scope()
        other.ints, other.flags, other.views = dict(self.ints), set(self.flags), dict(self.views)
        other.sets = set(self.sets)
        return other


class ExpressionWriter:
    """Writes the expressions of a function. `writes`: whether it may write to the state; `returns`: what it returns."""

    def __init__(
        self,
        source: random.Random,
        state: Record,
        helpers: list[Helper],
        writes: bool = False,
        returns: str = "bool",
        is_action: bool = False,
    ) -> None:
        self.random = source
        self.state = state
        self.helpers = helpers
        self.writes = writes
        self.returns = returns
        self.is_action = is_action
        self.has_rules = False
        self.has_bounds = False
        self.prefers_names = 0.35
        self.roots = ["state"]
        self.scope = Scope()
        self.lines: list[str] = []
        self.low, self.high = 0, 0
        self.loops = 0
        self.types: dict[str, Type | str] = {}
        self.counters: set[str] = set()
        self.returned = False

    # -- choosing ----------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *makers: Callable[[], object]) -> object:
        return self.random.choice(makers)()

    def kinds(self) -> list[Type]:
        return [kind for _, kind in routes(self.state)]

    def know(self, name: str, interval: tuple[int, int] | None) -> None:
        """A parameter: an int with its range, a flag, or an id set."""
        if interval is None:
            (self.scope.sets if name == "group" else self.scope.flags).add(name)
        else:
            self.scope.ints[name] = interval
        self.counters.add(name)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Let nothing be written meanwhile."""
        before, self.writes = self.writes, False
        yield
        self.writes = before

    def learn(self, name: str, kind: Type) -> None:
        """A name of something that lies in the state."""
        if not isinstance(kind, Scalar):
            self.scope.views[name] = kind
        elif kind.is_flag:
            self.scope.flags.add(name)
        elif kind.is_set:
            self.scope.sets.add(name)
        else:
            self.scope.ints[name] = (kind.low, kind.high)

    def new_counter(self) -> str:
        """A name for what a loop gives."""
        name = f"{'xyzuvw'[self.loops % 6]}{self.loops}"
        self.loops += 1
        self.counters.add(name)
        return name

    # -- places ------------------------------------------------------------------------------------------------

    def place(self, wanted: Callable[[Type], bool], depth: int, fixed: bool = False) -> tuple[str, Type] | None:
        """A place of the state that holds what is wanted. `fixed`: without an index that is read from the state."""
        found: list[tuple[str, Route]] = []
        for name, kind in self.scope.views.items():
            found += [(name, route) for route in routes(kind) if wanted(route[1])] * 2
        for root in self.roots:
            found += [(root, route) for route in routes(self.state) if wanted(route[1])]
        if not found:
            return None
        text, (steps, kind) = self.random.choice(found)
        for step in steps:
            text += f".{step}" if isinstance(step, str) else f"[{self.index(step, 0 if fixed else depth)}]"
        return text, kind

    def index(self, length: int, depth: int) -> str:
        """An index that is nearly always inside."""
        known = [name for name, (low, high) in self.scope.ints.items() if low >= 0 and high < length]
        if known and self.chance(0.4):
            return self.random.choice(known)
        if depth <= 0:
            return str(self.random.randrange(length))
        if self.chance(0.03):
            return self.number(depth - 1).text if self.chance(0.5) or not self.roots else f"state.tick + {length - 1}"
        if self.chance(0.06):
            element = self._element(0)
            if element.low >= -1 and element.high <= length:  # rarely outside
                return element.text
        if self.chance(0.1):
            return f"abs({self.within(self.number(depth - 1), 1 - length, length - 1)})"
        called = self.call("int", depth - 1) if self.chance(0.2) else None
        if called is not None:
            return self.within(called, 0, length - 1)
        if self.chance(0.4):
            fitting = [number for number in (self.any_form(depth - 1) for _ in range(3)) if fits(number, 0, length - 1)]
            if fitting:
                return fitting[0].text
        if length == 2 and self.chance(0.3):
            return self.pick(lambda: f"int({self.truth(depth - 1)})", lambda: f"1 if {self.truth(depth - 1)} else 0")
        return self.within(self.number(depth - 1), 0, length - 1)

    def within(self, number: Number, low: int, high: int) -> str:
        """A number brought into a range."""
        if fits(number, low, high) and self.chance(0.9):
            return number.text
        span = high - low + 1
        if self.chance(0.3):
            return f"min(max({number.text}, {low}), {high})"
        if low == 0 and span & high == 0 and self.chance(0.4):
            return f"({number.text}) & {high}"
        return f"({number.text}) % {span}" + (f" + {low}" if low > 0 else f" - {-low}" if low else "")

    # -- numbers -----------------------------------------------------------------------------------------------

    def small(self, number: Number) -> Number:
        """The same, brought back where it could be large."""
        if max(-number.low, number.high) <= MOST:
            return number
        return Number(f"({number.text} % 97)", 0, 96)

    def known(self) -> Number:
        """A constant."""
        value = self.random.randrange(4)
        choices = [Number(str(value), value, value), Number("Hue.RED", 2, 2), Number("LIMIT", 3, 3)]
        choices += [Number(str(value), value, value)] * 3
        if self.has_rules:
            choices += [Number("rules.step", 0, 2), Number("rules.hue", 3, 3), Number("rules.inner.most", 0, 3)]
        if self.has_bounds:
            choices.append(Number("bounds.members", 3, 3))
        arrays = [route for route in routes(self.state) if isinstance(route[1], ArrayOf) and len(route[0]) == 1]
        if arrays and "state" in self.roots and self.chance(0.2):
            steps, kind = self.random.choice(arrays)
            return Number(f"len(state.{steps[0]})", kind.length, kind.length)
        return self.random.choice(choices)

    def simple(self) -> Number:
        """A name, a scalar or a constant."""
        if self.scope.ints and self.chance(self.prefers_names):
            name = self.random.choice(list(self.scope.ints))
            return self.small(Number(name, *self.scope.ints[name]))
        found = self.place(is_int, 1 if self.chance(0.3) else 0)
        if found is None or self.chance(0.2):
            return self.known()
        text, kind = found
        return Number(text, kind.low, kind.high)

    def number(self, depth: int) -> Number:
        """An int of any form."""
        if depth <= 0 or self.chance(0.25):
            return self.simple()
        return self.small(self._number(depth - 1))

    def _number(self, depth: int) -> Number:
        called = self.call("int", depth) if self.chance(0.25) else None
        if called is not None:
            return called
        number = self.pick(
            lambda: self._sum(depth), lambda: self._sum(depth), lambda: self._sum(depth),
            lambda: self._bits(depth), lambda: self._divided(depth), lambda: self._shifted(depth),
            lambda: self._least(depth), lambda: self._signed(depth), lambda: self._chosen(depth),
            lambda: Number(f"int({self.truth(depth)})", 0, 1), lambda: self._converted(depth),
            lambda: self._set(depth), lambda: self._deep(depth), lambda: Number(f"len({ids(self, depth)})", 0, 4),
            lambda: Number(*generated(self, "sum", depth)), lambda: self._held(depth), lambda: self._held(depth),
        )  # fmt: skip
        assert isinstance(number, Number)
        return number

    def _held(self, depth: int) -> Number:
        """A number of a queue or bag, if there is one."""
        if self.chance(0.4):
            counted = random_containers.counted(self)
            return Number(counted[0], 0, counted[1]) if counted else self.known()
        found = random_containers.number(self, depth)
        return Number(*found) if found else self._sum(depth)

    def any_form(self, depth: int = 1) -> Number:
        """An int, each form as often as another."""
        forms: list[Callable[[], Number]] = [self.known, self._name, lambda: self._element(0), lambda: self._deep(-1)]
        if depth > 0:
            forms += [lambda: self._element(depth), lambda: self._deep(depth - 1), lambda: self._sum(depth - 1)]
            forms += [lambda: self._signed(depth - 1), lambda: self._chosen(depth - 1)]
            forms += [lambda: self.call("int", depth - 1) or self.known()] * 2
        return self.small(self.random.choice(forms)())

    def _name(self) -> Number:
        names = list(self.scope.ints)
        if not names:
            return self.known()
        name = self.random.choice(names)
        return Number(name, *self.scope.ints[name])

    def _element(self, depth: int = 1) -> Number:
        """A scalar of an array; `depth` is that of its index."""
        found = self.place(lambda kind: isinstance(kind, ArrayOf) and is_int(kind.element), 0)
        if found is None:
            return self._name()
        text, kind = found
        return Number(f"{text}[{self.index(kind.length, depth)}]", kind.element.low, kind.element.high)

    def _sum(self, depth: int) -> Number:
        left, right, operator = self.number(depth), self.number(depth), self.random.choice("+-*+-")
        corners = [_COMPUTED[operator](one, other) for one in left[1:] for other in right[1:]]
        return Number(f"({left.text} {operator} {right.text})", min(corners), max(corners))

    def _bits(self, depth: int) -> Number:
        left, right, operator = self.number(depth), self.number(depth), self.random.choice("&|^")
        above = (1 << max(max(each, ~each).bit_length() for each in (*left[1:], *right[1:]))) - 1
        low = 0 if left.low >= 0 and right.low >= 0 else ~above
        return Number(f"({left.text} {operator} {right.text})", low, above)

    def _divided(self, depth: int) -> Number:
        left, operator = self.number(depth), self.random.choice(["//", "%"])
        if self.chance(0.1):
            right = self.place(lambda kind: is_int(kind) and kind.high < 6, 0)
            if right is not None:
                most = max(-left.low, left.high, 6)
                return Number(f"({left.text} {operator} {right[0]})", -most, most)
        right = self.random.choice([2, 3, 5, -3])
        if operator == "%":
            return Number(f"({left.text} % {right})", min(right + 1, 0), max(right - 1, 0))
        ends = [end // right for end in (left.low, left.high)]
        return Number(f"({left.text} // {right})", min(ends), max(ends))

    def _shifted(self, depth: int) -> Number:
        left, operator = self.number(depth), self.random.choice(["<<", ">>"])
        most = max(-left.low, left.high, 1) << (3 if operator == "<<" else 0)
        if self.chance(0.2):
            right = self.number(min(depth, 1))
            by = self.within(right, 0, 3) if operator == "<<" or self.chance(0.5) else f"({right.text}) * 30"
            if right.text.isdecimal():
                by = "2"
            elif self.chance(0.9) and by.endswith("* 30"):
                by = f"abs({by})"
            return Number(f"({left.text} {operator} ({by}))", -most, most)
        return Number(f"({left.text} {operator} {self.random.randrange(4)})", -most, most)

    def _least(self, depth: int) -> Number:
        name = self.random.choice(["min", "max"])
        parts = [self.number(depth) for _ in range(self.random.choice([2, 2, 3]))]
        function = min if name == "min" else max
        low, high = function(part.low for part in parts), function(part.high for part in parts)
        return Number(f"{name}({', '.join(part.text for part in parts)})", low, high)

    def _signed(self, depth: int) -> Number:
        operator, part = self.random.choice(["-", "~", "+", "abs"]), self.number(depth)
        low, high = part.low, part.high
        if operator == "abs":
            low, high = (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
        elif operator != "+":
            low, high = (-high, -low) if operator == "-" else (~high, ~low)
        return Number(f"{operator}({part.text})", low, high)

    def _chosen(self, depth: int) -> Number:
        called = self.call("bool", depth) if self.chance(0.4) else None
        test = called.text if called else self.truth(depth)
        then, other = self.number(depth), self.number(depth)
        return Number(
            f"({then.text} if {test} else {other.text})", min(then.low, other.low), max(then.high, other.high)
        )

    def _converted(self, depth: int) -> Number:
        part = self.number(depth)
        return Number(f"int({part.text})", part.low, part.high)

    def _set(self, depth: int) -> Number:
        part = self.number(depth)
        text = self.pick(
            lambda: f"cardinality({self.within(part, 0, 7)})" if self.chance(0.3) else f"everyone({1 + depth})",
            lambda: (
                f"{self.random.choice(['including', 'excluding'])}({self.within(part, 0, 7)}, {self.index(3, depth)})"
            ),
            lambda: f"schema.including({self.within(part, 0, 7)}, {self.index(3, depth)})",
        )
        return Number(str(text), 0, 30) if "cardinality" in str(text) else Number(str(text), 0, 15)

    def _deep(self, depth: int) -> Number:
        """A scalar behind indices of any form."""
        found = self.place(is_int, depth + 1)
        return self.known() if found is None else Number(found[0], found[1].low, found[1].high)

    # -- truth values ------------------------------------------------------------------------------------------

    def flag(self) -> str:
        """A name, a flag of the state, a switch or a constant."""
        if self.scope.flags and self.chance(0.3):
            return self.random.choice(sorted(self.scope.flags))
        found = self.place(lambda kind: isinstance(kind, Scalar) and kind.is_flag, 1 if self.chance(0.3) else 0)
        if found is None or self.chance(0.12):
            return self.random.choice(
                ["True", "False", *(["rules.on", "rules.off", "rules.inner.on"] if self.has_rules else [])]
            )
        return found[0]

    def any_truth(self) -> str:
        """A bool, each form as often as another."""
        marks = self.place(lambda kind: isinstance(kind, ArrayOf) and kind.element in FLAGS, 0)
        forms = [self.flag, lambda: self._compared(1), lambda: self._logical("and", 0), lambda: self._logical("or", 0)]
        forms += [lambda: f"not {self.flag()}", lambda: f"({self.flag()} if {self.truth(0)} else {self.flag()})"]
        if self.scope.flags:
            forms.append(lambda: self.random.choice(sorted(self.scope.flags)))
        if marks is not None:
            text, kind = marks
            forms.append(lambda: f"{text}[{self.index(kind.length, 1)}]")
        return self.random.choice(forms)()

    def truth(self, depth: int) -> str:
        """A bool of any form."""
        if depth <= 0:
            return self.flag() if self.chance(0.6) else self._compared(0)
        called = self.call("bool", depth - 1) if self.chance(0.3) else None
        if called is not None:
            return called.text
        deeper = depth - 1
        return str(self.pick(
            lambda: self._compared(deeper), lambda: self._compared(deeper), lambda: self._compared(deeper),
            lambda: self._logical("and", deeper), lambda: self._logical("or", deeper),
            lambda: f"(not {self.truth(deeper)})", lambda: self._equal(deeper),
            lambda: f"({self.truth(deeper)} if {self.truth(deeper)} else {self.truth(deeper)})",
            lambda: f"contains({self.within(self.number(deeper), 0, 7)}, {self.index(3, deeper)})",
            lambda: f"bool({self.number(deeper).text if self.chance(0.7) else self.truth(deeper)})",
            lambda: self.flag(), lambda: generated(self, self.random.choice(["any", "all"]), deeper)[0],
            lambda: compared(self) or self.flag(), lambda: asked(self, deeper), lambda: asked(self, deeper),
            lambda: random_containers.asked(self, deeper) or self._compared(deeper),
        ))  # fmt: skip

    def _compared(self, depth: int) -> str:
        sides = [self.number(depth) for _ in range(2 if self.chance(0.75) else 3)]
        low, high = sides[0].low, sides[0].high
        if len(sides) == 3:
            sides[2] = (self.call("int", depth - 1) if self.chance(0.5) else None) or self.any_form(depth)
        elif self.chance(0.5) and high - low < 50:  # rarely decided by the ranges alone
            value = self.random.randint(low, high)
            sides[-1] = Number(str(value), value, value)
        text = sides[0].text
        for side in sides[1:]:
            text += f" {self.random.choice(COMPARISONS)} {side.text}"
        return f"({text})"

    def _equal(self, depth: int) -> str:
        sides = [self.truth(depth) for _ in range(2 if self.chance(0.7) else 3)]
        text = sides[0]
        for side in sides[1:]:
            text += f" {self.random.choice(COMPARISONS)} {side}"
        return f"({text})"

    def _logical(self, word: str, depth: int) -> str:
        sides = [self.truth(depth) for _ in range(2 if self.chance(0.7) else 3)]
        if self.chance(0.08):
            sides[self.random.randrange(len(sides))] = self.random.choice(["True", "False"])
        if self.chance(0.02):
            sides = ["True" if word == "and" else "False"] * 2
        return f"({f' {word} '.join(sides)})"

    # -- calls -------------------------------------------------------------------------------------------------

    def call(self, returns: str, depth: int) -> Number | None:
        """A call of a helper that can be called here, if there is one."""
        fitting = [
            each
            for each in self.helpers
            if each.returns == returns
            and (self.writes or not each.writes)
            and ("rules" not in each.takes or self.has_rules)
            and ("bounds" not in each.takes or self.has_bounds)
            and ("state" in self.roots or self.state not in each.takes)
        ]
        if not fitting:
            return None
        helper = self.random.choice(fitting)
        arguments = [self._argument(kind, depth) for kind in helper.takes]
        if None in arguments:
            return None
        return Number(f"{helper.name}({', '.join(map(str, arguments))})", helper.low, helper.high)

    def _argument(self, kind: Type | str, depth: int) -> str | None:
        if kind in ("rules", "bounds"):
            return str(kind)
        if kind == "int":
            return self.within(self.number(depth) if self.chance(0.5) else self.any_form(depth), -8, 8)
        if kind == "bool":
            return self.truth(depth)
        if kind == "Ids":
            return ids(self, depth)
        if kind is self.state:
            return self.random.choice(self.roots)
        found = self.place(lambda each: each == kind, depth)
        return None if found is None else found[0]


def is_int(kind: Type) -> bool:
    return isinstance(kind, Scalar) and kind.is_int


def fits(number: Number, low: int, high: int) -> bool:
    return low <= number.low and number.high <= high


_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}
