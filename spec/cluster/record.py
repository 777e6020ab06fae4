"""The controller's record of the partition: its possible contents, and its changes.

Part of Kafka judged: `impl/controller`, by its records only.
Source: the KIPs and issues named below.
Left out, and why that is sound: which of several candidates is elected, because Kafka leaves that to the assignment.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import PartitionState, Propagation
from kafkacheck.impl.ids import NO_LEADER
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.elections import partition_state


def had_no_leader_yet(metadata: Metadata) -> bool:
    """Whether the partition does not exist or is new, so that its first leader leads in epoch 0."""
    reached = partition_state(metadata)
    return reached == PartitionState.NON_EXISTENT or reached == PartitionState.NEW


def isr_is_never_empty(state: State, rules: ClusterRules) -> bool:
    """From the first leader on, the ISR has a member; and the leader, if there is one, is in the ISR.

    Only with eligible leader replicas may the ISR be empty.

    Lost if it fails: the controller forgets which brokers have all committed records, and only an unclean election can
    go on.
    Source: `PartitionChangeBuilder`; KIP-966.
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader != NO_LEADER and metadata.leader not in metadata.isr:
        return False
    if metadata.isr != Ids() or rules.eligible_leader_replicas:
        return True
    return had_no_leader_yet(metadata)


def leader_is_elected_where_possible(state: State) -> bool:
    """The partition lacks a leader only if no clean candidate is active, or if its topic is queued for deletion.

    Lost to users: the partition stays offline although a replica with all committed records exists.
    Source: `PartitionChangeBuilder.electLeader`, `OfflinePartitionLeaderElectionStrategy`; KIP-966.
    """
    metadata = state.controller.history[state.controller.offset]
    candidates = metadata.isr if metadata.isr != Ids() else metadata.elr
    return metadata.leader != NO_LEADER or candidates & metadata.active == Ids() or metadata.is_deleting != 0


def is_same_partition(one: Metadata, other: Metadata) -> bool:
    """Whether two versions of the record have the same leader, ISR and replicas, in the same epoch."""
    if one.leader != other.leader or one.leader_epoch != other.leader_epoch or one.isr != other.isr:
        return False
    if one.topic_id != other.topic_id or one.is_deleting != other.is_deleting:
        return False
    if one.elr != other.elr or one.replicas != other.replicas or one.target != other.target:
        return False
    return one.adding == other.adding and one.is_recovering == other.is_recovering


def every_change_has_an_effect(before: State, after: State) -> bool:
    """Each new version of the record differs from the one before.

    Its partition epoch is new if and only if the partition has changed. The partition epochs of each topic begin with
    0. A new controller may record again that a topic without a leader is queued for deletion.

    Lost if it fails: brokers replay changes without content, and the controller refuses leaders because of a version
    that says the same.
    Source: `PartitionChangeBuilder.build`, which makes no record without a change; KIP-497.
    """
    if before.controller.offset == after.controller.offset:
        return True
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if not is_same_partition(was, now):
        is_begun = had_no_leader_yet(was) or partition_state(now) == PartitionState.NON_EXISTENT
        return now.partition_epoch == (0 if is_begun and now.leader_epoch == 0 else after.controller.offset)
    registered = False
    for broker_id in range(len(before.brokers)):
        if was.broker_epochs[broker_id] != now.broker_epochs[broker_id]:
            registered = True
    if now.is_deleting != 0 and now.controller_epoch != was.controller_epoch:
        registered = True
    is_other = registered or was.active != now.active or was.is_min_isr_lowered != now.is_min_isr_lowered
    return now.partition_epoch == was.partition_epoch and is_other


