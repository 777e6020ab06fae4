"""A consumer group for the findings: Kafka's coordinator and Kafka's consumers, and messages in between."""

from typing import Any

import jvm

COORDINATOR = "org.apache.kafka.coordinator.group.GroupDoor"
CONSUMER = "org.apache.kafka.clients.consumer.internals.ConsumerDoor"
EPOCH, PROCESSED = 0, 3
NO_SET = -1


class Group:
    """One topic with two partitions, its group's coordinator, and the consumers that have joined."""

    def __init__(self) -> None:
        self.coordinator = jvm.java(COORDINATOR)()
        self.coordinator.start(1, 0b11)
        self.consumers: dict[int, Any] = {}

    def joins(self, member: int) -> Any:
        """A consumer joins, and hears of its assignment."""
        self.consumers[member] = jvm.java(CONSUMER)(member, 1, 1)
        return self.heartbeats(member)

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


def numbers(value: int) -> list[int]:
    """The numbers of the bits that are set."""
    return [each for each in range(value.bit_length()) if value >> each & 1]
