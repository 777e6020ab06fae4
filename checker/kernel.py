"""The compiled reading's loops, for one model with its bounds and rules: expand, look up, check.

States are kept packed (`Leaf.word`, `shift`, `bits`), one after the other in order of discovery. The module text holds
every function that can be reached, every bound and every rule, so a hash of it names the machine code: no edit can be
missed. All entries take one argument, the address of a context: an array of 64-bit integers, see `Context`.
"""

import contextlib
from enum import IntEnum

from llvmlite import ir as llvm

from checker import ir
from checker.model import Action, Model
from checker.native import (
    AT,
    DEADLOCK,
    DIRTY_FALSE,
    FAULT,
    FIRST_PROPERTY,
    I1,
    I16,
    I32,
    I64,
    NO_CHANGE,
    NO_FAULT,
    OUT_OF_RANGE,
    POINTER,
    VOID,
    Builder,
    define,
    number,
)

EXCLUDED = 1 << 15
"""Added to the action number of a successor outside the constraint, which is not kept."""

ENTRIES = ["expand", "absorb", "check", "rehash"]

TAG = 0xFFFFFFFF00000000
INDEX = 0x00000000FFFFFFFF
_LOOK_AHEAD = 8


class Context(IntEnum):
    """The slots of a context: addresses of arrays, and numbers that go in and out.

    STORE uint64[n, words], PARENTS uint32[n], TABLE uint64[MASK + 1] (high half of the fingerprint, and state number
    + 1; 0 is empty), SUCCESSORS uint64[ROOM, words], HASHES uint64[ROOM], ORIGINS uint32[ROOM], ACTIONS
    uint16[ROOM], FIRED int64[actions], REPORT int64[report_length]. `expand` and `check` work on the states FIRST ..
    LAST-1; `expand` sets FIRST to the first state it had no room for and AMOUNT to the number of successors. `absorb`
    keeps new states from number COUNT on, up to CAPACITY, and sets COUNT and CONSUMED.
    """

    STORE = 0
    PARENTS = 1
    TABLE = 2
    MASK = 3
    SUCCESSORS = 4
    HASHES = 5
    ORIGINS = 6
    ACTIONS = 7
    FIRED = 8
    REPORT = 9
    ROOM = 10
    FIRST = 11
    LAST = 12
    COUNT = 13
    CAPACITY = 14
    AMOUNT = 15
    CONSUMED = 16


def combination_count(model: Model) -> int:
    """How many (action, parameters) there are: the most successors a state can have."""
    return sum(action.combination_count() for action in model.actions)


def report_length(model: Model) -> int:
    """The length of the report."""
    return FIRST_PROPERTY + 2 * len(model.properties) + len(model.sometimes)


def kept_slot(property_number: int) -> int:
    """Where the first kept state that violates an invariant is reported."""
    return FIRST_PROPERTY + 2 * property_number


def successor_slot(property_number: int) -> int:
    """Where the first state is reported that has a step, or a successor that is not kept, violating a property."""
    return FIRST_PROPERTY + 2 * property_number + 1


def sometimes_slot(model: Model, place: int) -> int:
    """Where the first example of a `sometimes` property is reported."""
    return FIRST_PROPERTY + 2 * len(model.properties) + place


def kernel_text(model: Model) -> str:
    """The LLVM module of a model. Deterministic: equal models give equal text."""
    return str(_KernelWriter(model).module)


