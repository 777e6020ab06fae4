"""Can an application start anew if its coordinator has aborted its transaction before its commit arrives?

This is the mended rule of KAFKA-20785, which no release up to 4.4 has.

Bounds: two transactions of one producer in one partition, of which the second may be in the last epoch; one request
    that is repeated.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import environment, family
from kafkacheck.spec.transactions import clients, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 3, "max_producer_epoch": 2, "requests": 2, "delays": 1},
    rules=TransactionRules(commit_after_abort_is_fenced=True),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, environment.request_is_repeated],
    always=[*family.SAFETY, *family.UPGRADE, clients.refused_commits_let_applications_start_anew],
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
