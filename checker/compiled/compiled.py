"""The compiled reading: a breadth-first search by machine code (see `checker.compiled.kernel`) over packed states.

States are kept packed, in order of discovery, so the same array is the breadth-first queue, the exact set of visited
states (an index table finds them by fingerprint, and the packed states themselves are compared) and, with the
parents beside it, the source of counterexamples. Successors of many states are collected first and looked up
together, each look-up prefetched, because the cache misses of the look-ups are what a search spends its time on.
"""

import mmap
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kafkacheck.checker.compiled.context import EVERY_ACTION, EXCLUDED, Context, Sizes, kept_slot, successor_slot
from kafkacheck.checker.compiled.kernel import sizes_of
from kafkacheck.checker.compiled.lookup import BUCKET, MOST_SLOTS
from kafkacheck.checker.compiled.machine_code import Improvement
from kafkacheck.checker.compiled.native import DEADLOCK, FAULT, FAULT_AT, NO_FAULT, STOP, STOPPED, Entry
from kafkacheck.checker.compiled.visited_states import PackedStates
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import (
    NO_MEMORY,
    Exploration,
    Found,
    Snapshot,
    Watch,
    failure,
    memory_reason,
    states_reason,
)
from kafkacheck.checker.language import removal
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.process.memory import THREAD, allocate, require
from kafkacheck.checker.schema.objects import Values

BUFFER = 32768
"""How many successors are collected before all of them are looked up."""

MOST_STATES = MOST_SLOTS // 4 * 3 - (1 << 24)
"""How many states fit the largest table, together with those that are being looked up."""
TAKEN_BESIDES = 20
"""About how many bytes a state takes besides itself: its parent, and its share of the table, which grows in steps."""
SMALLEST_TABLE = 1 << 18
SMALLEST_CAPACITY = 1 << 16
_NORESERVE = 0x4000 if sys.platform == "linux" else 0


