"""The exact set of visited states, in machine code: a table from fingerprints to packed states, which are compared.

An entry of the table has the high half of a fingerprint and the number of the state plus one; 0 is free. That half also
says which bucket it belongs to, so a table grows in its place, from its first bucket to its last one, without a look at
the states. The entries of a bucket are looked at all at once, and are taken from the first on; a full bucket
is continued by the next one. A
look-up misses the processor's caches twice: for the bucket, and for the state that an entry names. So look-ups run as
in a pipeline: the bucket of one state is asked for, then the named state of an earlier one, and a still earlier one is
decided.
"""

from typing import NamedTuple

from kafkacheck.checker.compiled.context import EXCLUDED, NO_STATE, Context, pointer
from kafkacheck.checker.compiled.native import I1, I16, I32, I64, VOID, entry, number
from kafkacheck.checker.compiled.packing import Packing, Words
from kafkacheck.checker.compiled.text import llvm

BUCKET = 4
"""How many entries a bucket has; the number of entries in all is a multiple of it. Eight would be one cache line, but
vectors of that width make some processors slow down as a whole."""

_ENTRIES = llvm.VectorType(I64, BUCKET)
_MARKS = llvm.IntType(BUCKET)
_NO_MARKS = llvm.Constant(_MARKS, 0)
MOST_SLOTS = 1 << 32
"""Half a fingerprint could not distinguish the buckets of a larger table."""

TAG = 0xFFFFFFFF00000000
INDEX = 0x00000000FFFFFFFF
"""The bits of an entry that are of the fingerprint, and those that are the number of the state plus one."""

_DISTANCE = 16
"""How many states the stages of the pipeline lie apart."""
_RING = 64
"""How many fingerprints are remembered: a power of two, more than twice the distance."""


def write(module: llvm.Module, packing: Packing, with_steps: bool) -> None:
    """Add `absorb`, `fill` and `spread` to a kernel; `with_steps`: `absorb` tells the number of every successor."""
    byte = llvm.IntType(8).as_pointer()
    prefetch = llvm.Function(module, llvm.FunctionType(VOID, [byte, I32, I32, I32]), "llvm.prefetch.p0")
    _AbsorbWriter(module, packing, prefetch, "absorb").write(with_steps)
    _FillWriter(module, packing, prefetch, "fill").write()
    _SpreadWriter(module, packing, prefetch, "spread").write()


class _Probe(NamedTuple):
    """Code that looks at a bucket, which begins at `slot`; the code goes on to the next one in the block `further`."""

    slot: llvm.Value
    candidates: llvm.Value
    free: llvm.Value
    further: llvm.Block


class _Pipeline:
    def __init__(self, module: llvm.Module, packing: Packing, prefetch: llvm.Function, name: str) -> None:
        self.packing = packing
        self._prefetch = prefetch
        self.context, self.builder = entry(module, name)
        self.store = pointer(self.builder, self.context, Context.STORE)
        self.table = pointer(self.builder, self.context, Context.TABLE)
        self.mask = self.builder.get(self.context, Context.MASK)
        self._ring = self.builder.in_entry(I64, _RING)

    def prefetch(self, address: llvm.Value) -> None:
        """Ask for the memory at an address, which need not exist."""
        byte = self.builder.bitcast(address, llvm.IntType(8).as_pointer())
        self.builder.call(self._prefetch, [byte, *(llvm.Constant(I32, value) for value in (0, 3, 1))])

    def begin(self, place: llvm.Value, words: Words) -> None:
        """First stage: compute the fingerprint of the state `place` and ask for its bucket."""
        builder = self.builder
        fingerprint = self.packing.fingerprint(builder, words)
        builder.put(self._ring, builder.and_(place, number(_RING - 1)), fingerprint)
        self.prefetch(builder.at(self.table, self.bucket(fingerprint)))

    def bucket(self, fingerprint: llvm.Value) -> llvm.Value:
        """The slot at which a fingerprint's own bucket begins."""
        return self.builder.and_(self.builder.lshr(fingerprint, number(32)), self.mask)

    def fingerprint(self, place: llvm.Value) -> llvm.Value:
        """The fingerprint that the first stage computed."""
        return self.builder.get(self._ring, self.builder.and_(place, number(_RING - 1)))

    def marks(self, slot: llvm.Value, fingerprint: llvm.Value) -> tuple[llvm.Value, llvm.Value]:
        """Which entries of the bucket that begins at a slot may have the fingerprint, and which are free."""
        builder = self.builder
        entries = builder.load(builder.bitcast(builder.at(self.table, slot), _ENTRIES.as_pointer()), align=8)
        first = builder.insert_element(llvm.Constant(_ENTRIES, llvm.Undefined), fingerprint, llvm.Constant(I32, 0))
        wanted = builder.shuffle_vector(first, first, llvm.Constant(llvm.VectorType(I32, BUCKET), [0] * BUCKET))
        differences = builder.xor(entries, wanted)
        alike = builder.icmp_unsigned("<=", differences, llvm.Constant(_ENTRIES, [INDEX] * BUCKET))
        free = builder.icmp_unsigned("==", entries, llvm.Constant(_ENTRIES, [0] * BUCKET))
        free_marks = builder.bitcast(free, _MARKS)
        return builder.and_(builder.bitcast(alike, _MARKS), builder.not_(free_marks)), free_marks

    def first_of(self, slot: llvm.Value, marks: llvm.Value) -> llvm.Value:
        """The slot of the first mark in the bucket that begins at a slot; without marks it lies outside of that."""
        builder = self.builder
        return builder.add(slot, builder.cttz(builder.zext(marks, I64), llvm.Constant(I1, 0)))

    def probe(self, fingerprint: llvm.Value) -> _Probe:
        """Begin to look at the buckets, from the fingerprint's own on."""
        builder = self.builder
        above = builder.block
        start = self.bucket(fingerprint)
        probe, further = (builder.append_basic_block(name) for name in ("probe", "further"))
        builder.branch(probe)
        builder.position_at_end(probe)
        slot = builder.phi(I64)
        slot.add_incoming(start, above)
        candidates, free = self.marks(slot, fingerprint)
        with builder.goto_block(further):
            slot.add_incoming(builder.and_(builder.add(slot, number(BUCKET)), self.mask), further)
            builder.branch(probe)
        return _Probe(slot, candidates, free, further)

    def free_slot(self, probe: _Probe) -> llvm.Value:
        """The first free slot of the bucket; if there is none, go on to the next bucket."""
        builder = self.builder
        found = builder.append_basic_block("found")
        builder.cbranch(builder.icmp_unsigned("!=", probe.free, _NO_MARKS), found, probe.further)
        builder.position_at_end(found)
        return self.first_of(probe.slot, probe.free)

    def enter(self, slot: llvm.Value, fingerprint: llvm.Value, following: llvm.Value) -> None:
        """Let a slot name the state before the state `following`."""
        self.builder.put(self.table, slot, self.builder.or_(self.builder.and_(fingerprint, number(TAG)), following))


