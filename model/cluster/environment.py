"""Disturbances of a cluster: no process of Kafka causes them, and each is charged to a budget.

Delay and overtaking need no action here: a request or answer stays in its slot until a process takes it, and a
LeaderAndIsr request may arrive at any later time. Healing is free: fetching again, restarting and unfencing cost
nothing.
"""

from kafkacheck.checker.schema import Ids, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.broker.epoch_file import force_epochs, has_epoch_file
from kafkacheck.impl.broker.fetch_session import end_session
from kafkacheck.impl.broker.isr import propose_isr
from kafkacheck.impl.broker.leader import is_leading
from kafkacheck.impl.broker.recovery import lose_disk, lose_unflushed
from kafkacheck.impl.controller.brokers import begin_shutdown, take_out
from kafkacheck.impl.controller.configuration import lower_min_insync_replicas, raise_min_insync_replicas
from kafkacheck.impl.controller.elections import elect_preferred, replace_controller
from kafkacheck.impl.controller.reassignment import (
    begin_reassignment,
    cancel_reassignment,
    redirect_reassignment,
    replace_reassignment,
)
from kafkacheck.impl.controller.topics import begin_deletion
from kafkacheck.impl.enums import Question, Stage
from kafkacheck.impl.ids import NO_OFFSET, LogOffset, OptionalReplicaId, ReplicaId, ReplicaSet
from kafkacheck.impl.log.reading import end_of
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.controller import deleted_replicas
from kafkacheck.model.cluster.replication import leader_proposes_shrink
from kafkacheck.model.cluster.system import State, has_room, stop_process


def found_partition(state: State, replicas: Ids, isr: Ids) -> None:
    """Let broker 0 lead the empty partition in leader epoch 0; all brokers are active, and replicas know the leader."""
    metadata = state.controller.history[0]
    metadata.leader = 0
    metadata.isr = isr
    metadata.replicas = replicas
    metadata.target = replicas
    metadata.active = Ids(range(len(state.brokers)))
    for broker_id, broker in enumerate(state.brokers):
        broker.is_running = True
        if broker_id in replicas:
            broker.has_log = True
            broker.leader = 0
            broker.leader_epoch = 0
            broker.isr = isr
    state.brokers[0].epoch_starts[0] = 0
    force_epochs(state.brokers[0])


def start_without_partition(state: State) -> bool:
    """Begin with every broker active, and no partition."""
    for broker_id in range(len(state.brokers)):
        state.brokers[broker_id].is_running = True
    state.controller.history[0].active = Ids(range(len(state.brokers)))
    return True


def start_in_sync(state: State) -> bool:
    """Begin with every broker in the ISR."""
    found_partition(state, Ids(range(len(state.brokers))), Ids(range(len(state.brokers))))
    return True


def start_in_sync_by_low_min_isr(state: State) -> bool:
    """Begin with every broker in the ISR, and min.insync.replicas one below the value that the rules give."""
    start_in_sync(state)
    state.controller.history[0].is_min_isr_lowered = 1
    return True


def start_in_sync_with_deltas(state: State) -> bool:
    """Begin with every broker in the ISR; brokers replay several records of the metadata log as one change."""
    start_in_sync(state)
    state.brokers[0].leads_since = 0
    return True


def start_in_sync_in_format(state: State, rules: ClusterRules) -> bool:
    """Begin with every broker in the ISR; the first leader's epoch is in its leader-epoch file if it keeps one."""
    found_partition(state, Ids(range(len(state.brokers))), Ids(range(len(state.brokers))))
    if not has_epoch_file(rules):
        state.brokers[0].epoch_starts[0] = NO_OFFSET
    return True


def start_alone(state: State) -> bool:
    """Begin with the leader alone in the ISR."""
    found_partition(state, Ids(range(len(state.brokers))), Ids({0}))
    return True


