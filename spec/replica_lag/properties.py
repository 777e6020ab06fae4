"""Guarantees of the rule for lagging followers.

Part of Kafka judged: `impl/broker/lag.py`, by its records only.
Source: KIP-16.
Left out, and why that is sound: the purpose of the ISR, which the other modules judge.
"""

from kafkacheck.impl.broker.lag import LagRules
from kafkacheck.impl.enums import LagRule
from kafkacheck.model.replica_lag.system import State


def live_follower_stays_in_sync(state: State) -> bool:
    """A follower that fetches whenever the clock moves is never taken out of the ISR.

    Lost if it fails: a burst of messages takes healthy replicas out of the ISR, and they come back at once: the ISR
    flaps, and acknowledgements fail because too few replicas are in sync.
    Source: KIP-16.
    """
    return state.is_in_sync or state.is_dead


def complete_follower_stays_in_sync(before: State, after: State) -> bool:
    """A follower known to have the leader's whole log is not taken out, however long it has been silent.

    Lost if it fails: a quiet partition loses its in-sync replicas.
    Source: KIP-16; `Partition.isFollowerOutOfSync`.
    """
    if not before.is_in_sync or after.is_in_sync:
        return True
    return before.progress.end_offset < before.leader_end_offset


def follower_leaves_late(before: State, after: State, rules: LagRules) -> bool:
    """A follower is taken out only when it lags by more than the settings allow.

    Lost if it fails: followers leave the ISR although an operator's settings should keep them in it.
    Source: `replica.lag.time.max.ms`, `replica.lag.max.messages`.
    """
    if not before.is_in_sync or after.is_in_sync:
        return True
    progress = before.progress
    if rules.rule == LagRule.MAX_TIME:
        return before.now > progress.last_caught_up_time + rules.longest_time
    lacks_many = before.leader_end_offset > progress.end_offset + rules.most_messages
    return lacks_many or before.now > progress.last_fetch_time + rules.longest_time


def is_fetch(before: State, after: State) -> bool:
    """Whether the follower fetched in this step."""
    return after.has_fetched and not before.has_fetched


def caught_up_time_is_true(before: State, after: State) -> bool:
    """A fetch moves the follower's caught-up time only as far as the fetch offset proves.

    A fetch from the leader's end proves that the follower is caught up now. A fetch from the end that the leader had at
    the previous fetch proves that it was caught up at that time. Any other fetch proves nothing.

    Lost if it fails: a follower that never catches up counts as caught up, or a follower that does catch up is taken
        out.
    Source: KIP-16; `Replica.updateFetchStateOrThrow`.
    """
    if not is_fetch(before, after):
        return after.progress.last_caught_up_time == before.progress.last_caught_up_time
    if before.follower_end_offset == before.leader_end_offset:
        return after.progress.last_caught_up_time == before.now
    if before.follower_end_offset < before.progress.last_fetch_leader_end_offset:
        return after.progress.last_caught_up_time == before.progress.last_caught_up_time
    return after.progress.last_caught_up_time == max(
        before.progress.last_fetch_time, before.progress.last_caught_up_time
    )


def complete_follower_joins(before: State, after: State) -> bool:
    """A fetch brings the follower into the ISR if, and only if, it comes from the leader's end.

    Lost if it fails: the ISR stays small for good, or has a replica without a committed record.
    Source: `Partition.maybeExpandIsr`.
    """
    is_complete = before.follower_end_offset == before.leader_end_offset
    if is_fetch(before, after) and is_complete:
        return after.is_in_sync
    return before.is_in_sync or not after.is_in_sync


def follower_has_left(state: State) -> bool:
    """The follower is not in the ISR. It is the goal of a liveness property.

    Lost if it fails: the high watermark waits for ever for a follower that will never fetch.
    Source: KIP-16.
    """
    return not state.is_in_sync


def dead_follower_is_overdue(state: State, rules: LagRules) -> bool:
    """A dead follower lacks messages, and has not fetched for longer than the rule allows."""
    if not state.is_dead or state.follower_end_offset == state.leader_end_offset:
        return False
    return state.now - state.progress.last_fetch_time > rules.longest_time


def follower_is_far_behind(state: State, rules: LagRules) -> bool:
    """By its last fetch, a follower in the ISR lacks more messages than the older rule allows."""
    is_older_rule = rules.rule == LagRule.MAX_MESSAGES
    return (
        is_older_rule and state.is_in_sync and state.leader_end_offset - state.progress.end_offset > rules.most_messages
    )


def follower_is_near_or_out(state: State, rules: LagRules) -> bool:
    """The follower has left the ISR, or has fetched enough. It is the goal of a liveness property.

    Lost if it fails: the older rule has no effect; acknowledgements wait for a follower that is far behind.
    Source: `replica.lag.max.messages`.
    """
    return not state.is_in_sync or state.leader_end_offset - state.progress.end_offset <= rules.most_messages


def late_follower(state: State) -> bool:
    """A live follower was found caught up after the beginning. Without an example no time passes for it."""
    return not state.is_dead and state.progress.last_caught_up_time > 0


def lagging_follower(state: State) -> bool:
    """A live follower lacks messages. Without an example no rule is put to the test."""
    return not state.is_dead and state.follower_end_offset < state.leader_end_offset
