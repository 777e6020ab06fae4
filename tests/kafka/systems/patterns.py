"""Kafka's coordinator of a group whose members may subscribe by a pattern: `GroupMetadataManager`.

It judges what heartbeats with patterns change, when patterns are resolved and with which topics, and what changes of
topics do. The door stands for the executor that resolves patterns, and for the cluster's metadata.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers, optional
from migration import EPOCHS, LEFT_EPOCH, NO_SET, NONE, SETS, Migration

DOOR = "org.apache.kafka.coordinator.group.PatternDoor"
WAITED = ("SHORT", "LONG", "PERIOD")
ANSWER = ("error", "member_epoch", "names_assignment", "assigned")


class Patterns(Migration):
    """The coordinators of one group, one after the other."""

    observes = (
        *(f"group.plain.{field}" for field in ("group_epoch", "assignment_epoch", "partition_epochs[*]")),
        *(
            f"group.plain.members[*].{field}"
            for field in ("state", "instance_id", "uses_classic", "has_left", *EPOCHS, *SETS)
        ),
        *(f"group.told[*].{field}" for field in ("topics", "pattern")),
        *(f"group.resolved[*].{field}" for field in ("is_resolved", "topics")),
        *(f"group.resolution.{field}" for field in ("stage", "patterns")),
    )
    answers = tuple(f"answer.{field}" for field in ANSWER)
    not_judged: ClassVar = {
        "existing": "the environment's",
        "asked": "blank",
        "group.plain.known": "what the assignor has last seen; see consumer_group.py",
        "group.plain.members[*].subscribed": "what follows from `told`, `resolved` and the topics that exist",
        "group.plain.members[*].named": "see migration.py",
        "group.plain.members[*].has_deadline": "see consumer_group.py",
        "group.hashed": "Kafka keeps a hash of it; whether that changes is seen in the group epoch",
        "group.must_refresh": "it is seen in whether the next heartbeat changes the group epoch",
        "group.is_current": "it is seen in whether the next heartbeat begins a resolution",
        **{f"group.resolution.{field}": "it is seen in what is resolved then" for field in ("topics", "is_current")},
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        self.door = jvm.java(DOOR)()
        self.shift = 0
        for member in range(self.bounds["members"]):
            if self._instance(member) != NONE:
                self.door.giveInstance(member, self._instance(member))

    def _instance(self, member: int) -> int:
        return 0 if self.bounds["instances"] > 0 and member <= self.bounds["classic_consumers"] else NONE

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(self.bounds["topics"], bits(state["existing"]))
        self.answer: dict[str, Any] = {}

    def member_joins(self, member_id: int, subscribed: list[int], names_pattern: bool, pattern: int) -> None:
        """A member joins."""
        self.door.waited(WAITED.index("LONG"))
        self._told(0, self.door.ask(member_id, 0, True, bits(subscribed), names_pattern, pattern, 0))

    def member_heartbeats(
        self, member_id: int, subscribes: bool, subscribed: list[int], pattern: int, has_revoked: bool, waited: str
    ) -> None:
        """A member sends a heartbeat with its epoch."""
        topics = bits(subscribed) if subscribes else NO_SET
        self.door.waited(WAITED.index(waited))
        epoch, _, _, _, assigned, pending = map(int, self.door.member(member_id))
        owned = 0 if has_revoked else assigned | pending
        self._told(epoch, self.door.ask(member_id, epoch, False, topics, subscribes, pattern, owned))

    def member_leaves(self, member_id: int, is_temporary: bool) -> None:
        """A member leaves for good, or for a while."""
        epoch = LEFT_EPOCH if is_temporary else -1
        self.door.waited(WAITED.index("LONG"))
        self._told(epoch, self.door.ask(member_id, epoch, False, NO_SET, False, NONE, NO_SET))

    def classic_member_joins(self, subscribed: list[int], has_revoked: bool) -> None:
        """The classic member takes the place of the static one, or joins again."""
        is_new = self.door.state(0) is None
        owned = 0
        if not is_new and not has_revoked:
            assigned, pending = map(int, self.door.member(0)[4:])
            owned = assigned | pending
        self.door.waited(WAITED.index("LONG"))
        self.door.joinTo(0, is_new, 0, bits(subscribed), owned)
        self.door.forget(0)

    def session_ends(self, member_id: int) -> bool:
        """The timer of a member's session ends."""
        return bool(self.door.expire(member_id))

    def executor_resolves(self) -> bool:
        """The executor resolves the patterns."""
        return bool(self.door.execute())

    def executor_fails(self) -> bool:
        """The executor fails."""
        return bool(self.door.fail())

    def coordinator_takes_resolution(self) -> bool:
        """The coordinator takes what the executor has found."""
        return bool(self.door.take())

    def topic_is_created(self, partition_id: int) -> None:
        """A topic is created."""
        self.door.create(1 << partition_id)

    def topic_is_deleted(self, partition_id: int) -> None:
        """A topic is deleted."""
        self.door.delete(partition_id)

    def coordinator_is_replaced(self, is_compacted: bool) -> None:
        """A new coordinator reads the log."""
        self.door.replace(is_compacted)

    def _told(self, epoch: int, reply: Any) -> None:
        error, assigned = str(reply.error()), int(reply.assigned())
        self.answer["answer.error"] = error
        if error == "NONE":
            told = int(reply.memberEpoch())
            self.answer["answer.member_epoch"] = None if epoch == told == LEFT_EPOCH else self._epoch(told)
            self.answer["answer.names_assignment"] = assigned != NO_SET
            self.answer["answer.assigned"] = numbers(max(0, assigned))

    def observe(self) -> dict[str, Any]:
        """The group in the coordinator's memory, and the last answer."""
        shown = {name.replace("group.consumer", "group.plain"): each for name, each in self._consumer().items()}
        for member in range(self.bounds["members"]):
            is_member = self.door.state(member) is not None
            shown[f"group.told[{member}].topics"] = numbers(int(self.door.told(member))) if is_member else []
            shown[f"group.told[{member}].pattern"] = optional(int(self.door.pattern(member))) if is_member else None
        for pattern in range(self.bounds["patterns"]):
            topics = int(self.door.resolved(pattern))
            shown[f"group.resolved[{pattern}].is_resolved"] = topics != NO_SET
            shown[f"group.resolved[{pattern}].topics"] = numbers(max(0, topics))
        stage = str(self.door.resolution())
        shown["group.resolution.stage"] = stage
        if stage == "RESOLVED":
            shown["group.resolution.patterns"] = numbers(int(self.door.found()[0]))
        return shown | self.answer


SYSTEM = Patterns
