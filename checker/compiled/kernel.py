"""The compiled reading's loops, for one model with its bounds and rules: `ENTRIES`.

States are kept packed (`Leaf.word`, `shift`, `bits`), one after the other in order of discovery. The module text holds
every function that can be reached, every bound and every rule, so a hash of it names the machine code: no edit can be
missed. All entries take one argument, the address of a context: an array of 64-bit integers, see
`checker.compiled.context`.
"""

import contextlib
from collections.abc import Iterator

from kafkacheck.checker.compiled import lookup
from kafkacheck.checker.compiled.context import (
    EXCLUDED,
    Context,
    Sizes,
    bit_of_action,
    kept_slot,
    pointer,
    successor_slot,
)
from kafkacheck.checker.compiled.native import (
    AT,
    DEADLOCK,
    DIRTY_FALSE,
    FAULT,
    I1,
    I16,
    I32,
    I64,
    NO_CHANGE,
    NO_FAULT,
    OUT_OF_RANGE,
    POINTER,
    REMOVED,
    Builder,
    apart,
    define,
    entry,
    judges,
    number,
    removed,
)
from kafkacheck.checker.compiled.packing import Packing
from kafkacheck.checker.compiled.relevance import relevant_leaves
from kafkacheck.checker.compiled.text import llvm
from kafkacheck.checker.language import ir
from kafkacheck.checker.language.footprint import WHOLE_STATE, footprint
from kafkacheck.checker.model import Action, Model
from kafkacheck.checker.process import collector

ENTRIES = ["expand", "absorb", "check", "fill", "spread", "fingerprint"]

MOST_COPIES = 128
"""How many (action, parameters) get machine code of their own, which runs nearly twice as fast and takes ten to twenty
milliseconds to compile. Actions with few parameters come first; the others are tried in loops."""


def sizes_of(model: Model) -> Sizes:
    """The sizes of the arrays of a model's kernel."""
    combinations = sum(action.combination_count() for action in model.actions)
    return Sizes(model.layout.word_count, combinations, len(model.actions), len(model.properties), len(model.sometimes))


def unrolled_actions(model: Model) -> set[str]:
    """The names of the actions that get machine code of their own for all their parameters."""
    names: set[str] = set()
    copies = 0
    for action in sorted(model.actions, key=Action.combination_count):
        copies += action.combination_count()
        if copies <= MOST_COPIES:
            names.add(action.name)
    return names


def kernel_text(model: Model, with_steps: bool = False) -> str:
    """The LLVM module of a model. Deterministic: equal models give equal text.

    `with_steps`: it also tells the steps between states and every state's verdicts, for `checker.graphs.state_graph`.
    ModelError if values that the functions read have changed since the model was defined.
    """
    model.require_unchanged()
    with collector.paused():
        return str(_KernelWriter(model, with_steps).module)


