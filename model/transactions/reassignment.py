"""Does each transaction end when a reassignment takes the transaction log from its coordinator?

Bounds: two transactions of one producer in one partition, with transaction version 1, so that they share one epoch; one
    reassignment, which may or may not keep the uncommitted entry.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"max_coordinator_epoch": 1, "failovers": 1},
    rules=TransactionRules(transaction_version=1),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, environment.coordinator_is_reassigned],
    always=family.SAFETY,
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
