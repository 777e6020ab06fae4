"""Kafka's KRaft controller as a system beside `models/controller_model.py`: any request may come, and many are refused.

It is driven as `replication_control.py` drives it. Epochs and offsets are those since the step began, as in the model.
"""

from typing import Any

import jvm
import replication_control
from replication_control import NEWEST, TOPIC, ReplicationControl

CURRENT = 1
AHEAD = {"OLDER": -1, "NEWER": 1}
RECORD = ("leader", "isr", "elr", "replicas", "target", "adding", "active", "is_recovering", "is_min_isr_lowered")
ANSWER = ("stage", "error", "leader_epoch", "partition_epoch", "isr")
REFUSES = (
    "broker_registers",
    "broker_registers_unfenced",
    "controller_creates_partition",
    "controller_elects_uncleanly",
    "controller_fences_broker",
    "controller_unfences_broker",
    "leadership_is_moved",
    "shutdown_is_asked",
    "topic_deletion_is_asked",
)


class ControllerRequests(ReplicationControl):
    """The controller of one partition, asked for anything at any time."""

    answers = ("step.leader_epochs", "step.partition_epochs", *(f"alter_partition.{field}" for field in ANSWER))
    needs = ()

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.steps = {name: getattr(type(self), name) for name in model.actions}
        self.acts, self.silent = tuple(self.steps), {}
        choosing = (*replication_control.CHOOSING, "controller_creates_partition", "broker_registers_unfenced")
        self.chooses = {name: ["new_leader"] for name in choosing if name in self.steps}
        # An operator may always elect uncleanly. After that a preferred election that fails may end a reassignment.
        unasked = "leadership_is_moved" if self.rules["unclean_election"] else "controller_elects_uncleanly"
        self.refuses = [each for each in REFUSES if each != unasked]
        if self.rules["eligible_leader_replicas"] and not self.rules["last_known_leader_is_active"]:
            self.refuses.remove("broker_registers_unfenced")
        self.observes = tuple(f"{NEWEST}.{field}" for field in RECORD)
        self.keeps_leader = bool(self.rules["eligible_leader_replicas"] and self.rules["last_known_leader_is_elected"])
        if self.keeps_leader:
            self.observes += ("controller.last_known_leader",)
        hidden = "no part of the controller of KRaft, or of the model's own"
        of_controller = replication_control.tops(model.fields, "controller")
        shown = {each.partition("[")[0] for each in self.observes}
        self.not_judged = {"controller.history": "numbers are told as those since the step began"}
        self.not_judged |= {
            each: hidden for each in of_controller if each.startswith("controller.") and each not in shown
        }
        others = {each.partition(".")[2] for each in model.fields if each.startswith("alter_partition.")}
        self.not_judged |= {
            f"alter_partition.{each}": "blank in an answer" for each in others if each.partition("[")[0] not in ANSWER
        }

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a new controller that has the brokers and the partition of this state."""
        at = state["controller.offset"]
        found = {path.removeprefix(f"controller.history[{at}]."): value for path, value in state.items()}
        super().start({f"controller.history[0].{path}": value for path, value in found.items()})
        self.stopping: set[int] = set()
        self._note_epochs()

    def act(
        self, action: str, parameters: dict[str, Any], known: dict[str, Any] | None = None
    ) -> bool | dict[str, Any]:
        """Let the controller do what the action says; whether it did, and the leader that it chose."""
        self.shown = {}
        self._note_epochs()
        former = self._leader()
        if not self.steps[action](self, **parameters):
            return False
        partition = self._partition()
        is_lasting = partition is not None and self.before is not None
        now = (int(partition.leaderEpoch), int(partition.partitionEpoch)) if is_lasting else (0, 0)
        before = self.before if is_lasting else (0, 0)
        self.shown |= {"step.leader_epochs": now[0] - before[0], "step.partition_epochs": now[1] - before[1]}
        if action not in self.chooses:
            return True
        if action == "broker_registers_unfenced":
            return {"new_leader": self._successor(former, parameters["broker_id"])}
        return {"new_leader": self._leader()}

    def _successor(self, former: int | None, broker_id: int) -> int | None:
        """The leader that a broker's registration gave the partition because the broker led.

        The last known leader may be elected as well, when the broker leaves the ELR.
        """
        if former != broker_id:
            return former
        return None if self._leader() == broker_id else self._leader()

    def _note_epochs(self) -> None:
        partition = self._partition()
        self.before = None if partition is None else (int(partition.leaderEpoch), int(partition.partitionEpoch))

    def _partition(self) -> Any:
        return self.door.partition(self.topic_id)

    def broker_registers(self, broker_id: int, is_stopped_cleanly: bool) -> bool:
        """A broker registers. If the controller does not take it for alive, its former session has ended."""
        if not self.door.isActive(broker_id):
            self._end_session(broker_id)
        is_registered = self._register(broker_id, is_stopped_cleanly)
        if is_registered:
            self.stopping.discard(broker_id)
        return is_registered

    def broker_registers_unfenced(self, broker_id: int, is_stopped_cleanly: bool) -> bool:
        """A broker registers whose former session has ended; the controller has not looked for such sessions since."""
        if not self.door.isActive(broker_id):
            return False
        self._end_session(broker_id)
        return self._register(broker_id, is_stopped_cleanly)

    def controller_unfences_broker(self, broker_id: int, has_replayed: bool) -> bool:
        """A broker sends a heartbeat; it has replayed up to its registration, or one record less."""
        replayed = self.door.registrationOffset(broker_id) - (0 if has_replayed else 1)
        was_active = bool(self.door.isActive(broker_id))
        self._heartbeat(broker_id, replayed, wants_shutdown=broker_id in self.stopping)
        return not was_active and bool(self.door.isActive(broker_id))

    def shutdown_is_asked(self, broker_id: int) -> bool:
        """A broker asks for its controlled shutdown."""
        if not super().shutdown_is_asked(broker_id):
            return False
        self.stopping.add(broker_id)
        return True

    def leadership_is_moved(self, new_leader: int) -> bool:
        """An operator puts a replica first in the assignment if the ISR leaves a choice, and asks for an election."""
        partition = self._partition()
        if partition is None:
            return False
        removing = set(partition.removingReplicas)
        target = [each for each in partition.replicas if each not in removing]
        if new_leader not in target:
            return False  # no request can put it first
        is_put_first = new_leader != target[0] and len(partition.isr) > 1
        if len(partition.addingReplicas) and (new_leader if is_put_first else target[0]) not in partition.isr:
            return False  # the election fails, but may end the reassignment
        if is_put_first:
            self._reassign([new_leader, *(each for each in target if each != new_leader)])
        self._note_epochs()
        before = self.door.offset()
        self._elect(replication_control.PREFERRED)
        return bool(self.door.offset() > before and self._leader() == new_leader)

    def topic_deletion_is_asked(self) -> bool:
        """An operator deletes the topic."""
        return str(self.door.deleteTopic(self.topic_id)) == "NONE"

    def controller_creates_partition(self) -> bool:
        """An operator creates the topic, with the partition on all brokers in the order of their ids."""
        created = self.door.createTopic(TOPIC, jvm.int_list(self.replicas), self._configuration())
        if created is None:
            return False
        self.topic_id = created
        self.before = None
        return True

    def controller_is_replaced(self, stopped: list[int]) -> bool:
        """Another controller takes over, which knows what the log says. Brokers that run send it a heartbeat."""
        self.door.deactivate()
        self.door.activate()
        for broker in self.replicas:
            if broker not in stopped and not self.door.broker(broker).fenced():
                self.door.trackHeartbeat(broker)
        return True

    def controller_alters_partition(self, leader_id: int, isr: list[int], oddity: str, stale: int | None) -> bool:
        """A leader's ISR change arrives."""
        request = self._request(leader_id, isr, oddity, stale)
        self._show(jvm.result_of(lambda: self.door.alterPartition(request)))
        return True

    def zombie_answers_alter_partition(self, leader_id: int, isr: list[int], oddity: str, stale: int | None) -> bool:
        """A leader's ISR change arrives at a controller that cannot write."""
        request = self._request(leader_id, isr, oddity, stale)
        self._show(jvm.result_of(lambda: self.door.alterPartitionIfUnwritten(request)), is_zombie=True)
        return True

    def _request(self, leader_id: int, isr: list[int], oddity: str, stale: int | None) -> Any:
        def epoch_of(broker: int, is_older: bool) -> int:
            return int(self.door.broker(broker).epoch()) - is_older

        leader_epoch, partition_epoch = self.before
        recovering = self._is_recovering() and oddity != "ENDS_RECOVERY"
        members = [
            jvm.message(
                "AlterPartitionRequestData$BrokerState",
                setBrokerId=member,
                setBrokerEpoch=-1 if oddity == "NO_MEMBER_EPOCHS" else epoch_of(member, member == stale),
            )
            for member in isr
        ]
        partition = jvm.message(
            "AlterPartitionRequestData$PartitionData",
            setPartitionIndex=0,
            setLeaderEpoch=leader_epoch + AHEAD.get(oddity.removesuffix("_LEADER_EPOCH"), 0),
            setNewIsrWithEpochs=jvm.listed(members),
            setPartitionEpoch=partition_epoch + AHEAD.get(oddity.removesuffix("_PARTITION_EPOCH"), 0),
            setLeaderRecoveryState=int(recovering),
        )
        other = jvm.java("org.apache.kafka.common.Uuid").randomUuid()
        topic = jvm.message(
            "AlterPartitionRequestData$TopicData", setTopicId=other if oddity == "OTHER_TOPIC" else self.topic_id
        )
        topic.partitions().add(partition)
        sender = epoch_of(leader_id, oddity == "OLDER_BROKER_EPOCH")
        request = jvm.message("AlterPartitionRequestData", setBrokerId=leader_id, setBrokerEpoch=sender)
        request.topics().add(topic)
        return request

    def _show(self, told: tuple[str, Any], is_zombie: bool = False) -> None:
        """Show an answer; None stands for one that never leaves the controller. Some let the leader ask again."""
        error, answer = told
        if error == "NONE" and answer is not None:
            answer = answer.topics().get(0).partitions().get(0)
            error = jvm.error_name(answer.errorCode())
        path = "alter_partition."
        is_repeated = error in ("NOT_CONTROLLER", *(["STALE_BROKER_EPOCH"] if is_zombie else []))
        if is_repeated or (error == "NONE" and answer is None):
            self.shown = {f"{path}stage": "IDLE", f"{path}error": "NONE"}
            return
        self.shown = {f"{path}stage": "ANSWERED", f"{path}error": replication_control.known_error(error)}
        if error == "NONE":
            leader_epoch, partition_epoch = self.before
            self.shown |= {
                f"{path}leader_epoch": CURRENT + int(answer.leaderEpoch()) - leader_epoch,
                f"{path}partition_epoch": CURRENT + int(answer.partitionEpoch()) - partition_epoch,
                f"{path}isr": sorted(int(each) for each in answer.isr()),
            }

    def observe(self) -> dict[str, Any]:
        """The partition and the brokers as the controller has them now, and what the step did."""
        active = [each for each in self.replicas if self.door.isActive(each)]
        partition = self._partition()
        if partition is None:
            shown: dict[str, Any] = {field: [] for field in ("isr", "elr", "replicas", "target", "adding")}
            shown |= {"leader": None, "is_recovering": False, "is_min_isr_lowered": 0}
        else:
            shown = self._record(partition)
        shown = {f"{NEWEST}.{field}": value for field, value in shown.items()} | {f"{NEWEST}.active": active}
        if self.keeps_leader:
            known = [] if partition is None else sorted(partition.lastKnownElr)
            shown["controller.last_known_leader"] = known[0] if known else None
        return shown | self.shown


SYSTEM = ControllerRequests
