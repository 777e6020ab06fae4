"""Does every process that waits for a lock that anyone may take get it some day?

The lock is given to whoever takes it first, so a process can be overtaken again and again: its turn is enabled again
and again, but not without a break. That is where weak fairness is not enough and strong fairness is.
"""

from typing import Annotated

from kafkacheck.checker.model import EVERY_CALL, Model, each
from kafkacheck.checker.schema import Array, ById, Flag, Id, Struct

ProcessId = Annotated[int, Id("processes")]


class Process(Struct):
    """Whether a process waits, and whether it has the lock."""

    waits: Annotated[bool, Flag()]
    has_lock: Annotated[bool, Flag()]


class Room(Struct):
    """All processes."""

    processes: Annotated[Array[Process], ById("processes")]


def is_free(room: Room) -> bool:
    """Whether nobody has the lock."""
    for process_id in range(len(room.processes)):
        if room.processes[process_id].has_lock:
            return False
    return True


def ask(room: Room, process_id: ProcessId) -> bool:
    """A process begins to wait."""
    process = room.processes[process_id]
    if process.waits or process.has_lock:
        return False
    process.waits = True
    return True


def take(room: Room, process_id: ProcessId) -> bool:
    """A process that waits takes the lock, if it is free."""
    process = room.processes[process_id]
    if not process.waits:
        return False
    if not is_free(room):
        return False
    process.waits = False
    process.has_lock = True
    return True


def give_back(room: Room, process_id: ProcessId) -> bool:
    """A process gives the lock back."""
    process = room.processes[process_id]
    if not process.has_lock:
        return False
    process.has_lock = False
    return True


def first_waits(room: Room) -> bool:
    """Process 0 waits."""
    return room.processes[0].waits


def first_has_lock(room: Room) -> bool:
    """Process 0 has the lock."""
    return room.processes[0].has_lock


def is_taken(room: Room) -> bool:
    """Some process has the lock."""
    return not is_free(room)


def is_given_back(room: Room) -> bool:
    """Nobody has the lock."""
    return is_free(room)


def lock(**fair: object) -> Model:
    """The lock under some fairness: does whoever waits get it, and does whoever has it give it back?"""
    return Model(
        name="lock",
        state=Room,
        bounds={"processes": 2},
        actions=[ask, take, give_back],
        leads_to=[(is_taken, is_given_back), (first_waits, first_has_lock)],
        **fair,
    )


UNFAIR = lock()
FAIR_AS_A_WHOLE = lock(weakly_fair=[take, give_back])
WEAKLY_FAIR = lock(weakly_fair=[each(take, "process_id"), each(give_back)])
STRONGLY_FAIR = lock(weakly_fair=[each(give_back)], strongly_fair=[each(take)])
MODEL = lock(weakly_fair=EVERY_CALL)
