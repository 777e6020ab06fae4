"""Is a producer fenced for good if it is slower than its transaction's timeout, or is replaced?

Bounds: an old and a new producer of one transactional id; two transactions over two partitions; the epoch can be raised
    twice.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family
from kafkacheck.spec.transactions.disturbances import epoch_begins_without_ids_left
from kafkacheck.spec.transactions.partitions import second_batch_of_epoch
from kafkacheck.spec.transactions.properties import fenced_client

MODEL = family.TRANSACTIONAL.model(
    bounds={"clients": 2, "partitions": 2, "requests": 2, "produces": 2, "max_producer_epoch": 2},
    rules=TransactionRules(transaction_version=1),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS],
    always=family.SAFETY,
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[*family.EXAMPLES, fenced_client, second_batch_of_epoch, epoch_begins_without_ids_left],
)
