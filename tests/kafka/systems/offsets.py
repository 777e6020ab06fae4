"""Kafka's offsets of a group as a system: `OffsetMetadataManager`.

It judges what a commit and a transaction's end leave, what a fetch returns, what expires, and what a new coordinator
knows after each record of its log. The door stands for that log, and for the manager of groups.
"""

import json
from typing import Any

import jvm

DOOR = "org.apache.kafka.coordinator.group.OffsetsDoor"
NO_INPUT, NONE = -1, 0
"""What the models have for no pending offset, and for no committed one; Kafka has -1 for both."""
FIRST_GENERATION = 1
ERRORS = {"ILLEGAL_GENERATION": "INVALID_TXN_STATE"}
"""The model's names of errors: a client reacts to both in the same way."""
UNSTABLE = "UNSTABLE_OFFSET_COMMIT"
SEEN = ("group.committed", "group.pending", "group.loading.committed", "group.loading.pending", "answer.")


class Offsets:
    """The coordinators of one group, one after the other."""

    observes = ("group.committed", "group.pending[*]", "group.loading.committed", "group.loading.pending[*]")
    answers = ("answer.error", "answer.is_stable", "answer.offset")

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.room = model.bounds["log_size"]
        self.has_member = model.bounds["max_generation"] > 0
        self.producers = model.bounds["producer_ids"]
        self.acts = tuple(model.actions)
        self.refuses = ("offset_expires",)
        self.not_judged = {path: "the log's, or a request's" for path in model.fields if not path.startswith(SEEN)}
        self.door = jvm.java(DOOR)()

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(self.has_member)
        self.is_loading = False
        self.answer: dict[str, Any] = {}

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the coordinator."""
        self.answer = {"answer.error": "NONE", "answer.is_stable": False, "answer.offset": NO_INPUT}
        is_done = bool(getattr(self, action)(**parameters))
        if not is_done:
            self.answer = {}
        return is_done

    def offset_is_committed(self, offset: int) -> bool:
        """An offset is committed outside transactions."""
        return bool(self.door.commit(offset) == "NONE")

    def offset_is_committed_in_transaction(self, producer_id: int, offset: int, generation: int) -> bool:
        """An offset is committed in a producer's transaction."""
        error = str(self.door.commitInTransaction(producer_id, offset, FIRST_GENERATION + generation))
        self.answer["answer.error"] = ERRORS.get(error, error)
        return True

    def transaction_ends(self, producer_id: int, commits: bool) -> bool:
        """The marker of a producer's transaction comes."""
        self.door.end(producer_id, commits)
        return True

    def offset_is_fetched(self, requires_stable: bool) -> bool:
        """A client asks for the offset."""
        found = str(self.door.fetch(requires_stable))
        if found != UNSTABLE:
            self.answer |= {"answer.is_stable": True, "answer.offset": max(NONE, int(found))}
        return True

    def offset_expires(self) -> bool:
        """The offset was committed long ago; the runtime refuses while it loads, and the bounds if the log is full."""
        return not self.is_loading and self.door.size() < self.room and bool(self.door.expire())

    def group_rebalances(self) -> bool:
        """The group has its next generation."""
        self.door.rebalance()
        return True

    def coordinator_is_replaced(self) -> bool:
        """A new coordinator begins to load."""
        self.door.elect()
        self.is_loading = True
        return True

    def coordinator_reads_record(self) -> bool:
        """A new coordinator reads the next record."""
        return bool(self.door.read())

    def coordinator_ends_loading(self) -> bool:
        """A new coordinator has read its whole log."""
        self.door.endLoading()
        self.is_loading = False
        return True

    def observe(self) -> dict[str, Any]:
        """The offsets that the coordinator knows."""
        committed, *pending = json.loads(str(self.door.observe(self.producers)))
        name = "group.loading" if self.is_loading else "group"
        shown = {f"{name}.committed": max(NONE, committed)}
        shown |= {f"{name}.pending[{number}]": offset for number, offset in enumerate(pending)}
        return shown | self.answer


SYSTEM = Offsets
