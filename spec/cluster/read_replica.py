"""What a consumer that its leader sends to a follower may rely on.

Part of Kafka judged: `impl/client/read_replica.py`, by its records only.
Source: KIP-392, KAFKA-14372, KAFKA-14379, KAFKA-13778.
Left out, and why that is sound: how a consumer goes on when its position is outside its leader's log, which its
application decides.
"""

from kafkacheck.checker.schema import contains
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.rules import ClusterRules


def leads_for_consumer(state: State) -> bool:
    """Whether the broker that the consumer takes for the leader runs and leads, in the consumer's leader epoch."""
    consumer = state.consumer
    if consumer.leader == NO_LEADER:
        return False
    leader = state.brokers[consumer.leader]
    return leader.is_running and leader.leader == consumer.leader and leader.leader_epoch == consumer.leader_epoch


def may_serve(state: State, broker_id: int) -> bool:
    """Whether a broker has the record at the consumer's position and knows it to be committed, and is in its epoch."""
    broker = state.brokers[broker_id]
    if not broker.is_running or broker.leader_epoch != state.consumer.leader_epoch:
        return False
    return broker.log_start_offset <= state.consumer.position and state.consumer.position < broker.high_watermark


def read_replicas_are_in_sync(before: State, after: State) -> bool:
    """A consumer is sent only by a leader in its own epoch, and only to a follower of the ISR that has what the
    consumer has read.

    Lost if it fails: the consumer is sent to a replica that is behind, or by a broker that does not know who is.
    Source: KIP-392, KAFKA-14372, KAFKA-13778; ReplicaManager.findPreferredReadReplica.
    Holds in: cluster.read_replica, cluster.read_replica.unleased, cluster.read_replica.three.
    Fails in: cluster.read_replica with the rule before KAFKA-14372, cluster.read_replica.three with that before
        KAFKA-13778.
    """
    read_replica = after.consumer.read_replica
    if read_replica == NO_LEADER or read_replica == before.consumer.read_replica:
        return True
    if before.consumer.read_replica != NO_LEADER or not leads_for_consumer(before):
        return False
    leader = before.brokers[before.consumer.leader]
    if read_replica == before.consumer.leader or not contains(leader.isr, read_replica):
        return False
    return leader.followers[read_replica].end_offset >= before.consumer.position


def read_replica_ends_with_epoch(before: State, after: State) -> bool:
    """A consumer that turns to a new leader epoch fetches from the leader first, and has no read replica while it must
    validate its position.

    Lost if it fails: the consumer goes on with a follower that the new leader has not chosen.
    Source: SubscriptionState.maybeValidatePosition.
    Holds in: cluster.read_replica, cluster.read_replica.unleased.
    Fails in: none; it guards the reference itself.
    """
    if after.consumer.must_validate and after.consumer.read_replica != NO_LEADER:
        return False
    return before.consumer.leader_epoch == after.consumer.leader_epoch or after.consumer.read_replica == NO_LEADER


def reads_come_from_read_replica(before: State, after: State) -> bool:
    """A consumer reads from its read replica, or where it has none from its leader, and only what that broker knows to
    be committed, in the leader epoch of both.

    Lost if it fails: the consumer reads from somebody whom the leader has not chosen, or what is not committed there.
    Source: AbstractFetch.selectReadReplica, Partition.fetchRecords; KIP-392.
    Holds in: cluster.read_replica, cluster.read_replica.unleased.
    Fails in: none; it guards the reference itself.
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
    """Whether a broker answers a consumer with an error that no waiting mends, or not at all."""
    if not broker.is_running or broker.leader == NO_LEADER or broker.leader_epoch > leader_epoch:
        return True
    if broker.leader_epoch < leader_epoch:
        return False
    return position > broker.log.end_offset or position < broker.log_start_offset


def read_replica_refuses(state: State) -> bool:
    """The consumer's read replica is down, has not the partition or the position, or is in a newer leader epoch."""
    consumer = state.consumer
    if consumer.read_replica == NO_LEADER:
        return False
    return refuses(state.brokers[consumer.read_replica], consumer.leader_epoch, consumer.position)


