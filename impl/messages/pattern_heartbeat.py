"""The heartbeats of consumers that may subscribe by a pattern.

Part of Kafka modelled: `ConsumerGroupHeartbeatRequest` since its version 1, with `SubscribedTopicRegex`.
Source: KIP-848; KAFKA-17592; the classes of 4.0.0 to 4.4.0.
Left out, and why that is sound: the text of a pattern, which is a number here; patterns that are no regular
expressions, whose heartbeats are refused before they change anything.
"""

from typing import Annotated

from kafkacheck.checker.schema import Id, Struct
from kafkacheck.impl.messages.consumer_group_heartbeat import Heartbeat

NO_PATTERN = -1
"""No pattern: Kafka has the empty string here."""

PatternId = Annotated[int, Id("patterns")]
OptionalPattern = Annotated[int, Id("patterns", none=NO_PATTERN)]


class PatternHeartbeat(Struct):
    """A heartbeat whose request may name a pattern.

    plain: the heartbeat without that.
    names_pattern: whether the request names the pattern; without that the coordinator keeps the one that it knows.
    pattern: the pattern, or `NO_PATTERN` to have none any more.
    """

    plain: Heartbeat
    names_pattern: bool
    pattern: OptionalPattern
