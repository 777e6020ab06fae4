"""How a broker obeys the controller: it becomes leader or follower, or learns a new ISR.

Part of Kafka modelled: `Partition` (`makeLeader`, `makeFollower`); `ReplicaManager.becomeLeaderOrFollower` of the
ZooKeeper era, and `ReplicaManager.applyDelta` for the metadata log of KRaft.
Source: apache/kafka (commit 1eb7644349); KAFKA-1188, KIP-380, KIP-516, KAFKA-7415, KAFKA-7164, KAFKA-6859, KAFKA-14616.
Left out, and why that is sound: UpdateMetadata requests of the ZooKeeper era, from which leaders learn the live
brokers: they may be late, so `impl.broker.isr` lets a leader take any follower that has fetched for alive.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.broker.epoch_file import assign_epoch, has_epoch_file, latest_file_epoch
from kafkacheck.impl.broker.leader import forget_followers, forget_unassigned, is_leading, maybe_raise_high_watermark
from kafkacheck.impl.broker.log_file import drop_log, truncate_log
from kafkacheck.impl.broker.records import Broker
from kafkacheck.impl.broker.registration import refuses_newer
from kafkacheck.impl.enums import Stage, TruncationRule
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.messages.alter_partition import AlterPartition
from kafkacheck.impl.messages.fetch import Fetch
from kafkacheck.impl.messages.metadata import Metadata
from kafkacheck.impl.rules import ClusterRules


def keeps_followers(broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata) -> bool:
    """Whether a broker that becomes leader keeps the end offsets of its followers.

    Kafka's leader keeps them if it is elected again and has not stepped down, even if another broker has led in
    between. With `skipped_epoch_forgets_followers` it keeps them only if no leader epoch lies in between.
    """
    if broker.leads_since == NO_EPOCH or metadata.leader != broker_id:
        return False
    return metadata.leader_epoch == broker.leader_epoch + 1 or not rules.skipped_epoch_forgets_followers


def begin_leading(broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata) -> None:
    """Take over the leadership and note the epoch's start; the high watermark stays until followers have fetched."""
    broker.must_truncate = False
    broker.leader_epoch_start_offset = end_of(broker.log)
    if has_epoch_file(rules):
        assign_epoch(broker, broker.leader_epoch, end_of(broker.log))
    maybe_raise_high_watermark(broker, rules, broker_id, metadata)


def begin_following(broker: Broker, rules: ClusterRules, is_same_leader: bool) -> None:
    """Follow a leader: truncate a log without any epoch to the high watermark, others by the truncation rule.

    Before KAFKA-6859 a follower without any epoch also asks the leader. The leader has no answer, so the follower
    truncates its log to the high watermark.
    """
    if is_same_leader and not rules.new_epoch_restarts_fetcher:
        return
    broker.must_truncate = False
    is_asked = latest_file_epoch(broker) != NO_EPOCH or not rules.undefined_epoch_is_not_asked_for
    if rules.truncation == TruncationRule.HIGH_WATERMARK or not is_asked:
        truncate_log(broker, rules, broker.high_watermark)
    elif rules.truncation != TruncationRule.ON_FETCH:
        broker.must_truncate = True


def drops_answer(rules: ClusterRules, is_same_leader: bool) -> bool:
    """Whether a follower drops the answer to its fetch when it hears of a new leader epoch."""
    return rules.stale_answer_is_refused and (rules.fetch_answer_is_of_epoch or not is_same_leader)


