"""Kafka's producer client as a system: `Sender`, `RecordAccumulator` and `TransactionManager`, without threads.

It judges which batches an idempotent producer sends with which sequences, and how it reacts to answers, broken
connections and expiries. The network holds each request until the model answers it; the clock stands until the time of
a batch is over.
"""

from collections.abc import Iterable
from typing import Any, ClassVar

import jpype
import jvm
from around.producer import COORDINATOR, ProducerParts, init_producer_id_response

STATES = {"UNINITIALIZED": "UNINITIALIZED", "INITIALIZING": "UNINITIALIZED", "READY": "READY"}
"""The model's names of the states of a producer; without an id it does not tell whether it has asked for one."""
WAITING, SENT = 1, 2
OUTCOMES = {1: "ACKNOWLEDGED", 2: "EXPIRED", 3: "FAILED"}
BATCH = ("producer_id", "producer_epoch", "base_sequence", "record_count")
COUNTER = ("producer_id", "producer_epoch", "next_sequence", "last_acknowledged_sequence", "unresolved_sequence")
TIMEOUT_MS = 100_000
BATCH_BYTES, FILLING, OVERSIZED = 1_000, {1: (900, 1.0), 2: (400, 1.0)}, (450, 0.9)
"""The size of a batch; by the number of records, the size of each and how far Kafka expects it to be compressed.

No other record fits beside them. Two of `OVERSIZED` fit because Kafka expects them to be compressed more than it does
when it splits their batch.
"""
TOPIC = "topic"
NO_LEADER = -1


