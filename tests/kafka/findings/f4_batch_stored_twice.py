"""F4: an idempotent producer stores a batch twice, because the batch after it expires first.

The producer is Kafka's `Sender`, `RecordAccumulator` and `TransactionManager`, run step by step; the broker is a
`ReplicaManager` with a real log, which checks every sequence, behind Kafka's controller. Only the network, the clock
and the follower are played here.
"""

import tempfile
from typing import Any

from broker import Broker
from control import alter, controller, run
from producer import Producer, stored, told, value_of
from replication_control import TOPIC

L, F = 0, 1
TIMEOUT_MS = 5_000
CREATED = 10_000
APART = 50
CLOCK, THREADS, ORDER = "the clock is set back", "two threads append", "batches are created in order"


class Run:
    """The schedule, once; `way` says how the second batch comes to be created before the first one."""

    def __init__(self, way: str) -> None:
        self.control = controller([L, F], L)
        self.broker = Broker(L, tempfile.mkdtemp(), TOPIC, self.control.topic_id)
        self.producer = Producer(TOPIC, self.control.topic_id, TIMEOUT_MS)
        self.hear()
        self.store_one()
        self.control.controller_fences_broker(F)
        self.hear()
        self.futures = self.append(way)
        self.producer.run(5)

        first, second, third = self.producer.requests
        errors = [self.answer(first)]
        self.producer.run()
        again = self.producer.requests[-1]
        self.follower_joins()
        errors.append(self.answer(second))
        errors += (late := self.broker.appends(self.producer.records(third)))
        self.broker.appends(self.producer.records(again))
        self.errors = errors

        self.producer.now = CREATED + TIMEOUT_MS - (0 if way == ORDER else 1)
        self.producer.run()
        self.expired = [told(each) for each in self.futures]
        self.producer.answer(third, *late)
        self.producer.break_connection()
        self.producer.run(3)
        for request in list(self.producer.requests):
            answers = self.broker.appends(self.producer.records(request))
            self.follower_fetches()
            self.producer.answer(request, *answers)

    def store_one(self) -> None:
        """Store a record before, so that the broker knows the producer."""
        self.producer.append("r0")
        self.producer.run(3)
        (request,) = self.producer.requests
        answers = self.broker.appends(self.producer.records(request))
        self.follower_fetches()
        self.producer.answer(request, *answers)

    def append(self, way: str) -> list[Any]:
        """Append three records; the futures of the first, second and third batch."""
        producer = self.producer
        first: list[Any] = []

        def append_first() -> None:
            producer.now = CREATED
            first.append(producer.append("r1"))

        if way == THREADS:
            producer.now = CREATED - APART
            producer.while_clock_is_read = append_first
        else:
            append_first()
            producer.now = CREATED - APART if way == CLOCK else CREATED
        second = producer.append("r2")
        producer.now = CREATED + APART
        return [*first, second, producer.append("r3")]

    def answer(self, request: Any) -> str:
        """Let the broker handle a request, and the producer its answer."""
        (error,) = self.broker.appends(self.producer.records(request))
        self.producer.answer(request, error)
        return error

    def follower_fetches(self) -> None:
        """Let the follower fetch all that the leader has, and say so."""
        end = self.broker.log_end
        self.broker.is_fetched(F, offset=0, leader_epoch=0)
        self.broker.is_fetched(F, offset=end, leader_epoch=0, last_epoch=0)

    def follower_joins(self) -> None:
        """Let the follower come back into the ISR; the leader asks for that."""
        self.control._unfence(F, self.control.door.offset())
        alter(self.control, L, [L, F])
        self.hear()

    def hear(self) -> None:
        """Let the broker replay the metadata."""
        for record in list(self.control.door.written())[self.broker.offset :]:
            self.broker.replays([record])

    def result(self) -> str:
        """What was seen, with a verdict."""
        values = [value_of(each) for each in self.broker.batches]
        verdict = "happens: STORED TWICE, finding reproduced" if values.count("r1") > 1 else "does not happen"
        return (
            f"the broker answers r1, r2, r3: {', '.join(self.errors)}; r1 is then stored, and its answer waits for F; "
            f"after the deadline of r2 the applications have heard of r1, r2, r3: {', '.join(self.expired)}; r3's "
            f"answer arrives, and the connection breaks; at last r1 has: {told(self.futures[0])}; the log (epoch:"
            f"sequence): {stored(self.broker.batches)}: {verdict}"
        )


def main() -> None:
    """Print a line for each way in which the batches may be created."""
    for way in (CLOCK, THREADS, ORDER):
        print(f"F4, {way}: {Run(way).result()}", flush=True)


if __name__ == "__main__":
    run(main)
