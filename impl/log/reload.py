"""Rebuilding producer state from the log and from snapshots: after a restart, and after a truncation.

Part of Kafka modelled: `ProducerStateManager` (`takeSnapshot`, `truncateAndReload`), `UnifiedLog.rebuildProducerState`,
`LogLoader`; the producer state when the log's start moves.
Source: apache/kafka (commit 1eb7644349); KAFKA-5249, KAFKA-7190, KAFKA-9892.
Left out, and why that is sound: entries that expired while the broker was down, which is expiry at another time.
"""

from kafkacheck.checker.schema import clear, copy
from kafkacheck.impl.log import clear_records, restart_at, truncate_to
from kafkacheck.impl.log.append import learn_of
from kafkacheck.impl.log.producer_state import forget_older_batches, forget_producers_without_records
from kafkacheck.impl.log.records import PartitionLog, ProducerSnapshot
from kafkacheck.impl.log.rules import LogRules


def forget_producers(log: PartitionLog) -> None:
    """Clear the producer state in memory; verifications under way go on."""
    for entry in log.producers:
        clear(entry)


def forget_verifications(log: PartitionLog) -> None:
    """Drop every verification under way, because the process has ended."""
    for verification in log.verifications:
        clear(verification)


def write_snapshot(log: PartitionLog, snapshot: ProducerSnapshot, offset: int) -> None:
    """Write the producer state to a file named `offset`, which should be the log's end.

    The file has only the newest batch of each producer (`lastSequence`, `lastOffset`).
    """
    snapshot.offset = offset
    snapshot.is_flushed = False
    copy(snapshot.producers, log.producers)
    forget_older_batches(snapshot.producers)


def load_snapshot(log: PartitionLog, snapshot: ProducerSnapshot) -> None:
    """Load the producer state from the file into memory."""
    copy(log.producers, snapshot.producers)


def replay(log: PartitionLog, rules: LogRules, first_offset: int) -> None:
    """Update the producer state for each batch from `first_offset` to the log's end; nothing is validated."""
    for offset in range(max(first_offset, log.start_offset), log.end_offset):
        learn_of(log, rules, offset)


def rebuild_from_log(log: PartitionLog, rules: LogRules) -> None:
    """Rebuild the producer state from the log alone, without a snapshot."""
    forget_producers(log)
    replay(log, rules, log.start_offset)


def advance_start(log: PartitionLog, rules: LogRules, start_offset: int) -> None:
    """Remove every batch below `start_offset`, which is at most the log's end; the producer state stays."""
    clear_records(log, log.start_offset, start_offset)
    log.start_offset = start_offset
    if not rules.state_outlives_records:
        forget_producers_without_records(log)


def restart_log(log: PartitionLog, start_offset: int) -> None:
    """Remove every batch and the producer state, and restart the log at `start_offset`."""
    truncate_to(log, log.start_offset)
    forget_producers(log)
    log.start_offset = start_offset
    restart_at(log, start_offset)