class ProducerClient:
    """A producer of one topic; node i leads partition i."""

    observes = (
        *(f"producer.{each}" for each in ("state", "producer_id", "producer_epoch")),
        *(f"producer.{each}" for each in ("is_bump_required", "partitions_to_rewrite", "next_batch")),
        *(f"producer.counters[*].{field}" for field in COUNTER),
        *(f"producer.batches[*].{field}" for field in ("status", "partition", "is_sequence_reset", "offset", *BATCH)),
        "producer.batches[*].is_untracked",
        "retried[*]",
        *(f"connections[*].requests[*].batch.{field}" for field in ("id", *BATCH)),
        "connections[*].requests[*].stage",
    )
    not_judged: ClassVar = {}

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds, self.rules = model.bounds, model.rules
        self.acts = tuple(model.actions)
        seen = {each.replace("[*]", "") for each in self.observes}
        self.not_judged = {path: "the environment's, or a bound" for path in model.fields if _plain(path) not in seen}
        self.topic_id = jvm.java("org.apache.kafka.common.Uuid")(1, 1)
        self.keys = jvm.java("org.apache.kafka.common.protocol.ApiKeys")
        self.estimator = jvm.moved("CompressionRatioEstimator")
        self.clock = jvm.java("org.apache.kafka.controller.StandingClock")()

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a producer that has been given an id in this epoch."""
        self.parts = ProducerParts(
            TOPIC,
            self.topic_id,
            self.bounds["partitions"],
            self.clock,
            TIMEOUT_MS,
            in_flight=self.bounds["max_in_flight"],
            batch_size=BATCH_BYTES,
            is_compressed=self.bounds["oversized_batches"] > 0,
            is_muted=self.rules["partition_is_muted"],
        )
        self.door = self.parts.door
        self.next_producer_id = 0
        self.next_epoch = state["producer.producer_epoch"]
        self.records, self.firsts = 0, list[int]()
        self._run(NO_LEADER)
        self.next_epoch = 0

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the application, the sender or the network do what the action says."""
        self.clock.sleep(1)
        return bool(getattr(self, action)(**parameters))

    def application_sends(self, partition_id: int, record_count: int, is_oversized: int) -> bool:
        """Append the next batch: each record has its number, and they fill a batch."""
        size, ratio = OVERSIZED if is_oversized else FILLING[record_count]
        self.estimator.setEstimation(TOPIC, self.parts.compression.type(), jpype.JFloat(ratio))
        for place in range(record_count):
            if place == 0 or is_oversized:
                self.firsts.append(self.records)
            value = jpype.JArray(jpype.JByte)(size)
            value[0] = self.records
            self.door.append(partition_id, value, self.clock.milliseconds())
            self.records += 1
        return True

    def sender_runs(self, ready: int) -> bool:
        """Let the sender run while one leader is ready."""
        self._run(ready)
        return True

    def waiting_batch_expires(self, partition_id: int) -> bool:
        """Let the sender run when the time of the first batch in the buffer is over."""
        return self._expires(self.door.first(partition_id, False))

    def sent_batch_expires(self, partition_id: int) -> bool:
        """Let the sender run when the time of the batch that is longest in flight is over."""
        return self._expires(self.door.first(partition_id, True))

    def leader_stores(self, partition_id: int) -> bool:
        """Acknowledge the oldest request of a connection."""
        return self.leader_refuses(partition_id, "NONE")

    def leader_refuses(self, partition_id: int, error: str) -> bool:
        """Answer the oldest request of a connection."""
        request = self.door.oldest(self.keys.PRODUCE, partition_id)
        offset = self.firsts.index(int(self.door.requests(partition_id)[0][0])) if error == "NONE" else -1
        self.door.deliver(request, self.parts.produce_response(partition_id, error, offset))
        return True

    def connection_breaks(self, partition_id: int) -> bool:
        """Break the connection to a leader."""
        while (request := self.door.oldest(self.keys.PRODUCE, partition_id)) is not None:
            self.door.deliver(request, None)
        return True

    def _expires(self, batch: Any) -> bool:
        """Let the sender run when the time of a batch is over; no leader is ready."""
        self.door.create(batch, self.clock.milliseconds() - TIMEOUT_MS)
        self._run(NO_LEADER)
        return True

    def _run(self, ready: int) -> None:
        """Let the sender run; a producer id that it asks for is given at once, and it runs again."""
        for partition in range(self.bounds["partitions"]):
            self.parts.network.open(partition, partition == ready)
        self.door.run()
        request = self.door.oldest(self.keys.INIT_PRODUCER_ID, COORDINATOR)
        if request is not None:
            self.door.deliver(request, init_producer_id_response(self.next_producer_id, self.next_epoch))
            self.next_producer_id += 1
            self._run(ready)

    def observe(self) -> dict[str, Any]:
        """The producer's id, counters and batches, and its requests."""
        producer_id, epoch, is_due, rewritten = map(int, self.door.producer())
        partitions = range(self.bounds["partitions"])
        shown: dict[str, Any] = {
            "producer.state": STATES[str(self.door.state())],
            **_named("producer", ("producer_id", "producer_epoch"), (producer_id, epoch)),
            "producer.is_bump_required": bool(is_due),
            "producer.partitions_to_rewrite": [each for each in partitions if rewritten >> each & 1],
            "producer.next_batch": len(self.firsts),
        }
        for partition in partitions:
            name = f"producer.counters[{partition}]"
            values = map(int, self.door.counter(partition))
            shown |= _named(name, COUNTER, values)
            shown |= self._requests(partition)
        for each in range(self.bounds["batches"]):
            shown |= self._batch(each)
        return shown

    def _batch(self, batch_id: int) -> dict[str, Any]:
        name = f"producer.batches[{batch_id}]"
        told = self.door.batch(self.firsts[batch_id]) if batch_id < len(self.firsts) else None
        if told is None:
            return {f"{name}.status": "UNSENT"}
        place, outcome, offset, *numbers, was_reset, is_tracked, was_retried, partition = map(int, told)
        status = OUTCOMES.get(outcome, "IN_FLIGHT")
        if not outcome and place == WAITING:
            status = "BUFFERED" if numbers[2] == -1 else "RETRYING"
        shown: dict[str, Any] = {}
        if status in ("RETRYING", "IN_FLIGHT"):
            shown[f"retried[{batch_id}]"] = bool(was_retried)
        return shown | {
            f"{name}.status": status,
            f"{name}.is_untracked": int(status == "IN_FLIGHT" and not is_tracked),
            f"{name}.partition": partition,
            f"{name}.is_sequence_reset": bool(was_reset),
            **_named(name, ("offset", *BATCH), (offset, *numbers)),
        }

    def _requests(self, partition: int) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        requests = list(self.door.requests(partition))
        for place in range(self.bounds["max_in_flight"]):
            name = f"connections[{partition}].requests[{place}]"
            if place >= len(requests):
                shown |= {f"{name}.stage": "NONE", f"{name}.batch.id": None}
                continue
            first, *numbers, _ = map(int, requests[place])
            numbers.insert(0, self.firsts.index(first))
            shown |= {f"{name}.stage": "REQUESTED", **_named(f"{name}.batch", ("id", *BATCH), numbers)}
        return shown


def _named(name: str, fields: tuple[str, ...], numbers: Iterable[int]) -> dict[str, Any]:
    """Numbers of Kafka's by their paths; for an id or an epoch, -1 is none."""
    return {
        f"{name}.{field}": None if number == -1 and field.endswith(("id", "epoch")) else number
        for field, number in zip(fields, numbers, strict=True)
    }


def _plain(path: str) -> str:
    """A path without the numbers of its elements."""
    while "[" in path:
        head, _, tail = path.partition("[")
        path = head + tail.partition("]")[2]
    return path


SYSTEM = ProducerClient
