"""Does an offset that is committed in a transaction survive if the offsets of its group expire meanwhile?

Bounds: two inputs and one client with two transactions; offsets expire once, and the group's coordinator is replaced
once. A client whose offset has expired begins with the first input again, so inputs may take effect twice.
Expected: HOLDS
"""

from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.coordinators import group_coordinator_ends_loading, group_coordinator_reads_record
from kafkacheck.model.transactions.environment import group_coordinator_is_replaced, offset_expires
from kafkacheck.model.transactions.starts import start_group
from kafkacheck.spec.transactions import offsets
from kafkacheck.spec.transactions.properties import committed_inputs_take_effect

MODEL = family.TRANSACTIONAL.model(
    initial=start_group,
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
        group_coordinator_reads_record,
        group_coordinator_ends_loading,
        group_coordinator_is_replaced,
        offset_expires,
    ],
    always=[
        offsets.committed_offsets_count,
        offsets.offsets_expire_when_nothing_is_pending,
        offsets.offsets_match_log,
        offsets.requests_await_loading,
        committed_inputs_take_effect,
        *family.GROUP,
        *family.SAFETY,
    ],
)
