"""F23: a leader whose proposal is refused does not look at its high watermark again.

Two brokers: L leads, F lags, comes back, and dies for good; min.insync.replicas=1. The controller is Kafka's
`ReplicationControlManager`, L a `ReplicaManager`; only the network and the follower's fetcher are played here.
"""

import tempfile
import time

from broker import Broker
from control import alter, controller, leader_and_isr, run
from jvm import error_name, java
from replication_control import TOPIC

L, F = 0, 1
LAG_MS = 1_000
REFUSED, BEFORE = "F dies after L has proposed it", "F dies before"


class Run:
    """The schedule, once; F dies after or before L proposes to take it back."""

    def __init__(self, way: str) -> None:
        self.control = controller(replicas=[L, F], leader=L, min_insync_replicas=1)
        leader = Broker(L, tempfile.mkdtemp(), TOPIC, self.control.topic_id, LAG_MS)
        leader.replays(list(self.control.door.written()))
        leader.produces("r0")
        self._shrink(leader)
        self.error = "none asked for"
        if way == REFUSED:
            leader.is_fetched(F, offset=1, leader_epoch=0, last_epoch=0)
            self.proposed = leader.proposal()
        answers = leader.produces("r1")
        self.control.controller_fences_broker(F)
        if way == REFUSED:
            self.error = error_name(alter(self.control, L, self.proposed).errorCode())
            errors = java("org.apache.kafka.common.protocol.Errors")
            leader.answer.completeExceptionally(errors.valueOf(self.error).exception())
        leader.replays(list(self.control.door.written())[leader.offset :])
        time.sleep(3 * LAG_MS / 1_000)
        state = leader.partition.partitionState()
        self.is_alone = not bool(state.maximalIsr().contains(java("java.lang.Integer")(F)))
        self.waiting, self.answer = leader.high_watermark, answers[0] if answers else "not at all"
        leader.produces("r2")
        self.after = leader.high_watermark

    def _shrink(self, leader: Broker) -> None:
        """Let L propose an ISR without F, and hear the controller's answer."""
        alter(self.control, L, leader.proposal())
        leader.is_told(leader_and_isr(self.control))
        leader.replays(list(self.control.door.written())[leader.offset :])
        leader.proposed.clear()

    @property
    def is_waiting(self) -> bool:
        """Whether r1 is not committed although every member of the ISR has it."""
        return self.is_alone and self.waiting == 1 and self.answer == "not at all"


def main() -> None:
    """Print a line for each time at which F dies."""
    for way in (REFUSED, BEFORE):
        found = Run(way)
        verdict = "WAITS, finding reproduced" if found.is_waiting else "committed, as it should be"
        alone = "alone" if found.is_alone else "not alone"
        print(
            f"F23, {way}: the controller answers {found.error}, and L is {alone} in its ISR, with two records; three "
            f"replica.lag.time.max.ms later its high watermark is {found.waiting}, and the producer of r1 is answered "
            f"{found.answer}; after another record it is {found.after}: {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
