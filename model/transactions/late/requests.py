"""Does a transaction end as its application wants, although requests to end it arrive late or twice?

Bounds: two transactions of one producer over two partitions; two requests to the coordinator that are repeated.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.environment import request_is_repeated
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import BOUNDS, EPOCH_LEMMAS, EXAMPLES, SAFETY, TRANSACTIONS

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "partitions": 2, "requests": 3, "delays": 2},
    rules=TransactionRules(),
    actions=[*TRANSACTIONS, request_is_repeated],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
    sometimes=EXAMPLES,
    drawing=TRANSACTION_LANES,
)
