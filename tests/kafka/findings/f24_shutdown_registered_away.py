"""F24: a broker in controlled shutdown that registers again stops before any other broker knows its successor.

L leads and is stopped by an operator; F is its only follower and lags behind in the metadata log. The controller is
Kafka's `ClusterControlManager` with its `BrokerHeartbeatManager`, and `ReplicationControlManager`. Only the requests
and the log are played here.
"""

from control import controller, run
from f3_shutdown_forgotten import F, L, heartbeat


def play(registers_again: bool) -> str:
    """Stop L, perhaps let it register again, and ask again; what was seen."""
    control = controller([L, F], L)
    before = control.door.offset()
    heartbeat(control, F, before)
    first = heartbeat(control, L, before, wants_shutdown=True)
    moved, epoch = int(control.door.offset()), int(control.door.broker(L).epoch())
    leader = int(control.door.partition(control.topic_id).leader)
    if registers_again and not control._register(L, is_clean=False, is_again=True):
        raise RuntimeError("the controller refuses the registration of the same incarnation")
    registered = control.door.broker(L)
    kept = int(registered.epoch()) == epoch and not registered.fenced() and registered.inControlledShutdown()
    heartbeat(control, F, before)
    waits_for, state = int(control.door.controlledShutdownOffset(L)), str(control.door.controlState(L))
    again = heartbeat(control, L, moved, wants_shutdown=True)
    verdict = "happens: L is gone too early, finding reproduced" if again.shouldShutDown() else "does not happen"
    return (
        f"L asks to stop, and shouldShutDown is {bool(first.shouldShutDown())}; record {moved} at the latest makes "
        f"broker {leader} leader; F has replayed up to {before}; by its registration L has "
        f"{'kept' if kept else 'lost'} its epoch and state; the controller has L as {state}, to wait for offset "
        f"{waits_for}; L asks again, and shouldShutDown is {bool(again.shouldShutDown())}: {verdict}"
    )


def main() -> None:
    """Print a line with and one without another registration."""
    for way, registers_again in (("L registers again", True), ("L does not", False)):
        print(f"F24, {way}: {play(registers_again)}", flush=True)


if __name__ == "__main__":
    run(main)
