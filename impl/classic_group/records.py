"""The records of a classic group, as its coordinator has them in memory, and what of them the log has.

Part of Kafka modelled: `ClassicGroup`, `ClassicGroupMember`, `GroupMetadataValue`.
Source: apache/kafka (commit 1eb7644349).
Left out, and why that is sound: member metadata that no rule reads.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, ById, Since, Struct
from kafkacheck.impl.classic_group.constants import GroupState
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.classic_group import Generation, MemberSet, OptionalInstanceId, OptionalMemberId


class ClassicGroupRules(NamedTuple):
    """The switches of classic groups, each named after the correct behaviour.

    is_cooperative: consumers keep their partitions while they join, and give up one only if it is assigned to another
        (KIP-429); otherwise they give up all of them first.
    member_id_is_required: the coordinator gives a consumer a member id, and the consumer becomes a member when it joins
        with it (KIP-394).
    pending_members_expire: a consumer that was told a member id and does not come back is forgotten (KIP-394; missing
        in redpanda-3761).
    instance_is_checked: a request of a static member is refused if another member has its instance id (KAFKA-8225).
    static_join_rebalances: a static member that joins anew while assignments are computed starts another rebalance,
        because the leader does not know its new member id (KAFKA-9801).
    replacement_is_written: the log has the new member id of a static member before the coordinator answers
        (KAFKA-10284).
    parked_are_answered: a coordinator that is replaced answers the requests that it has parked (KAFKA-16148).
    owned_are_withheld: the leader assigns no partition that another member still owns, if the protocol is cooperative
        (KIP-429).
    retry_keeps_member: a consumer whose request to join or sync is lost keeps its member id (KAFKA-13214).
    lost_member_owns_nothing: a consumer that has lost its member id while it joined says that it owns nothing
        (KAFKA-12983).
    """

    is_cooperative: bool = False
    member_id_is_required: Annotated[bool, Since("2.2")] = True
    pending_members_expire: Annotated[bool, Since(EVERY)] = True
    instance_is_checked: Annotated[bool, Since(EVERY)] = True
    static_join_rebalances: Annotated[bool, Since("2.6", begun="2.3")] = True
    replacement_is_written: Annotated[bool, Since("2.8", begun="2.3")] = True
    parked_are_answered: Annotated[bool, Since("3.8", begun="3.7")] = True
    owned_are_withheld: Annotated[bool, Since(EVERY)] = True
    retry_keeps_member: Annotated[bool, Since("3.1")] = True
    lost_member_owns_nothing: Annotated[bool, Since("3.1", begun="2.4")] = True


class ClassicMember(Struct):
    """A member of the group.

    is_member: whether it is one.
    instance_id: its instance id, if it is a static member.
    is_new: whether it has been in no generation yet: its session can end while it waits for the others.
    awaits_join: whether it has joined, and waits for the others.
    awaits_sync: whether it waits for its assignment.
    owned: the partitions that it said to own when it joined.
    assigned: its assignment.
    """

    is_member: bool
    instance_id: OptionalInstanceId
    is_new: bool
    awaits_join: bool
    awaits_sync: bool
    owned: PartitionSet
    assigned: PartitionSet


class ClassicGroup(Struct):
    """A group.

    state: its state.
    generation: rises with each rebalance.
    leader: the member that computes assignments.
    is_delayed: whether the group, which was empty, waits for more members (`group.initial.rebalance.delay.ms`).
    pending: the member ids that consumers were told, and have not joined with yet.
    last_member_id: the member id that was given out last; they are given out in their order.
    members: the members by id.
    """

    state: GroupState
    generation: Generation
    leader: OptionalMemberId
    is_delayed: bool
    pending: MemberSet
    last_member_id: OptionalMemberId
    members: Annotated[Array[ClassicMember], ById("member_ids")]
