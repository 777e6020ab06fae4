"""The slots for requests under way: emptying them.

Part of Kafka modelled: the connection of a fetcher to its leader, and of a leader to the controller.
Source: apache/kafka `BrokerBlockingSender`, `NodeToControllerChannelManager` (commit 1eb7644349).
Left out, and why that is sound: see `impl.broker.records`.
"""

from impl.cluster import State
from impl.constants import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    NO_RECORD,
    AlterPartitionError,
    FetchError,
    Question,
    Stage,
)


def clear_fetch(state: State, follower_id: int) -> None:
    """Free the slot of a follower's request."""
    fetch = state.fetches[follower_id]
    fetch.stage = Stage.IDLE
    fetch.question = Question.FETCH
    fetch.leader = NO_LEADER
    fetch.leader_epoch = NO_EPOCH
    fetch.broker_epoch = 0
    fetch.offset = 0
    fetch.asked_epoch = NO_EPOCH
    clear_fetch_answer(state, follower_id)


def clear_fetch_answer(state: State, follower_id: int) -> None:
    """Blank the fields of an answer."""
    fetch = state.fetches[follower_id]
    fetch.error = FetchError.NONE
    fetch.record = NO_RECORD
    fetch.record_epoch = NO_EPOCH
    fetch.high_watermark = 0
    fetch.diverging_epoch = NO_EPOCH
    fetch.end_offset = NO_OFFSET
    fetch.log_start_offset = 0


def clear_alter_partition(state: State, leader_id: int) -> None:
    """Free the slot of a leader's ISR change."""
    change = state.alter_partitions[leader_id]
    change.stage = Stage.IDLE
    change.broker_epoch = 0
    change.leader_epoch = NO_EPOCH
    change.partition_epoch = 0
    change.isr = 0
    change.ends_recovery = False
    change.error = AlterPartitionError.NONE
    for member_id in range(len(change.member_epochs)):
        change.member_epochs[member_id] = NO_EPOCH
