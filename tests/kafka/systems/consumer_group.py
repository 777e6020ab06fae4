"""Kafka's coordinator of a group of the new protocol as a system: `GroupCoordinatorShard` with `GroupMetadataManager`.

It judges what heartbeats change, and what they are answered; what fenced members leave; and what a new coordinator
reads. The door stands for the coordinator's runtime, its timers and the cluster's metadata, and brings the assignor of
the models. A step in which the assignor waits comes within `group.consumer.assignment.interval.ms` of its last run.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers

DOOR = "org.apache.kafka.coordinator.group.GroupDoor"
NO_SET, NO_INSTANCE = -1, -1
STATIC = ("instance_id", "has_left")
ERRORS = {"GROUP_ID_NOT_FOUND": "UNKNOWN_MEMBER_ID"}
"""The model has a group before its first member joins."""
LEFT_EPOCH = -2
EPOCHS, SETS = ("member_epoch", "previous_member_epoch"), ("subscribed", "target", "assigned", "pending_revocation")


class ConsumerGroup:
    """The coordinators of one group, one after the other."""

    observes = (
        "group.group_epoch",
        "group.assignment_epoch",
        "group.partition_epochs[*]",
        *(f"group.members[*].{field}" for field in ("state", *STATIC, *EPOCHS, *SETS)),
    )
    answers = tuple(f"answer.{field}" for field in ("error", "member_epoch", "names_assignment", "assigned"))
    not_judged: ClassVar = {
        "existing": "the environment's",
        "group.known": "Kafka keeps a hash of it; whether that changes is seen in the group epoch",
        "asked": "the environment's",
        **{f"group.members[*].{field}": "see migration.py" for field in ("uses_classic", "named")},
        "group.members[*].has_deadline": "it is seen in whether the end of the rebalance timeout does anything",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        self.refuses = ("rebalance_times_out",)
        self.door = jvm.java(DOOR)()
        self.shift = first_epoch(self.door) - 1
        for member in range(0, self.bounds["members"], 2):
            if self.bounds["instances"]:
                self.door.giveInstance(member, 0)

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

    def member_leaves(self, member_id: int, is_temporary: bool) -> bool:
        """A member leaves for good, or for a while."""
        return self._asked(member_id, LEFT_EPOCH if is_temporary else -1, False, NO_SET, NO_SET, True)

    def session_ends(self, member_id: int) -> bool:
        """The timer of a member's session ends."""
        return bool(self.door.timeOut(member_id, False))

    def rebalance_times_out(self, member_id: int) -> bool:
        """The timer of a member's revocation ends; the bounds refuse if the group has their last epoch.

        Of a member that has left there may still be the timer of an earlier epoch, which does nothing.
        """
        if self._epoch(int(self.door.group(0)[0])) == self.bounds["max_group_epoch"]:
            return False
        is_member = self.door.state(member_id) is not None
        return bool(self.door.timeOut(member_id, True)) and is_member and self.door.state(member_id) is None

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
            told = int(reply.memberEpoch())
            self.answer["answer.member_epoch"] = None if epoch == told == LEFT_EPOCH else self._epoch(told)
            self.answer["answer.names_assignment"] = assigned != NO_SET
            self.answer["answer.assigned"] = numbers(max(0, assigned))
        return True

    def _epoch(self, number: int) -> int | None:
        """An epoch of Kafka's as the model counts it; -1 stands for none, and -2 for 0."""
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
            return {
                f"{name}.state": "NOT_A_MEMBER",
                f"{name}.has_left": False,
                **{f"{name}.{field}": [] for field in SETS},
            }
        values = list(map(int, self.door.member(member)))
        instance, has_left = int(self.door.instance(member)), values[0] == LEFT_EPOCH
        shown: dict[str, Any] = {f"{name}.state": str(state), f"{name}.has_left": has_left}
        shown[f"{name}.instance_id"] = None if instance == NO_INSTANCE else instance
        shown |= {f"{name}.{field}": self._epoch(each) for field, each in zip(EPOCHS, values, strict=False)}
        if has_left:
            del shown[f"{name}.previous_member_epoch"]
        return shown | {f"{name}.{field}": numbers(each) for field, each in zip(SETS, values[2:], strict=True)}


def blank() -> dict[str, Any]:
    """The answer of a step that is no request."""
    return {"answer.error": "NONE", "answer.names_assignment": False, "answer.assigned": []}


def first_epoch(door: Any) -> int:
    """The epoch of a group when its first member has joined: 1 in the model, and 2 in Kafka since 4.3."""
    door.start(1, 1)
    door.heartbeat(0, 0, True, 1, 0, True)
    return int(door.group(0)[0])


SYSTEM = ConsumerGroup
