"""Random actions and properties in the plain subset, as the text of a module, for comparing the readings.

The same seed gives the same text. Most actions keep their contract (guards first, values brought into range, a tick
that always changes), but some do not, and some fail: what the readings must agree on is the verdict and the reason.
"""

import random
from collections.abc import Callable

PRELUDE = '''"""Random protocol code."""

from enum import IntEnum
from typing import Annotated, NamedTuple

from checker.model import Model
from checker.schema import Array, ById, ByPosition, Count, EnumOf, Flag, Id, IdSet, Struct, cardinality, contains
from checker.schema import everyone, excluding, including


class Hue(IntEnum):
    """An enum that begins at 2."""

    RED = 2
    BLUE = 3


class Rules(NamedTuple):
    """Switches."""

    on: bool
    off: bool
    step: int
    hue: Hue


Small = Annotated[int, Count(3)]
Signed = Annotated[int, Count(2, -2)]


class Cell(Struct):
    """A nested record."""

    x: Small
    y: Signed
    up: Annotated[bool, Flag()]


class State(Struct):
    """Everything."""

    n: Small
    m: Signed
    f: Annotated[bool, Flag()]
    ids: Annotated[int, IdSet("members")]
    who: Annotated[int, Id("members", none=-1)]
    hue: Annotated[Hue, EnumOf(Hue)]
    cells: Annotated[Array[Cell], ById("members")]
    row: Annotated[Array[Small], ByPosition(2)]
    column: Annotated[Array[Small], ByPosition(2)]
    flags: Annotated[Array[Annotated[bool, Flag()]], ByPosition("members")]
    tick: Annotated[int, Count(2)]


def mark(state: State, place: int) -> int:
    """A helper that writes and returns a number."""
    state.row[place % 2] = (state.row[place % 2] + 1) % 4
    return place + 1


def maybe_raise(state: State, limit: int) -> bool:
    """A helper that may do nothing and says so."""
    if state.n >= limit or state.n == 3:
        return False
    state.n += 1
    return True


def difference(cell: Cell, other: int) -> int:
    """A helper that reads a record."""
    return cell.x - cell.y if cell.up else other


def fill(row: Array[Small], value: int) -> None:
    """A helper that writes an array it is given."""
    for place in range(len(row)):
        row[place] = value % 4
'''

ENDING = """
MODEL = Model(
    name="random_{seed}",
    state=State,
    bounds={{"members": 3}},
    rules=Rules(on={on}, off={off}, step={step}, hue=Hue.BLUE),
    actions=[{actions}],
    always=[{always}],
    constraint={constraint},
    check_deadlock={check_deadlock},
)
"""


