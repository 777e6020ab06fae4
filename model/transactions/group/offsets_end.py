"""Does every transaction with offsets end, even if requests arrive late?

Bounds: one input and one client with one transaction; the client gives up one of its requests to store something.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import environment, family, starts
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group,
    bounds={
        "batches": 1,
        "log_size": 4,
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "produces": 2,
        "inputs": 1,
        "max_generation": 1,
        "rebalances": 1,
        "delays": 1,
    },
    actions=[*family.CONSUME_PRODUCE, *family.TIMEOUTS, environment.produce_is_given_up],
    always=[*family.SAFETY, *family.GROUP_SAFETY],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
