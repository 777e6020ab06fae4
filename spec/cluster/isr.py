"""How leaders and the controller change the ISR, and how far leaders commit by it.

Part of Kafka judged: `impl/broker/isr.py`, `impl/broker/leader.py` and `impl/controller/alter_partition.py`, by their
records before and after a step.
Source: KIP-497, KIP-841, KIP-903, KIP-704.
Left out, and why that is sound: whether the ISR is the right one, because `isr_is_covered` and the properties on
surviving records judge that.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.enums import AlterPartitionError, Propagation, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.eligible import needed_replicas


def names_members(change: AlterPartition, leader: Broker, leader_id: int) -> bool:
    """Whether a change has the broker epoch of each proposed member, as its leader knows it, and no other one."""
    for member_id in range(len(change.member_epochs)):
        epoch = leader.followers[member_id].broker_epoch if member_id in change.isr else NO_EPOCH
        if member_id == leader_id:
            epoch = leader.broker_epoch
        if change.member_epochs[member_id] != epoch:
            return False
    return True


def may_join(state: State, rules: ClusterRules, leader_id: int, member_id: int) -> bool:
    """Whether a broker may join the ISR, as far as its leader knows.

    The broker is assigned, and has fetched from the high watermark or above. In KRaft it is also active and has not
    restarted since.
    """
    leader = state.brokers[leader_id]
    follower = leader.followers[member_id]
    if follower.end_offset == NO_OFFSET or follower.end_offset < leader.high_watermark:
        return False
    metadata = state.controller.history[leader.metadata_offset]
    if member_id not in metadata.replicas:
        return False
    if rules.propagation == Propagation.LEADER_AND_ISR:
        return True
    if rules.isr_excludes_inactive and member_id not in metadata.active:
        return False
    return follower.broker_epoch == metadata.broker_epochs[member_id] or not rules.isr_names_broker_epochs


def leaders_propose_one_change(before: State, after: State, rules: ClusterRules) -> bool:
    """A leader proposes a change of the ISR only if it has no other change pending.

    The change adds one follower that may join, removes one that is not at the log's end, or declares that the leader
    has recovered.

    Lost if it fails: two changes are under way at once; or the ISR loses a member that has every record; or the leader
    proposes, again and again, a member that the controller refuses.
    Source: `Partition.maybeShrinkIsr`, `maybeExpandIsr`, `submitAlterPartition`.
    """
    for leader_id, leader in enumerate(before.brokers):
        change = after.alter_partitions[leader_id]
        was = before.alter_partitions[leader_id]
        if was.stage == Stage.REQUESTED and change.stage == Stage.REQUESTED and was.isr != change.isr:
            return False
        if was.stage == Stage.ANSWERED and change.stage == Stage.REQUESTED:
            if before.budget.losses == after.budget.losses:
                return False
        if was.stage == Stage.IDLE and change.stage == Stage.REQUESTED:
            if not leader.is_running or leader.leader != leader_id or leader.pending_isr != Ids():
                return False
            if leader_id not in change.isr or not names_members(change, leader, leader_id):
                return False
            if change.topic_id != leader.topic_id:
                return False
            if len(change.isr ^ leader.isr) != int(not change.ends_recovery):
                return False
            for member_id in change.isr - leader.isr:
                if not may_join(before, rules, leader_id, member_id):
                    return False
            for member_id in leader.isr - change.isr:
                if leader.followers[member_id].end_offset == leader.log.end_offset:
                    return False
    return True


def caught_up_followers_may_join(before: State, after: State) -> bool:
    """A follower that is found caught up is neither in the ISR nor in the pending ISR.

    After a fetch that leaves the high watermark as it is, the leader still knows that the follower is caught up.

    Lost if it fails: the leader proposes a member that it already has, or never proposes any follower.
    Source: `Partition.canAddReplicaToIsr`; KAFKA-15221.
    """
    for follower_id, fetch in enumerate(before.fetches):
        is_answer = fetch.stage == Stage.REQUESTED and after.fetches[follower_id].stage == Stage.ANSWERED
        for leader_id, leader in enumerate(before.brokers):
            now = after.brokers[leader_id]
            was_caught_up = leader.followers[follower_id].is_caught_up
            is_caught_up = now.followers[follower_id].is_caught_up
            if is_caught_up and not was_caught_up:
                if follower_id == leader_id or follower_id in leader.isr | leader.pending_isr:
                    return False
            stays = leader.high_watermark == now.high_watermark
            if is_answer and fetch.leader == leader_id and stays and was_caught_up and not is_caught_up:
                return False
    return True


def is_current(before: State, leader_id: int) -> bool:
    """Whether a change under way comes from the registered leader of the topic, and starts from the newest record."""
    change = before.alter_partitions[leader_id]
    metadata = before.controller.history[before.controller.offset]
    if change.topic_id != metadata.topic_id:
        return False
    if change.leader_epoch != metadata.leader_epoch or metadata.leader != leader_id:
        return False
    return (
        change.partition_epoch == metadata.partition_epoch and change.broker_epoch == metadata.broker_epochs[leader_id]
    )


def may_be_recorded(before: State, rules: ClusterRules, leader_id: int) -> bool:
    """Whether the controller may accept every member of a change into the ISR."""
    change = before.alter_partitions[leader_id]
    metadata = before.controller.history[before.controller.offset]
    if rules.isr_excludes_inactive and not change.isr <= metadata.active:
        return False
    for member_id in change.isr:
        epoch = change.member_epochs[member_id]
        if rules.isr_names_broker_epochs and epoch != NO_EPOCH and epoch != metadata.broker_epochs[member_id]:
            return False
    return True


def is_deposed_by_change(before: State, after: State, rules: ClusterRules, leader_id: int) -> bool:
    """Whether the leader's change ended a reassignment so that another broker leads (KRaft era)."""
    metadata = after.controller.history[after.controller.offset]
    if rules.propagation != Propagation.METADATA_LOG or after.controller.offset == before.controller.offset:
        return False
    return metadata.leader != leader_id and leader_id not in metadata.replicas


