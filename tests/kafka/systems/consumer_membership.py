"""Kafka's consumer of the new protocol as a system: `ConsumerMembershipManager`, `ConsumerHeartbeatRequestManager`.

It judges what heartbeats name, what responses change, and how assignments are applied. The door stands for the commit
before that, the application's thread, the network and the metadata. A heartbeat of a former membership is one that was
under way when the poll interval ended.
"""

from typing import Any, ClassVar

import jvm
from around.numbers import bits, numbers

DOOR = "org.apache.kafka.clients.consumer.internals.ConsumerDoor"
NO_SET, LEAVING_EPOCHS, LEFT_EPOCH = -1, (-1, -2), -2
IN_GROUP = ("JOINING", "RECONCILING", "ACKNOWLEDGING", "STABLE", "PREPARE_LEAVING")
STALE = "STALE"
KNOWS_TARGET = ("RECONCILING", "ACKNOWLEDGING", "STABLE")
NAMED = ("names_timeout", "names_topics", "subscribed", "names_owned", "owned")


class ConsumerMembership:
    """One consumer."""

    observes = (
        *(f"consumer.{field}" for field in ("state", "member_epoch", "owned", "target", "is_applied")),
        *(f"consumer.{field}" for field in ("is_reconciling", "has_rejoined")),
        "heartbeat.stage",
        *(f"heartbeat.request.{field}" for field in ("member_epoch", "instance_id", "is_temporary", *NAMED)),
        "consumer.rejoins",
        "farewell.former.stage",
        "farewell.leave.stage",
        *(f"farewell.leave.request.{field}" for field in ("member_epoch", "instance_id", "is_temporary")),
    )
    not_judged: ClassVar = {
        "consumer.subscribed": "the application's; it is seen in heartbeats",
        "consumer.instance_id": "the application's; it is seen in heartbeats",
        "consumer.reconciled": "it is seen when it is applied",
        "consumer.is_newest": "it is seen when the assignment is applied",
        "consumer.has_applied": "it is seen in whether an assignment takes a reconciliation",
        **{f"consumer.names_{each}": "it is seen in the next heartbeat" for each in ("timeout", "topics", "owned")},
        "consumer.unknown_topics": "the metadata's",
        "consumer.is_partial": "it is seen in whether an assignment is acknowledged again",
        "heartbeat.request.member_id": "one consumer",
        "heartbeat.response": "the environment's",
        "farewell.former.request": "it was seen when it was sent",
        "farewell.former.response": "the environment's",
        "farewell.leave.request": "its epoch and instance id are seen; the coordinator reads nothing else",
        "farewell.leave.response": "the environment's",
        "budget.slow_polls": "the environment's",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.topics, self.instances = model.bounds["topics"], model.bounds["instances"]
        self.acts = tuple(model.actions)
        self.refuses = (
            "consumer_sends_heartbeat",
            "consumer_begins_reconciliation",
            "consumer_completes_reconciliation",
            "application_polls_again",
        )
        self.slow_polls = model.bounds["slow_polls"]

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a consumer that joins."""
        unknown = bits(state.get("consumer.unknown_topics", []))
        self.door = jvm.java(DOOR)(0, self.topics, bits(state["consumer.subscribed"]), unknown)
        if self.instances:
            self.door.giveInstance(0)
        self.subscribed = bits(state["consumer.subscribed"])
        self.request: Any = None
        self.leave: Any = None

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

    def poll_interval_ends(self) -> bool:
        """Let more time pass than the application may take."""
        self.leave = self.door.expire()
        return self.leave is not None

    def former_response_arrives(
        self, error: str, member_epoch: int, names_assignment: bool, assigned: list[int]
    ) -> bool:
        """Deliver the response to the heartbeat that was under way when the poll interval ended."""
        self.door.receiveFormer(error, member_epoch, bits(assigned) if names_assignment else NO_SET)
        return True

    def leave_response_arrives(self, error: str) -> bool:
        """Deliver the response to the leave."""
        self.door.receiveLeave(error)
        return True

    def farewell_is_lost(self) -> bool:
        """Break the connection."""
        self.door.lose()
        return True

    def application_polls_again(self) -> bool:
        """Let the application poll."""
        return bool(self.door.poll())

    def consumer_loses_partitions(self) -> bool:
        """The listener returns."""
        return bool(self.door.release())

    def metadata_has_topic(self, topic_id: int) -> bool:
        """Put the topic's name into the metadata."""
        self.door.resolve(topic_id)
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
            "consumer.owned": numbers(processed if state in (*IN_GROUP, STALE) else named),
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
        if self.slow_polls:
            shown["consumer.rejoins"] = state == STALE and not self.door.isPollTimerExpired()
        return shown | self._farewell() | self._heartbeat()

    def _farewell(self) -> dict[str, Any]:
        """What is under way of the former membership."""
        is_leaving = bool(self.door.isLeaveUnderWay())
        shown: dict[str, Any] = {
            "farewell.former.stage": "REQUESTED" if self.door.isFormerUnderWay() else "IDLE",
            "farewell.leave.stage": "REQUESTED" if is_leaving else "IDLE",
        }
        if not is_leaving:
            return shown
        return shown | self._identity("farewell.leave.request", self.leave)

    def _identity(self, name: str, request: Any) -> dict[str, Any]:
        """The epoch and the instance id that a request names."""
        epoch, instance = int(request.memberEpoch()), request.instanceId()
        return {
            f"{name}.member_epoch": None if epoch in LEAVING_EPOCHS else epoch,
            f"{name}.instance_id": None if instance is None else int(str(instance)[len("instance") :]),
            f"{name}.is_temporary": epoch == LEFT_EPOCH,
        }

    def _heartbeat(self) -> dict[str, Any]:
        """The request that is under way; of one that leaves the coordinator reads the epoch only."""
        if not self.door.isWaiting():
            return {"heartbeat.stage": "IDLE"}
        epoch = int(self.request.memberEpoch())
        name = "heartbeat.request"
        shown = {"heartbeat.stage": "REQUESTED"} | self._identity(name, self.request)
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
