"""The switches of producers and of the broker's producer state, each named for the right rule.

Part of Kafka modelled: the variants of idempotence between Kafka 0.11 and today, and those of other clients.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in every known version; a rule without a switch is
that of the named commit.
"""

from typing import NamedTuple

from kafkacheck.impl.producer.constants import Sending


class ProducerRules(NamedTuple):
    """The switches, constant during a run; a `bool` that is True is today's rule.

    idempotence: brokers check the sequences that a producer gives its batches (`enable.idempotence`, KIP-98).
    batches_to_retain: how many batches' sequences a broker remembers, at most the bound `cached_batches`; 5 in Kafka,
        as many as may be in flight (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`, KAFKA-5494).
    sequence_wraps: the highest sequence is followed by 0 (KAFKA-7692, KAFKA-7693).
    unknown_producer_may_go_on: a broker takes any sequence from a producer that it does not know; by the old rule only
        0, and otherwise it answers UNKNOWN_PRODUCER_ID (before KIP-360).
    state_outlives_records: a producer's state stays when its last records are deleted (KAFKA-7190).
    empty_log_awaits_first_sequence: a partition that has never had a batch takes only sequence 0 from a producer that
        it does not know (KAFKA-15591).
    replication_is_trusted: a follower takes its leader's batches with any sequence (KAFKA-6003).
    verification: a first transactional batch is appended only if the coordinator confirms its transaction (KIP-890).
    offset_commit_is_verified: a transaction's first offset is verified like its first batch (KAFKA-15449).
    guard_is_unique: a verification's guard differs from every other one of the partition, not only from `NO_GUARD`
        (KAFKA-14884).
    lowest_sequence_is_awaited: while a transaction is being verified, no batch above the lowest sequence that came is
        appended (KAFKA-14920).
    snapshot_names_its_end: the file name of a snapshot is the end offset of its content (KAFKA-5249).
    snapshot_is_flushed_first: a snapshot reaches the disk before older ones are deleted and recovery begins after them
        (KAFKA-9892).
    missing_snapshot_is_made_up_for: without a usable snapshot the state is rebuilt from the log's start, not from the
        point where recovery begins (KAFKA-5829).
    truncation_reloads_first: after a truncation the producer state is rebuilt before the high watermark, and with it
        the last stable offset, moves to the log's new end (KAFKA-12153).
    answers_await_flush: a batch is flushed before it is acknowledged (`log.flush.interval.messages=1`).
    sending: when the application's call of `send` returns.
    partition_is_muted: while a batch is in flight to a partition, no other one is sent there
        (`max.in.flight.requests.per.connection=1`, KAFKA-3197).
    unknown_outcome_is_open: a batch whose response was lost does not count as stored: its sequence stays the next to be
        acknowledged (librdkafka-4438).
    expired_batch_keeps_its_buffer: the memory of a batch that expires in flight is not reused before its request has
        ended (KAFKA-19012).
    in_flight_batch_has_epoch: batches in flight are distinguished by producer id and epoch, not only by their first
        sequence (KAFKA-13794).
    flush_awaits_split_batches: an application that waits until all is sent waits for both halves of a batch that
        was too large (KAFKA-19479).
    bump_needs_proven_gap: the client reacts to OUT_OF_ORDER_SEQUENCE_NUMBER by a new epoch only if no other cause
        explains it (REDPANDA-3039).
    refused_batch_awaits_others: after a batch is refused for good, the batches in flight to its partition are settled
        before a new epoch begins (proposed in KAFKA-14034; Kafka begins it at once).
    only_failing_partition_is_rewritten: with a new epoch only the batches of the partition that needed it get new
        sequences; those of others keep theirs until they are settled (librdkafka-4953).
    counter_knows_its_epoch: with a new epoch each partition's counter begins at 0 before its next new batch
        (KAFKA-12152).
    rewrites_in_sequence_order: batches in flight get new sequences in the order of their old ones (KAFKA-8483).
    exhausted_epoch_takes_new_id: after the highest epoch comes another producer id, not epoch 0 (KAFKA-5283).
    counter_survives_metadata: the client keeps its counter when a topic is missing from its metadata for a while
        (librdkafka).
    """

    idempotence: bool = True
    batches_to_retain: int = 5
    sequence_wraps: bool = True
    unknown_producer_may_go_on: bool = True
    state_outlives_records: bool = True
    empty_log_awaits_first_sequence: bool = True
    replication_is_trusted: bool = True
    verification: bool = True
    offset_commit_is_verified: bool = True
    guard_is_unique: bool = True
    lowest_sequence_is_awaited: bool = True
    snapshot_names_its_end: bool = True
    snapshot_is_flushed_first: bool = True
    missing_snapshot_is_made_up_for: bool = True
    truncation_reloads_first: bool = True
    answers_await_flush: bool = False
    sending: Sending = Sending.BUFFERED
    partition_is_muted: bool = False
    unknown_outcome_is_open: bool = True
    expired_batch_keeps_its_buffer: bool = True
    in_flight_batch_has_epoch: bool = True
    flush_awaits_split_batches: bool = True
    bump_needs_proven_gap: bool = True
    refused_batch_awaits_others: bool = False
    only_failing_partition_is_rewritten: bool = True
    counter_knows_its_epoch: bool = True
    rewrites_in_sequence_order: bool = True
    exhausted_epoch_takes_new_id: bool = True
    counter_survives_metadata: bool = True
