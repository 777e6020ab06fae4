"""What the rule for lagging followers promises.

Part of Kafka judged: `impl/broker/lag.py`, by its records only.
Source: KIP-16.
Left out, and why that is sound: what the ISR is for, which the other modules judge.
"""

from impl.broker.lag import LaggingPartition, LagRules


def live_follower_stays_in_sync(state: LaggingPartition) -> bool:
    """A follower that fetches whenever the clock moves is never taken out of the ISR.

    Lost if it fails: a burst of messages takes healthy replicas out of the ISR, and they come back at once: the ISR
    flaps, and acknowledgements fail for want of replicas.
    Source: KIP-16.
    Holds in: replica_lag.
    Fails in: replica_lag_messages.
    """
    return state.is_in_sync or state.is_dead


def complete_follower_stays_in_sync(before: LaggingPartition, after: LaggingPartition) -> bool:
    """A follower that is known to have all that the leader has is not taken out, however long it has been silent.

    Lost if it fails: a quiet partition loses its replicas in sync.
    Source: KIP-16; `Partition.isFollowerOutOfSync`.
    Holds in: replica_lag, replica_lag_messages.
    Fails in: none; it guards the rules' arithmetic.
    """
    if not before.is_in_sync or after.is_in_sync:
        return True
    return before.progress.end_offset < before.leader_end_offset


def follower_has_left(state: LaggingPartition) -> bool:
    """The follower is not in the ISR. It is the goal of a liveness property.

    Lost if it fails: the high watermark waits for ever for a follower that will never fetch.
    Source: KIP-16.
    Holds in: replica_lag, replica_lag_messages, some time after each state of `dead_follower_is_overdue`.
    Fails in: none; it guards the rules' arithmetic.
    """
    return not state.is_in_sync


def dead_follower_is_overdue(state: LaggingPartition, rules: LagRules) -> bool:
    """A follower that lacks messages is dead, and has not fetched for longer than the rule allows."""
    if not state.is_dead or state.follower_end_offset == state.leader_end_offset:
        return False
    return state.now - state.progress.last_fetch_time > rules.longest_time


def lagging_follower(state: LaggingPartition) -> bool:
    """A live follower lacks messages. Without an example no rule is put to the test."""
    return not state.is_dead and state.follower_end_offset < state.leader_end_offset
