"""F9: a change of min.insync.replicas leaves a broker in the index of eligible leader replicas.

If the topic is deleted then, the broker cannot register after an unclean stop, and each attempt makes the active
controller resign. The controller is Kafka's `ReplicationControlManager` with its `ClusterControlManager`;
`EventHandlerExceptionInfo` is what `QuorumController` asks after an exception. The brokers are played here.
"""

import jvm
from control import controller, replace, run, shown
from replication_control import SESSION_MS, TOPIC, ReplicationControl

L, F = 0, 1


def registers(control: ReplicationControl, is_clean: bool) -> str:
    """Let F register after its session has ended; what came of it."""
    control.door.sleep(SESSION_MS + 1)
    try:
        return "accepted" if control._register(F, is_clean) else "refused"
    except jvm.java("java.lang.RuntimeException") as error:
        asked = jvm.java("org.apache.kafka.controller.errors.EventHandlerExceptionInfo").fromInternal(error, None)
        return f"{error.getClass().getSimpleName()}, and the controller resigns: {bool(asked.causesFailover())}"


def main() -> None:
    """Print what the controller makes of it: with a change of the configuration, and without."""
    for way, is_changed in (("min.insync.replicas is lowered", True), ("it stays", False)):
        control = controller([L, F], L, eligible_leader_replicas=True)
        control.controller_fences_broker(F)
        steps = [f"F fails: {shown(control)}"]
        if is_changed:
            assert control.door.setTopicConfig(TOPIC, "min.insync.replicas", "1") == "NONE"
            steps.append(f"min.insync.replicas becomes 1: {shown(control)}")
        assert control.door.deleteTopic(control.topic_id) == "NONE"
        outcome = registers(control, is_clean=False)
        steps.append(f"the topic is deleted, and F registers after an unclean stop: {outcome}")
        replace(control)
        again = registers(control, is_clean=False)
        steps.append(f"at the next controller, which has replayed the log: {again}")
        steps.append(f"after a clean stop: {registers(control, is_clean=True)}")
        is_stuck = outcome.endswith("resigns: True") and again == outcome
        verdict = "happens: F cannot come back, finding reproduced" if is_stuck else "does not happen"
        print(f"F9, {way}: {'; '.join(steps)}: {verdict}", flush=True)


if __name__ == "__main__":
    run(main)
