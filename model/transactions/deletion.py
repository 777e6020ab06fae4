"""Does a transaction end, although one of its partitions is deleted?

Bounds: two transactions over two partitions, one of which is deleted.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model, each
from kafkacheck.impl.transactions.markers import coordinator_drops_deleted_partition
from kafkacheck.impl.transactions.records import State
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.drawing import TRANSACTION_LANES
from kafkacheck.model.transactions.environment import partition_is_deleted
from kafkacheck.model.transactions.starts import start_transactions
from kafkacheck.model.transactions.system import (
    BOUNDS,
    COORDINATOR,
    EXAMPLES,
    LEADER,
    LEMMAS,
    TIMEOUTS,
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

MODEL = Model(
    state=State,
    initial=start_transactions,
    bounds={**BOUNDS, "partitions": 2, "producer_ids": 2, "deletions": 1},
    rules=TransactionRules(),
    actions=[*TRANSACTIONS, *TIMEOUTS, partition_is_deleted, coordinator_drops_deleted_partition],
    always=[*TRANSITIONS, transactions_are_atomic, only_what_was_to_be_committed_is],
    lemmas=LEMMAS,
    sometimes=[*EXAMPLES, fenced_client],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS, coordinator_drops_deleted_partition)],
    drawing=TRANSACTION_LANES,
)
