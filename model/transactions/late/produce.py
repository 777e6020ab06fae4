"""Does a batch that arrives late, or twice, stay out of every transaction but its own?

Bounds: two transactions of one producer in one partition; two produce requests that are repeated or given up.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.environment import produce_is_given_up, produce_is_repeated
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import BOUNDS, EPOCH_LEMMAS, EXAMPLES, SAFETY, TRANSACTIONS

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "produces": 3, "delays": 2},
    rules=TransactionRules(),
    actions=[*TRANSACTIONS, produce_is_repeated, produce_is_given_up],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
    sometimes=EXAMPLES,
    drawing=TRANSACTION_LANES,
)
