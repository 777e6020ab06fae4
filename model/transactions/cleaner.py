"""After a log is cleaned, does every reader get the committed records, and nothing else?

Bounds: two transactions of one producer in one partition; segments of one batch, cleaned in any order; another broker
    that comes to lead with the cleaned log.
Expected: HOLDS
"""

from kafkacheck.model.transactions import family
from kafkacheck.model.transactions.clients import consumer_begins_anew, consumer_reads
from kafkacheck.model.transactions.environment import partition_is_reloaded
from kafkacheck.model.transactions.partitions import cleaner_cleans_segment
from kafkacheck.spec.transactions import partitions, properties

MODEL = family.TRANSACTIONAL.model(
    bounds={"segment_size": 1, "moves": 1},
    actions=[*family.TRANSACTIONS, consumer_reads, consumer_begins_anew, cleaner_cleans_segment, partition_is_reloaded],
    always=[
        *family.TRANSITIONS,
        properties.only_what_was_to_be_committed_is_delivered,
        properties.open_transactions_are_known,
        properties.readers_stop_at_undecided,
        properties.reads_end_at_stable_offset,
        partitions.the_cleaner_removes_what_nobody_needs,
    ],
    sometimes=[
        *family.EXAMPLES,
        properties.delivered_record,
        partitions.aborted_record_is_cleaned,
        partitions.marker_is_cleaned,
        partitions.last_marker_is_cleaned,
    ],
)
