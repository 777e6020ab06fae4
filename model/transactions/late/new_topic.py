"""Does a topic that reuses a deleted topic's name stay free of messages that were meant for the old topic?

Bounds: two transactions of one producer in one partition, which is deleted and created again; one produce request that
    is repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions.coordinators import coordinator_drops_deleted_partition
from kafkacheck.model.transactions.environment import partition_is_deleted, produce_is_repeated, topic_is_recreated
from kafkacheck.model.transactions.family import EXAMPLES, STEPS, TIMEOUTS, TRANSACTIONAL, TRANSACTIONS
from kafkacheck.spec.transactions.properties import (
    applications_are_told_the_truth,
    fenced_client,
    only_what_was_to_be_committed_is,
    open_transactions_are_known,
    producer_epochs_do_not_fall,
    records_are_stored_once,
    transactions_are_atomic,
)
from kafkacheck.spec.transactions.steps import stopped_clients_do_nothing, transitions_are_valid

MODEL = TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "produces": 2, "delays": 1, "deletions": 1, "recreations": 1},
    actions=[
        *TRANSACTIONS,
        *TIMEOUTS,
        produce_is_repeated,
        partition_is_deleted,
        topic_is_recreated,
        coordinator_drops_deleted_partition,
    ],
    always=[
        transactions_are_atomic,
        only_what_was_to_be_committed_is,
        applications_are_told_the_truth,
        records_are_stored_once,
        producer_epochs_do_not_fall,
        open_transactions_are_known,
        stopped_clients_do_nothing,
        transitions_are_valid,
        *STEPS,
    ],
    sometimes=[*EXAMPLES, fenced_client],
)
