"""F15: a member of a consumer group is never told of its assignment, because the response had nobody to hear it.

Either it does not give a partition up, and is fenced for that; or it does not take one, which nobody consumes then.

The coordinator is Kafka's `GroupMetadataManager`, the consumers are Kafka's `ConsumerMembershipManager` and
`ConsumerHeartbeatRequestManager`. Only the network is played here, and the rebalance timer is run when the group stands
still.
"""

from typing import Any

from control import run
from groups import Group

A, B, PARTITION = 0, 1, 0
HEARTBEATS = 20


def given_up(group: Group, steps: list[str], is_late: bool) -> Any:
    """The heartbeat that A gives up. If it is not late, it is handled before A's next one, which is full."""
    request = group.sends(A)
    group.consumers[A].lose()
    steps.append("A gives a heartbeat up, because the connection breaks")
    if not is_late:
        group.coordinator.asked(request)
    steps.append(f"A's next heartbeat is full: {group.heartbeats(A)}")
    return request


def answers(group: Group) -> str:
    """The different answers to many heartbeats of A, which applies what it is told, while B heartbeats as well."""
    replies = []
    for _ in range(HEARTBEATS):
        replies.append(group.heartbeats(A))
        group.applies(A)
        group.heartbeats(B)
    return ", then ".join(dict.fromkeys(replies))


def gives_up(is_late: bool) -> tuple[list[str], bool]:
    """A is to give a partition up. The heartbeat that A gave up is handled after B has joined, or before that."""
    group = Group()
    steps = [f"A joins: {group.joins(A)}"]
    group.applies(A)
    group.heartbeats(A)
    request = given_up(group, steps, is_late)
    steps.append(f"B joins: {group.joins(B)}")
    if is_late:
        group.coordinator.asked(request)
        steps.append(f"the coordinator handles the one that was given up: A is {group.known(A)}")
    shown = answers(group)
    steps.append(f"A heartbeats {HEARTBEATS} times: {shown}; it processes {group.processed(A)}")
    steps.append(f"B is {group.known(B)}")
    was_watched = bool(group.coordinator.timeOut(A, True))
    last = group.heartbeats(A)
    steps.append(f"the rebalance timer of A runs: {was_watched}; A's next heartbeat: {last}")
    return steps, was_watched and last == "UNKNOWN_MEMBER_ID"


def takes(is_late: bool) -> tuple[list[str], bool]:
    """A is to take a partition. The heartbeat that A gave up is handled after B has given that up, or before that."""
    group = Group()
    steps = [f"B joins: {group.joins(B)}"]
    group.applies(B)
    group.heartbeats(B)
    steps.append(f"A joins: {group.joins(A)}")
    group.applies(A)
    group.heartbeats(A)
    request = given_up(group, steps, is_late)
    steps.append(f"B heartbeats: {group.heartbeats(B)}")
    group.applies(B)
    steps.append(f"B has given up partition {PARTITION}, and heartbeats: {group.heartbeats(B)}")
    if is_late:
        group.coordinator.asked(request)
        steps.append(f"the coordinator handles the one that was given up: A is {group.known(A)}")
    shown = answers(group)
    steps.append(f"A heartbeats {HEARTBEATS} times: {shown}; A is {group.known(A)}; B is {group.known(B)}")
    steps.append(f"A processes {group.processed(A)}, B {group.processed(B)}")
    watched = [bool(group.coordinator.timeOut(each, True)) for each in (A, B)]
    steps.append(f"a rebalance timer runs: {any(watched)}")
    is_nobodys = all(PARTITION not in group.processed(each) for each in (A, B))
    return steps, is_nobodys and not any(watched)


WAYS = (
    ("revocation, handled after B has joined", gives_up, True, "A IS FENCED"),
    ("revocation, handled before that", gives_up, False, ""),
    ("grant, handled after B has given the partition up", takes, True, "NOBODY CONSUMES THE PARTITION"),
    ("grant, handled before that", takes, False, ""),
)


def main() -> None:
    """Print a line for each of both ways if the heartbeat is handled late, and one if it is handled in time."""
    for way, schedule, is_late, loss in WAYS:
        steps, happens = schedule(is_late)
        verdict = f"happens: {loss}, finding reproduced" if happens else "does not happen"
        print(f"F15, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