class Workspace:
    """The arrays of a search. `capacity` states can be kept; their memory is taken only as they come.

    `room` is for how many collected successors there is room at least; by default `BUFFER`.
    """

    def __init__(self, sizes: Sizes, entries: dict[str, Entry], capacity: int, room: int | None = None) -> None:
        self.entries = entries
        self.sizes = sizes
        self.words = sizes.words
        self.capacity = capacity
        self.report = np.full(sizes.report, -1, np.int64)
        self.report[FAULT] = NO_FAULT
        self.fired = np.zeros(sizes.actions, np.int64)
        self.room = max(BUFFER if room is None else room, 2 * sizes.combinations)
        self.successors = np.empty((self.room, self.words), np.uint64)
        self.origins = np.empty(self.room, np.uint32)
        self.actions = np.empty(self.room, np.uint16)
        self.store = _lazily((capacity, self.words), np.uint64)
        self.parents = _lazily((capacity,), np.uint32)
        self._context = np.zeros(len(Context), np.int64)
        arrays = {
            Context.STORE: self.store, Context.PARENTS: self.parents, Context.SUCCESSORS: self.successors,
            Context.ORIGINS: self.origins, Context.ACTIONS: self.actions, Context.FIRED: self.fired,
            Context.REPORT: self.report,
        }  # fmt: skip
        for slot, array in arrays.items():
            self._context[slot] = array.ctypes.data
        self._context[Context.ROOM] = self.room
        self.remove(removal.removed())
        self.try_actions(EVERY_ACTION)
        self.judge(True)
        self._table: Any = None
        self.fill_table(0, SMALLEST_TABLE, slots_for(capacity + self.room))

    def _call(self, name: str) -> None:
        self.entries[name](self._context.ctypes.data)

    def expand(self, first: int, last: int) -> tuple[int, int]:
        """Collect successors of the states first .. last-1; (first state not expanded, how many)."""
        self._context[Context.FIRST], self._context[Context.LAST] = first, last
        self._call("expand")
        return int(self._context[Context.FIRST]), int(self._context[Context.AMOUNT])

    def absorb(self, count: int, amount: int, capacity: int) -> tuple[int, int]:
        """Keep the new ones among the collected successors; (states kept in all, successors looked at)."""
        self._context[Context.COUNT], self._context[Context.AMOUNT] = count, amount
        self._context[Context.CAPACITY] = capacity
        self._call("absorb")
        return int(self._context[Context.COUNT]), int(self._context[Context.CONSUMED])

    def excluded(self, amount: int) -> int:
        """How many of the first of the collected successors lie outside the constraint."""
        return int(np.count_nonzero(self.actions[:amount] >= EXCLUDED))

    def first_origin(self, action: int, amount: int) -> int | None:
        """The state of the first successor by an action, among the first of the collected successors, if any is."""
        taken = np.flatnonzero(self.actions[:amount] & np.uint16(EXCLUDED - 1) == action)
        return int(self.origins[taken[0]]) if len(taken) else None

    def check(self, first: int, last: int) -> None:
        """Evaluate the invariants of the states first .. last-1."""
        self._context[Context.FIRST], self._context[Context.LAST] = first, last
        self._call("check")

    def remove(self, number: int) -> None:
        """Remove the condition of that number from functions with switches (`checker.language.removal`)."""
        self._context[Context.REMOVED] = number

    def try_actions(self, tried: int) -> None:
        """If functions have switches: expand by these actions only, each by its bit (`context.bit_of_action`)."""
        self._context[Context.TRIED] = tried

    def judge(self, does: bool) -> None:
        """If functions have switches: whether steps are judged when they are collected."""
        self._context[Context.JUDGES] = does

    def adopt(self, states: "np.ndarray[Any, Any]") -> None:
        """Work on these packed states, uint64[n, words], in place of the ones kept; they must stay alive."""
        self.store = states
        self._context[Context.STORE] = states.ctypes.data

    def fingerprints(self, first: int, last: int) -> "np.ndarray[Any, Any]":
        """The fingerprints of the states first .. last-1, uint64[last - first]."""
        values = np.empty(last - first, np.uint64)
        self._context[Context.FINGERPRINTS] = values.ctypes.data - first * values.itemsize
        self._context[Context.FIRST], self._context[Context.LAST] = first, last
        self._call("fingerprint")
        return values

    @property
    def table(self) -> Any:
        """The entries of the table, uint64[slots]."""
        return self._table[: self.slots]

    def fill_table(self, count: int, slots: int, most: int = 0) -> None:
        """Make a new table of `slots` slots, which may grow to `most`, that holds the states 0 .. count-1."""
        self._table = None  # its memory is given back first
        self._table = _lazily((max(slots, most),), np.uint64)
        self.slots = slots
        self._context[Context.TABLE] = self._table.ctypes.data
        self._context[Context.MASK] = slots - BUCKET
        self._context[Context.COUNT] = count
        self._call("fill")

    def grow_table(self, slots: int) -> None:
        """Let the table have this many slots, a power of two, for the states that it holds."""
        self._context[Context.MASK], self._context[Context.OLD_SLOTS] = slots - BUCKET, self.slots
        self.slots = slots
        self._call("spread")


def _lazily(shape: tuple[int, ...], dtype: Any) -> Any:
    """A zeroed array whose pages are taken from the system when they are first written. MemoryError if it has none."""
    length = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = allocate(length, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NORESERVE)
    if hasattr(mmap, "MADV_HUGEPAGE") and length >= 1 << 22:
        memory.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(memory, dtype).reshape(shape)