class _AbsorbWriter(_Pipeline):
    """Writes `absorb`: look up the successors in order and keep the new ones."""

    def write(self, with_steps: bool) -> None:
        """The whole function."""
        builder, context = self.builder, self.context
        self.targets = pointer(builder, context, Context.TARGETS, I32) if with_steps else None
        self.successors = pointer(builder, context, Context.SUCCESSORS)
        self.origins = pointer(builder, context, Context.ORIGINS, I32)
        self.actions = pointer(builder, context, Context.ACTIONS, I16)
        self.parents = pointer(builder, context, Context.PARENTS, I32)
        self.fired = pointer(builder, context, Context.FIRED)
        self.capacity = builder.get(context, Context.CAPACITY)
        self.count = builder.in_entry(I64)
        self.leave = builder.append_basic_block("leave")
        amount = builder.get(context, Context.AMOUNT)
        builder.store(builder.get(context, Context.COUNT), self.count)
        builder.put(context, Context.CONSUMED, amount)
        with builder.loop(number(0), builder.add(amount, number(2 * _DISTANCE))) as place:
            with builder.if_then(builder.icmp_signed("<", place, amount)):
                self.begin(place, self._successor(place))
            earlier = builder.sub(place, number(_DISTANCE))
            with builder.if_then(builder.icmp_unsigned("<", earlier, amount)):
                self._look_ahead(self.fingerprint(earlier))
            earliest = builder.sub(place, number(2 * _DISTANCE))
            with builder.if_then(builder.icmp_signed(">=", earliest, number(0))):
                self._decide(earliest)
        builder.branch(self.leave)
        builder.position_at_end(self.leave)
        builder.put(context, Context.COUNT, builder.load(self.count))
        builder.ret_void()

    def _successor(self, place: llvm.Value) -> Words:
        return self.packing.load(self.builder, self.packing.row(self.builder, self.successors, place))

    def _look_ahead(self, fingerprint: llvm.Value) -> None:
        """Second stage: ask for the state that will most likely be compared; no branch, which is hard to predict."""
        builder = self.builder
        start = self.bucket(fingerprint)
        candidates, _ = self.marks(start, fingerprint)
        within = builder.and_(self.first_of(number(0), candidates), number(BUCKET - 1))
        named = self._named_at(builder.add(start, within))
        some = builder.icmp_unsigned("!=", candidates, _NO_MARKS)
        self.prefetch(builder.select(some, named, self.store))

    def _named_at(self, slot: llvm.Value) -> llvm.Value:
        builder = self.builder
        following = builder.and_(builder.get(self.table, slot), number(INDEX))
        return self.packing.row(builder, self.store, builder.sub(following, number(1)))

    def _decide(self, place: llvm.Value) -> None:
        """Third stage: append a successor if it is new, and count its action."""
        builder = self.builder
        action = builder.load(builder.gep(self.actions, [place]))
        look, known = (builder.append_basic_block(name) for name in ("look", "known"))
        self._tell(place, number(NO_STATE))
        builder.cbranch(builder.icmp_unsigned("<", action, llvm.Constant(I16, EXCLUDED)), look, known)
        builder.position_at_end(look)
        fingerprint, words = self.fingerprint(place), self._successor(place)
        probe = self.probe(fingerprint)
        self._compare(place, probe, words, known)
        slot = self.free_slot(probe)
        self._append(place, words, slot, fingerprint)
        builder.branch(known)
        builder.position_at_end(known)
        number_of = builder.zext(builder.and_(action, llvm.Constant(I16, EXCLUDED - 1)), I64)
        builder.put(self.fired, number_of, builder.add(builder.get(self.fired, number_of), number(1)))

    def _tell(self, place: llvm.Value, row: llvm.Value) -> None:
        """Note which state a successor is, as far as is known; the last note counts."""
        if self.targets is not None:
            self.builder.store(self.builder.trunc(row, I32), self.builder.gep(self.targets, [place]))

    def _compare(self, place: llvm.Value, probe: _Probe, words: Words, known: llvm.Block) -> None:
        """Compare the states that the candidates name, and go to `known` if one is the wanted one."""
        builder = self.builder
        above = builder.block
        compare, another, none = (builder.append_basic_block(name) for name in ("compare", "another", "none"))
        builder.cbranch(builder.icmp_unsigned("!=", probe.candidates, _NO_MARKS), compare, none)
        builder.position_at_end(compare)
        candidates = builder.phi(_MARKS)
        candidates.add_incoming(probe.candidates, above)
        slot = self.first_of(probe.slot, candidates)
        named = self.packing.load(builder, self._named_at(slot))
        if self.targets is not None:
            following = builder.and_(builder.get(self.table, slot), number(INDEX))
            self._tell(place, builder.sub(following, number(1)))
        builder.cbranch(self.packing.same(builder, named, words), known, another)
        builder.position_at_end(another)
        others = builder.and_(candidates, builder.sub(candidates, llvm.Constant(_MARKS, 1)))
        candidates.add_incoming(others, another)
        builder.cbranch(builder.icmp_unsigned("!=", others, _NO_MARKS), compare, none)
        builder.position_at_end(none)

    def _append(self, place: llvm.Value, words: Words, slot: llvm.Value, fingerprint: llvm.Value) -> None:
        """Keep a new state, or leave if there is no room for it."""
        builder = self.builder
        count = builder.load(self.count)
        with builder.if_then(builder.icmp_signed(">=", count, self.capacity), likely=False):
            builder.put(self.context, Context.CONSUMED, place)
            builder.branch(self.leave)
        self.packing.store(builder, words, self.packing.row(builder, self.store, count))
        origin = builder.load(builder.gep(self.origins, [place]))
        builder.store(origin, builder.gep(self.parents, [count]))
        self._tell(place, count)
        following = builder.add(count, number(1))
        self.enter(slot, fingerprint, following)
        builder.store(following, self.count)


