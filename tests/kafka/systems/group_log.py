"""Kafka's coordinator that reads the log of a group: `GroupMetadataManager.replay`.

It judges what is read of a log that the log cleaner compacts meanwhile. Another coordinator has written the log; see
migration.py. The door stands for the cleaner: it removes a record if a later one has its key, and the cleaner has got
beyond that.
"""

import re
from typing import Any, ClassVar

import jvm
from around.numbers import numbers
from consumer_group import first_epoch
from migration import EPOCHS, NONE, SETS, Migration

DOOR = "org.apache.kafka.coordinator.group.GroupLogDoor"
GROUP = (
    "type",
    "classic.generation",
    *(f"classic.members[*].{field}" for field in ("is_member", "owned", "assigned")),
    *(f"consumer.{field}" for field in ("group_epoch", "assignment_epoch", "partition_epochs[*]")),
    *(f"consumer.members[*].{field}" for field in ("state", "uses_classic", *EPOCHS, *SETS)),
)
NOT_JUDGED = {
    **{f"classic.{field}": "see migration.py" for field in ("state", "leader", "is_delayed")},
    **{f"classic.{field}": "see classic_group.py" for field in ("pending", "last_member_id", "members[*].is_new")},
    **{f"classic.members[*].{field}": "see migration.py" for field in ("instance_id", "awaits_join", "awaits_sync")},
    **{f"consumer.members[*].{field}": "see migration.py" for field in ("instance_id", "has_left", "named")},
    **{f"consumer.{field}": "see consumer_group.py" for field in ("known", "members[*].has_deadline")},
    "consumer.members[*].subscribed": "all topics",
}
IS_WRITE = ("consumer_joins", "consumer_acknowledges", "consumer_leaves", "session_ends", "group_is_deleted")


class Coordinator(Migration):
    """What one of the coordinators has in its memory."""

    def __init__(self, bounds: dict[str, int], door: Any, shift: int) -> None:
        self.bounds, self.door, self.shift, self.answer = bounds, door, shift, {}

    def observe(self) -> dict[str, Any]:
        """The group, by the names that a group has."""
        named = {name.removeprefix("group."): each for name, each in self._group().items()}
        return {name: each for name, each in named.items() if re.sub(r"\[\d+\]", "[*]", name) in GROUP}


class GroupLog:
    """The log of one group, and its two coordinators."""

    observes = (
        *(f"{owner}.{each}" for owner in ("group", "loader.group") for each in GROUP),
        *(f"loader.{each}" for each in ("has_failed", "targets", "target_is_deleted")),
    )
    not_judged: ClassVar = {
        **{f"{owner}.{each}": why for owner in ("group", "loader.group") for each, why in NOT_JUDGED.items()},
        "log": "the door has the records; what a coordinator reads of them is judged",
        "loader.next_write": "the environment's",
        **dict.fromkeys(("heartbeat", "connections[*]"), "blank"),
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        self.door = jvm.java(DOOR)()
        self.first = first_epoch(self.door)

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log, or with one of a classic group."""
        every = (1 << self.bounds["partitions"]) - 1
        self.door.start(1, every)
        self.writer = Coordinator(self.bounds, self.door, 0)
        self.reader: Coordinator | None = None
        self.failure: str | None = None
        self.position = self.cleaned_to = 0
        if state.get("group.classic.generation", 0):
            self.door.join(0, True, NONE, every)
            self.door.endRebalance()
            self.door.forget(0)
            self.door.sync(0, NONE, 1, [every])
            self.door.forget(0)
            self.door.endWrite()

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call one of the coordinators."""
        getattr(self, action)(**parameters)
        if action in IS_WRITE:
            self.door.endWrite()
        return True

    def consumer_joins(self, member_id: int) -> None:
        """A consumer of the new protocol joins."""
        if not self.door.exists():
            self.writer.shift = self.first - 1
        self.door.heartbeat(member_id, 0, True, 1, 0, True)

    def consumer_acknowledges(self, member_id: int) -> None:
        """It tells that it owns what it is assigned."""
        epoch, *_, assigned, _ = map(int, self.door.member(member_id))
        self.door.heartbeat(member_id, epoch, False, NONE, assigned, True)

    def consumer_leaves(self, member_id: int) -> None:
        """It leaves."""
        self.door.heartbeat(member_id, -1, False, NONE, NONE, True)

    def session_ends(self, member_id: int) -> None:
        """The session of a member ends."""
        self.door.expire(member_id)

    def group_is_deleted(self) -> None:
        """The group is deleted."""
        self.door.delete()

    def log_is_cleaned(self, end: int) -> None:
        """The cleaner gets further."""
        self.cleaned_to = end

    def coordinator_changes(self) -> None:
        """Another coordinator begins to read."""
        self.position = 1
        door = self.door.reader(1, (1 << self.bounds["partitions"]) - 1)
        self.reader = Coordinator(self.bounds, door, self.writer.shift)

    def coordinator_reads_write(self) -> None:
        """It reads a write."""
        failure = self.door.read(self.position, self.cleaned_to)
        self.failure = None if failure is None else str(failure)
        self.position += 1

    def observe(self) -> dict[str, Any]:
        """Both groups; of one that cannot be read, only that."""
        shown = {f"group.{name}": each for name, each in self.writer.observe().items()}
        shown["loader.has_failed"] = self.failure is not None
        if self.reader is None or self.failure is not None:
            return shown
        read = self.reader.observe()
        for epoch, known in zip(("group_epoch", "assignment_epoch"), self.reader.door.group(0), strict=True):
            if self.writer.shift == 0 and int(known) == self.first - 1:  # none was read, or that of a classic group
                del read[f"consumer.{epoch}"]
        for member in range(self.bounds["members"]):
            if self.reader.door.state(member) is None:
                del read[f"consumer.members[{member}].target"]
        shown |= {f"loader.group.{name}": each for name, each in read.items()}
        shown["loader.targets"] = numbers(int(self.door.targets()))
        shown["loader.target_is_deleted"] = bool(self.reader.door.targetIsDeleted())
        return shown


SYSTEM = GroupLog
