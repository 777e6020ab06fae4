"""The switches of producers and of the broker's state of them, each named for the right way.

Part of Kafka modelled: the variants of idempotence between Kafka 0.11 and today, and those of other clients.
Source: the KIPs and issues named at each switch; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: switches for what no known version did otherwise; a rule without a switch is as in the
commit named.
"""

from typing import NamedTuple


class ProducerRules(NamedTuple):
    """The switches, constant during a run. A `bool` that is True is the rule as it is today.

    batches_to_retain: of how many batches a broker remembers the sequences, at most the bound `cached_batches`; 5 in
        Kafka, as many as may be in flight (`ProducerStateEntry.NUM_BATCHES_TO_RETAIN`, KAFKA-5494).
    sequence_wraps: the highest sequence is followed by 0 (KAFKA-7692, KAFKA-7693).
    unknown_producer_may_go_on: a broker that remembers nothing of a producer takes any sequence; otherwise only 0, and
        answers UNKNOWN_PRODUCER_ID (before KIP-360).
    state_outlives_records: what is known of a producer stays when its last records are deleted (KAFKA-7190).
    replication_is_trusted: a follower takes what its leader has, whatever the sequence (KAFKA-6003).
    verification: a first transactional batch is appended only if the coordinator confirms its transaction (KIP-890).
    lowest_sequence_is_awaited: while a transaction is being verified no batch above the lowest sequence that came is
        appended (KAFKA-14920).
    """

    batches_to_retain: int = 5
    sequence_wraps: bool = True
    unknown_producer_may_go_on: bool = True
    state_outlives_records: bool = True
    replication_is_trusted: bool = True
    verification: bool = True
    lowest_sequence_is_awaited: bool = True
