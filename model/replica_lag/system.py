"""The whole system of the models of a lagging follower: a leader and its one follower on a common clock."""

from kafkacheck.checker.schema import Struct
from kafkacheck.impl.broker.lag import FetchProgress, LagRules, Messages, Time, is_out_of_sync, note_fetch


class State(Struct):
    """A leader and its one follower on a common clock.

    now: the time, in ticks.
    leader_end_offset: how many messages the leader has.
    follower_end_offset: how many messages the follower has.
    is_in_sync: whether the follower is in the ISR.
    has_fetched: whether the follower has fetched since the clock moved last.
    is_dead: whether the follower has stopped for good.
    progress: the follower's fetches that the leader remembers.
    """

    now: Time
    leader_end_offset: Messages
    follower_end_offset: Messages
    is_in_sync: bool
    has_fetched: bool
    is_dead: bool
    progress: FetchProgress


def follower_fetches(state: State) -> bool:
    """The follower fetches every message that it lacks; the fetch may bring it back into the ISR.

    Who: the follower.
    When: it lives, and has not fetched at this time.
    Effect: the leader remembers the fetch, and readmits a follower that fetches from its end. The follower has
        all messages that the leader has now.
    Source: Partition.updateFollowerFetchState, maybeExpandIsr.
    Left out: the time that a fetch takes, and fetches that bring less.
    """
    if state.is_dead:
        return False
    if state.has_fetched:
        return False
    note_fetch(state.progress, state.follower_end_offset, state.leader_end_offset, state.now)
    if state.follower_end_offset == state.leader_end_offset:
        state.is_in_sync = True
    state.follower_end_offset = state.leader_end_offset
    state.has_fetched = True
    return True


def leader_drops_lagging(state: State, rules: LagRules) -> bool:
    """The leader looks for members of the ISR that lag, and removes the follower.

    Who: the leader, from time to time.
    When: the follower is in the ISR, and lags by the rule.
    Effect: it leaves the ISR.
    Source: Partition.maybeShrinkIsr.
    Left out: the controller's part in it.
    """
    if not state.is_in_sync:
        return False
    if not is_out_of_sync(state.progress, rules, state.leader_end_offset, state.now):
        return False
    state.is_in_sync = False
    return True
