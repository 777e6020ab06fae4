"""The leader's side of replication: it answers fetches and requests for the end offset of an epoch.

Part of Kafka modelled: `Partition` (`checkCurrentLeaderEpoch`, `fetchRecords`, `updateFollowerFetchState`,
`lastOffsetForLeaderEpoch`) and `ReplicaManager.fetchMessages`.
Source: apache/kafka (commit 1eb7644349); KIP-101, KIP-279, KIP-320, KIP-595, KIP-903, KAFKA-13141.
Left out, and why that is sound: answers with an error after which a follower only asks again: the slot is free at once,
and the follower may ask again.
"""

from kafkacheck.checker.schema import clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import answered_end_offset, end_offset_of_epoch, epoch_with_end
from kafkacheck.impl.broker.fetch_session import accept_session, knows_epoch
from kafkacheck.impl.broker.leader import is_leading, maybe_raise_high_watermark
from kafkacheck.impl.broker.records import Broker, FetchSession
from kafkacheck.impl.enums import FetchError, FetchFencing, Propagation, Stage, TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.log import has_offset
from kafkacheck.impl.log.reading import end_of, id_at, leader_epoch_at
from kafkacheck.impl.messages.fetch import Fetch, OldFetch
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def is_fenced(broker: Broker, rules: ClusterRules, leader_epoch: int) -> bool:
    """Whether a request is refused because its `leader_epoch` differs from the leader's.

    Kafka's errors are FENCED_LEADER_EPOCH for an older epoch and UNKNOWN_LEADER_EPOCH for a newer one.
    """
    if rules.fetch_fencing != FetchFencing.CURRENT_LEADER_EPOCH:
        return False
    return leader_epoch != broker.leader_epoch


def is_topic_inconsistent(broker: Broker, rules: ClusterRules, topic_id: int) -> bool:
    """Whether a fetch for `topic_id` is refused: the replica is of another topic (INCONSISTENT_TOPIC_ID)."""
    return rules.fetch_names_topic_id and topic_id != broker.topic_id


def serves(broker: Broker, rules: ClusterRules, broker_id: int, topic_id: int, leader_epoch: int) -> bool:
    """Whether a broker leads the topic and is in the leader epoch of a request for it."""
    if not is_leading(broker, broker_id) or is_topic_inconsistent(broker, rules, topic_id):
        return False
    return not is_fenced(broker, rules, leader_epoch)


def is_outside(broker: Broker, offset: int) -> bool:
    """Whether a fetch from `offset` is out of range: the log ends below it or begins above it."""
    return offset > end_of(broker.log) or offset < broker.log_start_offset


def is_diverging(broker: Broker, rules: ClusterRules, offset: int, asked_epoch: int) -> bool:
    """Whether the follower's last record, below `offset`, cannot be the leader's record there.

    Only fetches with `ON_FETCH` carry the epoch of that record. A follower without a record has none.
    """
    if rules.truncation != TruncationRule.ON_FETCH or asked_epoch == NO_EPOCH:
        return False
    if epoch_with_end(broker, rules, asked_epoch) < asked_epoch:
        return True
    return end_offset_of_epoch(broker, asked_epoch) < offset


def is_of_former_start(rules: ClusterRules, metadata: Metadata, follower_id: int, broker_epoch: int) -> bool:
    """Whether a fetch is not counted because its follower has registered again, as far as the leader knows (KIP-903).

    Kafka's leader compares the broker epoch of every follower that is not fenced. Here a stopping follower counts as
    fenced, so its former fetches may be counted, which Kafka does not do.
    """
    if rules.propagation == Propagation.LEADER_AND_ISR or not rules.isr_names_broker_epochs:
        return False
    return follower_id in metadata.active and broker_epoch < metadata.broker_epochs[follower_id]


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
        fetch.record = id_at(broker.log, fetch.offset)
        fetch.record_epoch = leader_epoch_at(broker.log, fetch.offset)


