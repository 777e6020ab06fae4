"""The controller: elects leaders, takes replicas out of the ISR, and tells the replicas by LeaderAndIsr requests.

Part of Kafka modelled: clean leader election and the removal of a failed or stopped broker, each with a new leader
epoch.
Source: KafkaReplication in hachikuji/kafka-specification (commit d68782b); apache/kafka `PartitionStateMachine`,
`ReplicaStateMachine` and, with KRaft, `ReplicationControlManager`.
Left out, and why that is sound: which broker is alive and which is preferred. Any replica may be taken out at any time
and any other member of the ISR elected, so every policy is covered. Unclean election is not modelled: it gives up
committed records by design. The controller itself does not fail; its successor would read the same record.
"""

from kafkacheck.checker.schema import contains, everyone, excluding
from kafkacheck.impl.constants import NO_LEADER
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.model.replication.system import State


def start_partition(state: State) -> bool:
    """Start with an empty partition: every replica is in sync, nobody leads and no request was sent."""
    state.quorum.isr = everyone(len(state.replicas))
    return True


def has_next_leader_epoch(state: State) -> bool:
    """Whether the bound leaves one more leader epoch."""
    return state.quorum.leader_epoch + 1 < len(state.leader_and_isr_requests)


def send_leader_and_isr(state: State, leader: int, isr: int) -> None:
    """Record a new leader and ISR under the next leader epoch, and send the LeaderAndIsr request."""
    quorum = state.quorum
    quorum.leader_epoch += 1
    quorum.leader = leader
    quorum.isr = isr
    request = state.leader_and_isr_requests[quorum.leader_epoch]
    request.leader = leader
    request.isr = isr


def controller_elect_leader(state: State, new_leader_id: ReplicaId) -> bool:
    """The controller makes another member of the ISR the leader.

    Who: the controller.
    When: the replica is in the ISR and does not lead; a leader epoch is left.
    Effect: the next leader epoch begins with this leader and the same ISR, and its request is sent.
    Source: ControllerElectLeader; Kafka's offline, preferred and controlled-shutdown elections.
    Left out: the reason for the election and the order of preference; any member may be chosen at any time.
    """
    quorum = state.quorum
    if not has_next_leader_epoch(state):
        return False
    if not contains(quorum.isr, new_leader_id):
        return False
    if quorum.leader == new_leader_id:
        return False
    send_leader_and_isr(state, new_leader_id, quorum.isr)
    return True


def controller_shrink_isr(state: State, replica_id: ReplicaId) -> bool:
    """The controller takes a replica out of the ISR because its broker failed or is being stopped.

    Who: the controller.
    When: the replica is in the ISR; a leader epoch is left.
    Effect: the next leader epoch begins without the replica, and without a leader if the replica led. A leader that is
        the last member loses the leadership but stays in the ISR. The request is sent.
    Source: ControllerShrinkIsr; the OfflineReplica transition of Kafka's ReplicaStateMachine.
    Left out: the failure itself; the broker may go on as if nothing had happened. Unlike Kafka, the specification also
        removes the last member of a leaderless partition, which then never has a leader again.
    """
    quorum = state.quorum
    if not has_next_leader_epoch(state):
        return False
    if not contains(quorum.isr, replica_id):
        return False
    leader = quorum.leader
    isr = excluding(quorum.isr, replica_id)
    if quorum.leader == replica_id:
        leader = NO_LEADER
        if isr == 0:
            isr = quorum.isr
    send_leader_and_isr(state, leader, isr)
    return True
