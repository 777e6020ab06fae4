"""Is each batch stored once if a producer that has used up its epochs needs another one?

This is finding F13 of `tests/kafka/findings`, by the rules of the newest release. Two batches are in flight in the
highest epoch, and the first one is refused for good. The producer asks for another id. Before it has this id, it gives
the second batch a new sequence and no producer id. The leader stores a batch without a producer id each time the batch
arrives: here once before its connection breaks, and once after that.

Bounds: three batches, the first acknowledged, and two in flight; the epoch of the first producer id is the highest one,
    and there is a second id; the topic refuses one batch, and one connection breaks.
Expected: VIOLATED each_batch_is_stored_once
"""

from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY

BOUNDS = {"max_producer_epoch": 0, "producer_ids": 2, "invalid_batches": 1, "disconnections": 1}
ACTIONS = (*RETRIES, system.producer_bumps_epoch, environment.connection_breaks, environment.batch_is_invalid)
ALWAYS = SAFETY

MODEL = PRODUCER.model(bounds=BOUNDS, actions=ACTIONS, always=ALWAYS)