class _KernelWriter:
    def __init__(self, model: Model, with_steps: bool) -> None:
        self.model = model
        self.with_steps = with_steps
        self.sizes = sizes_of(model)
        self.module = llvm.Module(name="kernel")
        self.packing = Packing(self.module, model.layout)
        self.unrolled = unrolled_actions(model)
        observers = [*model.properties, *model.sometimes, *([model.constraint] if model.constraint else [])]
        roots = [action.read for action in model.actions] + [each.read for each in observers]
        roots += [measure.read for measure in model.measures if with_steps]
        inlined = [action.read for action in model.actions if action.name in self.unrolled]
        self._functions = define(self.module, ir.reachable(roots), inlined)
        _ExpandWriter(self).write()
        lookup.write(self.module, self.packing, with_steps)
        self._check()
        self._fingerprint()

    def call(
        self, builder: Builder, function: ir.Function, report: llvm.Value, arguments: list[llvm.Value]
    ) -> llvm.Value:
        """The value of a protocol function."""
        return builder.call(self._functions[id(function)], [report, *arguments])

    def _check(self) -> None:
        """Evaluate invariants and `sometimes` on the states FIRST .. LAST-1, keeping the first state of each."""
        context, builder = entry(self.module, "check")
        report = pointer(builder, context, Context.REPORT)
        store = pointer(builder, context, Context.STORE)
        state = builder.in_entry(I64, len(self.packing.leaves))
        first, last = builder.get(context, Context.FIRST), builder.get(context, Context.LAST)
        with builder.loop(first, last, polled=report) as row:
            builder.put(report, AT, row)
            self.packing.unpack(builder, self.packing.row(builder, store, row), state)
            verdicts: list[tuple[int, llvm.Value]] = []
            for place, each in enumerate(self.model.properties):
                if not each.is_step:
                    fails = builder.not_(self.call(builder, each.read, report, [state]))
                    note_first(builder, report, kept_slot(place), row, fails)
                    verdicts.append((place, fails))
            for place, each in enumerate(self.model.sometimes):
                slot = self.sizes.sometimes_slot(place)
                is_example = self.call(builder, each.read, report, [state])
                note_first(builder, report, slot, row, is_example)
                verdicts.append((len(self.model.properties) + place, is_example))
            if self.with_steps:
                self._tell(context, builder, row, verdicts, state)
        builder.ret_void()

    def _tell(
        self,
        context: llvm.Value,
        builder: Builder,
        row: llvm.Value,
        verdicts: list[tuple[int, llvm.Value]],
        state: llvm.Value,
    ) -> None:
        """Write the verdicts on a state, one bit each, and its measures."""
        place = builder.sub(row, builder.get(context, Context.FIRST))
        builder.put(pointer(builder, context, Context.VERDICTS), place, bits(builder, verdicts))
        report, measures = (pointer(builder, context, slot) for slot in (Context.REPORT, Context.MEASURES))
        first = builder.mul(place, number(len(self.model.measures)))
        for column, measure in enumerate(self.model.measures):
            value = self.call(builder, measure.read, report, [state])
            builder.put(measures, builder.add(first, number(column)), value)

    def _fingerprint(self) -> None:
        """Write the fingerprints of the states FIRST .. LAST-1 to FINGERPRINTS."""
        context, builder = entry(self.module, "fingerprint")
        store, fingerprints = (pointer(builder, context, slot) for slot in (Context.STORE, Context.FINGERPRINTS))
        with builder.loop(builder.get(context, Context.FIRST), builder.get(context, Context.LAST)) as row:
            words = self.packing.load(builder, self.packing.row(builder, store, row))
            builder.put(fingerprints, row, self.packing.fingerprint(builder, words))
        builder.ret_void()


def note_first(builder: Builder, report: llvm.Value, slot: int, row: llvm.Value, hit: llvm.Value) -> None:
    """Report `row` if `hit` holds and nothing was reported in the slot before."""
    with (
        builder.if_then(hit, likely=False),
        builder.if_then(builder.icmp_signed("<", builder.get(report, slot), number(0))),
    ):
        builder.put(report, slot, row)


def bits(builder: Builder, flags: list[tuple[int, llvm.Value]]) -> llvm.Value:
    """A number in which each flag has the bit of its place."""
    total: llvm.Value = number(0)
    for place, flag in flags:
        total = builder.or_(total, builder.shl(builder.zext(flag, I64), number(place)))
    return total