def turn_to_leader(
    broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata, fetch: Fetch, change: AlterPartition
) -> None:
    """Adopt the leader epoch of `metadata` and the role in it; answers of earlier epochs are dropped.

    A leader forgets its followers when it steps down. Before KAFKA-13778 it keeps them until it leads again, and names
    read replicas by them.
    """
    is_same_leader = broker.leader == metadata.leader
    if not keeps_followers(broker, rules, broker_id, metadata):
        if metadata.leader == broker_id or rules.only_leader_names_read_replica:
            forget_followers(broker)
    broker.has_log = True
    broker.topic_id = metadata.topic_id
    broker.leader_epoch = metadata.leader_epoch
    broker.leader = metadata.leader
    broker.partition_epoch = metadata.partition_epoch
    broker.isr = metadata.isr
    broker.pending_isr = Ids()
    broker.leader_epoch_start_offset = 0
    if change.stage == Stage.ANSWERED:
        clear(change)
    if fetch.stage == Stage.ANSWERED and drops_answer(rules, is_same_leader):
        clear(fetch)
    if broker.is_log_offline and rules.offline_log_is_not_replaced:
        broker.leader = NO_LEADER
    elif metadata.leader == broker_id:
        begin_leading(broker, rules, broker_id, metadata)
    elif metadata.leader != NO_LEADER:
        begin_following(broker, rules, is_same_leader)


def adopt_isr(broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata) -> None:
    """Adopt a newer ISR of the same leader epoch; a change that was proposed meanwhile is void."""
    broker.partition_epoch = metadata.partition_epoch
    broker.isr = metadata.isr
    broker.pending_isr = Ids()
    if is_leading(broker, broker_id):
        maybe_raise_high_watermark(broker, rules, broker_id, metadata)


def leave_partition(broker: Broker) -> None:
    """Delete the replica, and forget the partition."""
    drop_log(broker)
    broker.high_watermark_checkpoint = 0
    broker.has_log = False
    broker.topic_id = 0
    forget_partition(broker)


def has_other_topic(broker: Broker, metadata: Metadata) -> bool:
    """Whether the broker has a log of the same name that belongs to another topic than this change."""
    return broker.has_log and broker.topic_id != metadata.topic_id


def meet_other_topic(
    broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata, fetch: Fetch, change: AlterPartition
) -> None:
    """Turn to a topic although the broker still has the log of a topic that was deleted while it was down (KRaft era).

    The broker deletes the log as a stray. Before KAFKA-14616 it refuses the partition for good, because the ids differ
    (INCONSISTENT_TOPIC_ID). If logs do not name topic ids, it takes the log for that of the new topic.
    """
    if rules.stray_log_is_deleted:
        leave_partition(broker)
    if not has_other_topic(broker, metadata) or not rules.log_names_topic_id:
        turn_to_leader(broker, rules, broker_id, metadata, fetch, change)


def forget_partition(broker: Broker) -> None:
    """Forget the broker's in-memory state of the partition, except its log."""
    broker.leader_epoch = NO_EPOCH
    broker.leader = NO_LEADER
    broker.partition_epoch = 0
    broker.isr = Ids()
    broker.pending_isr = Ids()
    broker.leader_epoch_start_offset = 0
    broker.must_truncate = False
    broker.leads_since = NO_EPOCH
    forget_followers(broker)


def is_newer_version(broker: Broker, rules: ClusterRules, metadata: Metadata) -> bool:
    """Whether a broker adopts the record that it replays next, if the record has the leader epoch that it knows.

    Kafka's leader also adopts a change that it already knows from the answer to its request. It then forgets a newer
    proposal of its own, although the controller may still accept that proposal.
    """
    if metadata.partition_epoch == broker.partition_epoch:
        return metadata.partition_epoch > broker.metadata_offset and not rules.known_change_keeps_proposal
    return metadata.partition_epoch > broker.partition_epoch


def replay_up_to(
    broker: Broker,
    rules: ClusterRules,
    broker_id: int,
    metadata: Metadata,
    offset: int,
    fetch: Fetch,
    change: AlterPartition,
) -> None:
    """Replay the metadata log up to `offset`, as one change; `metadata` is the record there."""
    is_newer = is_newer_version(broker, rules, metadata)
    broker.metadata_offset = offset
    broker.controller_epoch = metadata.controller_epoch
    forget_unassigned(broker, metadata)
    if broker_id not in metadata.replicas:
        leave_partition(broker)
    elif has_other_topic(broker, metadata):
        meet_other_topic(broker, rules, broker_id, metadata, fetch, change)
    elif metadata.leader_epoch > broker.leader_epoch:
        turn_to_leader(broker, rules, broker_id, metadata, fetch, change)
    elif is_newer:
        adopt_isr(broker, rules, broker_id, metadata)


