"""Kafka's log of a partition as a system: `UnifiedLog` with its `ProducerStateManager` and transaction indexes.

Every log is in a folder of its own, with a scheduler that holds its tasks and a clock that stands. The models count
batches where Kafka counts records, so the adapter keeps a table between both; and they have a small highest sequence,
so with the bound `wraps` sequences from 2 on stand for the last ones that Kafka has.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jvm

MEMORY = Path("/dev/shm")
"""Where files are fastest."""
LOGS = "org.apache.kafka.storage.internals.log."
ABSENT = -1
DAY_MS = 86_400_000
HIGHEST_SEQUENCE = 2**31 - 1
LEADER_EPOCH = 0
WHOLE = ("partition.high_watermark", "stable_offset")
"""Fields of the models that are not below the log."""
ENDS = ("start_offset", "end_offset")
UNUSED = "no part of the producer state, or no part of what Kafka's log shows"
CONFIG = {"segment.index.bytes": "1200", "segment.bytes": "1048576", "file.delete.delay.ms": "0"}


class PartitionLog:
    """A replica's log of one partition."""

    settings: Mapping[str, str] = CONFIG

    def __init__(self, model: Any) -> None:
        jvm.started()
        self.bounds = model.bounds
        self.verification = bool(model.rules.get("verification", True))
        self.prefix = next(path for path in model.fields if path.endswith("log.end_offset")).removesuffix("end_offset")
        self.acts = tuple(name for name in model.actions if hasattr(self, name))
        self.silent = {name: UNUSED for name in model.actions if not hasattr(self, name)}
        entry, verification = f"{self.prefix}producers[*].", f"{self.prefix}verifications[*]."
        fields = ("producer_epoch", "coordinator_epoch", "current_transaction_first_offset", "batches")
        whole = [path for path in (*(f"{self.prefix}{each}" for each in ENDS), *WHOLE) if path in model.fields]
        self.observes = (*whole, *(f"{entry}{field}" for field in fields), verification[:-1])
        self.answers = tuple(path for path in model.fields if path.startswith("answer."))
        seen = (*whole, f"{self.prefix}producers", f"{self.prefix}verifications", *self.answers)
        self.not_judged = {path: UNUSED for path in model.fields if not path.startswith(seen)}
        self.root = tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None)
        self.clock = jvm.java(LOGS + "ProducerStateDoor$StandingClock")()
        self.origins = jvm.java(LOGS + "AppendOrigin")
        self.statistics = jvm.java("org.apache.kafka.storage.log.metrics.BrokerTopicStats")()
        self.no_caching = jvm.java("org.apache.kafka.server.common.RequestLocal").noCaching()
        properties = jvm.java("java.util.Properties")()
        for name, value in self.settings.items():
            properties.setProperty(name, value)
        self.config = jvm.java(LOGS + "LogConfig")(properties)
        self.log, self.count = None, 0

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        if self.log is not None:
            self._leave(is_clean=False)
            shutil.rmtree(self.folder)
        self.count += 1
        self.folder = Path(self.root.name) / f"topic{self.count}-0"
        self.folder.mkdir()
        self.door = jvm.java(LOGS + "ProducerStateDoor")()
        self.bases = [0]
        self._load(is_clean=True)
        self.answer: dict[str, Any] = {}

    def _load(self, is_clean: bool, recovery_point: int = 0) -> None:
        self.scheduler = jvm.java(LOGS + "HoldingScheduler")()
        verified = jvm.java(LOGS + "ProducerStateManagerConfig")(DAY_MS, self.verification)
        failures = jvm.java(LOGS + "LogDirFailureChannel")(1)
        folder = jvm.java("java.io.File")(str(self.folder))
        common = (
            folder,
            self.config,
            0,
            recovery_point,
            self.scheduler,
            self.statistics,
            self.clock,
            DAY_MS,
            verified,
            DAY_MS,
            failures,
        )
        try:
            nobody = jvm.java("java.util.Optional").empty()
            self.log = jvm.java(LOGS + "UnifiedLog").create(*common, is_clean, nobody)
        except AttributeError:  # before 4.1 it is written in Scala
            nobody, partitions = jvm.java("scala.Option").empty(), jvm.java("java.util.concurrent.ConcurrentHashMap")()
            listener = jvm.java(LOGS + "LogOffsetsListener").NO_OP_OFFSETS_LISTENER
            made = jvm.java("kafka.log.UnifiedLog")
            self.log = made.apply(*common, is_clean, nobody, True, partitions, False, listener)
        self.manager = self.log.producerStateManager()

    def _leave(self, is_clean: bool) -> None:
        if is_clean:
            self.log.close()
        else:
            getattr(self.log, "closeHandlers", None or getattr(self.log, "closeQuietly", None))()

    def _kafka_sequence(self, sequence: int) -> int:
        if self.bounds.get("wraps") and sequence >= 2:
            return HIGHEST_SEQUENCE - self.bounds["max_sequence"] + sequence
        return sequence

    def _sequence(self, sequence: int) -> int:
        if self.bounds.get("wraps") and sequence >= 2:
            return sequence - HIGHEST_SEQUENCE + self.bounds["max_sequence"]
        return sequence

    def _offset(self, offset: int) -> int:
        return ABSENT if offset == ABSENT else self.bases.index(offset)

    def _append(self, append: Any) -> bool:
        """Append something; the answer is the error, or where the batch is stored already."""
        before = self.log.logEndOffset()
        error, appended = jvm.result_of(append)
        after = self.log.logEndOffset()
        shown = {"answer.error": error, "answer.offset": ABSENT}
        self.answer = {path: value for path, value in shown.items() if path in self.answers}
        if after > before:
            self.bases.append(after)
        elif error == "NONE":
            self.answer["answer.offset"] = self._offset(appended.firstOffset())
        return True

    def _append_as_leader(self, records: Any, origin: Any, guard: int, version: int = 0) -> bool:
        request = (records, LEADER_EPOCH, origin, self.no_caching, self.door.guard(guard))
        try:
            return self._append(lambda: self.log.appendAsLeader(*request, version))
        except TypeError:  # before 4.2 the call takes no transaction version
            return self._append(lambda: self.log.appendAsLeader(*request))

    def _append_as_follower(self, records: Any) -> bool:
        try:
            return self._append(lambda: self.log.appendAsFollower(records, LEADER_EPOCH))
        except TypeError:  # before 4.1 the call takes no leader epoch
            return self._append(lambda: self.log.appendAsFollower(records))

    def client_appends(
        self, producer_id: int, epoch: int, first: int, count: int, is_transactional: int, guard: int
    ) -> bool:
        """A client's batch comes."""
        sequence = self._kafka_sequence(first)
        records = self.door.data(0, LEADER_EPOCH, producer_id, epoch, sequence, bool(is_transactional), count)
        return self._append_as_leader(records, self.origins.CLIENT, guard)

    def coordinator_appends(self, producer_id: int, epoch: int, guard: int) -> bool:
        """A batch of the group's coordinator comes."""
        records = self.door.data(0, LEADER_EPOCH, producer_id, epoch, 0, True, 1)
        return self._append_as_leader(records, self.origins.COORDINATOR, guard)

    def leader_sends(self, producer_id: int, epoch: int, is_transactional: int, first: int = 0, count: int = 1) -> bool:
        """A batch of the leader comes."""
        sequence, offset = self._kafka_sequence(first), self.bases[-1]
        records = self.door.data(offset, LEADER_EPOCH, producer_id, epoch, sequence, bool(is_transactional), count)
        return self._append_as_follower(records)

    def leader_sends_marker(self, producer_id: int, epoch: int, coordinator_epoch: int) -> bool:
        """A marker of the leader comes."""
        marker = self.door.marker(self.bases[-1], LEADER_EPOCH, producer_id, epoch, coordinator_epoch, False)
        return self._append_as_follower(marker)

    def marker_is_written(self, producer_id: int, epoch: int, coordinator_epoch: int, commits: bool) -> bool:
        """A marker of the transaction's coordinator comes."""
        marker = self.door.marker(0, LEADER_EPOCH, producer_id, epoch, coordinator_epoch, commits)
        return self._append_as_leader(marker, self.origins.COORDINATOR, 0)

    def marker_comes(self, producer_id: int, epoch: int, coordinator_epoch: int, commits: bool, version: int) -> bool:
        """A marker of a transaction of this version comes."""
        marker = self.door.marker(0, LEADER_EPOCH, producer_id, epoch, coordinator_epoch, commits)
        return self._append_as_leader(marker, self.origins.COORDINATOR, 0, version)

    def high_watermark_rises(self, offset: int) -> bool:
        """The followers have fetched what is below an offset."""
        self.log.updateHighWatermark(self.bases[offset])
        return True

    def aborted_are_asked(self, fetch_offset: int, upper_bound: int) -> bool:
        """A consumer reads from an offset to another one."""
        # As a read does in each segment; in `collectAbortedTransactions` the first offset only chooses a segment.
        found = self.log.activeSegment().collectAbortedTxns(self.bases[fetch_offset], self.bases[upper_bound])
        ends = found.abortedTransactions
        ends = ends() if callable(ends) else ends  # before 4.2 it is a field
        self.answer = {"answer.aborted": sorted(self._offset(each.lastOffset()) for each in ends)}
        return True

    def leader_restarts(self) -> bool:
        """The leader's process ends, and another one loads the log with the high watermark of before."""
        high_watermark = self.log.highWatermark()
        self.broker_crashes()
        self.log.updateHighWatermark(high_watermark)
        return True

    def verification_starts(self, producer_id: int, epoch: int, first: int, version: int) -> bool:
        """A transaction's first batch comes."""
        sequence = self._kafka_sequence(first)
        error, guard = jvm.result_of(
            lambda: self.log.maybeStartTransactionVerification(producer_id, sequence, epoch, version == 2)
        )
        self.answer = {"answer.error": error}
        if guard is not None:
            self.door.numberOf(guard)
        return True

    def producers_expire(self) -> bool:
        """A day goes by for the records."""
        self.manager.removeExpiredProducers(DAY_MS)
        return True

    def records_are_deleted(self, start_offset: int) -> bool:
        """A client deletes the records below an offset; the followers have fetched all records."""
        self.log.updateHighWatermark(self.log.logEndOffset())
        reason = jvm.java(LOGS + "LogStartOffsetIncrementReason").ClientRecordDeletion
        return bool(self.log.maybeIncrementLogStartOffset(self.bases[start_offset], reason))

    def segment_is_rolled(self) -> bool:
        """The log begins a new segment."""
        try:
            self.log.roll()
        except TypeError:  # before 4.1 it is written in Scala
            self.log.roll(jvm.java("scala.Option").empty())
        return True

    def log_is_flushed(self) -> bool:
        """The log reaches the disk."""
        self.scheduler.runAll()
        self.log.flush(True)
        return True

    def log_is_truncated(self, end_offset: int) -> bool:
        """The log loses its last batches."""
        is_cut = self.log.truncateTo(self.bases[end_offset])
        del self.bases[end_offset + 1 :]
        return bool(is_cut)

    def broker_crashes(self) -> bool:
        """The process ends, and another one loads the log."""
        flushed = self.log.recoveryPoint()
        self._leave(is_clean=False)
        self._load(is_clean=False, recovery_point=flushed)
        return True

    def act(self, action: str, parameters: dict[str, Any]) -> bool:
        """Call the log."""
        self.answer = {}
        return bool(getattr(self, action)(**parameters))

    def observe(self) -> dict[str, Any]:
        """The ends of the log, the producers' state, and the last answer."""
        shown = dict(self.answer)
        for path, offset in zip(ENDS, (self.log.logStartOffset(), self.log.logEndOffset()), strict=True):
            shown[f"{self.prefix}{path}"] = self.bases.index(offset)
        if "stable_offset" in self.observes:
            shown["partition.high_watermark"] = self.bases.index(self.log.highWatermark())
            shown["stable_offset"] = self.bases.index(self.log.lastStableOffset())
        producers = json.loads(self.door.producers(self.manager, self.bounds["producer_ids"]))
        retained = self.bounds["cached_batches"]
        for number, (epoch, coordinator_epoch, first_offset, batches, verification) in enumerate(producers):
            path = f"{self.prefix}producers[{number}]."
            shown[f"{path}producer_epoch"] = None if epoch == ABSENT else epoch
            shown[f"{path}coordinator_epoch"] = max(0, coordinator_epoch)
            shown[f"{path}current_transaction_first_offset"] = self._offset(first_offset)
            known = [*batches, *[(ABSENT, 1, ABSENT)] * retained]
            for place, (last, count, offset) in enumerate(known[:retained]):
                shown[f"{path}batches[{place}].last_sequence"] = self._sequence(last)
                shown[f"{path}batches[{place}].record_count"] = count
                shown[f"{path}batches[{place}].offset"] = self._offset(offset)
            path = f"{self.prefix}verifications[{number}]."
            for field, value in zip(
                ("guard", "producer_epoch", "lowest_sequence", "supports_epoch_bump"), verification, strict=True
            ):
                shown[f"{path}{field}"] = self._sequence(value) if field == "lowest_sequence" else value
        return shown


SYSTEM = PartitionLog
