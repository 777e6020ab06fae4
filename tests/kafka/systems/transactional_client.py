"""Kafka's transactional producer as a system: `TransactionManager` with `Sender` and `RecordAccumulator`.

It judges which requests a transactional client sends, and how it reacts to the answers of its coordinators and leaders.
The network holds each request until the model answers it; FindCoordinator is answered at once.
"""

from typing import Any, ClassVar

import jpype
import jvm
from around.producer import (
    COORDINATOR,
    REQUESTS,
    ProducerParts,
    code_of,
    find_coordinator_response,
    init_producer_id_response,
    versions_of,
)
from around.reflection import called

STATES = {"COMMITTING_TRANSACTION": "COMMITTING", "ABORTING_TRANSACTION": "ABORTING"}
"""Kafka's names of states that the model shortens."""
KINDS = {
    "INIT_PRODUCER_ID": "INIT_PRODUCER_ID",
    "ADD_PARTITIONS_TO_TXN": "ADD_PARTITIONS_TO_TXN",
    "ADD_OFFSETS_TO_TXN": "ADD_PARTITIONS_TO_TXN",
    "END_TXN": "END_TXN",
}
REPEATING = (None, "COORDINATOR_LOAD_IN_PROGRESS", "NOT_COORDINATOR", "CONCURRENT_TRANSACTIONS")
"""Answers after which a request to a coordinator is sent again; None is a broken connection."""
REPEATING_PRODUCE = (None, "NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS")
FENCED = "PRODUCER_FENCED"
TIMEOUT_MS = 100_000
RUNS = 6
"""So many runs of the sender are enough to send what is due."""
TOPIC, GROUP = "topic", "group"


