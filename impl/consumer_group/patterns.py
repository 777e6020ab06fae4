"""The coordinator of a group whose members may subscribe by a pattern: heartbeats, and members that join.

Part of Kafka modelled: `GroupMetadataManager` (`consumerGroupHeartbeat`, `maybeUpdateRegularExpressions`,
`classicGroupJoinToConsumerGroup`, `consumerGroupFenceMembers`).
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-17593, KAFKA-19720, KAFKA-19899.
Left out, and why that is sound: whether the group is a classic one after a member of the classic protocol has joined
(`migration.py`).
"""

from kafkacheck.checker.schema import Ids, clear, copy
from kafkacheck.impl.consumer_group.assignment import NO_MEMBER, known_partitions, update_target_assignment
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    HeartbeatError,
    MemberState,
)
from kafkacheck.impl.consumer_group.coordinator import (
    answer_group_heartbeat,
    claimed_by,
    heartbeat_error,
    inherit_place,
    is_full_request,
    leave_for_a_while,
    remove_member,
    static_member,
)
from kafkacheck.impl.consumer_group.pattern_records import (
    PatternChange,
    PatternGroup,
    PatternRules,
    ResolutionStage,
    Waited,
)
from kafkacheck.impl.consumer_group.reconciliation import reconcile, set_member_epoch
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules, GroupMember
from kafkacheck.impl.consumer_group.resolution import (
    delete_unused_patterns,
    find_subscriptions,
    must_resolve,
    refresh_metadata,
    subscribed_patterns,
    subscriber_count,
    told_topics,
)
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN, PatternHeartbeat


def change_of_pattern(group: PatternGroup, rules: PatternRules, before: int, pattern: int) -> PatternChange:
    """What it changes that a member which had one pattern has another, or the same, or none. It is not noted yet.

    Source: GroupMetadataManager.maybeUpdateRegularExpressions.
    """
    if pattern == before:
        return PatternChange.NONE
    if pattern == NO_PATTERN:
        return PatternChange.RESOLVED if rules.cleared_pattern_rebalances else PatternChange.UNRESOLVED
    if subscriber_count(group, pattern) > 0 and group.resolved[pattern].is_resolved:
        return PatternChange.RESOLVED
    return PatternChange.UNRESOLVED


def note_subscription(
    group: PatternGroup, rules: PatternRules, member_id: int, topics: Ids, pattern: int, waited: Waited
) -> None:
    """Note what a member has told; a pattern that is new, or has no topics yet, is to be resolved.

    Source: GroupMetadataManager.maybeUpdateRegularExpressions.
    """
    subscription = group.told[member_id]
    before = subscription.pattern
    is_new = pattern != before and pattern != NO_PATTERN and subscriber_count(group, pattern) == 0
    had_patterns = subscribed_patterns(group) != Ids()
    subscription.topics = topics
    subscription.pattern = pattern
    after = subscribed_patterns(group)
    is_asked = rules.classic_successor_has_no_pattern or not group.plain.members[member_id].uses_classic
    if is_asked and (is_new or had_patterns) and must_resolve(group, rules, after, is_new, waited):
        group.resolution.stage = ResolutionStage.SCHEDULED
        group.resolution.patterns = after
    delete_unused_patterns(group)


def forgets_previous_epoch(group: ConsumerGroup, rules: ConsumerGroupRules, member: GroupMember, topics: Ids) -> bool:
    """Whether a member that has nothing, and subscribes to nothing from now on (`topics`), loses its previous epoch.

    Source: CurrentAssignmentBuilder.updateCurrentAssignment.
    """
    if not rules.unsubscribing_forgets_previous_epoch or member.state != MemberState.STABLE:
        return False
    if member.member_epoch != group.assignment_epoch or topics != Ids():
        return False
    return member.assigned == Ids() and member.pending_revocation == Ids()


def update_subscriber(
    group: PatternGroup,
    rules: PatternRules,
    topic_count: int,
    member_id: int,
    topics: Ids,
    pattern: int,
    claimed: Ids,
    existing: Ids,
    assigns: bool,
    waited: Waited,
) -> None:
    """Let a member join, or take its subscription, and reconcile it with its target assignment.

    The group epoch rises if the member names other topics, or has another pattern whose topics are known, or if the
    partitions of the group's topics have changed. Another pattern leads to a rebalance only once it is resolved.
    Source: GroupMetadataManager.consumerGroupHeartbeat, classicGroupJoinToConsumerGroup.
    """
    plain = group.plain
    member = plain.members[member_id]
    told = group.told[member_id]
    names_changed = topics != told.topics
    change = change_of_pattern(group, rules, told.pattern, pattern)
    is_changed = names_changed or change == PatternChange.RESOLVED
    if member.uses_classic and change != PatternChange.NONE:
        is_changed = True
    if plain.group_epoch == 0:
        if rules.group_begins_with_epoch:
            plain.group_epoch = 1
        else:
            is_changed = True
    if member.state == MemberState.NOT_A_MEMBER:
        member.state = MemberState.STABLE
        member.member_epoch = JOIN_GROUP_MEMBER_EPOCH
        member.previous_member_epoch = JOIN_GROUP_MEMBER_EPOCH
    note_subscription(group, rules, member_id, topics, pattern, waited)
    find_subscriptions(group, topic_count, existing)
    if is_changed or group.must_refresh:
        refresh_metadata(group, topic_count, existing, is_changed)
    if plain.group_epoch > plain.assignment_epoch and assigns:
        plain.known = known_partitions(plain, topic_count, existing)
        update_target_assignment(plain, topic_count)
    has_resubscribed = names_changed or change != PatternChange.NONE
    if has_resubscribed and forgets_previous_epoch(plain, rules.consumer, member, told_topics(group, told)):
        set_member_epoch(member, member.member_epoch)
    reconcile(plain, rules.consumer, topic_count, member, claimed, has_resubscribed)


