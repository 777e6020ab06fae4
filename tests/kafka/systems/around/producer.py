"""Parts of a real producer without threads, network and application: `Sender`, `RecordAccumulator` and so on."""

from typing import Any

import jpype
from around.reflection import found, made
from jvm import java, listed, message, moved

CLIENTS = "org.apache.kafka.clients"
INTERNALS = f"{CLIENTS}.producer.internals"
REQUESTS = "org.apache.kafka.common.requests"
LISTENERS = "org.apache.kafka.common.internals", "org.apache.kafka.common.utils"
LATER = 1 << 40
COORDINATOR = 100
"""The node that answers all requests but produce requests."""


class ProducerParts:
    """The parts of one producer, put together as `KafkaProducer` does it; node i leads partition i of its topic."""

    def __init__(
        self,
        topic: str,
        topic_id: Any,
        partitions: int,
        clock: Any,
        delivery_timeout_ms: int,
        *,
        in_flight: int,
        batch_size: int = 1,
        is_muted: bool = False,
        transactional_id: str | None = None,
        node_versions: Any = None,
        is_compressed: bool = False,
    ) -> None:
        self.topic, self.topic_id = topic, topic_id
        coordinator = java("org.apache.kafka.common.Node")(COORDINATOR, "localhost", 9092 + COORDINATOR)
        self.network = java(f"{CLIENTS}.HeldNetwork")(in_flight, coordinator)
        metrics = java("org.apache.kafka.common.metrics.Metrics")()
        self.versions = java(f"{CLIENTS}.ApiVersions")()
        for each in (*range(partitions), COORDINATOR):
            self.versions.update(str(each), node_versions or java(f"{CLIENTS}.NodeApiVersions").create())
        shared = {"LogContext": moved("LogContext")(), "Time": clock, "Metrics": metrics, "ApiVersions": self.versions}
        self.metadata = made(
            java(f"{INTERNALS}.ProducerMetadata"),
            **shared,
            long=LATER,
            ClusterResourceListeners=found(*(f"{each}.ClusterResourceListeners" for each in LISTENERS))(),
        )
        self.metadata.add(topic, 0)
        self.metadata.updateWithCurrentRequestVersion(self._leaders(partitions), False, 0)
        self.state = made(
            java(f"{INTERNALS}.TransactionManager"),
            **shared,
            String=transactional_id,
            int=60_000,
            long=0,
            boolean=False,
            Metadata=self.metadata,
        )
        kinds = java("org.apache.kafka.common.compress.Compression")
        self.compression = kinds.gzip().build() if is_compressed else kinds.NONE
        pool = java(f"{INTERNALS}.BufferPool")(1_000_000, batch_size, metrics, clock, "producer")
        self.accumulator = made(
            java(f"{INTERNALS}.RecordAccumulator"),
            **shared,
            int=[batch_size, 0, delivery_timeout_ms],
            long=0,
            Compression=self.compression,
            PartitionerConfig=java(f"{INTERNALS}.RecordAccumulator$PartitionerConfig")(),
            String="producer",
            TransactionManager=self.state,
            BufferPool=pool,
        )
        self.sender = made(
            java(f"{INTERNALS}.Sender"),
            **shared,
            KafkaClient=self.network,
            ProducerMetadata=self.metadata,
            RecordAccumulator=self.accumulator,
            boolean=is_muted,
            int=[1_000_000, 2_147_483_647, 30_000],
            short=-1,
            SenderMetricsRegistry=java(f"{INTERNALS}.SenderMetricsRegistry")(metrics),
            long=0,
            TransactionManager=self.state,
        )
        self.door = java(f"{INTERNALS}.ProducerDoor")(
            self.sender, self.accumulator, self.state, self.metadata, self.network, topic, partitions
        )

    def _leaders(self, partitions: int) -> Any:
        """Metadata that names the leader of each partition."""
        answer = message("MetadataResponseData", setClusterId="cluster", setControllerId=0)
        topic = message("MetadataResponseData$MetadataResponseTopic", setName=self.topic, setTopicId=self.topic_id)
        for each in range(partitions):
            kind = "MetadataResponseData$MetadataResponseBroker"
            answer.brokers().add(message(kind, setNodeId=each, setHost="localhost", setPort=9092 + each))
            partition = message(
                "MetadataResponseData$MetadataResponsePartition",
                setPartitionIndex=each,
                setLeaderId=each,
                setLeaderEpoch=0,
                setReplicaNodes=[each],
                setIsrNodes=[each],
            )
            topic.partitions().add(partition)
        answer.topics().add(topic)
        return java(f"{REQUESTS}.MetadataResponse")(answer, jpype.JShort(12))

    def produce_response(self, partition: int, error: str, offset: int) -> Any:
        """A leader's response to a produce request for one partition."""
        part = message(
            "ProduceResponseData$PartitionProduceResponse",
            setIndex=partition,
            setBaseOffset=offset,
            setLogStartOffset=0,
            setErrorCode=code_of(error),
        )
        topic = message("ProduceResponseData$TopicProduceResponse", setName=self.topic)
        if hasattr(topic, "setTopicId"):
            topic.setTopicId(self.topic_id)
        topic.partitionResponses().add(part)
        data = message("ProduceResponseData")
        data.responses().add(topic)
        return java(f"{REQUESTS}.ProduceResponse")(data)


def code_of(error: str) -> int:
    """The code of an error by its name."""
    return int(getattr(java("org.apache.kafka.common.protocol.Errors"), error).code())


def init_producer_id_response(producer_id: int, producer_epoch: int, error: str = "NONE") -> Any:
    """A coordinator's response to InitProducerId."""
    data = message(
        "InitProducerIdResponseData",
        setProducerId=producer_id,
        setProducerEpoch=jpype.JShort(producer_epoch),
        setErrorCode=code_of(error),
    )
    return java(f"{REQUESTS}.InitProducerIdResponse")(data)


def versions_of(transaction_version: int) -> Any:
    """What a node of a cluster with this transaction version can do."""
    kind = java(f"{CLIENTS}.NodeApiVersions")
    feature = message(
        "ApiVersionsResponseData$FinalizedFeatureKey",
        setName="transaction.version",
        setMinVersionLevel=transaction_version,
        setMaxVersionLevel=transaction_version,
    )
    return kind(kind.create().allSupportedApiVersions().values(), listed([]), listed([feature]), 1)


def find_coordinator_response(key: str) -> Any:
    """A response to FindCoordinator that names the coordinator's node."""
    data, found_one = message("FindCoordinatorResponseData"), message("FindCoordinatorResponseData$Coordinator")
    found_one.setKey(key).setNodeId(COORDINATOR).setHost("localhost").setPort(9092 + COORDINATOR)
    data.coordinators().add(found_one)
    return java(f"{REQUESTS}.FindCoordinatorResponse")(data)
