"""F17: nobody consumes a partition after a group is a classic one again, because it did not rebalance for that.

The coordinator is Kafka's `GroupMetadataManager`. The members are played: they send what the consumers of each protocol
send.
"""

from around.numbers import numbers
from control import run
from groups import Migration, told

WAITS, REPLACES, NEW, INSTANCE = 0, 1, 2, 0
HEARTBEATS = 20


def waits(is_replaced: bool) -> tuple[list[str], bool]:
    """WAITS is to have a partition of NEW, whose place a static classic member takes, or which leaves."""
    group = Migration({REPLACES: INSTANCE, NEW: INSTANCE} if is_replaced else {})
    reply = group.heartbeats(NEW, 0)
    steps = [f"NEW joins: {told(reply)}", f"WAITS joins: {group.joins(WAITS)}"]
    steps.append(f"WAITS asks for its assignment: {group.syncs(WAITS, [])}; it is {group.door.state(WAITS)}")
    if is_replaced:
        steps.append(f"REPLACES joins with the instance id of NEW: {group.joins(REPLACES)}")
        steps.append(f"REPLACES asks for its assignment: {group.syncs(REPLACES, [])}")
    else:
        steps.append(f"NEW leaves: {told(group.heartbeats(NEW, -1))}")
    steps.append(f"the group is {group.kind}")
    answers = {group.beats(WAITS) for _ in range(HEARTBEATS)}
    assigned = numbers(int(group.door.classicMember(WAITS)[1]))
    steps.append(f"WAITS, which processes nothing and is assigned {assigned}, heartbeats {HEARTBEATS} times: {answers}")
    return steps, answers == {"NONE"} and bool(assigned)


def main() -> None:
    """Print a line if the last member of the new protocol is replaced, and one if it leaves."""
    for is_replaced, way in ((True, "the last new member is replaced"), (False, "the last new member leaves")):
        steps, happens = waits(is_replaced)
        verdict = "happens: NOBODY CONSUMES THE PARTITION, finding reproduced" if happens else "does not happen"
        print(f"F17, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
