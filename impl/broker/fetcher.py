"""The follower's side of replication: it asks where to truncate its log, truncates it, and fetches.

Part of Kafka modelled: `AbstractFetcherThread` (`processFetchRequest`, `maybeTruncate`, `getOffsetTruncationState`,
`truncateOnFetchResponse`, `fetchOffsetAndTruncate`) and `ReplicaFetcherThread`.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-279, KIP-595, KAFKA-14704, KAFKA-7786, KAFKA-13207, KAFKA-2143.
Left out, and why that is sound: back-off, which is waiting.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.broker.epoch_file import end_offset_of_epoch, epoch_with_end, latest_file_epoch
from kafkacheck.impl.broker.fetch import is_of_other_topic
from kafkacheck.impl.broker.fetch_session import begin_fetch
from kafkacheck.impl.broker.log_file import advance_log_start, append_to_log, begin_log_at, truncate_log
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.constants import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    NO_RECORD,
    FetchError,
    Question,
    Stage,
    TruncationRule,
)
from kafkacheck.impl.log import is_full
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def is_of_now(broker: Broker, fetch: Fetch) -> bool:
    """Whether a follower would still send this request, so that it uses the answer."""
    if fetch.broker_epoch != broker.broker_epoch or fetch.leader_epoch != broker.leader_epoch:
        return False
    if fetch.leader != broker.leader:
        return False
    if fetch.question == Question.EPOCH_END:
        return broker.must_truncate and fetch.asked_epoch == latest_file_epoch(broker)
    return not broker.must_truncate and fetch.offset == broker.log.end_offset


def can_ask(state: State, follower_id: int) -> bool:
    """Whether a broker follows a leader and may send a request: its slot is free, or holds one that it has given up."""
    broker = state.brokers[follower_id]
    if not broker.is_running or broker.leader == NO_LEADER or broker.leader == follower_id:
        return False
    fetch = state.fetches[follower_id]
    return fetch.stage == Stage.IDLE or not is_of_now(broker, fetch)


def send(state: State, follower_id: int, question: Question) -> None:
    """Send a request to the leader; one that was given up is lost, unless it has moved to `old_fetches`."""
    broker = state.brokers[follower_id]
    fetch = state.fetches[follower_id]
    clear(state.fetches[follower_id])
    fetch.stage = Stage.REQUESTED
    fetch.question = question
    fetch.topic_id = broker.topic_id
    fetch.leader = broker.leader
    fetch.leader_epoch = broker.leader_epoch
    fetch.broker_epoch = broker.broker_epoch
    fetch.offset = broker.log.end_offset


def follower_sends_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower asks its leader for the next record.

    Who: a broker that follows.
    When: it need not truncate first, and has no other request in flight.
    Effect: the request carries the follower's end offset, leader epoch and broker epoch, and with `ON_FETCH` the epoch
        of its last record. In a fetch session it is incremental.
    Source: ReplicaFetcherThread.buildFetch, FetchSessionHandler; KIP-227, KIP-320, KIP-595, KIP-903.
    """
    broker = state.brokers[follower_id]
    if not can_ask(state, follower_id):
        return False
    if broker.must_truncate:
        return False
    send(state, follower_id, Question.FETCH)
    begin_fetch(state.fetches[follower_id], state.fetch_sessions[follower_id])
    if rules.truncation == TruncationRule.ON_FETCH:
        state.fetches[follower_id].asked_epoch = latest_file_epoch(broker)
    return True


def follower_asks_epoch_end(state: State, follower_id: ReplicaId) -> bool:
    """A follower asks its leader for the end offset of the follower's latest epoch.

    Who: a broker that follows.
    When: it must truncate, and has no other request in flight.
    Effect: the request carries that epoch and the follower's leader epoch.
    Source: AbstractFetcherThread.maybeTruncate, OffsetsForLeaderEpoch; KIP-101, KIP-320.
    """
    broker = state.brokers[follower_id]
    if not can_ask(state, follower_id):
        return False
    if not broker.must_truncate:
        return False
    send(state, follower_id, Question.EPOCH_END)
    state.fetches[follower_id].offset = 0
    state.fetches[follower_id].asked_epoch = latest_file_epoch(broker)
    return True


