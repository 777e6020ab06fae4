"""Does an offset that is committed in a transaction survive if the offsets of its group expire meanwhile?

Bounds: two inputs and one client with two transactions; offsets expire once, and the group's coordinator is replaced
once. A client whose offset has expired begins with the first input again, so inputs may take effect twice.
Expected: HOLDS
"""

from kafkacheck.model.transactions import coordinators, environment, family, starts
from kafkacheck.spec.transactions import offsets, properties

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group,
    bounds={
        "partitions": 2,
        "offsets_partition": 1,
        "inputs": 2,
        "max_generation": 1,
        "rebalances": 1,
        "group_failovers": 1,
        "offset_expirations": 1,
    },
    actions=[
        *family.CONSUME_PRODUCE,
        coordinators.group_coordinator_reads_record,
        coordinators.group_coordinator_ends_loading,
        environment.group_coordinator_is_replaced,
        environment.offset_expires,
    ],
    always=[
        offsets.committed_offsets_count,
        offsets.offsets_expire_when_nothing_is_pending,
        offsets.offsets_match_log,
        offsets.requests_await_loading,
        properties.committed_inputs_take_effect,
        *family.GROUP,
        *family.SAFETY,
    ],
)