def leader_epoch_counts_leaders(before: State, after: State, rules: ClusterRules) -> bool:
    """A change begins at most one leader epoch, and only for a reason.

    The reasons are: another leader; a leader that is elected anew; replicas that leave; a topic that is queued for
    deletion, which a new controller records again; and in the ZooKeeper era another ISR or other replicas. The leader
    epochs of each topic begin with 0.

    Lost if it fails: leaders and followers, and every producer and consumer with them, start anew without need.
    Source: `PartitionChangeBuilder.triggerLeaderEpochBumpForIsrShrinkIfNeeded`; KAFKA-15021.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if partition_state(now) == PartitionState.NON_EXISTENT:
        return now.leader_epoch == 0
    if now.leader_epoch == was.leader_epoch:
        return now.leader == was.leader or had_no_leader_yet(was)
    if now.leader_epoch != was.leader_epoch + 1:
        return False
    if now.leader != was.leader or before.budget.moves != after.budget.moves or not was.replicas <= now.replicas:
        return True
    if now.is_deleting != was.is_deleting:
        return True
    if now.is_deleting != 0 and now.controller_epoch != was.controller_epoch:
        return True
    return rules.propagation == Propagation.LEADER_AND_ISR and (was.isr != now.isr or was.replicas != now.replicas)


def elected_leaders_are_active(before: State, after: State) -> bool:
    """An elected leader is active, and the partition is assigned to it.

    Lost if it fails: the partition is led by a broker that is fenced, stopping, or has no replica.
    Source: KIP-841; `PartitionChangeBuilder.isAcceptableLeader`.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if now.leader == NO_LEADER or now.leader == was.leader:
        return True
    return now.leader in now.active & now.replicas


def only_caught_up_brokers_become_active(before: State, after: State, rules: ClusterRules) -> bool:
    """In the KRaft era a broker becomes active only after it has replayed its own registration.

    It must also run, and must not have asked for its shutdown.

    Lost if it fails: a broker that knows nothing of the present state leads, or joins the ISR.
    Source: `BrokerHeartbeatManager.calculateNextBrokerState`; KIP-631.
    """
    if rules.propagation != Propagation.METADATA_LOG:
        return True
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    return all(
        (broker.is_running and broker_id not in before.controller.stopping)
        and before.controller.history[broker.metadata_offset].broker_epochs[broker_id] == broker.broker_epoch
        for broker_id, broker in enumerate(before.brokers)
        if broker_id in now.active - was.active
    )


def replayed_partition_epoch(state: State, rules: ClusterRules) -> bool:
    """A KRaft broker in the leader epoch of its replayed metadata has that metadata's ISR or a newer one.

    Lost if it fails: a leader goes on with an ISR that the controller has changed, and the controller refuses its
    changes.
    Source: `Partition.makeLeader`, `ReplicaManager.applyDelta`.
    """
    if rules.propagation != Propagation.METADATA_LOG:
        return True
    for broker in state.brokers:
        metadata = state.controller.history[broker.metadata_offset]
        if broker.is_running and broker.has_log and broker.leader_epoch == metadata.leader_epoch:
            if broker.partition_epoch < metadata.partition_epoch:
                return False
    return True


def only_assigned_brokers_obey(before: State, after: State, rules: ClusterRules) -> bool:
    """A broker adopts a leader epoch only from metadata that assigns the partition to it.

    That metadata does not queue the topic for deletion, unless a new controller tells of every partition. In the
    ZooKeeper era the partition has had its first leader, because the controller tells no broker of a new partition.

    Lost if it fails: a replica appears on a broker that is not known to have one, or before any broker may lead.
    Source: `ReplicaManager.becomeLeaderOrFollower`, KIP-455; `PartitionStateMachine.doHandleStateChanges`.
    """
    for broker_id in range(len(before.brokers)):
        now = after.brokers[broker_id]
        if now.is_running and now.leader_epoch > before.brokers[broker_id].leader_epoch:
            metadata = before.controller.history[now.metadata_offset]
            if broker_id not in metadata.replicas:
                return False
            if metadata.is_deleting != 0 and now.controller_epoch == metadata.controller_epoch:
                return False
            if metadata.isr == Ids() and rules.propagation == Propagation.LEADER_AND_ISR:
                return False
    return True


def needed_of_target(rules: ClusterRules, target: Ids, adding: Ids, removed: Ids) -> Ids:
    """The brokers of a reassignment's target that must be in sync before it ends."""
    if not rules.grown_target_is_awaited and len(adding) >= len(removed):
        return adding
    return target


