"""F1: a leader that is elected again, and hears of both elections in one change, counts what its followers truncated.

Three brokers: L leads, M is the preferred replica, F follows; min.insync.replicas=2. The controller is Kafka's
`ReplicationControlManager`, L and M are `ReplicaManager`s, fed by `MetadataBatchLoader` and `BrokerMetadataPublisher`;
only the network and F's fetcher are played here.
"""

import tempfile
from typing import Any

from broker import Broker
from control import controller, run
from replication_control import TOPIC

L, M, F = 0, 1, 2


class Run:
    """The schedule, once; `high_watermarks` and `answers` are those of L before and after it hears of the elections."""

    def __init__(self, is_one_change: bool) -> None:
        self.control = controller(replicas=[M, L, F], leader=L)
        self.records = self.control.door.written()
        leader, other = self._broker(L), self._broker(M)
        leader.replays(self._news(leader))
        other.replays(self._news(other))

        answers = leader.produces("r0")
        leader.is_fetched(F, offset=0, leader_epoch=0)
        leader.is_fetched(F, offset=1, leader_epoch=0, last_epoch=0)
        self.before = leader.high_watermark

        self.control.leadership_is_moved(M)
        other.replays(self._news(other))
        if not is_one_change:
            leader.replays(self._news(leader))
        self.end_of_follower = other.is_fetched(F, offset=1, leader_epoch=1, last_epoch=0)

        self.control.controller_fences_broker(M)
        change = leader.replays(self._news(leader)).topicsDelta().localChanges(L)
        self.roles = len(change.leaders()), len(change.followers())
        self.after, self.answer = leader.high_watermark, answers[0] if answers else "not at all"
        enough = leader.partition.checkEnoughReplicasReachOffset(1)
        self.enough = f"{bool(enough._1())}, {enough._2().name()}"

        self.control.controller_fences_broker(L)
        self.next_leader = int(self.control.door.partition(self.control.topic_id).leader)

    @property
    def is_lost(self) -> bool:
        """Whether the record is acknowledged, and the next leader does not have it."""
        return self.answer == "NONE" and self.next_leader == F and self.end_of_follower == 0

    def _broker(self, node_id: int) -> Broker:
        return Broker(node_id, tempfile.mkdtemp(), TOPIC, self.control.topic_id)

    def _news(self, broker: Broker) -> list[Any]:
        return list(self.records)[broker.offset :]


def main() -> None:
    """Print a line for each way in which L may hear of the elections."""
    for is_one_change, way in ((True, "both elections in one change"), (False, "each election in its own change")):
        found = Run(is_one_change)
        verdict = "LOST, finding reproduced" if found.is_lost else "kept back, as it should be"
        print(
            f"F1, {way}: L's last change makes it leader of {found.roles[0]} and follower of {found.roles[1]} "
            f"partition; its high watermark goes from {found.before} to {found.after}; "
            f"checkEnoughReplicasReachOffset(1) says ({found.enough}); the producer is answered {found.answer}; "
            f"F has truncated to {found.end_of_follower}; after L broker {found.next_leader} leads: {verdict}",
            flush=True,
        )


if __name__ == "__main__":
    run(main)
