"""F1 on a real cluster: a leader is elected again, and hears of both elections in one change.

Three brokers: L leads, M is preferred, F follows; min.insync.replicas=2. Held back are M's fetches, L's replay of
metadata, and at the end F's fetches; sessions end because heartbeats are held back.
"""

import sys
from pathlib import Path

from kit import Cluster, run, until

L, M, F = 0, 1, 2
WAYS = {"one": "both elections in one change", "each": "each election in its own change"}


def play(is_one_change: bool) -> str:
    """The schedule, once; what was seen."""
    cluster = Cluster(brokers=3)
    cluster.founds([L, M, F], min_insync_replicas="2")
    cluster.prefers([M, L, F])
    cluster.holds_fetches(M, leader=L)
    sent = cluster.sends("r0")
    until("L knows that F has r0", lambda: cluster.fetched(L, F) == 1)
    before = cluster.ends(L)[0]

    metadata = cluster.holds_metadata(L) if is_one_change else None
    cluster.elects_preferred()
    until("M leads, and F has truncated", lambda: cluster.leads(M, 1) and cluster.ends(F)[1] == 0)
    if not is_one_change:
        until("L follows", lambda: not cluster.replica(L).isLeader())

    cluster.holds_heartbeats(M)
    until("F knows that L leads again", lambda: int(cluster.replica(F).getLeaderEpoch()) == 2)
    cluster.holds_fetches(F, leader=L)
    if metadata is not None:
        metadata.open()
    until("L leads again", lambda: cluster.leads(L, 2))
    until("the producer is answered", lambda: sent.is_answered)
    after, answer, offset = cluster.ends(L)[0], sent.error() or "NONE", sent.offset()
    isr = cluster.isr(L)

    cluster.holds_heartbeats(L)
    until("F leads", lambda: cluster.leads(F, 3))
    end = cluster.ends(F)[1]
    is_lost = offset == 0 and end == 0
    return (
        f"L's high watermark goes from {before} to {after}, its ISR is {isr}, the producer is answered {answer}; "
        f"after L broker {F} leads, and its log ends at {end}: "
        + ("LOST, finding reproduced" if is_lost else "kept back, as it should be")
    )


def main() -> None:
    """Print what was seen."""
    print(f"F1 on a cluster, {WAYS[sys.argv[1]]}: {play(sys.argv[1] == 'one')}", flush=True)


if __name__ == "__main__":
    run(main, Path(sys.argv[2]))
