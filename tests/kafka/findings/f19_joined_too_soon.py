"""F19: a consumer of the new protocol ends by an error if it joins in the first rebalance of a classic group.

The coordinator is Kafka's `GroupMetadataManager`, the consumer of the new protocol is Kafka's
`ConsumerMembershipManager` with `ConsumerHeartbeatRequestManager`. The classic member is played, and so is the network.
"""

import jvm
from control import run
from groups import CONSUMER, Migration, told

CLASSIC, NEW = 0, 2


def ends(is_first: bool) -> tuple[list[str], bool]:
    """NEW joins in the first rebalance, which waits for more members, or when that is over."""
    group = Migration()
    consumer = jvm.java(CONSUMER)(NEW, 1, 1)
    steps = [f"CLASSIC joins: {group.joins(CLASSIC)}"]
    if not is_first:
        group.door.endRebalance()
        group.answered(CLASSIC)
    steps.append(f"the group is {group.kind}")
    reply = group.door.asked(consumer.send())
    consumer.receive(reply.error(), reply.memberEpoch(), reply.assigned())
    steps.append(f"NEW joins: {told(reply)}; NEW is {consumer.state()}; the group is {group.kind}")
    return steps, str(consumer.state()) == "FATAL"


def main() -> None:
    """Print a line for the first rebalance, and one for the time after it."""
    for is_first, way in ((True, "in the first rebalance"), (False, "after it")):
        steps, happens = ends(is_first)
        verdict = "happens: THE CONSUMER ENDS, finding reproduced" if happens else "does not happen"
        print(f"F19, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
