"""Does a transaction end as its application wants, even if requests to end it arrive late or twice?

Bounds: two transactions of one producer over two partitions; two requests to the coordinator that are repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions.environment import request_is_repeated
from kafkacheck.model.transactions.family import EPOCH_LEMMAS, SAFETY, TRANSACTIONAL, TRANSACTIONS

MODEL = TRANSACTIONAL.model(
    bounds={"partitions": 2, "requests": 3, "delays": 2},
    actions=[*TRANSACTIONS, request_is_repeated],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
)