class _FillWriter(_Pipeline):
    """Writes `fill`: enter the states 0 .. COUNT-1 in an empty table."""

    def write(self) -> None:
        """The whole function."""
        builder = self.builder
        count = builder.get(self.context, Context.COUNT)
        with builder.loop(number(0), builder.add(count, number(_DISTANCE))) as row:
            with builder.if_then(builder.icmp_signed("<", row, count)):
                self.begin(row, self.packing.load(builder, self.packing.row(builder, self.store, row)))
            earlier = builder.sub(row, number(_DISTANCE))
            with builder.if_then(builder.icmp_signed(">=", earlier, number(0))):
                fingerprint = self.fingerprint(earlier)
                slot = self.free_slot(self.probe(fingerprint))
                self.enter(slot, fingerprint, builder.add(earlier, number(1)))
        builder.ret_void()


class _SpreadWriter(_Pipeline):
    """Writes `spread`: let the entries of a table use the free slots that now follow it.

    Bucket after bucket is emptied, and its entries are entered again. The bucket that they belong to now is this one,
    one before it, or one after the old table, and all their entries are entered already. So that this holds for the
    entries that went around the end of the table, too, the first bucket follows one with a free slot.
    """

    def write(self) -> None:
        """The whole function."""
        builder = self.builder
        slots = builder.get(self.context, Context.OLD_SLOTS)
        last_bucket = builder.sub(slots, number(BUCKET))
        unfilled = builder.and_(self.free_slot(self.probe(number(0))), last_bucket)
        with builder.loop(number(BUCKET), builder.add(slots, number(BUCKET)), BUCKET) as distance:
            start = builder.and_(builder.add(unfilled, distance), last_bucket)
            entries = [builder.get(self.table, builder.add(start, number(place))) for place in range(BUCKET)]
            for place in range(BUCKET):
                builder.put(self.table, builder.add(start, number(place)), number(0))
            for known in entries:
                with builder.if_then(builder.icmp_unsigned("!=", known, number(0))):
                    builder.put(self.table, self.free_slot(self.probe(known)), known)
        builder.ret_void()
