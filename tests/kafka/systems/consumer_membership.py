"""Kafka's consumer of the new protocol as a system: `ConsumerMembershipManager`, `ConsumerHeartbeatRequestManager`.

It judges what heartbeats name, what responses change, and how assignments are applied. The door stands for the commit
before that, the application's thread, the network and the metadata.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers

DOOR = "org.apache.kafka.clients.consumer.internals.ConsumerDoor"
NO_SET, LEAVING_EPOCHS, LEFT_EPOCH = -1, (-1, -2), -2
IN_GROUP = ("JOINING", "RECONCILING", "ACKNOWLEDGING", "STABLE", "PREPARE_LEAVING")
KNOWS_TARGET = ("RECONCILING", "ACKNOWLEDGING", "STABLE")
NAMED = ("names_timeout", "names_topics", "subscribed", "names_owned", "owned")


class ConsumerMembership:
    """One consumer."""

    observes = (
        *(f"consumer.{field}" for field in ("state", "member_epoch", "owned", "target", "is_applied")),
        *(f"consumer.{field}" for field in ("is_reconciling", "has_rejoined")),
        "heartbeat.stage",
        *(f"heartbeat.request.{field}" for field in ("member_epoch", "instance_id", "is_temporary", *NAMED)),
    )
    not_judged: ClassVar = {
        "consumer.subscribed": "the application's; it is seen in heartbeats",
        "consumer.instance_id": "the application's; it is seen in heartbeats",
        "consumer.reconciled": "it is seen when it is applied",
        "consumer.is_newest": "it is seen when the assignment is applied",
        "consumer.has_applied": "it is seen in whether an assignment takes a reconciliation",
        **{f"consumer.names_{each}": "it is seen in the next heartbeat" for each in ("timeout", "topics", "owned")},
        "heartbeat.request.member_id": "one consumer",
        "heartbeat.response": "the environment's",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.topics, self.instances = model.bounds["topics"], model.bounds["instances"]
        self.acts = tuple(model.actions)
        self.refuses = (
            "consumer_sends_heartbeat",
            "consumer_begins_reconciliation",
            "consumer_completes_reconciliation",
        )

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a consumer that joins."""
        self.door = jvm.java(DOOR)(0, self.topics, bits(state["consumer.subscribed"]))
        if self.instances:
            self.door.giveInstance(0)
        self.subscribed = bits(state["consumer.subscribed"])
        self.request: Any = None

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the consumer, its application or the network do what the action says."""
        return bool(getattr(self, action)(**parameters))

    def consumer_sends_heartbeat(self) -> bool:
        """Let the heartbeat interval pass; one that leaves waits for the response to the heartbeat before."""
        if self.door.isWaiting():
            return False
        self.request = self.door.send()
        return self.request is not None

    def response_arrives(self, error: str, member_epoch: int, names_assignment: bool, assigned: list[int]) -> bool:
        """Deliver a response."""
        self.door.receive(error, member_epoch, bits(assigned) if names_assignment else NO_SET)
        return True

    def heartbeat_is_lost(self) -> bool:
        """Break the connection."""
        self.door.lose()
        return True

    def consumer_begins_reconciliation(self) -> bool:
        """Let the consumer's thread go on."""
        return bool(self.door.reconcile())

    def consumer_completes_reconciliation(self) -> bool:
        """The commit is done."""
        return bool(self.door.complete())

    def consumer_leaves(self) -> bool:
        """The application unsubscribes."""
        self.door.leave()
        return True

    def consumer_releases_partitions(self) -> bool:
        """The listener returns."""
        return bool(self.door.release())

    def consumer_joins_again(self) -> bool:
        """The application subscribes to the same topics again."""
        self.door.join(self.subscribed)
        return True

    def subscription_changes(self, topics: list[int]) -> bool:
        """The application subscribes to other topics."""
        self.subscribed = bits(topics)
        self.door.subscribe(self.subscribed)
        return True

    def observe(self) -> dict[str, Any]:
        """The membership, and the heartbeat that is under way.

        A consumer that has ended keeps an epoch that nobody reads, and if it was leaving its partitions for a moment.
        """
        state = str(self.door.state())
        epoch, named, target, processed = map(int, self.door.known())
        shown: dict[str, Any] = {
            "consumer.state": state,
            "consumer.member_epoch": None if epoch in LEAVING_EPOCHS else epoch,
            "consumer.owned": numbers(processed if state in IN_GROUP else named),
            "consumer.is_reconciling": bool(self.door.isReconciling()),
            "consumer.has_rejoined": bool(self.door.hasRejoined()),
        }
        if state == "FATAL":
            del shown["consumer.member_epoch"]
        if state == "FATAL" and self.door.isReleasing():
            del shown["consumer.owned"]
        if state in IN_GROUP:
            shown["consumer.target"] = numbers(target)
        if state in KNOWS_TARGET:
            shown["consumer.is_applied"] = bool(self.door.isApplied())
        return shown | self._heartbeat()

    def _heartbeat(self) -> dict[str, Any]:
        """The request that is under way; of one that leaves the coordinator reads the epoch only."""
        if not self.door.isWaiting():
            return {"heartbeat.stage": "IDLE"}
        epoch = int(self.request.memberEpoch())
        name = "heartbeat.request"
        instance = self.request.instanceId()
        shown = {
            "heartbeat.stage": "REQUESTED",
            f"{name}.member_epoch": None if epoch in LEAVING_EPOCHS else epoch,
            f"{name}.instance_id": None if instance is None else int(str(instance)[len("instance") :]),
            f"{name}.is_temporary": epoch == LEFT_EPOCH,
        }
        if epoch in LEAVING_EPOCHS:
            return shown
        topics, partitions = self.request.subscribedTopicNames(), self.request.topicPartitions()
        return shown | {
            f"{name}.names_timeout": int(self.request.rebalanceTimeoutMs()) != -1,
            f"{name}.names_topics": topics is not None,
            f"{name}.subscribed": sorted(int(str(each)[len("topic") :]) for each in topics or ()),
            f"{name}.names_owned": partitions is not None,
            f"{name}.owned": sorted(
                self._number(each, index) for each in partitions or () for index in each.partitions()
            ),
        }

    def _number(self, topic: Any, index: Any) -> int:
        return int(index) * int(self.topics) + int(topic.topicId().getLeastSignificantBits()) - 1


SYSTEM = ConsumerMembership
