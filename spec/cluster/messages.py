"""How brokers handle requests and answers, and the effects of a process that ends.

Part of Kafka judged: `impl/broker`, by its records before and after a step.
Source: the KIPs and issues named below.
Left out, and why that is sound: the contents of answers about the log; `spec/cluster/properties.py` judges their
consequences.
"""

from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import Acks, FetchError, FetchFencing, Question, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def has_same_files(broker: Broker, now: Broker) -> bool:
    """Whether a broker's log, leader-epoch file and checkpoint are unchanged, on disk and in the page cache."""
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] != now.epoch_starts[epoch]:
            return False
    if broker.log.end_offset != now.log.end_offset or broker.log_start_offset != now.log_start_offset:
        return False
    if broker.flushed_offset != now.flushed_offset:
        return False
    return broker.high_watermark_checkpoint == now.high_watermark_checkpoint


def stopped_brokers_do_nothing(before: State, after: State) -> bool:
    """A broker that does not run writes nothing, answers no fetch, and uses no answer to its own fetch.

    Lost if it fails: nothing, because no broker of Kafka can do this; a model in which it fails says nothing about
    crashes.
    Source: the nature of a process.
    """
    if before.budget.losses != after.budget.losses:
        return True
    for broker_id, broker in enumerate(before.brokers):
        now = after.brokers[broker_id]
        fetch = before.fetches[broker_id]
        if not broker.is_running and not now.is_running:
            if not has_same_files(broker, now):
                return False
            if fetch.stage == Stage.ANSWERED and after.fetches[broker_id].stage != Stage.ANSWERED:
                return False
        if broker.is_running == now.is_running and fetch.stage == Stage.REQUESTED:
            is_answered = after.fetches[broker_id].stage != Stage.REQUESTED
            if is_answered and not before.brokers[fetch.leader].is_running:
                return False
    return True


def running_brokers(state: State) -> int:
    """How many brokers run."""
    return sum(int(broker.is_running) for broker in state.brokers)


def has_flushed(before: State, after: State) -> bool:
    """Whether every log still has all records that it had flushed."""
    return all(
        broker.log.end_offset >= old_broker.flushed_offset for old_broker, broker in zip(before.brokers, after.brokers)
    )


def ends_as_asked(before: State, after: State) -> bool:
    """Whether every process that ends had asked for a controlled shutdown."""
    return all(
        broker_id in before.controller.stopping
        for broker_id in range(len(before.brokers))
        if before.brokers[broker_id].is_running and not after.brokers[broker_id].is_running
    )


def something_is_lost(before: State, after: State) -> bool:
    """Whether a fetch or its answer is lost, or a lost AlterPartition answer makes the leader ask again."""
    for broker_id in range(len(before.brokers)):
        if before.fetches[broker_id].stage != Stage.IDLE and after.fetches[broker_id].stage == Stage.IDLE:
            return True
        if before.alter_partitions[broker_id].stage == Stage.ANSWERED:
            if after.alter_partitions[broker_id].stage == Stage.REQUESTED:
                return True
    return False


def disturbances_are_real(before: State, after: State) -> bool:
    """Each disturbance that is charged to the budget has its effect.

    A crash, a power loss or a lost disk ends a running process; otherwise only a controlled shutdown ends one. A power
    loss takes no flushed record. A loss takes a message under way. An expiration fences a running broker, or makes a
    leader propose another ISR. A move, a deletion and a new min.insync.replicas each make the controller record a
    change.

    Lost if it fails: behaviours with that many disturbances, because some are charged without an effect.
    Source: `model/cluster/environment.py`.
    """
    spent = before.budget.crashes != after.budget.crashes or before.budget.power_losses != after.budget.power_losses
    if spent and not has_flushed(before, after):
        return False
    if spent or before.budget.disk_losses != after.budget.disk_losses:
        return running_brokers(after) < running_brokers(before)
    if not ends_as_asked(before, after):
        return False
    if before.budget.losses != after.budget.losses and not something_is_lost(before, after):
        return False
    asked = before.budget.moves != after.budget.moves or before.budget.deletions != after.budget.deletions
    asked = asked or before.budget.min_isr_changes != after.budget.min_isr_changes
    if asked and before.controller.offset == after.controller.offset:
        return False
    if before.budget.expirations == after.budget.expirations:
        return True
    was = before.controller.history[before.controller.offset].active
    now = after.controller.history[after.controller.offset].active
    for broker_id in range(len(before.brokers)):
        if before.brokers[broker_id].is_running:
            if broker_id in was - now:
                return True
            if before.alter_partitions[broker_id].stage == Stage.IDLE:
                if after.alter_partitions[broker_id].stage == Stage.REQUESTED:
                    return True
    return False


