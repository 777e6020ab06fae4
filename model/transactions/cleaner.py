"""After a log is cleaned, does every reader get the committed records, and nothing else?

Bounds: two transactions of one producer in one partition; segments of one batch, cleaned in any order; another broker
    that comes to lead with the cleaned log.
Expected: HOLDS
"""

from kafkacheck.model.transactions.clients import consumer_begins_anew, consumer_reads
from kafkacheck.model.transactions.environment import partition_is_reloaded
from kafkacheck.model.transactions.family import EXAMPLES, TRANSACTIONAL, TRANSACTIONS, TRANSITIONS
from kafkacheck.model.transactions.partitions import cleaner_cleans_segment
from kafkacheck.spec.transactions.partitions import (
    aborted_record_is_cleaned,
    last_marker_is_cleaned,
    marker_is_cleaned,
    the_cleaner_removes_what_nobody_needs,
)
from kafkacheck.spec.transactions.properties import (
    delivered_record,
    only_what_was_to_be_committed_is_delivered,
    open_transactions_are_known,
    readers_stop_at_undecided,
    reads_end_at_stable_offset,
)

MODEL = TRANSACTIONAL.model(
    bounds={"moves": 1},
    actions=[*TRANSACTIONS, consumer_reads, consumer_begins_anew, cleaner_cleans_segment, partition_is_reloaded],
    always=[
        *TRANSITIONS,
        only_what_was_to_be_committed_is_delivered,
        open_transactions_are_known,
        readers_stop_at_undecided,
        reads_end_at_stable_offset,
        the_cleaner_removes_what_nobody_needs,
    ],
    sometimes=[*EXAMPLES, delivered_record, aborted_record_is_cleaned, marker_is_cleaned, last_marker_is_cleaned],
)
