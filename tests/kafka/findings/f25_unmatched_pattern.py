"""F25: nobody consumes a partition after a consumer has subscribed by a pattern that no topic matches yet.

The coordinator is Kafka's `GroupMetadataManager`, with the executor of its patterns. The members are played.
"""

from typing import Any

import jvm
from around.numbers import numbers
from control import run

DOOR = "org.apache.kafka.coordinator.group.PatternDoor"
ONE, OTHER, HEARTBEATS = 0, 1, 20
ALL, ABSENT, LONG, PERIOD, NO_SET = 0, 5, 1, 2, -1


def resolves(door: Any, waited: int) -> None:
    """Some time passes, and what is scheduled is done."""
    door.waited(waited)
    if door.execute():
        door.take()


def heartbeats(door: Any, member: int) -> None:
    """A member acknowledges what it is assigned, and has given up the rest."""
    epoch, _, _, _, assigned, _ = map(int, door.member(member))
    door.ask(member, epoch, False, NO_SET, False, -1, assigned)


def unmatched() -> tuple[list[str], bool]:
    """ONE and OTHER have a pattern, and share two partitions. ONE subscribes by another one."""
    door = jvm.java(DOOR)()
    door.start(1, 0b11)
    for member in (ONE, OTHER):
        door.ask(member, 0, True, 0, True, ALL, 0)
        resolves(door, LONG)
    for _ in range(HEARTBEATS):
        for member in (ONE, OTHER):
            heartbeats(door, member)
            resolves(door, LONG)
    steps = [f"ONE has {numbers(int(door.member(ONE)[4]))}, OTHER has {numbers(int(door.member(OTHER)[4]))}"]
    door.waited(LONG)
    door.ask(ONE, int(door.member(ONE)[0]), False, NO_SET, True, ABSENT, int(door.member(ONE)[4]))
    resolves(door, LONG)
    for _ in range(HEARTBEATS):
        for member in (ONE, OTHER):
            heartbeats(door, member)
            resolves(door, PERIOD)
    owned = [int(door.member(each)[4]) for each in (ONE, OTHER)]
    steps.append(f"ONE takes another pattern, which no topic matches; {HEARTBEATS} heartbeats of both later")
    steps.append(f"ONE has {numbers(owned[0])}, OTHER has {numbers(owned[1])}")
    steps.append(f"ONE's target is {numbers(int(door.member(ONE)[3]))}")
    return steps, owned != [0, 0b11]


def main() -> None:
    """Print a line for a pattern without topics."""
    steps, happens = unmatched()
    verdict = "happens: A PARTITION HAS NO RIGHTFUL CONSUMER, finding reproduced" if happens else "does not happen"
    print(f"F25, no topic matches: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