def connections_end_with_process(before: State, after: State) -> bool:
    """When a process ends, all messages to it are dropped, and so is its own OffsetsForLeaderEpoch request.

    Requests to it include old fetches. Every other message stays under way: a fetch or a change of the ISR that the
    process sent may still arrive.

    Lost if it fails: a message reaches a later start of the broker, or a message that could arrive never does.
    Source: a broken connection; KIP-903.
    """
    for broker_id in range(len(before.brokers)):
        if before.brokers[broker_id].is_running and not after.brokers[broker_id].is_running:
            was = before.alter_partitions[broker_id].stage
            if after.alter_partitions[broker_id].stage != (Stage.REQUESTED if was == Stage.REQUESTED else Stage.IDLE):
                return False
            for other_id, fetch in enumerate(before.fetches):
                ends = fetch.stage == Stage.REQUESTED and fetch.leader == broker_id
                if other_id == broker_id:
                    ends = fetch.stage == Stage.ANSWERED or fetch.question == Question.EPOCH_END
                if after.fetches[other_id].stage != (Stage.IDLE if ends else fetch.stage):
                    return False
                old_fetch = before.old_fetches[other_id]
                ends = old_fetch.leader == broker_id
                if after.old_fetches[other_id].stage != (Stage.IDLE if ends else old_fetch.stage):
                    return False
    return True


def new_epoch_drops_answers(before: State, after: State, rules: ClusterRules) -> bool:
    """When a broker adopts another leader epoch, answers to it are dropped, and its requests stay under way.

    Before KAFKA-18991 it keeps the answer to a fetch if the leader is the same.

    Lost if it fails: the broker obeys an answer to a request of the earlier epoch.
    Source: KAFKA-7786, KAFKA-13207; `Partition.makeFollower`, `AbstractFetcherManager.removeFetcherForPartitions`.
    """
    for broker_id, broker in enumerate(before.brokers):
        now = after.brokers[broker_id]
        turns = broker.leader_epoch != now.leader_epoch and now.leader_epoch != NO_EPOCH
        if broker.is_running and now.is_running and turns:
            was = before.alter_partitions[broker_id].stage
            if after.alter_partitions[broker_id].stage != (Stage.REQUESTED if was == Stage.REQUESTED else Stage.IDLE):
                return False
            asked = before.fetches[broker_id].stage
            stays = broker.leader == now.leader and not rules.fetch_answer_is_of_epoch
            if rules.stale_answer_is_refused and not stays:
                asked = Stage.REQUESTED if asked == Stage.REQUESTED else Stage.IDLE
            if after.fetches[broker_id].stage != asked:
                return False
    return True


def stale_answers_have_no_effect(before: State, after: State, rules: ClusterRules) -> bool:
    """A stale answer leaves the follower's log as it is.

    An answer is stale if the follower asked in another leader epoch, before a restart, or for a topic that is deleted.

    Lost if it fails: records of a former leader enter the log, or its answers truncate the log.
    Source: KAFKA-7786, KAFKA-13207.
    """
    for follower_id, fetch in enumerate(before.fetches):
        broker = before.brokers[follower_id]
        now = after.brokers[follower_id]
        is_used = fetch.stage == Stage.ANSWERED and after.fetches[follower_id].stage != Stage.ANSWERED
        is_stale = fetch.leader_epoch != broker.leader_epoch or fetch.broker_epoch != broker.broker_epoch
        if rules.fetch_names_topic_id and fetch.question == Question.FETCH and fetch.topic_id != broker.topic_id:
            is_stale = True
        stays = broker.is_running and now.is_running and broker.leader_epoch == now.leader_epoch
        if is_used and is_stale and stays and rules.stale_answer_is_refused:
            if not has_same_files(broker, now) or broker.high_watermark != now.high_watermark:
                return False
    return True