class TransactionalClient:
    """A transactional producer, and an application that awaits each answer."""

    observes = (
        *(f"client.{each}" for each in ("state", "producer_id", "producer_epoch", "partitions", "has_lost_batch")),
        "client.sequences[*]",
        *(f"request.{each}" for each in ("kind", "producer_id", "producer_epoch", "partition", "marker")),
        *(f"produce.{each}" for each in ("stage", "partition", "input_offset")),
        *(f"produce.batch.{each}" for each in ("producer_id", "producer_epoch", "base_sequence", "is_transactional")),
        "transactions[*].told",
        "transactions[*].acknowledged",
    )
    not_judged: ClassVar = {}

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.version = model.rules["transaction_version"]
        self.acts = tuple(model.actions)
        self.refuses = ("application_begins", "application_aborts")
        seen = {each.replace("[*]", "") for each in self.observes}
        self.not_judged = {
            path: "the application's, the environment's, or a bound"
            for path in model.fields
            if path.partition("[")[0] + path.rpartition("]")[2] not in seen
        }
        self.topic_id = jvm.java("org.apache.kafka.common.Uuid")(1, 1)
        self.keys = jvm.java("org.apache.kafka.common.protocol.ApiKeys")
        self.clock = jvm.java("org.apache.kafka.controller.StandingClock")()
        self.partition = jvm.java("org.apache.kafka.common.TopicPartition")

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a producer that has not asked for its id."""
        self.parts = ProducerParts(
            TOPIC,
            self.topic_id,
            self.bounds["partitions"],
            self.clock,
            TIMEOUT_MS,
            in_flight=5,
            transactional_id="transactional",
            node_versions=versions_of(self.version),
        )
        self.manager = self.parts.state
        self.door = self.parts.door
        self.next_producer_id = 0
        self.result: Any = None
        self.transaction = -1
        self.asked: str | None = None
        self.told: dict[int, str | None] = {}
        self.records: dict[tuple[int, int], int] = {}
        self.offsets: dict[int, Any] = {}

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the application or the network do what the action says."""
        self.clock.sleep(1)
        try:
            return bool(getattr(self, action)(**parameters))
        except (jvm.java("org.apache.kafka.common.KafkaException"), jvm.java("java.lang.IllegalStateException")):
            return False

    def application_initializes(self) -> bool:
        """Call `initTransactions`."""
        self.result = called(self.manager, "initializeTransactions", boolean=False)
        return self._run()

    def application_begins(self) -> bool:
        """Call `beginTransaction`."""
        if self.transaction + 1 == self.bounds["batches"]:
            return False
        self.manager.beginTransaction()
        self.transaction += 1
        return True

    def application_sends(self, partition_id: int) -> bool:
        """Call `send`; if the record is in the buffer already, the sender sends it."""
        key = self.transaction, partition_id
        if key not in self.records:
            self.records[key] = len(self.records)
            value = jpype.JArray(jpype.JByte)([self.records[key]] * 100)
            self.door.append(partition_id, value, self.clock.milliseconds())
            self.manager.maybeAddPartition(self.partition(TOPIC, partition_id))
        return self._run()

    def application_sends_offsets(self) -> bool:
        """Call `sendOffsetsToTransaction`; if it has been called already, the sender goes on with it."""
        if self.transaction not in self.offsets:
            offsets = jvm.java("java.util.HashMap")()
            offsets.put(self.partition("input", 0), jvm.java("org.apache.kafka.clients.consumer.OffsetAndMetadata")(0))
            group = jvm.java("org.apache.kafka.clients.consumer.ConsumerGroupMetadata")(GROUP)
            self.offsets[self.transaction] = self.manager.sendOffsetsToTransaction(offsets, group)
        return self._run()

    def application_commits(self) -> bool:
        """Call `commitTransaction`."""
        self.result, self.asked = self.manager.beginCommit(), "COMMIT"
        return self._run()

    def application_aborts(self) -> bool:
        """Call `abortTransaction`, unless the application awaits an answer."""
        offsets = self.offsets.get(self.transaction)
        if self.parts.network.hasInFlightRequests() or (offsets is not None and not offsets.isCompleted()):
            return False
        self.result, self.asked = self.manager.beginAbort(), "ABORT"
        return self._run()

    def coordinator_agrees(self, rotates: bool) -> bool:
        """Answer the request without an error; it may name another producer id."""
        data = self._data(self._request())
        named = -1, -1
        if str(self._request().apiKey()) in ("INIT_PRODUCER_ID", "END_TXN"):
            named = (self.next_producer_id, 0) if rotates else (int(data.producerId()), int(data.producerEpoch()) + 1)
        self.next_producer_id += rotates
        self._answer("NONE", *named)
        return self._run() if str(self.door.state()) == "INITIALIZING" else True

    def coordinator_refuses(self, answer: str) -> bool:
        """Answer the request by an error."""
        return self._answer(answer)

    def request_is_repeated(self, reason: int) -> bool:
        """Answer the request so that it is sent again, and let it be sent."""
        error = REPEATING[reason - 1]
        if error is None:
            self.door.deliver(self._request(), None)
        else:
            self._answer(error)
        return self._run()

    def leader_stores(self) -> bool:
        """Answer the produce request, or the offsets, without an error."""
        return self._answer_produce("NONE")

    def leader_refuses(self, answer: str) -> bool:
        """Answer the produce request, or the offsets, by an error."""
        return self._answer_produce(answer)

    def produce_is_repeated(self, reason: int) -> bool:
        """Answer the produce request, or the offsets, so that it is sent again, and let it be sent."""
        request = self._produce()
        if reason == 1:
            self.door.deliver(request, None)
        elif str(request.apiKey()) == "PRODUCE":
            self._answer_produce(REPEATING_PRODUCE[reason - 1])
        else:
            self._answer_produce(REPEATING[reason - 1])
        return self._run()

    def batch_expires(self) -> bool:
        """Let the sender run when the time of the batch in flight is over."""
        partition = int(str(self._produce().destination()))
        self.door.create(self.door.first(partition, True), self.clock.milliseconds() - TIMEOUT_MS)
        self.parts.network.open(partition, False)
        self.door.run()
        self.parts.network.open(partition, True)
        self.parts.network.held.clear()
        return True

    def _run(self) -> bool:
        """Let the sender run until it has sent what is due."""
        for _ in range(RUNS):
            self.door.run()
            finding = self.door.oldest(self.keys.FIND_COORDINATOR, COORDINATOR)
            if finding is not None:
                self.door.deliver(finding, find_coordinator_response(self._data(finding).coordinatorKeys().get(0)))
            elif self.parts.network.hasInFlightRequests():
                break
        return self._hear()

    def _request(self) -> Any:
        """The request to the coordinator that is under way."""
        return next((each for each in self.parts.network.held if str(each.apiKey()) in KINDS), None)

    def _produce(self) -> Any:
        """The produce request that is under way, or the offsets."""
        kinds = "PRODUCE", "TXN_OFFSET_COMMIT"
        return next((each for each in self.parts.network.held if str(each.apiKey()) in kinds), None)

    @staticmethod
    def _data(request: Any) -> Any:
        return request.requestBuilder().build().data()

    def _answer(self, error: str, producer_id: int = -1, producer_epoch: int = -1) -> bool:
        """Bring an answer to the request, which may name a producer id and an epoch."""
        request = self._request()
        kind, data = str(request.apiKey()), self._data(request)
        if kind == "INIT_PRODUCER_ID":
            response = init_producer_id_response(producer_id, producer_epoch, error)
        elif kind == "ADD_PARTITIONS_TO_TXN":
            topic = data.v3AndBelowTopics().iterator().next()
            partitions = [int(each) for each in topic.partitions()]
            response = add_partitions_response(str(topic.name()), partitions, error)
        elif kind == "ADD_OFFSETS_TO_TXN":
            told = jvm.message("AddOffsetsToTxnResponseData", setErrorCode=code_of(error))
            response = jvm.java(f"{REQUESTS}.AddOffsetsToTxnResponse")(told)
        else:
            told = jvm.message("EndTxnResponseData", setErrorCode=code_of(error))
            if self.version == 2:
                told.setProducerId(producer_id).setProducerEpoch(jpype.JShort(producer_epoch))
            response = jvm.java(f"{REQUESTS}.EndTxnResponse")(told)
        self.door.deliver(request, response)
        return self._hear()

    def _answer_produce(self, error: str) -> bool:
        request = self._produce()
        if str(request.apiKey()) == "PRODUCE":
            error = "INVALID_PRODUCER_EPOCH" if error == FENCED else error
            partition = int(str(request.destination()))
            self.door.deliver(request, self.parts.produce_response(partition, error, 0 if error == "NONE" else -1))
        else:
            error = "ILLEGAL_GENERATION" if error == "INVALID_TXN_STATE" else error
            self.door.deliver(request, txn_offset_commit_response(self._data(request), error))
        return self._hear()

    def _hear(self) -> bool:
        """Let the application hear of the result that it awaits, and the sender send what follows from it."""
        if self.result is not None and self.door.acknowledge(self.result):
            if self.asked is None:
                self.manager.maybeUpdateTransactionV2Enabled(True)  # as `KafkaProducer.initTransactions` does
            else:
                self.told[self.transaction] = self.asked if self.result.isSuccessful() else None
            self.result = self.asked = None
        return True

    def observe(self) -> dict[str, Any]:
        """The client, its requests, and what its application knows."""
        state = str(self.door.state())
        producer_id, epoch, is_due, _ = map(int, self.door.producer())
        partitions = range(self.bounds["partitions"])
        shown: dict[str, Any] = {
            "client.state": STATES.get(state, state),
            "client.producer_id": _optional(producer_id),
            "client.producer_epoch": _optional(epoch),
            "client.has_lost_batch": bool(is_due),
        }
        if self.transaction not in self.offsets:
            added = int(self.door.partitions())
            shown["client.partitions"] = [each for each in partitions if added >> each & 1]
        # A batch that is refused lowers the sequences of its epoch, which nothing uses any more.
        if state in ("READY", "IN_TRANSACTION", "COMMITTING_TRANSACTION"):
            shown |= {f"client.sequences[{each}]": int(self.door.counter(each)[2]) for each in partitions}
        for each in range(self.bounds["batches"]):
            # What an error means is the application's to know; and it hears of an abort after the epoch that follows.
            told = self.told.get(each, "NONE")
            if told is not None and not (each == self.transaction and state == "INITIALIZING"):
                shown[f"transactions[{each}].told"] = told
            stored = [p for p in partitions if self._is_stored(each, p)]
            shown[f"transactions[{each}].acknowledged"] = stored
        return shown | self._show_request() | self._show_produce()

    def _is_stored(self, transaction: int, partition: int) -> bool:
        if partition == self.bounds["offsets_partition"]:
            result = self.offsets.get(transaction)
            return result is not None and bool(result.isSuccessful())
        record = self.records.get((transaction, partition))
        told = None if record is None else self.door.batch(record)
        return told is not None and int(told[1]) == 1

    def _show_request(self) -> dict[str, Any]:
        request = self._request()
        if request is None:
            return {"request.kind": "NONE"}
        kind, data = str(request.apiKey()), self._data(request)
        shown: dict[str, Any] = {"request.kind": KINDS[kind], "request.partition": None, "request.marker": "NONE"}
        if kind == "ADD_PARTITIONS_TO_TXN":
            topic = data.v3AndBelowTopics().iterator().next()
            (partition,) = topic.partitions()
            shown["request.partition"] = int(partition)
            ids = int(data.v3AndBelowProducerId()), int(data.v3AndBelowProducerEpoch())
        else:
            ids = int(data.producerId()), int(data.producerEpoch())
        if kind == "ADD_OFFSETS_TO_TXN":
            shown["request.partition"] = self.bounds["offsets_partition"]
        elif kind == "END_TXN":
            shown["request.marker"] = "COMMIT" if data.committed() else "ABORT"
        return {**shown, "request.producer_id": _optional(ids[0]), "request.producer_epoch": _optional(ids[1])}

    def _show_produce(self) -> dict[str, Any]:
        request = self._produce()
        if request is None:
            return {"produce.stage": "IDLE"}
        shown: dict[str, Any] = {"produce.stage": "REQUESTED", "produce.input_offset": -1}
        if str(request.apiKey()) == "PRODUCE":
            partition = int(str(request.destination()))
            ((_, producer_id, epoch, sequence, _, is_transactional),) = self.door.requests(partition)
        else:
            data, partition = self._data(request), self.bounds["offsets_partition"]
            producer_id, epoch, sequence, is_transactional = data.producerId(), data.producerEpoch(), -1, 1
            shown["produce.input_offset"] = int(data.topics().get(0).partitions().get(0).committedOffset())
        return shown | {
            "produce.partition": partition,
            "produce.batch.producer_id": _optional(int(producer_id)),
            "produce.batch.producer_epoch": _optional(int(epoch)),
            "produce.batch.base_sequence": int(sequence),
            "produce.batch.is_transactional": int(is_transactional),
        }


