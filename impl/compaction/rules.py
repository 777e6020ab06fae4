"""The switches of compaction, each named for the right way.

Part of Kafka modelled: the variants of `LogCleaner` between Kafka 0.10 and today.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for what no known version did otherwise. Of the switches of producers there
are only those that storing a batch reads (`impl/producer/rules.py`).
"""

from typing import NamedTuple


class CompactionRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True is the rule as it is today.

    cleaning_ends_at_high_watermark: the cleaner goes no further than to the last stable offset, which is the high
        watermark where no transaction is open (KAFKA-13194).
    delete_horizon_is_awaited: a tombstone, or the marker of a transaction without data, is removed by a later pass than
        the one that could first remove it, and `delete.retention.ms` after that (KIP-534, KAFKA-4529).
    markers_have_no_key: a marker is not taken for superseded by data whose key has the same bytes as its own
        (KAFKA-14055).
    last_batch_is_kept: of each producer the last batch stays, although its record is removed: it tells the sequence.
    last_batch_is_emptied: that batch stays without its record, and not with it (KAFKA-5490).
    batches_to_retain: as of `ProducerRules`.
    sequence_wraps: as of `ProducerRules`.
    unknown_producer_may_go_on: as of `ProducerRules`.
    empty_log_awaits_first_sequence: as of `ProducerRules`.
    replication_is_trusted: as of `ProducerRules`.
    verification: as of `ProducerRules`; there is no coordinator here that could be asked.
    offset_commit_is_verified: as of `ProducerRules`.
    guard_is_unique: as of `ProducerRules`.
    lowest_sequence_is_awaited: as of `ProducerRules`.
    """

    cleaning_ends_at_high_watermark: bool = True
    delete_horizon_is_awaited: bool = True
    markers_have_no_key: bool = True
    last_batch_is_kept: bool = True
    last_batch_is_emptied: bool = True
    batches_to_retain: int = 5
    sequence_wraps: bool = True
    unknown_producer_may_go_on: bool = True
    empty_log_awaits_first_sequence: bool = True
    replication_is_trusted: bool = True
    verification: bool = False
    offset_commit_is_verified: bool = True
    guard_is_unique: bool = True
    lowest_sequence_is_awaited: bool = True
