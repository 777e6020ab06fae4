"""F7: a reassignment that keeps a replica, and replaces one that removes it, removes it all the same.

The controller is Kafka's `ReplicationControlManager`; the leader is played here.
"""

from control import alter, controller, reassign, run, shown

L, OLD, NEW = 0, 1, 2


def main() -> None:
    """Print what the controller makes of it."""
    control = controller([L, OLD], L, brokers=3, min_insync_replicas=1)
    steps = [f"reassigned to L, NEW: {reassign(control, [L, NEW])}, {shown(control)}"]
    error = reassign(control, [L, OLD, NEW])
    steps.append(f"reassigned to L, OLD, NEW: {error}, {shown(control)}")
    alter(control, L, [L, OLD, NEW])
    steps.append(f"NEW joins the ISR: {shown(control)}")
    replicas = {int(each) for each in control.door.partition(control.topic_id).replicas}
    is_lost = error == "NONE" and OLD not in replicas
    verdict = "happens: OLD is no replica any more, finding reproduced" if is_lost else "does not happen"
    print(f"F7, {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
