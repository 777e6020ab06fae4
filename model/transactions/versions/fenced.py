"""Is it enough that a repeated EndTxn is recognized only if the transaction was ended by transaction version 2?

This is the mended rule of finding F12 of `tests/kafka/findings`. No release has it.

Bounds: those of `transactions.versions.revived`, in which a fenced client of version 2 is given the epoch of the client
    of version 1 that has replaced it.
Expected: HOLDS
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family, starts
from kafkacheck.model.transactions.versions.revived import ALWAYS, BOUNDS
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_mixed,
    bounds=BOUNDS,
    rules=TransactionRules(transaction_version=1, cluster_version=2, repeated_end_is_of_version_2=True),
    actions=family.TRANSACTIONS,
    always=ALWAYS,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
