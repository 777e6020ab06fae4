"""F2: min.insync.replicas is raised; an ISR change that was on its way makes a replica eligible that lacks a record.

Two brokers: L leads, F lags; min.insync.replicas is raised from 1 to 2, with eligible leader replicas. The controller
is Kafka's `ReplicationControlManager`, L a `ReplicaManager`, fed by `MetadataBatchLoader` and by
`BrokerMetadataPublisher`; only the network is played here.
"""

import tempfile
from typing import Any

from broker import Broker
from control import alter, controller, leader_and_isr, run
from replication_control import TOPIC

L, F = 0, 1
LAG_MS = 200
ANSWER, CHANGE, CONFIGURATION = "the answer first", "both in one change", "the configuration first"


class Run:
    """The schedule, once; L hears of its ISR change and of the new configuration in the order of `way`."""

    def __init__(self, way: str) -> None:
        self.control = controller(replicas=[L, F], leader=L, eligible_leader_replicas=True, min_insync_replicas=1)
        self.door = self.control.door
        leader = Broker(L, tempfile.mkdtemp(), TOPIC, self.control.topic_id, LAG_MS)
        leader.replays(self._news(leader))
        answers = leader.produces("r0")
        leader.is_fetched(F, offset=0, leader_epoch=0)
        self.before = leader.high_watermark

        assert self.door.setTopicConfig(TOPIC, "min.insync.replicas", "2") == "NONE"
        asked = leader.proposal()
        alter(self.control, L, asked)
        self.elr = list(self._partition().elr)
        if way == ANSWER:
            leader.is_told(leader_and_isr(self.control))
        elif way == CONFIGURATION:
            leader.replays(self._news(leader)[:1])
        if way != ANSWER:
            leader.replays(self._news(leader))
        self.after, self.answer = leader.high_watermark, answers[0] if answers else "not at all"
        self.min_isr = int(leader.partition.log().get().config().minInSyncReplicas)

        self.control.controller_fences_broker(L)
        self.next_leader, self.recovery = int(self._partition().leader), str(self._partition().leaderRecoveryState)

    @property
    def is_lost(self) -> bool:
        """Whether the record is acknowledged, and F, which never had it, is elected as if it had."""
        return self.answer == "NONE" and self.next_leader == F and self.recovery == "RECOVERED"

    def _partition(self) -> Any:
        return self.door.partition(self.control.topic_id)

    def _news(self, broker: Broker) -> list[Any]:
        return list(self.door.written())[broker.offset :]


def main() -> None:
    """Print a line for each order in which L may hear of the two changes."""
    for way in (ANSWER, CHANGE, CONFIGURATION):
        found = Run(way)
        verdict = "LOST, finding reproduced" if found.is_lost else "kept back, as it should be"
        print(
            f"F2, {way}: after the raise the controller has ELR {found.elr}; L's high watermark goes from "
            f"{found.before} to {found.after}, and now it has min.insync.replicas={found.min_isr}; the producer is "
            f"answered {found.answer}; after L broker {found.next_leader} leads, {found.recovery}: {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
