"""A leader's request to change the ISR, and the controller's answer: AlterPartition.

Part of Kafka modelled: `AlterPartitionRequest` and `AlterPartitionResponse` of an `AlterPartitionManager`; in the
ZooKeeper era also the leader's conditional write of the partition's znode.
Source: apache/kafka (commit 1eb7644349); KIP-497, KIP-704, KIP-903.
Left out, and why that is sound: several partitions in a request, which share no rule.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Struct
from kafkacheck.impl.enums import AlterPartitionError, Stage
from kafkacheck.impl.ids import (
    BrokerEpoch,
    MetadataOffset,
    OptionalBrokerEpoch,
    OptionalLeaderEpoch,
    ReplicaSet,
    TopicId,
)


class AlterPartition(Struct):
    """A leader's request to change the ISR, or the controller's answer; all blank if the slot is free.

    stage: whether it is the request or the answer.
    topic_id: the topic of the partition; 0 in an answer.
    broker_epoch: the sender's broker epoch.
    leader_epoch: the sender's leader epoch; in an answer the controller's.
    partition_epoch: the version of the ISR that the change starts from; in an answer the new one.
    isr: the ISR proposed; in an answer the current ISR.
    member_epochs: the broker epochs of the members proposed, as the leader knows them; `NO_EPOCH` for a
        member that has not fetched yet, and for all others.
    ends_recovery: whether the sender declares that it has recovered from the unclean election that made it leader.
    error: the answer's error.
    """

    stage: Stage
    topic_id: TopicId
    broker_epoch: BrokerEpoch
    leader_epoch: OptionalLeaderEpoch
    partition_epoch: MetadataOffset
    isr: ReplicaSet
    member_epochs: Annotated[Array[OptionalBrokerEpoch], ById("replicas")]
    ends_recovery: bool
    error: AlterPartitionError
