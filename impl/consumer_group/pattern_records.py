"""The records of a group whose members may subscribe by a pattern, and the switches of such groups.

Part of Kafka modelled: `ConsumerGroup` (`resolvedRegularExpressions`, `subscribedRegularExpressions`),
`ResolvedRegularExpression`, `ConsumerGroupMember`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-17593, KAFKA-18916, KAFKA-19720, KAFKA-19899.
Left out, and why that is sound: the text of patterns: pattern n matches the topics from number n on.
"""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Array, ById, Ids, IdSet, Since, Struct
from kafkacheck.impl.consumer_group.records import ConsumerGroup, ConsumerGroupRules
from kafkacheck.impl.ids import PartitionSet
from kafkacheck.impl.messages.consumer_group_heartbeat import TopicSet
from kafkacheck.impl.messages.pattern_heartbeat import OptionalPattern

PatternSet = Annotated[Ids, IdSet("patterns")]


class PatternChange(IntEnum):
    """What a heartbeat changes in a member's pattern."""

    NONE = 0
    """Nothing."""

    UNRESOLVED = 1
    """The member has another pattern, and the group does not know its topics."""

    RESOLVED = 2
    """The member has another pattern whose topics the group knows, or none any more."""


class Waited(IntEnum):
    """How long ago the patterns of a group were resolved."""

    SHORT = 0
    """So short that no other resolution may begin: 10 seconds at most."""

    LONG = 1
    """Long enough for another resolution, if one is needed."""

    PERIOD = 2
    """So long that they are resolved anew in any case: `group.consumer.regex.refresh.interval.ms`."""


class ResolutionStage(IntEnum):
    """How far the resolution of a group's patterns is."""

    IDLE = 0
    """None is under way."""

    SCHEDULED = 1
    """An executor is to look for the topics."""

    RESOLVED = 2
    """It has found them, and the coordinator has not handled the result."""


class PatternRules(NamedTuple):
    """The switches of groups with patterns.

    consumer: those of the new protocol.
    group_begins_with_epoch: a group has its first epoch before its first member subscribes to anything, and the
        subscription counts as a change. Before, both had one epoch.
    classic_successor_has_no_pattern: a member of the classic protocol that takes the place of one of the new protocol
        does not keep its pattern, and patterns are resolved when it joins, if that is due (KAFKA-19720).
    cleared_pattern_rebalances: if a member gives its pattern up, the group has another epoch (KAFKA-19899).
    resolved_topics_are_watched: a group hears of changes of topics that patterns of its members match, and not only of
        those that they name (KAFKA-18916, before 4.0).
    patterns_are_refreshed: patterns are resolved anew from time to time in any case; before, only if a topic appears.
    first_resolution_rebalances: if a pattern is resolved for the first time, the group has another epoch, even if no
        topic matches; so the partitions of the member's former pattern are given to others (no release; finding F25).
    missing_pattern_is_named: a consumer that joins and has no pattern says so, because its coordinator may have one
        from its predecessor with the same instance id (no release; the model `subscriptions.kept_pattern`).
    """

    consumer: ConsumerGroupRules = ConsumerGroupRules()
    group_begins_with_epoch: Annotated[bool, Since("4.3", begun="4.0")] = True
    classic_successor_has_no_pattern: Annotated[bool, Since("4.0.2", begun="4.0"), Since("4.1.2", begun="4.1")] = True
    cleared_pattern_rebalances: Annotated[bool, Since("4.1.2", begun="4.0")] = True
    resolved_topics_are_watched: Annotated[bool, Since(EVERY)] = True
    patterns_are_refreshed: Annotated[bool, Since("4.1", begun="4.0")] = True
    first_resolution_rebalances: Annotated[bool, Since(EVERY)] = False
    missing_pattern_is_named: Annotated[bool, Since(EVERY)] = False


class Subscription(Struct):
    """What a member has told of its subscription.

    topics: the topics that it names.
    pattern: its pattern.
    """

    topics: TopicSet
    pattern: OptionalPattern


class ResolvedPattern(Struct):
    """A pattern of which the group knows the topics.

    is_resolved: whether there is a record of it.
    topics: the topics that matched when it was resolved.
    """

    is_resolved: bool
    topics: TopicSet


class Resolution(Struct):
    """The resolution that is under way.

    stage: how far it is.
    patterns: the patterns that it is about.
    topics: the topics that the executor has seen.
    is_current: whether no topic was created since.
    """

    stage: ResolutionStage
    patterns: PatternSet
    topics: TopicSet
    is_current: bool


class PatternGroup(Struct):
    """A group whose members may have patterns.

    plain: the group. The topics of its members are those that they name, or that match their patterns, and that exist.
    told: by member, what it has told.
    resolved: by pattern, its topics.
    hashed: the partitions of the group's topics, as the record of its epoch has them: Kafka has a hash of these.
    must_refresh: whether the coordinator looks again which partitions exist when the next heartbeat comes.
    is_current: whether no topic was created since patterns were resolved. All are resolved together.
    resolution: the resolution that is under way, which no other coordinator hears of.
    """

    plain: ConsumerGroup
    told: Annotated[Array[Subscription], ById("members")]
    resolved: Annotated[Array[ResolvedPattern], ById("patterns")]
    hashed: PartitionSet
    must_refresh: bool
    is_current: bool
    resolution: Resolution
