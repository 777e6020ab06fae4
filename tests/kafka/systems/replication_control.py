"""Kafka's KRaft controller as a system: `ReplicationControlManager` with its cluster and configuration managers.

It judges what the controller of a cluster model writes about the partition and the brokers. Kafka numbers partition
epochs, broker epochs and metadata offsets by its own log, so the adapter keeps tables between both numberings.
"""

from typing import Any

import jvm

SESSION_MS = 1_000
TOPIC = "topic"
PREFERRED, UNCLEAN = 0, 1
NOBODY = -1
CHOOSING = ("controller_fences_broker", "session_expires", "shutdown_is_asked", "controller_elects_uncleanly")
"""Actions whose new leader Kafka chooses itself."""
NEWEST = "controller.history[controller.offset]"
PARTITION = ("leader", "leader_epoch", "told_epoch", "partition_epoch", "isr", "elr", "replicas", "target", "adding")
OTHERS = ("active", "is_recovering", "is_min_isr_lowered", "broker_epochs[*]")
ANSWER = ("stage", "error", "leader_epoch", "partition_epoch", "isr")
NEEDED_OF_BROKERS = ("is_running", "is_stopped_cleanly", "broker_epoch", "metadata_offset")
ELSEWHERE = "no part of the controller"


class ReplicationControl:
    """The controller of a cluster in the KRaft era, for one partition.

    `elects_at_once`: whether the topic allows unclean elections. Kafka makes them then within the change that takes the
    last leader away, or brings a broker back. The models take two steps for that, which leaves more to happen between;
    so the second one is an operator's request.
    """

    elects_at_once = False
    answers = tuple(f"alter_partitions[*].{field}" for field in ANSWER)
    observes = ("controller.offset", *(f"{NEWEST}.{field}" for field in (*PARTITION, *OTHERS)))
    needs = ("alter_partitions", *(f"brokers[*].{field}" for field in NEEDED_OF_BROKERS))

    def __init__(self, model: Any) -> None:
        if model.rules["propagation"] != "METADATA_LOG":
            raise ValueError("its rules are of the ZooKeeper era; expected a model with propagation=METADATA_LOG")
        self.prepare(range(model.bounds["replicas"]))
        self.rules = model.rules
        self.steps = {name: step for name, step in STEPS.items() if name in model.actions}
        self.acts = tuple(self.steps)
        self.chooses = {name: ["new_leader"] for name in CHOOSING if name in self.steps}
        self.silent = {name: ELSEWHERE for name in model.actions if name not in self.steps}
        self.not_judged = dict.fromkeys(("brokers", "controller.history", *tops(model.fields, "controller")), ELSEWHERE)

    def prepare(self, replicas: range) -> None:
        """Start the JVM, and look up what every controller needs."""
        jvm.started()
        self.replicas = replicas
        supported = jvm.java("org.apache.kafka.controller.QuorumFeatures").defaultSupportedFeatureMap(True)
        self.features = [(str(name), int(each.min()), int(each.max())) for name, each in supported.items()]
        self.schema = jvm.java("kafka.server.KafkaRaftServer").configSchema()

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a new controller that has the brokers and the partition of this state."""
        self.begin()
        self.door.activate()
        for broker in self.replicas:
            self._register(broker, is_clean=False)
            self._heartbeat(broker, replayed=self.door.offset())
        first = {path.removeprefix("controller.history[0]."): value for path, value in state.items()}
        self._found(first)
        self.log_offsets, self.partition_epochs = [self.door.offset()], [0]

    def begin(self) -> None:
        """Make a controller whose log has nothing but the features."""
        snapshots = jvm.java("org.apache.kafka.timeline.SnapshotRegistry")(jvm.moved("LogContext")())
        self.door = jvm.java("org.apache.kafka.controller.ControllerDoor")(self.schema, snapshots, SESSION_MS)
        self.topic_id = jvm.java("org.apache.kafka.common.Uuid").randomUuid()
        self.directories = {broker: jvm.java("org.apache.kafka.common.Uuid").randomUuid() for broker in self.replicas}
        self.offset = 0
        self.shown: dict[str, Any] = {}
        self.broker_epochs: dict[int, list[int]] = {broker: [] for broker in self.replicas}
        self._write("FeatureLevelRecord", setName="metadata.version", setFeatureLevel=_metadata_version())
        if self.rules["eligible_leader_replicas"]:
            self._write("FeatureLevelRecord", setName="eligible.leader.replicas.version", setFeatureLevel=1)

    def _found(self, metadata: dict[str, Any]) -> None:
        """Write the topic and its partition."""
        self._write("TopicRecord", setName=TOPIC, setTopicId=self.topic_id)
        for name, value in self._configuration().items():
            kinds = jvm.java("org.apache.kafka.common.config.ConfigResource").Type
            kind = {"setResourceType": kinds.TOPIC.id(), "setResourceName": TOPIC}
            self._write("ConfigRecord", **kind, setName=name, setValue=value)
        self._write(
            "PartitionRecord",
            setTopicId=self.topic_id,
            setPartitionId=0,
            setReplicas=jvm.int_list(metadata["replicas"]),
            setDirectories=jvm.listed(self.directories[each] for each in metadata["replicas"]),
            setIsr=jvm.int_list(metadata["isr"]),
            setLeader=NOBODY if metadata["leader"] is None else metadata["leader"],
            setLeaderEpoch=metadata["leader_epoch"],
            setPartitionEpoch=0,
        )

    def _configuration(self) -> dict[str, str]:
        """The settings of the topic."""
        return {
            "min.insync.replicas": str(self.rules["min_insync_replicas"]),
            "unclean.leader.election.enable": str(self.elects_at_once).lower(),
        }

    def act(self, action: str, parameters: dict[str, Any], known: dict[str, Any]) -> bool | dict[str, int]:
        """Let the controller do what the action says; whether it did, and the leader that it chose."""
        self.shown = {}
        self.known = known
        before = self.door.offset()
        if not self.steps[action](self, **parameters):
            return False
        if self.door.offset() > before:
            self.offset += 1
            self.log_offsets.append(self.door.offset())
            epoch = self.door.partition(self.topic_id).partitionEpoch
            if epoch >= len(self.partition_epochs):
                self.partition_epochs += [self.offset] * (epoch + 1 - len(self.partition_epochs))
        if action == "controller_alters_partition":
            self._show_answer(parameters["leader_id"])
        return {"new_leader": self._leader()} if action in CHOOSING else True

    def broker_starts(self, broker_id: int) -> bool:
        """A broker that has stopped registers."""
        if self.known[f"brokers[{broker_id}].is_running"]:
            return False
        return self._register(broker_id, bool(self.known[f"brokers[{broker_id}].is_stopped_cleanly"]))

    def controller_unfences_broker(self, broker_id: int) -> bool:
        """A fenced broker sends a heartbeat, and says how far it has replayed the metadata."""
        return self._unfence(broker_id, self.log_offsets[self.known[f"brokers[{broker_id}].metadata_offset"]])

    def controller_fences_broker(self, broker_id: int) -> bool:
        """No heartbeat comes of a broker for longer than a session, while the others send theirs."""
        was_active = bool(self.door.isActive(broker_id))
        self._end_session(broker_id)
        self.door.fenceStaleBrokers()
        return was_active and not self.door.isActive(broker_id)

    def shutdown_is_asked(self, broker_id: int) -> bool:
        """A broker asks for its controlled shutdown."""
        was_active = bool(self.door.isActive(broker_id))
        self._heartbeat(broker_id, self.door.offset(), wants_shutdown=True)
        return was_active and not self.door.isActive(broker_id)

    def controller_elects_uncleanly(self) -> bool:
        """An operator asks for an unclean election."""
        before = self.door.offset()
        self._elect(UNCLEAN)
        return bool(self.door.offset() > before) and self._leader() is not None

    def leadership_is_moved(self, new_leader: int) -> bool:
        """An operator puts a replica first in the assignment, and asks for a preferred election."""
        partition = self.door.partition(self.topic_id)
        if new_leader not in partition.isr or partition.leader in (NOBODY, new_leader):
            return False
        before = self.door.offset()
        self._reassign([new_leader, *(each for each in partition.replicas if each != new_leader)])
        self._elect(PREFERRED)
        return bool(self.door.offset() > before)

    def reassignment_is_asked(self, target: list[int]) -> bool:
        """An operator moves the partition to other brokers."""
        before = self.door.offset()
        self._reassign(target)
        return bool(self.door.offset() > before)

    def reassignment_is_replaced(self, target: list[int]) -> bool:
        """An operator moves the partition to other brokers than those of the reassignment under way.

        The models know no order, and elect the first id. Another order alone would be a change to Kafka, so an old
        target keeps its order. Kafka puts the brokers that it removes last, and goes on to remove them if the target
        has all replicas; so they are last in it.
        """
        partition = self.door.partition(self.topic_id)
        if partition is None:
            return False
        replicas, removing = [int(each) for each in partition.replicas], set(partition.removingReplicas)
        if set(target) in (set(replicas), set(replicas) - removing):
            ordered = [each for each in replicas if each in target]
        else:
            stay_removed = removing if set(replicas) <= set(target) else set()
            ordered = sorted(target, key=lambda each: (each in stay_removed, each))
        return self._reassign(ordered) == "NONE"

    def reassignment_is_cancelled(self) -> bool:
        """An operator takes back the reassignment under way; whether that was accepted."""
        return self._reassign(None) == "NONE"

    def min_isr_is_lowered(self) -> bool:
        """An operator lowers min.insync.replicas of the topic by one."""
        lowered = self.rules["min_insync_replicas"] - 1
        return bool(self.door.setTopicConfig(TOPIC, "min.insync.replicas", str(lowered)) == "NONE")

    def min_isr_is_raised(self) -> bool:
        """An operator raises min.insync.replicas of the topic again, to the value that the rules give."""
        raised = self.rules["min_insync_replicas"]
        return bool(self.door.setTopicConfig(TOPIC, "min.insync.replicas", str(raised)) == "NONE")

    def controller_alters_partition(self, leader_id: int) -> bool:
        """A leader's ISR change arrives."""
        asked = {
            path.partition("].")[2]: value
            for path, value in self.known.items()
            if path.startswith(f"alter_partitions[{leader_id}]")
        }
        if asked["stage"] != "REQUESTED":
            return False
        members = [
            jvm.message(
                "AlterPartitionRequestData$BrokerState",
                setBrokerId=member,
                setBrokerEpoch=self._epoch_of(member, asked[f"member_epochs[{member}]"]),
            )
            for member in asked["isr"]
        ]
        partition = jvm.message(
            "AlterPartitionRequestData$PartitionData",
            setPartitionIndex=0,
            setLeaderEpoch=asked["leader_epoch"],
            setNewIsrWithEpochs=jvm.listed(members),
            setPartitionEpoch=self._partition_epoch(asked["partition_epoch"]),
            setLeaderRecoveryState=0 if asked["ends_recovery"] or not self._is_recovering() else 1,
        )
        topic = jvm.message("AlterPartitionRequestData$TopicData", setTopicId=self.topic_id)
        topic.partitions().add(partition)
        request = jvm.message(
            "AlterPartitionRequestData",
            setBrokerId=leader_id,
            setBrokerEpoch=self._epoch_of(leader_id, asked["broker_epoch"]),
        )
        request.topics().add(topic)
        self.answer = jvm.result_of(lambda: self.door.alterPartition(request))
        return True

    def _show_answer(self, leader_id: int) -> None:
        error, answer = self.answer
        if error == "NONE":
            answer = answer.topics().get(0).partitions().get(0)
            error = jvm.error_name(answer.errorCode())
        path = f"alter_partitions[{leader_id}]."
        self.shown = {f"{path}stage": "ANSWERED", f"{path}error": known_error(error)}
        if error == "NONE":
            self.shown |= {
                f"{path}leader_epoch": int(answer.leaderEpoch()),
                f"{path}partition_epoch": self.partition_epochs[answer.partitionEpoch()],
                f"{path}isr": sorted(int(each) for each in answer.isr()),
            }

    def observe(self) -> dict[str, Any]:
        """The partition and the brokers as the controller has them now."""
        partition = self.door.partition(self.topic_id)
        shown = self._record(partition) | {
            "leader_epoch": int(partition.leaderEpoch),
            "told_epoch": int(partition.leaderEpoch),
            "partition_epoch": self.partition_epochs[partition.partitionEpoch],
            "active": [each for each in self.replicas if self.door.isActive(each)],
        }
        for broker in self.replicas:
            epoch = self.broker_epochs[broker].index(self.door.broker(broker).epoch())
            shown[f"broker_epochs[{broker}]"] = epoch
        return {"controller.offset": self.offset, **self.shown} | {
            f"{NEWEST}.{key}": value for key, value in shown.items()
        }

    def _record(self, partition: Any) -> dict[str, Any]:
        """The partition without its epochs."""
        replicas, removing = set(partition.replicas), set(partition.removingReplicas)
        leader = int(partition.leader)
        lowered = self.rules["min_insync_replicas"] - self.door.minInsyncReplicas(TOPIC)
        return {
            "leader": None if leader == NOBODY else leader,
            "isr": sorted(partition.isr),
            "elr": sorted(partition.elr),
            "replicas": sorted(replicas),
            "target": sorted(replicas - removing),
            "adding": sorted(partition.addingReplicas),
            "is_recovering": self._is_recovering(),
            "is_min_isr_lowered": int(lowered),
        }

    def _leader(self) -> int | None:
        partition = self.door.partition(self.topic_id)
        return None if partition is None or partition.leader == NOBODY else int(partition.leader)

    def _is_recovering(self) -> bool:
        return str(self.door.partition(self.topic_id).leaderRecoveryState) == "RECOVERING"

    def _epoch_of(self, broker: int, epoch: int | None) -> int:
        return -1 if epoch is None else self.broker_epochs[broker][epoch]

    def _partition_epoch(self, offset: int) -> int:
        return max(number for number, begun in enumerate(self.partition_epochs) if begun <= offset)

    def _reassign(self, replicas: list[int] | None) -> str:
        """Ask for a reassignment, or with None take back the one under way; the name of the error."""
        partition = jvm.message(
            "AlterPartitionReassignmentsRequestData$ReassignablePartition",
            setPartitionIndex=0,
            setReplicas=None if replicas is None else jvm.int_list(replicas),
        )
        topic = jvm.message("AlterPartitionReassignmentsRequestData$ReassignableTopic", setName=TOPIC)
        topic.partitions().add(partition)
        request = jvm.message("AlterPartitionReassignmentsRequestData")
        request.topics().add(topic)
        answer = self.door.reassign(request)
        return str(jvm.error_name(answer.responses().get(0).partitions().get(0).errorCode()))

    def _elect(self, kind: int) -> None:
        request = jvm.message("ElectLeadersRequestData")
        partitions = jvm.message("ElectLeadersRequestData$TopicPartitions", setTopic=TOPIC, setPartitions=[0])
        request.setElectionType(kind).topicPartitions().add(partitions)
        self.door.electLeaders(request)

    def _register(self, broker: int, is_clean: bool, is_again: bool = False) -> bool:
        """Register a broker, which has started anew or (`is_again`) not; whether that was accepted."""
        incarnation = jvm.java("org.apache.kafka.common.Uuid").randomUuid()
        if is_again:
            incarnation = self.door.broker(broker).incarnationId()
        features = jvm.java("org.apache.kafka.common.message.BrokerRegistrationRequestData$FeatureCollection")()
        for name, lowest, highest in self.features:
            kind = "BrokerRegistrationRequestData$Feature"
            features.add(jvm.message(kind, setName=name, setMinSupportedVersion=lowest, setMaxSupportedVersion=highest))
        request = jvm.message(
            "BrokerRegistrationRequestData",
            setBrokerId=broker,
            setClusterId=str(self.door.clusterId()),
            setIncarnationId=incarnation,
            setFeatures=features,
            setLogDirs=jvm.listed([self.directories[broker]]),
            setPreviousBrokerEpoch=self.broker_epochs[broker][-1] if is_clean else -1,
        )
        error, _ = jvm.result_of(lambda: self.door.registerBroker(request))
        if error != "NONE":
            return False
        epoch = int(self.door.broker(broker).epoch())
        if not self.broker_epochs[broker] or self.broker_epochs[broker][-1] != epoch:
            self.broker_epochs[broker].append(epoch)
        return True

    def _unfence(self, broker: int, replayed: int) -> bool:
        """Let a broker send a heartbeat; whether that made it active."""
        was_active = bool(self.door.isActive(broker))
        self._heartbeat(broker, replayed)
        return not was_active and bool(self.door.isActive(broker))

    def _end_session(self, broker: int) -> None:
        """Let time pass in which this broker sends no heartbeat, and the others do."""
        self.door.sleep(SESSION_MS + 1)
        for other in self.replicas:
            if other != broker and not self.door.broker(other).fenced():
                self.door.trackHeartbeat(other)

    def _heartbeat(self, broker: int, replayed: int, wants_shutdown: bool = False) -> None:
        request = jvm.message(
            "BrokerHeartbeatRequestData",
            setBrokerId=broker,
            setBrokerEpoch=self.broker_epochs[broker][-1],
            setCurrentMetadataOffset=replayed,
            setWantFence=False,
            setWantShutDown=wants_shutdown,
        )
        self.door.heartbeat(request)

    def _write(self, record: str, **fields: Any) -> None:
        self.door.write(jvm.record(record, **fields))


def known_error(error: str) -> str:
    """The reaction of a leader to an error, by which the models name it."""
    return error if error in ("NONE", "INELIGIBLE_REPLICA") else "FENCED"


def _metadata_version() -> int:
    return int(jvm.java("org.apache.kafka.server.common.MetadataVersion").latestProduction().featureLevel())


def tops(paths: tuple[str, ...], record: str) -> list[str]:
    """The fields of the state, and those of one record, each without what lies within."""
    found = []
    for path in paths:
        top, _, rest = path.partition(".")
        found.append(f"{record}.{rest.partition('.')[0].partition('[')[0]}" if top == record else top.partition("[")[0])
    return list(dict.fromkeys(found))


STEPS = {
    name: getattr(ReplicationControl, name)
    for name in (
        "broker_starts",
        "controller_alters_partition",
        "controller_elects_uncleanly",
        "controller_fences_broker",
        "controller_unfences_broker",
        "leadership_is_moved",
        "min_isr_is_lowered",
        "reassignment_is_asked",
        "shutdown_is_asked",
    )
} | {"session_expires": ReplicationControl.controller_fences_broker}

SYSTEM = ReplicationControl
