"""Step properties of a cluster: no step goes back, obeys a stale message, or acts without effect.

Part of Kafka judged: `impl/broker` and `impl/controller`, by their records before and after a step.
Source: the KIPs and issues named below.
Left out, and why that is sound: steps of the environment, because Kafka does not answer for them.
"""

from kafkacheck.impl.enums import Question, Stage
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.messages import is_on_leaders_log


def high_watermark_does_not_fall(before: State, after: State) -> bool:
    """A leader's high watermark does not fall while it leads in one epoch.

    Lost if it fails: a consumer has read a record that is not committed.
    Source: `Partition.maybeIncrementLeaderHW`.
    """
    for broker_id, leader in enumerate(before.brokers):
        now = after.brokers[broker_id]
        if leader.leader == broker_id and now.leader == broker_id and leader.leader_epoch == now.leader_epoch:
            if now.high_watermark < leader.high_watermark:
                return False
    return True


def leader_epoch_does_not_fall(before: State, after: State) -> bool:
    """A broker that runs and keeps its replica never goes back to an older leader epoch.

    Lost if it fails: a deposed leader leads again, accepts writes that will be truncated, and serves another history.
    Source: KAFKA-1188 (controller epoch and leader epoch in LeaderAndIsr).
    """
    for broker, now in zip(before.brokers, after.brokers):
        if broker.is_running and now.is_running and now.has_log and now.leader_epoch < broker.leader_epoch:
            return False
    return True


def shared_committed_records_are_kept(before: State, after: State) -> bool:
    """No follower truncates a record below its high watermark that its leader has, too.

    Lost if it fails: an acknowledged record has one copy fewer without need, and is gone if that follower leads next.
    Source: KAFKA-7897.
    """
    for broker, now in zip(before.brokers, after.brokers):
        if broker.is_running and now.is_running and now.has_log and now.leader != NO_LEADER:
            leader = before.brokers[now.leader]
            if leader.is_running and leader.leader == now.leader and leader.leader_epoch == now.leader_epoch:
                for offset in range(now.log.end_offset, broker.high_watermark):
                    if leader.log.records[offset].id == broker.log.records[offset].id:
                        return False
    return True


def checkpoint_falls_with_high_watermark(before: State, after: State) -> bool:
    """The high-watermark checkpoint never falls below the high watermark that the broker knows.

    Lost if it fails: after the next restart the broker treats committed records as uncommitted.
    Source: KAFKA-1647.
    """
    for broker, now in zip(before.brokers, after.brokers):
        if broker.is_running and now.is_running and now.has_log:
            if now.high_watermark_checkpoint < broker.high_watermark_checkpoint:
                if now.high_watermark_checkpoint < broker.high_watermark:
                    return False
    return True


def stale_fetches_have_no_effect(before: State, after: State) -> bool:
    """A leader learns nothing from a fetch that was sent in another leader epoch than its own.

    Lost if it fails: fencing: the leader counts a follower that still obeys another leader.
    Source: KIP-320.
    """
    for follower_id, fetch in enumerate(before.fetches):
        if fetch.stage == Stage.REQUESTED and fetch.question == Question.FETCH and fetch.leader != NO_LEADER:
            leader = before.brokers[fetch.leader]
            now = after.brokers[fetch.leader]
            is_stale = fetch.leader_epoch != leader.leader_epoch and leader.leader == fetch.leader
            if is_stale and after.fetches[follower_id].stage != Stage.REQUESTED:
                if now.followers[follower_id].end_offset > leader.followers[follower_id].end_offset:
                    return False
                if now.high_watermark > leader.high_watermark:
                    return False
    return True


def fetch_is_read(before: State, after: State, follower_id: int) -> bool:
    """Whether a leader reads a follower's fetch in this step, with or without an answer."""
    fetch = before.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.FETCH:
        return False
    return after.fetches[follower_id].stage != Stage.REQUESTED and after.brokers[fetch.leader].is_running