def uses_answer_of_now(before: State, after: State, follower_id: int) -> bool:
    """Whether a step takes a follower's answer to a request of its present broker epoch and leader epoch."""
    fetch = before.fetches[follower_id]
    broker = before.brokers[follower_id]
    if fetch.stage != Stage.ANSWERED or after.fetches[follower_id].stage != Stage.IDLE:
        return False
    return fetch.leader_epoch == broker.leader_epoch and fetch.broker_epoch == broker.broker_epoch


def answered_fetches_are_used(before: State, after: State) -> bool:
    """A follower acts on the answer to its latest fetch.

    It advances its log start to the leader's, but not above its own high watermark. After OFFSET_OUT_OF_RANGE its log
    ends within the leader's log if the leader still runs, and stays as it is otherwise.

    Lost if it fails: the follower sends the same fetch for ever, or keeps deleted records.
    Source: AbstractFetcherThread.processFetchRequest, fetchOffsetAndTruncate; KAFKA-2143.
    """
    if before.budget.losses != after.budget.losses:
        return True
    for follower_id, fetch in enumerate(before.fetches):
        broker = before.brokers[follower_id]
        now = after.brokers[follower_id]
        is_used = uses_answer_of_now(before, after, follower_id)
        is_latest = fetch.question == Question.FETCH and fetch.offset == broker.log.end_offset
        stays = now.is_running and broker.leader_epoch == now.leader_epoch and not broker.must_truncate
        if is_used and is_latest and stays and fetch.end_offset == NO_OFFSET:
            leader = before.brokers[fetch.leader]
            if fetch.error == FetchError.NONE:
                if now.log_start_offset < min(fetch.log_start_offset, now.high_watermark):
                    return False
            elif not leader.is_running:
                if not has_same_files(broker, now):
                    return False
            elif now.log.end_offset < leader.log_start_offset or now.log.end_offset > leader.log.end_offset:
                return False
    return True


def answered_questions_are_used(before: State, after: State) -> bool:
    """An OffsetsForLeaderEpoch answer lets the follower fetch again, or changes its log or its leader-epoch file.

    After such a change the follower asks for something else.

    Lost if it fails: the follower sends the same request for ever.
    Source: AbstractFetcherThread.maybeTruncateToEpochEndOffsets; KIP-279.
    """
    if before.budget.losses != after.budget.losses:
        return True
    for follower_id, fetch in enumerate(before.fetches):
        broker = before.brokers[follower_id]
        now = after.brokers[follower_id]
        is_used = uses_answer_of_now(before, after, follower_id)
        stays = now.is_running and broker.leader_epoch == now.leader_epoch
        if is_used and stays and fetch.question == Question.EPOCH_END:
            if now.must_truncate and has_same_files(broker, now) and fetch.asked_epoch == newest_epoch(broker):
                return False
    return True


def newest_epoch(broker: Broker) -> int:
    """The newest leader epoch in a broker's file."""
    newest = NO_EPOCH
    for epoch in range(len(broker.epoch_starts)):
        if broker.epoch_starts[epoch] != NO_OFFSET:
            newest = epoch
    return newest


def is_on_leaders_log(leader: Broker, epoch: int, offset: int) -> bool:
    """Whether a log with newest epoch `epoch` that ends at `offset` can be a prefix of the leader's log."""
    if epoch == NO_EPOCH:
        return True
    for older in range(epoch):
        if leader.epoch_starts[older] != NO_OFFSET and leader.epoch_starts[epoch] == NO_OFFSET:
            return False
    return all(
        leader.epoch_starts[newer] >= offset
        for newer in range(epoch + 1, len(leader.epoch_starts))
        if leader.epoch_starts[newer] != NO_OFFSET
    )


