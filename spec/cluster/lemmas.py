"""Lemmas of the cluster: invariants that prove some of its properties for all states.

Every action preserves each lemma. The action may begin in any well-typed state, reachable or not, in which all lemmas
hold. Each lemma also holds in every reachable state, which the search confirms (`check --lemmas`).

Part of Kafka judged: one partition at the level of messages, by its records only.
Source: this project's, after the docstrings of the records in `impl/broker` and `impl/controller`.
Left out, and why that is sound: the lemmas that a proof of the survival of acknowledged records would need;
`spec/PROOFS.md` lists the properties that are not proved. A fact that no lemma states cannot make another lemma true.
"""

from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import FetchError, Propagation, Question, Stage, TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET, NO_RECORD
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def has_well_formed_log(broker: Broker) -> bool:
    """Whether a log has real records from its start to its end, and blanks elsewhere."""
    for offset, record in enumerate(broker.log.records):
        if offset >= broker.log_start_offset and offset < broker.log.end_offset:
            if record.id == NO_RECORD or record.epoch == NO_EPOCH:
                return False
        elif record.id != NO_RECORD or record.epoch != NO_EPOCH:
            return False
    return broker.log_start_offset <= broker.log.end_offset


def well_formed_broker_logs(state: State) -> bool:
    """A broker's log has records from its start to its end and none elsewhere.

    Why: records are appended at the end, and are cut from the end or removed at the start.
    Source: UnifiedLog.
    """
    return all(has_well_formed_log(broker) for broker in state.brokers)


def followed_epochs(state: State) -> bool:
    """A broker that follows or leads is in a leader epoch; a broker that does not run has no role and no leader epoch.

    Why: a broker learns leader and leader epoch together, from metadata, and keeps them in memory only.
    Source: Partition.makeLeader, makeFollower.
    """
    return all(
        not (broker.leader != NO_LEADER and broker.leader_epoch == NO_EPOCH)
        and (not (not broker.is_running and broker.leader_epoch != NO_EPOCH))
        for broker in state.brokers
    )


def well_formed_fetches(state: State) -> bool:
    """A fetch under way names another broker as leader, and a leader epoch; a record in it has an epoch.

    Why: only a follower fetches, and copies both into its request; an answer copies a whole record.
    Source: FetchRequest, FetchResponse; KIP-320.
    """
    for follower_id, fetch in enumerate(state.fetches):
        if fetch.stage != Stage.IDLE:
            if fetch.leader == NO_LEADER or fetch.leader == follower_id or fetch.leader_epoch == NO_EPOCH:
                return False
        if fetch.record != NO_RECORD and fetch.record_epoch == NO_EPOCH:
            return False
    return True


def at_most_one_start(state: State) -> bool:
    """If the environment can stop only one broker once, no broker starts a second time.

    Why: a broker starts only after it has stopped.
    Source: the budgets of `model/cluster/environment.py`, which bound the broker epochs.
    """
    failures = state.budget.crashes + state.budget.power_losses + state.budget.disk_losses
    return all(broker.broker_epoch + failures + int(not broker.is_running) <= 1 for broker in state.brokers)


def at_most_one_failover(state: State) -> bool:
    """If the environment has one fail-over, the controller is replaced at most once.

    Why: every new controller takes the next epoch.
    Source: the budget of fail-overs in `model/cluster/environment.py`, which bounds the controller epoch.
    """
    return state.controller.epoch + state.budget.failovers <= 1


def is_readable(state: State, rules: ClusterRules, offset: int) -> bool:
    """Whether some broker or zombie controller may still know of the change at `offset`, and of all later ones."""
    if offset > state.controller.offset:
        return False
    if state.controller.zombie_offset != NO_OFFSET and state.controller.zombie_offset <= offset:
        return True
    if rules.propagation == Propagation.LEADER_AND_ISR or offset == state.controller.offset:
        return True
    return any(broker.is_running and broker.metadata_offset <= offset for broker in state.brokers)


