"""Do consumers process no input twice if they process it before they commit its offset?

Bounds: two inputs; two clients of one group, one of which dies; two rebalances.
Expected: VIOLATED inputs_are_processed_at_most_once
"""

from kafkacheck.impl.transactions.constants import Delivery
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.family import PLAIN_CONSUMERS, PLAIN_CONSUMERS_BOUNDS, TRANSACTIONAL
from kafkacheck.model.transactions.starts import start_consumers
from kafkacheck.spec.transactions.properties import every_input_is_done, inputs_are_processed_at_most_once
from kafkacheck.spec.transactions.steps import committed_offset_does_not_fall, stopped_clients_do_nothing

MODEL = TRANSACTIONAL.model(
    initial=start_consumers,
    bounds=PLAIN_CONSUMERS_BOUNDS,
    rules=TransactionRules(delivery=Delivery.PROCESS_FIRST),
    actions=PLAIN_CONSUMERS,
    always=[inputs_are_processed_at_most_once, stopped_clients_do_nothing, committed_offset_does_not_fall],
    sometimes=[every_input_is_done],
)
