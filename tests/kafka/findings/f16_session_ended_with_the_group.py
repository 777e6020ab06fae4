"""F16: a consumer of the new protocol ends by an error if its session ends while all other members are classic ones.

The coordinator is Kafka's `GroupMetadataManager`, the consumer of the new protocol is Kafka's
`ConsumerMembershipManager` with `ConsumerHeartbeatRequestManager`. The classic member is played, and so is the network.
"""

import jvm
from control import run
from groups import CONSUMER, Migration, told

CLASSIC, OTHER, NEW = 0, 1, 2


def ends(has_classic: bool) -> tuple[list[str], bool]:
    """The session of NEW ends. The other member is a classic one, or one of the new protocol."""
    group = Migration()
    consumer = jvm.java(CONSUMER)(NEW, 1, 1)
    steps = []
    if has_classic:
        steps.append(f"CLASSIC joins: {group.joins(CLASSIC)}")
        group.door.endRebalance()
        group.answered(CLASSIC)
        steps.append(f"CLASSIC asks for its assignment: {group.syncs(CLASSIC, [0b11])}")
    else:
        steps.append(f"OTHER joins: {told(group.heartbeats(OTHER, 0))}")
    reply = group.door.asked(consumer.send())
    consumer.receive(reply.error(), reply.memberEpoch(), reply.assigned())
    steps.append(f"NEW joins: {told(reply)}; the group is {group.kind}")
    steps.append(f"the session of NEW ends: {group.door.expire(NEW)}; the group is {group.kind}")
    reply = group.door.asked(consumer.send())
    consumer.receive(reply.error(), reply.memberEpoch(), reply.assigned())
    steps.append(f"NEW's next heartbeat: {told(reply)}; NEW is {consumer.state()}")
    return steps, str(consumer.state()) == "FATAL"


def main() -> None:
    """Print a line for a group with a classic member, and one for a group without."""
    for has_classic, way in ((True, "the others are classic members"), (False, "the others use the new protocol")):
        steps, happens = ends(has_classic)
        verdict = "happens: THE CONSUMER ENDS, finding reproduced" if happens else "does not happen"
        print(f"F16, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
