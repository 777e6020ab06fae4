"""Kafka's log cleaner as a system: `Cleaner` on a real `UnifiedLog`.

Every batch has a segment of its own, and behind it are two records with keys of their own, from a producer without an
id. So a pass can end behind each batch, and the batch that Kafka keeps, even if it is empty, is none of the model's: up
to 4.3 the last one of a pass, from 4.4 on the one that ends at the high watermark. Two, because the cleaner joins an
empty segment to the one before, and then a pass up to that segment ends one record earlier. A pass is told its time:
that of early ones is the same, a late one is later than every delete horizon.
"""

import json
from typing import Any

import jvm
from partition_log import CONFIG, DAY_MS, LOGS, PartitionLog

COMPACTED = {**CONFIG, "cleanup.policy": "compact", "delete.retention.ms": str(DAY_MS)}
ALONE = {"segment.index.bytes": "20"}
"""Two time indexes of one entry are more than that, so that the cleaner cannot join two segments."""
EARLY_MS = 1_000
FIRST_FILLER = 100
FILLERS = 2
MARKERS = {-1: "NONE", 0: "ABORT", 1: "COMMIT"}
BATCH = ("producer_id", "producer_epoch", "base_sequence", "is_transactional", "marker")
BLANK = (None, None, -1, 0, "NONE")


class Cleaner(PartitionLog):
    """The cleaner, and a compacted log."""

    def __init__(self, model: Any) -> None:
        self.settings = COMPACTED if model.bounds["grouped"] else COMPACTED | ALONE
        super().__init__(model)
        self.verification = False
        self.acts, self.silent = tuple(model.actions), {}
        self.refuses = ("cleaner_cleans",)
        records = tuple(f"{self.prefix}records[*].{field}" for field in BATCH)
        seen = (*records, "high_watermark", "replica.kept", "replica.stamped")
        self.observes = (*self.observes, *seen)
        shown = tuple(f"{self.prefix}{each}" for each in ("end_offset", "producers", "verifications"))
        self.not_judged = {
            path: "no part of a log that is cleaned" for path in model.fields if self._is_unseen(path, shown)
        }
        self.cleaner = jvm.java(LOGS + "CleanerDoor")(self.clock)

    def _is_unseen(self, path: str, shown: tuple[str, ...]) -> bool:
        if path in ("high_watermark", "replica.kept", "replica.stamped") or path.startswith(shown):
            return False
        return not path.startswith(f"{self.prefix}records") or path.rpartition(".")[2] not in BATCH

    def start(self, state: dict[str, Any]) -> None:
        """Begin with an empty log."""
        super().start(state)
        self.sequences = [0] * self.bounds["producer_ids"]
        self.late_passes = 0

    def producer_writes(self, producer_id: int, key: int, is_tombstone: bool) -> bool:
        """A producer's next write comes."""
        is_transactional = bool(self.bounds["transactions"])
        records = self.cleaner.data(producer_id, self.sequences[producer_id], is_transactional, key, is_tombstone)
        self.sequences[producer_id] += 1
        return self._append_with_filler(records, self.origins.CLIENT)

    def transaction_ends(self, producer_id: int, commits: bool) -> bool:
        """The marker of a producer's transaction comes."""
        return self._append_with_filler(self.door.marker(0, 0, producer_id, 0, 0, commits), self.origins.COORDINATOR)

    def _append_with_filler(self, records: Any, origin: Any) -> bool:
        self._append_as_leader(records, origin, 0)
        for _ in range(FILLERS):
            end = self.bases.pop()
            self._append_as_leader(self.cleaner.filler(FIRST_FILLER + end), self.origins.CLIENT, 0)
        return self.segment_is_rolled()

    def cleaner_cleans(self, end: int, is_late: bool) -> bool:
        """The cleaner makes a pass, if it may go so far; whether the pass changes something."""
        if end >= len(self.bases) or self.bases[end] > self.cleaner.cleanable(self.log, EARLY_MS):
            return False
        self.late_passes += is_late
        before = self._layout()
        self.cleaner.clean(self.log, self.bases[end], EARLY_MS + is_late * self.late_passes * 2 * DAY_MS)
        self.scheduler.runAll()
        return self._layout() != before

    def _layout(self) -> tuple[str, int]:
        """The batches, and how many segments there are, if the cleaner joins segments with batches."""
        segments = self.log.numberOfSegments() if self.bounds["grouped"] else 0
        return self.cleaner.batches(self.log), segments

    def producer_state_is_rebuilt(self) -> bool:
        """The broker has only the log to learn of its producers from."""
        high_watermark = self.log.highWatermark()
        self._leave(is_clean=False)
        for snapshot in self.folder.glob("*.snapshot"):
            snapshot.unlink()
        self._load(is_clean=False)
        self.log.updateHighWatermark(high_watermark)
        return True

    def observe(self) -> dict[str, Any]:
        """The log's batches, and what it knows of its producers."""
        shown = super().observe()
        shown["high_watermark"] = self.bases.index(self.log.highWatermark())
        found = {batch[0]: batch[1:] for batch in json.loads(self.cleaner.batches(self.log))}
        kept, stamped = [], []
        for offset in range(self.bounds["log_size"]):
            batch = found.get(self.bases[offset]) if offset < len(self.bases) else None
            values = BLANK
            if batch is not None:
                *values, marker, records, is_stamped = batch
                values = (*values, MARKERS[marker])
                kept += [offset] * records
                stamped += [offset] * is_stamped
            for field, value in zip(BATCH, values, strict=True):
                shown[f"{self.prefix}records[{offset}].{field}"] = value
        return shown | {"replica.kept": kept, "replica.stamped": stamped}


SYSTEM = Cleaner
