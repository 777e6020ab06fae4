"""Does `replica.lag.time.max.ms` keep a follower in the ISR through every burst of messages, as long as it fetches?

Bounds: bursts of up to five messages, six in all, over five ticks of the clock; a live follower fetches at every tick.
    The rule allows two ticks: with one (`--set longest_time=1`) a follower that fetches a tick after a message arrives
    is taken out, because only its second fetch shows that it has the message. The broken twin `replica_lag.messages`
    fails with a single burst.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Given, Model
from kafkacheck.checker.schema import Count
from kafkacheck.impl.broker.lag import LaggingPartition, LagRules, follower_fetches, leader_drops_lagging
from kafkacheck.spec.replica_lag.properties import (
    caught_up_time_is_true,
    complete_follower_joins,
    complete_follower_stays_in_sync,
    dead_follower_is_overdue,
    follower_has_left,
    follower_leaves_late,
    lagging_follower,
    late_follower,
    live_follower_stays_in_sync,
)

Burst = Annotated[int, Count("max_burst", lowest=1)]
AllMessages = Annotated[int, Count("max_messages", lowest="max_messages")]
EndOfTime = Annotated[int, Count("max_time", lowest="max_time")]


def start_in_sync(state: LaggingPartition) -> bool:
    """Begin with an empty partition whose follower is in the ISR."""
    state.is_in_sync = True
    return True


def producer_bursts(state: LaggingPartition, burst: Burst, max_messages: AllMessages) -> bool:
    """A producer sends several messages at once.

    When: enough messages are left.
    Effect: the leader has them.
    Source: `batch.size`.
    """
    if state.leader_end_offset + burst > max_messages:
        return False
    state.leader_end_offset += burst
    return True


def clock_ticks(state: LaggingPartition, max_time: EndOfTime) -> bool:
    """Time passes; a live follower has fetched meanwhile.

    When: the follower has fetched since the last tick, or is dead.
    Effect: it is one tick later.
    Source: `replica.fetch.wait.max.ms` is far below `replica.lag.time.max.ms`.
    """
    if not state.has_fetched and not state.is_dead:
        return False
    if state.now >= max_time:
        return False
    state.now += 1
    state.has_fetched = False
    return True


def follower_dies(state: LaggingPartition) -> bool:
    """The follower stops for good.

    When: it lives.
    Effect: it never fetches again.
    Source: a crash.
    """
    if state.is_dead:
        return False
    state.is_dead = True
    return True


BOUNDS = {"max_messages": 6, "max_time": 5, "max_burst": 5}

ACTIONS = (producer_bursts, clock_ticks, follower_fetches, leader_drops_lagging, follower_dies)

SAFETY = (
    live_follower_stays_in_sync,
    complete_follower_stays_in_sync,
    follower_leaves_late,
    caught_up_time_is_true,
    complete_follower_joins,
)

EXAMPLES = (lagging_follower, late_follower)

FAIR: Given = [leader_drops_lagging]
"""The leader looks for lagging followers again and again: `isr-expiration` is a scheduled task."""

MODEL = Model(
    state=LaggingPartition,
    initial=start_in_sync,
    bounds=BOUNDS,
    rules=LagRules(),
    actions=ACTIONS,
    always=SAFETY,
    sometimes=EXAMPLES,
    leads_to=[(dead_follower_is_overdue, follower_has_left)],
    weakly_fair=FAIR,
)
