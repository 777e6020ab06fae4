"""The guarantees for a topic after another one of the same name was deleted.

Part of Kafka judged: `impl/controller/topics.py`, and `impl/broker` as far as it tells topics apart, by their records
only.
Source: KIP-516; the issues named below.
Left out, and why that is sound: producers that mean the new topic and write to the old one, because requests by name
cannot tell (KAFKA-10551 has it for transactions).
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import Propagation, Question, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_LEADER, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def records_stay_in_their_topic(state: State) -> bool:
    """A log has only records that the leaders of its own topic appended.

    Lost to users: consumers of a topic get records that were written to a deleted one, and the records written to
    the topic at those offsets may be gone.
    Source: KIP-516 (motivation: a broker that was down while its partition was reassigned, and keeps the log).
    """
    return all(
        state.producers.topic_ids[broker.log.records[offset].id] == broker.topic_id
        for broker in state.brokers
        for offset in range(broker.log_start_offset, broker.log.end_offset)
    )


def topics_begin_empty(before: State, after: State) -> bool:
    """A new replica of a topic begins without a record, and with nothing committed.

    Lost if it fails: the new topic's committed log begins with records that were never written to it.
    Source: KIP-516.
    """
    for broker, now in zip(before.brokers, after.brokers):
        if now.has_log and (not broker.has_log or broker.topic_id != now.topic_id):
            if now.log.end_offset != 0 or now.high_watermark != 0:
                return False
    return True


def fetches_stay_in_their_topic(before: State, after: State) -> bool:
    """A leader learns nothing from a fetch for a topic other than its replica's.

    Lost if it fails: a follower that had records of the old topic counts as having as many of the new one; the high
    watermark rises over records that it does not have.
    Source: KIP-516, KAFKA-10580.
    """
    return all(
        after.brokers[fetch.leader].followers[follower_id].end_offset
        <= before.brokers[fetch.leader].followers[follower_id].end_offset
        for follower_id, fetch in enumerate(before.fetches)
        if fetch.stage == Stage.REQUESTED and fetch.question == Question.FETCH and fetch.leader != NO_LEADER
        if fetch.topic_id != before.brokers[fetch.leader].topic_id
        and after.fetches[follower_id].stage != Stage.REQUESTED
    )


def topic_ids_are_new(before: State, after: State) -> bool:
    """A topic keeps its id as long as it exists, and no id is given twice.

    Lost if it fails: a topic cannot be told from one that was deleted.
    Source: KIP-516.
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if was.replicas != Ids() and now.replicas == Ids():
        return now.topic_id == was.topic_id + 1
    return now.topic_id == was.topic_id


def topics_are_recorded_anew(state: State) -> bool:
    """A topic takes over nothing on record from a deleted one of the same name.

    Nothing is on record of a topic that does not exist. A topic that was created and not changed since has no eligible
    leader replicas, no last known leader, no reassignment under way, and no recovering leader.

    Lost if it fails: a broker that never had a record of the topic is elected cleanly, or a leader waits for ever to
    recover from an election of another topic.
    Source: KIP-966, KIP-704; ReplicationControlManager (createTopic, replay of RemoveTopicRecord).
    """
    metadata = state.controller.history[state.controller.offset]
    if metadata.replicas == Ids() and (metadata.isr != Ids() or metadata.leader != NO_LEADER):
        return False
    if metadata.replicas != Ids() and (metadata.topic_id == 0 or metadata.partition_epoch != 0):
        return True
    if metadata.elr != Ids() or metadata.is_recovering or state.controller.last_known_leader != NO_LEADER:
        return False
    return metadata.target == metadata.replicas and metadata.adding == Ids()


def deletion_awaits_replicas(before: State, after: State, rules: ClusterRules) -> bool:
    """In the ZooKeeper era a topic is gone only when no broker of its assignment has a log of it.

    Before that it is queued for deletion, and has no leader.

    Lost if it fails: a topic of the same name is created while brokers have the log of the old one, which they take for
    its log.
    Source: TopicDeletionManager; KIP-516 (motivation).
    """
    was = before.controller.history[before.controller.offset]
    now = after.controller.history[after.controller.offset]
    if rules.propagation != Propagation.LEADER_AND_ISR:
        return now.is_deleting == 0
    if now.is_deleting != 0:
        return now.leader == NO_LEADER
    if now.topic_id == was.topic_id:
        return was.is_deleting == 0
    return (
        all(
            broker.topic_id != was.topic_id
            for broker_id, broker in enumerate(before.brokers)
            if broker_id in was.replicas
            if broker.has_log
        )
        and was.is_deleting != 0
    )


