"""If another member has passed a transaction's offset, does the committed offset stay when the transaction ends?

Bounds: two inputs, a client with one transaction and a consumer that does not write, and two rebalances.
Expected: HOLDS
"""

from kafkacheck.model.transactions import clients, family, starts
from kafkacheck.spec.transactions import properties, steps
from kafkacheck.spec.transactions.clients import plain_consumer_does_not_wait

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group_with_consumer,
    bounds={
        "clients": 2,
        "transactional_ids": 2,
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "requests": 2,
        "produces": 2,
        "batches": 1,
        "inputs": 2,
        "max_processed": 2,
        "max_generation": 2,
        "rebalances": 2,
    },
    actions=[*family.CONSUME_PRODUCE, clients.application_processes, clients.consumer_commits_offset],
    always=[*family.SAFETY, *family.GROUP, steps.committed_offset_does_not_fall],
    sometimes=[properties.committed_transaction, plain_consumer_does_not_wait],
)
