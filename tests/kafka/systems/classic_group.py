"""Kafka's coordinator of a classic group as a system: `GroupCoordinatorShard` with `GroupMetadataManager`.

It judges how requests to join, to sync and to leave, heartbeats, and the ends of times change a group, and what is
answered when. The door stands for the coordinator's runtime and its timers.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers, optional

DOOR = "org.apache.kafka.coordinator.group.ClassicGroupDoor"
NONE = -1
NUMBERS = ("generation", "leader", "is_delayed", "pending", "last_member_id")
MEMBER = ("is_member", "instance_id", "is_new", "awaits_join", "awaits_sync", "owned", "assigned")
ANSWER = ("error", "member_id", "generation", "members", "owned[*]", "assigned")


class ClassicGroupCoordinator:
    """The coordinator of one group."""

    observes = (
        "connections[*].stage",
        *(f"connections[*].response.{field}" for field in ANSWER),
        *(f"group.{field}" for field in ("state", *NUMBERS)),
        *(f"group.members[*].{field}" for field in MEMBER),
    )
    not_judged: ClassVar = {"connections[*].request": "what the environment has asked"}

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.requires_id = bool(model.rules["member_id_is_required"])
        self.acts = tuple(model.actions)
        self.door = jvm.java(DOOR)()

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        self.door.start(self.bounds["consumers"], self.requires_id)

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the coordinator."""
        done = getattr(self, action)(**{name: NONE if each is None else each for name, each in parameters.items()})
        return done is None or bool(done)

    def consumer_joins(self, consumer_id: int, member_id: int, instance_id: int, owned: list[int]) -> None:
        """A consumer asks to join."""
        self.door.join(consumer_id, member_id, instance_id, bits(owned))

    def consumer_syncs(
        self, consumer_id: int, member_id: int, instance_id: int, is_current: bool, owner_id: int
    ) -> None:
        """A consumer asks for its assignment."""
        every = bits(list(range(self.bounds["partitions"])))
        self.door.sync(consumer_id, member_id, instance_id, self._generation(is_current), owner_id, every)

    def consumer_sends_heartbeat(self, consumer_id: int, member_id: int, instance_id: int, is_current: bool) -> None:
        """A consumer sends a heartbeat."""
        self.door.heartbeat(consumer_id, member_id, instance_id, self._generation(is_current))

    def consumer_leaves(self, consumer_id: int, member_id: int, instance_id: int) -> None:
        """A consumer leaves."""
        self.door.leave(consumer_id, member_id, instance_id)

    def answers_arrive(self) -> None:
        """All consumers read their answers."""
        for consumer in range(self.bounds["consumers"]):
            if self.door.stage(consumer) == "ANSWERED":
                self.door.forget(consumer)

    def request_is_lost(self, consumer_id: int) -> None:
        """The connection of a parked request breaks."""
        self.door.forget(consumer_id)

    def session_ends(self, member_id: int) -> bool:
        """The timer of a member ends."""
        return bool(self.door.expire(member_id, False))

    def pending_member_expires(self, member_id: int) -> bool:
        """The timer of a member id that nobody has joined with ends."""
        return bool(self.door.expire(member_id, True))

    def rebalance_times_out(self) -> bool:
        """The timer of a rebalance ends."""
        return bool(self.door.endRebalance(False))

    def initial_delay_ends(self) -> bool:
        """The timer of a group that was empty ends."""
        return bool(self.door.endRebalance(True))

    def _generation(self, is_current: bool) -> int:
        return int(self.door.group()[0]) - (not is_current)

    def observe(self) -> dict[str, Any]:
        """The group in the coordinator's memory, the requests that wait, and the answers."""
        generation, leader, is_delayed, pending, given = map(int, self.door.group())
        shown: dict[str, Any] = {
            "group.state": str(self.door.state()),
            "group.generation": generation,
            "group.leader": optional(leader),
            "group.is_delayed": bool(is_delayed),
            "group.pending": numbers(pending),
            "group.last_member_id": given - 1 if given else None,
        }
        for member in range(self.bounds["member_ids"]):
            shown |= self._member(member)
        for consumer in range(self.bounds["consumers"]):
            shown |= self._connection(consumer)
        return shown

    def _member(self, member: int) -> dict[str, Any]:
        values = self.door.member(member)
        instance, is_new, awaits_join, awaits_sync, owned, assigned = map(int, values or (NONE, 0, 0, 0, 0, 0))
        waits = bool(is_new), bool(awaits_join), bool(awaits_sync)
        told = (values is not None, optional(instance), *waits, numbers(owned), numbers(assigned))
        return {f"group.members[{member}].{field}": each for field, each in zip(MEMBER, told, strict=True)}

    def _connection(self, consumer: int) -> dict[str, Any]:
        """The answer of a connection; of one that refuses, no more than the error and a new member id."""
        name, stage = f"connections[{consumer}]", str(self.door.stage(consumer))
        shown: dict[str, Any] = {f"{name}.stage": stage}
        if stage != "ANSWERED":
            return shown
        name, answer = f"{name}.response", self.door.answer(consumer)
        error = str(answer.error())
        shown[f"{name}.error"] = error
        if int(answer.member()) != NONE and error in ("NONE", "MEMBER_ID_REQUIRED"):
            shown[f"{name}.member_id"] = int(answer.member())
        if error == "NONE":
            shown[f"{name}.generation"] = optional(int(answer.generation()))
            shown[f"{name}.members"] = numbers(int(answer.members()))
            shown[f"{name}.assigned"] = numbers(int(answer.assigned()))
            owned = list(map(int, answer.owned()))
            for member in range(self.bounds["member_ids"]):
                shown[f"{name}.owned[{member}]"] = numbers(owned[member]) if member < len(owned) else []
        return shown


SYSTEM = ClassicGroupCoordinator
