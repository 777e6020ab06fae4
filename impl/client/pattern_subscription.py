"""A consumer that may subscribe by a pattern, and what its heartbeats tell of it.

Part of Kafka modelled: `ConsumerHeartbeatRequestManager.HeartbeatState`; `SubscriptionState.subscriptionPattern`.
Source: the classes of 4.0.0 to 4.4.0; KIP-848, KAFKA-15561.
Left out, and why that is sound: patterns that the consumer itself matches (`java.util.regex.Pattern`), of which its
coordinator only sees lists of topics. A consumer goes from a pattern to a list of topics, or back, only by leaving.
"""

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.client import consumer_membership
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group.constants import ConsumerState
from kafkacheck.impl.consumer_group.pattern_records import PatternRules
from kafkacheck.impl.messages.pattern_heartbeat import NO_PATTERN, OptionalPattern, PatternHeartbeat


class Subscriber(Struct):
    """A consumer that may have a pattern.

    plain: the consumer without that.
    pattern: its pattern.
    sent_pattern: the pattern that it has told last; none after a heartbeat has failed.
    """

    plain: Consumer
    pattern: OptionalPattern
    sent_pattern: OptionalPattern


def send_pattern_heartbeat(
    subscriber: Subscriber, rules: PatternRules, member_id: int, heartbeat: PatternHeartbeat
) -> bool:
    """A consumer that may have a pattern sends a heartbeat.

    Who: a consumer that is in a group, or leaves it.
    When: none of its heartbeats is under way.
    Effect: the request also names the pattern, or that there is none any more, if it is another one than was told last;
        and a pattern also if the consumer joins.
    Source: ConsumerHeartbeatRequestManager.buildRequestData.
    """
    consumer = subscriber.plain
    is_joining = consumer.state == ConsumerState.JOINING
    has_failed = consumer.names_timeout
    if not consumer_membership.send_group_heartbeat(consumer, rules.consumer, member_id, heartbeat.plain):
        return False
    if has_failed:
        subscriber.sent_pattern = NO_PATTERN
    is_due = is_joining and (subscriber.pattern != NO_PATTERN or rules.missing_pattern_is_named)
    if is_due or subscriber.pattern != subscriber.sent_pattern:
        heartbeat.names_pattern = True
        heartbeat.pattern = subscriber.pattern
        subscriber.sent_pattern = subscriber.pattern
    return True


def change_pattern(subscriber: Subscriber, pattern: int) -> bool:
    """An application subscribes by another pattern.

    Who: the application.
    When: its consumer has joined with a pattern.
    Effect: the next heartbeat names it.
    Source: KafkaConsumer.subscribe(SubscriptionPattern).
    """
    if subscriber.pattern == NO_PATTERN or subscriber.pattern == pattern or pattern == NO_PATTERN:
        return False
    if not consumer_membership.is_in_group(subscriber.plain) or subscriber.plain.state == ConsumerState.JOINING:
        return False
    subscriber.pattern = pattern
    return True
