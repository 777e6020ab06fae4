"""What surrounds one broker's `Partition` of a real Kafka: metadata, logs, and the way to the controller."""

import tempfile
from pathlib import Path
from typing import Any

import jpype
import jvm
from broker_parts import config_of, log_manager, metadata_cache, shared_parts
from reflection import called, found, function, made, nothing, proxy, value_of

BROKER = 0
LAG_MS = 1_000
OWN_EPOCH = 7
MANAGERS = (
    "kafka.server.DefaultAlterPartitionManager",
    "org.apache.kafka.server.partition.DefaultAlterPartitionManager",
)
LISTENERS = "kafka.cluster.AlterPartitionListener", "org.apache.kafka.server.partition.AlterPartitionListener"


class PartitionAround:
    """A `Partition` on broker 0 with all that it needs, made anew by `begin`.

    partition: Kafka's class. registered: by broker, its newest broker epoch. active: the brokers that are not fenced.
    request: the builder of the ISR change that the newest step sent. sent: what awaits its answer, or None.
    """

    replicas: range

    def prepare(self, min_insync_replicas: int) -> None:
        """Start the JVM, and make what every replica needs."""
        jvm.started()
        memory = Path("/dev/shm")
        self.folder = tempfile.TemporaryDirectory(prefix="kafkacheck-", dir=memory if memory.is_dir() else None)
        settings = {"min_insync_replicas": min_insync_replicas, "log_index_size_max_bytes": 4_096}
        config = config_of(BROKER, self.folder.name, **settings)
        self.clock = jvm.java("org.apache.kafka.controller.StandingClock")()
        self.clock.sleep(LAG_MS)
        self.door_of = jvm.java("kafka.cluster.PartitionDoor")
        self.cache = metadata_cache(BROKER)
        idle = self.door_of(None, None)
        self.shared = shared_parts(config, self.cache, self.clock, idle)
        self.logs = log_manager(self.shared)
        self.channel = proxy(
            "org.apache.kafka.server.common.NodeToControllerChannelManager", sendRequest=self._send, **UNUSED
        )
        self.manager_of = found(*MANAGERS)
        self.listener = proxy(
            found(*LISTENERS), markIsrExpand=lambda: None, markIsrShrink=lambda: None, markFailed=lambda: None
        )
        empty = jvm.java("java.util.Optional").empty()
        self.checkpoints = proxy(
            "org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints", fetch=lambda *_: empty
        )
        self.isolation = jvm.java("org.apache.kafka.server.storage.log.FetchIsolation").LOG_END
        self.parameters: dict[tuple[int, int], Any] = {}
        self.behaviours = self.refusals = 0
        self.partition: Any = None

    def begin(self) -> None:
        """Make a broker that has no log, and knows its followers."""
        if self.partition is not None:
            self.end()
        self.behaviours += 1
        topic = f"t{self.behaviours}"
        self.topic_id = jvm.java("org.apache.kafka.common.Uuid").randomUuid()
        self.topic_partition = jvm.java("org.apache.kafka.common.TopicPartition")(topic, 0)
        self.image = jvm.java("org.apache.kafka.image.MetadataImage").EMPTY
        self.registered = dict.fromkeys(self.replicas, 1)
        self.active = set(self.replicas)
        self.learn(
            jvm.record("TopicRecord", setName=topic, setTopicId=self.topic_id), *map(self.registration, self.replicas)
        )
        self.sent: Any = None
        epoch = jpype.JLong(OWN_EPOCH)
        epochs = {
            "Function0": function(lambda: epoch, 0),
            "Supplier": proxy("java.util.function.Supplier", get=lambda: epoch),
        }
        around = self.door_of(self.topic_partition, proxy("java.lang.Runnable", run=self.look))
        manager = made(
            self.manager_of, NodeToControllerChannelManager=self.channel, int=BROKER, **epochs, **self.shared
        )
        self.partition = made(
            jvm.java("kafka.cluster.Partition"),
            TopicPartition=self.topic_partition,
            long=LAG_MS,
            int=BROKER,
            **epochs,
            AlterPartitionListener=self.listener,
            DelayedOperations=around,
            LogManager=self.logs,
            AlterPartitionManager=manager,
            **self.shared | {"Option": jvm.java("scala.Option").apply(self.topic_id)},
        )

    def end(self) -> None:
        """Forget the replica, and delete its log."""
        log = self.log()
        self.partition.delete()
        if log is not None:
            called(self.logs, "asyncDelete", TopicPartition=self.topic_partition, boolean=False)
            log.delete()

    def make(self, name: str, info: Any, is_new: bool) -> bool:
        """Let the broker take its role, as `ReplicaManager` does; what Kafka returns."""
        registration = info.partition()
        if hasattr(registration, "toLeaderAndIsrPartitionState"):
            told = [registration.toLeaderAndIsrPartitionState(self.topic_partition, is_new)]
        else:
            told = [registration, is_new]
        id_of_topic = jvm.java("scala.Option").apply(self.topic_id)
        return bool(getattr(self.partition, name)(*told, self.checkpoints, id_of_topic, nothing()))

    def parameters_of(self, follower_id: int, epoch: int) -> Any:
        """The parameters of a fetch by a follower with a broker epoch."""
        if (follower_id, epoch) not in self.parameters:
            self.parameters[follower_id, epoch] = made(
                jvm.java("org.apache.kafka.server.storage.log.FetchParams"),
                short=17,
                int=[follower_id, 1, 1_000_000],
                long=[epoch, 500],
                FetchIsolation=self.isolation,
                Optional=jvm.java("java.util.Optional").empty(),
                boolean=False,
            )
        return self.parameters[follower_id, epoch]

    def _send(self, request: Any, handler: Any) -> None:
        self.request, self.sent = request, handler

    def log(self) -> Any:
        """The log of the replica; None if it has none."""
        return value_of(self.partition.log())

    def replayed(self) -> Any:
        """The partition as the metadata cache has it; None before it has any."""
        topic = self.image.topics().getTopic(self.topic_id)
        return topic.partitions().get(jvm.java("java.lang.Integer")(0))

    def registration(self, broker_id: int) -> Any:
        """The record of a broker's newest registration, fenced or not."""
        return jvm.record(
            "RegisterBrokerRecord",
            setBrokerId=broker_id,
            setBrokerEpoch=self.registered[broker_id],
            setFenced=broker_id not in self.active,
            setIncarnationId=jvm.java("org.apache.kafka.common.Uuid")(1, broker_id),
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

    def look(self) -> None:
        """Look at the producers that wait, because the high watermark may have risen."""
        raise NotImplementedError


UNUSED = {
    "start": lambda: None,
    "shutdown": lambda: None,
    "getTimeoutMs": lambda: jpype.JLong(1_000),
    "controllerApiVersions": lambda: jvm.java("java.util.Optional").empty(),
}
"""Methods of the channel to the controller that are never called."""
