"""A consumer group for the findings: Kafka's coordinator and Kafka's consumers, and messages in between."""

from typing import Any

import jvm
from around.numbers import numbers

COORDINATOR = "org.apache.kafka.coordinator.group.GroupDoor"
CONSUMER = "org.apache.kafka.clients.consumer.internals.ConsumerDoor"
EPOCH, PROCESSED = 0, 3
NO_SET, NO_INSTANCE = -1, -1
MIGRATION = "org.apache.kafka.coordinator.group.MigrationDoor"


class Group:
    """One topic with two partitions, its group's coordinator, and the consumers that have joined."""

    def __init__(self) -> None:
        self.coordinator = jvm.java(COORDINATOR)()
        self.coordinator.start(1, 0b11)
        self.consumers: dict[int, Any] = {}

    def joins(self, member: int) -> Any:
        """A consumer joins, and hears of its assignment."""
        return self.receives(member, self.coordinator.asked(self.starts(member)))

    def starts(self, member: int) -> Any:
        """A consumer starts, and asks to join."""
        self.consumers[member] = jvm.java(CONSUMER)(member, 1, 1)
        return self.sends(member)

    def sends(self, member: int) -> Any:
        """A consumer sends the heartbeat that is due."""
        request = self.consumers[member].send()
        if request is None:
            raise RuntimeError(f"consumer {member} sends no heartbeat in the state {self.consumers[member].state()}")
        return request

    def receives(self, member: int, reply: Any) -> str:
        """A consumer hears of the response; what that said."""
        self.consumers[member].receive(reply.error(), reply.memberEpoch(), reply.assigned())
        return told(reply)

    def receives_former(self, member: int, reply: Any) -> str:
        """A consumer that has left hears of the response to the heartbeat that it had sent before; what that said."""
        self.consumers[member].receiveFormer(reply.error(), reply.memberEpoch(), reply.assigned())
        return told(reply)

    def heartbeats(self, member: int) -> str:
        """A consumer sends a heartbeat, and hears of the response; what that said."""
        return self.receives(member, self.coordinator.asked(self.sends(member)))

    def applies(self, member: int) -> None:
        """A consumer applies its assignment."""
        self.consumers[member].reconcile()
        self.consumers[member].complete()

    def processed(self, member: int) -> list[int]:
        """The partitions that a consumer processes."""
        return numbers(int(self.consumers[member].known()[PROCESSED]))

    def commits(self, member: int, partition: int) -> str:
        """A consumer commits an offset of a partition; the error."""
        epoch = int(self.consumers[member].known()[EPOCH])
        return str(self.coordinator.commit(member, epoch, partition))

    def known(self, member: int) -> str:
        """A member as the coordinator knows it."""
        state = self.coordinator.state(member)
        if state is None:
            return "no member"
        epoch, _, _, _, assigned, pending = map(int, self.coordinator.member(member))
        return f"{state} epoch {epoch}, assigned {numbers(assigned)}, to give up {numbers(pending)}"


def owned(request: Any) -> str:
    """The partitions that a heartbeat names."""
    named = request.topicPartitions()
    if named is None:
        return "none named"
    return str(sorted(int(index) for topic in named for index in topic.partitions()))


def told(reply: Any) -> str:
    """What a response says."""
    if str(reply.error()) != "NONE":
        return str(reply.error())
    assigned = int(reply.assigned())
    return f"epoch {int(reply.memberEpoch())}, " + (
        "no assignment" if assigned == NO_SET else f"assignment {numbers(assigned)}"
    )


class Migration:
    """The coordinator of a group with members of both protocols, which are played; one topic with two partitions.

    Members of the classic protocol are dynamic ones, unless `instances` gives them an instance id.
    """

    def __init__(self, instances: dict[int, int] | None = None) -> None:
        self.door = jvm.java(MIGRATION)()
        self.instances = instances or {}
        for member, instance in self.instances.items():
            self.door.giveInstance(member, instance)
        self.door.start(1, 0b11)
        self.generations: dict[int, int] = {}

    def _instance(self, member: int) -> int:
        return self.instances.get(member, NO_INSTANCE)

    def joins(self, member: int, owned: int = 0) -> str:
        """A member asks to join by the classic protocol; what it is answered."""
        self.door.join(member, member not in self.generations, self._instance(member), owned)
        return self.answered(member)

    def answered(self, member: int) -> str:
        """The answer to a member's request to join, or that it waits."""
        if str(self.door.stage(member)) == "PARKED":
            return "it waits"
        answer = self.door.answer(member)
        if str(answer.error()) == "NONE":
            self.generations[member] = int(answer.generation())
        return f"{answer.error()}, generation {int(answer.generation())}"

    def syncs(self, member: int, assignments: list[int]) -> str:
        """A member asks for its assignment; a leader names those of all. What it is answered."""
        self.door.sync(member, self._instance(member), self.generations[member], assignments)
        answer = self.door.answer(member)
        return f"{answer.error()}, assignment {numbers(int(answer.assigned()))}"

    def beats(self, member: int) -> str:
        """A member sends a heartbeat of the classic protocol; the error."""
        self.door.beat(member, self._instance(member), self.generations[member])
        return str(self.door.answer(member).error())

    def heartbeats(self, member: int, epoch: int, owned: int = 0) -> Any:
        """A member sends a full heartbeat of the new protocol; the reply."""
        return self.door.heartbeat(member, epoch, True, 1, owned, True)

    @property
    def kind(self) -> str:
        """Which form the group has."""
        state = self.door.classicState()
        return "of the new protocol" if state is None else f"a classic one, {state}"
