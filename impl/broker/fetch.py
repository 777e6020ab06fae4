"""The leader's side of replication: it answers fetches and requests for the end offset of an epoch.

Part of Kafka modelled: `Partition` (`checkCurrentLeaderEpoch`, `fetchRecords`, `updateFollowerFetchState`,
`lastOffsetForLeaderEpoch`) and `ReplicaManager.fetchMessages`.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-279, KIP-320, KIP-595, KIP-903, KAFKA-13141.
Left out, and why that is sound: answers with an error after which a follower only asks again: the slot is free at once,
and the follower may ask again.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.broker.epoch_file import answered_end_offset, end_offset_of_epoch, epoch_with_end
from kafkacheck.impl.broker.fetch_session import is_session_unknown, knows_epoch, open_session, refuse_session
from kafkacheck.impl.broker.leader import is_leading, raise_high_watermark
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.constants import (
    NO_EPOCH,
    NO_LEADER,
    NO_OFFSET,
    FetchError,
    FetchFencing,
    Question,
    Stage,
    TruncationRule,
)
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.messages.fetch import Fetch, OldFetch
from kafkacheck.impl.replication.records import ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def is_fenced(broker: Broker, rules: ClusterRules, leader_epoch: int) -> bool:
    """Whether a request is refused because its `leader_epoch` differs from the leader's.

    Kafka's errors are FENCED_LEADER_EPOCH for an older epoch and UNKNOWN_LEADER_EPOCH for a newer one.
    """
    if rules.fetch_fencing != FetchFencing.CURRENT_LEADER_EPOCH:
        return False
    return leader_epoch != broker.leader_epoch


def is_of_other_topic(broker: Broker, rules: ClusterRules, topic_id: int) -> bool:
    """Whether a fetch for `topic_id` is refused: the replica is of another topic (INCONSISTENT_TOPIC_ID)."""
    return rules.fetch_names_topic_id and topic_id != broker.topic_id


def is_diverging(broker: Broker, rules: ClusterRules, offset: int, asked_epoch: int) -> bool:
    """Whether the follower's last record, below `offset`, cannot be the leader's record there.

    Only fetches with `ON_FETCH` carry the epoch of that record. A follower without a record has none.
    """
    if rules.truncation != TruncationRule.ON_FETCH or asked_epoch == NO_EPOCH:
        return False
    if epoch_with_end(broker, rules, asked_epoch) < asked_epoch:
        return True
    return end_offset_of_epoch(broker, asked_epoch) < offset


def update_follower(broker: Broker, follower_id: int, offset: int, broker_epoch: int) -> None:
    """Remember the follower's end offset and broker epoch from a fetch."""
    follower = broker.followers[follower_id]
    follower.end_offset = offset
    follower.broker_epoch = broker_epoch


def begin_answer(fetch: Fetch, broker: Broker) -> None:
    """Turn a request into an answer that carries no records yet; it has the current high watermark."""
    fetch.stage = Stage.ANSWERED
    fetch.high_watermark = broker.high_watermark
    fetch.log_start_offset = broker.log_start_offset


def answer_with_record(fetch: Fetch, broker: Broker) -> None:
    """Put the record at the fetch offset into the answer, if the log has one."""
    if has_offset(broker.log, fetch.offset):
        record = broker.log.records[fetch.offset]
        fetch.record = record.id
        fetch.record_epoch = record.epoch


