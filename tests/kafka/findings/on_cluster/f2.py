"""F2 on a real cluster: min.insync.replicas is raised while the leader is about to take a follower out of the ISR.

Two brokers with eligible leader replicas: L leads, F lags; min.insync.replicas is raised from 1 to 2. Held back are F's
fetches and L's replay of metadata; the lag and the end of L's session come by themselves.
"""

import sys
import time
from pathlib import Path

from kit import Cluster, run, until

L, F = 0, 1
LAG_MS = 5_000
WAYS = {"answer": "the answer first", "configuration": "the configuration first"}


def play(is_answer_first: bool) -> str:
    """The schedule, once; what was seen."""
    cluster = Cluster(brokers=2, settings={"replica.lag.time.max.ms": str(LAG_MS)})
    cluster.enables("eligible.leader.replicas.version", 1)
    cluster.founds([L, F], min_insync_replicas="1")
    cluster.holds_fetches(F, leader=L)
    sent = cluster.sends("r0")
    until("L has r0", lambda: cluster.ends(L)[1] == 1)
    before = cluster.ends(L)[0]

    metadata = cluster.holds_metadata(L) if is_answer_first else None
    isr = cluster.isr(L)
    cluster.configures("min.insync.replicas", "2")
    until("L has taken F out of the ISR", lambda: cluster.isr(L) == [L])
    time.sleep(1)
    after, answer = cluster.ends(L)[0], (sent.error() or "NONE") if sent.is_answered else "not at all"

    cluster.holds_heartbeats(L)
    until("F leads", lambda: cluster.leads(F, 1))
    end, found = cluster.ends(F)[1], cluster.recovery(F)
    if metadata is not None:
        metadata.open()
    is_lost = answer == "NONE" and end == 0 and found == "RECOVERED"
    return (
        f"the ISR was {isr} when min.insync.replicas was raised; L's high watermark goes from {before} to "
        f"{after}, and the producer is answered {answer}; after L broker {F} leads, {found}, its log ends at {end}: "
        + ("LOST, finding reproduced" if is_lost else "kept back, as it should be")
    )


def main() -> None:
    """Print what was seen."""
    print(f"F2 on a cluster, {WAYS[sys.argv[1]]}: {play(sys.argv[1] == 'answer')}", flush=True)


if __name__ == "__main__":
    run(main, Path(sys.argv[2]))
