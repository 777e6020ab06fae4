"""The requests of consumers to the coordinator of a classic group, and the responses.

Part of Kafka modelled: `JoinGroupRequest`, `SyncGroupRequest`, `HeartbeatRequest`, `LeaveGroupRequest` and their
responses.
Source: apache/kafka (commit 1eb7644349); KIP-345, KIP-394, KIP-429.
Left out, and why that is sound: names, of which there is one group, one topic and one protocol; how long timeouts are.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Epoch, Id, Ids, IdSet, Struct
from kafkacheck.impl.classic_group.constants import (
    NO_GENERATION,
    NO_INSTANCE,
    NO_MEMBER_ID,
    GroupError,
    RequestKind,
    Stage,
)
from kafkacheck.impl.ids import PartitionSet

ConsumerId = Annotated[int, Id("consumers")]
MemberId = Annotated[int, Id("member_ids")]
OptionalMemberId = Annotated[int, Id("member_ids", none=NO_MEMBER_ID)]
MemberSet = Annotated[Ids, IdSet("member_ids")]
OptionalInstanceId = Annotated[int, Id("instances", none=NO_INSTANCE)]
Generation = Annotated[int, Epoch("max_generation")]
OptionalGeneration = Annotated[int, Epoch("max_generation", none=NO_GENERATION)]


class GroupRequest(Struct):
    """What a consumer asks its coordinator.

    kind: which request it is.
    member_id: the consumer's member id, if it has one.
    instance_id: its `group.instance.id`, if it is a static member.
    generation: its generation; a request to join has none.
    owned: in a request to join, the partitions that it still owns.
    assignments: in the leader's request to sync, the assignment of each member.
    """

    kind: RequestKind
    member_id: OptionalMemberId
    instance_id: OptionalInstanceId
    generation: OptionalGeneration
    owned: PartitionSet
    assignments: Annotated[Array[PartitionSet], ById("member_ids")]


class GroupResponse(Struct):
    """What a coordinator answers.

    error: why the request was refused.
    member_id: the member id of the consumer.
    generation: after a join, the new generation.
    members: if the consumer is the leader, all members; else none.
    owned: if it is the leader, by member the partitions that it has said to own.
    assigned: after a sync, the consumer's assignment.
    """

    error: GroupError
    member_id: OptionalMemberId
    generation: OptionalGeneration
    members: MemberSet
    owned: Annotated[Array[PartitionSet], ById("member_ids")]
    assigned: PartitionSet


class Connection(Struct):
    """The connection of a consumer to its coordinator: one request is under way at most.

    stage: how far it is.
    request: the request, until it is answered.
    response: the response, once there is one.
    """

    stage: Stage
    request: GroupRequest
    response: GroupResponse