def slots_for(states: int) -> int:
    """How many slots a table needs so that this many states fill at most three quarters of it."""
    return max(SMALLEST_TABLE, 1 << (4 * states // 3).bit_length())


class CompiledSearch:
    """A breadth-first search by the compiled reading, from the start or from where another reading stopped."""

    engine = "compiled"
    space_class = Workspace

    def __init__(
        self,
        model: Model,
        entries: dict[str, Entry],
        watch: Watch,
        found: Snapshot | None = None,
        better: Improvement | None = None,
    ) -> None:
        """`better` compiles the same kernel better than `entries` are; its entries replace them when they are ready.

        `at_level` is called whenever a level is whole without anything to report.
        """
        self.model = model
        self.watch = watch
        self.at_level: Callable[[CompiledSearch], None] = lambda search: None
        self._better = better
        self.counts = Exploration(fired=[0] * len(model.actions)) if found is None else found.counts
        self._evaluation = Evaluation(model)
        self._next = 0 if found is None else found.next
        self.examples: dict[int, int] = {}
        """By the number of an action, the first state from which machine code took it."""
        self._untaken = set(range(len(model.actions)))
        self._fired_before, self._met_before = list(self.counts.fired), frozenset[int]()
        self._full = memory_reason(watch.memory_limit)
        self._space = self._workspace(entries)
        if found is not None:
            self._enter(found.states)
            self._space.parents[: len(found.states)] = np.array(found.parents, np.int64).astype(np.uint32)
            self._count_on()

    def go_on(self, counts: Exploration, parts: "Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]") -> str:
        """Take over another search as of its last whole level; why that has to stop, or "".

        `parts` are its states in order of discovery, uint64[n, words], with the numbers of their parents, uint32[n].
        """
        space, limit, count = self._space, self.watch.limits.max_states, 0
        self.counts, self._next = counts, counts.level_ends[-2] if len(counts.level_ends) > 1 else 0
        self._count_on()
        counts.keep_whole()
        if limit is not None and counts.distinct > limit:
            return states_reason(limit)
        slots = slots_for(counts.distinct + space.room)
        if counts.distinct > space.capacity or self._taken(counts.distinct, slots) > self.watch.memory_limit:
            return self._full
        for states, parents in parts:
            space.store[count : count + len(states)], space.parents[count : count + len(states)] = states, parents
            count += len(states)
            if self.watch.interrupts.reason():
                return self.watch.interrupts.reason()
        space.fill_table(count, slots, slots_for(space.capacity + space.room))
        return ""

    def _count_on(self) -> None:
        """Let the machine code go on from earlier counts, for which it has no examples."""
        self._fired_before, self._met_before = list(self.counts.fired), frozenset(self.counts.met)
        self._space.fired[:] = self.counts.fired
        for number in self.counts.met:
            self._space.report[self._space.sizes.sometimes_slot(number)] = 0

    def _workspace(self, entries: dict[str, Entry]) -> Workspace:
        capacity = min(self.watch.memory_limit // (self.model.layout.word_count * 8 + 16), MOST_STATES)
        capacity = max(capacity, SMALLEST_CAPACITY)
        while True:
            space = None
            try:
                space = self.space_class(sizes_of(self.model), entries, capacity)
                if capacity > SMALLEST_CAPACITY:
                    require(2 * THREAD)
                return space
            except MemoryError:
                if capacity == SMALLEST_CAPACITY:
                    raise
                self._full = NO_MEMORY
                capacity = max(capacity // 2, SMALLEST_CAPACITY)

    def workspace(self, capacity: int, room: int | None) -> Workspace:
        """Another workspace with the machine code that the search runs now."""
        return self.space_class(self.space.sizes, self.space.entries, capacity, room)

    @property
    def space(self) -> Workspace:
        """The workspace of the search."""
        return self._space

    def met_examples(self) -> dict[int, int]:
        """By the number of a `sometimes` property, the state that machine code first saw it hold in."""
        slots = {number: self._space.sizes.sometimes_slot(number) for number in self.counts.met - self._met_before}
        return {number: int(self._space.report[slot]) for number, slot in slots.items()}

    def _note_examples(self, looked: int) -> None:
        """Remember the first state from which machine code took an action."""
        for action in [each for each in self._untaken if self._space.fired[each] > self._fired_before[each]]:
            origin = self._space.first_origin(action, looked)
            if origin is not None:  # if a limit ends the search, not every successor was looked at
                self.examples[action] = origin
                self._untaken.remove(action)

    @property
    def bytes_per_state(self) -> float:
        """Memory kept for each distinct state: the packed state, its parent, its share of the table."""
        fixed = self._space.words * 8 + 4
        return float(fixed + 8 * self._space.slots / max(self.counts.distinct, 1))

    @property
    def frontier(self) -> int:
        """How many states are found and not yet expanded."""
        return self.counts.distinct - self._next

    def run(self, widest: int | None = None) -> Found | None:
        """Search until every state is expanded (None), something stops it, or a level has `widest` states (None)."""
        try:
            with self.watch.interrupts.stopping_machine_code(self._stop):
                found = self._start() if self.counts.distinct == 0 else None
                while found is None and 0 < self.frontier < (widest or 1 << 63):
                    found = self._level()
        except (EvaluationError, SelfCheckError) as error:
            found = failure(error)
        except MemoryError:
            found = self.counts.stopped(self.model, NO_MEMORY)
        self.counts.fired = self.fired()
        return found

    def _stop(self) -> None:
        self._space.report[STOP] = 1

    def _is_stopped(self) -> bool:
        return bool(self._space.report[STOP] > 0)

    def _start(self) -> Found | None:
        counts, limit = self.counts, self.watch.limits.max_states
        kept: list[Values] = []
        reason = ""
        for state in self.model.initial_states():
            values = self.model.layout.flatten(state)
            try:
                is_inside = self._evaluation.is_inside(values)
                counts.excluded += not is_inside
                if not is_inside:
                    self._evaluation.note_violations(values, [values], counts)
            except EvaluationError:
                self._check_starts(kept)  # one of those before it may fail, too
                if self._space.report[FAULT] == NO_FAULT:
                    raise
                return self._failed()
            if is_inside and limit is not None and len(kept) == limit:
                reason = states_reason(limit)
                break
            if is_inside:
                kept.append(values)
            counts.generated += 1
        self._check_starts(kept)
        if self._space.report[FAULT] not in (NO_FAULT, STOPPED):
            return self._failed()
        if self._is_stopped():
            reason = self.watch.interrupts.reason()
        found = counts.stopped(self.model, reason) if reason else counts.judge(self.model)
        counts.keep_whole()
        if found is None and not kept:
            raise self._evaluation.none_inside()
        return found

    def _check_starts(self, states: list[Values]) -> None:
        """Keep initial states, and evaluate their invariants."""
        self._enter(states)
        self.counts.level_ends = [len(states)]
        self._check(0)

    def check_itself(self, seconds: float) -> int:
        """Expand some of the visited states by plain Python, see `checker.compiled.self_check`."""
        from kafkacheck.checker.compiled import self_check

        return self_check.of_search(self, seconds)

    def kept(self) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """All states in order of discovery, packed, with the number of each one's parent and its fingerprint."""
        count, space = self.counts.distinct, self._space
        return space.store[:count], space.parents[:count], space.fingerprints(0, count)

    def fired(self) -> list[int]:
        """How often each action was enabled."""
        return [int(count) for count in self._space.fired]

    def _enter(self, states: list[Values]) -> None:
        space = self._space
        rows = np.array(states, dtype=np.int64).reshape(len(states), len(self.model.layout.leaves))
        space.store[: len(states)] = self.model.layout.pack(rows)
        space.fill_table(len(states), slots_for(len(states) + space.room), slots_for(space.capacity + space.room))
        self.counts.distinct = len(states)

    def _level(self) -> Found | None:
        """Expand one level to its end; violations are judged then, so that counts are of whole levels."""
        counts = self.counts
        while self._next < counts.level_ends[-1]:
            reason = self._block(counts.level_ends[-1])
            if self._space.report[FAULT] not in (NO_FAULT, STOPPED):
                return self._failed()
            if reason:
                self._note_successors()
                return counts.stopped(self.model, reason)
        self._note_successors()
        found = counts.judge(self.model)
        if found is None and counts.distinct > counts.level_ends[-1]:
            counts.level_ends.append(counts.distinct)
            counts.fired = self.fired()
            counts.keep_whole()
            self.at_level(self)
        return found

    def _block(self, end: int) -> str:
        """Expand some states and keep new ones; why the search must stop, or ""."""
        space, counts = self._space, self.counts
        better = self._better.entries() if self._better is not None and not self.watch.interrupts.pressed else None
        if better is not None:
            space.entries, self._better = better, None
        limit = self.watch.limits.max_states
        capacity = space.capacity if limit is None else min(limit, space.capacity)
        following, found = space.expand(self._next, end)
        amount, fault = found, space.report[[FAULT, FAULT_AT]]
        if fault[0] != NO_FAULT:  # successors of the states before the faulty one come first
            space.report[FAULT] = NO_FAULT
            amount = int(np.searchsorted(space.origins[:found], fault[1]))
        kept = counts.distinct
        counts.distinct, looked = space.absorb(kept, amount, capacity)
        counts.generated += looked
        counts.excluded += space.excluded(looked)
        self._note_examples(looked)
        self._check(kept)
        self._next = following
        if looked < amount:
            self._next = int(space.origins[looked]) + 1
            if limit is not None and capacity == limit:
                return states_reason(limit)
            return self._full
        if fault[0] != NO_FAULT and space.report[FAULT] == NO_FAULT:
            space.report[[FAULT, FAULT_AT]] = fault
        if self._is_stopped():
            return self.watch.interrupts.reason()
        reason = self._make_room()
        if not reason and self.watch.is_due():
            reason = self.watch.reason_to_stop(self.engine, counts, self._next, space.words * 8 + TAKEN_BESIDES)
        return reason

    def _check(self, first: int) -> None:
        """Evaluate the invariants and `sometimes` of the new states."""
        counts, report = self.counts, self._space.report
        self._space.check(first, counts.distinct)
        judged = int(report[FAULT_AT]) if report[FAULT] == STOPPED else counts.distinct
        for number in range(len(self.model.properties)):
            row = int(report[kept_slot(number)])
            if 0 <= row < judged and number not in counts.violated:
                counts.violated[number] = self.chain(row)
        for number in range(len(self.model.sometimes)):
            if 0 <= report[self._space.sizes.sometimes_slot(number)] < judged:
                counts.met.add(number)

    def _note_successors(self) -> None:
        """Take over from the report the violations by steps and by successors that are not kept, and deadlocks.

        Only of the states before the next one: if a limit ended the search, others were expanded too.
        """
        counts, report = self.counts, self._space.report
        if 0 <= report[DEADLOCK] < self._next and counts.deadlock is None:
            counts.deadlock = self.chain(int(report[DEADLOCK]))
        for number in range(len(self.model.properties)):
            row = int(report[successor_slot(number)])
            if 0 <= row < self._next and number not in counts.violated:
                behaviour = self.chain(row)
                counts.violated[number] = [*behaviour, self._evaluation.violating_successor(behaviour[-1], number)]

    def _failed(self) -> Found:
        """The error at the state at work, in words, by evaluating it again on plain objects."""
        row = int(self._space.report[FAULT_AT])
        behaviour = self.chain(row)
        last = behaviour[-1]
        error = self._evaluation.failure_of_invariants(last) or self._evaluation.failure_of_step(last)
        return failure(error, behaviour)

    def _make_room(self) -> str:
        """Keep the table at most three quarters full; why that is impossible, or ""."""
        space, count = self._space, self.counts.distinct
        slots = slots_for(count + space.room)
        if slots <= space.slots:
            return ""
        if self._taken(count, slots) > self.watch.memory_limit:
            return memory_reason(self.watch.memory_limit)
        space.grow_table(slots)
        return ""

    def _taken(self, states: int, slots: int) -> int:
        return states * (self._space.words * 8 + 4) + 8 * slots

    @property
    def rows(self) -> "tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]":
        """The arrays of all states, and of their parents, which never change for a state that was found."""
        return self._space.store, self._space.parents

    @property
    def states(self) -> Any:
        """The distinct states found, packed, in order of discovery: uint64[n, words]."""
        return self._space.store[: self.counts.distinct]

    @property
    def visited(self) -> PackedStates:
        """The distinct states found."""
        return PackedStates(self.model.layout, self.states)

    def chain(self, row: int) -> list[Values]:
        """The states from an initial one to the state `row`."""
        rows = []
        space = self._space
        initial = self.counts.level_ends[0]
        while row >= initial:
            rows.append(row)
            row = int(space.parents[row])
        rows.append(row)
        values = self.model.layout.unpack(space.store[np.array(rows[::-1])])
        return [tuple(int(value) for value in each) for each in values]
