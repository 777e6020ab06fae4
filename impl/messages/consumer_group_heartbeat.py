"""The heartbeats of consumers to their group's coordinator, and the responses.

Part of Kafka modelled: `ConsumerGroupHeartbeatRequest` and `ConsumerGroupHeartbeatResponse`.
Source: apache/kafka (commit 1eb7644349); KIP-848.
Left out, and why that is sound: the name of the group, of which there is one; racks and assignors, which the
coordinator takes as they are; how long timeouts are.
"""

from typing import Annotated

from kafkacheck.checker.schema import Epoch, Id, Ids, IdSet, If, Struct
from kafkacheck.impl.consumer_group.constants import (
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    HeartbeatError,
    HeartbeatStage,
)
from kafkacheck.impl.ids import PartitionSet

MemberId = Annotated[int, Id("members")]
MemberEpoch = Annotated[int, Epoch("max_group_epoch", none=LEAVE_GROUP_MEMBER_EPOCH)]
TopicSet = Annotated[Ids, IdSet("topics")]
OptionalInstanceId = Annotated[int, Id("instances + 1 // (instances + 1)", none=NO_INSTANCE), If("instances")]


class HeartbeatRequest(Struct):
    """What a consumer tells its coordinator. What has not changed since the last heartbeat is left out.

    member_id: the consumer that sends it.
    instance_id: its `group.instance.id`, if it is a static member.
    member_epoch: the epoch that the consumer has, or one of the reserved ones.
    is_temporary: whether a static member that leaves will be back, so that its place is kept: Kafka's epoch -2.
    names_timeout: whether the request names the rebalance timeout, as the first one does, and the first after an error.
    names_topics: whether the request names the subscription.
    subscribed: the topics that the consumer subscribes to.
    names_owned: whether the request names the owned partitions.
    owned: the partitions that the consumer owns.
    """

    member_id: MemberId
    instance_id: OptionalInstanceId
    member_epoch: MemberEpoch
    is_temporary: Annotated[bool, If("instances")]
    names_timeout: bool
    names_topics: bool
    subscribed: TopicSet
    names_owned: bool
    owned: PartitionSet


class HeartbeatResponse(Struct):
    """What a coordinator tells a consumer.

    error: why the heartbeat was refused.
    member_epoch: the member's epoch from now on.
    names_assignment: whether the response names an assignment; without one the consumer keeps the one that it has.
    assigned: the partitions that the member is to own.
    """

    error: HeartbeatError
    member_epoch: MemberEpoch
    names_assignment: bool
    assigned: PartitionSet


class Heartbeat(Struct):
    """The heartbeat of a consumer: it has one under way at most.

    stage: how far the heartbeat is.
    request: while it is on its way to the coordinator.
    response: once the coordinator has handled the request.
    """

    stage: HeartbeatStage
    request: HeartbeatRequest
    response: HeartbeatResponse


class Farewell(Struct):
    """What a consumer that polls too seldom has under way of its former membership.

    It is on the connection before any heartbeat with which the consumer joins anew, so it arrives first.

    former: the heartbeat that was under way when the poll interval ended.
    leave: the heartbeat that says that the consumer leaves. It arrives after the former one.
    """

    former: Heartbeat
    leave: Heartbeat
