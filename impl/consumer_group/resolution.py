"""How a coordinator finds the topics that match the patterns of a group's members, while topics come and go.

Part of Kafka modelled: `GroupMetadataManager` (`maybeUpdateRegularExpressions`, `handleRegularExpressionsResult`,
`maybeDeleteResolvedRegularExpressions`, `onMetadataUpdate`); `ConsumerGroup`; `TopicRegexResolver`.
Source: the classes of 4.0.0 to 4.4.0; KAFKA-17593, KAFKA-18916.
Left out, and why that is sound: **Not covered** are topics that a member may not describe, and a topic that is deleted
and comes back under its name. Kafka compares the versions of metadata; here a group knows whether a topic was created
since its patterns were resolved, all of which are resolved together.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.consumer_group.assignment import known_partitions
from kafkacheck.impl.consumer_group.coordinator import watch_members
from kafkacheck.impl.consumer_group.pattern_records import (
    PatternGroup,
    PatternRules,
    ResolutionStage,
    Subscription,
    Waited,
)
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN


def matching(pattern: int, topics: Ids) -> Ids:
    """Those of some topics that match a pattern."""
    found = Ids()
    for topic_id in topics:
        if topic_id >= pattern:
            found |= {topic_id}
    return found


def existing_topics(topic_count: int, existing: Ids) -> Ids:
    """The topics of some partitions: topics take turns in numbering partitions."""
    found = Ids()
    for partition_id in existing:
        found |= {partition_id % topic_count}
    return found


def subscriber_count(group: PatternGroup, pattern: int) -> int:
    """How many members have a pattern.

    Source: ConsumerGroup.numSubscribedMembers.
    """
    return sum(1 for subscription in group.told if pattern != NO_PATTERN and subscription.pattern == pattern)


def subscribed_patterns(group: PatternGroup) -> Ids:
    """The patterns that members have."""
    found = Ids()
    for pattern in range(len(group.resolved)):
        if subscriber_count(group, pattern) > 0:
            found |= {pattern}
    return found


def resolved_patterns(group: PatternGroup) -> Ids:
    """The patterns of which the group knows the topics."""
    found = Ids()
    for pattern, resolved in enumerate(group.resolved):
        if resolved.is_resolved:
            found |= {pattern}
    return found


def told_topics(group: PatternGroup, subscription: Subscription) -> Ids:
    """The topics to which a member subscribes as far as the group knows, whether they exist or not."""
    if subscription.pattern == NO_PATTERN:
        return subscription.topics
    return subscription.topics | group.resolved[subscription.pattern].topics


def find_subscriptions(group: PatternGroup, topic_count: int, existing: Ids) -> None:
    """Find the topics of each member that exist.

    Source: TargetAssignmentBuilder.newMemberSubscriptionSpec, CurrentAssignmentBuilder.subscribedTopicIds.
    """
    topics = existing_topics(topic_count, existing)
    for member_id, member in enumerate(group.plain.members):
        member.subscribed = told_topics(group, group.told[member_id]) & topics


def delete_unused_patterns(group: PatternGroup) -> None:
    """Forget the topics of patterns that no member has any more: a tombstone is written.

    Source: GroupMetadataManager.maybeDeleteResolvedRegularExpressions, maybeUpdateRegularExpressions.
    """
    for pattern, resolved in enumerate(group.resolved):
        if subscriber_count(group, pattern) == 0:
            clear(resolved)
    if resolved_patterns(group) == Ids():
        group.is_current = False


def must_resolve(group: PatternGroup, rules: PatternRules, after: Ids, is_new: bool, waited: Waited) -> bool:
    """Whether patterns are to be resolved, of which members have some (`after`); `is_new`: one was not there before.

    Source: GroupMetadataManager.maybeUpdateRegularExpressions.
    """
    if after == Ids() or group.resolution.stage != ResolutionStage.IDLE:
        return False
    resolved = resolved_patterns(group)
    if resolved != Ids() and waited == Waited.SHORT:
        return False
    if is_new or len(after) != len(resolved) or not group.is_current:
        return True
    return rules.patterns_are_refreshed and waited == Waited.PERIOD


def refresh_metadata(group: PatternGroup, topic_count: int, existing: Ids, is_changed: bool) -> None:
    """Let the group epoch rise if that is due, or if the partitions of the group's topics are others.

    Source: GroupMetadataManager.updateSubscriptionMetadata.
    """
    hashed = known_partitions(group.plain, topic_count, existing)
    if is_changed or hashed != group.hashed:
        group.plain.group_epoch += 1
    group.hashed = hashed
    group.must_refresh = False


def resolve_patterns(group: PatternGroup, topic_count: int, existing: Ids) -> bool:
    """An executor finds the topics of a group's patterns.

    Who: an executor of the coordinator.
    When: that is scheduled.
    Effect: it has the topics that exist now.
    Source: TopicRegexResolver.resolveRegularExpressions.
    """
    if group.resolution.stage != ResolutionStage.SCHEDULED:
        return False
    group.resolution.stage = ResolutionStage.RESOLVED
    group.resolution.topics = existing_topics(topic_count, existing)
    group.resolution.is_current = True
    return True


def take_resolution(group: PatternGroup, rules: PatternRules, topic_count: int, existing: Ids) -> bool:
    """The coordinator takes the topics of the patterns that members still have.

    Who: the group's coordinator.
    When: an executor has found topics.
    Effect: if the topics of a pattern are others, or partitions of the group's topics have changed, the group epoch
        rises. The next heartbeat leads to a new target assignment.
    Source: GroupMetadataManager.handleRegularExpressionsResult.
    """
    resolution = group.resolution
    if resolution.stage != ResolutionStage.RESOLVED:
        return False
    is_changed = False
    for pattern, resolved in enumerate(group.resolved):
        if pattern in resolution.patterns and subscriber_count(group, pattern) > 0:
            topics = matching(pattern, resolution.topics)
            if topics != resolved.topics or (rules.first_resolution_rebalances and not resolved.is_resolved):
                is_changed = True
            resolved.is_resolved = True
            resolved.topics = topics
            group.is_current = resolution.is_current
    clear(resolution)
    find_subscriptions(group, topic_count, existing)
    if is_changed or known_partitions(group.plain, topic_count, existing) != group.hashed:
        refresh_metadata(group, topic_count, existing, True)
    return True


def fail_resolution(group: PatternGroup) -> bool:
    """The executor fails.

    Who: the environment.
    When: it is to find topics.
    Effect: the patterns keep the topics that they had. A later heartbeat begins again.
    Source: GroupMetadataManager.handleRegularExpressionsResult.
    """
    if group.resolution.stage != ResolutionStage.SCHEDULED:
        return False
    clear(group.resolution)
    return True


def watched_topics(group: PatternGroup, rules: PatternRules) -> Ids:
    """The topics of which the group hears if they change.

    Source: GroupMetadataManager.groupsSubscribedToTopic.
    """
    watched = Ids()
    for subscription in group.told:
        watched |= subscription.topics
        if rules.resolved_topics_are_watched and subscription.pattern != NO_PATTERN:
            watched |= group.resolved[subscription.pattern].topics
    return watched


def hear_of_topic(group: PatternGroup, rules: PatternRules, topic_id: int, is_created: bool) -> None:
    """The coordinator's metadata has a topic that was created, or has it no longer.

    Who: a broker that replays the metadata log.
    Effect: if the group watches that topic, the next heartbeat looks which partitions exist. After a creation the next
        one resolves the patterns.
    Source: GroupMetadataManager.onMetadataUpdate.
    """
    if topic_id in watched_topics(group, rules):
        group.must_refresh = True
    if is_created:
        group.is_current = False
        group.resolution.is_current = False


def begin_with_patterns(group: PatternGroup) -> None:
    """Begin to serve a group, as a coordinator that has read it from the log and has then heard of metadata.

    Source: GroupMetadataManager.onLoaded, onMetadataUpdate.
    """
    watch_members(group.plain)
    clear(group.resolution)
    group.must_refresh = True
    group.is_current = False
