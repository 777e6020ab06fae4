"""Does a transaction of version 1 end if its verification was begun by a late request of version 2?

A client of version 1 takes over from one of version 2, whose late request begins a verification. The batch of version 1
joins this verification and is verified. The transaction is aborted. Its marker has the epoch of the verification, so
the leader takes the verification for one of version 2 and of the next transaction (KAFKA-18575), and keeps it. The
batch is appended after the marker. Nobody ends that transaction if the client does not write to the partition again.
This is finding F11 of `tests/kafka/findings`. `transactions.versions.mixed_versions` has a mended rule.

Bounds: those of `transactions.versions.mixed_versions`, which are enough to find it. With a third batch finding F12
    (`transactions.versions.revived`) is found first.
Expected: VIOLATED something_is_undecided_leads_to_nothing_is_undecided
"""

from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import family, starts
from kafkacheck.model.transactions.environment import produce_is_given_up
from kafkacheck.model.transactions.versions.mixed_versions import BOUNDS, FAIR
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_mixed,
    bounds=BOUNDS,
    rules=TransactionRules(transaction_version=1, cluster_version=2),
    actions=[*family.TRANSACTIONS, *family.TIMEOUTS, produce_is_given_up],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.fenced_client],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=FAIR,
)