def _optional(value: int) -> int | None:
    """A number of Kafka's; -1 is none."""
    return None if value == -1 else value


def add_partitions_response(topic: str, partitions: list[int], error: str) -> Any:
    """A coordinator's response to AddPartitionsToTxn of a client."""
    told = jvm.message("AddPartitionsToTxnResponseData$AddPartitionsToTxnTopicResult", setName=topic)
    for each in partitions:
        kind = "AddPartitionsToTxnResponseData$AddPartitionsToTxnPartitionResult"
        result = jvm.message(kind, setPartitionIndex=each, setPartitionErrorCode=code_of(error))
        told.resultsByPartition().add(result)
    data = jvm.message("AddPartitionsToTxnResponseData")
    data.resultsByTopicV3AndBelow().add(told)
    return jvm.java(f"{REQUESTS}.AddPartitionsToTxnResponse")(data)


def txn_offset_commit_response(request: Any, error: str) -> Any:
    """A group coordinator's response to TxnOffsetCommit."""
    data = jvm.message("TxnOffsetCommitResponseData")
    for topic in request.topics():
        told = jvm.message("TxnOffsetCommitResponseData$TxnOffsetCommitResponseTopic", setName=topic.name())
        if hasattr(told, "setTopicId"):
            told.setTopicId(topic.topicId())
        for each in topic.partitions():
            kind = "TxnOffsetCommitResponseData$TxnOffsetCommitResponsePartition"
            result = jvm.message(kind, setPartitionIndex=int(each.partitionIndex()), setErrorCode=code_of(error))
            told.partitions().add(result)
        data.topics().add(told)
    return jvm.java(f"{REQUESTS}.TxnOffsetCommitResponse")(data)


SYSTEM = TransactionalClient
