"""F13: an idempotent producer that has used up its epochs sends its batches in flight without a producer id.

The producer is Kafka's `Sender`, `RecordAccumulator` and `TransactionManager`, run step by step; the broker is a
`ReplicaManager` with a real log. Only the network is played here, and the topic's refusal of one record.
"""

import tempfile

from broker import Broker
from control import controller, run
from producer import Producer, stored, told, value_of
from replication_control import TOPIC

LAST, EARLIER = 32_767, 32_766
"""The last producer epoch, and the one before it."""


class Run:
    """The schedule, once, with a producer in this epoch."""

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        control = controller([0], 0)
        self.broker = Broker(0, tempfile.mkdtemp(), TOPIC, control.topic_id)
        self.broker.replays(list(control.door.written()))
        self.producer = Producer(TOPIC, control.topic_id, 5_000, epoch)
        self.producer.append("r0")
        self.producer.run(3)
        self.handle()
        self.futures = [self.producer.append(each) for each in ("r1", "r2")]
        self.producer.run(2)
        refused, second = self.producer.requests
        self.producer.answer(refused, "INVALID_RECORD")
        self.producer.answer(second, *self.broker.appends(self.producer.records(second)))
        self.producer.run(2)
        (again,) = self.producer.requests
        self.sent = int(self.producer.records(again).batches().iterator().next().producerId())
        self.broker.appends(self.producer.records(again))
        self.producer.break_connection()
        self.producer.run(2)
        self.handle()

    def handle(self) -> None:
        """Let the broker handle each request, and the producer its answers."""
        for request in list(self.producer.requests):
            self.producer.answer(request, *self.broker.appends(self.producer.records(request)))

    def result(self) -> str:
        """What was seen, with a verdict."""
        is_twice = [value_of(each) for each in self.broker.batches].count("r2") > 1
        verdict = "happens: STORED TWICE, finding reproduced" if is_twice else "does not happen"
        return (
            f"the topic refuses r1, and r2 is sent again with the producer id {self.sent}; it is stored, and the "
            f"connection breaks; at last r1 and r2 have: {', '.join(told(each) for each in self.futures)}; the log "
            f"(epoch:sequence): {stored(self.broker.batches)}: {verdict}"
        )


def main() -> None:
    """Print a line for the last epoch, and one for the epoch before it."""
    for epoch in (LAST, EARLIER):
        print(f"F13, producer epoch {epoch}: {Run(epoch).result()}", flush=True)


if __name__ == "__main__":
    run(main)
