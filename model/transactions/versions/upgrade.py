"""Is every transaction safe if its client goes from transaction version 1 to 2 and messages arrive late?

Bounds: two transactions of one producer in one partition, the first of version 1 and the second of version 2; two
    requests that are repeated or given up: one to the coordinator and one to the partition, or two of a kind.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.environment import produce_is_given_up, produce_is_repeated, request_is_repeated
from kafkacheck.model.transactions.starts import start_upgrade
from kafkacheck.spec.transactions.properties import fenced_client, nothing_is_undecided, something_is_undecided

MODEL = family.TRANSACTIONAL.model(
    initial=start_upgrade,
    bounds={"producer_ids": 2, "requests": 2, "produces": 2, "delays": 2, "upgrades": 1},
    rules=TransactionRules(transaction_version=1, cluster_version=2),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, request_is_repeated, produce_is_repeated, produce_is_given_up],
    always=[*family.SAFETY, *family.UPGRADE],
    sometimes=[*family.EXAMPLES, fenced_client],
    leads_to=[(something_is_undecided, nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