def start_with_laggard(state: State) -> bool:
    """Begin with every broker but the last in the ISR."""
    found_partition(state, Ids(range(len(state.brokers))), Ids(range(len(state.brokers) - 1)))
    return True


def start_with_spare(state: State) -> bool:
    """Begin with the leader alone in the ISR, and the last broker without a replica."""
    found_partition(state, Ids(range(len(state.brokers) - 1)), Ids({0}))
    return True


def process_crashes(state: State, broker_id: ReplicaId) -> bool:
    """A broker's process ends at once; the records that it wrote stay in the page cache.

    When: the broker runs; a crash is left.
    Effect: the broker stops, and loses its memory.
    Source: the process is killed.
    """
    if not state.brokers[broker_id].is_running:
        return False
    stop_process(state, broker_id)
    return True


def power_fails(state: State, broker_id: ReplicaId, end_offset: LogOffset) -> bool:
    """A broker's machine loses power, and the broker loses any suffix of its unflushed records.

    When: the broker runs; a power loss is left; `end_offset` lies between the flushed offset and the log's end.
    Effect: the broker stops, and its log ends at `end_offset`.
    Source: asynchronous flush (`log.flush.interval.messages`).
    Left out: files that lose more than the log does.
    """
    broker = state.brokers[broker_id]
    if not broker.is_running:
        return False
    if end_offset < broker.flushed_offset or end_offset > end_of(broker.log):
        return False
    stop_process(state, broker_id)
    lose_unflushed(broker, end_offset)
    return True


def disk_is_replaced(state: State, broker_id: ReplicaId) -> bool:
    """A broker outside the ISR stops and comes back with an empty disk.

    When: the broker runs and is not in the ISR of the controller's record; a disk loss is left.
    Effect: the broker stops, and its disk is empty.
    Source: KIP-903.
    Left out: members of the ISR: the disk of an only member takes the data with it under every protocol.
    """
    if broker_id in state.controller.history[state.controller.offset].isr:
        return False
    return lose_disk_of(state, broker_id)


def lose_disk_of(state: State, broker_id: int) -> bool:
    """Stop a running broker and remove its log; return whether it did."""
    broker = state.brokers[broker_id]
    if not broker.is_running:
        return False
    stop_process(state, broker_id)
    lose_disk(broker)
    return True


def disk_fails(state: State, broker_id: ReplicaId) -> bool:
    """The disk with a broker's log fails; the broker stops, and can start without that disk.

    When: the broker runs; a disk loss is left.
    Effect: the broker stops, and its log cannot be read.
    Source: KAFKA-16234; KIP-858.
    Left out: a repair of the disk.
    """
    if not lose_disk_of(state, broker_id):
        return False
    state.brokers[broker_id].is_log_offline = True
    return True


def reassignment_is_asked(state: State, rules: ClusterRules, bounds: Bounds, target: ReplicaSet) -> bool:
    """An operator moves the partition to other brokers.

    When: no other reassignment is under way; a move is left.
    Effect: the reassignment begins, and ends at once if the whole target is in sync.
    Source: AlterPartitionReassignments; KIP-455.
    """
    if not has_room(state) or not begin_reassignment(state.controller, rules, bounds, target):
        return False
    if bounds.noted_targets != 0:
        state.asked = target
    return True


def reassignment_is_replaced(state: State, rules: ClusterRules, bounds: Bounds, target: ReplicaSet) -> bool:
    """An operator moves the partition to other brokers than those of the reassignment under way.

    When: a reassignment is under way; a move is left.
    Effect: the reassignment goes on with another target, and ends at once if that is in sync.
    Source: AlterPartitionReassignments; KIP-455.
    Left out: a request without brokers; see `reassignment_is_cancelled`.
    """
    if not has_room(state):
        return False
    if not replace_reassignment(state.controller, rules, bounds, target):
        if not redirect_reassignment(state.controller, rules, bounds, target):
            return False
    if bounds.noted_targets != 0:
        state.asked = target
    return True


