"""The controller's record of the partition and of the brokers, as it reaches brokers.

Part of Kafka modelled: `PartitionRecord`, `RegisterBrokerRecord` and their changes in the metadata log of KRaft; in the
ZooKeeper era the znodes of partition and brokers, and the LeaderAndIsr and StopReplica requests that carry their
content.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: separate records for brokers and partition: each change writes one version of both, and
the partition epoch shows which changes changed the partition.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Count, Struct
from kafkacheck.impl.ids import (
    BrokerEpoch,
    ControllerEpoch,
    LeaderEpoch,
    MetadataOffset,
    OptionalReplicaId,
    ReplicaSet,
    TopicId,
)
from kafkacheck.impl.rules import ClusterRules


class Metadata(Struct):
    """The controller's record of partition and brokers after one of its changes.

    controller_epoch: the epoch of the controller that made the change.
    topic_id: the id of the topic, or of the next one while there is none.
    is_deleting: 1 while the topic is queued for deletion (`/admin/delete_topics`, ZooKeeper era).
    leader_epoch: counts the leaders; grows with every change of the leader.
    leader: the elected leader, a member of `isr`; `NO_LEADER` if there is none.
    told_epoch: the leader epoch in the metadata responses to clients; at most `leader_epoch`.
    partition_epoch: the offset of the newest change of leader, ISR or replicas; 0 if the topic has not changed since it
        was created. A leader's ISR change must start from this version.
    isr: the in-sync replicas, from which a clean election chooses.
    elr: the eligible leader replicas, from which a clean election chooses if the ISR is empty. They are in `replicas`,
        and none is in `isr`.
    replicas: the brokers that the partition is assigned to, including those that a reassignment adds or removes.
    target: the brokers that a reassignment leaves in the end, all in `replicas`; equal to `replicas` if none is under
        way.
    adding: the brokers that a reassignment adds, all in `target`.
    active: the brokers that are neither fenced nor stopping.
    is_recovering: whether the leader was elected uncleanly and has not recovered.
    is_min_isr_lowered: 1 if min.insync.replicas is one less than at the beginning; always 0 if the bound
        `min_isr_changes` is 0.
    broker_epochs: by broker, the epoch of its last registration.
    """

    controller_epoch: ControllerEpoch
    topic_id: TopicId
    is_deleting: Annotated[int, Count("deletions")]
    leader_epoch: LeaderEpoch
    leader: OptionalReplicaId
    told_epoch: LeaderEpoch
    partition_epoch: MetadataOffset
    isr: ReplicaSet
    elr: ReplicaSet
    replicas: ReplicaSet
    target: ReplicaSet
    adding: ReplicaSet
    active: ReplicaSet
    is_recovering: bool
    is_min_isr_lowered: Annotated[int, Count("min_isr_changes")]
    broker_epochs: Annotated[Array[BrokerEpoch], ById("replicas")]


def min_insync_replicas(metadata: Metadata, rules: ClusterRules) -> int:
    """`min.insync.replicas` in this version of the record."""
    return rules.min_insync_replicas - metadata.is_min_isr_lowered