def replay_metadata(
    broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata, fetch: Fetch, change: AlterPartition
) -> bool:
    """Replay the next record of the metadata log (KRaft era).

    Who: any broker that runs.
    When: the log has a record that it has not replayed.
    Effect: in a new leader epoch it takes its role; it adopts a newer ISR of the same epoch; it deletes its replica if
        the partition is no longer assigned to it or the topic is deleted. A log left from another topic of the same
        name is a stray.
    Source: BrokerMetadataPublisher, ReplicaManager.applyDelta, LogManager.isStrayKraftReplica; KIP-500, KAFKA-14616.
    Left out: several records at once; see `replay_delta`.
    """
    replay_up_to(broker, rules, broker_id, metadata, broker.metadata_offset + 1, fetch, change)
    return True


def replay_delta(
    broker: Broker,
    rules: ClusterRules,
    broker_id: int,
    metadata: Metadata,
    offset: int,
    fetch: Fetch,
    change: AlterPartition,
) -> bool:
    """Replay all records of the metadata log up to `offset` as one change (KRaft era).

    Who: any broker that runs.
    When: the log has these records, and the broker has replayed none of them.
    Effect: as if the record at `offset` were the next one: the broker sees how the partition is after all of them, and
        nothing in between. A leader that is replaced and then elected again within the change does not step down.
    Source: MetadataLoader.handleCommit, MetadataBatchLoader, TopicDelta.localChanges; Partition.makeLeader.
    Left out: a topic that is deleted and created again within one change.
    """
    replay_up_to(broker, rules, broker_id, metadata, offset, fetch, change)
    if broker.leader != broker_id:
        broker.leads_since = NO_EPOCH
    elif broker.leads_since == NO_EPOCH:
        broker.leads_since = broker.leader_epoch
    return True


def can_obey(broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata) -> bool:
    """Whether a ZooKeeper-era broker accepts the broker epoch and controller epoch of a request to make this change.

    Kafka's errors are STALE_BROKER_EPOCH and STALE_CONTROLLER_EPOCH.
    """
    if not broker.is_running or is_broker_epoch_stale(broker, rules, broker_id, metadata):
        return False
    return metadata.controller_epoch >= broker.controller_epoch or not rules.leader_and_isr_checks_epochs


def is_broker_epoch_stale(broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata) -> bool:
    """Whether a ZooKeeper-era broker refuses a request to make this change because it names another broker epoch."""
    return rules.request_names_broker_epoch and metadata.broker_epochs[broker_id] != broker.broker_epoch


def obey_leader_and_isr(
    broker: Broker,
    rules: ClusterRules,
    broker_id: int,
    metadata: Metadata,
    offset: int,
    is_overtaken: bool,
    fetch: Fetch,
    change: AlterPartition,
) -> bool:
    """Receive a LeaderAndIsr request and obey it (ZooKeeper era).

    Who: any running broker to which the partition is assigned.
    When: the controller has made the change, and the request's broker epoch, controller epoch and leader epoch are not
        old. The controller sends nothing for a new partition, which has no ISR, or for a topic queued for deletion. A
        broker that has a log of another topic refuses (INCONSISTENT_TOPIC_ID). A broker that deleted its replica by a
        newer request has forgotten the leader epoch, but gets no older request, because the connection keeps the order.
        After a failed request, neither that request nor an older one comes again.
    Effect: the broker takes its role in that leader epoch. Before KAFKA-9839 the request fails, and is not sent again,
        if the broker does not know its own epoch yet.
    Source: ReplicaManager.becomeLeaderOrFollower; KAFKA-1188, KIP-380, KIP-516, KAFKA-9839.
    Left out: the loss of a request, because any request may arrive at any later time, after newer ones, or never.
    """
    if broker_id not in metadata.replicas or metadata.isr == Ids() or metadata.is_deleting != 0:
        return False
    if not can_obey(broker, rules, broker_id, metadata):
        return False
    if metadata.leader_epoch == broker.leader_epoch:
        return False
    if is_overtaken and (not broker.has_log or has_other_topic(broker, metadata)):
        return False
    if rules.log_names_topic_id and has_other_topic(broker, metadata):
        return False
    if offset <= broker.registration.refused_offset:
        return False
    if rules.leader_and_isr_checks_epochs and metadata.leader_epoch < broker.leader_epoch:
        return False
    if refuses_newer(broker, rules):
        broker.registration.refused_offset = offset
        return True
    broker.metadata_offset = offset
    broker.controller_epoch = max(broker.controller_epoch, metadata.controller_epoch)
    turn_to_leader(broker, rules, broker_id, metadata, fetch, change)
    return True


