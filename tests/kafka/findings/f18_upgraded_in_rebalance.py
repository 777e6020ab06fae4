"""F18: two members own a partition after a classic group has become one of the new protocol in a rebalance.

The coordinator is Kafka's `GroupMetadataManager`. The members are played: KEEPS is a consumer of the cooperative
classic protocol, which goes on with its partitions in a rebalance.
"""

from around.numbers import numbers
from control import run
from groups import Migration, told

KEEPS, LEAVES, NEW, NO_INSTANCE = 0, 1, 2, -1
BOTH, PARTITIONS = 0b11, (0, 1)


def upgraded(in_rebalance: bool) -> tuple[list[str], bool]:
    """NEW joins while a member has left the generation that is to begin, or in a stable group."""
    group = Migration()
    steps = [f"KEEPS joins: {group.joins(KEEPS)}"]
    group.door.endRebalance()
    group.answered(KEEPS)
    steps.append(f"KEEPS asks for its assignment: {group.syncs(KEEPS, [BOTH])}")
    if in_rebalance:
        steps.append(f"LEAVES joins: {group.joins(LEAVES)}")
        steps.append(f"KEEPS joins again with both partitions: {group.joins(KEEPS, BOTH)}")
        group.door.leave(LEAVES, NO_INSTANCE)
        steps.append("LEAVES leaves")
    steps.append(f"the group is {group.kind}; KEEPS is assigned {numbers(int(group.door.classicMember(KEEPS)[1]))}")
    reply = group.heartbeats(NEW, 0)
    steps.append(f"NEW joins: {told(reply)}")
    taken = [each for each in PARTITIONS if int(reply.assigned()) >> each & 1]
    commits = {
        str(group.door.commit(member, epoch, partition))
        for member, epoch in ((KEEPS, group.generations[KEEPS]), (NEW, int(reply.memberEpoch())))
        for partition in taken
    }
    if taken:
        steps.append(f"commits of both members for partition {taken}: {commits}")
    return steps, bool(taken) and commits == {"NONE"}


def main() -> None:
    """Print a line for a group in a rebalance, and one for a stable group."""
    for in_rebalance, way in ((True, "in a rebalance"), (False, "in a stable group")):
        steps, happens = upgraded(in_rebalance)
        verdict = "happens: TWO MEMBERS OWN THE PARTITION, finding reproduced" if happens else "does not happen"
        print(f"F18, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
