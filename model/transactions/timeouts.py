"""Is a producer that is slower than its transaction's timeout, or replaced, kept out for good?

Bounds: an old and a new producer of one transactional id, two transactions over two partitions; the epoch can be raised
    twice.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import BOUNDS, EPOCH_LEMMAS, EXAMPLES, SAFETY, TIMEOUTS, TRANSACTIONS
from kafkacheck.spec.transactions.disturbances import epoch_begins_without_ids_left
from kafkacheck.spec.transactions.partitions import second_batch_of_epoch
from kafkacheck.spec.transactions.properties import fenced_client

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "clients": 2, "partitions": 2, "requests": 2, "produces": 2, "max_producer_epoch": 2},
    rules=TransactionRules(transaction_version=1),
    actions=[*TRANSACTIONS, *TIMEOUTS],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
    sometimes=[*EXAMPLES, fenced_client, second_batch_of_epoch, epoch_begins_without_ids_left],
    drawing=TRANSACTION_LANES,
)
