"""The preferred read replica: the leader names a follower, and the consumer reads from it until it gives that up.

Part of Kafka modelled: `ReplicaManager.findPreferredReadReplica` with any `ReplicaSelector`; `Partition.fetchRecords`
of a follower; `SubscriptionState` (`updatePreferredReadReplica`, `clearPreferredReadReplica`), `FetchCollector` and
`AbstractFetch` of the consumer.
Source: apache/kafka (commit 1eb7644349); KIP-392, KAFKA-14372, KAFKA-14379, KAFKA-13778.
Left out, and why that is sound: racks, by which a selector chooses: it may choose any candidate, or none, at any fetch;
the duration of a lease, which may end at once, later or never. **Not covered**: a follower whose log begins above the
leader's, which the leader knows from its fetches, and does not name; an answer that comes after the consumer has turned
to another broker; a leader that names a follower that is offline in the consumer's metadata.
"""

from kafkacheck.checker.schema import contains
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.client.consumer import has_readable_record, is_following_for, is_reading, take_record
from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def known_isr(broker: Broker, broker_id: int) -> int:
    """The ISR from which a broker chooses: empty if it does not lead (`Partition.makeFollower`)."""
    return broker.isr if broker.leader == broker_id else 0


def is_candidate(state: State, rules: ClusterRules, asked_id: int, follower_id: int) -> bool:
    """Whether the broker asked may name a follower, which must have every record that the consumer has read.

    The follower is neither the broker asked nor the leader, and is in the ISR. By the rule before KAFKA-14372 it may be
    outside the ISR, however far it lags.
    """
    if follower_id == asked_id or follower_id == state.consumer.leader:
        return False
    asked = state.brokers[asked_id]
    if rules.read_replica_is_in_sync and not contains(known_isr(asked, asked_id), follower_id):
        return False
    return asked.followers[follower_id].end_offset >= state.consumer.position


def leader_names_read_replica(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """The leader answers the consumer's fetch with the name of a follower, and without records.

    Who: the consumer's leader. By the rule before KAFKA-13778 also its read replica, which may know the followers' end
        offsets from the time when it led itself.
    When: the consumer fetches from it, and the follower has fetched from the consumer's position or above and is in
        the ISR. A selector may choose any such follower, or the leader itself (`consumer_reads`).
    Effect: the consumer fetches from that follower from now on.
    Source: ReplicaManager.findPreferredReadReplica, SubscriptionState.updatePreferredReadReplica; KIP-392, KAFKA-14372.
    Left out: the follower's log start, see above.
    """
    consumer = state.consumer
    asked_id = consumer.leader
    if consumer.read_replica != NO_LEADER:
        if rules.only_leader_names_read_replica:
            return False
        asked_id = consumer.read_replica
        if not is_following_for(state.brokers[asked_id], rules, consumer):
            return False
    elif not is_reading(state, rules):
        return False
    if not is_candidate(state, rules, asked_id, follower_id):
        return False
    consumer.read_replica = follower_id
    return True


def consumer_reads_from_read_replica(state: State, rules: ClusterRules) -> bool:
    """The consumer reads the record at its position from its read replica.

    Who: the consumer.
    When: it has a read replica, which follows in the consumer's leader epoch and knows that the record is committed.
        Between its high watermark and its log's end the follower answers without records, and the consumer asks again.
    Effect: it has the record, and its position is one further.
    Source: Partition.fetchRecords, LocalLog.read; AbstractFetch.selectReadReplica; KIP-392.
    Left out: more than one record at once.
    """
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER:
        return False
    follower = state.brokers[consumer.read_replica]
    if not is_following_for(follower, rules, consumer) or not has_readable_record(follower, consumer.position):
        return False
    take_record(state, consumer, consumer.read_replica)
    return True


def fails(follower: Broker, leader_epoch: int) -> bool:
    """Whether a fetch from a follower ends in an error after which the consumer requests new metadata.

    The connection breaks, the broker does not have the partition (NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION),
    or it is in a newer leader epoch (FENCED_LEADER_EPOCH). After UNKNOWN_LEADER_EPOCH the consumer only asks again.
    """
    if not follower.is_running or follower.leader == NO_LEADER:
        return True
    return follower.leader_epoch > leader_epoch


def is_out_of_range(follower: Broker, leader_epoch: int, position: int) -> bool:
    """Whether a fetch from a follower ends in OFFSET_OUT_OF_RANGE: its log ends below the position, or begins above.

    A follower that has not reached the consumer's leader epoch answers UNKNOWN_LEADER_EPOCH instead.
    """
    if follower.leader_epoch < leader_epoch:
        return False
    return position > follower.log.end_offset or position < follower.log_start_offset


def consumer_is_refused(state: State, rules: ClusterRules) -> bool:
    """The consumer's read replica answers with an error, or the connection breaks.

    Who: the consumer.
    When: the read replica fails, or the position is outside its log.
    Effect: the consumer fetches from its leader again, at the same position: an offset outside the follower's log need
        not be outside the leader's. By the rule before KAFKA-14379 only OFFSET_OUT_OF_RANGE had this effect.
    Source: FetchCollector.handleInitializeErrors, AbstractFetch.handleFetchFailure; KAFKA-14379.
    Left out: the request for new metadata, which may come at any time.
    """
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER:
        return False
    follower = state.brokers[consumer.read_replica]
    if fails(follower, consumer.leader_epoch):
        if not rules.error_ends_read_replica:
            return False
    elif not is_out_of_range(follower, consumer.leader_epoch, consumer.position):
        return False
    elif not rules.out_of_range_ends_read_replica:
        return False
    consumer.read_replica = NO_LEADER
    return True


def consumer_ends_lease(state: State, rules: ClusterRules) -> bool:
    """The consumer asks its leader again, because it has read from its read replica for a long time.

    Who: the consumer.
    When: it has a read replica.
    Effect: it fetches from its leader again.
    Source: SubscriptionState.preferredReadReplica (`metadata.max.age.ms`, five minutes); IBM/sarama#2464.
    """
    if state.consumer.read_replica == NO_LEADER or not rules.read_replica_is_leased:
        return False
    state.consumer.read_replica = NO_LEADER
    return True


def consumer_finds_replica_offline(state: State, broker_id: ReplicaId) -> bool:
    """The consumer receives metadata from a broker, in which its read replica is offline or not assigned.

    Who: the consumer.
    When: the broker runs, and has replayed that the read replica is fenced or not assigned.
    Effect: the consumer fetches from its leader again.
    Source: AbstractFetch.selectReadReplica, Cluster.nodeIfOnline; KIP-392.
    Left out: metadata of a newer leader epoch, which has that effect anyway (`consumer_learns_leader`).
    """
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER or not state.brokers[broker_id].is_running:
        return False
    metadata = state.controller.history[state.brokers[broker_id].metadata_offset]
    if contains(metadata.active & metadata.replicas, consumer.read_replica):
        return False
    consumer.read_replica = NO_LEADER
    return True
