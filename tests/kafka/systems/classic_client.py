"""Kafka's consumer of the classic protocol as a system: `ConsumerCoordinator` with `AbstractCoordinator`, no threads.

It judges when a consumer joins, syncs, sends heartbeats and leaves, what its requests say, what responses change, and
what the application's listener is told. The door stands for the application's thread, the network and the metadata. An
application whose instance id is another's closes its consumer.
"""

from typing import Any, ClassVar

import jpype
import jvm
from around.numbers import bits, numbers

DOOR = "org.apache.kafka.clients.consumer.internals.ClassicConsumerDoor"
NONE = -1
KINDS = {
    "JoinGroupRequestData": "JOIN",
    "SyncGroupRequestData": "SYNC",
    "HeartbeatRequestData": "HEARTBEAT",
    "LeaveGroupRequestData": "LEAVE",
}
CALLS = ("revoked", "lost", "added")
NAMES_GENERATION = ("SYNC", "HEARTBEAT")


class ClassicClient:
    """One consumer."""

    observes = (
        *(f"consumer.{field}" for field in ("state", "member_id", "generation", "owned", "needs_join", "is_prepared")),
        "connection.stage",
        *(f"connection.request.{field}" for field in ("kind", "member_id", "instance_id", "generation", "owned")),
        "connection.request.assignments[*]",
        *(f"calls.{each}" for each in CALLS),
    )
    not_judged: ClassVar = {
        "consumer.instance_id": "the application's; it is seen in requests",
        "connection.response": "the environment's",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.is_cooperative = model.rules["is_cooperative"]
        self.acts = tuple(model.actions)
        self.refuses = ("consumer_asks_to_join", "consumer_sends_leave")

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a consumer that has subscribed."""
        instance = state["consumer.instance_id"]
        self.door = jvm.java(DOOR)(
            self.bounds["partitions"], self.is_cooperative, NONE if instance is None else instance
        )
        self.has_left = False
        self.calls: tuple[int, ...] = (0, 0, 0)

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the consumer, its application or the network do what the action says."""
        self.door.forget()
        done = getattr(self, action)(**parameters) is not False
        if self.door.isFenced() and not self.has_left:
            self.consumer_leaves()
        calls = tuple(map(int, self.door.calls()))
        if done or any(calls):
            self.calls = calls
        return done

    def consumer_asks_to_join(self) -> bool:
        """The application polls; one request at a time is under way."""
        if self.has_left or self.door.request() is not None:
            return False
        self.door.poll()
        return self.door.request() is not None

    def consumer_sends_heartbeat(self) -> bool:
        """Let the heartbeat interval pass."""
        self.door.beat()
        return self.door.request() is not None

    def consumer_sends_leave(self) -> bool:
        """Let the request go that waits; the connection takes one after the other."""
        if not self.door.isHeldBack() or self.door.request() is not None:
            return False
        self.door.release()
        return True

    def consumer_leaves(self) -> None:
        """The application unsubscribes."""
        self.has_left = True
        self.door.leave()

    def member_id_is_required(self, member_id: int) -> None:
        """Answer a request to join with a member id."""
        self._joined("MEMBER_ID_REQUIRED", member_id)

    def request_is_refused(self, error: str) -> None:
        """Answer with an error."""
        kind = _kind(self.door.request())
        if kind == "JOIN":
            self._joined(error)
        elif kind == "SYNC":
            self.door.synced(error, 0)
        elif kind == "HEARTBEAT":
            self.door.beaten(error)
        else:
            self.door.left(error)

    def consumer_has_joined(self, member_id: int, generation: int, members: list[int], claimed: list[int]) -> None:
        """Answer a request to join with a generation."""
        own = self.door.claimed()
        self._joined(
            "NONE", member_id, generation, members, [own if each == member_id else bits(claimed) for each in members]
        )

    def assignment_arrives(self, assigned: list[int]) -> None:
        """Answer a request to sync."""
        self.door.synced("NONE", bits(assigned))

    def request_succeeds(self) -> None:
        """Answer a heartbeat, or a request to leave."""
        self.request_is_refused("NONE")

    def request_is_lost(self) -> None:
        """Break the connection."""
        self.door.receive(None)

    def _joined(
        self,
        error: str,
        member_id: int = NONE,
        generation: int = NONE,
        members: list[int] | None = None,
        owned: list[int] | None = None,
    ) -> None:
        ints, longs = jpype.JArray(jpype.JInt), jpype.JArray(jpype.JLong)
        self.door.joined(error, member_id, generation, ints(members or []), longs(owned or []))

    def observe(self) -> dict[str, Any]:
        """The membership, the request that is under way, and what the listener was told.

        What a consumer that has left still knows is read by nobody; one that waits to say so has its request ready.
        """
        generation = int(self.door.generation())
        shown: dict[str, Any] = {
            "consumer.owned": numbers(int(self.door.owned())),
            **{f"calls.{each}": numbers(told) for each, told in zip(CALLS, self.calls, strict=True)},
        }
        if self.has_left:
            shown["consumer.state"] = "LEAVING" if self.door.isHeldBack() else "CLOSED"
        else:
            shown |= {
                "consumer.state": str(self.door.state()),
                "consumer.member_id": _number("member", self.door.memberId()),
                "consumer.generation": None if generation == NONE else generation,
                "consumer.needs_join": bool(self.door.needsJoin()),
                "consumer.is_prepared": not self.door.needsPreparation(),
            }
        return shown | self._request()

    def _request(self) -> dict[str, Any]:
        request = self.door.request()
        if request is None:
            return {"connection.stage": "IDLE"}
        kind, name = _kind(request), "connection.request"
        sender = request.members()[0] if kind == "LEAVE" else request
        shown: dict[str, Any] = {
            "connection.stage": "REQUESTED",
            f"{name}.kind": kind,
            f"{name}.member_id": _number("member", sender.memberId()),
            f"{name}.instance_id": _number("instance", sender.groupInstanceId()),
        }
        if kind in NAMES_GENERATION:
            shown[f"{name}.generation"] = int(request.generationId())
        if kind == "JOIN":
            shown[f"{name}.owned"] = numbers(int(self.door.claimed()))
        if kind == "SYNC":
            told = {_number("member", each.memberId()): each for each in request.assignments()}
            for member_id in range(self.bounds["member_ids"]):
                each = told.get(member_id)
                shown[f"{name}.assignments[{member_id}]"] = (
                    [] if each is None else numbers(int(self.door.assigned(each.assignment())))
                )
        return shown


def _kind(request: Any) -> str:
    return KINDS[str(request.getClass().getSimpleName())]


def _number(prefix: str, name: Any) -> int | None:
    return None if name is None or not str(name) else int(str(name)[len(prefix) :])


SYSTEM = ClassicClient
