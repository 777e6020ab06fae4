"""Who owns a partition in a group with patterns, what its coordinator takes for subscriptions, and that it converges.

Part of Kafka judged: `impl/consumer_group/patterns.py`, `impl/consumer_group/resolution.py` and
`impl/client/pattern_subscription.py`, by their records only.
Source: KIP-848; KAFKA-17593, KAFKA-18916, KAFKA-19720, KAFKA-19899.
Left out, and why that is sound: positions and offsets.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.client.pattern_subscription import Subscriber
from kafkacheck.impl.consumer_group.constants import ConsumerState, HeartbeatError, HeartbeatStage, MemberState
from kafkacheck.impl.consumer_group.pattern_records import ResolutionStage
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN
from kafkacheck.model.subscriptions.system import State
from kafkacheck.spec.consumer_group.properties import held


def takes_part(subscriber: Subscriber) -> bool:
    """Whether the consumer is in the group, or joins."""
    state = subscriber.plain.state
    return state != ConsumerState.UNSUBSCRIBED and state != ConsumerState.LEAVING and state != ConsumerState.FATAL


def is_valid(state: State, member_id: int) -> bool:
    """Whether the coordinator would accept a commit of the consumer: the consumer has the member's epoch."""
    member = state.group.plain.members[member_id]
    if member.state == MemberState.NOT_A_MEMBER or member.has_left:
        return False
    return member.member_epoch == state.consumers[member_id].plain.member_epoch


def wants(subscriber: Subscriber, topic_id: int) -> bool:
    """Whether the application has subscribed to a topic, by its name or by a pattern."""
    if topic_id in subscriber.plain.subscribed:
        return True
    return subscriber.pattern != NO_PATTERN and topic_id >= subscriber.pattern


def no_two_owners(state: State) -> bool:
    """No two consumers own a partition if the coordinator would accept commits of both.

    Lost to users: two consumers process the same records, and each commits over the other.
    Source: KIP-848.
    """
    return not any(
        one.plain.owned & other.plain.owned != Ids() and is_valid(state, one_id) and is_valid(state, other_id)
        for one_id, one in enumerate(state.consumers)
        for other_id, other in enumerate(state.consumers)
        if one_id < other_id
    )


def partitions_have_one_holder(state: State) -> bool:
    """The coordinator gives no partition to two members at a time.

    Lost if it fails: two consumers process the same records.
    Source: `ConsumerGroup.currentPartitionEpoch`.
    """
    return not any(
        held(one) & held(other) != Ids()
        for one_id, one in enumerate(state.group.plain.members)
        for other_id, other in enumerate(state.group.plain.members)
        if one_id < other_id
    )


def has_told_everything(state: State, member_id: int) -> bool:
    """Whether the coordinator has handled all that a consumer has to tell, which has joined."""
    subscriber = state.consumers[member_id]
    consumer = subscriber.plain
    if not takes_part(subscriber) or consumer.state == ConsumerState.JOINING or not is_valid(state, member_id):
        return False
    if consumer.state == ConsumerState.PREPARE_LEAVING or consumer.names_timeout or consumer.names_topics:
        return False
    if subscriber.pattern != subscriber.sent_pattern:
        return False
    return state.heartbeats[member_id].plain.stage == HeartbeatStage.IDLE


def coordinators_know_subscriptions(state: State) -> bool:
    """The subscription that the coordinator has of a member is the one that its consumer has.

    Lost to users: an application gets records of topics to which it does not subscribe, or none of those to which it
        does.
    Source: KIP-848; KAFKA-19720.
    """
    return not any(
        has_told_everything(state, member_id)
        and (
            state.group.told[member_id].pattern != subscriber.pattern
            or state.group.told[member_id].topics != subscriber.plain.subscribed
        )
        for member_id, subscriber in enumerate(state.consumers)
    )


def nobody_is_refused(state: State) -> bool:
    """No heartbeat is refused of a consumer that takes part, and of which none was lost.

    Lost to users: a consumer gives up its partitions, or ends.
    Source: KIP-848.
    """
    return not any(
        heartbeat.plain.response.error != HeartbeatError.NONE and takes_part(state.consumers[member_id])
        for member_id, heartbeat in enumerate(state.heartbeats)
    )


def resolved_topics_match(state: State) -> bool:
    """What the log has of a pattern are topics that match it, and only of a pattern that a member has.

    Lost if it fails: members get partitions that their patterns do not match, or records stay in the log for ever.
    Source: `GroupMetadataManager.handleRegularExpressionsResult`.
    """
    return all(
        not resolved.is_resolved
        or (
            any(subscription.pattern == pattern for subscription in state.group.told)
            and all(topic_id >= pattern for topic_id in resolved.topics)
        )
        for pattern, resolved in enumerate(state.group.resolved)
    )


def targets_are_of_members(state: State) -> bool:
    """In the newest target assignment no partition has two members, and only members have partitions.

    Lost if it fails: two consumers process the same records, or nobody does.
    Source: KIP-848.
    """
    if state.group.plain.assignment_epoch != state.group.plain.group_epoch:
        return True
    return not any(
        one.target & other.target != Ids()
        for one_id, one in enumerate(state.group.plain.members)
        for other_id, other in enumerate(state.group.plain.members)
        if one_id < other_id
    ) and all(
        member.state != MemberState.NOT_A_MEMBER or member.target == Ids() for member in state.group.plain.members
    )


def owner_count(state: State, partition_id: int) -> int:
    """How many consumers own a partition."""
    return sum(1 for subscriber in state.consumers if partition_id in subscriber.plain.owned)


def has_converged(state: State, bounds: Bounds) -> bool:
    """Each existing partition of a topic to which somebody subscribes has one owner, which subscribes to it.

    No consumer owns anything else, each has the epoch of the group, and those that take no part are no members.
    Lost to users: nobody processes a partition, or somebody gets records of a topic to which he does not subscribe.
    Source: KIP-848.
    """
    for member_id, subscriber in enumerate(state.consumers):
        member = state.group.plain.members[member_id]
        if not takes_part(subscriber):
            if member.state != MemberState.NOT_A_MEMBER:
                return False
        elif subscriber.plain.state != ConsumerState.STABLE or member.state != MemberState.STABLE:
            return False
        elif subscriber.plain.member_epoch != state.group.plain.group_epoch:
            return False
        for partition_id in subscriber.plain.owned:
            if partition_id not in state.existing or not wants(subscriber, partition_id % bounds.topics):
                return False
    for partition_id in state.existing:
        is_wanted = any(
            takes_part(subscriber) and wants(subscriber, partition_id % bounds.topics) for subscriber in state.consumers
        )
        if owner_count(state, partition_id) != int(is_wanted):
            return False
    return True


def has_not_converged(state: State, bounds: Bounds) -> bool:
    """Something is still to be told, resolved, given up or taken."""
    return not has_converged(state, bounds)


def pattern_is_resolved(state: State) -> bool:
    """A pattern is resolved. Without an example no member has a topic."""
    return any(resolved.is_resolved for resolved in state.group.resolved)


def pattern_goes_while_it_is_resolved(state: State) -> bool:
    """A pattern is resolved that no member has any more. Without an example no result comes too late."""
    return state.group.resolution.stage == ResolutionStage.RESOLVED and any(
        all(subscription.pattern != pattern for subscription in state.group.told)
        for pattern in state.group.resolution.patterns
    )
