"""The slots for requests under way: emptying them.

Part of Kafka modelled: the connection of a fetcher to its leader, and of a leader to the controller.
Source: apache/kafka `BrokerBlockingSender`, `NodeToControllerChannelManager` (commit 1eb7644349).
Left out, and why that is sound: see `impl.broker.records`.
"""

from kafkacheck.impl.broker.records import Fetch, OldFetch
from kafkacheck.impl.cluster import State
from kafkacheck.impl.constants import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    NO_RECORD,
    AlterPartitionError,
    FetchError,
    Question,
    Stage,
)


def clear_fetch(fetch: Fetch) -> None:
    """Free the slot of a follower's request."""
    fetch.stage = Stage.IDLE
    fetch.question = Question.FETCH
    fetch.topic_id = 0
    fetch.is_incremental = 0
    fetch.leader = NO_LEADER
    fetch.leader_epoch = NO_EPOCH
    fetch.broker_epoch = 0
    fetch.offset = 0
    fetch.asked_epoch = NO_EPOCH
    fetch.error = FetchError.NONE
    fetch.record = NO_RECORD
    fetch.record_epoch = NO_EPOCH
    fetch.high_watermark = 0
    fetch.diverging_epoch = NO_EPOCH
    fetch.end_offset = NO_OFFSET
    fetch.log_start_offset = 0


def leave_request(fetch: Fetch, old_fetch: OldFetch) -> None:
    """Move a follower's request into the slot for one whose connection is broken, so that its own slot is free."""
    old_fetch.stage = fetch.stage
    old_fetch.topic_id = fetch.topic_id
    old_fetch.leader = fetch.leader
    old_fetch.leader_epoch = fetch.leader_epoch
    old_fetch.broker_epoch = fetch.broker_epoch
    old_fetch.offset = fetch.offset
    old_fetch.asked_epoch = fetch.asked_epoch
    clear_fetch(fetch)


def clear_old_fetch(old_fetch: OldFetch) -> None:
    """Free the slot of a fetch whose connection is broken."""
    old_fetch.stage = Stage.IDLE
    old_fetch.topic_id = 0
    old_fetch.leader = NO_LEADER
    old_fetch.leader_epoch = NO_EPOCH
    old_fetch.broker_epoch = 0
    old_fetch.offset = 0
    old_fetch.asked_epoch = NO_EPOCH


def clear_alter_partition(state: State, leader_id: int) -> None:
    """Free the slot of a leader's ISR change."""
    change = state.alter_partitions[leader_id]
    change.stage = Stage.IDLE
    change.topic_id = 0
    change.broker_epoch = 0
    change.leader_epoch = NO_EPOCH
    change.partition_epoch = 0
    change.isr = 0
    change.ends_recovery = False
    change.error = AlterPartitionError.NONE
    for member_id in range(len(change.member_epochs)):
        change.member_epochs[member_id] = NO_EPOCH
