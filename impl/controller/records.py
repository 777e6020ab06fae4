"""The controller's record of the partition and of the brokers, and its history.

Part of Kafka modelled: `PartitionRegistration`, `BrokerRegistration` and the metadata log of KRaft; in the ZooKeeper
era the znodes of partition and brokers, and the LeaderAndIsr requests that carry their content.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: separate records for brokers and partition: each change writes one version of both, and
the partition epoch shows which changes changed the partition.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, Epoch, Struct
from kafkacheck.impl.broker.records import BrokerEpoch, ControllerEpoch, MetadataOffset, TopicId
from kafkacheck.impl.constants import NO_OFFSET
from kafkacheck.impl.log import LeaderEpoch
from kafkacheck.impl.replication.records import OptionalReplicaId, ReplicaSet

OptionalMetadataOffset = Annotated[int, Epoch("max_metadata_offset", none=NO_OFFSET)]


class Metadata(Struct):
    """The controller's record after one of its changes.

    controller_epoch: the epoch of the controller that made the change.
    topic_id: the id of the topic, or of the next one while there is none.
    is_deleting: 1 while the topic is queued for deletion (`/admin/delete_topics`, ZooKeeper era).
    leader_epoch: counts the leaders; grows with every change of the leader.
    leader: the elected leader, `NO_LEADER` if there is none.
    told_epoch: the leader epoch in the metadata responses to clients.
    partition_epoch: the offset of the newest change of leader, ISR or replicas; 0 if the topic has not changed since it
        was created. A leader's ISR change must start from this version.
    isr: the in-sync replicas, from which a clean election chooses.
    elr: the eligible leader replicas, from which it chooses if the ISR is empty.
    replicas: the brokers that the partition is assigned to, including those that a reassignment adds or removes.
    target: the brokers that a reassignment leaves in the end; equal to `replicas` if none is under way.
    adding: the brokers that a reassignment adds.
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


class Controller(Struct):
    """The controller and its record so far.

    epoch: the epoch of the controller in office.
    offset: the offset of its newest change.
    zombie_offset: the newest change known to a controller that does not know it is deposed; `NO_OFFSET` if there is no
        such controller.
    zombie_deletes: 1 if that controller was about to remove a topic whose replicas were all deleted (ZooKeeper era).
    stopping: the brokers that asked for a controlled shutdown.
    last_known_leader: the leader when the ISR became empty (`lastKnownElr`), which only the controller reads;
        `NO_LEADER` if the partition has a leader or no last leader is known.
    is_reassignment_ending: 1 between the two rounds that end a reassignment; always 0 if the bound
        `reassignment_rounds` is 0.
    takes_two_rounds: always that bound: whether a reassignment ends in two rounds and not at once.
    unnoticed: the brokers whose failure no controller noticed, because they failed while none listened.
    history: its changes by offset. A slot is blank above `offset`, or if nobody can read its change any more.
    """

    epoch: ControllerEpoch
    offset: MetadataOffset
    zombie_offset: OptionalMetadataOffset
    zombie_deletes: Annotated[int, Count("deletions * failovers")]
    stopping: ReplicaSet
    last_known_leader: OptionalReplicaId
    is_reassignment_ending: Annotated[int, Count("reassignment_rounds")]
    takes_two_rounds: Annotated[int, Count("reassignment_rounds", lowest="reassignment_rounds")]
    unnoticed: ReplicaSet
    history: Annotated[Array[Metadata], ByPosition("max_metadata_offset + 1")]
