"""F10: a leader that replays a change which it knows already forgets the ISR that it has proposed since.

Three brokers: L leads, F is in sync, G lags and comes back; min.insync.replicas=2. The controller is Kafka's
`ReplicationControlManager`, L a `ReplicaManager`, fed by `MetadataBatchLoader` and by `BrokerMetadataPublisher`; only
the network and the followers' fetchers are played here.
"""

import tempfile
import time
from typing import Any

from broker import Broker
from control import alter, controller, leader_and_isr, run
from replication_control import TOPIC

L, F, G = 0, 1, 2
LAG_MS = 3_000
LATE, AT_ONCE = "the first change replayed after the second was proposed", "the first change replayed at once"


class Run:
    """The schedule, once; L replays that G has left the ISR before or after it proposes to take G back."""

    def __init__(self, way: str) -> None:
        self.control = controller(replicas=[L, G, F], leader=L)
        leader = Broker(L, tempfile.mkdtemp(), TOPIC, self.control.topic_id, LAG_MS)
        leader.replays(self._news(leader))
        leader.produces("r0")
        leader.is_fetched(F, offset=0, leader_epoch=0)
        self._shrink(leader)
        if way == AT_ONCE:
            leader.replays(self._news(leader))

        leader.produces("r1")
        answers = leader.produces("r2")
        leader.is_fetched(F, offset=2, leader_epoch=0, last_epoch=0)
        leader.is_fetched(G, offset=0, leader_epoch=0)
        leader.is_fetched(G, offset=2, leader_epoch=0, last_epoch=0)
        self.proposed = leader.proposal()
        alter(self.control, L, self.proposed)
        self.isr = sorted(self._partition().isr)
        self.before = leader.high_watermark
        if way == LATE:
            leader.replays(self._news(leader)[:1])

        leader.is_fetched(F, offset=3, leader_epoch=0, last_epoch=0)
        self.after, self.answer = leader.high_watermark, answers[0] if answers else "not at all"
        self.control.controller_fences_broker(L)
        self.next_leader = int(self._partition().leader)

    def _shrink(self, leader: Broker) -> None:
        """Let L propose an ISR without G, and hear the controller's answer; F fetches all the time."""
        while not leader.proposed:
            leader.is_fetched(F, offset=1, leader_epoch=0, last_epoch=0)
            time.sleep(0.01)
        alter(self.control, L, leader.proposal())
        leader.is_told(leader_and_isr(self.control))

    @property
    def is_lost(self) -> bool:
        """Whether r2 is acknowledged, and G is elected, which has only r0 and r1."""
        return self.answer == "NONE" and self.next_leader == G

    def _partition(self) -> Any:
        return self.control.door.partition(self.control.topic_id)

    def _news(self, broker: Broker) -> list[Any]:
        return list(self.control.door.written())[broker.offset :]


def main() -> None:
    """Print a line for each order in which L replays its first change and proposes the second."""
    for way in (LATE, AT_ONCE):
        found = Run(way)
        verdict = "LOST, finding reproduced" if found.is_lost else "kept back, as it should be"
        print(
            f"F10, {way}: L has proposed ISR {found.proposed}, and the controller has ISR {found.isr}; G has fetched "
            f"up to 2, F up to 3, and L's high watermark goes from {found.before} to {found.after}; the producer of r2 "
            f"is answered {found.answer}; after L broker {found.next_leader} leads: {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
