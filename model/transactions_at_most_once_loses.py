"""Is every input processed by consumers that commit an offset before they process the input?

Bounds: two inputs, two clients of one group, of which one dies, and two rebalances.
Expected: VIOLATED committed_inputs_are_processed
"""

from checker.model import Model
from impl.transactions.constants import Delivery
from impl.transactions.records import State
from impl.transactions.rules import TransactionRules
from model.transactions import PLAIN_CONSUMERS, PLAIN_CONSUMERS_BOUNDS
from model.transactions_drawing import TRANSACTION_LANES
from model.transactions_starts import start_consumers
from spec.transaction_steps import committed_offset_does_not_fall, stopped_clients_do_nothing
from spec.transactions import committed_inputs_are_processed, every_input_is_done

MODEL = Model(
    name="transactions_at_most_once_loses",
    state=State,
    initial=start_consumers,
    bounds=PLAIN_CONSUMERS_BOUNDS,
    rules=TransactionRules(delivery=Delivery.COMMIT_FIRST),
    actions=PLAIN_CONSUMERS,
    always=[committed_inputs_are_processed, stopped_clients_do_nothing, committed_offset_does_not_fall],
    sometimes=[every_input_is_done],
    drawing=TRANSACTION_LANES,
)
