"""Do an old client of transaction version 1 and one of version 2 fence each other if they share a transactional id?

By the rules of every release a transaction can stay open for ever (`transactions.versions.late_verification`); this
model has the smallest mend that we know.

Bounds: two transactions of two clients in one partition; one request to store something is repeated or given up.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import environment, family, starts
from kafkacheck.spec.transactions import properties

BOUNDS = {
    "clients": 2,
    "producer_ids": 2,
    "max_producer_epoch": 4,
    "requests": 2,
    "produces": 3,
    "delays": 1,
    "upgrades": 1,
}
FAIR = [each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)]

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_mixed,
    bounds=BOUNDS,
    rules=TransactionRules(
        transaction_version=1, cluster_version=2, log=LogRules(verification_has_version_of_epoch=True)
    ),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, environment.produce_is_repeated, environment.produce_is_given_up],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=FAIR,
)