def zombie_awaited_replicas(before: State, after: State) -> bool:
    """A controller that is deposed while it removes a topic had awaited the brokers, too (ZooKeeper era).

    Lost if it fails: nothing yet, because its write fails; but a controller does not wait for brokers as it should.
    Source: TopicDeletionManager.
    """
    was = before.controller.history[before.controller.offset]
    if after.controller.zombie_deletes <= before.controller.zombie_deletes:
        return True
    return (
        all(
            broker.topic_id != was.topic_id
            for broker_id, broker in enumerate(before.brokers)
            if broker_id in was.replicas
            if broker.has_log
        )
        and was.is_deleting != 0
    )


def deleted_topics_stay_deleted(before: State, after: State) -> bool:
    """No broker gets a replica of a topic that is gone from the record (ZooKeeper era).

    Lost if it fails: the broker keeps a log that no controller will ask it to delete, and refuses the next topic of
    that name because of it.
    Source: TopicDeletionManager, which waits for every answer to its own request; KIP-516 (INCONSISTENT_TOPIC_ID).
    """
    topic_id = before.controller.history[before.controller.offset].topic_id
    return all(
        broker.topic_id >= topic_id
        for old_broker, broker in zip(before.brokers, after.brokers)
        if broker.has_log
        if not old_broker.has_log
    )


def replicas_are_deleted_when_told(before: State, after: State, rules: ClusterRules) -> bool:
    """A running broker deletes its replica only by metadata that takes the replica from it.

    Such metadata assigns the partition to other brokers; or it queues the topic for deletion, and the broker is among
    those asked. In the KRaft era a broker has no replica once it has replayed that the partition is not assigned to it.

    Lost if it fails: a copy that the controller counts on is gone; or a broker keeps following, and its disk fills with
    a partition that is not assigned to it.
    Source: ReplicaManager.stopReplicas, applyDelta; KIP-570, KAFKA-13198.
    """
    for broker_id, broker in enumerate(before.brokers):
        now = after.brokers[broker_id]
        replays = rules.propagation == Propagation.METADATA_LOG and now.broker_epoch == broker.broker_epoch
        if replays and now.metadata_offset > broker.metadata_offset and now.has_log:
            if broker_id not in before.controller.history[now.metadata_offset].replicas:
                return False
        if broker.has_log and not now.has_log and broker.is_running and now.is_running:
            metadata = before.controller.history[now.metadata_offset]
            if (broker_id in metadata.replicas) != (metadata.is_deleting != 0):
                return False
    return True


def assigned_brokers_take_part(state: State, rules: ClusterRules) -> bool:
    """In the KRaft era a running broker that has replayed everything leads or follows if it is assigned.

    Lost if it fails: the partition has too few copies for good: the broker refuses it because of a log that is never
    removed.
    Source: KAFKA-14616. The issue is about liveness; a single state shows only this part.
    """
    metadata = state.controller.history[state.controller.offset]
    if rules.propagation != Propagation.METADATA_LOG or metadata.leader == NO_LEADER:
        return True
    return all(
        broker.leader_epoch != NO_EPOCH and broker.topic_id == metadata.topic_id
        for broker_id, broker in enumerate(state.brokers)
        if (broker.is_running and broker.metadata_offset == state.controller.offset)
        and broker.broker_epoch == metadata.broker_epochs[broker_id]
        and broker_id in metadata.replicas
    )


def knows_older_topic(state: State) -> bool:
    """A consumer has the metadata of a deleted topic, and a newer topic of the same name has a leader."""
    metadata = state.controller.history[state.controller.offset]
    if metadata.leader == NO_LEADER or state.consumer.leader == NO_LEADER:
        return False
    return state.consumer.topic_id != metadata.topic_id


def knows_newest_topic(state: State) -> bool:
    """A consumer has the metadata of the newest topic of that name, or no such topic has a leader."""
    return not knows_older_topic(state)


def new_topic_commits(state: State) -> bool:
    """A topic that was created under the name of a deleted one has an acknowledged record.

    Without an example no record of the new topic can be lost.
    """
    metadata = state.controller.history[state.controller.offset]
    return any(
        metadata.leader != NO_LEADER and metadata.topic_id > 0
        for record in range(len(state.producers.acknowledged))
        if state.producers.acknowledged[record] != NO_OFFSET and state.producers.topic_ids[record] > 0
    )


