"""Does a transaction end even if one of its partitions is deleted?

Bounds: two transactions over two partitions, one of which is deleted.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.coordinators import coordinator_drops_deleted_partition
from kafkacheck.model.transactions.environment import partition_is_deleted
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"partitions": 2, "producer_ids": 2, "deletions": 1},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, partition_is_deleted, coordinator_drops_deleted_partition],
    always=[*family.TRANSITIONS, properties.transactions_are_atomic, properties.only_what_was_to_be_committed_is],
    lemmas=family.LEMMAS,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[
        each(action)
        for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS, coordinator_drops_deleted_partition)
    ],
)
