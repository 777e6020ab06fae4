"""Is each batch stored once if a batch expires while an earlier one is under way?

This is finding F4 of `tests/kafka/findings`, by the rules of the newest release. The first batch is refused once, and
stored when it is sent again. The second batch was refused as out of order, and expires. The third batch is refused as
out of order, too; because it follows an expired batch, the producer begins a new epoch and gives every batch a new
sequence. The connection breaks before the first batch is answered. The producer sends this batch again, and the broker
does not recognise it.

Bounds: four batches, the first acknowledged, and three in flight, which the broker remembers; one connection breaks,
    one append is refused temporarily, and one batch expires.
Expected: VIOLATED each_batch_is_stored_once
"""

from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.family import PRODUCER, RETRIES, SAFETY

BOUNDS = {
    "batches": 4,
    "log_size": 5,
    "max_in_flight": 3,
    "cached_batches": 3,
    "max_sequence": 7,
    "disconnections": 1,
    "refusals": 1,
    "batch_expirations": 1,
}
ACTIONS = (
    *RETRIES,
    system.producer_bumps_epoch,
    system.producer_resolves_sequences,
    environment.connection_breaks,
    environment.append_is_refused,
    environment.batch_expires,
)
ALWAYS = SAFETY

MODEL = PRODUCER.model(bounds=BOUNDS, actions=ACTIONS, always=ALWAYS)
