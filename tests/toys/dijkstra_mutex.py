"""Does the first published algorithm for mutual exclusion (Dijkstra, 1965) keep its promise?

As in the PlusCal version of the public TLA+ examples: a process looks at the others in any order, and every label is
a step of its own. What is there one variable that holds first a process and then a set of processes is here two.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, EnumOf, Flag, Id, Ids, IdSet, Struct

NOBODY = -1


class At(IntEnum):
    """What a process does next; the comments name the labels of the paper."""

    WANT = 0  # Li0
    LOOK_AT_TURN = 1  # Li1
    STEP_BACK = 2  # Li2
    READ_TURN = 3  # Li3, in four steps
    LOOK_AT_HOLDER = 4
    TAKE_TURN = 5
    TRY_AGAIN = 6
    CLAIM = 7  # Li4
    LOOK_AT_OTHERS = 8
    CRITICAL = 9
    WITHDRAW_CLAIM = 10
    STOP_WANTING = 11
    IDLE = 12


ProcessId = Annotated[int, Id("processes")]


class Process(Struct):
    """Where a process is; b and c of the paper, negated; whom it saw having the turn; whom it has yet to look at."""

    at: Annotated[At, EnumOf(At)]
    wants: Annotated[bool, Flag()]
    claims: Annotated[bool, Flag()]
    holder: Annotated[int, Id("processes", none=NOBODY)]
    unseen: Annotated[Ids, IdSet("processes")]


class Memory(Struct):
    """All processes, and whose turn it is."""

    processes: Annotated[Array[Process], ById("processes")]
    turn: ProcessId


def start(memory: Memory, process_id: ProcessId) -> bool:
    """Anybody may have the turn at first. A process that never looked at others is told by having all unseen."""
    memory.turn = process_id
    for each in range(len(memory.processes)):
        memory.processes[each].unseen = Ids(range(len(memory.processes)))
    return True


def write_own(memory: Memory, process_id: ProcessId) -> bool:
    """The steps that write the process's own flags, or just go on."""
    process = memory.processes[process_id]
    if process.at == At.WANT:
        process.wants = True
        process.at = At.LOOK_AT_TURN
    elif process.at == At.STEP_BACK:
        process.claims = False
        process.at = At.READ_TURN
    elif process.at == At.CRITICAL:
        process.at = At.WITHDRAW_CLAIM
    elif process.at == At.WITHDRAW_CLAIM:
        process.claims = False
        process.at = At.STOP_WANTING
    elif process.at == At.STOP_WANTING:
        process.wants = False
        process.at = At.IDLE
    elif process.at == At.IDLE:
        process.at = At.WANT
    elif process.at == At.TRY_AGAIN:
        process.at = At.LOOK_AT_TURN
    else:
        return False
    return True


def look_at_turn(memory: Memory, process_id: ProcessId) -> bool:
    """Whoever has the turn may claim the critical section."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_TURN:
        return False
    process.at = At.CLAIM if memory.turn == process_id else At.STEP_BACK
    return True


def read_turn(memory: Memory, process_id: ProcessId) -> bool:
    """Note who has the turn."""
    process = memory.processes[process_id]
    if process.at != At.READ_TURN:
        return False
    process.holder = memory.turn
    process.unseen = Ids()
    process.at = At.LOOK_AT_HOLDER
    return True


def look_at_holder(memory: Memory, process_id: ProcessId) -> bool:
    """The turn is free to take if its holder does not want to enter."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_HOLDER:
        return False
    process.at = At.TRY_AGAIN if memory.processes[process.holder].wants else At.TAKE_TURN
    return True


def take_turn(memory: Memory, process_id: ProcessId) -> bool:
    """Take the turn."""
    process = memory.processes[process_id]
    if process.at != At.TAKE_TURN:
        return False
    memory.turn = process_id
    process.at = At.TRY_AGAIN
    return True


def claim(memory: Memory, process_id: ProcessId) -> bool:
    """Claim the critical section, and begin to look whether anybody else does."""
    process = memory.processes[process_id]
    if process.at != At.CLAIM:
        return False
    process.claims = True
    process.holder = NOBODY
    process.unseen = Ids(range(len(memory.processes))) - {process_id}
    process.at = At.LOOK_AT_OTHERS
    return True


def look_at_other(memory: Memory, process_id: ProcessId, other_id: ProcessId) -> bool:
    """Look at one of the others; if it claims too, start over."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_OTHERS:
        return False
    if other_id not in process.unseen:
        return False
    process.unseen -= {other_id}
    if memory.processes[other_id].claims:
        process.at = At.LOOK_AT_TURN
    return True


def enter(memory: Memory, process_id: ProcessId) -> bool:
    """Nobody else claims it."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_OTHERS:
        return False
    if process.unseen != Ids():
        return False
    process.at = At.CRITICAL
    return True


def mutual_exclusion(memory: Memory) -> bool:
    """At most one process is in the critical section."""
    inside = 0
    for process_id in range(len(memory.processes)):
        if memory.processes[process_id].at == At.CRITICAL:
            inside += 1
    return inside <= 1


MODEL = Model(
    name="dijkstra_mutex",
    state=Memory,
    initial=start,
    bounds={"processes": 3},
    actions=[write_own, look_at_turn, read_turn, look_at_holder, take_turn, claim, look_at_other, enter],
    always=[mutual_exclusion],
    check_deadlock=True,
)
