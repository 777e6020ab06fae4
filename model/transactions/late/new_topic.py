"""Does a topic that reuses a deleted topic's name stay free of messages that were meant for the old topic?

Bounds: two transactions of one producer in one partition, which is deleted and created again; one produce request that
    is repeated.
Expected: HOLDS
"""

from kafkacheck.model.transactions import coordinators, environment, family
from kafkacheck.spec.transactions import properties, steps

MODEL = family.TRANSACTIONAL.model(
    bounds={"producer_ids": 2, "produces": 2, "delays": 1, "deletions": 1, "recreations": 1},
    actions=[
        *family.TRANSACTIONS,
        *family.TIMEOUTS,
        environment.produce_is_repeated,
        environment.partition_is_deleted,
        environment.topic_is_recreated,
        coordinators.coordinator_drops_deleted_partition,
    ],
    always=[
        properties.transactions_are_atomic,
        properties.only_what_was_to_be_committed_is,
        properties.applications_are_told_the_truth,
        properties.records_are_stored_once,
        properties.producer_epochs_do_not_fall,
        properties.open_transactions_are_known,
        steps.stopped_clients_do_nothing,
        steps.transitions_are_valid,
        *family.STEPS,
    ],
    sometimes=[*family.EXAMPLES, properties.fenced_client],
)