class _KernelWriter:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.leaves = model.layout.leaves
        self.words = model.layout.word_count
        self.module = llvm.Module(name="kernel")
        self._void_pointer = llvm.IntType(8).as_pointer()
        observers = [*model.properties, *model.sometimes, *([model.constraint] if model.constraint else [])]
        self.functions = define(self.module, ir.reachable([each.read for each in (*model.actions, *observers)]))
        self.prefetch = llvm.Function(
            self.module,
            llvm.FunctionType(VOID, [self._void_pointer, I32, I32, I32]),
            "llvm.prefetch.p0",
        )
        self.unpack = self._unpack()
        self.copy = self._copy()
        self.is_copy = self._is_copy()
        self.hash = self._hash()
        self._expand()
        self._absorb()
        self._check()
        self._rehash()

    # -- packed states -----------------------------------------------------------------------------------------

    def _helper(self, name: str, kinds: list[llvm.Type], returns: llvm.Type = VOID) -> tuple[llvm.Function, Builder]:
        function = llvm.Function(self.module, llvm.FunctionType(returns, kinds), name)
        function.linkage = "internal"
        function.attributes.add("nounwind")
        return function, Builder(function.append_basic_block("entry"))

    def _unpack(self) -> llvm.Function:
        """(packed words, leaves): spread the words over the leaves."""
        function, builder = self._helper("unpack", [POINTER, POINTER])
        source, target = function.args
        words = [builder.get(source, word) for word in range(self.words)]
        for place, leaf in enumerate(self.leaves):
            value: llvm.Value = number(0)
            if leaf.bits:
                value = builder.lshr(words[leaf.word], number(leaf.shift))
                value = builder.and_(value, number((1 << leaf.bits) - 1))
            builder.put(target, place, builder.add(value, number(leaf.low)))
        builder.ret_void()
        return function

    def _copy(self) -> llvm.Function:
        """(leaves, leaves): copy a state."""
        function, builder = self._helper("copy", [POINTER, POINTER])
        source, target = function.args
        for place in range(len(self.leaves)):
            builder.put(target, place, builder.get(source, place))
        builder.ret_void()
        return function

    def _is_copy(self) -> llvm.Function:
        """(leaves, leaves): whether two states are equal."""
        function, builder = self._helper("is_copy", [POINTER, POINTER], I1)
        one, other = function.args
        different: llvm.Value = number(0)
        for place in range(len(self.leaves)):
            different = builder.or_(different, builder.xor(builder.get(one, place), builder.get(other, place)))
        builder.ret(builder.icmp_signed("==", different, number(0)))
        return function

    def _hash(self) -> llvm.Function:
        """(packed words): a 64-bit fingerprint; every bit of the words reaches every bit of it."""
        function, builder = self._helper("hash", [POINTER], I64)
        (source,) = function.args
        value: llvm.Value = number(0x1E3779B97F4A7C15)
        for word in range(self.words):
            value = builder.mul(builder.xor(value, builder.get(source, word)), number(0x3F58476D1CE4E5B9))
            value = builder.xor(value, builder.lshr(value, number(32)))
        value = builder.mul(value, number(0x14D049BB133111EB))
        builder.ret(builder.xor(value, builder.lshr(value, number(29))))
        return function

    def _same_words(self, builder: Builder, one: llvm.Value, other: llvm.Value) -> llvm.Value:
        different: llvm.Value = number(0)
        for word in range(self.words):
            different = builder.or_(different, builder.xor(builder.get(one, word), builder.get(other, word)))
        return builder.icmp_signed("==", different, number(0))

    def written_leaves(self, function: ir.Function) -> list[int]:
        """The leaves that a function may have written."""
        arrays = ir.ANY_ARRAY in function.written
        return [
            place
            for place, leaf in enumerate(self.leaves)
            if leaf.owner in function.written or (arrays and isinstance(leaf.steps[-1], int))
        ]

    # -- entries -----------------------------------------------------------------------------------------------

    def _entry(self, name: str) -> tuple[llvm.Value, Builder]:
        function = llvm.Function(self.module, llvm.FunctionType(VOID, [POINTER]), name)
        function.attributes.add("nounwind")
        return function.args[0], Builder(function.append_basic_block("entry"))

    def _pointer(self, builder: Builder, context: llvm.Value, slot: Context, kind: llvm.Type = I64) -> llvm.Value:
        return builder.inttoptr(builder.get(context, slot), kind.as_pointer())

    def _row(self, builder: Builder, rows: llvm.Value, row: llvm.Value) -> llvm.Value:
        return builder.at(rows, builder.mul(row, number(self.words)))

    def _prefetch(self, builder: Builder, address: llvm.Value) -> None:
        byte = builder.bitcast(address, self._void_pointer)
        builder.call(self.prefetch, [byte, llvm.Constant(I32, 0), llvm.Constant(I32, 3), llvm.Constant(I32, 1)])

    def _expand(self) -> None:
        _ExpandWriter(self).write()

    def _absorb(self) -> None:
        """Look up the successors in order and keep the new ones."""
        context, builder = self._entry("absorb")
        store = self._pointer(builder, context, Context.STORE)
        table = self._pointer(builder, context, Context.TABLE)
        hashes = self._pointer(builder, context, Context.HASHES)
        mask, amount = builder.get(context, Context.MASK), builder.get(context, Context.AMOUNT)
        successors = self._pointer(builder, context, Context.SUCCESSORS)
        actions = self._pointer(builder, context, Context.ACTIONS, I16)
        count = builder.in_entry(I64)
        builder.store(builder.get(context, Context.COUNT), count)
        full = builder.append_basic_block("full")
        consumed = builder.in_entry(I64)
        with builder.loop(number(0), amount) as place:
            builder.store(place, consumed)
            ahead = builder.add(place, number(_LOOK_AHEAD))
            with builder.if_then(builder.icmp_signed("<", ahead, amount)):
                self._look_ahead(builder, builder.get(hashes, ahead), table, mask, store)
            kept = builder.icmp_unsigned("<", builder.load(builder.gep(actions, [place])), llvm.Constant(I16, EXCLUDED))
            with builder.if_then(kept):
                self._keep_new(builder, context, place, full, count, table, mask, store, successors, hashes)
        builder.put(context, Context.CONSUMED, amount)
        builder.put(context, Context.COUNT, builder.load(count))
        builder.ret_void()
        builder.position_at_end(full)
        builder.put(context, Context.CONSUMED, builder.load(consumed))
        builder.put(context, Context.COUNT, builder.load(count))
        builder.ret_void()

    def _look_ahead(
        self, builder: Builder, fingerprint: llvm.Value, table: llvm.Value, mask: llvm.Value, store: llvm.Value
    ) -> None:
        """Prefetch the state that a later look-up will most likely compare with."""
        entry = builder.get(table, builder.and_(fingerprint, mask))
        tags = builder.and_(builder.xor(entry, fingerprint), number(TAG))
        likely = builder.and_(builder.icmp_signed("==", tags, number(0)), builder.icmp_signed("!=", entry, number(0)))
        with builder.if_then(likely):
            row = builder.sub(builder.and_(entry, number(INDEX)), number(1))
            self._prefetch(builder, self._row(builder, store, row))

    def _keep_new(
        self,
        builder: Builder,
        context: llvm.Value,
        place: llvm.Value,
        full: llvm.Block,
        count: llvm.Value,
        table: llvm.Value,
        mask: llvm.Value,
        store: llvm.Value,
        successors: llvm.Value,
        hashes: llvm.Value,
    ) -> None:
        """Look up one successor by linear probing; append it where it is new."""
        fingerprint = builder.get(hashes, place)
        words = self._row(builder, successors, place)
        slot = builder.in_entry(I64)
        builder.store(builder.and_(fingerprint, mask), slot)
        probe, occupied, compare, further, add, room, done = (
            builder.append_basic_block(name)
            for name in ("probe", "occupied", "compare", "further", "add", "room", "done")
        )
        builder.branch(probe)
        builder.position_at_end(probe)
        here = builder.load(slot)
        entry = builder.get(table, here)
        builder.cbranch(builder.icmp_signed("==", entry, number(0)), add, occupied)
        builder.position_at_end(occupied)
        tags = builder.and_(builder.xor(entry, fingerprint), number(TAG))
        builder.cbranch(builder.icmp_signed("==", tags, number(0)), compare, further)
        builder.position_at_end(compare)
        row = builder.sub(builder.and_(entry, number(INDEX)), number(1))
        builder.cbranch(self._same_words(builder, self._row(builder, store, row), words), done, further)
        builder.position_at_end(further)
        builder.store(builder.and_(builder.add(here, number(1)), mask), slot)
        builder.branch(probe)
        builder.position_at_end(add)
        now = builder.load(count)
        builder.cbranch(builder.icmp_signed("<", now, builder.get(context, Context.CAPACITY)), room, full)
        builder.position_at_end(room)
        target = self._row(builder, store, now)
        for word in range(self.words):
            builder.put(target, word, builder.get(words, word))
        origins = self._pointer(builder, context, Context.ORIGINS, I32)
        parents = self._pointer(builder, context, Context.PARENTS, I32)
        builder.store(builder.load(builder.gep(origins, [place])), builder.gep(parents, [now]))
        following = builder.add(now, number(1))
        builder.put(table, here, builder.or_(builder.and_(fingerprint, number(TAG)), following))
        builder.store(following, count)
        builder.branch(done)
        builder.position_at_end(done)

    def _check(self) -> None:
        """Evaluate invariants and `sometimes` on the states FIRST .. LAST-1, keeping the first state of each."""
        context, builder = self._entry("check")
        report = self._pointer(builder, context, Context.REPORT)
        store = self._pointer(builder, context, Context.STORE)
        state = builder.in_entry(I64, len(self.leaves))
        with builder.loop(builder.get(context, Context.FIRST), builder.get(context, Context.LAST)) as row:
            builder.put(report, AT, row)
            builder.call(self.unpack, [self._row(builder, store, row), state])
            for place, each in enumerate(self.model.properties):
                if not each.is_step:
                    self.note_first(builder, report, kept_slot(place), row, each.read, [state], wanted=False)
            for place, each in enumerate(self.model.sometimes):
                self.note_first(
                    builder, report, sometimes_slot(self.model, place), row, each.read, [state], wanted=True
                )
        builder.ret_void()

    def note_first(
        self,
        builder: Builder,
        report: llvm.Value,
        slot: int,
        row: llvm.Value,
        function: ir.Function,
        states: list[llvm.Value],
        wanted: bool,
    ) -> None:
        """Report `row` where the function's value is `wanted` and nothing was reported in the slot before."""
        outcome = builder.call(self.functions[id(function)], [report, *states])
        hit = outcome if wanted else builder.not_(outcome)
        with (
            builder.if_then(hit, likely=False),
            builder.if_then(builder.icmp_signed("<", builder.get(report, slot), number(0))),
        ):
            builder.put(report, slot, row)

    def _rehash(self) -> None:
        """Enter the states 0 .. COUNT-1 into an empty table."""
        context, builder = self._entry("rehash")
        store = self._pointer(builder, context, Context.STORE)
        table = self._pointer(builder, context, Context.TABLE)
        mask = builder.get(context, Context.MASK)
        slot = builder.in_entry(I64)
        with builder.loop(number(0), builder.get(context, Context.COUNT)) as row:
            fingerprint = builder.call(self.hash, [self._row(builder, store, row)])
            builder.store(builder.and_(fingerprint, mask), slot)
            probe, further, free = (builder.append_basic_block(name) for name in ("probe", "further", "free"))
            builder.branch(probe)
            builder.position_at_end(probe)
            here = builder.load(slot)
            builder.cbranch(builder.icmp_signed("==", builder.get(table, here), number(0)), free, further)
            builder.position_at_end(further)
            builder.store(builder.and_(builder.add(here, number(1)), mask), slot)
            builder.branch(probe)
            builder.position_at_end(free)
            tag = builder.and_(fingerprint, number(TAG))
            builder.put(table, here, builder.or_(tag, builder.add(row, number(1))))
        builder.ret_void()