def obey_new_controller(
    broker: Broker,
    rules: ClusterRules,
    broker_id: int,
    metadata: Metadata,
    offset: int,
    controller_epoch: int,
    fetch: Fetch,
    change: AlterPartition,
) -> bool:
    """Receive the first LeaderAndIsr request of a new controller and obey it (ZooKeeper era).

    Who: any running broker to which the partition is assigned.
    When: the broker does not know the active controller's epoch. A new controller sends each broker every partition as
        it is on record, even of a topic queued for deletion. A broker refuses if it has a log of another topic, or if
        it has restarted since.
    Effect: the broker knows the controller epoch. If the leader epoch is new to the broker, it takes its role. A broker
        that has deleted its replica has forgotten the leader epoch, so it gets an empty replica until it is asked again
        to delete it.
    Source: KafkaController.onControllerFailover, ReplicaStateMachine.startup; ReplicaManager.makeFollowers
        (KAFKA-1647), which makes a log although nobody leads.
    Left out: a partition without a leader on record: the controller sends nothing for it.
    """
    if not broker.is_running or broker.controller_epoch >= controller_epoch:
        return False
    if is_broker_epoch_stale(broker, rules, broker_id, metadata):
        return False
    if broker_id not in metadata.replicas or metadata.isr == Ids():
        return False
    if rules.log_names_topic_id and has_other_topic(broker, metadata):
        return False
    broker.controller_epoch = controller_epoch
    if metadata.leader_epoch > broker.leader_epoch:
        broker.metadata_offset = offset
        turn_to_leader(broker, rules, broker_id, metadata, fetch, change)
    return True


def obey_stop_replica(
    broker: Broker, rules: ClusterRules, broker_id: int, metadata: Metadata, offset: int, is_overtaken: bool
) -> bool:
    """Receive a StopReplica request and delete the replica (ZooKeeper era).

    Who: a running broker to which the partition was assigned before the change, or whose topic is being deleted.
    When: the request's broker epoch, controller epoch and leader epoch are not old, and the broker has left the ISR,
        too. A request to delete the topic names no leader epoch (EpochDuringDelete), but the connection keeps its
        order. Before KAFKA-6650 no request is sent for a partition that has no leader on record.
    Effect: the replica is deleted, and the partition forgotten. A broker without a replica answers as well.
    Source: ReplicaManager.stopReplicas; KIP-570, KIP-380; TopicDeletionManager.onPartitionDeletion; KAFKA-6650
        (ReplicaStateMachine: OfflineReplica).
    Left out: StopReplica without deletion, which only ends fetching.
    """
    if metadata.replicas == Ids() or not can_obey(broker, rules, broker_id, metadata):
        return False
    if is_overtaken and has_other_topic(broker, metadata):
        return False
    if metadata.is_deleting != 0:
        if broker_id not in metadata.replicas or is_overtaken:
            return False
        if metadata.isr == Ids() and not rules.unled_replica_is_deleted:
            return False
        if offset <= broker.metadata_offset and not broker.has_log:
            return False
    elif broker_id in metadata.replicas | metadata.isr or not broker.has_log:
        return False
    elif rules.stop_replica_checks_epoch and metadata.leader_epoch < broker.leader_epoch:
        return False
    broker.metadata_offset = max(broker.metadata_offset, offset)
    broker.controller_epoch = max(broker.controller_epoch, metadata.controller_epoch)
    leave_partition(broker)
    return True
