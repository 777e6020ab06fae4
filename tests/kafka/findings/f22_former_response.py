"""F22: two members of a consumer group own a partition, because one that has left takes a response of before.

The coordinator is Kafka's `GroupMetadataManager`, the consumers are Kafka's `ConsumerMembershipManager` and
`ConsumerHeartbeatRequestManager`. Only the network and the application are played here.
"""

from control import run
from groups import Group, told

A, B, PARTITION = 0, 1, 0


def steps_of(is_answered_first: bool) -> tuple[list[str], bool]:
    """The schedule; A hears of the former response while it is stale, or after it has joined again."""
    group = Group()
    request = group.starts(A)
    former = group.coordinator.asked(request)
    steps = [f"A joins, and the response is under way: {told(former)}"]
    first = group.consumers[A]
    leave = first.expire()
    steps.append(f"the poll interval of A ends, and A leaves; it is {first.state()}")
    reply = group.coordinator.asked(leave)
    steps.append(f"the coordinator handles that: A is {group.known(A)}")
    steps.append(f"B joins: {group.joins(B)}")
    group.applies(B)
    if is_answered_first:
        steps.append(f"A hears of {group.receives_former(A, former)}; it is {first.state()}")
    first.poll()
    joined = group.coordinator.asked(group.sends(A))
    steps.append(f"the application of A polls, and A joins again: {told(joined)}")
    if not is_answered_first:
        steps.append(f"A hears of {group.receives_former(A, former)}; it is {first.state()}")
    group.applies(A)
    first.receiveLeave(reply.error())
    steps.append(f"A hears of {group.receives(A, joined)}")
    both = [f"{name} processes {group.processed(member)}" for name, member in (("A", A), ("B", B))]
    errors = [group.commits(member, PARTITION) for member in (A, B)]
    steps.append(f"{' and '.join(both)}; their commits of partition {PARTITION}: {' and '.join(errors)}")
    is_shared = all(PARTITION in group.processed(member) for member in (A, B))
    return steps, is_shared and errors == ["NONE", "NONE"]


def main() -> None:
    """Print a line for a response that comes after A has joined again, and one for the other order."""
    for way, is_answered_first in (("after A has joined again", False), ("before that", True)):
        steps, happens = steps_of(is_answered_first)
        verdict = "happens: TWO OWNERS, finding reproduced" if happens else "does not happen"
        print(f"F22, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