class _ExpandWriter:
    """Writes `expand`: every action with all its parameters, on every state, as long as there is room."""

    def __init__(self, kernel: _KernelWriter) -> None:
        self.kernel = kernel
        self.model = kernel.model
        context, builder = kernel._entry("expand")
        self.context, self.builder = context, builder
        self.report = kernel._pointer(builder, context, Context.REPORT)
        self.store = kernel._pointer(builder, context, Context.STORE)
        self.table = kernel._pointer(builder, context, Context.TABLE)
        self.mask = builder.get(context, Context.MASK)
        self.successors = kernel._pointer(builder, context, Context.SUCCESSORS)
        self.hashes = kernel._pointer(builder, context, Context.HASHES)
        self.origins = kernel._pointer(builder, context, Context.ORIGINS, I32)
        self.actions = kernel._pointer(builder, context, Context.ACTIONS, I16)
        self.fired = kernel._pointer(builder, context, Context.FIRED)
        self.current = builder.in_entry(I64, len(kernel.leaves))
        self.work = builder.in_entry(I64, len(kernel.leaves))
        self.row = builder.in_entry(I64)
        self.amount = builder.in_entry(I64)
        self.leave = builder.append_basic_block("leave")

    def write(self) -> None:
        builder = self.builder
        builder.store(builder.get(self.context, Context.FIRST), self.row)
        builder.store(number(0), self.amount)
        last, room = builder.get(self.context, Context.LAST), builder.get(self.context, Context.ROOM)
        head, look, state, next_state = (builder.append_basic_block(name) for name in ("head", "look", "state", "next"))
        builder.branch(head)
        builder.position_at_end(head)
        row = builder.load(self.row)
        builder.cbranch(builder.icmp_signed("<", row, last), look, self.leave)
        builder.position_at_end(look)
        before = builder.load(self.amount)
        most = builder.add(before, number(combination_count(self.model)))
        builder.cbranch(builder.icmp_signed("<=", most, room), state, self.leave)
        builder.position_at_end(state)
        builder.put(self.report, AT, row)
        source = self.kernel._row(builder, self.store, row)
        builder.call(self.kernel.unpack, [source, self.current])
        builder.call(self.kernel.copy, [self.current, self.work])
        for place, action in enumerate(self.model.actions):
            self._attempts(place, action, row, source)
        if self.model.check_deadlock:
            stuck = builder.icmp_signed("==", builder.load(self.amount), before)
            with (
                builder.if_then(stuck),
                builder.if_then(builder.icmp_signed("<", builder.get(self.report, DEADLOCK), number(0))),
            ):
                builder.put(self.report, DEADLOCK, row)
        fine = builder.icmp_signed("==", builder.get(self.report, FAULT), number(NO_FAULT))
        builder.cbranch(fine, next_state, self.leave)
        builder.position_at_end(next_state)
        builder.store(builder.add(row, number(1)), self.row)
        builder.branch(head)
        builder.position_at_end(self.leave)
        builder.put(self.context, Context.FIRST, builder.load(self.row))
        builder.put(self.context, Context.AMOUNT, builder.load(self.amount))
        builder.ret_void()

    def _attempts(self, place: int, action: Action, row: llvm.Value, source: llvm.Value) -> None:
        """Try one action with all its parameters."""
        builder = self.builder
        with contextlib.ExitStack() as loops:
            arguments = []
            for parameter, local in zip(action.parameters, action.read.parameters[1:], strict=True):
                value = loops.enter_context(builder.loop(number(parameter.low), number(parameter.high + 1)))
                arguments.append(builder.icmp_signed("!=", value, number(0)) if local.type == ir.BOOL else value)
            enabled = builder.call(self.kernel.functions[id(action.read)], [self.report, self.work, *arguments])
            if action.read.false_is_clean:
                with builder.if_then(enabled):
                    self._success(place, action, row, source)
                return
            with builder.if_else(enabled) as (yes, no):
                with yes:
                    self._success(place, action, row, source)
                with no:
                    clean = builder.call(self.kernel.is_copy, [self.current, self.work])
                    with builder.if_then(builder.not_(clean), likely=False):
                        builder.note_fault(self.report, DIRTY_FALSE, place)

    def _success(self, place: int, action: Action, row: llvm.Value, source: llvm.Value) -> None:
        """Keep the successor in `work` and make `work` a copy of the state again."""
        builder, kernel = self.builder, self.kernel
        written = kernel.written_leaves(action.read)
        self._check_ranges(place, written)
        now = builder.load(self.amount)
        words = kernel._row(builder, self.successors, now)
        self._pack(written, source, words)
        with builder.if_then(kernel._same_words(builder, words, source), likely=False):
            builder.note_fault(self.report, NO_CHANGE, place)
        for number_of, each in enumerate(self.model.properties):
            if each.is_step:
                kernel.note_first(
                    builder,
                    self.report,
                    successor_slot(number_of),
                    row,
                    each.read,
                    [self.current, self.work],
                    wanted=False,
                )
        builder.put(self.fired, place, builder.add(builder.get(self.fired, place), number(1)))
        builder.store(self._kept_action(place, row), builder.gep(self.actions, [now]))
        builder.store(builder.trunc(row, I32), builder.gep(self.origins, [now]))
        fingerprint = builder.call(kernel.hash, [words])
        builder.put(self.hashes, now, fingerprint)
        kernel._prefetch(builder, builder.at(self.table, builder.and_(fingerprint, self.mask)))
        builder.store(builder.add(now, number(1)), self.amount)
        for position in written:
            builder.put(self.work, position, builder.get(self.current, position))

    def _pack(self, written: list[int], source: llvm.Value, words: llvm.Value) -> None:
        """The packed successor: the packed state with the leaves replaced that the action may have written."""
        builder, leaves = self.builder, self.kernel.leaves
        for word in range(self.kernel.words):
            packed = builder.get(source, word)
            inside = [place for place in written if leaves[place].word == word and leaves[place].bits]
            mask = sum(((1 << leaves[place].bits) - 1) << leaves[place].shift for place in inside)
            if inside:
                packed = builder.and_(packed, number(~mask))
            for place in inside:
                value = builder.sub(builder.get(self.work, place), number(leaves[place].low))
                packed = builder.or_(packed, builder.shl(value, number(leaves[place].shift)))
            builder.put(words, word, packed)

    def _kept_action(self, place: int, row: llvm.Value) -> llvm.Value:
        """The action's number, with EXCLUDED added where the successor lies outside the constraint."""
        constraint, builder = self.model.constraint, self.builder
        if constraint is None:
            return llvm.Constant(I16, place)
        inside = builder.call(self.kernel.functions[id(constraint.read)], [self.report, self.work])
        with builder.if_then(builder.not_(inside)):
            for number_of, each in enumerate(self.model.properties):
                if not each.is_step:
                    self.kernel.note_first(
                        builder, self.report, successor_slot(number_of), row, each.read, [self.work], wanted=False
                    )
        return builder.select(inside, llvm.Constant(I16, place), llvm.Constant(I16, place + EXCLUDED))

    def _check_ranges(self, place: int, written: list[int]) -> None:
        """Compare every scalar that the action may have written with its range."""
        builder = self.builder
        outside: llvm.Value = llvm.Constant(I1, 0)
        for position in written:
            leaf = self.kernel.leaves[position]
            above = builder.sub(builder.get(self.work, position), number(leaf.low))
            outside = builder.or_(outside, builder.icmp_unsigned(">", above, number(leaf.high - leaf.low)))
        with builder.if_then(outside, likely=False):
            builder.note_fault(self.report, OUT_OF_RANGE, place)
