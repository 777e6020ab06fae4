"""What leaders and followers do: the messages between them, and a leader's changes of the ISR."""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.fetch import answer_epoch_end, answer_fetch, count_old_fetch, read_old_fetch
from kafkacheck.impl.broker.fetch_session import reads_answer
from kafkacheck.impl.broker.fetcher import (
    ask_epoch_end,
    is_out_of_range,
    leave_out_of_range,
    send_fetch,
    use_epoch_end,
    use_fetch,
)
from kafkacheck.impl.broker.isr import (
    end_recovery,
    learn_of_change,
    note_caught_up,
    propose_caught_up,
    propose_expansion,
    propose_shrink,
)
from kafkacheck.impl.broker.leader import append_next_record, delete_records
from kafkacheck.impl.enums import Question, Stage
from kafkacheck.impl.ids import NO_LEADER, LogStartOffset, ReplicaId
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State, note_commits, note_deletion


def leader_appends(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A broker that believes it leads appends a producer's next record."""
    leader = state.brokers[leader_id]
    high_watermark = leader.high_watermark
    metadata = state.controller.history[leader.metadata_offset]
    if not append_next_record(leader, rules, leader_id, metadata, state.producers):
        return False
    note_commits(state, rules, leader_id, high_watermark)
    return True


def leader_deletes_records(
    state: State, rules: ClusterRules, leader_id: ReplicaId, start_offset: LogStartOffset
) -> bool:
    """A leader removes its oldest records, by retention or because a client asked for it."""
    leader = state.brokers[leader_id]
    high_watermark = leader.high_watermark
    if not delete_records(leader, rules, leader_id, start_offset):
        return False
    note_deletion(state, min(start_offset, high_watermark))
    return True


def follower_sends_fetch(state: State, rules: ClusterRules, bounds: Bounds, follower_id: ReplicaId) -> bool:
    """A follower asks its leader for the next record."""
    fetch = state.fetches[follower_id]
    return send_fetch(state.brokers[follower_id], rules, bounds, follower_id, fetch, state.fetch_sessions[follower_id])


def follower_asks_epoch_end(state: State, follower_id: ReplicaId) -> bool:
    """A follower asks its leader for the end offset of the follower's latest epoch."""
    return ask_epoch_end(state.brokers[follower_id], follower_id, state.fetches[follower_id])


def leader_answers_fetch(state: State, rules: ClusterRules, bounds: Bounds, follower_id: ReplicaId) -> bool:
    """A broker answers a follower's fetch."""
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.FETCH:
        return False
    leader_id = fetch.leader
    leader = state.brokers[leader_id]
    if not leader.is_running:
        return False
    high_watermark = leader.high_watermark
    session = state.fetch_sessions[follower_id]
    is_read = reads_answer(fetch, state.brokers[follower_id])
    metadata = state.controller.history[leader.metadata_offset]
    answer_fetch(leader, rules, bounds, fetch, follower_id, session, is_read, metadata)
    note_commits(state, rules, leader_id, high_watermark)
    return True


def leader_reads_old_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker reads a fetch whose connection is broken: the first of two steps; other actions may come between."""
    fetch = state.old_fetches[follower_id]
    if fetch.stage != Stage.REQUESTED:
        return False
    return read_old_fetch(state.brokers[fetch.leader], rules, fetch)


def leader_counts_old_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker counts a fetch that it has read and whose connection is broken: the second of two steps."""
    fetch = state.old_fetches[follower_id]
    if fetch.stage != Stage.ANSWERED:
        return False
    leader_id = fetch.leader
    leader = state.brokers[leader_id]
    high_watermark = leader.high_watermark
    count_old_fetch(leader, rules, fetch, follower_id, state.controller.history[leader.metadata_offset])
    note_commits(state, rules, leader_id, high_watermark)
    return True


def leader_answers_epoch_end(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A broker tells a follower the end offset of an epoch in its log."""
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.EPOCH_END:
        return False
    if fetch.leader == NO_LEADER or not state.brokers[fetch.leader].is_running:
        return False
    return answer_epoch_end(state.brokers[fetch.leader], rules, fetch)


def follower_truncates(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower receives the end offset of its epoch on the leader, and truncates its log."""
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.ANSWERED or fetch.question != Question.EPOCH_END:
        return False
    return use_epoch_end(state.brokers[follower_id], rules, fetch)


def ask_log_range(state: State, rules: ClusterRules, follower_id: int) -> None:
    """Let a follower that is out of range learn where its leader's log starts and ends: a request answered at once."""
    fetch = state.fetches[follower_id]
    if is_out_of_range(state.brokers[follower_id], rules, fetch) and state.brokers[fetch.leader].is_running:
        leader = state.brokers[fetch.leader]
        leave_out_of_range(state.brokers[follower_id], rules, leader.log_start_offset, end_of(leader.log))


def follower_uses_fetch(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower receives the answer to its fetch; if it is out of range, it asks about the leader's log, too."""
    follower = state.brokers[follower_id]
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.ANSWERED or fetch.question != Question.FETCH:
        return False
    if not follower.is_running:
        return False
    ask_log_range(state, rules, follower_id)
    return use_fetch(follower, rules, fetch)


def leader_proposes_shrink(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes an ISR without a follower that lags."""
    leader = state.brokers[leader_id]
    high_watermark = leader.high_watermark
    metadata = state.controller.history[leader.metadata_offset]
    if not propose_shrink(leader, rules, leader_id, follower_id, metadata, state.alter_partitions[leader_id]):
        return False
    note_commits(state, rules, leader_id, high_watermark)
    return True


def leader_proposes_expansion(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes an ISR with a follower that has caught up."""
    leader = state.brokers[leader_id]
    metadata = state.controller.history[leader.metadata_offset]
    return propose_expansion(leader, rules, leader_id, follower_id, metadata, state.alter_partitions[leader_id])


def leader_ends_recovery(state: State, leader_id: ReplicaId) -> bool:
    """A leader that was elected uncleanly declares that it has recovered, so that its ISR may grow."""
    leader = state.brokers[leader_id]
    metadata = state.controller.history[leader.metadata_offset]
    return end_recovery(leader, leader_id, metadata, state.alter_partitions[leader_id])


def leader_finds_caught_up(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader finds a follower caught up: the first of the two steps of an expansion, if it takes two."""
    leader = state.brokers[leader_id]
    metadata = state.controller.history[leader.metadata_offset]
    return note_caught_up(leader, rules, leader_id, follower_id, metadata, state.alter_partitions[leader_id])


def leader_proposes_caught_up(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader proposes a follower that it has found caught up: the second of two steps."""
    leader = state.brokers[leader_id]
    metadata = state.controller.history[leader.metadata_offset]
    return propose_caught_up(leader, rules, leader_id, follower_id, metadata, state.alter_partitions[leader_id])


def leader_learns_of_change(state: State, rules: ClusterRules, leader_id: ReplicaId) -> bool:
    """A leader receives the controller's answer to its ISR change."""
    leader = state.brokers[leader_id]
    change = state.alter_partitions[leader_id]
    if change.stage != Stage.ANSWERED:
        return False
    high_watermark = leader.high_watermark
    learn_of_change(leader, rules, leader_id, state.controller.history[leader.metadata_offset], change)
    note_commits(state, rules, leader_id, high_watermark)
    return True
