"""What surrounds the replicas of one broker of a real Kafka: metadata, logs, and the way to the controller."""

import tempfile
from pathlib import Path
from typing import Any

import jpype
import jvm
from around.broker_parts import config_of, log_manager, metadata_cache, shared_parts
from around.reflection import found, function, made, proxy, read

BROKER = 0
LAG_MS = 1_000
OWN_EPOCH = 7
NOBODY = -1
MANAGERS = (
    "kafka.server.DefaultAlterPartitionManager",
    "org.apache.kafka.server.partition.DefaultAlterPartitionManager",
)


class BrokerAround:
    """Broker 0 with all that its replica of one partition needs; the topic is made anew by `begin_topic`.

    registered: by broker, its newest broker epoch. active: the brokers that are not fenced. request: the builder of the
    ISR change that the newest step sent. sent: what awaits its answer, or None.
    """

    replicas: range

    def prepare(self, **settings: object) -> None:
        """Start the JVM, and make what every replica needs; `settings` are those of the broker."""
        jvm.started()
        memory = Path("/dev/shm")
        self.folder = tempfile.TemporaryDirectory(prefix="kafkacheck-", dir=memory if memory.is_dir() else None)
        config = config_of(BROKER, self.folder.name, log_index_size_max_bytes=4_096, **settings)
        self.clock = jvm.java("org.apache.kafka.controller.StandingClock")()
        self.clock.sleep(LAG_MS)
        self.door_of = jvm.java("kafka.cluster.PartitionDoor")
        self.cache = metadata_cache(BROKER)
        self.shared = shared_parts(config, self.cache, self.clock, self.door_of(None, None))
        self.logs = log_manager(self.shared)
        epoch = jpype.JLong(OWN_EPOCH)
        self.epochs_of_broker = {
            "Function0": function(lambda: epoch, 0),
            "Supplier": proxy("java.util.function.Supplier", get=lambda: epoch),
        }
        self.channel = proxy(
            "org.apache.kafka.server.common.NodeToControllerChannelManager", sendRequest=self._send, **UNUSED
        )
        self.isolation = jvm.java("org.apache.kafka.server.storage.log.FetchIsolation").LOG_END
        self.behaviours = 0

    def begin_topic(self) -> None:
        """Make a topic that no broker has a log of, and let the broker know the others."""
        self.behaviours += 1
        topic = f"t{self.behaviours}"
        self.topic_id = jvm.java("org.apache.kafka.common.Uuid").randomUuid()
        self.topic_partition = jvm.java("org.apache.kafka.common.TopicPartition")(topic, 0)
        self.registered = dict.fromkeys(self.replicas, 1)
        self.active = set(self.replicas)
        self.learn_anew()
        self.request: Any = None
        self.sent: Any = None

    def isr_manager(self) -> Any:
        """The manager through which leaders change their ISR."""
        return made(
            found(*MANAGERS),
            NodeToControllerChannelManager=self.channel,
            int=BROKER,
            **self.epochs_of_broker,
            **self.shared,
        )

    def _send(self, request: Any, handler: Any) -> None:
        self.request, self.sent = request, handler

    def replayed(self) -> Any:
        """The partition as the metadata cache has it; None before it has any."""
        topic = self.image.topics().getTopic(self.topic_id)
        return topic.partitions().get(jvm.java("java.lang.Integer")(0))

    def registration(self, broker_id: int) -> Any:
        """The record of a broker's newest registration, fenced or not."""
        listener = jvm.record(
            "RegisterBrokerRecord$BrokerEndpoint", setName="PLAINTEXT", setHost="localhost", setPort=9_092 + broker_id
        )
        listeners = jvm.record("RegisterBrokerRecord$BrokerEndpointCollection")
        listeners.add(listener)
        return jvm.record(
            "RegisterBrokerRecord",
            setBrokerId=broker_id,
            setBrokerEpoch=self.registered[broker_id],
            setFenced=broker_id not in self.active,
            setIncarnationId=jvm.java("org.apache.kafka.common.Uuid")(1, broker_id),
            setEndPoints=listeners,
        )

    def change_of(self, leader: int | None, isr: Any, replicas: Any, leader_epoch: int, partition_epoch: int) -> Any:
        """The record of a partition; no leader is None."""
        return jvm.record(
            "PartitionRecord",
            setTopicId=self.topic_id,
            setPartitionId=0,
            setReplicas=jvm.int_list(replicas),
            setDirectories=jvm.listed(jvm.java("org.apache.kafka.common.Uuid")(9, 9) for _ in replicas),
            setIsr=jvm.int_list(isr),
            setLeader=NOBODY if leader is None else leader,
            setLeaderEpoch=leader_epoch,
            setPartitionEpoch=partition_epoch,
        )

    def learn_anew(self, *records: Any) -> Any:
        """Bring the topic, all brokers and some records into an empty metadata cache, and return the change."""
        self.image = jvm.java("org.apache.kafka.image.MetadataImage").EMPTY
        newest = jvm.java("org.apache.kafka.server.common.MetadataVersion").latestProduction()
        return self.learn(
            jvm.record("FeatureLevelRecord", setName="metadata.version", setFeatureLevel=newest.featureLevel()),
            jvm.record("TopicRecord", setName=self.topic_partition.topic(), setTopicId=self.topic_id),
            *map(self.registration, self.replicas),
            *records,
        )

    def learn(self, *records: Any) -> Any:
        """Bring some records into the metadata cache, and return the change."""
        builder = jpype.JClass("org.apache.kafka.image.MetadataDelta$Builder")().setImage(self.image)
        delta = builder.build()
        for record in records:
            delta.replay(record)
        self.image = delta.apply(jvm.java("org.apache.kafka.image.MetadataProvenance")(1, 1, 1, True))
        self.cache.setImage(self.image)
        return delta

    def shown_log(self, log: Any, epochs: range, log_size: int) -> dict[str, Any]:
        """What is in a log and in its leader-epoch file; None is no log. A record's number is its time stamp."""
        stored, starts = {}, {}
        if log is not None:
            start = log.logStartOffset()
            if log.logEndOffset() > start:
                stored = records_in(log.read(start, 1_000_000, self.isolation, True).records)
            for entry in log.leaderEpochCache().epochEntries():
                starts[int(read(entry, "epoch"))] = int(read(entry, "startOffset"))
        shown: dict[str, Any] = {
            "has_log": log is not None,
            "high_watermark": 0 if log is None else int(log.highWatermark()),
            "log_start_offset": 0 if log is None else int(log.logStartOffset()),
            "log.end_offset": 0 if log is None else int(log.logEndOffset()),
        }
        shown |= {f"epoch_starts[{epoch}]": starts.get(epoch, NOBODY) for epoch in epochs}
        for offset in range(log_size):
            record, epoch = stored.get(offset, (None, None))
            shown |= {f"log.records[{offset}].id": record, f"log.records[{offset}].epoch": epoch}
        return shown


def records_in(records: Any) -> dict[int, tuple[int, int]]:
    """By offset, the number and the leader epoch of each record."""
    return {
        int(batch.baseOffset()): (int(batch.maxTimestamp()), int(batch.partitionLeaderEpoch()))
        for batch in records.batches()
    }


UNUSED = {
    "start": lambda: None,
    "shutdown": lambda: None,
    "getTimeoutMs": lambda: jpype.JLong(1_000),
    "controllerApiVersions": lambda: jvm.java("java.util.Optional").empty(),
}
"""Methods of the channel to the controller that are never called."""