def fetches_go_by_sessions(before: State, after: State) -> bool:
    """A fetch is incremental if and only if its follower has a session with that leader.

    A full fetch opens a session. If the leader does not have the session of an incremental fetch, it does not answer
    the fetch, and the session ends. Any other fetch leaves the session alone.

    Lost if it fails: the leader takes an old fetch for the present one, or the follower fetches in vain for ever.
    Source: KIP-227 (FETCH_SESSION_ID_NOT_FOUND).
    """
    for follower_id, fetch in enumerate(before.fetches):
        answer = after.fetches[follower_id]
        session = before.fetch_sessions[follower_id]
        now = after.fetch_sessions[follower_id]
        if answer.stage == Stage.REQUESTED and answer.question == Question.FETCH and fetch.stage != Stage.REQUESTED:
            if (answer.is_incremental == 1) != (session.leader == answer.leader):
                return False
        if fetch_is_read(before, after, follower_id):
            is_known = fetch.is_incremental == 0 or session.cached_by == fetch.leader
            if answer.stage == Stage.ANSWERED and not is_known:
                return False
            follower = before.brokers[follower_id]
            reads_answer = follower.is_running and follower.broker_epoch == fetch.broker_epoch
            if fetch.is_incremental == 0 and now.cached_by != fetch.leader:
                return False
            expected = session.leader
            if reads_answer and not is_known:
                expected = NO_LEADER
            elif reads_answer and fetch.is_incremental == 0:
                expected = fetch.leader
            if now.leader != expected:
                return False
    return True


def sessions_end_with_process(before: State, after: State) -> bool:
    """When a process ends, its sessions as follower and those that it keeps as leader end; no others do.

    Lost if it fails: a leader reads a fetch from a session that no process has.
    Source: KIP-227; `FetchSessionCache`.
    """
    for broker_id in range(len(before.brokers)):
        if before.brokers[broker_id].is_running and not after.brokers[broker_id].is_running:
            for follower_id in range(len(before.fetches)):
                session = before.fetch_sessions[follower_id]
                now = after.fetch_sessions[follower_id]
                if now.leader != (NO_LEADER if follower_id == broker_id else session.leader):
                    return False
                if now.cached_by != (NO_LEADER if session.cached_by == broker_id else session.cached_by):
                    return False
    return True


def stale_old_fetches_have_no_effect(before: State, after: State) -> bool:
    """A leader counts no fetch of another leader epoch, not even one that it read before its own epoch began.

    Lost if it fails: the leader counts records that a follower had in an earlier epoch and may have truncated since;
    the high watermark rises over records that the follower does not have.
    Source: KAFKA-15590.
    """
    for follower_id, fetch in enumerate(before.old_fetches):
        if fetch.stage == Stage.ANSWERED and after.old_fetches[follower_id].stage == Stage.IDLE:
            leader = before.brokers[fetch.leader]
            now = after.brokers[fetch.leader]
            if leader.leader == fetch.leader and fetch.leader_epoch != leader.leader_epoch:
                if now.followers[follower_id].end_offset > leader.followers[follower_id].end_offset:
                    return False
    return True


def read_fetches_fit(before: State, after: State) -> bool:
    """A leader reads an old fetch if and only if the fetch fits; it drops any other old fetch.

    It fits if it is of the leader's epoch, its offset lies in the log, and the follower's log can be a prefix of the
    leader's.

    Lost if it fails: fencing: the leader takes a follower whose log differs for one that has the leader's records.
    Source: Partition.fetchRecords; KIP-320, KIP-595.
    """
    for follower_id, fetch in enumerate(before.old_fetches):
        stage = after.old_fetches[follower_id].stage
        if fetch.stage == Stage.REQUESTED and stage != Stage.REQUESTED and after.brokers[fetch.leader].is_running:
            leader = before.brokers[fetch.leader]
            fits = leader.leader == fetch.leader and leader.leader_epoch == fetch.leader_epoch
            if fetch.offset < leader.log_start_offset or fetch.offset > leader.log.end_offset:
                fits = False
            elif not is_on_leaders_log(leader, fetch.asked_epoch, fetch.offset):
                fits = False
            if fits != (stage == Stage.ANSWERED):
                return False
    return True


