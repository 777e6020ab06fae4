"""Does a transaction commit its offset if its application filters its input, so that it has no record?

An application sends its offset before a record, or sends no record at all. Every transaction ends.

Bounds: two inputs, and one client with two transactions.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.transactions import clients, family, starts
from kafkacheck.spec.transactions import offsets, properties, steps

MODEL = family.TRANSACTIONAL.model(
    initial=starts.start_group,
    bounds={
        "producer_ids": 2,
        "partitions": 2,
        "offsets_partition": 1,
        "inputs": 2,
        "max_generation": 2,
        "rebalances": 2,
    },
    actions=[*family.CONSUME_PRODUCE, *family.TIMEOUTS, clients.producer_sends_offsets_first],
    always=[
        offsets.reported_offsets_are_committed,
        properties.inputs_take_effect_once,
        properties.open_transactions_are_known,
        steps.committed_offset_does_not_fall,
        *family.GROUP,
        *family.SAFETY,
    ],
    sometimes=[*family.EXAMPLES, offsets.offset_of_no_record],
    leads_to=[(properties.something_is_undecided, properties.nothing_is_undecided)],
    weakly_fair=[each(action) for action in (*family.COORDINATOR, *family.LEADER, *family.TIMEOUTS)],
)
