"""Kafka's consumer as a system: `SubscriptionState` and `ConsumerUtils`, with positions that have leader epochs.

It judges which positions are validated, and what becomes of them. The door stands for the network, the coordinator, the
leaders and the application, and plays the consumer's metadata.
"""

from typing import Any, ClassVar

import jvm

DOOR = "org.apache.kafka.clients.consumer.internals.PositionsDoor"
NONE = -1
PLAYED = "the system's own"


class Resuming:
    """One consumer of one partition."""

    observes = (
        "consumer.is_running",
        "consumer.leader_epoch",
        "consumer.knows_leader",
        "consumer.fetch_state",
        "consumer.position.offset",
        "consumer.position.epoch",
        "consumer.position.leader_epoch",
    )
    refuses = ("consumer_asks_for_epoch_end",)
    not_judged: ClassVar = {
        "consumer.is_old": "clients are new",
        "consumer.leaves_epoch_out": "applications name the epoch",
        **dict.fromkeys((f"consumer.request.{field}" for field in ("is_sent", "is_answered")), PLAYED),
        **dict.fromkeys(
            (f"consumer.request.position.{field}" for field in ("offset", "epoch", "leader_epoch")), PLAYED
        ),
        **dict.fromkeys(
            (f"{record}.{field}" for record in ("consumer.request.end", "committed") for field in ("offset", "epoch")),
            PLAYED,
        ),
        **dict.fromkeys((f"consumer.divergent.{field}" for field in ("offset", "epoch")), "there is a reset policy"),
        "leader": PLAYED,
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.acts = tuple(model.actions)

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a consumer that owns nothing."""
        self.door = jvm.java(DOOR)(False)
        self.has_asked = False

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the consumer, its application, the coordinator or a leader do what the action says."""
        return getattr(self, action)(**parameters) is not False

    def partition_is_assigned(self, leader_epoch: int) -> None:
        """The consumer gets the partition."""
        self.door.learn(leader_epoch)
        self.door.assign(True)

    def partition_is_lost(self) -> None:
        """The consumer gives the partition up."""
        self.door.assign(False)
        self.door.forget()
        self.has_asked = False

    def committed_offset_arrives(self, offset: int | None, epoch: int | None) -> None:
        """The coordinator says which offset is committed."""
        if offset in (None, NONE):
            self.door.askForReset()
        else:
            self.door.resume(offset, NONE if epoch is None else epoch)

    def metadata_arrives(self, leader_epoch: int) -> None:
        """A broker tells the leader of an epoch."""
        self.door.learn(leader_epoch)

    def consumer_asks_for_epoch_end(self) -> bool:
        """Send the request if the consumer wants to; one is under way at a time, and none without a leader."""
        if self.has_asked or not self.door.mustValidate() or not self.door.knowsLeader():
            return False
        self.door.ask()
        self.has_asked = True
        return True

    def epoch_end_arrives(self, end_offset: int | None, epoch: int | None) -> None:
        """A leader answers."""
        self.door.complete(NONE if end_offset is None else end_offset, NONE if epoch is None else epoch)
        self.has_asked = False

    def record_arrives(self, epoch: int) -> None:
        """Deliver a record of this epoch at the position, and let the application poll."""
        self.door.receiveOfEpoch(self.door.position(), epoch)
        self.door.poll()

    def error_arrives(self) -> None:
        """Tell that the position is out of range."""
        self.door.refuse(self.door.position())
        self.door.poll()

    def reset_offset_arrives(self, offset: int) -> None:
        """A leader says where the consumer is to begin."""
        self.door.resetForLeader(offset)

    def application_seeks_to_beginning(self) -> None:
        """The application seeks to the beginning."""
        self.door.seekForLeader(0)

    def fetch_state(self) -> str:
        """The state of the position, as far as others can ask for it."""
        if self.door.mustReset():
            return "AWAIT_RESET"
        if self.door.mustValidate():
            return "AWAIT_VALIDATION"
        return "FETCHING" if self.door.mayFetch() else "INITIALIZING"

    def observe(self) -> dict[str, Any]:
        """What the consumer has."""
        return {
            "consumer.is_running": bool(self.door.owns()),
            "consumer.leader_epoch": int(self.door.seenLeaderEpoch()),
            "consumer.knows_leader": bool(self.door.knowsLeader()),
            "consumer.fetch_state": self.fetch_state(),
            "consumer.position.offset": int(self.door.position()),
            "consumer.position.epoch": int(self.door.positionEpoch()),
            "consumer.position.leader_epoch": int(self.door.positionLeaderEpoch()),
        }


SYSTEM = Resuming
