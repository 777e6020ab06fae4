"""F8: a partition that lost its only replica cannot be given another one, because of a broker that is no replica.

Eligible leader replicas are on. The controller is Kafka's `ReplicationControlManager`; the brokers are played here.
"""

from control import controller, reassign, run, shown

L, X = 0, 1


def main() -> None:
    """Print what the controller answers: with the former replica among the eligible ones, and with another broker."""
    for way, replicas in (("X had a replica before", [L, X]), ("X had none", [L])):
        control = controller(replicas, L, brokers=2, eligible_leader_replicas=True)
        steps = [f"reassigned to L: {reassign(control, [L])}, {shown(control)}"] if replicas != [L] else []
        control.controller_fences_broker(L)
        steps.append(f"L fails: {shown(control)}")
        error = reassign(control, [L, X])
        steps.append(f"reassigned to L, X: {error}, {shown(control)}")
        verdict = "happens, finding reproduced" if error == "UNKNOWN_SERVER_ERROR" else "does not happen"
        print(f"F8, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
