"""Random functions of the plain subset: statements of every form."""

import re
from contextlib import nullcontext

from tests.programs import random_containers
from tests.programs.random_expressions import MOST, ExpressionWriter, Number, fits
from tests.programs.random_generators import elements, members, written
from tests.programs.random_schemas import ArrayOf, Record, Scalar, Type
from tests.programs.random_sets import ids, write


class Writer(ExpressionWriter):
    """Writes one function."""

    # -- statements --------------------------------------------------------------------------------------------

    def add(self, indent: str, line: str) -> None:
        self.lines.append(indent + line)

    def block(self, indent: str, depth: int, most: int = 3) -> bool:
        """Some statements; the names they bind are forgotten after them. Whether every path through them returns."""
        kept, begun, ends = self.scope.copy(), len(self.lines), False
        for _ in range(self.random.randrange(1, most + 1)):
            if self.chance(0.06):
                self.add(indent, f"if {self.truth(1)}:")
                self._return(indent + "    ")
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
        elif choice < 0.53 and len(indent) > 4:
            return self._return(indent)
        elif choice > 0.97:
            self._evaluate(indent)
        elif choice > 0.93:
            self._sets(indent)
        elif choice > 0.85 and self.writes:
            for line in random_containers.written(self):
                self.add(indent, line)
        elif choice < 0.73 or not self.writes:
            self._bind(indent)
        else:
            self._write(indent)
        return False

    def _evaluate(self, indent: str) -> None:
        """A call whose value is not used."""
        part = self.any_form()
        self.add(indent, str(self.pick(
            lambda: f"int({part.text})", lambda: f"int({part.text})", lambda: f"abs({part.text})",
            lambda: f"max({part.text}, {self.simple().text})", lambda: f"bool({self.truth(2)})",
        )))  # fmt: skip

    def _sets(self, indent: str) -> None:
        """A line that binds a name to an id set, or writes one of the state."""
        written = write(self, 2) if self.writes and self.chance(0.5) else None
        if written is not None:
            self.add(indent, written)
            return
        value = ids(self, 2)
        known = sorted(self.scope.sets - self.counters)
        if known and self.chance(0.5):
            name = self.random.choice(known)
            self.add(indent, f"{name} {self.random.choice(['', '|', '&', '-', '^'])}= {value}")
            return
        name = self._new("Ids")
        self.add(indent, f"{name}: Ids = {value}" if self.chance(0.2) else f"{name} = {value}")
        self.scope.sets.add(name)

    def _if(self, indent: str, depth: int) -> bool:
        self.add(indent, f"if {self.truth(2) if self.chance(0.6) else self.any_truth()}:")
        ends = self.block(indent + "    ", depth - 1)
        if self.chance(0.25):
            self.add(indent, f"elif {self.truth(1)}:")
            ends = self.block(indent + "    ", depth - 1) and ends
        if self.chance(0.5):
            self.add(indent, "else:")
            return self.block(indent + "    ", depth - 1) and ends
        return False

    def _loop(self, indent: str, depth: int) -> None:
        name = self.new_counter()
        found = None
        if self.chance(0.35):
            found = self.place(lambda kind: isinstance(kind, ArrayOf), 1)
        kept = self.scope.copy()
        held = random_containers.elements(self) if self.chance(0.12) else None
        if held is not None:
            self._over_records(indent, *held)
            self.scope = kept
            return
        if self.chance(0.12):
            target, over = members(self)
            self.add(indent, f"for {target} in {over}:")
        elif found is None:
            self._counted(indent, name)
        else:
            target, over = elements(self, *found)
            self.add(indent, f"for {target} in {over}:")
        self._widen()
        self.block(indent + "    ", depth - 1, 2)
        for each, (low, high) in self.scope.ints.items():
            if each in kept.ints:
                kept.ints[each] = (min(low, kept.ints[each][0]), max(high, kept.ints[each][1]))
        self.scope = kept

    def _over_records(self, indent: str, target: str, over: str, record: Record, index: str, most: int) -> None:
        """A loop over a queue or bag, which adds up what it finds: the body does not write."""
        total = self._new("int")
        self.add(indent, f"{total} = 0")
        self.add(indent, f"for {target} in {over}:")
        self.learn(target.split(", ")[-1], record)
        if index:
            self.scope.ints[index] = (0, most - 1)
        with self.quiet():
            self.add(indent, f"    if {self.truth(1)}:")
            self.add(indent, f"        {total} = ({total} + {self.within(self.number(1), -9, 9)}) % 50")

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
        if self.chance(0.3):
            value = self.random.randrange(-1, 4)
            return Number(str(value), value, value)
        called = self.call("int", 1) if self.chance(0.2) else None
        number = called or self.any_form()
        if fits(number, -4, 8):
            return number
        return Number(self.within(number, 0, 2), 0, 2)

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
        elif self.returns == "Ids":
            self.add(indent, f"return {ids(self, 2)}")
        elif self.is_action:
            self.add(indent, "return True")
        else:
            self.add(indent, f"return {self.truth(1)}")
        return True

    def _result(self) -> str:
        number = self.number(2) if self.chance(0.5) else self.any_form()
        if self.chance(0.7):
            number = self.random.choice(
                [Number(self.within(number, -4, 8), -4, 8), Number(self.within(number, 0, 1), 0, 1)]
            )
        self.low, self.high = min(self.low, number.low), max(self.high, number.high)
        return number.text

    def _bind(self, indent: str) -> None:
        """A line that binds a local name, which later code may use."""
        kind = self.random.choice(["int", "int", "flag", "view", "again", "again", "augment"])
        if kind == "again":
            self._bind_again(indent)
        elif kind == "augment":
            self._augment_name(indent)
        elif kind == "view":
            found = self.place(lambda each: not isinstance(each, Scalar) and each is not self.state, 2)
            if found is not None:
                name = self._new(found[1])
                self.add(indent, f"{name} = {found[0]}")
                self.scope.views[name] = found[1]
                if self.chance(0.3):
                    self.add(indent, f"if {self.truth(1)}:")
                    self._bind_again(indent + "    ", name)
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

    def _bind_again(self, indent: str, view: str = "") -> None:
        """A name gets another value of its type; sometimes that of a counter or parameter."""
        choice = 0 if view else self.random.random()
        names = [name for name in self.scope.ints if name not in self.counters or self.chance(0.1)]
        if choice < 0.45 and self.scope.views:
            name = view or self.random.choice(list(self.scope.views))
            kind = self.scope.views[name]
            found = self.place(lambda each: each == kind, 2)
            if found is not None:
                self.add(indent, f"{name} = {found[0]}")
        elif choice < 0.6 and self.scope.flags:
            name = self.random.choice(sorted(self.scope.flags))
            self.add(indent, f"{name} = {self.truth(2)}")
        elif names:
            name, (low, high) = (found := self.random.choice(names)), self.scope.ints[found]
            value = self.within(self.number(2), low, high)
            self.add(indent, f"{name} = {value}")

    def _augment_name(self, indent: str) -> None:
        """`name += value`, of a new name where there is none."""
        names = [name for name in self.scope.ints if name not in self.counters]
        if not names:
            number, name = self.any_form(), self._new("int")
            self.add(indent, f"{name} = {number.text}")
            self.scope.ints[name] = (number.low, number.high)
            names = [name]
        name = self.random.choice(names)
        operator, right, low, high = self._augmented(Number(name, *self.scope.ints[name]))
        self.add(indent, f"{name} {operator}= {right}")
        self.scope.ints[name] = (low, high)

    def _augmented(self, left: Number) -> tuple[str, str, int, int]:
        """An operator and its right side, and the range of what they make of the left one."""
        operator = self.random.choice(["+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"])
        most = max(-left.low, left.high, 1)
        if operator in ("//", "%"):
            return operator, self.random.choice(["2", "3", "-3"]), -most, most
        if operator in ("<<", ">>"):
            return operator, self.random.choice(["0", "1", "2"]), -4 * most, 4 * most
        number = self.number(1)
        most = max(most, -number.low, number.high)
        if operator in "&|^":
            return operator, number.text, -4 * most, 4 * most
        return (
            operator,
            number.text,
            -2 * most * (most if operator == "*" else 1),
            2 * most * (most if operator == "*" else 1),
        )

    def _write(self, indent: str) -> None:
        """A line that writes to the state; the value is nearly always inside the range."""
        called = self.call(self.random.choice(["None", "None", "int", "bool"]), 1) if self.chance(0.4) else None
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
        elif kind.is_set:
            self.add(indent, f"{text} = {ids(self, 2)}")
        elif self.chance(0.4):
            self._augment(indent)
        else:
            number = self.number(2) if self.chance(0.7) else self.any_form()
            is_wild = self.chance(0.02) and not number.text.isdecimal()
            value = number.text if is_wild else self.within(number, kind.low, kind.high)
            self.add(indent, f"{text}: int = {value}" if self.chance(0.05) else f"{text} = {value}")

    def _augment(self, indent: str) -> None:
        """`place += value`, and after it what brings the place into its range again."""
        may_move = self.chance(0.5)
        with self.quiet():  # an index before such a sign must not write
            text, low, high = (
                self._element(1 if may_move else 0) if self.chance(0.6) else self._deep(0 if may_move else -1)
            )
        if text.endswith((".tick", ".who")) or re.split(r"[.\[]", text)[0] not in {*self.roots, *self.scope.views}:
            return
        with self.quiet() if may_move else nullcontext():  # nor a value, where that could move the place
            operator, right, _, _ = self._augmented(Number(text, low, high))
        self.add(indent, f"{text} {operator}= {right}")
        self.add(indent, f"{text} = {self.within(Number(text, -MOST, MOST), low, high)}")

    # -- functions ---------------------------------------------------------------------------------------------

    def function(self, given: list[tuple[str, Type | str]]) -> tuple[list[str], tuple[int, int]]:
        """The lines of a helper with these parameters, and the range of what it returns."""
        self.roots = ["state"] if ("state", self.state) in given else []
        self.has_rules, self.has_bounds = ("rules", "rules") in given, ("bounds", "bounds") in given
        for name, kind in given:
            if kind == "int":
                self.know(name, (-8, 8))
            elif kind == "bool":
                self.know(name, None)
            elif kind == "Ids":
                self.scope.sets.add(name)
            elif not isinstance(kind, str) and kind is not self.state:
                self.scope.views[name] = kind
        for _ in range(self.random.randrange(1, 4)):
            if self.statement("    ", 2):
                return self.lines, (self.low, self.high)
        if self.returns == "int":
            self.add("    ", f"return {self._result()}")
        elif self.returns == "bool":
            self.add("    ", f"return {self.truth(2)}")
        elif self.returns == "Ids":
            self.add("    ", f"return {ids(self, 2)}")
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