def only_leaders_answer(before: State, after: State, rules: ClusterRules) -> bool:
    """Only a broker that leads in the leader epoch of a request answers it.

    The answer to a fetch is of the topic that was asked for, and has the leader's high watermark and log start. It
    reports divergence if and only if the follower's log cannot be a prefix of the leader's.

    Lost if it fails: a follower copies from a broker that is itself a follower, or goes on with a log that differs.
    Source: KIP-320, KIP-516, KIP-595; `Partition.checkCurrentLeaderEpoch`, `readRecords`.
    """
    if rules.fetch_fencing != FetchFencing.CURRENT_LEADER_EPOCH or not rules.unled_fetch_is_refused:
        return True
    for fetch, answer in zip(before.fetches, after.fetches):
        if fetch.stage == Stage.REQUESTED and answer.stage == Stage.ANSWERED:
            leader = before.brokers[fetch.leader]
            if leader.leader != fetch.leader or leader.leader_epoch != fetch.leader_epoch:
                return False
            if fetch.question == Question.FETCH:
                if rules.fetch_names_topic_id and fetch.topic_id != leader.topic_id:
                    return False
                if answer.high_watermark != leader.high_watermark:
                    return False
                if answer.log_start_offset != leader.log_start_offset:
                    return False
                agrees = is_on_leaders_log(leader, fetch.asked_epoch, fetch.offset)
                if answer.error == FetchError.NONE and agrees != (answer.end_offset == NO_OFFSET):
                    return False
    return True


def fetches_outside_are_out_of_range(before: State, after: State) -> bool:
    """A fetch outside the leader's log gets OFFSET_OUT_OF_RANGE or a divergence, never just an empty answer.

    Lost if it fails: the follower never learns that it must begin anew.
    Source: `UnifiedLog.read`, OFFSET_OUT_OF_RANGE.
    """
    for fetch, answer in zip(before.fetches, after.fetches):
        is_answer = fetch.stage == Stage.REQUESTED and answer.stage == Stage.ANSWERED
        if is_answer and fetch.question == Question.FETCH and answer.end_offset == NO_OFFSET:
            leader = before.brokers[fetch.leader]
            is_outside = fetch.offset > leader.log.end_offset or fetch.offset < leader.log_start_offset
            if is_outside and answer.error != FetchError.OFFSET_OUT_OF_RANGE:
                return False
    return True


def only_appender_acknowledges(before: State, after: State, rules: ClusterRules) -> bool:
    """Only the leader that appended a record acknowledges it, and only in the leader epoch of the record.

    Lost if it fails: a producer that got NOT_LEADER_OR_FOLLOWER gets a second answer.
    Source: `ReplicaManager.delayedProducePurgatory`; `Partition.checkEnoughReplicasReachOffset`.
    """
    for record in range(len(before.producers.acknowledged)):
        offset = after.producers.acknowledged[record]
        if offset != before.producers.acknowledged[record]:
            is_told = False
            for broker_id, leader in enumerate(after.brokers):
                if leader.is_running and leader.leader == broker_id and leader.log.records[offset].id == record:
                    is_committed = rules.acks != Acks.ALL or offset < leader.high_watermark
                    if is_committed and leader.log.records[offset].epoch == leader.leader_epoch:
                        is_told = True
            if not is_told:
                return False
    return True


def only_leaders_delete(before: State, after: State) -> bool:
    """Only a leader, or a follower with an answer to its own fetch, removes records from the start of its log.

    Lost if it fails: a deposed broker deletes records that its leader still has.
    Source: `Partition.deleteRecordsOnLeader`.
    """
    return all(
        broker.is_running and broker.leader == broker_id
        for broker_id, broker in enumerate(before.brokers)
        if after.brokers[broker_id].log_start_offset > broker.log_start_offset
        and before.fetches[broker_id].stage != Stage.ANSWERED
    )
