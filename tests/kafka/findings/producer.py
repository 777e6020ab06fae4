"""A real idempotent producer without threads and network: `Sender`, `RecordAccumulator` and `TransactionManager`.

Each record is a batch of its own. Requests wait in `requests` until the finding answers them or breaks the connection;
the clock stands until it is set.
"""

import threading
from collections.abc import Callable
from typing import Any

import jpype
from around.producer import ProducerParts, init_producer_id_response
from around.reflection import proxy
from jvm import java, moved

PRODUCER_ID = 7
PADDED = 500
"""So many bytes that two records do not fit into one batch."""


class Producer:
    """A producer of one partition, whose leader is node 0; it may have five requests in flight."""

    def __init__(self, topic: str, topic_id: Any, delivery_timeout_ms: int, first_epoch: int = 0) -> None:
        self.now = 0
        self.ids = [(PRODUCER_ID, first_epoch), (PRODUCER_ID + 1, 0)]
        self.while_clock_is_read: Callable[[], None] | None = None
        clock = proxy(
            "org.apache.kafka.common.utils.Time",
            milliseconds=self._milliseconds,
            nanoseconds=lambda: jpype.JLong(self.now * 1_000_000),
            hiResClockMs=lambda: jpype.JLong(self.now),
            sleep=lambda _: None,
        )
        self.parts = ProducerParts(topic, topic_id, 1, clock, delivery_timeout_ms, in_flight=5)
        self.accumulator = self.parts.accumulator

    @property
    def requests(self) -> list[Any]:
        """The produce requests under way, the oldest first."""
        return [each for each in self.parts.network.held if str(each.apiKey()) == "PRODUCE"]

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

    def append(self, value: str) -> Any:
        """Append a record as an application's thread does; its future."""
        made_of = java("java.lang.String")(value.ljust(PADDED)).getBytes()
        return self.accumulator.append(
            self.parts.topic, 0, 0, None, made_of, None, None, 1_000, jpype.JLong(self.now), self.parts.metadata.fetch()
        ).future

    def run(self, times: int = 1) -> None:
        """Let the sender's loop run; the producer id that it asks for is given at once."""
        for _ in range(times):
            self.parts.door.run()
            for request in list(self.parts.network.held):
                if str(request.apiKey()) == "INIT_PRODUCER_ID":
                    self.parts.network.deliver(request, init_producer_id_response(*self.ids.pop(0)))

    def records(self, request: Any) -> Any:
        """A copy of the batch of a request, as the network makes it: a broker writes offsets into it."""
        data = request.requestBuilder().build().data()
        buffer = data.topicData().iterator().next().partitionData().get(0).records().buffer().duplicate()
        copied = java("java.nio.ByteBuffer").allocate(buffer.remaining()).put(buffer).flip()
        return moved("MemoryRecords").readableRecords(copied)

    def answer(self, request: Any, error: str) -> None:
        """Bring the broker's answer to a request, and let the sender handle it."""
        self.parts.network.deliver(request, self.parts.produce_response(0, error, -1))
        self.run()

    def break_connection(self) -> None:
        """Break the connection: no request is answered any more."""
        for request in self.requests:
            self.parts.network.deliver(request, None)
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


def stored(batches: list[Any]) -> str:
    """The batches of a log, each with its producer epoch and first sequence."""
    return " ".join(f"{value_of(each)}({sequences(each)})" for each in batches)


def value_of(records: Any) -> str:
    """The value of the first record of a batch."""
    buffer = records.iterator().next().value().duplicate()
    content = jpype.JByte[buffer.remaining()]
    buffer.get(content)
    return bytes(content).decode().strip()
