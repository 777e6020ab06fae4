"""When a leader finds that a follower lags: by messages or silence, as before Kafka 0.9, or by time.

Part of Kafka modelled: `Replica.updateFetchStateOrThrow` and `Partition.isFollowerOutOfSync`, for one leader and one
follower; before 0.9 `Partition.getOutOfSyncReplicas` with `replica.lag.max.messages`.
Source: KIP-16; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: everything else of a partition. In the cluster's models a follower that is not at the
leader's end lags at once, later or never (`leader_proposes_shrink`), which covers both rules. Only here do the two
rules differ.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import EVERY, Count, Since, Struct
from kafkacheck.impl.enums import LagRule

Messages = Annotated[int, Count("max_messages")]
Time = Annotated[int, Count("max_time")]


class LagRules(NamedTuple):
    """How a leader judges its follower.

    rule: by messages or by time.
    most_messages: `replica.lag.max.messages`; read by the older rule only.
    longest_time: `replica.lag.time.max.ms`, in ticks of the clock.
    """

    rule: Annotated[LagRule, Since(EVERY, LagRule.MAX_MESSAGES), Since("0.9")] = LagRule.MAX_TIME
    most_messages: int = 0
    longest_time: int = 2


class FetchProgress(Struct):
    """The fetches that a leader remembers, by which it decides whether its follower lags.

    end_offset: the offset of the last fetch, below which the follower surely has every message.
    last_caught_up_time: the latest time at which the follower is known to have had all messages of the leader.
    last_fetch_time: the time of the last fetch.
    last_fetch_leader_end_offset: the leader's log end at that time.
    """

    end_offset: Messages
    last_caught_up_time: Time
    last_fetch_time: Time
    last_fetch_leader_end_offset: Messages


def note_fetch(progress: FetchProgress, offset: int, leader_end_offset: int, now: int) -> None:
    """Remember a fetch from `offset` at time `now`.

    A fetch from the leader's current end shows that the follower is caught up now. A fetch from the end that the leader
    had at the previous fetch shows that the follower was caught up at that time.
    """
    if offset >= leader_end_offset:
        progress.last_caught_up_time = now
    elif offset >= progress.last_fetch_leader_end_offset:
        progress.last_caught_up_time = max(progress.last_caught_up_time, progress.last_fetch_time)
    progress.end_offset = offset
    progress.last_fetch_time = now
    progress.last_fetch_leader_end_offset = leader_end_offset


def is_out_of_sync(progress: FetchProgress, rules: LagRules, leader_end_offset: int, now: int) -> bool:
    """Whether a follower must leave the ISR. A follower that has all messages of the leader never has to."""
    if progress.end_offset == leader_end_offset:
        return False
    if rules.rule == LagRule.MAX_TIME:
        return now - progress.last_caught_up_time > rules.longest_time
    if leader_end_offset - progress.end_offset > rules.most_messages:
        return True
    return now - progress.last_fetch_time > rules.longest_time