class Writer:
    """Writes one function."""

    def __init__(self, source: random.Random, parameters: list[str], can_write: bool) -> None:
        self.random = source
        self.can_write = can_write
        self.lines: list[str] = []
        self.ints = list(parameters)
        self.flags: list[str] = []
        self.records: list[str] = []
        self.rows: list[str] = []
        self.counters: list[str] = []

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, *makers: Callable[[], str]) -> str:
        return self.random.choice(makers)()

    def cell(self, depth: int) -> str:
        if self.records and self.chance(0.4):
            return self.random.choice(self.records)
        return f"state.cells[{self.index(3, depth)}]"

    def row(self) -> str:
        return self.random.choice(["state.row", "state.column", *self.rows])

    def index(self, length: int, depth: int) -> str:
        """An index that is nearly always inside."""
        if depth <= 0 or self.chance(0.4):
            return str(self.random.randrange(length))
        if self.chance(0.03):
            return self.number(depth - 1)
        return f"({self.number(depth - 1)}) % {length}"

    def number(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.2):
            return self.random.choice([
                str(self.random.randrange(4)), str(self.random.randrange(4)), "state.n", "state.m", "state.ids",
                "state.who", "state.hue", "state.tick", "rules.step", "Hue.RED", "len(state.cells)", "rules.hue",
                f"{self.cell(0)}.{self.random.choice('xy')}", *self.ints, f"{self.row()}[{self.random.randrange(2)}]",
            ])  # fmt: skip
        if self.chance(0.04):
            operator, field = self.random.choice(["//", "%", "<<", ">>"]), self.random.choice(["n", "m", "who", "tick"])
            return f"({self.number(0)} {operator} state.{field})"
        if self.can_write and self.chance(0.02):
            return f"mark(state, {self.number(0)})"
        deeper = depth - 1
        return self.pick(
            lambda: f"({self.number(deeper)} {self.random.choice('+-*&|^+-')} {self.number(deeper)})",
            lambda: f"({self.number(deeper)} {self.random.choice(['//', '%'])} {self.random.choice(['2', '3', '-3'])})",
            lambda: f"({self.number(deeper)} {self.random.choice(['<<', '>>'])} {self.random.randrange(4)})",
            lambda: f"{self.random.choice(['min', 'max'])}({self.number(deeper)}, {self.number(deeper)})",
            lambda: f"{self.random.choice(['-', '~', '+', 'abs'])}({self.number(deeper)})",
            lambda: f"({self.number(deeper)} if {self.truth(deeper)} else {self.number(deeper)})",
            lambda: f"int({self.truth(deeper)})",
            lambda: f"difference({self.cell(deeper)}, {self.number(deeper)})",
            lambda: f"cardinality({self.number(deeper)} & 7)",
            lambda: f"{self.random.choice(['including', 'excluding'])}(state.ids, {self.index(3, deeper)})",
            lambda: f"{self.cell(deeper)}.{self.random.choice('xy')}",
            lambda: f"{self.row()}[{self.index(2, deeper)}]",
            lambda: f"everyone({self.random.randrange(3)})",
        )

    def truth(self, depth: int) -> str:
        if depth <= 0 or self.chance(0.15):
            return self.random.choice([
                "state.f", "rules.on", "rules.off", "True", "False", *self.flags,
                f"state.flags[{self.random.randrange(3)}]", f"state.cells[{self.random.randrange(3)}].up",
                f"(state.n {self.comparison()} {self.random.randrange(4)})",
            ])  # fmt: skip
        if self.can_write and self.chance(0.06):
            return f"maybe_raise(state, {self.number(0)})"
        deeper = depth - 1
        return self.pick(
            lambda: f"({self.truth(deeper)} and {self.truth(deeper)})",
            lambda: f"({self.truth(deeper)} or {self.truth(deeper)})",
            lambda: f"({self.truth(deeper)} and {self.truth(deeper)} and {self.truth(deeper)})",
            lambda: f"(not {self.truth(deeper)})",
            lambda: f"({self.number(deeper)} {self.comparison()} {self.number(deeper)})",
            lambda: (
                f"({self.number(0)} {self.comparison()} {self.number(deeper)} {self.comparison()} {self.number(0)})"
            ),
            lambda: f"({self.truth(deeper)} {self.comparison()} {self.truth(deeper)})",
            lambda: f"({self.truth(deeper)} if {self.truth(0)} else {self.truth(deeper)})",
            lambda: f"contains(state.ids, {self.index(3, deeper)})",
            lambda: f"{self.cell(deeper)}.up",
            lambda: f"state.flags[{self.index(3, deeper)}]",
            lambda: f"bool({self.number(deeper)})",
        )

    def comparison(self) -> str:
        return self.random.choice(["==", "!=", "<", "<=", ">", ">="])

    def write(self, indent: str) -> None:
        """A line that writes to the state; the value is nearly always inside the range."""
        value, flag = self.number(2), self.truth(2)
        if self.chance(0.03):
            self.lines.append(f"{indent}state.n = state.tick + {value}")
            return
        row, quiet = self.row(), "1" if "maybe_raise" in value else value
        self.lines.append(indent + self.random.choice([
            f"state.n = ({value}) % 4", f"state.m = ({value}) % 5 - 2", f"state.f = {flag}",
            f"state.ids = ({value}) & 7", f"state.who = ({value}) % 4 - 1", f"state.hue = ({value}) % 2 + 2",
            f"{self.cell(1)}.x = ({value}) % 4", f"{self.cell(1)}.y = min(max({value}, -2), 2)",
            f"{self.cell(1)}.up = {flag}", f"{row}[{self.index(2, 1)}] = ({value}) % 4",
            f"state.n ^= {self.number(0)} & 3",
            f"{row}[{self.index(2, 1)}] |= ({quiet}) & 3", f"fill({row}, {value})", f"mark(state, {value})",
            f"state.flags[{self.index(3, 1)}] = {flag}", f"maybe_raise(state, {value})",
        ]))  # fmt: skip

    def assign(self, indent: str, prefix: str) -> None:
        """A line that binds a local name, which later code may use."""
        kind = self.random.choice(["int", "int", "bool", "record", "row"])
        names = {"int": self.ints, "bool": self.flags, "record": self.records, "row": self.rows}[kind]
        values = {"int": self.number(2), "bool": self.truth(2), "record": self.cell(1), "row": self.row()}
        known = [name for name in names if name.startswith(kind) and name not in self.counters]
        again = bool(known) and self.chance(0.4)
        name = self.random.choice(known) if again else f"{kind}_{prefix}{len(self.lines)}"
        self.lines.append(f"{indent}{name} = {values[kind]}")
        if not again:
            names.append(name)

    def block(self, indent: str, depth: int, prefix: str) -> None:
        """Some statements; the names they bind are forgotten after them."""
        kept = [list(names) for names in (self.ints, self.flags, self.records, self.rows)]
        for number in range(self.random.randrange(1, 4)):
            self.statement(indent, depth, f"{prefix}{number}")
        self.ints, self.flags, self.records, self.rows = kept

    def statement(self, indent: str, depth: int, prefix: str) -> None:
        choice = self.random.random()
        if depth > 0 and choice < 0.2:
            self.lines.append(f"{indent}if {self.truth(2)}:")
            self.block(indent + "    ", depth - 1, prefix + "t")
            if self.chance(0.5):
                self.lines.append(f"{indent}else:")
                self.block(indent + "    ", depth - 1, prefix + "e")
        elif depth > 0 and choice < 0.35:
            counter = f"int_{prefix}c{len(self.lines)}"
            spans = [
                "2",
                "3",
                "len(state.row)",
                f"{self.number(1)} % 3",
                "2, -1, -1",
                f"1, {self.number(0)}",
                "0, 5, 2",
            ]
            self.lines.append(f"{indent}for {counter} in range({self.random.choice(spans)}):")
            self.ints.append(counter)
            self.counters.append(counter)
            self.block(indent + "    ", depth - 1, prefix + "l")
            self.ints.remove(counter)
        elif choice < 0.6 or not self.can_write:
            self.assign(indent, prefix)
        else:
            self.write(indent)


