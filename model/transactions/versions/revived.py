"""Does a client of transaction version 2 stay fenced when one of version 1 has replaced it?

This is finding F12 of `tests/kafka/findings`, by the rules of every release since 4.0. The new client ends a
transaction; with version 1 its epoch stays the same. The old client, whose epoch is the one before, ends its own
transaction with version 2. The coordinator takes this request for a repeated one, answers as if it had ended the old
client's transaction, and gives the old client the epoch of the new one.

Bounds: two clients in one partition, one transaction of each; no message is late for long.
Expected: VIOLATED epochs_are_of_one_client
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family, starts
from kafkacheck.spec.transactions import clients, properties

BOUNDS = {"clients": 2, "producer_ids": 2, "max_producer_epoch": 4, "requests": 2, "produces": 2, "upgrades": 1}
ALWAYS = (*family.SAFETY, clients.epochs_are_of_one_client)

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_mixed,
    bounds=BOUNDS,
    rules=TransactionRules(transaction_version=1, cluster_version=2),
    actions=family.TRANSACTIONS,
    always=ALWAYS,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