def truncate_by_answer(broker: Broker, rules: ClusterRules, epoch: int, end_offset: int) -> bool:
    """Truncate the log by the answer that `epoch` ends at `end_offset`; return whether no further request is needed.

    Without an answer the log is truncated to the high watermark. A follower that does not have the epoch of the answer
    truncates to the end of its own next older epoch, and must ask again (KIP-279).
    """
    if end_offset == NO_OFFSET:
        truncate_log(broker, rules, broker.high_watermark)
        return True
    own_end = end_offset_of_epoch(broker, epoch)
    if rules.truncation == TruncationRule.KIP_101 or own_end == NO_OFFSET:
        truncate_log(broker, rules, min(end_offset, broker.log.end_offset))
        return True
    is_complete = epoch_with_end(broker, rules, epoch) == epoch
    truncate_log(broker, rules, min(end_offset, own_end) if is_complete else own_end)
    return is_complete


def follower_truncates(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower receives the end offset of its epoch on the leader, and truncates its log.

    Who: a broker that asked.
    When: the answer has arrived.
    Effect: it truncates its log by the truncation rule; then it may fetch, or must ask again with an older epoch. It
        drops an answer to a request that it would no longer send.
    Source: AbstractFetcherThread.maybeTruncateToEpochEndOffsets, getOffsetTruncationState; KIP-101, KIP-279,
        KAFKA-7786.
    """
    broker = state.brokers[follower_id]
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.ANSWERED or fetch.question != Question.EPOCH_END:
        return False
    if not broker.is_running:
        return False
    if is_of_now(broker, fetch) or not rules.stale_answer_is_refused:
        if truncate_by_answer(broker, rules, fetch.diverging_epoch, fetch.end_offset):
            broker.must_truncate = False
        elif latest_file_epoch(broker) == NO_EPOCH:
            broker.must_truncate = False
    clear(state.fetches[follower_id])
    return True


def leave_out_of_range(state: State, rules: ClusterRules, follower_id: int, leader_id: int) -> None:
    """Ask the leader for its log's end and start, and truncate or restart the log (`fetchOffsetAndTruncate`).

    A log that ends above the leader's end is truncated to it. A log that ends below the leader's start restarts there.
    In between the log stays; by the old rule it restarts at the leader's start.
    """
    broker = state.brokers[follower_id]
    leader = state.brokers[leader_id]
    if leader.log.end_offset < broker.log.end_offset:
        truncate_log(broker, rules, leader.log.end_offset)
    elif leader.log_start_offset > broker.log.end_offset or not rules.out_of_range_keeps_log:
        begin_log_at(broker, rules, leader.log_start_offset)


def exposes_divergence(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Whether the follower, by the old rule, adopts the high watermark of a diverging answer before it truncates."""
    if rules.divergence_comes_first or fetch.end_offset == NO_OFFSET:
        return False
    return broker.high_watermark < min(fetch.high_watermark, broker.log.end_offset)


def use_answer(broker: Broker, rules: ClusterRules, fetch: Fetch) -> None:
    """Truncate a diverging log; otherwise append the record of the answer, if any, and adopt the high watermark."""
    if fetch.end_offset != NO_OFFSET:
        truncate_by_answer(broker, rules, fetch.diverging_epoch, fetch.end_offset)
        return
    if fetch.record != NO_RECORD and not is_full(broker.log):
        append_to_log(broker, rules, fetch.record, fetch.record_epoch)
    broker.high_watermark = max(min(fetch.high_watermark, broker.log.end_offset), broker.log_start_offset)
    if broker.log_start_offset < min(fetch.log_start_offset, broker.high_watermark):
        advance_log_start(broker, min(fetch.log_start_offset, broker.high_watermark))


def follower_uses_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower receives the answer to its fetch.

    Who: a broker that asked.
    When: the answer has arrived.
    Effect: it appends the record and adopts the high watermark, up to the log's end. If the logs diverge, it truncates
        its log instead. If its offset is out of range, it asks the leader for its start and end. It drops an answer to
        a fetch that it would no longer send.
    Source: AbstractFetcherThread.processFetchRequest; KAFKA-14704, KAFKA-13207, KAFKA-2143.
    Left out: the second request to the leader when out of range, which is part of this step.
    """
    broker = state.brokers[follower_id]
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.ANSWERED or fetch.question != Question.FETCH:
        return False
    if not broker.is_running:
        return False
    is_used = is_of_now(broker, fetch) or not rules.stale_answer_is_refused
    if is_of_other_topic(broker, rules, fetch.topic_id):
        is_used = False
    if is_used and exposes_divergence(broker, rules, fetch):
        broker.high_watermark = min(fetch.high_watermark, broker.log.end_offset)
        return True
    if is_used:
        if fetch.error == FetchError.OFFSET_OUT_OF_RANGE:
            if state.brokers[fetch.leader].is_running:
                leave_out_of_range(state, rules, follower_id, fetch.leader)
        else:
            use_answer(broker, rules, fetch)
    clear(state.fetches[follower_id])
    return True