def leader_answers_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker answers a follower's fetch.

    Who: the broker that was asked, which may no longer lead, or not yet.
    When: it runs, and the request has arrived.
    Effect: an incremental fetch of a session that the broker does not have ends the session; a full fetch opens a
        session. The broker gives no answer if the leader epoch is old or unknown, if the topic is another one, or if
        the broker does not lead (NOT_LEADER_OR_FOLLOWER). If the logs diverge, the answer has the diverging epoch. If
        the offset is outside the log, the answer is out of range. Otherwise the answer has the record at that offset,
        and the broker remembers the follower's end offset, which may raise the high watermark. The answer has the high
        watermark from before that.
    Source: Partition.fetchRecords, readRecords, updateFollowerFetchState, FetchManager.newContext; KIP-227, KIP-320,
        KIP-595, KIP-903.
    Left out: more than one record in an answer. A fetch of an earlier broker epoch is refused as in Kafka, but never
        comes here: only an old fetch (`counts`) arrives after one with a newer broker epoch.
    """
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.FETCH:
        return False
    if not state.brokers[fetch.leader].is_running:
        return False
    broker = state.brokers[fetch.leader]
    is_outside = fetch.offset > broker.log.end_offset or fetch.offset < broker.log_start_offset
    session = state.fetch_sessions[follower_id]
    if is_session_unknown(fetch, session):
        refuse_session(fetch, session, state.brokers[follower_id])
        clear(fetch)
        return True
    open_session(fetch, session, state.brokers[follower_id])
    if not is_leading(state, fetch.leader):
        if rules.unled_fetch_is_refused or fetch.offset <= broker.high_watermark:
            clear(fetch)
        else:
            begin_answer(fetch, broker)
            fetch.error = FetchError.OFFSET_OUT_OF_RANGE
    elif is_fenced(broker, rules, fetch.leader_epoch) and knows_epoch(fetch, rules):
        clear(fetch)
    elif is_of_other_topic(broker, rules, fetch.topic_id):
        clear(fetch)
    elif fetch.broker_epoch < broker.followers[follower_id].broker_epoch:
        clear(fetch)
    elif is_diverging(broker, rules, fetch.offset, fetch.asked_epoch) and fetch.offset >= broker.log_start_offset:
        begin_answer(fetch, broker)
        fetch.diverging_epoch = epoch_with_end(broker, rules, fetch.asked_epoch)
        fetch.end_offset = end_offset_of_epoch(broker, fetch.asked_epoch)
        if fetch.end_offset == NO_OFFSET:
            fetch.error = FetchError.OFFSET_OUT_OF_RANGE
        if not rules.diverging_fetch_is_not_counted:
            update_follower(broker, follower_id, fetch.offset, fetch.broker_epoch)
            raise_high_watermark(state, rules, fetch.leader)
    elif is_outside:
        begin_answer(fetch, broker)
        fetch.error = FetchError.OFFSET_OUT_OF_RANGE
    else:
        begin_answer(fetch, broker)
        answer_with_record(fetch, broker)
        update_follower(broker, follower_id, fetch.offset, fetch.broker_epoch)
        raise_high_watermark(state, rules, fetch.leader)
    return True


def counts(broker: Broker, rules: ClusterRules, follower_id: int, fetch: OldFetch) -> bool:
    """Whether an old fetch may be counted: the follower has not fetched with a newer broker epoch (KIP-903).

    The leader may have read the fetch in an earlier leader epoch (KAFKA-15590).
    """
    if fetch.broker_epoch < broker.followers[follower_id].broker_epoch:
        return False
    if is_of_other_topic(broker, rules, fetch.topic_id):
        return False
    return not is_fenced(broker, rules, fetch.leader_epoch) or not rules.counted_fetch_is_of_epoch


def is_readable(state: State, rules: ClusterRules, fetch: OldFetch) -> bool:
    """Whether a broker would answer a fetch with records: it leads in that epoch, and the offset lies in its log."""
    broker = state.brokers[fetch.leader]
    if not is_leading(state, fetch.leader) or is_fenced(broker, rules, fetch.leader_epoch):
        return False
    if is_of_other_topic(broker, rules, fetch.topic_id):
        return False
    if fetch.offset < broker.log_start_offset or fetch.offset > broker.log.end_offset:
        return False
    return not is_diverging(broker, rules, fetch.offset, fetch.asked_epoch)


def leader_reads_old_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker reads a fetch whose connection is broken: the first of two steps; other actions may come between.

    Who: the broker that was asked.
    When: the request has not been read.
    Effect: the broker will count the fetch if it would answer it with records; any other fetch is gone.
    Source: Partition.fetchRecords, readRecords; KAFKA-15590.
    Left out: the answer, which reaches nobody.
    """
    fetch = state.old_fetches[follower_id]
    if fetch.stage != Stage.REQUESTED:
        return False
    if is_readable(state, rules, fetch):
        fetch.stage = Stage.ANSWERED
    else:
        clear(fetch)
    return True


def leader_counts_old_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker counts a fetch that it has read and whose connection is broken: the second of two steps.

    Who: the broker that was asked.
    When: the fetch has been read.
    Effect: if the broker still leads, it takes the follower's end offset from the fetch, even after newer fetches, so
        that the known end offset may fall. It does not count a fetch with an older broker epoch than the last one, or
        one of an earlier leader epoch.
    Source: Partition.updateFollowerFetchState, Replica.updateFetchStateOrThrow; KIP-903, KAFKA-15590.
    """
    fetch = state.old_fetches[follower_id]
    if fetch.stage != Stage.ANSWERED:
        return False
    broker = state.brokers[fetch.leader]
    if is_leading(state, fetch.leader) and counts(broker, rules, follower_id, fetch):
        update_follower(broker, follower_id, fetch.offset, fetch.broker_epoch)
        raise_high_watermark(state, rules, fetch.leader)
    clear(fetch)
    return True


def leader_answers_epoch_end(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker tells a follower the end offset of an epoch in its log.

    Who: the broker that was asked, which may no longer lead, or not yet.
    When: it runs, and the request has arrived.
    Effect: the broker gives no answer if the leader epoch is old or unknown, or if it does not lead. Otherwise the
        answer has the epoch and its end offset by the truncation rule.
    Source: Partition.lastOffsetForLeaderEpoch; KIP-101, KIP-279, KIP-320, KAFKA-6857.
    """
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.EPOCH_END:
        return False
    if fetch.leader == NO_LEADER or not state.brokers[fetch.leader].is_running:
        return False
    broker = state.brokers[fetch.leader]
    if not is_leading(state, fetch.leader) or is_fenced(broker, rules, fetch.leader_epoch):
        clear(fetch)
    else:
        fetch.stage = Stage.ANSWERED
        fetch.diverging_epoch = epoch_with_end(broker, rules, fetch.asked_epoch)
        fetch.end_offset = answered_end_offset(broker, rules, fetch.asked_epoch)
    return True
