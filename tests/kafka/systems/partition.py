"""Kafka's `Partition` as a system beside `models/partition_model.py`: one broker's replica, as leader and as follower.

Real are `Partition` with its `Replica`s and `UnifiedLog`, `LogManager`, `KRaftMetadataCache`, and the
`DefaultAlterPartitionManager` through which the leader asks the controller. `TopicDelta.localChanges` says whether a
change of the metadata makes the broker leader or follower. Played are the network, the producers that wait, and a clock
by which every follower that is not at the leader's end lags.
"""

import re
from typing import Any

import jpype
import jvm
from around.broker import BROKER, LAG_MS, NOBODY, OWN_EPOCH, records_in
from around.broker_parts import records_of
from around.partition import PartitionAround
from around.reflection import called, nothing, numbers_in, read, value_of

CURRENT = 2
FORMER, PRESENT = 0, 1
AHEAD = {"NEWER": 1_000, "KNOWN": 0, "OLDER": -1}
"""By how much the partition epoch of an answer differs from the broker's: far, so that older changes lie between."""
REFUSALS = (
    "INVALID_UPDATE_VERSION",
    "FENCED_LEADER_EPOCH",
    "UNKNOWN_TOPIC_ID",
    "NEW_LEADER_ELECTED",
    "INVALID_REQUEST",
)
"""Errors after which a leader waits for newer metadata."""
OF_BROKER = ("leader", "leader_epoch", "isr", "pending_isr", "has_log", "high_watermark", "log_start_offset")
OF_LOG = ("log.end_offset", "log.records[*].id", "log.records[*].epoch", "epoch_starts[*]", "leader_epoch_start_offset")
OF_FOLLOWERS = ("end_offset", "broker_epoch")
OF_FETCH = ("stage", "error", "record", "record_epoch", "high_watermark", "diverging_epoch", "end_offset")
OF_CHANGE = ("broker_epoch", "leader_epoch", "partition_epoch", "isr", "ends_recovery")
HIDDEN = {
    "broker": "of a broker that has one replica only, or of the model's own",
    "metadata": "told by the controller",
    "fetch": "the request's, or the same for all answers",
    "change": "always blank in a request",
    "producers": "the producers' own",
    "is_behind": "the model's own",
    "session": "always blank",
}


