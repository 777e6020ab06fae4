"""Kafka's coordinator of a group of the new protocol as a system: `GroupCoordinatorShard` with `GroupMetadataManager`.

It judges what heartbeats change, and what they are answered; what fenced members leave; and what a new coordinator
reads. The door stands for the coordinator's runtime, its timers and the cluster's metadata, and brings the assignor of
the models. A step in which the assignor waits comes within `group.consumer.assignment.interval.ms` of its last run.
"""

from typing import Any, ClassVar

import jvm

DOOR = "org.apache.kafka.coordinator.group.GroupDoor"
NO_SET = -1
ERRORS = {"GROUP_ID_NOT_FOUND": "UNKNOWN_MEMBER_ID"}
"""The model has a group before its first member joins."""
EPOCHS, SETS = ("member_epoch", "previous_member_epoch"), ("subscribed", "target", "assigned", "pending_revocation")


class ConsumerGroup:
    """The coordinators of one group, one after the other."""

    observes = (
        "group.group_epoch",
        "group.assignment_epoch",
        "group.partition_epochs[*]",
        *(f"group.members[*].{field}" for field in ("state", *EPOCHS, *SETS)),
    )
    answers = tuple(f"answer.{field}" for field in ("error", "member_epoch", "names_assignment", "assigned"))
    not_judged: ClassVar = {
        "existing": "the environment's",
        "group.known": "Kafka keeps a hash of it; whether that changes is seen in the group epoch",
        "asked": "the environment's",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        self.refuses = ("rebalance_times_out",)
        self.door = jvm.java(DOOR)()
        self.shift = first_epoch(self.door) - 1

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(self.bounds["topics"], bits(state["existing"]))
        self.answer: dict[str, Any] = {}

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the coordinator."""
        self.answer = blank()
        is_done = bool(getattr(self, action)(**parameters))
        if not is_done:
            self.answer = {}
        return is_done

    def member_joins(self, member_id: int, subscribed: list[int], assigns: bool) -> bool:
        """A member joins."""
        return self._asked(member_id, 0, True, bits(subscribed), 0, assigns)

    def member_heartbeats(
        self,
        member_id: int,
        member_epoch: int,
        names_timeout: bool,
        names_topics: bool,
        subscribed: list[int],
        names_owned: bool,
        owned: list[int],
        assigns: bool,
    ) -> bool:
        """A member sends a heartbeat."""
        topics = bits(subscribed) if names_topics else NO_SET
        epoch = member_epoch + self.shift
        partitions = bits(owned) if names_owned else NO_SET
        return self._asked(member_id, epoch, names_timeout, topics, partitions, assigns)

    def member_leaves(self, member_id: int) -> bool:
        """A member leaves."""
        return self._asked(member_id, -1, False, NO_SET, NO_SET, True)

    def session_ends(self, member_id: int) -> bool:
        """The timer of a member's session ends."""
        return bool(self.door.timeOut(member_id, False))

    def rebalance_times_out(self, member_id: int) -> bool:
        """The timer of a member's revocation ends; the bounds refuse if the group has their last epoch."""
        epoch = self._epoch(int(self.door.group(0)[0]))
        return epoch != self.bounds["max_group_epoch"] and bool(self.door.timeOut(member_id, True))

    def partition_is_created(self, partition_id: int) -> bool:
        """The metadata has another partition."""
        self.door.create(1 << partition_id)
        return True

    def coordinator_is_replaced(self, is_compacted: bool) -> bool:
        """A new coordinator reads the log."""
        self.door.replace(is_compacted)
        return True

    def _asked(self, member_id: int, epoch: int, names_timeout: bool, topics: int, owned: int, assigns: bool) -> bool:
        reply = self.door.heartbeat(member_id, epoch, names_timeout, topics, owned, assigns)
        error, assigned = str(reply.error()), int(reply.assigned())
        self.answer["answer.error"] = ERRORS.get(error, error)
        if error == "NONE":
            self.answer["answer.member_epoch"] = self._epoch(int(reply.memberEpoch()))
            self.answer["answer.names_assignment"] = assigned != NO_SET
            self.answer["answer.assigned"] = numbers(max(0, assigned))
        return True

    def _epoch(self, number: int) -> int | None:
        """An epoch of Kafka's as the model counts it; -1 stands for none."""
        return None if number == -1 else max(0, number - self.shift)

    def observe(self) -> dict[str, Any]:
        """The group in the coordinator's memory, and the last answer."""
        group_epoch, assignment_epoch, *epochs = map(int, self.door.group(self.bounds["partitions"]))
        shown: dict[str, Any] = {
            "group.group_epoch": self._epoch(group_epoch),
            "group.assignment_epoch": self._epoch(assignment_epoch),
        }
        for partition, epoch in enumerate(epochs):
            shown[f"group.partition_epochs[{partition}]"] = self._epoch(epoch)
        for member in range(self.bounds["members"]):
            shown |= self._member(member)
        return shown | self.answer

    def _member(self, member: int) -> dict[str, Any]:
        name, state = f"group.members[{member}]", self.door.state(member)
        if state is None:
            return {f"{name}.state": "NOT_A_MEMBER", **{f"{name}.{field}": [] for field in SETS}}
        values = list(map(int, self.door.member(member)))
        shown: dict[str, Any] = {f"{name}.state": str(state)}
        shown |= {f"{name}.{field}": self._epoch(each) for field, each in zip(EPOCHS, values, strict=False)}
        return shown | {f"{name}.{field}": numbers(each) for field, each in zip(SETS, values[2:], strict=True)}


def blank() -> dict[str, Any]:
    """The answer of a step that is no request."""
    return {"answer.error": "NONE", "answer.names_assignment": False, "answer.assigned": []}


def first_epoch(door: Any) -> int:
    """The epoch of a group when its first member has joined: 1 in the model, and 2 in Kafka since 4.3."""
    door.start(1, 1)
    door.heartbeat(0, 0, True, 1, 0, True)
    return int(door.group(0)[0])


def bits(values: list[int]) -> int:
    """A set of numbers as bits."""
    return sum(1 << each for each in values)


def numbers(value: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [each for each in range(value.bit_length()) if value >> each & 1]


SYSTEM = ConsumerGroup
