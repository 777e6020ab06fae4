"""Around a leader and its follower: a producer, time, and the end of the follower."""

from typing import Annotated

from kafkacheck.checker.schema import Count
from kafkacheck.impl.bounds import Bounds
from kafkacheck.model.replica_lag.system import State

Burst = Annotated[int, Count("max_burst", lowest=1)]


def start_in_sync(state: State) -> bool:
    """Begin with an empty partition whose follower is in the ISR."""
    state.is_in_sync = True
    return True


def producer_bursts(state: State, bounds: Bounds, burst: Burst) -> bool:
    """A producer sends several messages at once.

    When: enough messages are left.
    Effect: the leader has them.
    Source: `batch.size`.
    """
    if state.leader_end_offset + burst > bounds.max_messages:
        return False
    state.leader_end_offset += burst
    return True


def clock_ticks(state: State, bounds: Bounds) -> bool:
    """Time passes; a live follower has fetched meanwhile.

    When: the follower has fetched since the last tick, or is dead.
    Effect: the time is one tick later.
    Source: `replica.fetch.wait.max.ms` is far below `replica.lag.time.max.ms`.
    """
    if not state.has_fetched and not state.is_dead:
        return False
    if state.now >= bounds.max_time:
        return False
    state.now += 1
    state.has_fetched = False
    return True


def follower_dies(state: State) -> bool:
    """The follower stops for good.

    When: it lives.
    Effect: it never fetches again.
    Source: a crash.
    """
    if state.is_dead:
        return False
    state.is_dead = True
    return True
