"""The follower's side of replication: it asks where to truncate its log, truncates it, and fetches.

Part of Kafka modelled: `AbstractFetcherThread` (`processFetchRequest`, `maybeTruncate`, `getOffsetTruncationState`,
`truncateOnFetchResponse`, `fetchOffsetAndTruncate`) and `ReplicaFetcherThread`.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-279, KIP-595, KAFKA-14704, KAFKA-7786, KAFKA-13207, KAFKA-18991,
    KAFKA-2143.
Left out, and why that is sound: back-off, which is waiting.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import end_offset_of_epoch, epoch_with_end, latest_file_epoch
from kafkacheck.impl.broker.fetch import is_topic_inconsistent
from kafkacheck.impl.broker.fetch_session import begin_fetch
from kafkacheck.impl.broker.log_file import advance_log_start, append_to_log, truncate_fully_and_start_at, truncate_log
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.enums import FetchError, Question, Stage, TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.impl.log import is_full
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.rules import ClusterRules


def is_of_now(broker: Broker, fetch: Fetch) -> bool:
    """Whether a follower would send this request again now. Only then does it use the answer."""
    if fetch.broker_epoch != broker.broker_epoch or fetch.leader_epoch != broker.leader_epoch:
        return False
    if fetch.leader != broker.leader:
        return False
    if fetch.question == Question.EPOCH_END:
        return broker.must_truncate and fetch.asked_epoch == latest_file_epoch(broker)
    return not broker.must_truncate and fetch.offset == end_of(broker.log)


def can_ask(broker: Broker, broker_id: int, fetch: Fetch) -> bool:
    """Whether a broker follows a leader and may send a request: its slot is free, or the request there is obsolete."""
    if not broker.is_running or broker.leader == NO_LEADER or broker.leader == broker_id:
        return False
    return fetch.stage == Stage.IDLE or not is_of_now(broker, fetch)


def send(broker: Broker, fetch: Fetch, question: Question) -> None:
    """Send a request to the leader; a former request in the slot is lost, unless it has moved to `old_fetches`."""
    clear(fetch)
    fetch.stage = Stage.REQUESTED
    fetch.question = question
    fetch.topic_id = broker.topic_id
    fetch.leader = broker.leader
    fetch.leader_epoch = broker.leader_epoch
    fetch.broker_epoch = broker.broker_epoch
    fetch.offset = end_of(broker.log)


def send_fetch(
    broker: Broker, rules: ClusterRules, bounds: Bounds, broker_id: int, fetch: Fetch, session: FetchSession
) -> bool:
    """Ask the leader for the next record.

    Who: a broker that follows.
    When: it need not truncate first, and has no other request in flight.
    Effect: the request carries the follower's end offset, leader epoch and broker epoch, and with `ON_FETCH` the epoch
        of its last record. In a fetch session it is incremental.
    Source: ReplicaFetcherThread.buildFetch, FetchSessionHandler; KIP-227, KIP-320, KIP-595, KIP-903.
    """
    if not can_ask(broker, broker_id, fetch) or broker.must_truncate:
        return False
    send(broker, fetch, Question.FETCH)
    begin_fetch(fetch, session, bounds)
    if rules.truncation == TruncationRule.ON_FETCH:
        fetch.asked_epoch = latest_file_epoch(broker)
    return True


def ask_epoch_end(broker: Broker, broker_id: int, fetch: Fetch) -> bool:
    """Ask the leader for the end offset of the latest epoch in the log.

    Who: a broker that follows.
    When: it must truncate, and has no other request in flight.
    Effect: the request carries that epoch and the follower's leader epoch.
    Source: AbstractFetcherThread.maybeTruncate, OffsetsForLeaderEpoch; KIP-101, KIP-320.
    """
    if not can_ask(broker, broker_id, fetch) or not broker.must_truncate:
        return False
    send(broker, fetch, Question.EPOCH_END)
    fetch.offset = 0
    fetch.asked_epoch = latest_file_epoch(broker)
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
        truncate_log(broker, rules, min(end_offset, end_of(broker.log)))
        return True
    is_complete = epoch_with_end(broker, rules, epoch) == epoch
    truncate_log(broker, rules, min(end_offset, own_end) if is_complete else own_end)
    return is_complete


def use_epoch_end(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Receive the leader's end offset of the asked epoch, and truncate the log.

    Who: a broker that asked.
    When: the answer has arrived.
    Effect: it truncates its log by the truncation rule; then it may fetch, or must ask again with an older epoch. It
        drops an answer to a request that it would no longer send.
    Source: AbstractFetcherThread.maybeTruncateToEpochEndOffsets, getOffsetTruncationState; KIP-101, KIP-279,
        KAFKA-7786.
    """
    if not broker.is_running:
        return False
    if is_of_now(broker, fetch) or not rules.stale_answer_is_refused:
        if truncate_by_answer(broker, rules, fetch.diverging_epoch, fetch.end_offset):
            broker.must_truncate = False
        elif latest_file_epoch(broker) == NO_EPOCH:
            broker.must_truncate = False
    clear(fetch)
    return True


