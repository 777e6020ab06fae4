"""Does a transaction end even if one of its partitions is deleted?

Bounds: two transactions over two partitions, one of which is deleted.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions.coordinators import coordinator_drops_deleted_partition
from kafkacheck.model.transactions.environment import partition_is_deleted
from kafkacheck.model.transactions.family import (
    COORDINATOR,
    EXAMPLES,
    LEADER,
    LEMMAS,
    TIMEOUTS,
    TRANSACTIONAL,
    TRANSACTIONS,
    TRANSITIONS,
)
from kafkacheck.spec.transactions.properties import (
    fenced_client,
    nothing_is_undecided,
    only_what_was_to_be_committed_is,
    something_is_undecided,
    transactions_are_atomic,
)

MODEL = TRANSACTIONAL.model(
    bounds={"partitions": 2, "producer_ids": 2, "deletions": 1},
    actions=[*TRANSACTIONS, *TIMEOUTS, partition_is_deleted, coordinator_drops_deleted_partition],
    always=[*TRANSITIONS, transactions_are_atomic, only_what_was_to_be_committed_is],
    lemmas=LEMMAS,
    sometimes=[*EXAMPLES, fenced_client],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS, coordinator_drops_deleted_partition)],
)
