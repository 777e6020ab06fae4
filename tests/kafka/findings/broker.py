"""One broker of a real Kafka: `ReplicaManager` with its log manager and metadata cache, without a network.

It is told the metadata as a broker is: batches of records go into `MetadataBatchLoader`, and the change that comes out
goes into the metadata cache and into `ReplicaManager.applyDelta`. Producers append by `ReplicaManager.appendRecords`;
followers fetch by `Partition.fetchRecords`, and a follower that is real, too, appends what it got by
`Partition.appendRecordsToFollowerOrFutureReplica`.
"""

import time
from typing import Any

import jpype
from around.broker_parts import RECORDS, config_of, log_manager, metadata_cache, records_of, shared_parts
from around.reflection import called, found, function, has, made, nothing, proxy, read
from jvm import java, listed, moved

BROKER_EPOCH = 0


class Broker:
    """A broker that holds one partition."""

    def __init__(self, node_id: int, folder: str, topic: str, topic_id: Any, lag_ms: int = 60_000) -> None:
        self.node_id, self.topic_id = node_id, topic_id
        self.topic_partition = java("org.apache.kafka.common.TopicPartition")(topic, 0)
        self.identified = java("org.apache.kafka.common.TopicIdPartition")(topic_id, self.topic_partition)
        config = config_of(node_id, folder, replica_lag_time_max_ms=lag_ms, replica_fetch_wait_max_ms=1)
        clock, metrics = (
            java("org.apache.kafka.common.utils.Time").SYSTEM,
            java("org.apache.kafka.common.metrics.Metrics")(),
        )
        self.scheduler = java("org.apache.kafka.server.util.KafkaScheduler")(1)
        self.scheduler.startup()
        self.cache = metadata_cache(node_id)
        shared = shared_parts(config, self.cache, clock, self.scheduler) | {"Metrics": metrics, "String": ""}
        self.logs = log_manager(shared)
        quotas = found("kafka.server.QuotaFactory", "org.apache.kafka.server.quota.QuotaFactory")
        managers = called(quotas, "instantiate", **shared)
        alter = found("kafka.server.AlterPartitionManager", "org.apache.kafka.server.partition.AlterPartitionManager")
        loader = java("org.apache.kafka.image.loader.MetadataBatchLoader")
        updater = proxy("org.apache.kafka.image.loader.MetadataBatchLoader$MetadataUpdater", update=self._update)
        checker = "org.apache.kafka.metadata.SupportedConfigChecker"
        self.loader = made(
            loader,
            LogContext=moved("LogContext")(),
            Time=clock,
            FaultHandler=proxy("org.apache.kafka.server.fault.FaultHandler", handleFault=_fail),
            MetadataUpdater=updater,
            SupportedConfigChecker=proxy(checker, isSupported=lambda *_: True) if has(checker) else None,
        )
        self.loader.resetToImage(java("org.apache.kafka.image.MetadataImage").EMPTY)
        self.quorum = java("org.apache.kafka.raft.LeaderAndEpoch").UNKNOWN
        self.offset = 0
        self.proposed: list[Any] = []
        queue = "org.apache.kafka.server.ActionQueue"
        self.actions = proxy(queue, add=lambda each: each.run(), tryCompleteActions=lambda: None)
        self.manager = made(
            java("kafka.server.ReplicaManager"),
            LogManager=self.logs,
            QuotaManagers=managers,
            AlterPartitionManager=proxy(alter, submit=self._submit, start=lambda: None, shutdown=lambda: None),
            AtomicBoolean=java("java.util.concurrent.atomic.AtomicBoolean")(False),
            Function0=function(lambda: jpype.JLong(BROKER_EPOCH), 0),
            DirectoryEventHandler=java("org.apache.kafka.server.common.DirectoryEventHandler").NOOP,
            ActionQueue=self.actions,
            **shared,
        )
        self.publisher = self._publisher(managers, shared)

    def _publisher(self, quotas: Any, shared: dict[str, Any]) -> Any:
        """Kafka's publisher, which applies each change in its order; coordinators, quotas and the like are absent."""
        faults = proxy("org.apache.kafka.server.fault.FaultHandler", handleFault=_ignore_absent)
        handler = made(
            java("kafka.server.TopicConfigHandler"), ReplicaManager=self.manager, QuotaManagers=quotas, **shared
        )
        publishers = "kafka.server.metadata.DynamicConfigPublisher"
        names = "org.apache.kafka.server.config.ConfigType"
        key = java(names).TOPIC
        handlers = getattr(java("scala.collection.immutable.Map$"), "MODULE$").empty().updated(key, handler)
        configs = made(java(publishers), FaultHandler=faults, Map=handlers, **shared)
        absent = (
            "GroupCoordinator",
            "TransactionCoordinator",
            "ShareCoordinator",
            "SharePartitionManager",
            "DynamicClientQuotaPublisher",
            "DynamicTopicClusterQuotaPublisher",
            "ScramPublisher",
            "DelegationTokenPublisher",
            "AclPublisher",
        )
        return made(
            java("kafka.server.metadata.BrokerMetadataPublisher"),
            **shared,
            **dict.fromkeys(absent),
            KRaftMetadataCache=self.cache,
            LogManager=self.logs,
            ReplicaManager=self.manager,
            DynamicConfigPublisher=configs,
            FaultHandler=faults,
        )

    def _submit(self, partition: Any, change: Any) -> Any:
        self.proposed.append(change)
        self.answer = java("java.util.concurrent.CompletableFuture")()
        return self.answer

    def proposal(self) -> list[int]:
        """The ISR that the leader has proposed, as soon as it has. RuntimeError if it does not within ten seconds."""
        for _ in range(1_000):
            if self.proposed:
                return sorted(int(each) for each in self.proposed[-1].isr())
            time.sleep(0.01)
        raise RuntimeError("the leader has proposed no ISR in ten seconds; expected one without the follower that lags")

    def is_told(self, answer: Any) -> None:
        """Hear the controller's answer to the proposed ISR."""
        self.answer.complete(answer)

    def replays(self, records: Any) -> Any:
        """Replay some records of the metadata log that one read of it brought, each a batch; the change.

        They go through Kafka's loader, which makes one change of all that a read brings.
        """
        for record in records:
            wrapped = java("org.apache.kafka.server.common.ApiMessageAndVersion")(
                record, record.highestSupportedVersion()
            )
            self.loader.loadBatch(
                java("org.apache.kafka.raft.Batch").data(self.offset, 0, 0, 1, listed([wrapped])), self.quorum
            )
            self.offset += 1
        self.loader.maybeFlushBatches(self.quorum, True)
        return self.delta

    def _update(self, delta: Any, image: Any, manifest: Any) -> None:
        self.delta = delta
        self.publisher.onMetadataUpdate(delta, image, manifest)

    @property
    def partition(self) -> Any:
        """The partition on this broker."""
        return self.manager.getPartitionOrException(self.topic_partition)

    @property
    def high_watermark(self) -> int:
        """The high watermark of the partition on this broker."""
        return int(self.partition.log().get().highWatermark())

    def produces(self, value: str) -> list[str]:
        """Send a record with acks=all; a list, into which the name of the error comes when the broker answers."""
        return self.appends(records_of(value=value))

    def appends(self, records: Any) -> list[str]:
        """Send a batch with acks=all; a list, into which the name of the error comes when the broker answers."""
        answers: list[str] = []

        def answered(responses: Any) -> None:
            is_java = isinstance(responses, java("java.util.Map"))
            answer = responses.values().iterator().next() if is_java else responses.head()._2()
            answers.append(str(answer.error.name()))

        empty = getattr(java("scala.collection.immutable.Map$"), "MODULE$").empty()
        called(
            self.manager,
            "appendRecords",
            long=60_000,
            short=[-1, 1],
            boolean=False,
            AppendOrigin=java("org.apache.kafka.storage.internals.log.AppendOrigin").CLIENT,
            Map=[empty.updated(self._key(), records), empty],
            Function1=[function(answered), function(lambda _: None)],
            Option=nothing(),
            RequestLocal=java("org.apache.kafka.server.common.RequestLocal").noCaching(),
            ActionQueue=self.actions,
        )
        return answers

    def _key(self) -> Any:
        """The partition as `appendRecords` names it: with the id of its topic since 4.1."""
        method = next(each for each in type(self.manager).class_.getMethods() if str(each.getName()) == "appendRecords")
        entries = next(each for each in method.getGenericParameterTypes() if "MemoryRecords" in str(each))
        return self.identified if "TopicIdPartition" in str(entries) else self.topic_partition

    @property
    def log_end(self) -> int | None:
        """Where the partition's log on this broker ends; None if it has none."""
        log = self.logs.getLog(self.topic_partition, False)
        is_there = log.isPresent() if isinstance(log, java("java.util.Optional")) else log.isDefined()
        return int(log.get().logEndOffset()) if is_there else None

    @property
    def batches(self) -> list[Any]:
        """The batches of the partition's log."""
        log = self.partition.localLogOrException()
        records = log.logSegments().iterator().next().log()
        return list(records.batches())

    def is_fetched(self, follower: int, offset: int, leader_epoch: int, last_epoch: int | None = None) -> int | None:
        """Answer a follower's fetch from an offset in a leader epoch; where the follower must truncate first.

        `last_epoch`: the epoch of the follower's last record, if it has one.
        """
        diverging = read(self._read(follower, offset, leader_epoch, last_epoch), "divergingEpoch")
        return int(diverging.get().endOffset()) if diverging.isPresent() else None

    def fetches(self, leader: "Broker", leader_epoch: int) -> None:
        """Fetch as a follower with an empty log, append what came, and fetch again."""
        records = read(leader._read(self.node_id, 0, leader_epoch, None), "fetchedData").records
        buffer = java("java.nio.ByteBuffer").allocate(records.sizeInBytes())
        records.readInto(buffer, 0)
        called(
            self.partition,
            "appendRecordsToFollowerOrFutureReplica",
            MemoryRecords=found(*(f"{each}.MemoryRecords" for each in RECORDS)).readableRecords(buffer),
            boolean=False,
            int=leader_epoch,
        )
        leader.is_fetched(self.node_id, self.log_end, leader_epoch, leader_epoch)

    def _read(self, follower: int, offset: int, leader_epoch: int, last_epoch: int | None) -> Any:
        boxed, optional = java("java.lang.Integer"), java("java.util.Optional")
        request = jpype.JClass("org.apache.kafka.common.requests.FetchRequest$PartitionData")(
            self.topic_id,
            offset,
            0,
            1_000_000,
            optional.of(boxed(leader_epoch)),
            optional.empty() if last_epoch is None else optional.of(boxed(last_epoch)),
        )
        params = made(
            java("org.apache.kafka.server.storage.log.FetchParams"),
            short=17,
            int=[follower, 1, 1_000_000],
            long=[-1, 500],
            FetchIsolation=java("org.apache.kafka.server.storage.log.FetchIsolation").LOG_END,
            Optional=optional.empty(),
            boolean=False,
        )
        now = java("java.lang.System").currentTimeMillis()
        return self.partition.fetchRecords(params, request, now, 1_000_000, True, True)


def _ignore_absent(message: str, error: Any = None) -> Any:
    """Ignore the faults of absent parts. RuntimeError after any other."""
    text = f"{message}: {error}"
    if any(part in text for part in ("topics", "ReplicaManager", "LogManager", "config")):
        raise RuntimeError(text)
    return java("java.lang.RuntimeException")(text)


def _fail(message: str, error: Any = None) -> Any:
    raise RuntimeError(f"{message}: {error}")
