"""Does a transaction end as its application wants, even if requests to end it arrive late or twice?

Bounds: two transactions of one producer over two partitions; two requests to the coordinator that are repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions import environment, family

MODEL = family.TRANSACTIONAL.model(
    bounds={"partitions": 2, "requests": 3, "delays": 2},
    actions=[*family.TRANSACTIONS, environment.request_is_repeated],
    always=family.SAFETY,
    lemmas=family.EPOCH_LEMMAS,
)
