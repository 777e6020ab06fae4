"""The guarantees for a consumer that its leader sends to a follower.

Part of Kafka judged: `impl/client/read_replica.py`, by its records only.
Source: KIP-392, KAFKA-14372, KAFKA-14379, KAFKA-13778.
Left out, and why that is sound: how a consumer goes on when its position is outside its leader's log, because its
application decides that.
"""

from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def leads_for_consumer(state: State) -> bool:
    """Whether the consumer's leader runs, and leads in the consumer's leader epoch."""
    consumer = state.consumer
    if consumer.leader == NO_LEADER:
        return False
    leader = state.brokers[consumer.leader]
    return leader.is_running and leader.leader == consumer.leader and leader.leader_epoch == consumer.leader_epoch


def may_serve(state: State, broker_id: int) -> bool:
    """Whether a broker in the consumer's leader epoch has a record at its position and knows it to be committed."""
    broker = state.brokers[broker_id]
    if not broker.is_running or broker.leader_epoch != state.consumer.leader_epoch:
        return False
    return broker.log_start_offset <= state.consumer.position and state.consumer.position < broker.high_watermark


def read_replicas_are_in_sync(before: State, after: State) -> bool:
    """Only a leader in the consumer's leader epoch names a read replica.

    The read replica is a follower in the ISR that has all records that the consumer has read.

    Lost if it fails: the consumer is sent to a replica that lags, or by a broker that does not know which replicas lag.
    Source: KIP-392, KAFKA-14372, KAFKA-13778; ReplicaManager.findPreferredReadReplica.
    """
    read_replica = after.consumer.read_replica
    if read_replica == NO_LEADER or read_replica == before.consumer.read_replica:
        return True
    if before.consumer.read_replica != NO_LEADER or not leads_for_consumer(before):
        return False
    leader = before.brokers[before.consumer.leader]
    if read_replica == before.consumer.leader or read_replica not in leader.isr:
        return False
    return leader.followers[read_replica].end_offset >= before.consumer.position


def read_replica_ends_with_epoch(before: State, after: State) -> bool:
    """A consumer that learns of a new leader epoch fetches from the leader first.

    It has no read replica while it must validate its position.

    Lost if it fails: the consumer keeps fetching from a follower that the new leader has not chosen.
    Source: SubscriptionState.maybeValidatePosition.
    """
    if after.consumer.must_validate and after.consumer.read_replica != NO_LEADER:
        return False
    return before.consumer.leader_epoch == after.consumer.leader_epoch or after.consumer.read_replica == NO_LEADER


def reads_come_from_read_replica(before: State, after: State) -> bool:
    """A consumer reads only from its read replica, or from its leader if it has none.

    It reads only records that this broker knows to be committed, and only if it is in the broker's leader epoch.

    Lost if it fails: the consumer reads from a broker that the leader has not chosen, or reads a record that is not
    committed there.
    Source: AbstractFetch.selectReadReplica, Partition.fetchRecords; KIP-392.
    """
    position = before.consumer.position
    if after.consumer.position == position:
        return True
    source = before.consumer.read_replica
    if source == NO_LEADER:
        source = before.consumer.leader
    if before.consumer.must_validate or not may_serve(before, source):
        return False
    return before.brokers[source].log.records[position].id == after.consumer.records[position]


def refuses(broker: Broker, leader_epoch: int, position: int) -> bool:
    """Whether a broker does not answer a consumer, or answers with an error that waiting does not cure."""
    if not broker.is_running or broker.leader == NO_LEADER or broker.leader_epoch > leader_epoch:
        return True
    if broker.leader_epoch < leader_epoch:
        return False
    return position > broker.log.end_offset or position < broker.log_start_offset


def read_replica_refuses(state: State) -> bool:
    """The consumer's read replica is down, lacks the partition or the position, or is in a newer leader epoch."""
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER:
        return False
    return refuses(state.brokers[consumer.read_replica], consumer.leader_epoch, consumer.position)


def read_replica_is_given_up(state: State) -> bool:
    """The consumer has no read replica that refuses it; each refusal must lead to such a state.

    Lost to users: the consumer asks, again and again, a follower that cannot serve it, and gets nothing.
    Source: KAFKA-14379, twmb/franz-go#885; FetchCollector.handleInitializeErrors, AbstractFetch.handleFetchFailure.
    """
    return not read_replica_refuses(state)


def read_replica_is_kept(before: State, after: State, rules: ClusterRules) -> bool:
    """A consumer whose lease does not end keeps its read replica unless it has a reason to give it up.

    The reasons are: the read replica refuses it, its leader epoch changes, or the metadata of some broker shows the
    read replica as offline or not assigned.

    Lost if it fails: the consumer alternates between the leader and the follower that the leader has chosen.
    Source: SubscriptionState.clearPreferredReadReplica; IBM/sarama pull request 2076.
    """
    if rules.read_replica_is_leased or before.consumer.leader_epoch != after.consumer.leader_epoch:
        return True
    if before.consumer.read_replica == after.consumer.read_replica or before.consumer.read_replica == NO_LEADER:
        return True
    if read_replica_refuses(before):
        return True
    for broker_id in range(len(before.brokers)):
        metadata = before.controller.history[before.brokers[broker_id].metadata_offset]
        is_offline = before.consumer.read_replica not in metadata.active & metadata.replicas
        if before.brokers[broker_id].is_running and is_offline:
            return True
    return False


def has_more_to_read(state: State) -> bool:
    """The consumer knows its leader, which has a committed record at the consumer's position."""
    consumer = state.consumer
    if consumer.is_truncated or not leads_for_consumer(state):
        return False
    return may_serve(state, consumer.leader)


def has_read_on(state: State) -> bool:
    """The consumer has read all committed records, unless an ISR member does not know yet that one is committed.

    Each state with more to read must lead to such a state, however long followers outside the ISR lag. The leader may
    rightly name a member of the ISR, which catches up with its next fetch.

    Lost to users: the consumer never gets a committed record that its leader has for it.
    Source: KIP-392, KAFKA-14372, IBM/sarama#2464.
    """
    if not has_more_to_read(state):
        return True
    leader = state.brokers[state.consumer.leader]
    return any(not may_serve(state, broker_id) for broker_id in leader.isr)


def reads_from_follower(state: State) -> bool:
    """The read replica has a record for the consumer. Without an example no consumer reads from a follower."""
    return state.consumer.read_replica != NO_LEADER and may_serve(state, state.consumer.read_replica)


def waits_at_follower(state: State) -> bool:
    """The leader has a record for the consumer, but the read replica does not. Without an example no consumer waits."""
    if state.consumer.read_replica == NO_LEADER or not has_more_to_read(state):
        return False
    return not may_serve(state, state.consumer.read_replica)


def waits_for_first_record(state: State) -> bool:
    """The consumer has a read replica although nothing is written yet.

    Without an example no consumer waits at a follower that has just the records that the consumer has read.
    """
    consumer = state.consumer
    return consumer.read_replica != NO_LEADER and state.brokers[consumer.leader].log.end_offset == 0
