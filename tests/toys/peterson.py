"""Do two processes that share a turn and two flags ever both enter their critical sections?

Every read and every write of a shared variable is a step of its own.
"""

from enum import IntEnum
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, EnumOf, Flag, Id, Struct

PROCESSES = 2


class At(IntEnum):
    """What a process does next."""

    IDLE = 0
    GIVE_TURN = 1
    LOOK_AT_FLAG = 2
    LOOK_AT_TURN = 3
    CRITICAL = 4


ProcessId = Annotated[int, Id(PROCESSES)]


class Process(Struct):
    """Where a process is, and its flag that says it wants to enter."""

    at: Annotated[At, EnumOf(At)]
    flag: Annotated[bool, Flag()]


class Memory(Struct):
    """Both processes and the shared turn."""

    processes: Annotated[Array[Process], ById(PROCESSES)]
    turn: ProcessId


def raise_flag(memory: Memory, process_id: ProcessId) -> bool:
    """A process begins to want the critical section."""
    process = memory.processes[process_id]
    if process.at != At.IDLE:
        return False
    process.flag = True
    process.at = At.GIVE_TURN
    return True


def give_turn(memory: Memory, process_id: ProcessId) -> bool:
    """It lets the other one go first."""
    process = memory.processes[process_id]
    if process.at != At.GIVE_TURN:
        return False
    memory.turn = 1 - process_id
    process.at = At.LOOK_AT_FLAG
    return True


def look_at_flag(memory: Memory, process_id: ProcessId) -> bool:
    """It may enter if the other one does not want to."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_FLAG:
        return False
    process.at = At.LOOK_AT_TURN if memory.processes[1 - process_id].flag else At.CRITICAL
    return True


def look_at_turn(memory: Memory, process_id: ProcessId) -> bool:
    """It may also enter if it has the turn; else it begins to wait anew."""
    process = memory.processes[process_id]
    if process.at != At.LOOK_AT_TURN:
        return False
    process.at = At.CRITICAL if memory.turn == process_id else At.LOOK_AT_FLAG
    return True


def leave(memory: Memory, process_id: ProcessId) -> bool:
    """It leaves the critical section."""
    process = memory.processes[process_id]
    if process.at != At.CRITICAL:
        return False
    process.flag = False
    process.at = At.IDLE
    return True


def mutual_exclusion(memory: Memory) -> bool:
    """At most one process is in the critical section."""
    return memory.processes[0].at != At.CRITICAL or memory.processes[1].at != At.CRITICAL


def flag_is_up(memory: Memory) -> bool:
    """A process that is not idle wants to enter."""
    for process_id in range(len(memory.processes)):
        process = memory.processes[process_id]
        if process.at != At.IDLE and not process.flag:
            return False
    return True


def turn_is_given(memory: Memory) -> bool:
    """While one is in the critical section, the other either waits for its turn or has not given the turn away yet."""
    for process_id in range(len(memory.processes)):
        other = memory.processes[1 - process_id]
        if memory.processes[process_id].at == At.CRITICAL:
            if other.at == At.LOOK_AT_FLAG or other.at == At.LOOK_AT_TURN:
                if memory.turn != process_id:
                    return False
    return True


def second_process_enters(memory: Memory) -> bool:
    """The critical section can be reached."""
    return memory.processes[1].at == At.CRITICAL


MODEL = Model(
    name="peterson",
    state=Memory,
    actions=[raise_flag, give_turn, look_at_flag, look_at_turn, leave],
    always=[mutual_exclusion],
    lemmas=[flag_is_up, turn_is_given],
    sometimes=[second_process_enters],
    check_deadlock=True,
)
