"""The switches of compaction, each named for the right way.

Part of Kafka modelled: the variants of `LogCleaner` between Kafka 0.10 and today.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in every known version, and the producer's
switches that appending a batch does not read (`impl/producer/rules.py`).
"""

from typing import NamedTuple


class CompactionRules(NamedTuple):
    """The switches, constant during a run; a `bool` that is True is today's rule.

    cleaning_ends_at_high_watermark: the cleaner stops at the last stable offset, which is the high watermark if no
        transaction is open (KAFKA-13194).
    delete_horizon_is_awaited: a tombstone, or the marker of a transaction without data, is removed by a later pass than
        the one that could first remove it, and `delete.retention.ms` after that (KIP-534, KAFKA-4529).
    markers_have_no_key: data whose key has the same bytes as a marker's key does not supersede the marker
        (KAFKA-14055).
    last_batch_is_kept: each producer's last batch stays when its record is removed, because it tells the sequence.
    last_batch_is_emptied: that batch stays without its record, and not with it (KAFKA-5490).
    batches_to_retain: as in `ProducerRules`.
    sequence_wraps: as in `ProducerRules`.
    unknown_producer_may_go_on: as in `ProducerRules`.
    empty_log_awaits_first_sequence: as in `ProducerRules`.
    replication_is_trusted: as in `ProducerRules`.
    verification: as in `ProducerRules`; here there is no coordinator to ask.
    offset_commit_is_verified: as in `ProducerRules`.
    guard_is_unique: as in `ProducerRules`.
    lowest_sequence_is_awaited: as in `ProducerRules`.
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