def deletion_is_queued(state: State) -> bool:
    """A topic is queued for deletion (ZooKeeper era)."""
    return state.controller.history[state.controller.offset].is_deleting != 0


def deletion_is_over(state: State) -> bool:
    """No topic is queued for deletion."""
    return not deletion_is_queued(state)


def deletion_changes_hands(state: State) -> bool:
    """The controller that queued a topic for deletion is deposed.

    Without an example no deletion is ever resumed.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.is_deleting != 0 and metadata.controller_epoch != state.controller.epoch


def new_controller_is_known(state: State) -> bool:
    """A broker has heard of a controller that has changed nothing yet.

    Without an example the first request of a new controller is always late.
    """
    controller = state.controller
    if controller.history[controller.offset].controller_epoch == controller.epoch:
        return False
    return any(broker.controller_epoch == controller.epoch for broker in state.brokers)


def unled_topic_is_deleted(state: State) -> bool:
    """A topic that never had a leader is queued for deletion. Without an example every such topic had one."""
    metadata = state.controller.history[state.controller.offset]
    return metadata.is_deleting != 0 and metadata.isr == Ids()


def deleted_replica_is_told_again(state: State) -> bool:
    """A broker has a replica again of a topic that is queued for deletion.

    The reason is that a new controller has told it of every partition. Without an example a new controller could rely
    on the answers to its predecessor.
    """
    return any(
        broker.is_running and broker.has_log and state.controller.history[broker.metadata_offset].is_deleting != 0
        for broker in state.brokers
    )


def zombie_may_delete_new_topic(state: State) -> bool:
    """A zombie controller is about to remove a topic, and a new topic of the same name exists.

    Without an example the writes of a zombie are never tested.
    """
    metadata = state.controller.history[state.controller.offset]
    return state.controller.zombie_deletes != 0 and metadata.replicas != Ids() and metadata.is_deleting == 0


def eligible_replicas_are_forgotten(state: State) -> bool:
    """A topic exists, and metadata that brokers can still read has an older one of its name with eligible replicas.

    Without an example a deleted topic never had any.
    """
    controller = state.controller
    for offset in range(controller.offset):
        was = controller.history[offset]
        if was.elr != Ids() and was.topic_id < controller.history[controller.offset].topic_id:
            return controller.history[controller.offset].replicas != Ids()
    return False


def recovery_is_forgotten(state: State) -> bool:
    """A topic exists, and metadata that brokers can still read has an older one of its name with a recovering leader.

    That leader had not recovered from an unclean election. Without an example no deleted topic was recovering.
    """
    controller = state.controller
    for offset in range(controller.offset):
        was = controller.history[offset]
        if was.is_recovering and was.topic_id < controller.history[controller.offset].topic_id:
            return controller.history[controller.offset].replicas != Ids()
    return False


def new_topic_has_eligible(state: State) -> bool:
    """A topic under the name of a deleted one has eligible leader replicas and an empty ISR.

    Without an example the choice of eligible leader replicas is never tested.
    """
    metadata = state.controller.history[state.controller.offset]
    return metadata.topic_id > 0 and metadata.isr == Ids() and metadata.elr != Ids()


def answer_of_last_deletion(state: State) -> bool:
    """A topic is queued for deletion, and a broker's newest answer is to the deletion of the topic before.

    That answer says that the broker has deleted its replica. Without an example no answer could be taken for one to
    another deletion.
    """
    metadata = state.controller.history[state.controller.offset]
    for broker_id in range(len(state.brokers)):
        known = state.controller.history[state.brokers[broker_id].metadata_offset]
        if metadata.is_deleting != 0 and known.is_deleting != 0 and known.topic_id < metadata.topic_id:
            return True
    return False


def deletion_waits(state: State) -> bool:
    """A stopped broker has a log of the topic that is being deleted. Without an example no deletion waits."""
    metadata = state.controller.history[state.controller.offset]
    return any(
        not broker.is_running and broker.has_log
        for broker_id, broker in enumerate(state.brokers)
        if metadata.is_deleting != 0 and broker_id in metadata.replicas
    )


def left_over_log(state: State) -> bool:
    """A running broker has records of a deleted topic, and a topic of the same name is assigned to it.

    Without an example no broker ever has to tell two topics apart.
    """
    metadata = state.controller.history[state.controller.offset]
    return any(
        broker.topic_id < metadata.topic_id and broker_id in metadata.replicas
        for broker_id, broker in enumerate(state.brokers)
        if broker.is_running and broker.has_log and broker.log.end_offset > 0 and metadata.leader != NO_LEADER
    )
