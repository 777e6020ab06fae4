"""The context of a kernel: the arguments of its entries, as an array of 64-bit integers."""

from enum import IntEnum
from typing import NamedTuple

from kafkacheck.checker.compiled.native import FIRST_PROPERTY, I64, Builder
from kafkacheck.checker.compiled.text import llvm


class Context(IntEnum):
    """The slots of a context: addresses of arrays, and numbers that go in and out.

    STORE uint64[n, words], PARENTS uint32[n], TABLE uint64[MASK + BUCKET] (see `checker.compiled.lookup`), SUCCESSORS
    uint64[ROOM, words], ORIGINS uint32[ROOM], ACTIONS uint16[ROOM], FIRED int64[actions], REPORT int64[Sizes.report],
    FINGERPRINTS uint64[n]. `expand`, `check` and `fingerprint` work on the states FIRST .. LAST-1; `expand` sets FIRST
    to the first state it had no room for and AMOUNT to the number of successors. `absorb` keeps new states from number
    COUNT on, up to CAPACITY, counts in FIRED, and sets COUNT and CONSUMED. `fill` enters the states 0 .. COUNT-1 in
    an empty table, and `spread` makes one of OLD_SLOTS slots as large as MASK says.

    Only in kernels whose functions have switches: REMOVED, see `checker.language.removal`. `expand` tries the actions
    whose bit is set in TRIED, see `bit_of_action`; and if JUDGES is 0 it judges no step.

    Only in kernels of state graphs: `expand` fills COMBINATIONS uint32[ROOM] and WRONGS uint64[ROOM], `absorb` fills
    TARGETS uint32[ROOM], and `check` fills VERDICTS uint64[LAST - FIRST] and MEASURES int64[LAST - FIRST, measures];
    see `checker.graphs.state_graph`.
    """

    STORE = 0
    PARENTS = 1
    TABLE = 2
    MASK = 3
    SUCCESSORS = 4
    ORIGINS = 5
    ACTIONS = 6
    FIRED = 7
    REPORT = 8
    ROOM = 9
    FIRST = 10
    LAST = 11
    COUNT = 12
    CAPACITY = 13
    AMOUNT = 14
    CONSUMED = 15
    FINGERPRINTS = 16
    COMBINATIONS = 17
    WRONGS = 18
    TARGETS = 19
    VERDICTS = 20
    MEASURES = 21
    REMOVED = 22
    TRIED = 23
    JUDGES = 24
    OLD_SLOTS = 25


EXCLUDED = 1 << 15
"""Added in ACTIONS to the number of the action if a successor lies outside the constraint, which is not kept."""


EVERY_ACTION = -1
"""In TRIED: the bits of all actions."""


def bit_of_action(place: int) -> int:
    """The bit of an action in TRIED, by its place in the model; if there are many, some share one."""
    return 1 << place % 63


NO_STATE = (1 << 32) - 1
"""In TARGETS: the successor lies outside the constraint and is no state of the graph."""


class Sizes(NamedTuple):
    """The sizes of the arrays of a kernel's context; a process that runs a kernel needs no more of the model.

    `words` a packed state has; `combinations`: the number of (action, parameters), the most successors of a state; the
    numbers of `actions`, of `properties` that must always hold, and of `sometimes` properties.
    """

    words: int
    combinations: int
    actions: int
    properties: int
    sometimes: int

    @property
    def report(self) -> int:
        """The length of the report."""
        return FIRST_PROPERTY + 2 * self.properties + self.sometimes

    def sometimes_slot(self, place: int) -> int:
        """Where the first example of a `sometimes` property is reported."""
        return FIRST_PROPERTY + 2 * self.properties + place


def kept_slot(property_number: int) -> int:
    """Where the first kept state that violates an invariant is reported."""
    return FIRST_PROPERTY + 2 * property_number


def successor_slot(property_number: int) -> int:
    """Where the first state is reported that has a step, or a successor that is not kept, violating a property."""
    return FIRST_PROPERTY + 2 * property_number + 1


def pointer(builder: Builder, context: llvm.Value, slot: Context, kind: llvm.Type = I64) -> llvm.Value:
    """The array whose address is in a slot."""
    return builder.inttoptr(builder.get(context, slot), kind.as_pointer())
