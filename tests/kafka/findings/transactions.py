"""A transactional id's coordinator and its partition, for the findings: Kafka's classes, and messages in between."""

from types import SimpleNamespace
from typing import Any

from partition_log import PartitionLog
from transaction_coordinator import STATES, TransactionCoordinator

VERSION_1, VERSION_2 = 0, 2
"""Transaction versions as requests carry them: Kafka's clients without version 2 carry none."""
PARTITION = 0
NEW, STATE = -1, 5


class Transactions:
    """One transactional id, whose clients have either transaction version, and one partition."""

    def __init__(self) -> None:
        bounds = {"producer_ids": 2, "cached_batches": 1, "max_sequence": 3, "upgrades": 1, "partitions": 1}
        rules = {"transaction_version": 1, "cluster_version": 2, "next_producer_id_is_logged": True}
        fields = ("log.end_offset", "answer.error", "answer.offset")
        model = SimpleNamespace(bounds=bounds, rules=rules, actions=(), fields=fields)
        coordinator = TransactionCoordinator(model)
        coordinator.start({"producer_ids.next_producer_id": 0, "log.entry.state": "NONE"})
        self.door = coordinator.door
        self.partition = PartitionLog(model)
        self.partition.start({})

    def initializes(self) -> Any:
        """A client that begins asks for a producer id and an epoch; the coordinator's reply."""
        return self._done(self.door.initialize(NEW, NEW))

    def adds_partition(self, client: Any, version: int) -> str:
        """A client of version 1, or with version 2 the leader, adds the partition; the error."""
        return str(self._done(self.door.add(client.producerId, client.producerEpoch, PARTITION, version)).error)

    def is_verified(self, client: Any) -> str:
        """The partition's leader asks the coordinator about the client's transaction; the error."""
        return str(self.door.verify(client.producerId, client.producerEpoch, PARTITION).error)

    def ends(self, client: Any, commits: bool, version: int) -> Any:
        """A client ends its transaction; the reply."""
        return self._done(self.door.end(client.producerId, client.producerEpoch, commits, version))

    def writes_marker(self) -> str:
        """The coordinator sends the marker, and the partition's leader writes it; what it is, and the error."""
        assert self.door.send(PARTITION)
        marker = self.door.marker(PARTITION)
        epochs = {"epoch": int(marker.producerEpoch), "coordinator_epoch": int(marker.coordinatorEpoch)}
        error = self._asked("marker_is_written", producer_id=0, commits=bool(marker.isCommit), **epochs)
        self.door.answer(PARTITION, "NONE")
        while self.door.goOn():
            pass
        if self.door.hasAppended():
            self.door.commit()
        return f"{'COMMIT' if marker.isCommit else 'ABORT'} of epoch {int(marker.producerEpoch)}, {error}"

    def begins_verification(self, epoch: int, version: int) -> str:
        """A transaction's first batch comes to the partition's leader; the error."""
        return self._asked("verification_starts", producer_id=0, epoch=epoch, first=0, version=version)

    def is_to_be_verified(self, epoch: int) -> bool:
        """Whether the partition's leader must ask the coordinator before it appends a batch of this epoch."""
        self.begins_verification(epoch, VERSION_2)
        return int(self.partition.observe()["log.verifications[0].guard"]) > 0

    def of_epoch(self, epoch: int) -> Any:
        """A client of this epoch."""
        return SimpleNamespace(producerId=0, producerEpoch=epoch)

    def appends(self, epoch: int, guard: int) -> str:
        """The leader appends a transaction's first batch; the error, or where it is stored already."""
        batch = {"first": 0, "count": 1, "is_transactional": 1}
        error = self._asked("client_appends", producer_id=0, epoch=epoch, guard=guard, **batch)
        stored = self.partition.answer["answer.offset"]
        return error if stored == NEW else f"{error}, taken for the one at {stored}"

    def open_since(self) -> int:
        """The offset at which the producer's open transaction begins in the partition; -1 if none is open."""
        return int(self.partition.observe()["log.producers[0].current_transaction_first_offset"])

    def state(self) -> str:
        """The transaction's state in the coordinator's memory."""
        return STATES[int(self.door.memory()[STATE])]

    def _asked(self, action: str, **parameters: Any) -> str:
        self.partition.act(action, parameters)
        return str(self.partition.answer["answer.error"])

    def _done(self, reply: Any) -> Any:
        """Let the transaction log commit, if the request waits for it; the reply."""
        if reply.error is None and self.door.hasAppended():
            self.door.commit()
        return reply
