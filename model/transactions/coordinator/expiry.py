"""Can a transactional id that was unused for long be removed without harm to producers that use it after all?

Bounds: an old and a new producer of one transactional id, two transactions, one removal, and a request that is
    repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions.environment import request_is_repeated, transactional_id_expires
from kafkacheck.model.transactions.family import EPOCH_LEMMAS, EXAMPLES, SAFETY, TRANSACTIONAL, TRANSACTIONS
from kafkacheck.spec.transactions.disturbances import (
    epoch_begins_behind_abort,
    epoch_begins_behind_commit,
    epoch_begins_behind_nothing,
    init_rotates_producer_id,
    transaction_is_fenced,
)
from kafkacheck.spec.transactions.properties import fenced_client

MODEL = TRANSACTIONAL.model(
    bounds={"clients": 2, "producer_ids": 3, "requests": 3, "produces": 2, "expirations": 1, "delays": 1},
    actions=[*TRANSACTIONS, request_is_repeated, transactional_id_expires],
    always=SAFETY,
    lemmas=EPOCH_LEMMAS,
    sometimes=[
        *EXAMPLES,
        fenced_client,
        transaction_is_fenced,
        epoch_begins_behind_nothing,
        epoch_begins_behind_commit,
        epoch_begins_behind_abort,
        init_rotates_producer_id,
    ],
)
