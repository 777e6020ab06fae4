"""Can a transactional id that was unused for long be removed without harm to producers that use it after all?

Bounds: an old and a new producer of one transactional id, two transactions, one removal, and a request that is
    repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import disturbances, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"clients": 2, "producer_ids": 3, "requests": 3, "produces": 2, "expirations": 1, "delays": 1},
    actions=[*family.TRANSACTIONS, environment.request_is_repeated, environment.transactional_id_expires],
    always=family.SAFETY,
    lemmas=family.EPOCH_LEMMAS,
    sometimes=[
        *family.EXAMPLES,
        properties.fenced_client,
        disturbances.transaction_is_fenced,
        disturbances.epoch_begins_behind_nothing,
        disturbances.epoch_begins_behind_commit,
        disturbances.epoch_begins_behind_abort,
        disturbances.init_rotates_producer_id,
    ],
)
