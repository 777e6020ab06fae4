"""Kafka's transaction coordinator as a system: `TransactionCoordinator`, its state manager and its marker manager.

It judges what a coordinator answers, what it appends and keeps in memory, what a new one loads, and which markers it
sends. The door stands for the log, the clock, the network and the controller; producer ids and epochs are Kafka's own.

With `--kafka 4.2` the rules are that release's; `--set transaction_version=1` beside it leaves the version to requests.
"""

from typing import Any, ClassVar

import jvm

DOOR = "kafka.coordinator.transaction.TransactionCoordinatorDoor"
STATES = {
    -1: "NONE",
    0: "EMPTY",
    1: "ONGOING",
    2: "PREPARE_COMMIT",
    3: "PREPARE_ABORT",
    4: "COMPLETE_COMMIT",
    5: "COMPLETE_ABORT",
    6: "DEAD",
    7: "PREPARE_EPOCH_FENCE",
}
"""The model's names of Kafka's states, by Kafka's numbers; -1 stands for no state."""
NO_STATE, PENDING = -1, 8
UNVERSIONED = ("EMPTY", "DEAD")
PREPARING = ("PREPARE_COMMIT", "PREPARE_ABORT")
ANSWERS = {
    "NONE": "NONE",
    "PRODUCER_FENCED": "PRODUCER_FENCED",
    "INVALID_TXN_STATE": "INVALID_TXN_STATE",
    "INVALID_PRODUCER_ID_MAPPING": "INVALID_PRODUCER_ID_MAPPING",
    "TRANSACTION_ABORTABLE": "TRANSACTION_ABORTABLE",
    "CONCURRENT_TRANSACTIONS": "WAIT",
    "COORDINATOR_NOT_AVAILABLE": "WAIT",
    "COORDINATOR_LOAD_IN_PROGRESS": "WAIT",
    "NOT_COORDINATOR": "WAIT",
}
"""The model's answers by Kafka's errors: after some of them a client asks again."""
FATAL_LIKE_FENCED = "UNKNOWN_SERVER_ERROR"
"""What Kafka answers an InitProducerId in which it throws IllegalStateException; its client stops as if fenced."""
ENTRY = ("producer_id", "previous_producer_id", "next_producer_id", "producer_epoch", "state", "partitions")
LOGGED = tuple(field for field in ENTRY if field != "previous_producer_id")
MEMORY = (*ENTRY[:4], "last_producer_epoch", *ENTRY[4:])
MARKER = ("is_sent", "producer_id", "producer_epoch", "marker")
VERSION_2, OLDER_VERSION = 2, 0


