"""The context of a kernel: what its entries are given, as an array of 64-bit integers."""

from enum import IntEnum

from checker.native import I64, Builder, llvm


class Context(IntEnum):
    """The slots of a context: addresses of arrays, and numbers that go in and out.

    STORE uint64[n, words], PARENTS uint32[n], TABLE uint64[MASK + BUCKET] (see `checker.lookup`), SUCCESSORS
    uint64[ROOM, words], ORIGINS uint32[ROOM], ACTIONS uint16[ROOM], FIRED int64[actions], REPORT
    int64[report_length]. `expand` and `check` work on the states FIRST .. LAST-1; `expand` sets FIRST to the first
    state it had no room for and AMOUNT to the number of successors. `absorb` keeps new states from number COUNT on, up
    to CAPACITY, counts in FIRED, and sets COUNT and CONSUMED.
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


EXCLUDED = 1 << 15
"""Added in ACTIONS to the number of the action where a successor lies outside the constraint, which is not kept."""


def pointer(builder: Builder, context: llvm.Value, slot: Context, kind: llvm.Type = I64) -> llvm.Value:
    """The array whose address is in a slot."""
    return builder.inttoptr(builder.get(context, slot), kind.as_pointer())
