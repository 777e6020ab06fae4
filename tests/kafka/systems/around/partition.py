"""What surrounds one broker's `Partition` of a real Kafka, which the adapter calls itself."""

from typing import Any

import jvm
from around.broker import BROKER, LAG_MS, BrokerAround
from around.reflection import called, found, made, nothing, proxy, value_of

LISTENERS = "kafka.cluster.AlterPartitionListener", "org.apache.kafka.server.partition.AlterPartitionListener"


class PartitionAround(BrokerAround):
    """A `Partition` on broker 0 with all that it needs, made anew by `begin`; `partition` is Kafka's class."""

    def prepare(self, **settings: object) -> None:
        """Start the JVM, and make what every replica needs; `settings` are those of the broker."""
        super().prepare(**settings)
        self.listener = proxy(
            found(*LISTENERS), markIsrExpand=lambda: None, markIsrShrink=lambda: None, markFailed=lambda: None
        )
        empty = jvm.java("java.util.Optional").empty()
        self.checkpoints = proxy(
            "org.apache.kafka.storage.internals.checkpoint.OffsetCheckpoints", fetch=lambda *_: empty
        )
        self.parameters: dict[tuple[int, int], Any] = {}
        self.refusals = 0
        self.partition: Any = None

    def begin(self) -> None:
        """Make a broker that has no log, and knows its followers."""
        if self.partition is not None:
            self.end()
        self.begin_topic()
        self.partition = made(
            jvm.java("kafka.cluster.Partition"),
            TopicPartition=self.topic_partition,
            long=LAG_MS,
            int=BROKER,
            **self.epochs_of_broker,
            AlterPartitionListener=self.listener,
            DelayedOperations=self.door_of(self.topic_partition, proxy("java.lang.Runnable", run=self.look)),
            LogManager=self.logs,
            AlterPartitionManager=self.isr_manager(),
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

    def log(self) -> Any:
        """The log of the replica; None if it has none."""
        return value_of(self.partition.log())

    def look(self) -> None:
        """Look at the producers that wait, because the high watermark may have risen."""
        raise NotImplementedError