def reassignment_is_cancelled(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """An operator takes back the reassignment under way (KRaft era).

    When: a reassignment is under way, and a replica that it did not add is in the ISR; a move is left.
    Effect: the partition has the replicas from before.
    Source: AlterPartitionReassignments without brokers; ReplicationControlManager.cancelPartitionReassignment.
    Left out: nothing; see `impl/controller/reassignment.py`.
    """
    if not has_room(state) or not cancel_reassignment(state.controller, rules):
        return False
    if bounds.noted_targets != 0:
        state.asked = Ids()
    return True


def topic_deletion_is_asked(state: State, rules: ClusterRules) -> bool:
    """An operator deletes the topic.

    When: the topic exists and is not queued for deletion; a deletion is left.
    Effect: in the KRaft era the topic is gone from the controller's record; in the ZooKeeper era its deletion begins.
    Source: DeleteTopics; ReplicationControlManager.deleteTopic, TopicDeletionManager.onTopicDeletion.
    """
    return has_room(state) and begin_deletion(state.controller, rules)


def min_isr_is_lowered(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """An operator lowers min.insync.replicas of the topic.

    When: min.insync.replicas is above 1; a change of it is left.
    Effect: the controller records it, and leaders hear of it like any change. No replica is eligible any more.
    Source: IncrementalAlterConfigs; KAFKA-16540.
    Left out: nothing; see `impl/controller/configuration.py`.
    """
    return has_room(state) and lower_min_insync_replicas(state.controller, rules, bounds)


def min_isr_is_raised(state: State, rules: ClusterRules, bounds: Bounds) -> bool:
    """An operator raises min.insync.replicas of the topic.

    When: min.insync.replicas is below the value that the rules give; a change of it is left.
    Effect: the controller records it, and leaders hear of it like any change. No replica is eligible any more.
    Source: IncrementalAlterConfigs; KAFKA-16540.
    Left out: nothing; see `impl/controller/configuration.py`.
    """
    return has_room(state) and raise_min_insync_replicas(state.controller, rules, bounds)


def session_expires(state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId) -> bool:
    """A running broker is cut off from the controller for so long that the controller takes it for dead.

    When: the broker runs and is active; an expiration is left.
    Effect: as when a broker fails, but the broker keeps running.
    Source: `broker.session.timeout.ms`, `zookeeper.session.timeout.ms`.
    """
    if not state.brokers[broker_id].is_running:
        return False
    return has_room(state) and take_out(state.controller, rules, broker_id, new_leader)


def follower_lags(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A follower is slow for so long that its leader proposes an ISR without it.

    Who: the world; a model with this action does not have `leader_proposes_shrink`.
    When: the leader may propose that ISR; an expiration is left.
    Effect: the leader sends its request.
    Source: `replica.lag.time.max.ms`.
    """
    return leader_proposes_shrink(state, rules, leader_id, follower_id)


def shutdown_is_asked(state: State, rules: ClusterRules, broker_id: ReplicaId, new_leader: OptionalReplicaId) -> bool:
    """An operator stops a broker, which asks for its controlled shutdown.

    When: the broker runs and is active; an expiration is left.
    Effect: the controller moves the broker's leadership, and removes the broker from the ISR.
    Source: ControlledShutdownLeaderElectionStrategy; BrokerHeartbeatManager.
    """
    if not state.brokers[broker_id].is_running:
        return False
    return has_room(state) and begin_shutdown(state.controller, rules, broker_id, new_leader)


def leadership_is_moved(state: State, rules: ClusterRules, new_leader: ReplicaId) -> bool:
    """The controller elects another leader, or the same one again, although nothing failed.

    Why: a preferred election, or a reassignment that changes the assignment only.
    When: the replica is an active member of the ISR; a move is left.
    Effect: it leads in the next leader epoch.
    Source: PreferredReplicaPartitionLeaderElectionStrategy, PartitionChangeBuilder.
    """
    return has_room(state) and elect_preferred(state.controller, rules, new_leader)


def fetch_is_lost(state: State, follower_id: ReplicaId) -> bool:
    """A follower's request or the answer to it is lost.

    When: the request or answer is under way; a loss is left.
    Effect: the slot is free; the follower asks again in a new session.
    Source: a broken connection.
    """
    if state.fetches[follower_id].stage == Stage.IDLE:
        return False
    end_session(state.fetch_sessions[follower_id])
    clear(state.fetches[follower_id])
    return True


def fetch_connection_breaks(state: State, follower_id: ReplicaId) -> bool:
    """A follower gives up its connection and fetches again, while the leader still has the old fetch.

    When: the fetch request is under way, and no older one is; a loss is left.
    Effect: the follower's slot is free. The leader may read and count the old fetch at any later time, or never.
    Source: `replica.socket.timeout.ms`; a fetcher that is restarted with a new session.
    Left out: OffsetsForLeaderEpoch, from which a leader learns nothing.
    """
    fetch = state.fetches[follower_id]
    if fetch.stage != Stage.REQUESTED or fetch.question != Question.FETCH:
        return False
    old_fetch = state.old_fetches[follower_id]
    if old_fetch.stage != Stage.IDLE:
        return False
    end_session(state.fetch_sessions[follower_id])
    old_fetch.stage = fetch.stage
    old_fetch.topic_id = fetch.topic_id
    old_fetch.leader = fetch.leader
    old_fetch.leader_epoch = fetch.leader_epoch
    old_fetch.broker_epoch = fetch.broker_epoch
    old_fetch.offset = fetch.offset
    old_fetch.asked_epoch = fetch.asked_epoch
    clear(fetch)
    return True


def isr_answer_is_lost(state: State, leader_id: ReplicaId) -> bool:
    """The controller's answer to an ISR change is lost, and the leader sends the same change again.

    When: the answer is under way, and the leader still waits for it; a loss is left.
    Effect: the request is under way a second time. A lost request is the same as one that has not arrived yet.
    Source: a broken connection; AlterPartitionManager.
    """
    if state.alter_partitions[leader_id].stage != Stage.ANSWERED:
        return False
    leader = state.brokers[leader_id]
    if not is_leading(leader, leader_id) or leader.pending_isr == Ids():
        return False
    clear(state.alter_partitions[leader_id])
    propose_isr(leader, leader_id, state.alter_partitions[leader_id], leader.pending_isr)
    return True


def controller_is_replaced(state: State, rules: ClusterRules) -> bool:
    """Another controller is elected, and the old one does not notice.

    When: a fail-over is left; no deposed controller still acts.
    Effect: the next controller epoch begins; the old controller keeps its record.
    Source: `KafkaController.elect`; the Raft election of KRaft.
    Left out: a controller that notices, because it does nothing more.
    """
    if state.controller.zombie_offset != NO_OFFSET:
        return False
    stopped = Ids()
    for broker_id, broker in enumerate(state.brokers):
        if not broker.is_running:
            stopped |= {broker_id}
    replace_controller(state.controller, rules, stopped, deleted_replicas(state))
    return True


CHARGES = {
    process_crashes: "crashes",
    power_fails: "power_losses",
    disk_is_replaced: "disk_losses",
    disk_fails: "disk_losses",
    reassignment_is_asked: "moves",
    reassignment_is_replaced: "moves",
    reassignment_is_cancelled: "moves",
    topic_deletion_is_asked: "deletions",
    min_isr_is_lowered: "min_isr_changes",
    min_isr_is_raised: "min_isr_changes",
    session_expires: "expirations",
    follower_lags: "expirations",
    shutdown_is_asked: "expirations",
    leadership_is_moved: "moves",
    fetch_is_lost: "losses",
    fetch_connection_breaks: "losses",
    isr_answer_is_lost: "losses",
    controller_is_replaced: "failovers",
}
"""The allowance to which each disturbance of this file is charged."""
