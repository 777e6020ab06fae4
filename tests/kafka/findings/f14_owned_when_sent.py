"""F14: two members of a consumer group own a partition, because a heartbeat names what was owned when it was sent.

The coordinator is Kafka's `GroupMetadataManager`, the consumers are Kafka's `ConsumerMembershipManager` and
`ConsumerHeartbeatRequestManager`. Only the network is played here, and the time that a consumer takes to commit before
it applies an assignment.
"""

from control import run
from groups import NO_SET, Group, owned

A, B, PARTITION = 0, 1, 0


def steps_of(is_sent_first: bool, error: str | None) -> tuple[list[str], bool]:
    """The schedule; the heartbeat of A is sent before A has applied its assignment, or after that.

    `error`: how the heartbeat before is answered; None if the connection breaks.
    """
    group = Group()
    steps = [f"A joins: {group.joins(A)}; it begins to apply that, and commits"]
    first = group.consumers[A]
    first.reconcile()
    group.sends(A)
    if error is None:
        first.lose()
    else:
        first.receive(error, 0, NO_SET)
    steps.append(f"a heartbeat of A is answered by {error or 'nothing'}, so the next one is full")
    steps.append(f"B joins: {group.joins(B)}")
    if not is_sent_first:
        first.complete()
    request = group.sends(A)
    steps.append(f"A sends its next heartbeat, owned: {owned(request)}")
    first.complete()
    steps.append(f"A has applied its assignment, and processes {group.processed(A)}")
    reply = group.coordinator.asked(request)
    steps.append(f"the coordinator handles the heartbeat: A is {group.known(A)}")
    steps.append(f"B heartbeats: {group.heartbeats(B)}")
    group.applies(B)
    steps.append(f"A hears of {group.receives(A, reply)}")
    first.reconcile()
    both = [f"{name} processes {group.processed(member)}" for name, member in (("A", A), ("B", B))]
    errors = [group.commits(member, PARTITION) for member in (A, B)]
    steps.append(f"{' and '.join(both)}; their commits of partition {PARTITION}: {' and '.join(errors)}")
    is_shared = all(PARTITION in group.processed(member) for member in (A, B))
    return steps, is_shared and errors == ["NONE", "NONE"]


WAYS = (
    ("sent before A has applied its assignment", True, None),
    ("after NOT_COORDINATOR, sent before A has applied its assignment", True, "NOT_COORDINATOR"),
    ("sent after that", False, None),
)


def main() -> None:
    """Print two lines for a heartbeat that is sent before A has applied its assignment, and one for the other order."""
    for way, is_sent_first, error in WAYS:
        steps, happens = steps_of(is_sent_first, error)
        verdict = "happens: TWO OWNERS, finding reproduced" if happens else "does not happen"
        print(f"F14, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