class TransactionCoordinator:
    """The coordinators of one transactional id, one term after the other."""

    observes = (
        *(f"coordinator.metadata.{field}" for field in (*MEMORY, "is_upgraded")),
        *(f"coordinator.{field}" for field in ("pending_state", "has_failed_epoch_fence", "unmarked")),
        *(f"coordinator.markers[*].{field}" for field in (*MARKER, "is_upgraded")),
        "log.is_appended",
        *(f"log.{entry}.{field}" for entry in ("entry", "appended") for field in (*LOGGED, "is_upgraded")),
        "producer_ids.next_producer_id",
    )
    answers = ("reply.answer", "reply.producer_id", "reply.producer_epoch")
    needs = ("coordinator.metadata.producer_id", "coordinator.metadata.producer_epoch")
    not_judged: ClassVar = {
        "coordinator.is_marking": "a map that Kafka does not show; the completion shows it",
        "coordinator.is_serving": "always, here",
        "coordinator.is_back": "the environment's",
        "former": "its markers are seen in what their answers do",
        "asked": "the environment's",
        "waiting": "it is seen in the answer that comes with the commit",
        "log.coordinator_epoch": "the environment's",
        "log.entry.last_producer_epoch": "Kafka does not log it",
        "log.appended.last_producer_epoch": "Kafka does not log it",
        "log.entry.previous_producer_id": "the releases differ in when they log it; it is seen when it is loaded",
        "log.appended.previous_producer_id": "as in log.entry",
    }

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.is_mixed = model.bounds["upgrades"] > 0
        self.versions = (model.rules["transaction_version"], model.rules["cluster_version"])
        self.logs_next_id = model.rules["next_producer_id_is_logged"]
        self.acts = tuple(model.actions)
        self.refuses = tuple(set(REFUSES) & set(model.actions))
        self.partitions = range(model.bounds["partitions"])

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a broker that becomes the coordinator of this log."""
        self.door = jvm.java(DOOR)(
            state["producer_ids.next_producer_id"], self.bounds["producer_ids"], max(self.versions)
        )
        if state["log.entry.state"] != "NONE":
            self.door.begin(first_records(state["log.entry.producer_id"], state["log.entry.producer_epoch"]))
        self.door.elect()
        self.reply: Any = None
        self.waiting: Any = None
        self.has_acted = False

    def act(self, action: str, parameters: dict[str, Any], known: dict[str, Any]) -> bool:
        """Let the coordinator do what the action says; whether it did."""
        self.reply, self.known = None, known
        self.is_initializing = action in ("client_initializes", "new_client_initializes")
        self.has_acted = bool(getattr(self, action)(**parameters))
        return self.has_acted

    def new_client_initializes(self) -> bool:
        """A client that has no producer id asks for one."""
        self.reply = self.door.initialize(-1, -1)
        return True

    def client_initializes(self, producer_id: int, age: int) -> bool:
        """A client that names its producer id asks for the next epoch."""
        self.reply = self.door.initialize(producer_id, self._epoch(producer_id, age))
        return True

    def client_adds_partition(self, producer_id: int, age: int, partition_id: int, version: int) -> bool:
        """A client adds a partition; with version 2 the partition's leader does."""
        self.reply = self.door.add(producer_id, self._epoch(producer_id, age), partition_id, self._version(version))
        return True

    def client_ends(self, producer_id: int, age: int, commits: bool, version: int) -> bool:
        """A client ends its transaction."""
        self.reply = self.door.end(producer_id, self._epoch(producer_id, age), commits, self._version(version))
        return True

    def leader_verifies(self, producer_id: int, age: int, partition_id: int) -> bool:
        """A partition's leader asks whether the partition is in the transaction."""
        self.reply = self.door.verify(producer_id, self._epoch(producer_id, age), partition_id)
        return True

    def log_commits(self) -> bool:
        """The entry is committed; a request that waited for it is answered."""
        if not self.door.hasAppended():
            return False
        self._answer_later(self.door.commit)
        return True

    def append_fails(self, is_definitive: bool) -> bool:
        """The append fails, or is not confirmed in time."""
        if not self.door.hasAppended():
            return False
        self._answer_later(lambda: self.door.fail(is_definitive))
        return True

    def coordinator_is_replaced(self, keeps_append: bool, comes_back: bool) -> bool:
        """The broker resigns, and it or another one is elected."""
        self.door.resign()
        self.door.lose(keeps_append)
        if comes_back:
            self.door.electAgain()
        else:
            self.door.elect()
        self.waiting = None
        return True

    def coordinator_sends_marker(self, partition_id: int) -> bool:
        """The marker of a partition is sent."""
        return bool(self.door.send(partition_id))

    def marker_is_answered(self, partition_id: int, is_fenced: bool) -> bool:
        """The leader answers."""
        self.door.answer(partition_id, "TRANSACTION_COORDINATOR_FENCED" if is_fenced else "NONE")
        return True

    def former_marker_is_answered(self, partition_id: int) -> bool:
        """The leader answers a marker that this broker sent before it became the coordinator again."""
        self.door.answerFormer(partition_id)
        return True

    def marker_answer_is_lost(self, partition_id: int) -> bool:
        """The connection breaks before the leader's answer comes."""
        self.door.answer(partition_id, None)
        return True

    def partition_is_deleted(self, partition_id: int) -> bool:
        """The partition is deleted before its marker is sent."""
        return bool(self.door.delete(partition_id))

    def coordinator_completes(self) -> bool:
        """The thread that completes the transaction goes on."""
        return bool(self.door.goOn())

    def transaction_times_out(self) -> bool:
        """More time passes than the client has asked for."""
        return self._appends(self.door.timeOut)

    def transactional_id_expires(self) -> bool:
        """The transactional id is unused for long."""
        return self._appends(self.door.expire)

    def _appends(self, call: Any) -> bool:
        had_appended = self.door.hasAppended()
        memory = self.door.memory()
        if had_appended and memory is not None and memory[PENDING] == NO_STATE:
            return False  # the log is short of replicas; the model lets no time pass meanwhile
        call()
        return bool(self.door.hasAppended()) and not had_appended

    def _answer_later(self, call: Any) -> None:
        """Do what may answer the request that waits."""
        waiting, self.waiting = self.waiting, None
        call()
        self.reply = waiting

    def _epoch(self, producer_id: int, age: int) -> int:
        """The epoch that the model means by an age."""
        if producer_id == self.known["coordinator.metadata.producer_id"]:
            epoch = self.known["coordinator.metadata.producer_epoch"]
            return (-1 if epoch is None else int(epoch)) + 1 - age
        return int(self.bounds["max_producer_epoch"]) - age

    def _version(self, version: int) -> int:
        return VERSION_2 if version or self.versions[0] == VERSION_2 else OLDER_VERSION

    def observe(self) -> dict[str, Any]:
        """The coordinator's memory, its log, its markers and its last answer."""
        shown: dict[str, Any] = {"log.is_appended": bool(self.door.hasAppended())}
        shown["producer_ids.next_producer_id"] = int(self.door.nextProducerId())
        memory = self.door.memory()
        *fields, version, pending, has_failed = BLANK_MEMORY if memory is None else map(int, memory)
        metadata = record_of("coordinator.metadata", MEMORY, fields, version, self.is_mixed)
        if metadata["coordinator.metadata.state"] in PREPARING:
            shown["coordinator.unmarked"] = metadata.pop("coordinator.metadata.partitions")
        shown |= metadata
        shown["coordinator.pending_state"] = STATES[pending]
        if max(self.versions) != VERSION_2:  # with version 2 nothing reads it
            shown["coordinator.has_failed_epoch_fence"] = bool(has_failed)
        # A tombstone has no fields; what it does is seen when a coordinator loads the log.
        for name, numbers in (
            ("log.entry", self.door.committed()),
            ("log.appended", self.door.appended() if self.door.hasAppended() else BLANK_ENTRY),
        ):
            if numbers is not None:
                *fields, version = map(int, numbers)
                shown |= record_of(name, ENTRY, fields, version, self.is_mixed)
                del shown[f"{name}.previous_producer_id"]
                if not self.logs_next_id:
                    del shown[f"{name}.next_producer_id"]
        for partition in self.partitions:
            shown |= self._marker(partition)
        if not self.has_acted:
            return shown
        return shown | self._reply(shown.get("log.appended.state", "DEAD"))

    def _marker(self, partition: int) -> dict[str, Any]:
        name, sent = f"coordinator.markers[{partition}]", self.door.marker(partition)
        if sent is None:
            return {f"{name}.is_sent": False}
        shown = {
            f"{name}.is_sent": True,
            f"{name}.producer_id": int(sent.producerId),
            f"{name}.producer_epoch": int(sent.producerEpoch),
            f"{name}.marker": "COMMIT" if sent.isCommit else "ABORT",
        }
        if self.is_mixed and sent.transactionVersion >= 0:
            shown[f"{name}.is_upgraded"] = int(sent.transactionVersion == VERSION_2)
        return shown

    def _reply(self, appended: str) -> dict[str, Any]:
        """The answer of the last step; a request without one waits for the entry that it has led to."""
        error = None if self.reply is None else self.reply.error
        named: dict[str, Any] = {"reply.producer_id": None, "reply.producer_epoch": None}
        if self.reply is None:
            return {"reply.answer": "WAIT", **named}
        if error is None:
            self.waiting = self.reply
            is_fencing = self.is_initializing and appended == "PREPARE_ABORT"
            return {"reply.answer": "FENCING" if is_fencing else "APPENDING", **named}
        if str(error) == "NONE" and self.reply.producerId >= 0:
            named = {
                "reply.producer_id": int(self.reply.producerId),
                "reply.producer_epoch": int(self.reply.producerEpoch),
            }
        if self.is_initializing and str(error) == FATAL_LIKE_FENCED:
            return {"reply.answer": "PRODUCER_FENCED", **named}
        return {"reply.answer": ANSWERS.get(str(error), str(error)), **named}