class _ExpandWriter:
    """Writes `expand`: every action with all its parameters, on every state, as long as there is room."""

    def __init__(self, kernel: _KernelWriter) -> None:
        self.kernel = kernel
        self.model = kernel.model
        self.packing = kernel.packing
        self._keepers: dict[tuple[tuple[int, ...], bool], llvm.Function] = {}
        self._comparisons: dict[tuple[int, ...], llvm.Function] = {}
        self._invariants = [place for place, each in enumerate(self.model.properties) if not each.is_step]
        self._watched = {
            place: relevant_leaves(each, self.model.layout)
            for place, each in enumerate(self.model.properties)
            if each.is_step
        }
        context, builder = entry(kernel.module, "expand")
        self.context, self.builder = context, builder
        self.report = pointer(builder, context, Context.REPORT)
        self.store = pointer(builder, context, Context.STORE)
        self.actions = pointer(builder, context, Context.ACTIONS, I16)
        self.origins = pointer(builder, context, Context.ORIGINS, I32)
        self.successors = pointer(builder, context, Context.SUCCESSORS)
        if kernel.with_steps:
            self.combinations = pointer(builder, context, Context.COMBINATIONS, I32)
            self.wrongs = pointer(builder, context, Context.WRONGS)
        self.state = builder.in_entry(I64, len(self.packing.leaves))
        self.before = self.state
        if self._watched:
            self.before = builder.in_entry(I64, len(self.packing.leaves))
        self.next = builder.in_entry(I64)
        self.amount = builder.in_entry(I64)
        self.has_switches = REMOVED in kernel.module.globals
        if self.has_switches:
            builder.store(builder.get(context, Context.REMOVED), removed(kernel.module))
            builder.store(builder.get(context, Context.JUDGES), judges(kernel.module))

    def write(self) -> None:
        """The whole function."""
        builder, context = self.builder, self.context
        last, room = builder.get(context, Context.LAST), builder.get(context, Context.ROOM)
        builder.store(builder.get(context, Context.FIRST), self.next)
        builder.store(number(0), self.amount)
        head, look, expand, following, leave = (
            builder.append_basic_block(name) for name in ("head", "look", "expand", "following", "leave")
        )
        builder.branch(head)
        builder.position_at_end(head)
        row = builder.load(self.next)
        goes_on = builder.and_(builder.icmp_signed("<", row, last), builder.not_(builder.must_stop(self.report)))
        builder.cbranch(goes_on, look, leave)
        builder.position_at_end(look)
        most = builder.add(builder.load(self.amount), number(self.kernel.sizes.combinations))
        builder.cbranch(builder.icmp_signed("<=", most, room), expand, leave)
        builder.position_at_end(expand)
        self._expand(row)
        fine = builder.icmp_signed("==", builder.get(self.report, FAULT), number(NO_FAULT))
        builder.cbranch(fine, following, leave)
        builder.position_at_end(following)
        builder.store(builder.add(row, number(1)), self.next)
        builder.branch(head)
        builder.position_at_end(leave)
        builder.put(context, Context.FIRST, builder.load(self.next))
        builder.put(context, Context.AMOUNT, builder.load(self.amount))
        builder.ret_void()

    def _expand(self, row: llvm.Value) -> None:
        """Collect the successors of one state."""
        builder = self.builder
        before = builder.load(self.amount)
        source = self.packing.row(builder, self.store, row)
        builder.put(self.report, AT, row)
        self.packing.unpack(builder, source, self.state)
        if self.before is not self.state:
            self.packing.unpack(builder, source, self.before)
        for place, action in enumerate(self.model.actions):
            with contextlib.ExitStack() as branches:
                if self.has_switches:
                    tried = builder.and_(builder.get(self.context, Context.TRIED), number(bit_of_action(place)))
                    branches.enter_context(builder.if_then(builder.icmp_signed("!=", tried, number(0))))
                for given in self._combinations(action, []):
                    self._attempt(place, action, row, source, given)
        if self.model.check_deadlock:
            stuck = builder.icmp_signed("==", builder.load(self.amount), before)
            note_first(builder, self.report, DEADLOCK, row, stuck)

    def _combinations(self, action: Action, given: list[llvm.Value]) -> Iterator[list[llvm.Value]]:
        """All parameters that begin with the given ones: each as constants, or all at once as counters of loops."""
        if len(given) == len(action.parameters):
            yield given
            return
        parameter, local = action.parameters[len(given)], action.read.parameters[1 + len(given)]
        if action.name in self.kernel.unrolled:
            kind = I1 if local.type == ir.BOOL else I64
            for value in parameter.values:
                yield from self._combinations(action, [*given, llvm.Constant(kind, int(value))])
            return
        with self.builder.loop(number(parameter.low), number(parameter.high + 1)) as counter:
            value = self.builder.icmp_signed("!=", counter, number(0)) if local.type == ir.BOOL else counter
            yield from self._combinations(action, [*given, value])

    def _attempt(
        self, place: int, action: Action, row: llvm.Value, source: llvm.Value, given: list[llvm.Value]
    ) -> None:
        """Try one action with all its parameters."""
        builder = self.builder
        known = [frozenset([int(each.constant)]) if isinstance(each, llvm.Constant) else None for each in given]
        written = tuple(sorted(footprint(action.read, (WHOLE_STATE, *known)).written))
        enabled = self.kernel.call(builder, action.read, self.report, [self.state, *given])
        with contextlib.ExitStack() as branches:
            if action.read.false_is_clean:
                branches.enter_context(builder.if_then(enabled))
            else:
                yes, no = branches.enter_context(builder.if_else(enabled))
                with no:
                    clean = builder.call(self._comparison(written), [source, self.state])
                    with builder.if_then(builder.not_(clean), likely=False):
                        builder.note_fault(self.report, DIRTY_FALSE)
                branches.enter_context(yes)
            now = builder.load(self.amount)
            target = self.packing.row(builder, self.successors, now)
            told = [self.report, source, self.before, self.state, target]
            if self.kernel.with_steps:
                combination = builder.trunc(self._combination(place, given), I32)
                builder.store(combination, builder.gep(self.combinations, [now]))
                told.append(builder.at(self.wrongs, now))
            outside = builder.call(self._keeper(written, action.may_stutter), told)
            builder.store(builder.add(llvm.Constant(I16, place), outside), builder.gep(self.actions, [now]))
            builder.store(builder.trunc(row, I32), builder.gep(self.origins, [now]))
            builder.store(builder.add(now, number(1)), self.amount)

    def _combination(self, place: int, given: list[llvm.Value]) -> llvm.Value:
        """The number of an action with its parameters, counted over all of them in the order of the search."""
        builder, actions = self.builder, self.model.actions
        value: llvm.Value = number(0)
        for parameter, each in zip(actions[place].parameters, given, strict=True):
            each = builder.zext(each, I64) if each.type == I1 else each
            value = builder.mul(value, number(parameter.high - parameter.low + 1))
            value = builder.add(value, builder.sub(each, number(parameter.low)))
        return builder.add(value, number(sum(action.combination_count() for action in actions[:place])))

    def _comparison(self, written: tuple[int, ...]) -> llvm.Function:
        """Whether these leaves are as they were: (packed state before, state) -> I1."""
        if written not in self._comparisons:
            function = apart(self.kernel.module, I1, [POINTER] * 2, f"same.{len(self._comparisons)}")
            self._comparisons[written] = function
            builder = Builder(function.append_basic_block("entry"))
            source, state = function.args
            builder.ret(self.packing.unchanged(builder, source, state, written))
        return self._comparisons[written]

    def _keeper(self, written: tuple[int, ...], may_stutter: bool) -> llvm.Function:
        """Packs a successor in which these leaves may have been written, judges it, and undoes the writes.

        (report, packed state before, state before, state, where the successor goes[, where the properties go that it
        violates]) -> EXCLUDED if the successor lies outside the constraint, else 0. Shared by all (action,
        parameters) that write the same leaves, and may all write what is there already, or none of them.
        """
        key = written, may_stutter
        if key in self._keepers:
            return self._keepers[key]
        function = apart(
            self.kernel.module, I16, [POINTER] * (5 + self.kernel.with_steps), f"keep.{len(self._keepers)}"
        )
        self._keepers[key] = function
        builder = Builder(function.append_basic_block("entry"))
        report, source, before, state, target, *wrong = function.args
        for each in wrong:
            builder.store(number(0), each)
        outside, is_same = self.packing.pack(builder, source, state, target, written)
        with builder.if_then(outside, likely=False):
            builder.note_fault(report, OUT_OF_RANGE)
        if not may_stutter:
            with builder.if_then(is_same, likely=False):
                builder.note_fault(report, NO_CHANGE)
        at_stake = [place for place, leaves in self._watched.items() if leaves is None or leaves & set(written)]
        self._judge(builder, report, [before, state], wrong, at_stake)
        excluded: llvm.Value = llvm.Constant(I16, 0)
        if self.model.constraint is not None:
            inside = self.kernel.call(builder, self.model.constraint.read, report, [state])
            excluded = builder.select(inside, excluded, llvm.Constant(I16, EXCLUDED))
            with builder.if_then(builder.not_(inside)):
                self._judge(builder, report, [state], wrong, self._invariants)
        self.packing.restore(builder, source, state, written)
        builder.ret(excluded)
        return function

    def _judge(
        self, builder: Builder, report: llvm.Value, states: list[llvm.Value], wrong: list[llvm.Value], places: list[int]
    ) -> None:
        """Report the state at work if its successor violates one of some properties, and which in `wrong` if given.

        `places` are the numbers of the properties.
        """
        with contextlib.ExitStack() as branches:
            if self.has_switches:
                is_asked = builder.icmp_signed("!=", builder.load(judges(self.kernel.module)), number(0))
                branches.enter_context(builder.if_then(is_asked))
            for place in places:
                read = self.model.properties[place].read
                fails = builder.not_(self.kernel.call(builder, read, report, states))
                note_first(builder, report, successor_slot(place), builder.get(report, AT), fails)
                for mask in wrong:
                    builder.store(builder.or_(builder.load(mask), bits(builder, [(place, fails)])), mask)
