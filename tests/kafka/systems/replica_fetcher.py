"""Kafka's fetcher of one partition as a system beside `models/fetcher_model.py`: broker 0 as a follower.

Real are `ReplicaManager` with its `ReplicaFetcherManager`, `ReplicaFetcherThread` (an `AbstractFetcherThread`),
`RemoteLeaderEndPoint` with its `FetchSessionHandler`, `Partition`, `UnifiedLog`, `LogManager` and the metadata cache.
Played are the connections to leaders: the adapter reads each request, and writes the answer.
"""

import re
from typing import Any

import jvm
from around.broker import NOBODY, OWN_EPOCH, BrokerAround
from around.broker_parts import end_at_once, load_logs, log_manager, records_of
from around.reflection import called, found, made, value_of

OF_BROKER = ("leader", "leader_epoch", "has_log", "high_watermark", "log_start_offset")
OF_LOG = ("log.end_offset", "log.records[*].id", "log.records[*].epoch", "epoch_starts[*]")
OF_REQUEST = ("stage", "question", "leader", "leader_epoch", "broker_epoch", "offset", "asked_epoch")
HIDDEN = {
    "broker": "of a leader, or the model's own",
    "metadata": "told by the controller",
    "fetch": "of an answer",
    "change": "always blank",
    "session": "always blank",
}
BLANK = {
    "stage": "IDLE",
    "question": "FETCH",
    "leader": None,
    "leader_epoch": None,
    "broker_epoch": 0,
    "offset": 0,
    "asked_epoch": None,
}
"""The request of a fetcher that waits for no answer."""
QUOTAS = "kafka.server.QuotaFactory", "org.apache.kafka.server.quota.QuotaFactory"
REFUSALS = ("UNKNOWN_LEADER_EPOCH", "NOT_LEADER_OR_FOLLOWER", "UNKNOWN_TOPIC_OR_PARTITION", "KAFKA_STORAGE_ERROR")
"""Errors after which a follower asks again."""
OF_FETCHES = ("UNKNOWN_TOPIC_ID", "INCONSISTENT_TOPIC_ID", "UNKNOWN_SERVER_ERROR")
"""Such errors of fetches only."""


