"""The preferred read replica: the leader names a follower, and the consumer reads from that follower for a time.

Part of Kafka modelled: `SubscriptionState` (`updatePreferredReadReplica`, `clearPreferredReadReplica`),
`FetchCollector` and `AbstractFetch` of the consumer; `impl.broker.consumer_requests` has the leader's choice.
Source: apache/kafka (commit 1eb7644349); KIP-392, KAFKA-14379, KAFKA-13778.
Left out, and why that is sound: the duration of a lease, which may end at once, later or never. **Not covered**: an
answer that comes after the consumer has turned to another broker; a leader that names a follower that is offline in the
consumer's metadata.
"""

from kafkacheck.impl.client.records import Consumer
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def handle_error(consumer: Consumer, rules: ClusterRules, has_failed: bool, is_out_of_range: bool) -> bool:
    """Receive an error from the read replica, or find the connection to it broken.

    Who: the consumer.
    When: the read replica fails, or the position is outside its log.
    Effect: the consumer fetches from its leader again, at the same position: an offset outside the follower's log need
        not be outside the leader's. By the rule before KAFKA-14379 only OFFSET_OUT_OF_RANGE had this effect.
    Source: FetchCollector.handleInitializeErrors, AbstractFetch.handleFetchFailure; KAFKA-14379.
    Left out: the request for new metadata, which may come at any time.
    """
    if has_failed:
        if not rules.error_ends_read_replica:
            return False
    elif not is_out_of_range or not rules.out_of_range_ends_read_replica:
        return False
    consumer.read_replica = NO_LEADER
    return True


def end_lease(consumer: Consumer, rules: ClusterRules) -> bool:
    """Ask the leader again, because the consumer has read from its read replica for a long time.

    Who: the consumer.
    When: it has a read replica.
    Effect: it fetches from its leader again.
    Source: SubscriptionState.preferredReadReplica (`metadata.max.age.ms`, five minutes); IBM/sarama#2464.
    """
    if consumer.read_replica == NO_LEADER or not rules.read_replica_is_leased:
        return False
    consumer.read_replica = NO_LEADER
    return True


def find_replica_offline(consumer: Consumer, metadata: Metadata) -> bool:
    """Receive metadata in which the read replica is offline or not assigned.

    Who: the consumer.
    When: a running broker has replayed that the read replica is fenced or not assigned.
    Effect: the consumer fetches from its leader again.
    Source: AbstractFetch.selectReadReplica, Cluster.nodeIfOnline; KIP-392.
    Left out: metadata of a newer leader epoch, which has that effect anyway (`learn_leader`).
    """
    if consumer.read_replica == NO_LEADER or consumer.read_replica in metadata.active & metadata.replicas:
        return False
    consumer.read_replica = NO_LEADER
    return True
