"""May an application commit or abort a transaction in which it has sent nothing?

Bounds: three transactions of one producer in one partition, of which two may be committed empty; transactions time out.
Expected: HOLDS
"""

from kafkacheck.model.transactions import clients, family
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "batches": 3, "empty_commits": 2},
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, clients.producer_commits_nothing],
    always=[*family.SAFETY, *family.UPGRADE],
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
