"""F3 on a real cluster: a new controller lets a broker in controlled shutdown stop before its successor knows of it.

Three controllers and two brokers: L leads, and stops; F is its only follower, and its replay of metadata is held back.
"""

import sys
import threading
import time
from pathlib import Path

from kit import Cluster, run, until

L, F = 0, 1
SECONDS = 8
"""How long L is given to stop although F has not replayed that it leads; heartbeats come five times in a second."""
WAYS = {"other": "another controller takes over", "same": "the same controller"}


def play(is_replaced: bool) -> str:
    """The schedule, once; what was seen."""
    cluster = Cluster(brokers=2, controllers=3)
    cluster.founds([L, F])
    lifecycle = cluster.broker(L).lifecycleManager()
    metadata = cluster.holds_metadata(F)
    threading.Thread(target=cluster.broker(L).shutdown, daemon=True).start()
    until("L hears that it does not lead any more", lambda: not cluster.replica(L).isLeader())
    time.sleep(1)
    first = bool(lifecycle.controlledShutdownFuture().isDone())
    changes = cluster.replaces_controller() if is_replaced else "no other controller"

    end = time.monotonic() + SECONDS
    while not lifecycle.controlledShutdownFuture().isDone() and time.monotonic() < end:
        time.sleep(0.05)
    is_stopped, knows = bool(lifecycle.controlledShutdownFuture().isDone()), cluster.leads(F, 1)
    metadata.open()
    until("F leads", lambda: cluster.leads(F, 1))
    until("L may stop", lambda: lifecycle.controlledShutdownFuture().isDone())
    is_early = is_stopped and not knows
    return (
        f"L asks to stop, and after a second it may: {first}; {changes}; within {SECONDS} s L may stop: "
        f"{is_stopped}, and F knows that it leads: {knows}; as soon as F has replayed that, L may stop, too: "
        + ("happens: L is gone too early, finding reproduced" if is_early else "does not happen")
    )


def main() -> None:
    """Print what was seen."""
    print(f"F3 on a cluster, {WAYS[sys.argv[1]]}: {play(sys.argv[1] == 'other')}", flush=True)


if __name__ == "__main__":
    run(main, Path(sys.argv[2]))