def answers_tell_the_record(before: State, after: State, rules: ClusterRules) -> bool:
    """The controller answers a change of the ISR with the version that it has recorded.

    If only a member is at fault, the error names that reason. Every other refusal makes the leader wait for newer
    metadata, and so does the answer to a change that makes another broker the leader. Even a zombie controller confirms
    only the ISR that was asked for. It makes no leader wait that has the newest metadata, and refuses no member if the
    leader knows more than the zombie.

    Lost if it fails: a leader believes in an ISR that is not recorded, or waits for metadata that will not come.
    Source: `ReplicationControlManager.alterPartition`, `validateAlterPartitionData`.
    """
    metadata = after.controller.history[after.controller.offset]
    for leader_id in range(len(before.brokers)):
        change = before.alter_partitions[leader_id]
        answer = after.alter_partitions[leader_id]
        if change.stage == Stage.REQUESTED and answer.stage == Stage.ANSWERED:
            is_growing = len(change.isr) > 1 and metadata.is_recovering and not change.ends_recovery
            if answer.error == AlterPartitionError.NONE and answer.isr != change.isr & metadata.replicas:
                return False
            if answer.error == AlterPartitionError.FENCED and is_current(before, leader_id):
                is_deposed = is_deposed_by_change(before, after, rules, leader_id)
                if not is_deposed and (not is_growing or not rules.recovering_leader_stays_alone):
                    return False
            if before.controller.zombie_offset == NO_OFFSET:
                if not is_answer_of_record(before, after, rules, leader_id):
                    return False
            elif answer.error == AlterPartitionError.INELIGIBLE_REPLICA and may_be_recorded(before, rules, leader_id):
                if change.partition_epoch > before.controller.history[before.controller.zombie_offset].partition_epoch:
                    return False
    return True


