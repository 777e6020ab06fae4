"""A group that goes from the classic protocol to the new one, and back, while its consumers are restarted.

Part of Kafka modelled: `GroupMetadataManager` (`convertToConsumerGroup`, `convertToClassicGroup`,
`consumerGroupFenceMember`); `ConsumerGroup.fromClassicGroup`, `ClassicGroup.fromConsumerGroup`.
Source: apache/kafka (commit 1eb7644349); KIP-848, KAFKA-16436, KAFKA-16554, KAFKA-17317.
Left out, and why that is sound: `group.consumer.migration.policy`, which is bidirectional here, and largest sizes of
groups: with another policy fewer groups are converted. A consumer of the classic protocol subscribes to all topics.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, Ids, Since, Struct, clear
from kafkacheck.impl.classic_group import coordinator as classic_coordinator
from kafkacheck.impl.classic_group.constants import NO_MEMBER_ID, GroupError, GroupState, RequestKind
from kafkacheck.impl.classic_group.records import ClassicGroup, ClassicGroupRules
from kafkacheck.impl.consumer_group import classic_members
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER, known_partitions
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    GroupType,
    HeartbeatError,
    MemberState,
)
from kafkacheck.impl.consumer_group.coordinator import consumer_group_heartbeat, remove_member, static_member
from kafkacheck.impl.consumer_group.reconciliation import update_partition_epochs
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules
from kafkacheck.impl.messages.classic_group import Connection
from kafkacheck.impl.messages.consumer_group_heartbeat import HeartbeatRequest, HeartbeatResponse


class MigrationRules(NamedTuple):
    """The switches of groups with members of both protocols.

    consumer: those of the new protocol.
    classic: those of the classic one. A consumer joins at once, without a member id.
    replacement_downgrades: a group is a classic one again also if one of the classic protocol takes the place of the
        last member of the new protocol (KAFKA-17317).
    upgrade_knows_partitions: a group that was a classic one knows the partitions of its topics at once; so only a
        change of its members or topics, and not the next heartbeat, leads to a target assignment.
    first_rebalance_is_upgraded: a classic group whose first members have not chosen a protocol yet can become one of
        the new protocol; without that the coordinator fails (no release; finding F19).
    upgrade_keeps_owned: a member of a classic group keeps in the new protocol what it said to own when it joined, until
        it joins anew; not only what the classic group has assigned to it, which may be nothing in a rebalance (no
        release; finding F18).
    upgrade_rebalances: a classic group in a rebalance goes on with that as one of the new protocol, in a new epoch; so
        that the partitions are assigned also if no member is new or has other topics (no release; finding F20).
    replacement_rebalances: the members of a group that is a classic one again by a replacement join anew, because some
        may not have what they are assigned (no release; finding F17).
    fenced_member_may_return: the coordinator of a group that is a classic one by now tells a member of the new protocol
        that it is unknown. Then its consumer joins anew, and does not end (no release; finding F16).
    """

    consumer: ConsumerGroupRules = ConsumerGroupRules()
    classic: ClassicGroupRules = ClassicGroupRules(member_id_is_required=False)
    replacement_downgrades: Annotated[bool, Since("4.0", begun="3.8")] = True
    upgrade_knows_partitions: Annotated[bool, Since("4.0.1")] = True
    first_rebalance_is_upgraded: Annotated[bool, Since(EVERY)] = False
    upgrade_keeps_owned: Annotated[bool, Since(EVERY)] = False
    upgrade_rebalances: Annotated[bool, Since(EVERY)] = False
    replacement_rebalances: Annotated[bool, Since(EVERY)] = False
    fenced_member_may_return: Annotated[bool, Since(EVERY)] = False


class Group(Struct):
    """A group as its coordinator keeps it, in one of two forms; the other one is blank.

    type: which of them.
    classic: a classic group.
    consumer: a group of the new protocol, which may have classic members.
    """

    type: GroupType
    classic: ClassicGroup
    consumer: ConsumerGroup


def has_member(group: Group, member_id: int) -> bool:
    """Whether a group has a member."""
    if group.type == GroupType.CLASSIC:
        return group.classic.members[member_id].is_member
    return group.consumer.members[member_id].state != MemberState.NOT_A_MEMBER


def is_empty(group: ConsumerGroup) -> bool:
    """Whether the group has no members."""
    return all(member.state == MemberState.NOT_A_MEMBER for member in group.members)


def tell_to_join_again(group: ClassicGroup, connections: Array[Connection]) -> None:
    """Answer all members that wait for a generation, or for their assignment, that they must join again."""
    for member_id, member in enumerate(group.members):
        classic_coordinator.answer_parked(connections, RequestKind.JOIN, member_id, GroupError.REBALANCE_IN_PROGRESS)
        classic_coordinator.answer_parked(connections, RequestKind.SYNC, member_id, GroupError.REBALANCE_IN_PROGRESS)
        member.awaits_join = False
        member.awaits_sync = False


def is_without_protocol(group: ClassicGroup) -> bool:
    """Whether the members of a group have not chosen an assignor yet, as in its first rebalance.

    Source: ClassicGroup.protocolName.
    """
    return group.is_delayed and classic_coordinator.has_members(group)


def upgrade(
    group: Group, rules: MigrationRules, topic_count: int, connections: Array[Connection], existing: Ids
) -> None:
    """Make a classic group one of the new protocol: its members have the assignment that the classic group had.

    The coordinator tells members to join again if they wait for a generation, or for their assignment.
    Source: GroupMetadataManager.convertToConsumerGroup, ConsumerGroup.fromClassicGroup.
    """
    classic = group.classic
    consumer = group.consumer
    tell_to_join_again(classic, connections)
    group.type = GroupType.CONSUMER
    if classic.state != GroupState.EMPTY:
        consumer.group_epoch = classic.generation
        consumer.assignment_epoch = classic.generation
    given = Ids()
    for member in classic.members:
        given |= member.assigned
    for member_id, member in enumerate(classic.members):
        if member.is_member:
            converted = consumer.members[member_id]
            converted.state = MemberState.STABLE
            converted.uses_classic = True
            converted.instance_id = member.instance_id
            converted.member_epoch = classic.generation
            converted.previous_member_epoch = classic.generation
            converted.subscribed = Ids(range(topic_count))
            converted.assigned = member.assigned
            if rules.upgrade_keeps_owned:
                converted.assigned |= member.owned - given
                given |= member.owned
            converted.target = converted.assigned
            converted.named = member.owned
            update_partition_epochs(consumer, Ids(), converted)
    if rules.upgrade_knows_partitions:
        consumer.known = known_partitions(consumer, topic_count, existing)
    if rules.upgrade_rebalances and classic.state != GroupState.STABLE and classic.state != GroupState.EMPTY:
        consumer.group_epoch += 1
    clear(classic)


def others_are_classic(group: ConsumerGroup, member_id: int) -> bool:
    """Whether a member is the last one of the new protocol, or none at all.

    Source: ConsumerGroup.allMembersUseClassicProtocolExcept.
    """
    return not group.members[member_id].uses_classic and all(
        member.uses_classic or member.state == MemberState.NOT_A_MEMBER
        for other_id, member in enumerate(group.members)
        if other_id != member_id
    )


def downgrades_without(group: ConsumerGroup, member_id: int) -> bool:
    """Whether the group is a classic one if it loses a member: the last one of the new protocol, but not the last.

    Source: GroupMetadataManager.validateOnlineDowngradeWithFencedMember.
    """
    return others_are_classic(group, member_id) and any(member.uses_classic for member in group.members)


def downgrade(group: Group, leaving_id: int) -> None:
    """Make a group a classic one without a member: each of the others is to have its target.

    Source: GroupMetadataManager.convertToClassicGroup, ClassicGroup.fromConsumerGroup.
    """
    classic = group.classic
    group.type = GroupType.CLASSIC
    classic.state = GroupState.STABLE
    classic.generation = group.consumer.group_epoch
    for member_id, member in enumerate(group.consumer.members):
        if member.state != MemberState.NOT_A_MEMBER and member_id != leaving_id:
            converted = classic.members[member_id]
            converted.is_member = True
            converted.instance_id = member.instance_id
            converted.owned = member.named
            converted.assigned = member.target
            if classic.leader == NO_MEMBER_ID:
                classic.leader = member_id
    clear(group.consumer)


def lose_member(
    group: Group, rules: MigrationRules, topic_count: int, connections: Array[Connection], member_id: int, existing: Ids
) -> None:
    """Lose a member of the new protocol, or one whose session has ended; a group that is a classic one then rebalances.

    Source: GroupMetadataManager.consumerGroupFenceMember.
    """
    if downgrades_without(group.consumer, member_id):
        downgrade(group, member_id)
        classic_coordinator.rebalance(group.classic, connections)
    else:
        remove_member(group.consumer, rules.consumer, topic_count, member_id, existing)


def migration_error(group: Group, rules: MigrationRules, request: HeartbeatRequest) -> HeartbeatError:
    """The error due to a heartbeat of the new protocol because the group is a classic one, or `NONE`.

    Only a member that joins makes a group one of the new protocol. One that has been in it meanwhile gets an error that
    ends its consumer.
    """
    if group.type == GroupType.CONSUMER:
        return HeartbeatError.NONE
    if request.member_epoch != JOIN_GROUP_MEMBER_EPOCH:
        if rules.fenced_member_may_return:
            return HeartbeatError.UNKNOWN_MEMBER_ID
        return HeartbeatError.GROUP_ID_NOT_FOUND
    if classic_coordinator.member_of_instance(group.classic, request.instance_id) != NO_MEMBER_ID:
        if not rules.consumer.classic_instance_is_replaced:
            return HeartbeatError.UNRELEASED_INSTANCE_ID
    return HeartbeatError.NONE


def handle_group_heartbeat(
    group: Group,
    rules: MigrationRules,
    topic_count: int,
    request: HeartbeatRequest,
    response: HeartbeatResponse,
    connections: Array[Connection],
    existing: Ids,
) -> None:
    """Handle a heartbeat of the new protocol.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: a member that joins makes a classic group one of the new protocol; the last one that leaves makes it a
        classic one. Otherwise as `consumer_group_heartbeat` says.
    Source: GroupMetadataManager.consumerGroupHeartbeat, consumerGroupLeave, getOrMaybeCreateConsumerGroup.
    """
    response.error = migration_error(group, rules, request)
    if response.error != HeartbeatError.NONE:
        return
    if group.type == GroupType.CLASSIC:
        if is_without_protocol(group.classic) and not rules.first_rebalance_is_upgraded:
            tell_to_join_again(group.classic, connections)
            response.error = HeartbeatError.UNKNOWN_SERVER_ERROR
            return
        upgrade(group, rules, topic_count, connections, existing)
    is_member = group.consumer.members[request.member_id].state != MemberState.NOT_A_MEMBER
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH and is_member and not request.is_temporary:
        lose_member(group, rules, topic_count, connections, request.member_id, existing)
        response.member_epoch = LEAVE_GROUP_MEMBER_EPOCH
    else:
        consumer_group_heartbeat(group.consumer, rules.consumer, topic_count, request, response, existing, True)


def handle_join(
    group: Group,
    rules: MigrationRules,
    topic_count: int,
    connections: Array[Connection],
    consumer_id: int,
    existing: Ids,
) -> None:
    """Handle a request of the classic protocol to join. A consumer's number is its member id.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: it joins the group, whichever it is; an empty group of the new protocol is a classic one then. If it takes
        the place of the last member of the new protocol, the group is a classic one, which need not rebalance.
    Source: GroupMetadataManager.classicGroupJoin, classicGroupJoinToConsumerGroup.
    """
    if group.type == GroupType.CONSUMER and is_empty(group.consumer):
        clear(group.consumer)
        group.type = GroupType.CLASSIC
    if group.type == GroupType.CLASSIC:
        group.classic.last_member_id = consumer_id - 1
        classic_coordinator.classic_group_join(group.classic, rules.classic, connections, consumer_id)
        group.classic.last_member_id = NO_MEMBER_ID
        return
    request = connections[consumer_id].request
    is_new = request.member_id == NO_MEMBER_ID
    owner = static_member(group.consumer, request.instance_id)
    downgrades = is_new and owner != NO_MEMBER and others_are_classic(group.consumer, owner)
    member_id = consumer_id if is_new else request.member_id
    classic_members.join_consumer_group(
        group.consumer, rules.consumer, topic_count, connections[consumer_id], member_id, existing
    )
    if downgrades and rules.replacement_downgrades:
        downgrade(group, owner)
        if rules.replacement_rebalances:
            classic_coordinator.rebalance(group.classic, connections)


def handle_classic_request(
    group: Group,
    rules: MigrationRules,
    topic_count: int,
    connections: Array[Connection],
    consumer_id: int,
    existing: Ids,
) -> None:
    """Handle a request of the classic protocol.

    Who: the group's coordinator.
    When: the request has arrived.
    Effect: that of the functions of `classic_group/coordinator.py`, or of `classic_members.py`.
    Source: GroupMetadataManager.classicGroupJoin, classicGroupSync, classicGroupHeartbeat, classicGroupLeave.
    """
    connection = connections[consumer_id]
    kind = connection.request.kind
    if kind == RequestKind.JOIN:
        handle_join(group, rules, topic_count, connections, consumer_id, existing)
    elif group.type == GroupType.CONSUMER:
        if kind == RequestKind.SYNC:
            classic_members.sync_with_consumer_group(group.consumer, rules.consumer, connection)
        elif kind == RequestKind.HEARTBEAT:
            classic_members.answer_classic_heartbeat(group.consumer, rules.consumer, connection)
        else:
            classic_members.leave_consumer_group(group.consumer, rules.consumer, topic_count, connection, existing)
    elif kind == RequestKind.SYNC:
        classic_coordinator.classic_group_sync(group.classic, rules.classic, connections, consumer_id)
    elif kind == RequestKind.HEARTBEAT:
        classic_coordinator.classic_group_heartbeat(group.classic, rules.classic, connection)
    else:
        classic_coordinator.classic_group_leave(group.classic, rules.classic, connections, consumer_id)


def expire_session(
    group: Group, rules: MigrationRules, topic_count: int, connections: Array[Connection], member_id: int, existing: Ids
) -> bool:
    """The session of a member ends, or its time to join, to sync or to give up partitions; False if it is none.

    Source: GroupMetadataManager.consumerGroupFenceMemberOperation, expireClassicGroupMemberHeartbeat.
    """
    if group.type == GroupType.CLASSIC:
        return classic_coordinator.expire_member(
            group.classic, connections, group.classic.members[member_id], member_id
        )
    if group.consumer.members[member_id].state == MemberState.NOT_A_MEMBER:
        return False
    lose_member(group, rules, topic_count, connections, member_id, existing)
    return True
