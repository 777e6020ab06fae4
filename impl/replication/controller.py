"""The controller: elects leaders, takes replicas out of the ISR, and tells the replicas by LeaderAndIsr requests.

Part of Kafka modelled: clean leader election and the removal of a failed or stopped broker, each with a new leader
epoch.
Source: KafkaReplication in hachikuji/kafka-specification (commit d68782b); apache/kafka `PartitionStateMachine`,
`ReplicaStateMachine` and, with KRaft, `ReplicationControlManager`.
Left out, and why that is sound: which broker is alive and which is preferred. Any replica may be taken out at any time
and any other member of the ISR elected, so every policy is covered. Unclean election is not modelled: it may lose
committed records by design. The controller itself does not fail; its successor would read the same record.
"""

from kafkacheck.checker.schema import Array, Ids
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.replication.records import LeaderAndIsrRequest, Quorum


def has_next_leader_epoch(quorum: Quorum, requests: Array[LeaderAndIsrRequest]) -> bool:
    """Whether the bound leaves one more leader epoch, which has one request each."""
    return quorum.leader_epoch + 1 < len(requests)


def send_leader_and_isr(quorum: Quorum, requests: Array[LeaderAndIsrRequest], leader: int, isr: Ids) -> None:
    """Record a new leader and ISR under the next leader epoch, and send the LeaderAndIsr request.

    Source: ControllerUpdateIsr; Kafka's ControllerBrokerRequestBatch, or a PartitionChangeRecord with KRaft.
    """
    quorum.leader_epoch += 1
    quorum.leader = leader
    quorum.isr = isr
    request = requests[quorum.leader_epoch]
    request.leader = leader
    request.isr = isr


def elect_isr_member(quorum: Quorum, requests: Array[LeaderAndIsrRequest], new_leader_id: int) -> bool:
    """The controller makes another member of the ISR the leader.

    Who: the controller.
    When: the replica is in the ISR and does not lead; a leader epoch is left.
    Effect: the next leader epoch begins with this leader and the same ISR, and its request is sent.
    Source: ControllerElectLeader; Kafka's offline, preferred and controlled-shutdown elections.
    Left out: the reason for the election and the order of preference; any member may be chosen at any time.
    """
    if not has_next_leader_epoch(quorum, requests):
        return False
    if new_leader_id not in quorum.isr:
        return False
    if quorum.leader == new_leader_id:
        return False
    send_leader_and_isr(quorum, requests, new_leader_id, quorum.isr)
    return True


def remove_isr_member(quorum: Quorum, requests: Array[LeaderAndIsrRequest], replica_id: int) -> bool:
    """The controller takes a replica out of the ISR because its broker failed or is being stopped.

    Who: the controller.
    When: the replica is in the ISR; a leader epoch is left.
    Effect: the next leader epoch begins without the replica, and without a leader if the replica led. A leader that is
        the last member loses the leadership but stays in the ISR. The request is sent.
    Source: ControllerShrinkIsr; the OfflineReplica transition of Kafka's ReplicaStateMachine.
    Left out: the failure itself; the broker may go on as if nothing had happened. Unlike Kafka, the specification also
        removes the last member of a leaderless partition, which then never has a leader again.
    """
    if not has_next_leader_epoch(quorum, requests):
        return False
    if replica_id not in quorum.isr:
        return False
    leader = quorum.leader
    isr = quorum.isr - {replica_id}
    if quorum.leader == replica_id:
        leader = NO_LEADER
        if isr == Ids():
            isr = quorum.isr
    send_leader_and_isr(quorum, requests, leader, isr)
    return True
