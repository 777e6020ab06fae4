"""The switches of a log and its producer state, each named for the right rule.

Part of Kafka modelled: the variants of `ProducerStateManager`, `UnifiedLog` and `LogLoader` since Kafka 0.11.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in every known version.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since


class LogRules(NamedTuple):
    """The switches, constant during a run; a `bool` that is True is the right rule.

    idempotence: a choice: brokers check the sequences that a producer gives its batches (`enable.idempotence`, KIP-98).
    batches_to_retain: how many batches' sequences a broker remembers, at most the bound `cached_batches`; 5 in Kafka,
        as many as may be in flight (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`, KAFKA-5494).
    sequence_wraps: the highest sequence is followed by 0 (KAFKA-7692, KAFKA-7693).
    unknown_producer_may_go_on: a broker takes any sequence from a producer that it does not know; before KIP-360 it
        takes only 0, and answers UNKNOWN_PRODUCER_ID to any other.
    state_outlives_records: a producer's state stays when its last records are deleted (KAFKA-7190).
    empty_log_awaits_first_sequence: a partition that has never had a batch takes only sequence 0 from a producer that
        it does not know (KAFKA-15591; since 4.5).
    new_state_begins_at_zero: while a transaction of version 2 is being verified, a producer of which no batch is
        remembered begins with sequence 0 (KAFKA-18202; since 4.1).
    replication_is_trusted: a follower takes its leader's batches with any sequence (KAFKA-6003).
    verification: a first transactional batch is appended only if the coordinator confirms its transaction (KIP-890).
    offset_commit_is_verified: a transaction's first offset is verified like its first batch (KAFKA-15449).
    guard_is_unique: a verification's guard differs from every other one of the partition, not only from `NO_GUARD`
        (KAFKA-14884).
    lowest_sequence_is_awaited: while a transaction is being verified, no batch above the lowest sequence that came is
        appended (KAFKA-14920).
    transaction_is_of_epoch: a batch belongs to an open transaction only if it has the epoch that the partition knows;
        and in version 2 a marker does not end a verification of its own epoch, which is for the next transaction
        (KAFKA-18575; since 4.0).
    verification_has_version_of_epoch: if a batch of a newer epoch joins a verification, the verification gets that
        batch's transaction version. In every release it keeps the version of the batch that began it (no Kafka: finding
        F11 of tests/kafka/findings).
    old_epoch_is_refused_early: no transaction of an old epoch is verified (KAFKA-18042; since 4.1).
    old_epoch_is_named_first: a batch of an old epoch that is not verified is refused for its epoch (KAFKA-19690; since
        4.1.1, and in 4.0.2).
    snapshot_names_its_end: the file name of a snapshot is the end offset of its content (KAFKA-5249).
    snapshot_is_flushed_first: a snapshot reaches the disk before older ones are deleted and recovery begins after them
        (KAFKA-9892).
    missing_snapshot_is_made_up_for: without a usable snapshot the state is rebuilt from the log's start, not from the
        point where recovery begins (KAFKA-5829).
    truncation_reloads_first: after a truncation the producer state is rebuilt before the high watermark, and with it
        the last stable offset, moves to the log's new end (KAFKA-12153).
    answers_await_flush: a batch is flushed before it is acknowledged (`log.flush.interval.messages=1`).
    """

    idempotence: bool = True
    batches_to_retain: Annotated[int, Since(EVERY), Since("0.11.0", 1), Since("1.0")] = 5
    sequence_wraps: Annotated[bool, Since("2.1.1", begun="0.11.0")] = True
    unknown_producer_may_go_on: Annotated[bool, Since("2.5")] = True
    state_outlives_records: Annotated[bool, Since("2.4", begun="0.11.0")] = True
    empty_log_awaits_first_sequence: Annotated[bool, Since("4.5", True)] = False
    new_state_begins_at_zero: Annotated[bool, Since("4.1")] = True
    replication_is_trusted: Annotated[bool, Since("0.11.0.2", begun="0.11.0")] = True
    verification: Annotated[bool, Since("3.6", begun="0.11.0")] = True
    offset_commit_is_verified: Annotated[bool, Since("3.7", begun="0.11.0")] = True
    guard_is_unique: Annotated[bool, Since(EVERY)] = True
    lowest_sequence_is_awaited: Annotated[bool, Since(EVERY)] = True
    transaction_is_of_epoch: Annotated[bool, Since("4.0")] = True
    verification_has_version_of_epoch: Annotated[bool, Since(EVERY)] = False
    old_epoch_is_refused_early: Annotated[bool, Since("4.1")] = True
    old_epoch_is_named_first: Annotated[bool, Since("4.0.2", begun="0.11.0"), Since("4.1.1", begun="4.1")] = True
    snapshot_names_its_end: Annotated[bool, Since(EVERY)] = True
    snapshot_is_flushed_first: Annotated[bool, Since("2.8", begun="0.11.0")] = True
    missing_snapshot_is_made_up_for: Annotated[bool, Since("1.0", begun="0.11.0")] = True
    truncation_reloads_first: Annotated[bool, Since("2.7.1", begun="2.4")] = True
    answers_await_flush: bool = False