def only_replacements_change_nothing(before: State, after: State) -> bool:
    """A reassignment that is asked for is recorded, unless it replaces another one and has the same target.

    Lost if it fails: an operator is told that brokers will have replicas, and nothing happens.
    Source: `ReplicationControlManager.alterPartitionReassignment`.
    """
    if before.budget.moves == after.budget.moves or before.controller.offset != after.controller.offset:
        return True
    metadata = before.controller.history[before.controller.offset]
    return metadata.target != metadata.replicas or metadata.adding != Ids()


def ended_reassignments_are_in_sync(before: State, after: State, rules: ClusterRules) -> bool:
    """When a reassignment ends, all brokers of its target are in sync, or the added ones if they suffice.

    One that is cancelled leaves the replicas from before it, as they are.

    Lost if it fails: replicas are removed before others have their records.
    Source: KAFKA-15665, KAFKA-19975; `PartitionReassignmentReplicas.maybeCompleteReassignment`.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if now.replicas != now.target or now.adding != Ids() or was.replicas == now.replicas:
        return True
    if before.budget.moves != after.budget.moves and now.replicas == was.replicas - was.adding:
        return True
    return needed_of_target(rules, now.replicas, was.adding & now.replicas, was.replicas - now.replicas) <= now.isr


def reassignments_go_on(before: State, after: State, rules: ClusterRules) -> bool:
    """A reassignment begins only if no other one is under way and, in the ZooKeeper era, the partition has a leader.

    Its target is another set of brokers, at least one of them active. The reassignment adds them to the replicas, ends
    when the whole target is in sync, and leaves only the target. Since Kafka 4.3 it suffices that the added brokers are
    in sync, if they are as many as the removed ones.

    Lost if it fails: replicas are removed too early, or never.
    Source: KIP-455, KAFKA-15665.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    begins = before.budget.moves != after.budget.moves
    was_under_way = was.target != was.replicas or was.adding != Ids()
    ends = now.replicas == now.target and now.adding == Ids()
    if begins:
        if was.leader == NO_LEADER and rules.propagation == Propagation.LEADER_AND_ISR:
            return False
        if was_under_way or now.target == was.replicas or now.target & was.active == Ids():
            return False
    elif now.target != was.target:
        return False
    if not now.target <= now.replicas or not now.adding <= now.target:
        return False
    adding = now.target - was.replicas if begins else was.adding
    needed = needed_of_target(rules, now.target, adding, (was.replicas | now.replicas) - now.target)
    if not ends:
        return was.replicas <= now.replicas and not needed <= now.isr
    return not (begins or was_under_way) or (now.isr <= now.target and needed <= now.isr)


def reassignments_reach_brokers(before: State, after: State, rules: ClusterRules) -> bool:
    """A request about a reassignment that keeps the leader begins a leader epoch only where brokers need one.

    In the ZooKeeper era they hear of nothing else; in the KRaft era requests of replicas that leave must differ.

    Lost if it fails: brokers go on with the former assignment, or start anew without need.
    Source: `PartitionChangeBuilder.triggerLeaderEpochBumpForReplicaReassignmentIfNeeded`; KIP-455.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if before.budget.moves == after.budget.moves or was.leader != now.leader:
        return True
    begins = now.leader_epoch > was.leader_epoch
    return begins if rules.propagation == Propagation.LEADER_AND_ISR else begins != (was.replicas <= now.replicas)


def reassignments_end_as_asked(state: State) -> bool:
    """If no reassignment is under way, the partition has the replicas that an operator has last asked for.

    Lost if it fails: a broker loses a replica that the accepted request keeps, and the partition has a copy less.
    Source: KIP-455; finding F7 of `tests/kafka/findings`.
    """
    metadata = state.controller.history[state.controller.offset]
    if state.asked == Ids() or metadata.target != metadata.replicas or metadata.adding != Ids():
        return True
    return metadata.replicas == state.asked


def deleted_replica(state: State) -> bool:
    """A broker has deleted its replica by the newest change. Without an example no broker ever hears in time."""
    metadata = state.controller.history[state.controller.offset]
    return any(
        broker_id not in metadata.replicas
        for broker_id, broker in enumerate(state.brokers)
        if broker.is_running and not broker.has_log and broker.metadata_offset == state.controller.offset
    )
