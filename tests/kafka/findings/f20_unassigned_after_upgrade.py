"""F20: nobody consumes a topic after a classic group has become one of the new protocol in a rebalance.

The coordinator is Kafka's `GroupMetadataManager`. The members are played: they send what the consumers of each protocol
send.
"""

from control import run
from groups import Migration, told

OLD, NEW, INSTANCE = 1, 2, 0
HEARTBEATS = 20


def unassigned(in_rebalance: bool) -> tuple[list[str], bool]:
    """OLD is restarted with the new protocol as NEW, before it has asked for its assignment, or after that."""
    group = Migration({OLD: INSTANCE, NEW: INSTANCE})
    steps = [f"OLD joins: {group.joins(OLD)}"]
    group.door.endRebalance()
    steps.append(f"the first generation begins: {group.answered(OLD)}")
    if not in_rebalance:
        steps.append(f"OLD asks for its assignment: {group.syncs(OLD, [-1, 0b11])}")
    steps.append(f"the group is {group.kind}")
    reply = group.heartbeats(NEW, 0)
    steps.append(f"NEW joins with the same instance id: {told(reply)}")
    taken = int(reply.assigned())
    answers = set()
    for _ in range(HEARTBEATS):
        reply = group.heartbeats(NEW, int(reply.memberEpoch()), max(0, taken))
        taken = max(taken, int(reply.assigned()))
        answers.add(told(reply))
    steps.append(f"NEW heartbeats {HEARTBEATS} times: {', '.join(sorted(answers))}; it is {group.door.state(NEW)}")
    return steps, taken == 0


def main() -> None:
    """Print a line for a group in a rebalance, and one for a stable group."""
    for in_rebalance, way in ((True, "in a rebalance"), (False, "in a stable group")):
        steps, happens = unassigned(in_rebalance)
        verdict = "happens: NOBODY CONSUMES THE TOPIC, finding reproduced" if happens else "does not happen"
        print(f"F20, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