def is_answer_of_record(before: State, after: State, rules: ClusterRules, leader_id: int) -> bool:
    """Whether an answer reports the newest record, or refuses an unrecorded change for the right reason."""
    metadata = after.controller.history[after.controller.offset]
    answer = after.alter_partitions[leader_id]
    if is_deposed_by_change(before, after, rules, leader_id):
        return answer.error == AlterPartitionError.FENCED and answer.isr == Ids()
    if answer.error == AlterPartitionError.NONE:
        if answer.leader_epoch != metadata.leader_epoch or answer.partition_epoch != metadata.partition_epoch:
            return False
        return answer.isr == metadata.isr
    if after.controller.offset != before.controller.offset or answer.isr != Ids():
        return False
    if not is_current(before, leader_id):
        return answer.error == AlterPartitionError.FENCED
    return answer.error == AlterPartitionError.FENCED or not may_be_recorded(before, rules, leader_id)


def leaders_obey_answers(before: State, after: State, rules: ClusterRules) -> bool:
    """A leader adopts the ISR of an answer in its own epoch, if a change is pending and it has no newer ISR.

    It withdraws its proposal if a member is refused. No other answer changes its ISR or its proposal.

    Lost if it fails: the leader waits for an ISR that is not the recorded one, or makes no more proposals.
    Source: `Partition.handleAlterPartitionUpdate`, `handleAlterPartitionError`.
    """
    for leader_id, leader in enumerate(before.brokers):
        now = after.brokers[leader_id]
        answer = before.alter_partitions[leader_id]
        is_used = answer.stage == Stage.ANSWERED and after.alter_partitions[leader_id].stage == Stage.IDLE
        stays = leader.is_running and now.is_running and leader.leader_epoch == now.leader_epoch
        if is_used and stays and now.leader == leader.leader and rules.shrink_awaits_controller:
            isr = leader.isr
            pending = leader.pending_isr
            if leader.leader == leader_id and pending != Ids():
                if answer.error == AlterPartitionError.INELIGIBLE_REPLICA:
                    pending = Ids()
                is_of_now = answer.leader_epoch == leader.leader_epoch
                is_newer = answer.partition_epoch >= leader.partition_epoch or not rules.answer_checks_partition_epoch
                if answer.error == AlterPartitionError.NONE and is_of_now and is_newer:
                    isr = answer.isr
                    pending = Ids()
            if now.isr != isr or now.pending_isr != pending:
                return False
    return True


def high_watermark_follows(before: State, after: State, rules: ClusterRules) -> bool:
    """A leader raises its high watermark as far as all members that it waits for allow.

    It does so whenever it learns of a follower's progress or of another ISR.

    Lost if it fails: a record that every member has stays uncommitted; its producer and consumers wait.
    Source: `Partition.maybeIncrementLeaderHW`, KIP-497.
    """
    for leader_id, now in enumerate(after.brokers):
        leader = before.brokers[leader_id]
        learns = leader.isr != now.isr
        end_offset = now.log.end_offset
        for follower_id in range(len(after.brokers)):
            if now.followers[follower_id].end_offset != leader.followers[follower_id].end_offset:
                learns = True
            if follower_id != leader_id and follower_id in now.isr | now.pending_isr:
                end_offset = min(end_offset, now.followers[follower_id].end_offset)
        leads = now.is_running and now.leader == leader_id
        needed = needed_replicas(after.controller.history[now.metadata_offset], rules)
        if leads and learns and len(now.isr) >= min(needed, len(after.brokers)):
            if now.high_watermark < end_offset:
                return False
    return True


def committed_without_all(state: State) -> bool:
    """A leader has committed a record that some broker is not known to have.

    Without an example every commit waits for all brokers.
    """
    return any(
        follower_id != leader_id and leader.followers[follower_id].end_offset < leader.high_watermark
        for leader_id, leader in enumerate(state.brokers)
        if leader.is_running and leader.leader == leader_id
        for follower_id in range(len(state.brokers))
    )
