"""One run of a real cluster to be recorded: two brokers, two records, two elections, a truncation, and ISR changes.

1. Broker 0 leads; broker 1 is preferred, and its fetches are held back. Broker 0 appends record 0.
2. A preferred election makes broker 1 leader. Broker 0 truncates; its producer is told that it does not lead.
3. Record 1 is appended, replicated and acknowledged.
4. The heartbeats of broker 1 are held back until its session ends. Broker 0 leads, alone in the ISR.
5. The heartbeats come again, and broker 1 comes back into the ISR.
"""

import sys
import time
from pathlib import Path

from kit import Cluster, run, until


def main() -> None:
    """Run it; the log says where the recording begins and ends."""
    cluster = Cluster(brokers=2)
    cluster.founds([0, 1])
    cluster.prefers([1, 0])
    until(
        "both brokers know the new order",
        lambda: {int(cluster.replica(each).getPartitionEpoch()) for each in (0, 1)} == {1},
    )
    cluster.holds_fetches(1, leader=0)
    found = cluster.described()
    cluster.log.info(f"the recording begins: leader {found['leader']}, ISR {sorted(found['isr'])}")

    sent = cluster.sends("record 0")
    until("record 0 is appended", lambda: cluster.ends(0)[1] == 1)
    cluster.elects_preferred()
    tell(cluster, 0, sent.offset())
    until("broker 0 has truncated", lambda: cluster.ends(0)[1] == 0)
    until("broker 1 leads", lambda: cluster.described()["leader"] == 1)

    tell(cluster, 1, cluster.sends("record 1").offset())
    until("broker 0 knows that record 1 is committed", lambda: cluster.ends(0) == (1, 1))

    heartbeats = cluster.holds_heartbeats(1)
    until("broker 0 leads", lambda: cluster.described()["leader"] == 0)
    time.sleep(0.5)
    heartbeats.open()
    until("broker 1 is in the ISR", lambda: sorted(cluster.described()["isr"]) == [0, 1])
    time.sleep(0.5)
    cluster.log.info("the recording ends")


def tell(cluster: Cluster, record: int, offset: int | None) -> None:
    """Log what the producer of a record was told."""
    answer = "not acknowledged" if offset is None else f"acknowledged at offset {offset}"
    cluster.log.info(f"record {record} is {answer}")


if __name__ == "__main__":
    run(main, Path(sys.argv[1]))