def read_fetches_count(before: State, after: State) -> bool:
    """A leader counts every fetch that it has read in its leader epoch, even after newer ones.

    The fetch must come from the newest start of the follower's broker.

    Lost if it fails: the leader does not know of a record that the follower has.
    Source: Partition.updateFollowerFetchState, Replica.updateFetchStateOrThrow.
    """
    for follower_id, fetch in enumerate(before.old_fetches):
        if fetch.stage == Stage.ANSWERED and after.old_fetches[follower_id].stage == Stage.IDLE:
            leader = before.brokers[fetch.leader]
            now = after.brokers[fetch.leader]
            is_leading = leader.leader == fetch.leader and now.leader == fetch.leader
            known = before.controller.history[leader.metadata_offset]
            is_newest = follower_id not in known.active or fetch.broker_epoch >= known.broker_epochs[follower_id]
            if is_leading and is_newest and fetch.leader_epoch == leader.leader_epoch:
                if now.followers[follower_id].end_offset != fetch.offset:
                    return False
    return True


def known_broker_epochs_do_not_fall(before: State, after: State) -> bool:
    """Within one leader epoch, a follower's broker epoch does not fall below the one that its leader has replayed.

    Until the leader has replayed that the follower has registered again, an old fetch may bring back the earlier epoch.
    The controller then refuses the follower.
    Lost if it fails: the leader takes a broker that restarted without its records for its earlier start, which still
    had the records.
    Source: KIP-903; `Replica.updateFetchStateOrThrow`.
    """
    for leader_id, leader in enumerate(before.brokers):
        now = after.brokers[leader_id]
        if now.leader == leader_id and leader.leader == leader_id and now.leader_epoch == leader.leader_epoch:
            known = before.controller.history[leader.metadata_offset]
            for follower_id in known.active:
                fetched = now.followers[follower_id].broker_epoch
                if fetched < leader.followers[follower_id].broker_epoch and fetched < known.broker_epochs[follower_id]:
                    return False
    return True


def requests_of_former_broker_have_no_effect(before: State, after: State) -> bool:
    """A broker obeys no request that the controller sent to an earlier start of it.

    Lost if it fails: the broker obeys a request that was meant for a broker without its present data.
    Source: KIP-380.
    """
    for broker_id, broker in enumerate(before.brokers):
        now = after.brokers[broker_id]
        if broker.is_running and now.is_running and now.metadata_offset != broker.metadata_offset:
            metadata = before.controller.history[now.metadata_offset]
            if metadata.broker_epochs[broker_id] != now.broker_epoch:
                return False
    return True


def every_truncation_cuts(before: State, after: State) -> bool:
    """A follower that acts on an answer that reports divergence comes nearer to the leader's log.

    Lost if it fails: the follower sends the same request for ever, and never comes back into the ISR.
    Source: KAFKA-10706. The issue is about liveness; a single step shows only this part.
    """
    for follower_id, fetch in enumerate(before.fetches):
        broker = before.brokers[follower_id]
        now = after.brokers[follower_id]
        is_told = fetch.stage == Stage.ANSWERED and fetch.question == Question.FETCH and fetch.end_offset != NO_OFFSET
        is_lost = before.budget.losses != after.budget.losses
        is_used = is_told and not is_lost and after.fetches[follower_id].stage == Stage.IDLE and now.is_running
        is_current = fetch.leader_epoch == broker.leader_epoch and fetch.broker_epoch == broker.broker_epoch
        if is_used and is_current and broker.leader_epoch == now.leader_epoch:
            changes = 0
            for epoch in range(len(broker.epoch_starts)):
                if broker.epoch_starts[epoch] != now.epoch_starts[epoch]:
                    changes += 1
            if changes == 0 and broker.log.end_offset == now.log.end_offset and fetch.offset == broker.log.end_offset:
                return False
    return True


def copies_of(state: State, record: int) -> int:
    """How many assigned brokers have an acknowledged record at its acknowledged offset."""
    metadata = state.controller.history[state.controller.offset]
    offset = state.producers.acknowledged[record]
    return sum(1 for broker_id in metadata.replicas if state.brokers[broker_id].log.records[offset].id == record)


def reassignment_keeps_copies(before: State, after: State) -> bool:
    """If replicas are removed, each acknowledged record keeps its copies, or has one on each remaining replica.

    Lost if it fails: the failure of a single broker loses a record that several brokers had before.
    Source: KAFKA-15665.
    """
    replicas = before.controller.history[before.controller.offset].replicas
    remaining = after.controller.history[after.controller.offset].replicas
    if replicas <= remaining:
        return True
    return all(
        copies_of(after, record) >= min(copies_of(before, record), len(remaining))
        for record in range(len(before.producers.acknowledged))
        if before.producers.acknowledged[record] != NO_OFFSET
    )