def record_of(
    name: str, fields: tuple[str, ...], numbers: list[int], version: int, is_mixed: bool = True
) -> dict[str, Any]:
    """The fields of a transactional id's state by their paths. Without `is_mixed` all requests have one version."""
    shown: dict[str, Any] = {}
    for field, number in zip(fields, numbers, strict=True):
        shown[f"{name}.{field}"] = number
        if field == "state":
            shown[f"{name}.{field}"] = STATES[number]
        elif field == "partitions":
            shown[f"{name}.{field}"] = [each for each in range(number.bit_length()) if number >> each & 1]
        elif number == -1:
            shown[f"{name}.{field}"] = None
    # Nothing reads the version of an idle or dead id, and the releases differ in whether a new epoch resets it.
    if is_mixed and shown[f"{name}.state"] not in UNVERSIONED:
        shown[f"{name}.is_upgraded"] = int(version == VERSION_2)
    return shown


def first_records(producer_id: int, producer_epoch: int) -> Any:
    """The log of a transactional id that is idle in this epoch."""
    value = jvm.java(f"{GENERATED}.TransactionLogValue")()
    value.setProducerId(producer_id)
    value.setProducerEpoch(producer_epoch)
    value.setTransactionTimeoutMs(TIMEOUT_MS)
    value.setTransactionStartTimestampMs(-1)
    key = jvm.java(f"{GENERATED}.TransactionLogKey")().setTransactionalId("transactional")
    bytes_of = jvm.java("org.apache.kafka.common.protocol.MessageUtil").toVersionPrefixedBytes
    record = jvm.moved("SimpleRecord")(0, bytes_of(0, key), bytes_of(1, value))
    return jvm.moved("MemoryRecords").withRecords(jvm.java(COMPRESSION).NONE, record)


BLANK_ENTRY = (-1, -1, -1, -1, -1, 0, 0)
BLANK_MEMORY = (-1, -1, -1, -1, -1, -1, 0, 0, -1, 0)
GENERATED = "org.apache.kafka.coordinator.transaction.generated"
COMPRESSION = "org.apache.kafka.common.compress.Compression"
TIMEOUT_MS = 1_000
REFUSES = (
    "coordinator_completes",
    "coordinator_sends_marker",
    "partition_is_deleted",
    "transaction_times_out",
    "transactional_id_expires",
)

SYSTEM = TransactionCoordinator