def answer_fetch(
    leader: Broker,
    rules: ClusterRules,
    bounds: Bounds,
    fetch: Fetch,
    follower_id: int,
    session: FetchSession,
    is_read: bool,
    metadata: Metadata,
) -> None:
    """Answer a follower's fetch; `is_read` says whether the follower will read the answer.

    Who: the broker that was asked, which may no longer lead, or not yet.
    When: it runs, and the request has arrived.
    Effect: an incremental fetch of a session that the broker does not have ends the session; a full fetch opens a
        session. The broker gives no answer if it does not lead (NOT_LEADER_OR_FOLLOWER), if the leader epoch is old or
        unknown, if the topic is another one, or if the follower is not assigned as far as the broker knows. If the logs
        diverge, the answer has the diverging epoch. If the offset is outside the log, the answer is out of range.
        Inside the log, a fetch of an earlier broker epoch gets no answer (KIP-903). Otherwise the answer has the record
        at that offset, and the broker remembers the follower's end offset, which may raise the high watermark. The
        answer has the high watermark from before the fetch was counted.
    Source: Partition.fetchRecords, readRecords, updateFollowerFetchState, FetchManager.newContext; KIP-227, KIP-320,
        KIP-595, KIP-903.
    Left out: more than one record in an answer.
    """
    if not accept_session(fetch, session, bounds, is_read):
        return
    if not is_leading(leader, fetch.leader):
        if rules.unled_fetch_is_refused or fetch.offset <= leader.high_watermark:
            clear(fetch)
        else:
            begin_answer(fetch, leader)
            fetch.error = FetchError.OFFSET_OUT_OF_RANGE
    elif is_fenced(leader, rules, fetch.leader_epoch) and knows_epoch(fetch, rules):
        clear(fetch)
    elif is_topic_inconsistent(leader, rules, fetch.topic_id) or follower_id not in metadata.replicas:
        clear(fetch)
    elif is_diverging(leader, rules, fetch.offset, fetch.asked_epoch) and fetch.offset >= leader.log_start_offset:
        begin_answer(fetch, leader)
        fetch.diverging_epoch = epoch_with_end(leader, rules, fetch.asked_epoch)
        fetch.end_offset = end_offset_of_epoch(leader, fetch.asked_epoch)
        if fetch.end_offset == NO_OFFSET:
            fetch.error = FetchError.OFFSET_OUT_OF_RANGE
        if not rules.diverging_fetch_is_not_counted:
            update_follower(leader, follower_id, fetch.offset, fetch.broker_epoch)
            maybe_raise_high_watermark(leader, rules, fetch.leader, metadata)
    elif is_outside(leader, fetch.offset):
        begin_answer(fetch, leader)
        fetch.error = FetchError.OFFSET_OUT_OF_RANGE
    elif is_of_former_start(rules, metadata, follower_id, fetch.broker_epoch):
        clear(fetch)
    else:
        begin_answer(fetch, leader)
        answer_with_record(fetch, leader)
        update_follower(leader, follower_id, fetch.offset, fetch.broker_epoch)
        maybe_raise_high_watermark(leader, rules, fetch.leader, metadata)


def counts(broker: Broker, rules: ClusterRules, fetch: OldFetch, follower_id: int, metadata: Metadata) -> bool:
    """Whether an old fetch may be counted: as far as the leader knows, its follower is assigned and has not restarted.

    The leader may have read the fetch in an earlier leader epoch (KAFKA-15590).
    """
    if is_of_former_start(rules, metadata, follower_id, fetch.broker_epoch) or follower_id not in metadata.replicas:
        return False
    if is_topic_inconsistent(broker, rules, fetch.topic_id):
        return False
    return not is_fenced(broker, rules, fetch.leader_epoch) or not rules.counted_fetch_is_of_epoch


def is_readable(broker: Broker, rules: ClusterRules, fetch: OldFetch) -> bool:
    """Whether a broker would answer a fetch with records: it leads in that epoch, and the offset lies in its log."""
    if not serves(broker, rules, fetch.leader, fetch.topic_id, fetch.leader_epoch) or is_outside(broker, fetch.offset):
        return False
    return not is_diverging(broker, rules, fetch.offset, fetch.asked_epoch)


def read_old_fetch(broker: Broker, rules: ClusterRules, fetch: OldFetch) -> bool:
    """Read a fetch whose connection is broken: the first of two steps; other actions may come between.

    Who: the broker that was asked.
    When: the request has not been read.
    Effect: the broker will count the fetch if it would answer it with records; any other fetch is gone.
    Source: Partition.fetchRecords, readRecords; KAFKA-15590.
    Left out: the answer, which reaches nobody.
    """
    if is_readable(broker, rules, fetch):
        fetch.stage = Stage.ANSWERED
    else:
        clear(fetch)
    return True


def count_old_fetch(broker: Broker, rules: ClusterRules, fetch: OldFetch, follower_id: int, metadata: Metadata) -> bool:
    """Count a fetch that was read and whose connection is broken: the second of two steps.

    Who: the broker that was asked.
    When: the fetch has been read.
    Effect: if the broker still leads, it takes the follower's end offset from the fetch, even after newer fetches, so
        that the known end offset may fall. It does not count a fetch with an older broker epoch than the last one, or
        one of an earlier leader epoch.
    Source: Partition.updateFollowerFetchState, Replica.updateFetchStateOrThrow; KIP-903, KAFKA-15590.
    """
    if is_leading(broker, fetch.leader) and counts(broker, rules, fetch, follower_id, metadata):
        update_follower(broker, follower_id, fetch.offset, fetch.broker_epoch)
        maybe_raise_high_watermark(broker, rules, fetch.leader, metadata)
    clear(fetch)
    return True


def answer_epoch_end(broker: Broker, rules: ClusterRules, fetch: Fetch) -> bool:
    """Tell a follower the end offset of an epoch in the log.

    Who: the broker that was asked, which may no longer lead, or not yet.
    When: it runs, and the request has arrived.
    Effect: the broker gives no answer if the leader epoch is old or unknown, or if it does not lead. Otherwise the
        answer has the epoch and its end offset by the truncation rule.
    Source: Partition.lastOffsetForLeaderEpoch; KIP-101, KIP-279, KIP-320, KAFKA-6857.
    """
    if not is_leading(broker, fetch.leader) or is_fenced(broker, rules, fetch.leader_epoch):
        clear(fetch)
    else:
        fetch.stage = Stage.ANSWERED
        fetch.diverging_epoch = epoch_with_end(broker, rules, fetch.asked_epoch)
        fetch.end_offset = answered_end_offset(broker, rules, fetch.asked_epoch)
    return True