def leave_out_of_range(broker: Broker, rules: ClusterRules, start_offset: int, end_offset: int) -> None:
    """Truncate or restart the log by the leader's answer that its log has this start and end.

    A log that ends above the leader's end is truncated to it. A log that ends below the leader's start restarts there.
    Any other log stays; before KAFKA-2143 it restarts at the leader's start.
    """
    if end_offset < end_of(broker.log):
        truncate_log(broker, rules, end_offset)
    elif start_offset > end_of(broker.log) or not rules.out_of_range_keeps_log:
        truncate_fully_and_start_at(broker, rules, start_offset)


def exposes_divergence(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Whether the follower adopts the high watermark of a diverging answer before it truncates (before KAFKA-14704)."""
    if rules.divergence_comes_first or fetch.end_offset == NO_OFFSET:
        return False
    return broker.high_watermark < min(fetch.high_watermark, end_of(broker.log))


def is_taken_for_new(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Whether a follower takes the answer to a fetch of an earlier leader epoch for an answer to its present one.

    Before KAFKA-18991 it does so if it follows the same leader, fetches from the same offset, and has an epoch. A
    follower without an epoch truncates first. Kafka closes the connection if another broker has led in between, so that
    the answer is lost; here it may still come.
    """
    if rules.fetch_answer_is_of_epoch or fetch.broker_epoch != broker.broker_epoch:
        return False
    if broker.must_truncate or latest_file_epoch(broker) == NO_EPOCH:
        return False
    return fetch.leader == broker.leader and fetch.offset == end_of(broker.log)


def is_used(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Whether a follower uses the answer to its fetch: it would still send the fetch, and the topic is the same."""
    if is_topic_inconsistent(broker, rules, fetch.topic_id):
        return False
    if is_of_now(broker, fetch) or is_taken_for_new(broker, rules, fetch):
        return True
    return not rules.stale_answer_is_refused


def is_out_of_range(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Whether a follower must ask the leader for its log's start and end (`fetchOffsetAndTruncate`)."""
    return fetch.error == FetchError.OFFSET_OUT_OF_RANGE and is_used(broker, rules, fetch)


def apply_answer(broker: Broker, rules: ClusterRules, fetch: Fetch) -> None:
    """Truncate a diverging log; otherwise append the record of the answer, if any, and adopt the high watermark."""
    if fetch.end_offset != NO_OFFSET:
        truncate_by_answer(broker, rules, fetch.diverging_epoch, fetch.end_offset)
        return
    if fetch.record != NO_RECORD and not is_full(broker.log):
        append_to_log(broker, rules, fetch.record, fetch.record_epoch)
    broker.high_watermark = max(min(fetch.high_watermark, end_of(broker.log)), broker.log_start_offset)
    if broker.log_start_offset < min(fetch.log_start_offset, broker.high_watermark):
        advance_log_start(broker, rules, min(fetch.log_start_offset, broker.high_watermark))


def use_fetch(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Receive the answer to a fetch; if the fetch is out of range, `leave_out_of_range` comes first.

    Who: a broker that asked.
    When: the answer has arrived.
    Effect: it appends the record and adopts the high watermark, up to the log's end. If the logs diverge, it truncates
        its log instead. It drops an answer to a fetch that it would no longer send.
    Source: AbstractFetcherThread.processFetchRequest; KAFKA-14704, KAFKA-13207, KAFKA-18991, KAFKA-2143.
    """
    if is_used(broker, rules, fetch) and fetch.error == FetchError.NONE:
        if exposes_divergence(broker, rules, fetch):
            broker.high_watermark = min(fetch.high_watermark, end_of(broker.log))
            return True
        apply_answer(broker, rules, fetch)
    clear(fetch)
    return True
