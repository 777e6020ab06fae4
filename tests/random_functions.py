"""Random functions of the plain subset: statements and expressions of every form, each with the range of its values.

The ranges keep the programs inside 64 bits and most indices and stores inside their ranges.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from tests.random_generators import compared, elements, generated, written
from tests.random_schemas import ArrayOf, Record, Route, Scalar, Type, routes

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
    """The names that have a value: ints with their ranges, flags, and views with their types."""

    def __init__(self) -> None:
        self.ints: dict[str, tuple[int, int]] = {}
        self.flags: set[str] = set()
        self.views: dict[str, Type] = {}

    def copy(self) -> "Scope":
        other = Scope()
        other.ints, other.flags, other.views = dict(self.ints), set(self.flags), dict(self.views)
        return other


class Writer:
    """Writes one function. `writes`: whether it may write to the state; `returns`: what it returns."""

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
        """A parameter: an int with its range, or a flag."""
        if interval is None:
            self.scope.flags.add(name)
        else:
            self.scope.ints[name] = interval
        self.counters.add(name)

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """Let nothing be written meanwhile."""
        before, self.writes = self.writes, False
        yield
        self.writes = before

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
        known = [name for name, (low, high) in self.scope.ints.items() if 0 <= low and high < length]
        if known and self.chance(0.4):
            return self.random.choice(known)
        if depth <= 0:
            return str(self.random.randrange(length))
        if self.chance(0.03):
            return self.number(depth - 1).text if self.chance(0.5) or not self.roots else f"state.tick + {length - 1}"
        if self.chance(0.4):
            fitting = [number for number in (self.number(depth - 1) for _ in range(3)) if _fits(number, 0, length - 1)]
            if fitting:
                return fitting[0].text
        if length == 2 and self.chance(0.3):
            return self.pick(lambda: f"int({self.truth(depth - 1)})", lambda: f"1 if {self.truth(depth - 1)} else 0")
        return self.within(self.number(depth - 1), 0, length - 1)

    def within(self, number: Number, low: int, high: int) -> str:
        """A number brought into a range."""
        if _fits(number, low, high) and self.chance(0.9):
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
            choices += [Number("rules.step", 0, 2), Number("rules.hue", 3, 3)]
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
        found = self.place(lambda kind: isinstance(kind, Scalar) and not kind.is_flag, 1 if self.chance(0.3) else 0)
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
            lambda: self._set(depth), lambda: self._deep(depth),
            lambda: Number(*generated(self, "sum", depth)),
        )  # fmt: skip
        assert isinstance(number, Number)
        return number

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
            right = self.place(lambda kind: isinstance(kind, Scalar) and not kind.is_flag and kind.high < 6, 0)
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
        most = max(-part.low, part.high) + 1
        low = {"abs": 0, "+": part.low}.get(operator, -most)
        return Number(f"{operator}({part.text})", low, most)

    def _chosen(self, depth: int) -> Number:
        then, test, other = self.number(depth), self.truth(depth), self.number(depth)
        return Number(f"({then.text} if {test} else {other.text})", min(then.low, other.low), max(then.high, other.high))

    def _converted(self, depth: int) -> Number:
        part = self.number(depth)
        return Number(f"int({part.text})", part.low, part.high)

    def _set(self, depth: int) -> Number:
        part = self.number(depth)
        text = self.pick(
            lambda: f"cardinality({self.within(part, 0, 7)})" if self.chance(0.3) else f"everyone({1 + depth})",
            lambda: f"{self.random.choice(['including', 'excluding'])}({self.within(part, 0, 7)}, {self.index(3, depth)})",
            lambda: f"schema.including({self.within(part, 0, 7)}, {self.index(3, depth)})",
        )
        return Number(str(text), 0, 30) if "cardinality" in str(text) else Number(str(text), 0, 15)

    def _deep(self, depth: int) -> Number:
        """A scalar behind indices of any form."""
        found = self.place(lambda kind: isinstance(kind, Scalar) and not kind.is_flag, depth + 1)
        return self.known() if found is None else Number(found[0], found[1].low, found[1].high)

    # -- truth values ------------------------------------------------------------------------------------------

    def flag(self) -> str:
        """A name, a flag of the state, a switch or a constant."""
        if self.scope.flags and self.chance(0.3):
            return self.random.choice(sorted(self.scope.flags))
        found = self.place(lambda kind: isinstance(kind, Scalar) and kind.is_flag, 1 if self.chance(0.3) else 0)
        if found is None or self.chance(0.12):
            return self.random.choice(["True", "False", *(["rules.on", "rules.off"] if self.has_rules else [])])
        return found[0]

    def truth(self, depth: int) -> str:
        """A bool of any form."""
        if depth <= 0:
            return self.flag() if self.chance(0.6) else self._compared(0)
        called = self.call("bool", depth - 1) if self.chance(0.15) else None
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
            lambda: compared(self) or self.flag(),
        ))  # fmt: skip

    def _compared(self, depth: int) -> str:
        sides = [self.number(depth) for _ in range(2 if self.chance(0.75) else 3)]
        low, high = sides[0].low, sides[0].high
        if self.chance(0.5) and high - low < 50:  # rarely decided by the ranges alone
            value = self.random.randint(low, high)
            sides[-1] = Number(str(value), value, value)
        text = sides[0].text
        for side in sides[1:]:
            text += f" {self.random.choice(COMPARISONS)} {side.text}"
        return f"({text})"

    def _equal(self, depth: int) -> str:
        sides = [self.truth(depth) for _ in range(2 if self.chance(0.8) else 3)]
        text = sides[0]
        for side in sides[1:]:
            text += f" {self.random.choice(COMPARISONS)} {side}"
        return f"({text})"

    def _logical(self, word: str, depth: int) -> str:
        sides = [self.truth(depth) for _ in range(2 if self.chance(0.7) else 3)]
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
        if kind == "rules":
            return "rules"
        if kind == "int":
            return self.within(self.number(depth), -8, 8)
        if kind == "bool":
            return self.truth(depth)
        if kind is self.state:
            return self.random.choice(self.roots)
        found = self.place(lambda each: each == kind, depth)
        return None if found is None else found[0]

    # -- statements --------------------------------------------------------------------------------------------

    def add(self, indent: str, line: str) -> None:
        self.lines.append(indent + line)

    def block(self, indent: str, depth: int, most: int = 3) -> bool:
        """Some statements; the names they bind are forgotten after them. Whether every path through them returns."""
        kept, begun, ends = self.scope.copy(), len(self.lines), False
        for _ in range(self.random.randrange(1, most + 1)):
            if self.statement(indent, depth):
                ends = True
                break
        if len(self.lines) == begun:
            self.add(indent, "pass")
        for name, (low, high) in self.scope.ints.items():  # what a branch or loop does to an older name stays
            if name in kept.ints:
                kept.ints[name] = (min(low, kept.ints[name][0]), max(high, kept.ints[name][1]))
        self.scope = kept
        return ends

    def statement(self, indent: str, depth: int) -> bool:
        """One statement; whether every path through it returns."""
        choice = self.random.random()
        if depth > 0 and choice < 0.2:
            return self._if(indent, depth)
        if depth > 0 and choice < 0.4:
            self._loop(indent, depth)
        elif choice < 0.43:
            self.add(indent, "pass")
        elif choice < 0.5 and len(indent) > 4:
            return self._return(indent)
        elif choice < 0.7 or not self.writes:
            self._bind(indent)
        else:
            self._write(indent)
        return False

    def _if(self, indent: str, depth: int) -> bool:
        self.add(indent, f"if {self.truth(2)}:")
        ends = self.block(indent + "    ", depth - 1)
        if self.chance(0.25):
            self.add(indent, f"elif {self.truth(1)}:")
            ends = self.block(indent + "    ", depth - 1) and ends
        if self.chance(0.5):
            self.add(indent, "else:")
            return self.block(indent + "    ", depth - 1) and ends
        return False

    def _loop(self, indent: str, depth: int) -> None:
        name = f"{'xyzuvw'[self.loops % 6]}{self.loops}"
        self.loops += 1
        found = None
        if self.chance(0.35):
            found = self.place(lambda kind: isinstance(kind, ArrayOf), 1)
        kept = self.scope.copy()
        if found is None:
            self._counted(indent, name)
        else:
            target, over = elements(self, *found)
            self.add(indent, f"for {target} in {over}:")
        self.counters.add(name)
        self._widen()
        self.block(indent + "    ", depth - 1, 2)
        for each, (low, high) in self.scope.ints.items():
            if each in kept.ints:
                kept.ints[each] = (min(low, kept.ints[each][0]), max(high, kept.ints[each][1]))
        self.scope = kept

    def _counted(self, indent: str, name: str) -> None:
        """The head of a loop over a range, and the name that counts."""
        start, stop = self._end(), self._end()
        step = self.random.choice([1, 2, -1, -1, -2, 3])
        shown = str(step) if step != 2 else self.random.choice(["2", "Hue.RED"])
        kind = self.random.choice([1, 1, 2, 3])
        if kind == 1:
            start = Number("0", 0, 0)
        arguments = [start.text, stop.text, shown][: kind if kind > 1 else 2][kind == 1 :]
        self.add(indent, f"for {name} in range({', '.join(arguments)}):")
        if kind == 3 and step < 0:
            self.scope.ints[name] = (min(stop.low + 1, start.high), start.high)
        else:
            self.scope.ints[name] = (start.low, max(stop.high - 1, start.low))

    def _end(self) -> Number:
        """Where a loop begins or ends: few rounds."""
        if self.chance(0.6):
            value = self.random.randrange(-1, 4)
            return Number(str(value), value, value)
        text = self.within(self.number(1), 0, 2)
        return Number(text, 0, 2)

    def learn(self, name: str, kind: Type) -> None:
        """A name of something that lies in the state."""
        if not isinstance(kind, Scalar):
            self.scope.views[name] = kind
        elif kind.is_flag:
            self.scope.flags.add(name)
        else:
            self.scope.ints[name] = (kind.low, kind.high)

    def _widen(self) -> None:
        """Names that a loop may change again and again."""
        for name, (low, high) in self.scope.ints.items():
            if name not in self.counters:
                self.scope.ints[name] = (min(low, -MOST), max(high, MOST))

    def _return(self, indent: str) -> bool:
        self.returned = True
        if self.returns == "None":
            self.add(indent, "return")
        elif self.returns == "int":
            self.add(indent, f"return {self._result()}")
        elif self.is_action:
            self.add(indent, "return True")
        else:
            self.add(indent, f"return {self.truth(1)}")
        return True

    def _result(self) -> str:
        number = self.number(2)
        if self.chance(0.8):
            number = Number(self.within(number, -4, 8), -4, 8)
        self.low, self.high = min(self.low, number.low), max(self.high, number.high)
        return number.text

    def _bind(self, indent: str) -> None:
        """A line that binds a local name, which later code may use."""
        kind = self.random.choice(["int", "int", "flag", "view", "again", "again"])
        if kind == "again":
            self._bind_again(indent)
        elif kind == "view":
            found = self.place(lambda each: not isinstance(each, Scalar) and each is not self.state, 2)
            if found is not None:
                name = self._new(found[1])
                self.add(indent, f"{name} = {found[0]}")
                self.scope.views[name] = found[1]
        elif kind == "flag":
            value, name = self.truth(2), self._new("bool")
            self.add(indent, f"{name}: bool = {value}" if self.chance(0.2) else f"{name} = {value}")
            self.scope.flags.add(name)
        else:
            number, name = self.number(2), self._new("int")
            self.add(indent, f"{name}: int = {number.text}" if self.chance(0.2) else f"{name} = {number.text}")
            self.scope.ints[name] = (number.low, number.high)

    def _new(self, kind: Type | str) -> str:
        name = f"{'abcdefgh'[len(self.types) % 8]}{len(self.types)}"
        self.types[name] = kind
        return name

    def _bind_again(self, indent: str) -> None:
        """A name gets another value of its type; sometimes that of a counter or parameter."""
        choice = self.random.random()
        names = [name for name in self.scope.ints if name not in self.counters or self.chance(0.1)]
        if choice < 0.3 and self.scope.views:
            name = self.random.choice(list(self.scope.views))
            kind = self.scope.views[name]
            found = self.place(lambda each: each == kind, 2)
            if found is not None and found[0] != name:
                self.add(indent, f"{name} = {found[0]}")
        elif choice < 0.5 and self.scope.flags:
            name = self.random.choice(sorted(self.scope.flags))
            self.add(indent, f"{name} = {self.truth(2)}")
        elif names and choice < 0.75:
            name, (low, high) = (found := self.random.choice(names)), self.scope.ints[found]
            value = self.within(self.number(2), low, high)
            self.add(indent, f"{name} = {value}")
        elif names:
            name = self.random.choice(names)
            operator, right, low, high = self._augmented(Number(name, *self.scope.ints[name]))
            self.add(indent, f"{name} {operator}= {right}")
            self.scope.ints[name] = (low, high)

    def _augmented(self, left: Number) -> tuple[str, str, int, int]:
        """An operator and its right side, and the range of what they make of the left one."""
        operator = self.random.choice(["+", "-", "+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"])
        most = max(-left.low, left.high, 1)
        if operator in ("//", "%"):
            return operator, self.random.choice(["2", "3", "-3"]), -most, most
        if operator in ("<<", ">>"):
            return operator, self.random.choice(["0", "1", "2"]), -4 * most, 4 * most
        number = self.number(1)
        most = max(most, -number.low, number.high)
        if operator in "&|^":
            return operator, number.text, -4 * most, 4 * most
        return operator, number.text, -2 * most * (most if operator == "*" else 1), 2 * most * (most if operator == "*" else 1)

    def _write(self, indent: str) -> None:
        """A line that writes to the state; the value is nearly always inside the range."""
        called = self.call(self.random.choice(["None", "None", "int", "bool"]), 1) if self.chance(0.3) else None
        if called is not None:
            self.add(indent, called.text)
            return
        whole = written(self) if self.chance(0.15) else None
        if whole is not None:
            self.add(indent, whole)
            return
        found = self.place(lambda kind: isinstance(kind, Scalar), 2)
        if found is None or found[0].endswith((".tick", ".who")):
            return
        text, kind = found
        assert isinstance(kind, Scalar)
        if kind.is_flag:
            self.add(indent, f"{text} = {self.truth(2)}")
        elif self.chance(0.25):
            self._augment(indent, kind)
        else:
            number = self.number(2)
            is_wild = self.chance(0.02) and not number.text.isdecimal()
            value = number.text if is_wild else self.within(number, kind.low, kind.high)
            self.add(indent, f"{text}: int = {value}" if self.chance(0.05) else f"{text} = {value}")

    def _augment(self, indent: str, kind: Scalar) -> None:
        """`place += value`, and after it what brings the place into its range again."""
        with self.quiet():  # an index before such a sign must not write
            may_move = self.chance(0.5)
            found = self.place(lambda each: each == kind, 2 if may_move else 0, fixed=not may_move)
        if found is None or found[0].endswith((".tick", ".who")):
            return
        if may_move:
            with self.quiet():  # nor a value, where that could move the place
                operator, right, _, _ = self._augmented(Number(found[0], kind.low, kind.high))
        else:
            operator, right, _, _ = self._augmented(Number(found[0], kind.low, kind.high))
        self.add(indent, f"{found[0]} {operator}= {right}")
        with self.quiet():
            self.add(indent, f"{found[0]} = {self.within(Number(found[0], -MOST, MOST), kind.low, kind.high)}")

    # -- functions ---------------------------------------------------------------------------------------------

    def function(self, given: list[tuple[str, Type | str]]) -> tuple[list[str], tuple[int, int]]:
        """The lines of a helper with these parameters, and the range of what it returns."""
        self.roots = ["state"] if ("state", self.state) in given else []
        self.has_rules = ("rules", "rules") in given
        for name, kind in given:
            if kind == "int":
                self.know(name, (-8, 8))
            elif kind == "bool":
                self.know(name, None)
            elif not isinstance(kind, str) and kind is not self.state:
                self.scope.views[name] = kind
        for _ in range(self.random.randrange(1, 4)):
            self.statement("    ", 2)
        if self.returns == "int":
            self.add("    ", f"return {self._result()}")
        elif self.returns == "bool":
            self.add("    ", f"return {self.truth(2)}")
        elif not self.lines:
            self.add("    ", "pass")
        return self.lines, (self.low, self.high)

    def action(self, most: int) -> list[str]:
        """The lines of an action: a guard, a tick that always changes, and statements."""
        with self.quiet():
            for _ in range(self.random.choice([0, 0, 1, 2])):
                self._bind("    ")
            for _ in range(self.random.choice([0, 0, 0, 1])):
                self.lines += [f"    if {self._rare(2)}:", "        return False"]
        self.add("    ", self.random.choice(["state.tick = (state.tick + 1) % 3", "state.tick = (state.tick + 2) % 3"]))
        for _ in range(self.random.randrange(1, most + 1)):
            if self.statement("    ", 2):
                return self.lines
        if self.chance(0.04):
            self.lines += [f"    if {self.truth(1)}:", "        return False"]
        self.add("    ", "return True")
        return self.lines

    def start(self) -> list[str]:
        """The lines of an initial function."""
        self.prefers_names = 0.8
        for _ in range(self.random.randrange(3, 7)):
            self._write("    ")
        return self.lines or ["    pass"]

    def observer(self) -> list[str]:
        """The lines of a property: most hold for a while."""
        for _ in range(self.random.choice([0, 0, 1, 2, 3])):
            if self.statement("    ", 1):
                return self.lines
        self.add("    ", f"return {self.truth(2) if self.chance(0.1) else f'not {self._rare(3)}'}")
        return self.lines

    def _rare(self, parts: int) -> str:
        """What few states fulfil."""
        return f"({' and '.join([self._compared(1) if self.chance(0.6) else self.truth(2) for _ in range(parts)])})"


def _fits(number: Number, low: int, high: int) -> bool:
    return low <= number.low and number.high <= high


_COMPUTED: dict[str, Callable[[int, int], int]] = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}