def read_replica_is_given_up(state: State) -> bool:
    """The consumer has no read replica that refuses it; it must come to that after each refusal.

    Lost if it fails: the consumer asks a follower again and again that cannot serve it, and gets nothing.
    Source: KAFKA-14379, twmb/franz-go#885; FetchCollector.handleInitializeErrors, AbstractFetch.handleFetchFailure.
    Holds in: cluster.read_replica.unleased: some time after each state of `read_replica_refuses`.
    Fails in: cluster.read_replica.unleased with the rule before KAFKA-14379.
    """
    return not read_replica_refuses(state)


def read_replica_is_kept(before: State, after: State, rules: ClusterRules) -> bool:
    """A consumer whose lease does not end gives up its read replica only where that refuses it, with the epoch, or
    where some broker's metadata has it as offline or not assigned.

    Lost if it fails: the consumer goes to and fro between the leader and the follower that the leader has chosen.
    Source: SubscriptionState.clearPreferredReadReplica; IBM/sarama pull request 2076.
    Holds in: cluster.read_replica.unleased.
    Fails in: none; it guards the reference itself.
    """
    if rules.read_replica_is_leased or before.consumer.leader_epoch != after.consumer.leader_epoch:
        return True
    if before.consumer.read_replica == after.consumer.read_replica or before.consumer.read_replica == NO_LEADER:
        return True
    if read_replica_refuses(before):
        return True
    for broker_id in range(len(before.brokers)):
        metadata = before.controller.history[before.brokers[broker_id].metadata_offset]
        is_offline = not contains(metadata.active & metadata.replicas, before.consumer.read_replica)
        if before.brokers[broker_id].is_running and is_offline:
            return True
    return False


def has_more_to_read(state: State) -> bool:
    """There is a committed record at the consumer's position, and the consumer knows whom to ask for it."""
    consumer = state.consumer
    if consumer.is_truncated or not leads_for_consumer(state):
        return False
    return may_serve(state, consumer.leader)


def has_read_on(state: State) -> bool:
    """The consumer has read what there is, unless a replica in the ISR has yet to hear that it is committed.

    It must come to that after each state with more to read, however long followers outside the ISR are behind. A
    member of the ISR may be named to the consumer by right, and has what it lacks with its next fetch.

    Lost if it fails: the consumer gets nothing although its leader has a committed record for it, for ever.
    Source: KIP-392, KAFKA-14372, IBM/sarama#2464.
    Holds in: cluster.read_replica: some time after each state of `has_more_to_read`.
    Fails in: cluster.read_replica with the rule before KAFKA-14372.
    """
    if not has_more_to_read(state):
        return True
    leader = state.brokers[state.consumer.leader]
    return any(
        contains(leader.isr, broker_id) and not may_serve(state, broker_id) for broker_id in range(len(state.brokers))
    )


def reads_from_follower(state: State) -> bool:
    """The consumer has a read replica that has a record for it. Without an example nobody reads from a follower."""
    return state.consumer.read_replica != NO_LEADER and may_serve(state, state.consumer.read_replica)


def waits_at_follower(state: State) -> bool:
    """The leader has a record for the consumer, and its read replica has not. Without an example nobody ever waits."""
    if state.consumer.read_replica == NO_LEADER or not has_more_to_read(state):
        return False
    return not may_serve(state, state.consumer.read_replica)


def waits_for_first_record(state: State) -> bool:
    """The consumer has a read replica although nothing is written yet.

    Without an example nobody waits at a follower that has just what the consumer has read.
    """
    consumer = state.consumer
    return consumer.read_replica != NO_LEADER and state.brokers[consumer.leader].log.end_offset == 0