def action(source: random.Random, name: str) -> str:
    """The text of an action."""
    parameters = source.sample(["small: Small", "signed: Signed", "member: Annotated[int, Id('members')]"], 1)
    writer = Writer(source, [each.split(":")[0] for each in parameters], can_write=False)
    for _ in range(source.randrange(3)):
        writer.assign("    ", "g")
    guard = writer.truth(2)
    writer.lines += [f"    if {guard}:", "        return False"]
    writer.can_write = True
    for number in range(source.randrange(1, 6)):
        writer.statement("    ", 2, str(number))
    if source.random() < 0.06:
        writer.lines += [f"    if {writer.truth(1)}:", "        return False"]
    tick = ["    state.tick = (state.tick + 1) % 3", "    return True"]
    text = [f"def {name}(state: State, rules: Rules, {', '.join(parameters)}) -> bool:", '    """An action."""']
    return "\n".join([*text, *writer.lines, *tick])


def observer(source: random.Random, name: str, states: str, seldom_false: bool) -> str:
    """The text of a property or constraint: `states` are its parameters."""
    writer = Writer(source, [], can_write=False)
    for number in range(source.randrange(1, 4)):
        writer.statement("    ", 1, str(number))
    lines = [line.replace("state.", "after.") if "after" in states and source.random() < 0.5 else line
             for line in writer.lines]  # fmt: skip
    result = f"state.tick < 2 or {writer.truth(2)} or {writer.truth(2)}" if seldom_false else writer.truth(2)
    header = f"def {name}({states}, rules: Rules) -> bool:"
    return "\n".join([header, '    """An observer."""', *lines, f"    return {result}"])


def module_text(seed: int, actions: int = 5) -> str:
    """A module with a model of random actions and properties."""
    source = random.Random(seed)
    parts = [PRELUDE]
    parts += [action(source, f"step_{number}") for number in range(actions)]
    always = []
    if source.random() < 0.5:
        parts.append(observer(source, "invariant", "state: State", seldom_false=True))
        always.append("invariant")
    if source.random() < 0.3:
        parts.append(observer(source, "step_property", "state: State, after: State", seldom_false=True))
        always.append("step_property")
    constraint = "None"
    if source.random() < 0.2:
        constraint = "inside"
        parts.append(observer(source, "inside", "state: State", seldom_false=True))
    names = ", ".join(f"step_{number}" for number in range(actions))
    ending = ENDING.format(
        seed=seed, actions=names, always=", ".join(always), constraint=constraint, on=source.random() < 0.5,
        off=source.random() < 0.5, step=source.randrange(3), check_deadlock=source.random() < 0.5,
    )  # fmt: skip
    return "\n\n\n".join([*parts, ending.strip()]) + "\n"