class ReplicaFetcher(BrokerAround):
    """A follower of one broker, which hears anything at any time."""

    def __init__(self, model: Any) -> None:
        self.log_size, self.replicas = model.bounds["log_size"], range(model.bounds["replicas"])
        self.epochs = range(model.bounds["max_leader_epoch"] + 1)
        self.observes = (
            "is_failed",
            *(f"broker.{field}" for field in (*OF_BROKER, *OF_LOG)),
            *(f"fetch.{field}" for field in OF_REQUEST),
        )
        self.acts = tuple(model.actions)
        if model.bounds["restarts"]:
            self.observes += ("broker.high_watermark_checkpoint",)
        self.truncates_on_fetch = model.rules["truncation"] == "ON_FETCH"
        if self.truncates_on_fetch:
            self.refuses = ["follower_sends_fetch", "follower_asks_epoch_end"]
        else:
            self.observes += ("broker.must_truncate",)
        self.not_judged = {
            path: HIDDEN[path.partition(".")[0]]
            for path in model.fields
            if path not in self.observes and re.sub(r"\[\d+\]", "[*]", path) not in self.observes
        }
        # A fetcher does not wait by a clock that can be moved, so here it need not wait after an error.
        self.prepare(replica_fetch_backoff_ms=0, log_cleaner_enable=False)
        self.make_replicas()
        file = jvm.java("java.io.File")(self.folder.name, "replication-offset-checkpoint")
        self.checkpoint = jvm.java("org.apache.kafka.storage.internals.checkpoint.OffsetCheckpointFile")(file, None)
        self.topic_partition: Any = None

    def make_replicas(self) -> None:
        """Make the manager of the broker's replicas, with fetchers that run by hand."""
        metrics = jvm.java("org.apache.kafka.common.metrics.Metrics")()
        self.shared |= {"Metrics": metrics, "String": ["0", ""]}
        self.manager = made(
            jvm.java("kafka.server.ReplicaManager"),
            LogManager=self.logs,
            QuotaManagers=called(found(*QUOTAS), "instantiate", **self.shared),
            AlterPartitionManager=self.isr_manager(),
            AtomicBoolean=jvm.java("java.util.concurrent.atomic.AtomicBoolean")(),
            DirectoryEventHandler=jvm.java("org.apache.kafka.server.common.DirectoryEventHandler").NOOP,
            ActionQueue=jvm.java("org.apache.kafka.server.DelayedActionQueue")(),
            **self.epochs_of_broker,
            **self.shared,
        )
        self.doors = jvm.java("kafka.server.FetcherDoor").open(self.manager, self.truncates_on_fetch)
        self.refusals = 0

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a broker that has no log, and knows the others."""
        if self.topic_partition is not None:
            self.end()
        self.begin_topic()
        self.versions = 0

    def end(self) -> None:
        """Let the topic be deleted, and its log; no fetcher waits for an answer any more."""
        log, door = self.log(), self.door()
        if door is not None and door.request() is not None:
            door.disconnect()
        self.replay(jvm.record("RemoveTopicRecord", setTopicId=self.topic_id))
        if log is not None:
            log.delete()

    def replay(self, *records: Any) -> None:
        """Let the broker replay some records of the metadata log."""
        change = self.learn(*records)
        self.manager.applyDelta(change.topicsDelta(), self.image)

    def partition(self) -> Any:
        """The replica as Kafka has it; None before there is one."""
        return value_of(self.manager.onlinePartition(self.topic_partition))

    def log(self) -> Any:
        """The log of the replica; None if it has none."""
        partition = self.partition()
        return None if partition is None else value_of(partition.log())

    def door(self) -> Any:
        """The fetcher of the broker's leader; None if there is none."""
        partition = self.partition()
        leader = None if partition is None else value_of(partition.leaderReplicaIdOpt())
        return None if leader is None else self.doors.get(jvm.java("java.lang.Integer")(int(leader)))

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the broker do what the action says; whether it did."""
        return bool(getattr(self, action)(**parameters))

    def broker_replays(self, leader: int | None, is_election: bool) -> bool:
        """The broker replays an election, or another change of the partition in the same leader epoch."""
        known = self.replayed()
        epoch = -1 if known is None else int(known.leaderEpoch)
        self.versions += 1
        self.replay(self.change_of(leader, self.replicas, self.replicas, epoch + is_election, self.versions))
        door = self.door()
        if is_election and door is not None and not self.truncates_on_fetch:
            # Where it asks for the end of an epoch, a fetcher begins at the high watermark.
            door.fetcher().markPartitionsForTruncation(self.topic_partition, self.log().highWatermark())
        return True

    def broker_checkpoints(self) -> bool:
        """The broker writes its high watermarks to the disk."""
        self.manager.checkpointHighWatermarks()
        return True

    def broker_restarts(self, leader: int | None, is_clean: bool) -> bool:
        """The broker's process ends, another one loads the log, and hears of an election."""
        epoch = int(self.replayed().leaderEpoch) + 1
        # Background threads do both from time to time; without the topic's id the log would be a stray.
        log = self.log()
        value_of(log.partitionMetadataFile()).maybeFlush()
        self.logs.checkpointLogStartOffsets()
        self.manager.shutdown(is_clean)
        if is_clean:
            called(self.logs, "shutdown", long=NOBODY)
        else:
            end_at_once(self.logs, log)
        self.logs = log_manager(self.shared)
        load_logs(self.logs)
        self.make_replicas()
        self.versions += 1
        change = self.learn_anew(self.change_of(leader, self.replicas, self.replicas, epoch, self.versions))
        self.manager.applyDelta(change.topicsDelta(), self.image)
        return True

    def follower_sends_fetch(self) -> bool:
        """The fetcher works until it sends a request."""
        door = self.door()
        return door is not None and door.request() is None and door.work() is not None

    def follower_asks_epoch_end(self) -> bool:
        """The fetcher works until it asks for the end of an epoch."""
        door = self.door()
        return door is not None and door.request() is None and door.truncate() is not None

    def epoch_end_comes(self, epoch: int | None, end_offset: int) -> bool:
        """The answer comes which says where an epoch ends on the leader, or that it does not know."""
        self._answer_epoch_end("NONE", NOBODY if epoch is None else epoch, end_offset)
        return True

    def record_comes(self, record_epoch: int | None, high_watermark: int, log_start_offset: int) -> bool:
        """The answer to a fetch has a record of that epoch, or none."""
        offset = self._requested()["offset"]
        answer = self._partition_data(high_watermark, log_start_offset)
        if record_epoch is None:
            answer.setRecords(records_of().EMPTY)
        else:
            answer.setRecords(records_of(offset, record_epoch, timestamp=offset))
        return self._answer_fetch(answer)

    def divergence_comes(self, epoch: int, end_offset: int, high_watermark: int) -> bool:
        """The answer to a fetch says that the logs diverge."""
        answer = self._partition_data(high_watermark, 0)
        answer.setDivergingEpoch(
            jvm.message("FetchResponseData$EpochEndOffset", setEpoch=epoch, setEndOffset=end_offset)
        )
        return self._answer_fetch(answer)

    def range_comes(self, start_offset: int, end_offset: int) -> bool:
        """The fetch is out of range, so the broker asks where the leader's log starts and ends."""
        asked = self._answer_fetch(self._error("OFFSET_OUT_OF_RANGE"))
        for offset in (end_offset, start_offset):
            if self.door().request() is not None:
                self._answer_range("NONE", offset)
        return asked

    def request_fails(self, failure: str) -> bool:
        """The request brings no answer that can be used."""
        if failure == "DISCONNECTED":
            self.door().disconnect()
        elif self._requested()["question"] == "EPOCH_END":
            self._answer_epoch_end(self._failure(failure, REFUSALS), NOBODY, NOBODY)
        else:
            self._answer_fetch(self._error(self._failure(failure, REFUSALS + OF_FETCHES)))
        return True

    def range_fails(self, failure: str) -> bool:
        """The fetch is out of range, and the leader does not say where its log starts and ends."""
        self._answer_fetch(self._error("OFFSET_OUT_OF_RANGE"))
        if self.door().request() is None:
            return True
        if failure == "DISCONNECTED":
            self.door().disconnect()
        else:
            self._answer_range(self._failure(failure, REFUSALS), NOBODY)
        return True

    def _failure(self, failure: str, others: tuple[str, ...]) -> str:
        """The name of Kafka's error; of other errors each comes in its turn."""
        if failure == "FENCED":
            return "FENCED_LEADER_EPOCH"
        self.refusals += 1
        return others[self.refusals % len(others)]

    def _partition_data(self, high_watermark: int, log_start_offset: int) -> Any:
        return jvm.message(
            "FetchResponseData$PartitionData",
            setPartitionIndex=0,
            setHighWatermark=high_watermark,
            setLastStableOffset=high_watermark,
            setLogStartOffset=log_start_offset,
        )

    @staticmethod
    def _error(name: str) -> Any:
        error = getattr(jvm.java("org.apache.kafka.common.protocol.Errors"), name)
        return jvm.java("org.apache.kafka.common.requests.FetchResponse").partitionResponse(0, error)

    def _answer_fetch(self, answer: Any) -> bool:
        topic = jvm.message(
            "FetchResponseData$FetchableTopicResponse", setTopic=self.topic_partition.topic(), setTopicId=self.topic_id
        )
        topic.partitions().add(answer)
        data = jvm.message("FetchResponseData")
        data.responses().add(topic)
        response = jvm.java("org.apache.kafka.common.requests.FetchResponse")
        # In some releases its constructor is hidden; `of` takes more in the others.
        self._answer(response(data) if response.class_.getConstructors() else response.of(data))
        return True

    def _answer_range(self, error: str, offset: int) -> None:
        partition = jvm.message(
            "ListOffsetsResponseData$ListOffsetsPartitionResponse",
            setErrorCode=getattr(jvm.java("org.apache.kafka.common.protocol.Errors"), error).code(),
            setOffset=offset,
        )
        topic = jvm.message("ListOffsetsResponseData$ListOffsetsTopicResponse", setName=self.topic_partition.topic())
        topic.partitions().add(partition)
        data = jvm.message("ListOffsetsResponseData")
        data.topics().add(topic)
        self._answer(jvm.java("org.apache.kafka.common.requests.ListOffsetsResponse")(data))

    def _answer_epoch_end(self, error: str, epoch: int, end_offset: int) -> None:
        partition = jvm.message(
            "OffsetForLeaderEpochResponseData$EpochEndOffset",
            setErrorCode=getattr(jvm.java("org.apache.kafka.common.protocol.Errors"), error).code(),
            setLeaderEpoch=epoch,
            setEndOffset=end_offset,
        )
        topic = jvm.message(
            "OffsetForLeaderEpochResponseData$OffsetForLeaderTopicResult", setTopic=self.topic_partition.topic()
        )
        topic.partitions().add(partition)
        data = jvm.message("OffsetForLeaderEpochResponseData")
        data.topics().add(topic)
        self._answer(jvm.java("org.apache.kafka.common.requests.OffsetsForLeaderEpochResponse")(data))

    def _answer(self, response: Any) -> None:
        builder = self.door().request()
        header = jvm.java("org.apache.kafka.common.requests.RequestHeader")(
            builder.apiKey(), builder.latestAllowedVersion(), "", 0
        )
        self.door().answer(
            jvm.java("org.apache.kafka.clients.ClientResponse")(header, None, "", 0, 0, False, None, None, response)
        )

    def _requested(self) -> dict[str, Any]:
        """The request that waits for its answer, as the model has it."""
        door = self.door()
        builder = None if door is None else door.request()
        shown: dict[str, Any] = dict(BLANK)
        if builder is None:
            return shown
        shown |= {"stage": "REQUESTED", "leader": int(door.brokerEndPoint().id())}
        request = builder.build().data()
        if str(builder.apiKey()) == "FETCH":
            ((_, told),) = builder.fetchData().items()
            return shown | {
                "leader_epoch": value_of(told.currentLeaderEpoch),
                "broker_epoch": int(request.replicaState().replicaEpoch()) - OWN_EPOCH,
                "offset": int(told.fetchOffset),
                "asked_epoch": value_of(told.lastFetchedEpoch),
            }
        ((told,),) = [topic.partitions() for topic in request.topics()]
        asked = {"leader_epoch": int(told.currentLeaderEpoch()), "asked_epoch": int(told.leaderEpoch())}
        return shown | asked | {"question": "EPOCH_END"}

    def observe(self) -> dict[str, Any]:
        """The replica and its request as they are now."""
        partition, log = self.partition(), self.log()
        leader, epoch = None, NOBODY
        if partition is not None:
            leader, epoch = value_of(partition.leaderReplicaIdOpt()), int(partition.getLeaderEpoch())
        shown = {
            "leader": None if leader is None or leader == NOBODY else int(leader),
            "leader_epoch": None if epoch == NOBODY else epoch,
        }
        shown |= self.shown_log(log, self.epochs, self.log_size)
        state = value_of(self.door().fetcher().fetchState(self.topic_partition)) if self.door() else None
        if state is not None and not self.truncates_on_fetch and value_of(log.latestEpoch()) is not None:
            shown["must_truncate"] = bool(state.isTruncating())
        requested = {f"fetch.{field}": value for field, value in self._requested().items()}
        if "broker.high_watermark_checkpoint" in self.observes:
            kept = self.checkpoint.read().get(self.topic_partition)
            shown["high_watermark_checkpoint"] = 0 if kept is None else int(kept)
        failed = self.manager.replicaFetcherManager().failedPartitions().contains(self.topic_partition)
        return {f"broker.{field}": value for field, value in shown.items()} | requested | {"is_failed": bool(failed)}


SYSTEM = ReplicaFetcher
