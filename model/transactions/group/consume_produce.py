"""Does every input take effect exactly once if applications consume, transform and produce in transactions?

Bounds: one input, two clients with a transactional id each, two rebalances and two transactions.
Expected: HOLDS
"""

from kafkacheck.model.transactions import family, starts

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group,
    bounds={
        "clients": 2,
        "transactional_ids": 2,
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "requests": 2,
        "produces": 2,
        "inputs": 1,
        "max_generation": 2,
        "rebalances": 2,
    },
    actions=family.CONSUME_PRODUCE,
    always=[*family.SAFETY, *family.GROUP_SAFETY],
)
