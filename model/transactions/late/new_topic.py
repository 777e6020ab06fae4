"""Does a topic that reuses a deleted topic's name stay free of messages that were meant for the old topic?

Bounds: two transactions of one producer in one partition, which is deleted and created again; one produce request that
    is repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.coordinators import coordinator_drops_deleted_partition
from kafkacheck.model.transactions.environment import partition_is_deleted, produce_is_repeated, topic_is_recreated
from kafkacheck.spec.transactions import properties
from kafkacheck.spec.transactions.steps import stopped_clients_do_nothing, transitions_are_valid

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "produces": 2, "delays": 1, "deletions": 1, "recreations": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        produce_is_repeated,
        partition_is_deleted,
        topic_is_recreated,
        coordinator_drops_deleted_partition,
    ],
    always=[
        properties.transactions_are_atomic,
        properties.only_what_was_to_be_committed_is,
        properties.applications_are_told_the_truth,
        properties.records_are_stored_once,
        properties.producer_epochs_do_not_fall,
        properties.open_transactions_are_known,
        stopped_clients_do_nothing,
        transitions_are_valid,
        *family.STEPS,
    ],
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