def counted_leaders(state: State, rules: ClusterRules) -> bool:
    """Among changes that can still be read, leader epochs do not fall, and each belongs to one leader.

    Why: the controller increments the leader epoch with every change of the leader.
    Source: PartitionChangeBuilder; the zkVersion of the partition's state, and the leader epoch in it.
    """
    for broker in state.brokers:
        if broker.is_running and broker.metadata_offset > state.controller.offset:
            return False
    for offset in range(1, len(state.controller.history)):
        before = state.controller.history[offset - 1]
        after = state.controller.history[offset]
        if is_readable(state, rules, offset - 1) and offset <= state.controller.offset:
            if after.leader_epoch < before.leader_epoch:
                return False
            if after.leader_epoch == before.leader_epoch and after.leader != before.leader:
                return False
    return True


def last_member_of_isr(state: State) -> bool:
    """An inactive member of the ISR is its only member.

    Why: a broker that is fenced or stops leaves the ISR, unless it is the last member.
    Source: PartitionChangeBuilder; KIP-841.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.isr <= metadata.active or len(metadata.isr) <= 1


def replayed_leaders(state: State) -> bool:
    """A broker's leader and leader epoch are those of the last metadata record that it replayed.

    Why: it adopts both whenever the leader epoch rises, and the leader changes only then.
    Source: BrokerMetadataPublisher; KIP-500.
    """
    for broker in state.brokers:
        if broker.leader_epoch != NO_EPOCH:
            metadata = state.controller.history[broker.metadata_offset]
            if broker.leader_epoch != metadata.leader_epoch:
                return False
            if broker.leader != NO_LEADER and broker.leader != metadata.leader:
                return False
    return True


def newest_known_epoch(broker: Broker) -> int:
    """The newest epoch in the leader-epoch file; `NO_EPOCH` if the file is empty."""
    newest = NO_EPOCH
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] != NO_OFFSET:
            newest = epoch
    return newest


def fetches_ask_for_newest_epoch(state: State, rules: ClusterRules) -> bool:
    """A fetch that a broker sent since its last start has no later leader epoch than the broker.

    If it has the same leader epoch, its offset is not above the end of the broker's log. If its offset is that end, the
    fetch names the newest epoch of the broker's leader-epoch file.

    Why: a follower sends the end and the newest epoch of its log, and changes them only by the answer, or in another
    epoch.
    Source: AbstractFetcherThread.buildFetch; KIP-595 (the last fetched epoch).
    """
    for follower_id, fetch in enumerate(state.fetches):
        broker = state.brokers[follower_id]
        if fetch.broker_epoch > broker.broker_epoch:
            return False
        is_of_this_start = fetch.stage != Stage.IDLE and broker.is_running and fetch.broker_epoch == broker.broker_epoch
        if is_of_this_start and fetch.leader_epoch > broker.leader_epoch:
            return False
        is_current = is_of_this_start and fetch.leader_epoch == broker.leader_epoch
        if is_current and fetch.leader != broker.leader:
            return False
        if is_current and fetch.question == Question.FETCH and rules.truncation == TruncationRule.ON_FETCH:
            if fetch.offset > broker.log.end_offset or broker.must_truncate:
                return False
            if fetch.offset == broker.log.end_offset and fetch.asked_epoch != newest_known_epoch(broker):
                return False
    return True


def diverging_answers_are_below(state: State, rules: ClusterRules) -> bool:
    """A fetch answer that reports divergence has an older epoch than the one asked for, or an earlier end offset.

    Why: otherwise the leader has the follower's last record.
    Source: Partition.readRecords (DivergingEpoch); KIP-595, KAFKA-10706.
    """
    for fetch in state.fetches:
        is_answer = fetch.stage == Stage.ANSWERED and fetch.question == Question.FETCH
        if fetch.stage != Stage.ANSWERED or fetch.error != FetchError.NONE:
            if fetch.end_offset != NO_OFFSET or (fetch.stage != Stage.ANSWERED and fetch.error != FetchError.NONE):
                return False
        if is_answer and fetch.end_offset != NO_OFFSET:
            if rules.truncation != TruncationRule.ON_FETCH or fetch.diverging_epoch == NO_EPOCH:
                return False
            if fetch.diverging_epoch > fetch.asked_epoch:
                return False
            if fetch.diverging_epoch == fetch.asked_epoch and fetch.end_offset >= fetch.offset:
                return False
    return True
