"""Kafka's state of a transactional id as a system: `TransactionMetadata`.

It judges which transitions are allowed, what each of them prepares, and what is in memory once the log has it. The
producer ids that a transition is given are the model's; epochs are Kafka's own.
"""

import json
from typing import Any, ClassVar

import jvm
from transaction_coordinator import MEMORY, STATES, record_of

DOOR = "kafka.coordinator.transaction.TransactionMetadataDoor"
MEMORY_NAME, PENDING_NAME = "coordinator.metadata", "log.appended"
EPOCH, NEXT_ID = f"{MEMORY_NAME}.producer_epoch", "producer_ids.next_producer_id"
FENCED_EPOCH = f"{PENDING_NAME}.producer_epoch"
COORDINATORS = ("is_serving", "is_back", "is_marking", "unmarked", "markers")
NO_ID = -1
HIGHEST_EPOCH = 32_767
UNREFUSED = ("append_fails", "fence_fails", "transaction_is_decided", "transaction_is_completed")
"""What the coordinator writes by itself; version 1's abort of nothing, which it never asks for; and completion, which
forgets a failed fence even if it throws."""


class TransactionMetadata:
    """The state of one transactional id."""

    observes = (
        *(f"{name}.{field}" for name in (MEMORY_NAME, PENDING_NAME) for field in (*MEMORY, "is_upgraded")),
        "coordinator.pending_state",
        "coordinator.has_failed_epoch_fence",
    )
    answers = ("answer",)
    needs = (EPOCH, FENCED_EPOCH, NEXT_ID)
    not_judged: ClassVar = {
        NEXT_ID: "the environment's",
        "asked": "the environment's",
        **{f"coordinator.{each}": "the coordinator's" for each in COORDINATORS},
        **{f"log.{each}": "the log's" for each in ("coordinator_epoch", "entry", "is_appended")},
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.acts = tuple(model.actions)
        self.refuses = tuple(name for name in model.actions if name not in UNREFUSED)
        self.refusals = tuple(jvm.java(f"java.lang.Illegal{each}Exception") for each in ("State", "Argument"))

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an idle transactional id."""
        epoch = state[EPOCH]
        self.door = jvm.java(DOOR)(state[f"{MEMORY_NAME}.producer_id"], -1 if epoch is None else epoch)
        self.answer: dict[str, Any] = {}

    def act(self, action: str, parameters: dict[str, Any], known: dict[str, Any]) -> bool:
        """Ask for a transition; whether it is allowed."""
        self.known, self.answer = known, {"answer": "NONE"}
        try:
            getattr(self, action)(**parameters)
        except self.refusals:
            self.answer = {}
            return False
        return True

    def epoch_is_raised(self, is_named: bool, age: int) -> None:
        """A client asks for the next epoch."""
        epoch = self.known[EPOCH]
        named = min(max(0, (-1 if epoch is None else int(epoch)) + 1 - age), HIGHEST_EPOCH)
        is_begun = self.door.increment(jvm.java("java.lang.Short")(named) if is_named else None)
        self.answer = {"answer": "APPENDING" if is_begun else "PRODUCER_FENCED"}

    def producer_id_is_replaced(self, records_last_epoch: bool) -> None:
        """The transactional id gets a new producer id."""
        self.door.rotate(self.known[NEXT_ID], records_last_epoch)

    def partition_is_added(self, partition_id: int, version: int) -> None:
        """A partition joins the transaction."""
        self.door.add(partition_id, version == 1)

    def transaction_is_decided(self, commits: bool) -> None:
        """A client with version 1 ends its transaction."""
        self.door.decide(commits, False, NO_ID, False)

    def transaction_is_decided_by_version_2(self, commits: bool, replaces_id: bool) -> None:
        """A client with version 2 ends its transaction, or aborts nothing."""
        self.door.decide(commits, True, self.known[NEXT_ID] if replaces_id else NO_ID, True)

    def producer_is_fenced(self) -> None:
        """The coordinator is about to abort by itself."""
        self.door.fence()

    def fence_fails(self) -> None:
        """The coordinator has the epoch in memory, and fails to append its abort."""
        self.door.failFence(self.known[FENCED_EPOCH])

    def transaction_is_completed(self) -> None:
        """Every marker is written."""
        self.door.finish()

    def transactional_id_expires(self) -> None:
        """The transactional id is unused for long."""
        self.door.die()

    def append_is_completed(self) -> None:
        """The log has the transition."""
        self.door.complete()

    def append_fails(self) -> None:
        """The log does not have the transition."""
        self.door.drop()

    def observe(self) -> dict[str, Any]:
        """The memory, and the transition that is pending."""
        (*fields, version, pending, has_failed), *prepared = json.loads(f"[{self.door.observe()}]")
        shown = record_of(MEMORY_NAME, MEMORY, fields, version) | self.answer
        shown["coordinator.pending_state"] = STATES[pending]
        shown["coordinator.has_failed_epoch_fence"] = bool(has_failed)
        if prepared:
            *fields, version = prepared[0]
            shown |= record_of(PENDING_NAME, MEMORY, fields, version)
            if STATES[pending] == "PREPARE_EPOCH_FENCE":
                # The releases differ in it, and the coordinator writes its own into memory.
                del shown[f"{PENDING_NAME}.last_producer_epoch"]
        return shown


SYSTEM = TransactionMetadata
