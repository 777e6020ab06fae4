"""The switches of producers, each named for the right rule.

Part of Kafka modelled: the variants of idempotence between Kafka 0.11 and today, and those of other clients.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for rules that are the same in every known version; a rule without a switch is
that of the named commit.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.constants import Sending


class ProducerRules(NamedTuple):
    """The switches, constant during a run; a `bool` that is True is today's rule.

    log: the switches of the brokers' logs.
    sending: when the application's call of `send` returns.
    partition_is_muted: while a batch is in flight to a partition, no other one is sent there
        (`max.in.flight.requests.per.connection=1`, KAFKA-3197).
    unknown_outcome_is_open: a batch whose response was lost does not count as stored: its sequence stays the next to be
        acknowledged (librdkafka-4438).
    expired_batch_keeps_its_buffer: the memory of a batch that expires in flight is not reused before its request has
        ended (KAFKA-19012; before Kafka 2.8 a request had a copy of its batches).
    in_flight_batch_has_epoch: batches in flight are distinguished by producer id and epoch, not only by their first
        sequence (KAFKA-13794).
    flush_awaits_split_batches: an application that waits until all is sent waits for both halves of a batch that
        was too large (KAFKA-19479).
    bump_needs_proven_gap: the client reacts to OUT_OF_ORDER_SEQUENCE_NUMBER by a new epoch only if no other cause
        explains it (REDPANDA-3039).
    gap_awaits_earlier_batches: no new epoch begins because of an expired batch while an earlier batch is unsettled (no
        Kafka: finding F4 of tests/kafka/findings).
    refused_batch_awaits_others: after a batch is refused for good, the batches in flight to its partition are settled
        before a new epoch begins (proposed in KAFKA-14034; Kafka begins it at once).
    only_failing_partition_is_rewritten: with a new epoch only the batches of the partition that needed it get new
        sequences; those of others keep theirs until they are settled (librdkafka-4953).
    counter_knows_its_epoch: with a new epoch each partition's counter begins at 0 before its next new batch
        (KAFKA-12152).
    rewrites_in_sequence_order: batches in flight get new sequences in the order of their old ones (KAFKA-8483).
    exhausted_epoch_takes_new_id: after the highest epoch comes another producer id, not epoch 0 (KAFKA-5283).
    rewritten_batches_have_producer_id: batches in flight that get new sequences after the highest epoch have the new
        producer id, instead of none (no Kafka: finding F13 of tests/kafka/findings).
    counter_survives_metadata: the client keeps its counter when a topic is missing from its metadata for a while
        (librdkafka).
    """

    log: LogRules = LogRules()
    sending: Sending = Sending.BUFFERED
    partition_is_muted: bool = False
    unknown_outcome_is_open: Annotated[bool, Since(EVERY)] = True
    expired_batch_keeps_its_buffer: Annotated[
        bool, Since("3.9.2", begun="2.8"), Since("4.0.2", begun="4.0"), Since("4.1.2", begun="4.1")
    ] = True
    in_flight_batch_has_epoch: Annotated[bool, Since("3.0.2", begun="2.3"), Since("3.1.1", begun="3.1")] = True
    flush_awaits_split_batches: Annotated[
        bool, Since("3.9.2", begun="0.11.0"), Since("4.0.2", begun="4.0"), Since("4.1.1", begun="4.1")
    ] = True
    bump_needs_proven_gap: Annotated[bool, Since(EVERY)] = True
    gap_awaits_earlier_batches: Annotated[bool, Since(EVERY)] = False
    refused_batch_awaits_others: Annotated[bool, Since(EVERY)] = False
    only_failing_partition_is_rewritten: Annotated[bool, Since(EVERY)] = True
    counter_knows_its_epoch: Annotated[bool, Since("2.7.1", begun="2.5")] = True
    rewrites_in_sequence_order: Annotated[bool, Since("2.3", begun="1.0")] = True
    exhausted_epoch_takes_new_id: Annotated[bool, Since(EVERY)] = True
    rewritten_batches_have_producer_id: Annotated[bool, Since(EVERY)] = False
    counter_survives_metadata: Annotated[bool, Since(EVERY)] = True
