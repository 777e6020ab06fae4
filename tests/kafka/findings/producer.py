"""A real idempotent producer without threads and network: `Sender`, `RecordAccumulator` and `TransactionManager`.

Each record is a batch of its own. Requests wait in `requests` until the finding answers them or breaks the connection;
the clock stands until it is set.
"""

import threading
from collections.abc import Callable
from typing import Any

import jpype
from jvm import java, listed, message, moved
from reflection import found, made, proxy

CLIENTS = "org.apache.kafka.clients"
INTERNALS = f"{CLIENTS}.producer.internals"
REQUESTS = "org.apache.kafka.common.requests"
PRODUCER_ID = 7
LATER = 1 << 40
PADDED = 500
"""So many bytes that two records do not fit into one batch."""


class Producer:
    """A producer of one partition, whose leader is node 0; it may have five requests in flight."""

    def __init__(self, topic: str, topic_id: Any, delivery_timeout_ms: int) -> None:
        self.topic, self.topic_id = topic, topic_id
        self.now = 0
        self.while_clock_is_read: Callable[[], None] | None = None
        self.requests: list[Any] = []
        self.ready: list[Any] = []
        clock = proxy(
            "org.apache.kafka.common.utils.Time",
            milliseconds=self._milliseconds,
            nanoseconds=lambda: jpype.JLong(self.now * 1_000_000),
            hiResClockMs=lambda: jpype.JLong(self.now),
            sleep=lambda _: None,
        )
        self.node = java("org.apache.kafka.common.Node")(0, "localhost", 9092)
        metrics = java("org.apache.kafka.common.metrics.Metrics")()
        versions = java(f"{CLIENTS}.ApiVersions")()
        versions.update("0", java(f"{CLIENTS}.NodeApiVersions").create())
        shared = {"LogContext": moved("LogContext")(), "Time": clock, "Metrics": metrics, "ApiVersions": versions}
        self.metadata = made(
            java(f"{INTERNALS}.ProducerMetadata"),
            **shared,
            long=LATER,
            ClusterResourceListeners=found(
                "org.apache.kafka.common.internals.ClusterResourceListeners",
                "org.apache.kafka.common.utils.ClusterResourceListeners",
            )(),
        )
        self.metadata.add(topic, 0)
        self.metadata.updateWithCurrentRequestVersion(self._leader(), False, 0)
        self.state = made(
            java(f"{INTERNALS}.TransactionManager"),
            **shared,
            String=None,
            int=60_000,
            long=0,
            boolean=False,
            Metadata=self.metadata,
        )
        pool = java(f"{INTERNALS}.BufferPool")(1_000_000, 1, metrics, clock, "producer")
        self.accumulator = made(
            java(f"{INTERNALS}.RecordAccumulator"),
            **shared,
            int=[1, 0, delivery_timeout_ms],
            long=0,
            Compression=java("org.apache.kafka.common.compress.Compression").NONE,
            PartitionerConfig=java(f"{INTERNALS}.RecordAccumulator$PartitionerConfig")(),
            String="producer",
            TransactionManager=self.state,
            BufferPool=pool,
        )
        self.sender = made(
            java(f"{INTERNALS}.Sender"),
            **shared,
            KafkaClient=self._network(),
            ProducerMetadata=self.metadata,
            RecordAccumulator=self.accumulator,
            boolean=False,
            int=[1_000_000, 2_147_483_647, 30_000],
            short=-1,
            SenderMetricsRegistry=java(f"{INTERNALS}.SenderMetricsRegistry")(metrics),
            long=0,
            TransactionManager=self.state,
        )
        self.once = self.sender.getClass().getDeclaredMethod("runOnce")
        self.once.setAccessible(True)

    def _milliseconds(self) -> Any:
        """The time. If another thread is to run when it has been read, this one goes on after it has ended.

        RuntimeError if it does not end within ten seconds, because this one holds what it needs.
        """
        now, other = self.now, self.while_clock_is_read
        if other is not None:
            self.while_clock_is_read = None
            thread = threading.Thread(target=other, daemon=True)
            thread.start()
            thread.join(10)
            if thread.is_alive():
                raise RuntimeError("the thread that runs while the clock is read is stuck; expected that it ends")
        return jpype.JLong(now)

    def _leader(self) -> Any:
        """Metadata that names node 0 as leader."""
        broker = message("MetadataResponseData$MetadataResponseBroker", setNodeId=0, setHost="localhost", setPort=9092)
        partition = message(
            "MetadataResponseData$MetadataResponsePartition",
            setPartitionIndex=0,
            setLeaderId=0,
            setLeaderEpoch=0,
            setReplicaNodes=[0],
            setIsrNodes=[0],
        )
        topic = message("MetadataResponseData$MetadataResponseTopic", setName=self.topic, setTopicId=self.topic_id)
        topic.partitions().add(partition)
        answer = message("MetadataResponseData", setClusterId="cluster", setControllerId=0)
        answer.brokers().add(broker)
        answer.topics().add(topic)
        return java(f"{REQUESTS}.MetadataResponse")(answer, jpype.JShort(12))

    def _network(self) -> Any:
        """A connection to node 0 that holds requests; it gives the id of the producer itself."""

        def request(node: str, builder: Any, now: int, expects: bool, timeout: int = 0, callback: Any = None) -> Any:
            return java(f"{CLIENTS}.ClientRequest")(node, builder, 0, "producer", now, expects, timeout, callback)

        return proxy(
            f"{CLIENTS}.KafkaClient",
            isReady=lambda *_: True,
            ready=lambda *_: True,
            connectionDelay=lambda *_: jpype.JLong(0),
            pollDelayMs=lambda *_: jpype.JLong(0),
            connectionFailed=lambda *_: False,
            authenticationException=lambda *_: None,
            send=self._send,
            poll=self._poll,
            leastLoadedNode=lambda _: java(f"{CLIENTS}.LeastLoadedNode")(self.node, True),
            inFlightRequestCount=lambda *_: len(self.requests),
            hasInFlightRequests=lambda *_: bool(self.requests),
            hasReadyNodes=lambda _: True,
            newClientRequest=request,
            active=lambda: True,
            wakeup=lambda: None,
        )

    def _send(self, request: Any, now: int) -> None:
        if str(request.apiKey()) == "INIT_PRODUCER_ID":
            data = message("InitProducerIdResponseData", setProducerId=PRODUCER_ID, setProducerEpoch=jpype.JShort(0))
            self._respond(request, java(f"{REQUESTS}.InitProducerIdResponse")(data))
        else:
            self.requests.append(request)

    def _poll(self, *_: Any) -> Any:
        ready, self.ready = self.ready, []
        for response in ready:
            response.onComplete()
        return listed(ready)

    def _respond(self, request: Any, answer: Any) -> None:
        """Let the next poll bring an answer, or none because the connection has broken."""
        version = request.requestBuilder().latestAllowedVersion()
        response = java(f"{CLIENTS}.ClientResponse")(
            request.makeHeader(version), request.callback(), "0", 0, 0, answer is None, None, None, answer
        )
        self.ready.append(response)

    def append(self, value: str) -> Any:
        """Append a record as an application's thread does; its future."""
        made_of = java("java.lang.String")(value.ljust(PADDED)).getBytes()
        return self.accumulator.append(
            self.topic, 0, 0, None, made_of, None, None, 1_000, jpype.JLong(self.now), self.metadata.fetch()
        ).future

    def run(self, times: int = 1) -> None:
        """Let the sender's loop run."""
        for _ in range(times):
            self.once.invoke(self.sender)

    def records(self, request: Any) -> Any:
        """The batch of a request, as it was when it was sent."""
        data = request.requestBuilder().build().data()
        return data.topicData().iterator().next().partitionData().get(0).records()

    def answer(self, request: Any, error: str) -> None:
        """Bring the broker's answer to a request, and let the sender handle it."""
        self.requests.remove(request)
        part = message("ProduceResponseData$PartitionProduceResponse", setIndex=0)
        part.setErrorCode(getattr(java("org.apache.kafka.common.protocol.Errors"), error).code())
        topic = message("ProduceResponseData$TopicProduceResponse", setName=self.topic)
        if hasattr(topic, "setTopicId"):
            topic.setTopicId(self.topic_id)
        topic.partitionResponses().add(part)
        data = message("ProduceResponseData")
        data.responses().add(topic)
        self._respond(request, java(f"{REQUESTS}.ProduceResponse")(data))
        self.run()

    def break_connection(self) -> None:
        """Break the connection: no request is answered any more."""
        broken, self.requests = self.requests, []
        for request in broken:
            self._respond(request, None)
        self.run()


def told(future: Any) -> str:
    """What the application hears of its record."""
    if not future.isDone():
        return "nothing yet"
    try:
        future.get()
    except java("java.util.concurrent.ExecutionException") as error:
        return str(error.getCause().getClass().getSimpleName())
    return "success"


def sequences(batch: Any) -> str:
    """Producer epoch and first sequence of a batch."""
    return f"{int(batch.producerEpoch())}:{int(batch.baseSequence())}"


def value_of(records: Any) -> str:
    """The value of the first record of a batch."""
    buffer = records.iterator().next().value().duplicate()
    content = jpype.JByte[buffer.remaining()]
    buffer.get(content)
    return bytes(content).decode().strip()
