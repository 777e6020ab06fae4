"""F3: a new controller lets a broker in controlled shutdown stop before any other broker knows its successor.

L leads and is stopped by an operator; F is its only follower and lags behind in the metadata log. Both controllers are
Kafka's `ClusterControlManager` with its `BrokerHeartbeatManager`, and `ReplicationControlManager`; the new one has
replayed the log of the former one. Only the heartbeats and the log are played here.
"""

from typing import Any

import jvm
from control import controller, replace, run
from replication_control import ReplicationControl

L, F = 0, 1


def heartbeat(control: ReplicationControl, broker: int, replayed: int, wants_shutdown: bool = False) -> Any:
    """Let a broker send a heartbeat; the answer."""
    request = jvm.message(
        "BrokerHeartbeatRequestData",
        setBrokerId=broker,
        setBrokerEpoch=int(control.door.broker(broker).epoch()),
        setCurrentMetadataOffset=replayed,
        setWantFence=False,
        setWantShutDown=wants_shutdown,
    )
    return control.door.heartbeatAndWait(request)


def play(is_replaced: bool) -> str:
    """Stop L, perhaps replace the controller, and ask again; what was seen."""
    control = controller([L, F], L)
    before = control.door.offset()
    heartbeat(control, F, before)
    first = heartbeat(control, L, before, wants_shutdown=True)
    moved = int(control.door.offset())
    leader = int(control.door.partition(control.topic_id).leader)
    if is_replaced:
        replace(control)
    heartbeat(control, F, before)
    waits_for, state = int(control.door.controlledShutdownOffset(L)), str(control.door.controlState(L))
    again = heartbeat(control, L, moved, wants_shutdown=True)
    heartbeat(control, F, moved)
    last = again if again.shouldShutDown() else heartbeat(control, L, moved, wants_shutdown=True)
    verdict = "happens: L is gone too early, finding reproduced" if again.shouldShutDown() else "does not happen"
    return (
        f"L asks to stop, and shouldShutDown is {bool(first.shouldShutDown())}; record {moved} at the latest makes "
        f"broker {leader} leader; F has replayed up to {before}; the controller has L as {state}, to wait for offset "
        f"{waits_for}; L asks again, and shouldShutDown is {bool(again.shouldShutDown())}; at last "
        f"{bool(last.shouldShutDown())}: {verdict}"
    )


def main() -> None:
    """Print a line with and one without another controller."""
    for way, is_replaced in (("another controller takes over", True), ("the same controller", False)):
        print(f"F3, {way}: {play(is_replaced)}", flush=True)


if __name__ == "__main__":
    run(main)
