"""What if one batch is refused for good while it is not known whether the one before it is stored?

The producer then begins a new epoch and gives every batch in flight a new sequence, by which no broker knows again what
it has. So Kafka's rule (`TransactionManager.handleFailedBatch`) stores a batch twice here (KAFKA-14034). What was
proposed there, `refused_batch_awaits_others`, mends it; no version of Kafka has it.

Bounds: three batches, of which the first is acknowledged and another one is invalid; one answer is lost, and one append
    is refused for the moment.
Expected: VIOLATED each_batch_is_stored_once
"""

from checker.model import Model
from impl.producer.rules import ProducerRules
from impl.producer.sender import producer_bumps_epoch, producer_resolves_sequences
from impl.producing import State
from model.producer_drawing import PARTITIONS
from model.producer_environment import append_is_refused, batch_is_invalid, connection_breaks, start_known
from model.producers import BOUNDS, EXAMPLES, RETRIES, SAFETY

MODEL = Model(
    name="producer_invalid",
    state=State,
    initial=start_known,
    bounds={**BOUNDS, "disconnections": 1, "refusals": 1, "invalid_batches": 1},
    rules=ProducerRules(),
    actions=[
        *RETRIES,
        producer_bumps_epoch,
        producer_resolves_sequences,
        connection_breaks,
        append_is_refused,
        batch_is_invalid,
    ],
    always=SAFETY,
    sometimes=EXAMPLES,
    drawing=PARTITIONS,
)
