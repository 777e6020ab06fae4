"""Kafka's `BrokerHeartbeatManager` and `ClusterControlManager` as a system beside the models of a broker's life.

It judges what the controller makes of heartbeats, of sessions that end, and of its own succession. A model's offset of
the metadata log is a distance from the end, and only its place among a few records counts; the adapter says an offset
of Kafka's log in the same place. The leadership is that of a partition on all brokers that allows unclean elections,
because the models take every active broker for in sync.
"""

from typing import Any, ClassVar

import jvm
from replication_control import SESSION_MS, ReplicationControl

SHOWN = ("broker_epoch", "state", "in_controlled_shutdown", "registration_offset", "controlled_shutdown_offset")
REQUEST = ("broker_epoch", "current_metadata_offset", "want_fence", "want_shut_down")
ANSWER = ("stage", "is_caught_up", "is_fenced", "should_shut_down")
SILENT = ("broker_replays_record", "broker_sends_heartbeat", "broker_receives_answer", "broker_begins_shutdown",
          "broker_crashes", "heartbeat_is_lost")  # fmt: skip


class BrokerHeartbeats(ReplicationControl):
    """A controller that manages brokers over a growing metadata log."""

    elects_at_once = True
    answers = tuple(f"brokers[*].heartbeat.{field}" for field in ANSWER)
    observes = ("controller.leader", *(f"controller.registrations[*].{field}" for field in SHOWN))
    needs = ("brokers[*].state", *(f"brokers[*].heartbeat.{field}" for field in REQUEST))
    refuses = ("controller_fences_stale_broker",)
    chooses: ClassVar = {"controller_fences_stale_broker": ["broker_id"]}

    def __init__(self, model: Any) -> None:
        self.prepare(range(model.bounds["brokers"]))
        self.rules = {"min_insync_replicas": 1, "eligible_leader_replicas": False}
        self.silent = dict.fromkeys(SILENT, "the broker's side")
        self.acts = tuple(name for name in model.actions if name not in SILENT)
        self.not_judged = {
            "budget": "the environment's",
            "brokers": "the broker's side",
            "controller.registrations": "memory of the controller, which shows in what it does later",
        }

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a controller that knows no broker, and a partition that never had a leader."""
        self.begin()
        self.door.activate()
        self._found({"replicas": list(self.replicas), "isr": list(self.replicas), "leader": None, "leader_epoch": 0})
        self.shown = {}
        self.awaited: set[int] = set()
        self.shutdowns: dict[int, int] = {}

    def act(self, action: str, parameters: dict[str, Any], known: dict[str, Any]) -> bool | dict[str, int]:
        """Let the controller do what the action says; whether it did."""
        self.shown, self.known = {}, known
        done: bool | dict[str, int] = getattr(self, action)(**parameters)
        self._note_offsets()
        return done

    def broker_registers(self, broker_id: int) -> bool:
        """A broker starts and registers; the session of its former process has ended."""
        self._end_sessions([broker_id])
        self.awaited.add(broker_id)
        return self._register(broker_id, is_clean=False)

    def controller_handles_heartbeat(self, broker_id: int) -> bool:
        """A heartbeat arrives, perhaps of a former process. The answer is lost if its process has ended."""
        path = f"brokers[{broker_id}]"
        sent = {field: self.known[f"{path}.heartbeat.{field}"] for field in REQUEST}
        request = jvm.message(
            "BrokerHeartbeatRequestData",
            setBrokerId=broker_id,
            setBrokerEpoch=self.broker_epochs[broker_id][sent["broker_epoch"] - 1],
            setCurrentMetadataOffset=self._offset_at(sent["current_metadata_offset"]),
            setWantFence=sent["want_fence"],
            setWantShutDown=sent["want_shut_down"],
        )
        error, reply = jvm.result_of(lambda: self.door.heartbeatAndWait(request))
        path = f"{path}.heartbeat"
        if error == "STALE_BROKER_EPOCH" or self.known[f"brokers[{broker_id}].state"] == "NOT_RUNNING":
            self.shown = {f"{path}.stage": "IDLE"}
        else:
            self.shown = {
                f"{path}.stage": "ANSWERED",
                f"{path}.is_caught_up": bool(reply.isCaughtUp()),
                f"{path}.is_fenced": bool(reply.isFenced()),
                f"{path}.should_shut_down": bool(reply.shouldShutDown()),
            }
        return True

    def controller_fences_stale_broker(self) -> bool | dict[str, int]:
        """The sessions of all brokers without a process have ended; the controller looks for one of them."""
        return self._fence([each for each in self.replicas if self.known[f"brokers[{each}].state"] == "NOT_RUNNING"])

    def live_broker_is_fenced(self, broker_id: int) -> bool:
        """No heartbeat of a live broker has come for longer than a session."""
        return bool(self._fence([broker_id]))

    def _fence(self, silent: list[int]) -> bool | dict[str, int]:
        """Let these brokers be silent for too long, and the controller look for stale ones until it has fenced one.

        If a broker that is fenced already is silent, Kafka may fence it once more, by a record that changes nothing.
        """
        known = [each for each in self.replicas if self.broker_epochs[each]]
        unfenced = [each for each in known if not self.door.broker(each).fenced()]
        self._end_sessions([each for each in silent if each in unfenced])
        found = True
        while found:
            found = bool(self.door.fenceOneStaleBroker())
            fenced = [each for each in unfenced if self.door.broker(each).fenced()]
            if fenced:
                break
        for each in known:
            self.door.trackHeartbeat(each)
        return {"broker_id": fenced[0]} if fenced else False

    def metadata_log_grows(self) -> bool:
        """The controller appends a record without content."""
        self._write("NoOpRecord")
        return True

    def controller_fails_over(self) -> bool:
        """Another controller takes over, which knows what the log says. It appends a first record."""
        self.door.deactivate()
        self.door.activate()
        self._write("NoOpRecord")
        return True

    def _end_sessions(self, silent: list[int]) -> None:
        """Let time pass in which these brokers send no heartbeat, and the others do."""
        self.door.sleep(SESSION_MS + 1)
        for each in self.replicas:
            if each not in silent and self.broker_epochs[each]:
                self.door.trackHeartbeat(each)

    def _counted(self) -> list[int]:
        """The offsets that a model tells apart, from the log's end down."""
        offsets = {int(self.door.offset()), *self.shutdowns.values()}
        offsets |= {int(self.door.registrationOffset(each)) for each in self.awaited}
        return sorted(offsets, reverse=True)

    def _distance(self, offset: int | None) -> int | None:
        """How many of these offsets lie behind one."""
        return None if offset is None else sum(1 for each in self._counted() if each > offset)

    def _offset_at(self, distance: int) -> int:
        """The last offset of the log that is at this distance from the end.

        A registration that is not counted any more was replayed by its broker before.
        """
        counted = self._counted()
        return counted[0] if distance == 0 else counted[min(distance, len(counted)) - 1] - 1

    def _note_offsets(self) -> None:
        """Learn which registrations no broker must replay any more, and what controlled shutdowns wait for.

        A new controller does not know the latter; a model does.
        """
        for broker in (each for each in self.replicas if self.broker_epochs[each]):
            if not self.door.broker(broker).fenced():
                self.awaited.discard(broker)
            if self.door.controlledShutdownOffset(broker) >= 0:
                self.shutdowns[broker] = int(self.door.controlledShutdownOffset(broker))
            elif self.door.broker(broker).fenced():
                self.shutdowns.pop(broker, None)

    def observe(self) -> dict[str, Any]:
        """The leader, and the brokers as the controller has them."""
        shown: dict[str, Any] = {"controller.leader": self._leader()}
        for broker in self.replicas:
            path = f"controller.registrations[{broker}]"
            shown |= {f"{path}.broker_epoch": len(self.broker_epochs[broker]), f"{path}.state": "FENCED"}
            if self.broker_epochs[broker]:
                shown[f"{path}.state"] = str(self.door.controlState(broker))
                # Of a fenced broker nobody reads whether it was in controlled shutdown, and Kafka keeps it in the log.
                if not self.door.broker(broker).fenced():
                    shown[f"{path}.in_controlled_shutdown"] = bool(self.door.broker(broker).inControlledShutdown())
            shown[f"{path}.controlled_shutdown_offset"] = self._distance(self.shutdowns.get(broker))
            awaited = self.door.registrationOffset(broker) if broker in self.awaited else None
            shown[f"{path}.registration_offset"] = self._distance(awaited)
        return shown | self.shown


SYSTEM = BrokerHeartbeats
