"""F6: a reassignment that takes back another one, which adds a broker, never ends.

An operator adds a broker to a partition, and goes back to the former assignment before that has ended. The controller
is Kafka's `ReplicationControlManager`; the leader and the new broker are played here.
"""

from control import alter, controller, reassign, run, shown
from replication_control import ReplicationControl

L, N = 0, 1


def is_under_way(control: ReplicationControl) -> bool:
    """Whether the controller has a reassignment under way."""
    partition = control.door.partition(control.topic_id)
    return bool(len(partition.removingReplicas) + len(partition.addingReplicas))


def main() -> None:
    """Print what the controller makes of it, and by which request it ends."""
    control = controller([L], L, brokers=2, min_insync_replicas=1)
    steps = [f"reassigned to L, N: {reassign(control, [L, N])}, {shown(control)}"]
    steps.append(f"back to L: {reassign(control, [L])}, {shown(control)}")
    is_stuck = is_under_way(control)
    if is_stuck:
        alter(control, L, [L, N])
        steps.append(f"N joins the ISR: {shown(control)}")
        alter(control, L, [L])
        steps.append(f"N leaves the ISR: {shown(control)}")
        steps.append(f"back to L again: {reassign(control, [L])}, {shown(control)}")
        is_stuck = is_under_way(control)
        steps.append(f"cancelled: {reassign(control, None)}, {shown(control)}")
    verdict = "happens: it never ends by itself, finding reproduced" if is_stuck else "does not happen"
    print(f"F6, {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
