"""F15: a member of a consumer group is never told to give a partition up, and is fenced for not doing it.

The coordinator is Kafka's `GroupMetadataManager`, the consumers are Kafka's `ConsumerMembershipManager` and
`ConsumerHeartbeatRequestManager`. Only the network is played here, and the rebalance timer is run when the group stands
still.
"""

from control import run
from groups import Group

A, B = 0, 1
HEARTBEATS = 20


def steps_of(is_late: bool) -> tuple[list[str], bool]:
    """The schedule; the heartbeat that A gave up is handled after B has joined, or before that."""
    group = Group()
    steps = [f"A joins: {group.joins(A)}"]
    group.applies(A)
    group.heartbeats(A)
    request = group.sends(A)
    group.consumers[A].lose()
    steps.append("A gives a heartbeat up, because the connection breaks")
    if not is_late:
        group.coordinator.asked(request)
    steps.append(f"A's next heartbeat is full: {group.heartbeats(A)}")
    steps.append(f"B joins: {group.joins(B)}")
    if is_late:
        group.coordinator.asked(request)
        steps.append(f"the coordinator handles the one that was given up: A is {group.known(A)}")
    replies = []
    for _ in range(HEARTBEATS):
        replies.append(group.heartbeats(A))
        group.applies(A)
        group.heartbeats(B)
    shown = ", then ".join(dict.fromkeys(replies))
    steps.append(f"A heartbeats {HEARTBEATS} times: {shown}; it processes {group.processed(A)}")
    steps.append(f"B is {group.known(B)}")
    was_watched = bool(group.coordinator.timeOut(A, True))
    last = group.heartbeats(A)
    steps.append(f"the rebalance timer of A runs: {was_watched}; A's next heartbeat: {last}")
    return steps, was_watched and last == "UNKNOWN_MEMBER_ID"


def main() -> None:
    """Print a line for a heartbeat that is handled late, and one for its being handled in time."""
    for way, is_late in (("handled after B has joined", True), ("handled before that", False)):
        steps, happens = steps_of(is_late)
        verdict = "happens: A IS FENCED, finding reproduced" if happens else "does not happen"
        print(f"F15, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
