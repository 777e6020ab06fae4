"""Is every transaction safe while its client goes back from transaction version 2 to 1, whatever arrives late?

The last transaction of version 2 has raised the epoch when it ended, so that nothing of it can join the next one, of
version 1. What version 1 leaves open, between two of its own transactions, it leaves open afterwards, too.

Bounds: two transactions of one producer in one partition, the first of version 2 and the second of version 1; one
    request to the coordinator and one to the partition or one marker, or two of a kind, that are repeated or given up.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.transactions.markers import leader_writes_late_marker
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.environment import (
    marker_is_repeated,
    produce_is_given_up,
    produce_is_repeated,
    request_is_repeated,
)
from kafkacheck.model.transactions.starts import start_return
from kafkacheck.model.transactions.system import (
    COORDINATOR,
    EXAMPLES,
    LEADER,
    SAFETY,
    TIMEOUTS,
    TRANSACTIONAL,
    TRANSACTIONS,
)
from kafkacheck.spec.transactions.properties import (
    fenced_client,
    nothing_is_undecided,
    partition_is_asked_for,
    something_is_undecided,
)

MODEL = TRANSACTIONAL.model(
    initial=start_return,
    bounds={"producer_ids": 2, "requests": 2, "produces": 2, "delays": 2, "upgrades": 1},
    rules=TransactionRules(transaction_version=1),
    actions=[
        *TRANSACTIONS,
        *TIMEOUTS,
        leader_writes_late_marker,
        marker_is_repeated,
        produce_is_given_up,
        produce_is_repeated,
        request_is_repeated,
    ],
    always=SAFETY,
    sometimes=[*EXAMPLES, fenced_client, partition_is_asked_for],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*COORDINATOR, *LEADER, *TIMEOUTS)],
)
