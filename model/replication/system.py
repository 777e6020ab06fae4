"""The whole system of the abstract replication models: the replicas and the controller of one partition, and its steps.

An action delivers: it says which replica and which request belong to a step. As in the public specification, a step may
also read another replica, while Kafka would send a request and an answer.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Ids, Struct
from kafkacheck.impl.ids import NO_LEADER, LeaderEpoch, NextRecordId, RecordId, ReplicaId
from kafkacheck.impl.replication import controller, follower, leader
from kafkacheck.impl.replication.records import LeaderAndIsrRequest, Quorum, Replica, ReplicationRules


class State(Struct):
    """The whole system.

    replicas: the brokers' copies, by replica id.
    quorum: the controller's record.
    leader_and_isr_requests: the request of each leader epoch; blank after `quorum.leader_epoch`. Requests stay, because
        a replica may observe one at any later time.
    next_record_id: the id of the next record of a producer; no two records have the same id.
    """

    replicas: Annotated[Array[Replica], ById("replicas")]
    quorum: Quorum
    leader_and_isr_requests: Annotated[Array[LeaderAndIsrRequest], ByPosition("max_leader_epoch + 1")]
    next_record_id: NextRecordId


def start_partition(state: State) -> bool:
    """Start with an empty partition: every replica is in sync, nobody leads and no request was sent."""
    state.quorum.isr = Ids(range(len(state.replicas)))
    return True


def controller_elect_leader(state: State, new_leader_id: ReplicaId) -> bool:
    """The controller makes another member of the ISR the leader."""
    return controller.elect_isr_member(state.quorum, state.leader_and_isr_requests, new_leader_id)


def controller_shrink_isr(state: State, replica_id: ReplicaId) -> bool:
    """The controller takes a replica out of the ISR because its broker failed or is being stopped."""
    return controller.remove_isr_member(state.quorum, state.leader_and_isr_requests, replica_id)


def become_leader(state: State, leader_epoch: LeaderEpoch) -> bool:
    """The replica that a LeaderAndIsr request names as leader obeys the request."""
    request = state.leader_and_isr_requests[leader_epoch]
    if request.leader == NO_LEADER:
        return False
    return leader.obey_as_leader(state.replicas[request.leader], request, leader_epoch)


def become_follower(state: State, rules: ReplicationRules, follower_id: ReplicaId, leader_epoch: LeaderEpoch) -> bool:
    """A replica observes a LeaderAndIsr request that names another leader, and turns to it."""
    request = state.leader_and_isr_requests[leader_epoch]
    if request.leader == NO_LEADER:
        return False
    if request.leader == follower_id:
        return False
    named = state.replicas[request.leader]
    return follower.obey_as_follower(state.replicas[follower_id], rules, request, leader_epoch, named)


def leader_write(state: State, leader_id: ReplicaId, record_id: RecordId) -> bool:
    """A producer's next record reaches a replica that believes it leads.

    When: `record_id` is the next one, and the replica can append it.
    Effect: the replica appends it, and the next record has another id.
    Source: LeaderWrite.
    """
    if record_id != state.next_record_id:
        return False
    if not leader.write_record(state.replicas[leader_id], leader_id, record_id):
        return False
    state.next_record_id += 1
    return True


def leader_inc_high_watermark(state: State, rules: ReplicationRules, leader_id: ReplicaId) -> bool:
    """A replica that believes it leads counts one more record as committed."""
    return leader.increment_high_watermark(state.replicas, rules, leader_id)


def leader_shrink_isr(state: State, rules: ReplicationRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """The leader removes a lagging replica from the ISR."""
    return leader.remove_lagging_follower(state.replicas, rules, state.quorum, leader_id, follower_id)


def leader_expand_isr(state: State, rules: ReplicationRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """The leader adds a replica that has caught up to the ISR."""
    return leader.add_caught_up_follower(state.replicas, rules, state.quorum, leader_id, follower_id)


def follower_replicate(state: State, rules: ReplicationRules, follower_id: ReplicaId) -> bool:
    """A follower fetches the next record from its leader."""
    replica = state.replicas[follower_id]
    if replica.leader == NO_LEADER:
        return False
    return follower.replicate_record(replica, rules, state.replicas[replica.leader])


def follower_truncate(state: State, follower_id: ReplicaId) -> bool:
    """A follower learns by a fetch that its log diverges, and truncates (first draft of KIP-320 only)."""
    replica = state.replicas[follower_id]
    if replica.leader == NO_LEADER:
        return False
    return follower.truncate_diverging_log(replica, state.replicas[replica.leader])
