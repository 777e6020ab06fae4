"""Arithmetic of sequences, which begin again at 0 after the highest one.

Part of Kafka modelled: `DefaultRecordBatch.incrementSequence`, `decrementSequence`; `ProducerAppendInfo.inSequence`.
Source: apache/kafka (commit 1eb7644349); KAFKA-5494, KAFKA-7692, KAFKA-7693.
Left out, and why that is sound: nothing; the highest sequence is a bound, and small.
"""

from kafkacheck.impl.log.constants import NO_SEQUENCE
from kafkacheck.impl.log.rules import LogRules


def sequence_after(sequence: int, count: int, max_sequence: int) -> int:
    """The sequence `count` steps after `sequence`; the first one after `NO_SEQUENCE` is 0."""
    following = sequence + count
    if following > max_sequence:
        return following - max_sequence - 1
    return following


def sequence_before(sequence: int, count: int, max_sequence: int) -> int:
    """The sequence `count` steps before `sequence`."""
    preceding = sequence - count
    if preceding < 0:
        return preceding + max_sequence + 1
    return preceding


def last_sequence_of(base_sequence: int, record_count: int, max_sequence: int) -> int:
    """The sequence of the last record of a batch; `NO_SEQUENCE` for a batch without sequences."""
    if base_sequence == NO_SEQUENCE:
        return NO_SEQUENCE
    return sequence_after(base_sequence, record_count - 1, max_sequence)


def is_in_sequence(rules: LogRules, last_sequence: int, next_sequence: int, max_sequence: int) -> bool:
    """Whether a batch that begins with `next_sequence` may follow one that ends with `last_sequence`."""
    if next_sequence == last_sequence + 1:
        return True
    return rules.sequence_wraps and last_sequence == max_sequence and next_sequence == 0