def inherit_subscription(group: PatternGroup, instance_id: int, member_id: int) -> None:
    """Give a static member the place and the subscription of the one that has its instance id.

    Source: GroupMetadataManager.getOrMaybeSubscribeStaticConsumerGroupMember, replaceMember.
    """
    owner = static_member(group.plain, instance_id)
    inherit_place(group.plain, instance_id, member_id)
    if owner != NO_MEMBER and owner != member_id:
        copy(group.told[member_id], group.told[owner])
        clear(group.told[owner])


def remove_subscriber(
    group: PatternGroup, rules: PatternRules, topic_count: int, member_id: int, existing: Ids
) -> None:
    """Remove a member, which leaves or is fenced, with its subscription.

    Source: GroupMetadataManager.consumerGroupFenceMembers.
    """
    clear(group.told[member_id])
    delete_unused_patterns(group)
    find_subscriptions(group, topic_count, existing)
    remove_member(group.plain, rules.consumer, topic_count, member_id, existing)
    group.hashed = group.plain.known


def update_group_with_patterns(
    group: PatternGroup,
    rules: PatternRules,
    topic_count: int,
    heartbeat: PatternHeartbeat,
    existing: Ids,
    assigns: bool,
    waited: Waited,
) -> HeartbeatError:
    """Let a heartbeat that may name a pattern change the group; return the error if it is refused."""
    request = heartbeat.plain.request
    error = heartbeat_error(group.plain, rules.consumer, request)
    if error != HeartbeatError.NONE:
        return error
    if request.member_epoch == LEAVE_GROUP_MEMBER_EPOCH:
        if request.is_temporary:
            leave_for_a_while(group.plain, rules.consumer, request)
        else:
            remove_subscriber(group, rules, topic_count, request.member_id, existing)
        return HeartbeatError.NONE
    inherit_subscription(group, request.instance_id, request.member_id)
    member = group.plain.members[request.member_id]
    if member.state == MemberState.NOT_A_MEMBER:
        member.instance_id = request.instance_id
    member.uses_classic = False
    told = group.told[request.member_id]
    topics = request.subscribed if request.names_topics else told.topics
    pattern = heartbeat.pattern if heartbeat.names_pattern else told.pattern
    claimed = claimed_by(member, request)
    update_subscriber(group, rules, topic_count, request.member_id, topics, pattern, claimed, existing, assigns, waited)
    return HeartbeatError.NONE


def heartbeat_with_pattern(
    group: PatternGroup,
    rules: PatternRules,
    topic_count: int,
    heartbeat: PatternHeartbeat,
    existing: Ids,
    assigns: bool,
    waited: Waited,
) -> None:
    """Handle a heartbeat that may name a pattern, and write the response.

    Who: the group's coordinator.
    When: the request has arrived; `existing` are the partitions in the coordinator's metadata. `assigns`: whether the
        assignor runs, if the target assignment is an old one. `waited`: how long ago patterns were resolved.
    Effect: the group changes (`update_group_with_patterns`), and the resolution of its patterns may begin. The response
        has the member's epoch. It names the assignment if the request was full, or if the assignment has changed.
    Source: GroupMetadataManager.consumerGroupHeartbeat.
    """
    request = heartbeat.plain.request
    response = heartbeat.plain.response
    member = group.plain.members[request.member_id]
    assigned_before = member.assigned
    response.error = update_group_with_patterns(group, rules, topic_count, heartbeat, existing, assigns, waited)
    if response.error != HeartbeatError.NONE:
        return
    is_full = is_full_request(request) or (request.names_timeout and request.names_owned and heartbeat.names_pattern)
    answer_group_heartbeat(request, response, member, is_full or member.assigned != assigned_before)


def join_beside_patterns(
    group: PatternGroup,
    rules: PatternRules,
    topic_count: int,
    member_id: int,
    instance_id: int,
    topics: Ids,
    owned: Ids,
    existing: Ids,
    waited: Waited,
) -> None:
    """Let a member of the classic protocol join, or take the place of the static member with its instance id.

    Who: the coordinator of a group of the new protocol.
    When: a request to join has arrived, which names topics and owned partitions.
    Effect: the member is reconciled with its target assignment, as one of the new protocol would be. It has no pattern.
        It names what it owns by the topic; so partitions of one that is deleted count as given up.
    Source: GroupMetadataManager.classicGroupJoinToConsumerGroup.
    """
    inherit_subscription(group, instance_id, member_id)
    member = group.plain.members[member_id]
    if member.state == MemberState.NOT_A_MEMBER:
        member.instance_id = instance_id
    member.uses_classic = True
    member.named = owned
    pattern = NO_PATTERN if rules.classic_successor_has_no_pattern else group.told[member_id].pattern
    update_subscriber(group, rules, topic_count, member_id, topics, pattern, owned & existing, existing, True, waited)