class PartitionOfBroker(PartitionAround):
    """A replica of one broker, asked for anything at any time."""

    answers = (
        "step.partition_epochs",
        "producers.acknowledged[*]",
        "fetch.log_start_offset",
        *(f"fetch.{field}" for field in OF_FETCH),
        *(f"change.{field}" for field in OF_CHANGE),
        "change.member_epochs[*]",
    )

    def __init__(self, model: Any) -> None:
        self.log_size, self.replicas = model.bounds["log_size"], range(model.bounds["replicas"])
        self.epochs = range(model.bounds["max_leader_epoch"] + 1)
        followers = [each for each in self.replicas if each != BROKER]
        self.observes = (
            "change.stage",
            *(f"broker.{field}" for field in (*OF_BROKER, *OF_LOG)),
            *(f"broker.followers[{each}].{field}" for each in followers for field in OF_FOLLOWERS),
        )
        self.acts = tuple(model.actions)
        self.refuses = ["leader_appends", "leader_deletes_records"]
        if len(followers) == 1:
            self.refuses.append("leader_proposes_shrink")
        shown = {*self.observes, *self.answers}
        self.not_judged = {
            path: HIDDEN[path.partition(".")[0]]
            for path in model.fields
            if path not in shown and re.sub(r"\[\d+\]", "[*]", path) not in shown
        }
        self.prepare(min_insync_replicas=model.rules["min_insync_replicas"])

    def start(self, state: dict[str, Any]) -> None:
        """Begin with a broker that has no log, and knows its followers."""
        self.begin()
        self.waiting: list[int] = []
        self.shown: dict[str, Any] = {}

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Let the broker do what the action says; whether it did."""
        self.clock.sleep(LAG_MS + 1)
        self.request, self.acknowledged = None, {}
        self.shown = {}
        self.epoch_before = int(self.partition.getPartitionEpoch())
        error, done = jvm.result_of(lambda: getattr(self, action)(**parameters))
        if error != "NONE" or not done:
            return False
        risen = int(self.partition.getPartitionEpoch()) - self.epoch_before
        self.shown["step.partition_epochs"] = min(risen, 1)
        for offset in range(self.log_size):
            self.shown[f"producers.acknowledged[{offset}]"] = self.acknowledged.get(offset, NOBODY)
        self._show_request()
        return True

    def broker_replays(self, leader: int | None, isr: list[int], replicas: list[int], news: str) -> bool:
        """The broker replays the metadata log up to some change of the partition."""
        now, leader_epoch = self.epoch_before, int(self.partition.getLeaderEpoch())
        leader_epoch += {"NEXT_LEADER_EPOCH": 1, "LATER_LEADER_EPOCH": 2}.get(news, 0)
        replayed = self.replayed()
        epoch = {"KNOWN": now, "OLDER": (replayed.partitionEpoch if replayed else 0) + 1}.get(news, now + 1)
        change = (
            self.learn(self.change_of(leader, isr, replicas, leader_epoch, epoch)).topicsDelta().localChanges(BROKER)
        )
        for info in change.leaders().values():
            self.make("makeLeader", info, is_new=replayed is None)
        for info in change.followers().values():
            if self.make("makeFollower", info, is_new=replayed is None):
                self.look()
        return True

    def follower_registers(self, follower_id: int) -> bool:
        """The broker learns that a fenced follower has registered again."""
        self.registered[follower_id] += 1
        self.learn(self.registration(follower_id))
        return True

    def follower_is_fenced(self, follower_id: int) -> bool:
        """The broker learns that a follower is fenced."""
        self.active.discard(follower_id)
        self.learn(self.registration(follower_id))
        return True

    def follower_is_unfenced(self, follower_id: int) -> bool:
        """The broker learns that a follower is no longer fenced."""
        self.active.add(follower_id)
        self.learn(self.registration(follower_id))
        return True

    def follower_fetches(self, follower_id: int, offset: int, asked_epoch: int | None, oddity: str) -> bool:
        """A follower fetches."""
        epoch = self.registered[follower_id] - (oddity == "FORMER_BROKER_EPOCH")
        request = jpype.JClass("org.apache.kafka.common.requests.FetchRequest$PartitionData")(
            self.topic_id, offset, 0, 1, _optional(self._leader_epoch(oddity)), _optional(asked_epoch)
        )
        now = self.clock.milliseconds()
        error, answer = jvm.result_of(
            lambda: self.partition.fetchRecords(self.parameters_of(follower_id, epoch), request, now, 1, True, True)
        )
        if error != "NONE":
            is_answered = error == "OFFSET_OUT_OF_RANGE"
            self.shown["fetch.stage"] = "ANSWERED" if is_answered else "IDLE"
            self.shown["fetch.error"] = error if is_answered else "NONE"
            self.shown |= {"fetch.record": None, "fetch.end_offset": NOBODY}
            return True
        diverging = value_of(read(answer, "divergingEpoch"))
        self.shown |= {
            "fetch.stage": "ANSWERED",
            "fetch.error": "NONE",
            "fetch.high_watermark": int(read(answer, "highWatermark")),
            "fetch.log_start_offset": int(read(answer, "logStartOffset")),
            "fetch.diverging_epoch": None if diverging is None else int(diverging.epoch()),
            "fetch.end_offset": NOBODY if diverging is None else int(diverging.endOffset()),
            "fetch.record": None,
            "fetch.record_epoch": None,
        }
        for record, leader_epoch in records_in(read(answer, "fetchedData").records).values():
            self.shown |= {"fetch.record": record, "fetch.record_epoch": leader_epoch}
        return True

    def epoch_end_is_asked(self, asked_epoch: int | None, oddity: str) -> bool:
        """A follower asks for the end of an epoch."""
        asked = NOBODY if asked_epoch is None else asked_epoch
        answer = self.partition.lastOffsetForLeaderEpoch(_optional(self._leader_epoch(oddity)), asked, True)
        self.shown["fetch.stage"] = "IDLE"
        if jvm.error_name(answer.errorCode()) == "NONE":
            epoch, end = int(answer.leaderEpoch()), int(answer.endOffset())
            self.shown |= {
                "fetch.stage": "ANSWERED",
                "fetch.diverging_epoch": None if epoch == NOBODY else epoch,
                "fetch.end_offset": end,
            }
        return True

    def _leader_epoch(self, oddity: str) -> int:
        ahead = {"OLDER_LEADER_EPOCH": -1, "NEWER_LEADER_EPOCH": 1}
        return int(self.partition.getLeaderEpoch()) + ahead.get(oddity, 0)

    def leader_appends(self) -> bool:
        """A producer sends a record with acks=all, and waits for its answer."""
        log = self.log()
        offset = 0 if log is None else int(log.logEndOffset())
        if offset == self.log_size:
            return False
        called(
            self.partition,
            "appendRecordsToLeader",
            MemoryRecords=records_of(timestamp=offset),
            AppendOrigin=jvm.java("org.apache.kafka.storage.internals.log.AppendOrigin").CLIENT,
            int=-1,
            RequestLocal=jvm.java("org.apache.kafka.server.common.RequestLocal").noCaching(),
            VerificationGuard=jvm.java("org.apache.kafka.storage.internals.log.VerificationGuard").SENTINEL,
            short=0,
        )
        self.waiting.append(offset)
        self.look()
        return True

    def look(self) -> None:
        """Let Kafka say which of the producers that wait are answered, and how."""
        for offset in list(self.waiting):
            told = self.partition.checkEnoughReplicasReachOffset(offset + 1)
            error = str(told._2().name())
            if error != "NONE" or told._1():
                self.waiting.remove(offset)
            if error == "NONE" and told._1():
                self.acknowledged[offset] = offset

    def leader_deletes_records(self, start_offset: int) -> bool:
        """A client deletes the oldest records."""
        log = self.log()
        before = 0 if log is None else log.logStartOffset()
        self.partition.deleteRecordsOnLeader(start_offset)
        return bool(log.logStartOffset() > before)

    def leader_proposes_shrink(self, follower_id: int) -> bool:
        """The broker looks for followers that lag."""
        if follower_id == BROKER:
            return False
        self.partition.maybeShrinkIsr()
        return self.request is not None

    def controller_answers(self, error: str, isr: list[int], version: str, is_of_epoch: bool) -> bool:
        """The answer to an ISR change arrives."""
        if error == "FENCED":
            self.refusals += 1
            error = REFUSALS[self.refusals % len(REFUSALS)]
        answer = jvm.message(
            "AlterPartitionResponseData$PartitionData",
            setPartitionIndex=0,
            setErrorCode=getattr(jvm.java("org.apache.kafka.common.protocol.Errors"), error).code(),
            setLeaderId=BROKER,
            setLeaderEpoch=self.partition.getLeaderEpoch() - (not is_of_epoch),
            setIsr=isr,
            setPartitionEpoch=self.epoch_before + AHEAD[version],
        )
        topic = jvm.message("AlterPartitionResponseData$TopicData", setTopicId=self.topic_id)
        topic.partitions().add(answer)
        data = jvm.message("AlterPartitionResponseData")
        data.topics().add(topic)
        keys = jvm.java("org.apache.kafka.common.protocol.ApiKeys")
        header = jvm.java("org.apache.kafka.common.requests.RequestHeader")(keys.ALTER_PARTITION, 3, "", 0)
        response = jvm.java("org.apache.kafka.common.requests.AlterPartitionResponse")(data)
        handler, self.sent = self.sent, None
        handler.onComplete(
            jvm.java("org.apache.kafka.clients.ClientResponse")(header, None, "", 0, 0, False, None, None, response)
        )
        return True

    def follower_appends(self, epoch: int) -> bool:
        """The broker, which follows, stores a record of its leader."""
        offset = int(self.log().logEndOffset())
        called(
            self.partition,
            "appendRecordsToFollowerOrFutureReplica",
            MemoryRecords=records_of(offset, epoch, timestamp=offset),
            boolean=False,
            int=self.partition.getLeaderEpoch(),
        )
        return True

    def follower_truncates(self, end_offset: int) -> bool:
        """The broker, which follows, truncates its log."""
        self.partition.truncateTo(end_offset, False)
        return True

    def follower_restarts_log(self, start_offset: int) -> bool:
        """The broker, which follows, drops its log."""
        empty = jvm.java("java.util.Optional").empty()
        called(
            self.partition,
            "truncateFullyAndStartAt",
            long=start_offset,
            boolean=False,
            Option=nothing(),
            Optional=empty,
        )
        return True

    def observe(self) -> dict[str, Any]:
        """The replica as it is now, and what the step did."""
        partition, log = self.partition, self.log()
        leader, state = value_of(partition.leaderReplicaIdOpt()), partition.partitionState()
        epoch, start = int(partition.getLeaderEpoch()), value_of(partition.leaderEpochStartOffsetOpt())
        told = numbers_in(state.sentLeaderAndIsr().isr()) if state.isInflight() else []
        shown = {
            "leader": None if leader is None or leader == NOBODY else int(leader),
            "leader_epoch": None if epoch == NOBODY else epoch,
            "pending_isr": told,
            "leader_epoch_start_offset": 0 if start is None else int(start),
        }
        if leader == BROKER:
            shown["isr"] = numbers_in(state.isr())
        shown |= self.shown_log(log, self.epochs, self.log_size)
        for follower_id in self.replicas:
            if follower_id != BROKER:
                end, of_fetch = self._follower(follower_id)
                shown[f"followers[{follower_id}].end_offset"] = end
                shown[f"followers[{follower_id}].broker_epoch"] = of_fetch
        stage = {"change.stage": "IDLE" if self.sent is None else "REQUESTED"}
        return {f"broker.{field}": value for field, value in shown.items()} | stage | self.shown

    def _follower(self, follower_id: int) -> tuple[int, int | None]:
        """What the leader knows of a follower: its end offset, and the broker epoch of its fetch."""
        replica = value_of(self.partition.getReplica(follower_id))
        if replica is None:
            return NOBODY, None
        known = replica.stateSnapshot()
        epoch = value_of(known.brokerEpoch())
        return int(known.logEndOffset()), None if epoch is None else self._age(follower_id, int(epoch))

    def _age(self, follower_id: int, epoch: int) -> int:
        """A follower's broker epoch as the model counts it. RuntimeError if it is newer than its registration."""
        if epoch > self.registered[follower_id]:
            raise RuntimeError(f"broker epoch {epoch} of broker {follower_id} is newer than its registration")
        return PRESENT if epoch == self.registered[follower_id] else FORMER

    def _show_request(self) -> None:
        if self.request is None:
            return
        data = self.request.build().data()
        partition = data.topics().get(0).partitions().get(0)
        isr = {int(each.brokerId()): int(each.brokerEpoch()) for each in partition.newIsrWithEpochs()}
        self.shown |= {
            "change.broker_epoch": int(data.brokerEpoch()) - OWN_EPOCH,
            "change.leader_epoch": int(partition.leaderEpoch()),
            "change.partition_epoch": CURRENT + int(partition.partitionEpoch()) - self.epoch_before,
            "change.isr": sorted(isr),
            "change.ends_recovery": False,
        }
        for member in self.replicas:
            epoch = isr.get(member, NOBODY)
            if member == BROKER and epoch != NOBODY:
                told: int | None = epoch - OWN_EPOCH
            else:
                told = None if epoch == NOBODY else self._age(member, epoch)
            self.shown[f"change.member_epochs[{member}]"] = told


def _optional(value: int | None) -> Any:
    optional = jvm.java("java.util.Optional")
    return optional.empty() if value is None else optional.of(jvm.java("java.lang.Integer")(value))


SYSTEM = PartitionOfBroker
