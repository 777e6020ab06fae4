"""Does a batch that arrives late, or twice, stay out of every transaction but its own?

Bounds: two transactions of one producer in one partition; two produce requests that are repeated or given up.
Expected: HOLDS
"""

from kafkacheck.model.transactions import environment, family

MODEL = family.TRANSACTIONAL.model(
    bounds={"produces": 3, "delays": 2},
    actions=[*family.TRANSACTIONS, environment.produce_is_repeated, environment.produce_is_given_up],
    always=family.SAFETY,
    lemmas=family.EPOCH_LEMMAS,
)
