"""Common parts of the models of compaction: bounds, actions, and properties that must hold.

Bounds: `producer_ids` producers make `batches` writes of `keys` keys to a partition of `replicas` replicas, whose logs
have room for `log_size` batches and markers; if `transactional` is 1, they write in transactions. The others are bounds
of producers (`model/producer/family.py`), and budgets of disturbances (`model/compaction/environment.py`).
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.model.compaction.environment import CHARGES, producer_writes, start_compaction
from kafkacheck.model.compaction.system import State, cleaner_cleans, consumer_reads
from kafkacheck.spec.compaction.properties import (
    committed_without_all,
    follower_is_back,
    leader_is_in_isr,
    reader_has_last_values,
    replicas_keep_last_values,
    stamped_at_high_watermark,
    writes_are_stored_once,
)

COMPACTION = (producer_writes, consumer_reads, cleaner_cleans)

SAFETY_OF_REPLICAS = (replicas_keep_last_values, writes_are_stored_once, leader_is_in_isr)

SAFETY = (*SAFETY_OF_REPLICAS, reader_has_last_values)

EXAMPLES_OF_REPLICAS = (committed_without_all, follower_is_back, stamped_at_high_watermark)

BOUNDS = {
    "replicas": 2,
    "keys": 2,
    "batches": 3,
    "log_size": 3,
    "producer_ids": 1,
    "max_producer_epoch": 0,
    "max_sequence": 4,
    "records_in_batch": 1,
    "cached_batches": 1,
    "max_log_start": 0,
    "transactional": 0,
    "max_verification_guard": 0,
    "max_coordinator_epoch": 0,
    "lags": 0,
    "failovers": 0,
    "retries": 0,
    "reloads": 0,
}
"""Bounds to start from; each model says what it changes."""

COMPACTED = Family(
    state=State,
    charges=CHARGES,
    initial=start_compaction,
    bounds=BOUNDS,
    flags=("transactional",),
    rules=CompactionRules(),
)
"""A compacted partition, as each model has it unless it says otherwise."""
