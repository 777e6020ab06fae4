"""Is every transaction safe if its client goes back from transaction version 2 to 1 and messages arrive late?

The last transaction of version 2 raised the epoch when it ended, so none of its messages can join the next transaction,
of version 1. Version 1 leaves gaps between two of its own transactions, and these gaps remain. The cluster goes back
after the client's last transaction of version 2: with `cluster_version=1` a coordinator aborts that transaction by
version 1, and a repeated marker of this abort can end the next transaction. By the rules of every release the last
transaction can stay open for ever, as in `transactions.versions.late_verification`; this model has the smallest mend
that we know.

Bounds: two transactions of one producer in one partition, the first of version 2 and the second of version 1; two
    messages that are repeated or given up: one request to the coordinator, and one request to the partition or one
    marker; or two of a kind.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions import environment, family, partitions, starts
from kafkacheck.spec.transactions import properties

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_return,
    bounds={"producer_ids": 2, "requests": 2, "produces": 2, "delays": 2, "upgrades": 1},
    rules=TransactionRules(
        transaction_version=1, cluster_version=2, log=LogRules(verification_has_version_of_epoch=True)
    ),
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        partitions.leader_writes_late_marker,
        environment.marker_is_repeated,
        environment.produce_is_given_up,
        environment.produce_is_repeated,
        environment.request_is_repeated,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, properties.fenced_client, properties.partition_is_asked_for],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
