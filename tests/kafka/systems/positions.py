"""Kafka's consumer as a system: `SubscriptionState`, `FetchBuffer` and `FetchCollector`.

It judges where a consumer fetches, and which records it gives its application. The door stands for the network, the
coordinator and the application.
"""

from typing import Any, ClassVar

import jvm

DOOR = "org.apache.kafka.clients.consumer.internals.PositionsDoor"
NONE = -1
ENVIRONMENT = "the environment's"


class Positions:
    """One consumer of one partition."""

    observes = (
        "start_offset",
        "end_offset",
        *(f"consumer.{field}" for field in ("owns", "position", "must_reset", "is_paused", "fetching", "buffered")),
        "consumer.processing",
    )
    refuses = ("consumer_sends_fetch",)
    not_judged: ClassVar = {
        "consumer.state": "it runs",
        "consumer.generation": ENVIRONMENT,
        "consumer.asks": "asked and answered in one step",
        "consumer.is_out_of_range": "it is seen in the next poll",
        "consumer.buffer_end": "it is seen in the records of later polls",
        "consumer.is_former": "no record outlives its ownership here",
        **dict.fromkeys(
            (f"consumer.{field}" for field in ("marked", "chosen", "sent", "acknowledged", "commits")),
            "nothing is committed",
        ),
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.acts = tuple(model.actions)
        self.starts_late = model.rules["auto_offset_reset"] == "LATEST"

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a consumer that owns nothing, and an empty partition."""
        self.door = jvm.java(DOOR)(self.starts_late)
        self.first = self.end = 0
        self.fetching = self.processing = NONE

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the consumer, its application, the coordinator or the network do what the action says."""
        return getattr(self, action)(**parameters) is not False

    def record_is_appended(self) -> None:
        """A record comes."""
        self.end += 1

    def record_is_deleted(self) -> None:
        """The first record is deleted."""
        self.first += 1

    def partition_is_assigned(self) -> None:
        """The consumer gets the partition."""
        self.door.assign(True)

    def partition_is_lost(self) -> None:
        """The consumer gives the partition up."""
        self.door.assign(False)

    def committed_offset_arrives(self, committed: int | None) -> None:
        """The coordinator says which offset is committed; if none is, a leader tells the first or the last one."""
        if committed in (None, NONE):
            self.door.askForReset()
            self.reset_offset_arrives()
        else:
            self.door.begin(committed)

    def reset_offset_arrives(self) -> None:
        """A leader says where the partition starts, or ends."""
        self.door.reset(self.end if self.starts_late else self.first)

    def consumer_sends_fetch(self) -> bool:
        """Let the consumer's thread go on; one fetch at a time is under way to a broker."""
        if self.fetching != NONE:
            return False
        self.fetching = int(self.door.fetchOffset())
        return self.fetching != NONE

    def consumer_receives_records(self) -> None:
        """Deliver the answer to the fetch: all records from its offset on, or that the record there is gone."""
        if self.fetching < self.first:
            self.door.refuse(self.fetching)
        else:
            self.door.receive(self.fetching, self.end)
        self.fetching = NONE

    def consumer_polls(self) -> bool:
        """The application polls; whether it gets a record, or fetched records are dropped."""
        had_records = self.door.buffered() != NONE
        self.processing = int(self.door.poll())
        return self.processing != NONE or (had_records and self.door.buffered() == NONE)

    def application_processes_record(self) -> None:
        """The application finishes its record."""
        self.processing = NONE

    def application_seeks(self, offset: int) -> None:
        """The application reads on at another offset."""
        self.door.seek(offset)

    def application_pauses(self) -> None:
        """The application pauses the partition."""
        self.door.pause(True)

    def application_resumes(self) -> None:
        """The application resumes the partition."""
        self.door.pause(False)

    def observe(self) -> dict[str, Any]:
        """What the consumer has."""
        return {
            "start_offset": self.first,
            "end_offset": self.end,
            "consumer.must_reset": bool(self.door.mustReset()),
            "consumer.owns": bool(self.door.owns()),
            "consumer.position": int(self.door.position()),
            "consumer.is_paused": bool(self.door.isPaused()),
            "consumer.fetching": self.fetching,
            "consumer.buffered": int(self.door.buffered()),
            "consumer.processing": self.processing,
        }


SYSTEM = Positions
