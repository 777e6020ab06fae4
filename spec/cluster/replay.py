"""How brokers of the KRaft era replay the metadata log, if they may read several records as one change.

Part of Kafka judged: `ReplicaManager.applyDelta`, `Partition.makeLeader`, by brokers before and after a step.
Source: the issues named below, and the findings of `tests/kafka/findings`.
Left out, and why that is sound: brokers of the ZooKeeper era, whose leaders may skip requests, too;
`spec/cluster/properties.py` judges them by the records that are lost.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.enums import Acks, Question, Stage
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.system import State


def leaders_know_since_when(before: State, after: State) -> bool:
    """A leader's `leads_since` is the epoch in which it began to lead, even if it has been elected again since.

    Lost if it fails: a leader answers the producers of an epoch in which another broker led.
    Source: `Partition.makeLeader` (`isNewLeader`).
    """
    for broker_id, (broker, now) in enumerate(zip(before.brokers, after.brokers)):
        if broker.metadata_offset != now.metadata_offset:
            begun = NO_EPOCH
            if now.leader == broker_id:
                begun = now.leader_epoch if broker.leads_since == NO_EPOCH else broker.leads_since
            if now.leads_since != begun:
                return False
    return True


def new_leaders_know_no_follower(before: State, after: State, rules: ClusterRules) -> bool:
    """A broker that turns to another leader epoch knows no end offset of a follower, unless it is elected again.

    With `skipped_epoch_forgets_followers` (finding F1) it then keeps those end offsets only if no leader epoch lies in
    between.

    Lost if it fails: a leader commits by what a follower had before it followed another leader.
    Source: `Partition.makeLeader`, `Replica.resetReplicaState`; KAFKA-7164.
    """
    for broker_id, (broker, now) in enumerate(zip(before.brokers, after.brokers)):
        if now.is_running and now.leader_epoch != broker.leader_epoch:
            goes_on = broker.leads_since != NO_EPOCH and now.leader == broker_id
            if rules.skipped_epoch_forgets_followers and now.leader_epoch != broker.leader_epoch + 1:
                goes_on = False
            for was_known, known in zip(broker.followers, now.followers):
                if known.end_offset != (was_known.end_offset if goes_on else NO_OFFSET):
                    return False
    return True


def awaited_records_are_acknowledged(before: State, after: State, rules: ClusterRules) -> bool:
    """A leader whose high watermark passes a record acknowledges it, if it has led ever since the record's epoch.

    The ISR must have min.insync.replicas members.

    Lost to users: a producer waits in vain for the answer to a record that is committed.
    Source: `ReplicaManager.delayedProducePurgatory`; `Partition.checkEnoughReplicasReachOffset`.
    """
    for broker_id, (leader, now) in enumerate(zip(before.brokers, after.brokers)):
        leads_on = now.is_running and now.leader == broker_id and leader.leads_since != NO_EPOCH
        if leads_on and rules.acks == Acks.ALL and len(now.isr | now.pending_isr) >= rules.min_insync_replicas:
            for offset in range(leader.high_watermark, now.high_watermark):
                record = now.log.records[offset]
                if record.epoch >= leader.leads_since and after.producers.acknowledged[record.id] != offset:
                    return False
    return True


def replayed_metadata(state: State) -> bool:
    """Some broker has replayed all changes of the metadata log."""
    return any(broker.is_running and broker.metadata_offset == state.controller.offset > 0 for broker in state.brokers)


def known_changes_void_no_proposal(before: State, after: State, rules: ClusterRules) -> bool:
    """A leader that replays a change keeps its proposed ISR if it knows this version, or a newer one.

    A change that it does not know makes the proposal void. In Kafka, so does a change that it knows from the answer to
    its request (finding F10).

    Lost if it fails: the leader commits without a member that the controller may yet let into the ISR.
    Source: `Partition.makeLeader`, `Partition.updateAssignmentAndIsr`.
    """
    for broker_id, (broker, now) in enumerate(zip(before.brokers, after.brokers)):
        is_same = broker.is_running and now.is_running and broker.leader_epoch == now.leader_epoch
        if is_same and now.leader == broker_id and broker.metadata_offset < now.metadata_offset:
            version = before.controller.history[now.metadata_offset].partition_epoch
            is_void = version > broker.partition_epoch
            if version == broker.partition_epoch and not rules.known_change_keeps_proposal:
                is_void = version > broker.metadata_offset
            if now.pending_isr != (Ids() if is_void else broker.pending_isr):
                return False
    return True


def only_assigned_followers_are_answered(before: State, after: State) -> bool:
    """A leader answers a fetch only if the partition is assigned to the follower, as far as the leader has replayed.

    Lost if it fails: a broker that is to have no replica goes on to copy the partition.
    Source: `Partition.fetchRecords` (NOT_LEADER_OR_FOLLOWER, UNKNOWN_TOPIC_OR_PARTITION); `getReplicaOrException`.
    """
    for follower_id, (fetch, answer) in enumerate(zip(before.fetches, after.fetches)):
        is_answered = fetch.stage == Stage.REQUESTED and answer.stage == Stage.ANSWERED
        if is_answered and fetch.question == Question.FETCH:
            leader = before.brokers[fetch.leader]
            if follower_id not in before.controller.history[leader.metadata_offset].replicas:
                return False
    return True


def fetches_of_former_starts_are_dropped(before: State, after: State) -> bool:
    """A leader gives no record to a follower that has registered again since it asked, as far as the leader knows.

    Lost if it fails: the leader counts what the follower had before it lost its disk.
    Source: KIP-903; `Replica.updateFetchStateOrThrow`.
    """
    for follower_id, (fetch, answer) in enumerate(zip(before.fetches, after.fetches)):
        is_answered = fetch.stage == Stage.REQUESTED and answer.stage == Stage.ANSWERED
        if is_answered and fetch.question == Question.FETCH and answer.record_epoch != NO_EPOCH:
            metadata = before.controller.history[before.brokers[fetch.leader].metadata_offset]
            if follower_id in metadata.active and fetch.broker_epoch < metadata.broker_epochs[follower_id]:
                return False
    return True


def only_leaders_know_followers(before: State, after: State) -> bool:
    """Only a broker that leads takes a follower's end offset from a fetch.

    Lost if it fails: the broker commits by it when it leads in a later epoch.
    Source: `Partition.updateFollowerFetchState`.
    """
    for broker_id, (broker, now) in enumerate(zip(before.brokers, after.brokers)):
        if broker.leader != broker_id:
            for was_known, known in zip(broker.followers, now.followers):
                if known.end_offset != was_known.end_offset and known.end_offset != NO_OFFSET:
                    return False
    return True
