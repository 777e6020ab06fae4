"""Kafka's coordinator of a group with members of both protocols: `GroupCoordinatorShard` with `GroupMetadataManager`.

It judges how requests of both protocols, and the ends of sessions, change a group in either of its forms, when the form
changes, and what is answered. The door stands for the coordinator's runtime, its timers and the cluster's metadata.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers, optional
from consumer_group import first_epoch

DOOR = "org.apache.kafka.coordinator.group.MigrationDoor"
NO_SET, NONE = -1, -1
LEFT_EPOCH = -2
EPOCHS, SETS = ("member_epoch", "previous_member_epoch"), ("target", "assigned", "pending_revocation")
CLASSIC = ("is_member", "instance_id", "awaits_join", "awaits_sync", "owned", "assigned")
STATES = {
    "Empty": "EMPTY",
    "PreparingRebalance": "PREPARING_REBALANCE",
    "CompletingRebalance": "COMPLETING_REBALANCE",
    "Stable": "STABLE",
}


class Migration:
    """The coordinator of one group."""

    observes = (
        "connections[*].stage",
        *(f"connections[*].response.{field}" for field in ("error", "generation", "members", "assigned")),
        *(f"answer.{field}" for field in ("error", "member_epoch", "names_assignment", "assigned")),
        "group.type",
        *(f"group.classic.{field}" for field in ("state", "generation", "leader", "is_delayed")),
        *(f"group.classic.members[*].{field}" for field in CLASSIC),
        *(f"group.consumer.{field}" for field in ("group_epoch", "assignment_epoch", "partition_epochs[*]")),
        *(
            f"group.consumer.members[*].{field}"
            for field in ("state", "instance_id", "uses_classic", "has_left", *EPOCHS, *SETS)
        ),
    )
    answers = tuple(f"answer.{field}" for field in ("error", "member_epoch", "names_assignment", "assigned"))
    not_judged: ClassVar = {
        "named": "the environment's",
        "asked": "the environment's",
        "connections[*].request": "what the environment has asked",
        **{f"group.classic.{field}": "see classic_group.py" for field in ("pending", "last_member_id")},
        "group.classic.members[*].is_new": "see classic_group.py",
        **{f"group.consumer.{field}": "see consumer_group.py" for field in ("known", "members[*].has_deadline")},
        "group.consumer.members[*].subscribed": "all topics",
        "group.consumer.members[*].named": "it is seen when a group is a classic one again, as `owned`",
        "connections[*].response.member_id": "the door's number of the member that has asked",
        "connections[*].response.owned[*]": "a classic group tells its leader; see classic_group.py",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.acts = tuple(model.actions)
        self.door = jvm.java(DOOR)()
        self.first = first_epoch(self.door)
        for member in range(self.bounds["members"]):
            if self._instance(member) != NONE:
                self.door.giveInstance(member, self._instance(member))

    def _instance(self, member: int) -> int:
        is_last = member in (self.bounds["classic_consumers"] - 1, self.bounds["members"] - 1)
        return 0 if self.bounds["instances"] > 1 and is_last else NONE

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(1, (1 << self.bounds["partitions"]) - 1)
        self.shift = 0
        self.answer: dict[str, Any] = {}

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the coordinator."""
        self.answer = {"answer.error": "NONE", "answer.names_assignment": False, "answer.assigned": []}
        done = getattr(self, action)(**{name: NONE if each is None else each for name, each in parameters.items()})
        return done is None or bool(done)

    def consumer_joins(self, member_id: int, is_new: bool, owned: list[int]) -> None:
        """A classic member asks to join. In place of an empty group of the new protocol there is a new one then."""
        if self._is_empty() and not self.door.isClassic():
            self.shift = 0
        self.door.join(member_id, is_new, self._instance(member_id), bits(owned))

    def consumer_syncs(self, member_id: int, is_current: bool, owner_id: int) -> None:
        """A classic member asks for its assignment."""
        every = (1 << self.bounds["partitions"]) - 1
        given = [every if each == owner_id else NO_SET for each in range(self.bounds["members"])]
        self.door.sync(member_id, self._instance(member_id), self._generation(member_id, is_current), given)

    def consumer_sends_heartbeat(self, member_id: int, is_current: bool) -> None:
        """A classic member sends a heartbeat."""
        self.door.beat(member_id, self._instance(member_id), self._generation(member_id, is_current))

    def consumer_leaves(self, member_id: int) -> None:
        """A classic member leaves."""
        self.door.leave(member_id, self._instance(member_id))

    def answers_arrive(self) -> None:
        """All classic members read their answers."""
        for member in range(self.bounds["members"]):
            if self.door.stage(member) == "ANSWERED":
                self.door.forget(member)

    def initial_delay_ends(self) -> bool:
        """The timer of a classic group that was empty ends."""
        return bool(self.door.endRebalance())

    def session_ends(self, member_id: int) -> bool:
        """The timer of a member's session ends."""
        return bool(self.door.expire(member_id))

    def member_joins(self, member_id: int) -> None:
        """A member joins by the new protocol; the first epoch of a new group is that of the release."""
        if str(self.door.classicState() or "Empty").startswith("Empty") and int(self.door.group(0)[0]) == 0:
            self.shift = self.first - 1
        self._asked(member_id, 0, True, 1, 0)

    def member_heartbeats(self, member_id: int, owned: list[int]) -> None:
        """A member of the new protocol sends a heartbeat."""
        state = self.door.state(member_id)
        epoch = max(1 + self.shift, int(self.door.member(member_id)[0])) if state is not None else 1 + self.shift
        self._asked(member_id, epoch, False, NO_SET, bits(owned))

    def member_leaves(self, member_id: int, is_temporary: bool) -> None:
        """A member of the new protocol leaves for good, or for a while."""
        self._asked(member_id, LEFT_EPOCH if is_temporary else -1, False, NO_SET, NO_SET)

    def _is_empty(self) -> bool:
        """Whether the group has no members."""
        members = range(self.bounds["members"])
        if self.door.isClassic():
            return all(self.door.classicMember(each) is None for each in members)
        return all(self.door.state(each) is None for each in members)

    def _generation(self, member: int, is_current: bool) -> int:
        if self.door.isClassic():
            known = int(self.door.classic()[0])
        else:
            known = int(self.door.member(member)[0]) if self.door.state(member) is not None else self.shift
        return known - (not is_current)

    def _asked(self, member_id: int, epoch: int, names_timeout: bool, topics: int, owned: int) -> None:
        reply = self.door.heartbeat(member_id, epoch, names_timeout, topics, owned, True)
        error, assigned = str(reply.error()), int(reply.assigned())
        self.answer["answer.error"] = error
        if error == "NONE":
            told = int(reply.memberEpoch())
            self.answer["answer.member_epoch"] = None if epoch == told == LEFT_EPOCH else self._epoch(told)
            self.answer["answer.names_assignment"] = assigned != NO_SET
            self.answer["answer.assigned"] = numbers(max(0, assigned))

    def _epoch(self, number: int) -> int | None:
        """An epoch of Kafka's as the model counts it; -1 stands for none, and -2 for 0."""
        return None if number == -1 else max(0, number - self.shift)

    def observe(self) -> dict[str, Any]:
        """The group in the coordinator's memory, the requests that wait, and the answers."""
        shown = self._group()
        for member in range(self.bounds["members"]):
            shown |= self._connection(member)
        return shown | self.answer

    def _group(self) -> dict[str, Any]:
        """The group in the coordinator's memory."""
        kind = "CONSUMER" if self.door.exists() and not self.door.isClassic() else "CLASSIC"
        return {"group.type": kind} | self._classic() | self._consumer()

    def _classic(self) -> dict[str, Any]:
        known = self.door.classic()
        generation, leader, is_delayed = (0, NONE, 0) if known is None else map(int, known)
        name = "group.classic"
        shown: dict[str, Any] = {
            f"{name}.state": "EMPTY" if known is None else STATES[str(self.door.classicState()).partition(",")[0]],
            f"{name}.generation": self._epoch(generation),
            f"{name}.leader": optional(leader),
            f"{name}.is_delayed": bool(is_delayed),
        }
        for member in range(self.bounds["members"]):
            values = self.door.classicMember(member)
            instance, assigned, owned, joins, syncs = map(int, values or (NONE, 0, 0, 0, 0))
            told = (values is not None, optional(instance), bool(joins), bool(syncs), numbers(owned), numbers(assigned))
            shown |= {f"{name}.members[{member}].{field}": each for field, each in zip(CLASSIC, told, strict=True)}
        return shown

    def _consumer(self) -> dict[str, Any]:
        is_new = self.door.exists() and not self.door.isClassic()
        group_epoch, assignment_epoch, *epochs = map(int, self.door.group(self.bounds["partitions"]))
        name = "group.consumer"
        shown: dict[str, Any] = {
            f"{name}.group_epoch": self._epoch(group_epoch) if is_new else 0,
            f"{name}.assignment_epoch": self._epoch(assignment_epoch) if is_new else 0,
        }
        for partition, epoch in enumerate(epochs):
            shown[f"{name}.partition_epochs[{partition}]"] = self._epoch(epoch)
        for member in range(self.bounds["members"]):
            shown |= self._member(f"{name}.members[{member}]", member)
        return shown

    def _member(self, name: str, member: int) -> dict[str, Any]:
        state = self.door.state(member)
        if state is None:
            flags = {f"{name}.{field}": False for field in ("uses_classic", "has_left")}
            return {f"{name}.state": "NOT_A_MEMBER", **flags, **{f"{name}.{field}": [] for field in SETS}}
        values = list(map(int, self.door.member(member)))
        has_left = values[0] == LEFT_EPOCH
        shown: dict[str, Any] = {
            f"{name}.state": str(state),
            f"{name}.instance_id": optional(int(self.door.instance(member))),
            f"{name}.uses_classic": bool(self.door.usesClassic(member)),
            f"{name}.has_left": has_left,
        }
        shown |= {f"{name}.{field}": self._epoch(each) for field, each in zip(EPOCHS, values, strict=False)}
        if has_left:
            del shown[f"{name}.previous_member_epoch"]
        return shown | {f"{name}.{field}": numbers(each) for field, each in zip(SETS, values[3:], strict=True)}

    def _connection(self, member: int) -> dict[str, Any]:
        name, stage = f"connections[{member}]", str(self.door.stage(member))
        shown: dict[str, Any] = {f"{name}.stage": stage}
        if stage != "ANSWERED":
            return shown
        answer = self.door.answer(member)
        shown[f"{name}.response.error"] = str(answer.error())
        if str(answer.error()) == "NONE":
            generation = int(answer.generation())
            shown[f"{name}.response.generation"] = None if generation == NONE else self._epoch(generation)
            shown[f"{name}.response.members"] = numbers(int(answer.members()))
            shown[f"{name}.response.assigned"] = numbers(int(answer.assigned()))
        return shown


SYSTEM = Migration
