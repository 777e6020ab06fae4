"""Which records and batches does a pass of the log cleaner leave, whatever is in the log?

A component: one replica's log, with the functions of `impl/`. Passes may end anywhere, and are early or late: for a
late one every delete horizon is over. The producer state can be rebuilt from what the cleaner has left.

Bounds: `grouped` is 1 if the cleaner joins the segments of a pass into one, so that the next pass must reach as far.
    `transactions` is 1 if all writes are in transactions.
Expected: HOLDS
"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Count, Ids, Offset, Struct, clear
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.compaction.cleaner import clean, cleanable_offset
from kafkacheck.impl.compaction.records import CleaningEnd, CompactedReplica, Key, Write
from kafkacheck.impl.compaction.replica import append_write, store_marker
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.ids import LogOffset
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.reading import end_of, highest_sequence, id_at
from kafkacheck.impl.log.records import ProducerId, Sequence
from kafkacheck.impl.log.reload import rebuild_from_log
from kafkacheck.impl.log.sequences import sequence_after


class State(Struct):
    """A compacted log and its writers.

    replica: the log.
    high_watermark: the end of what is replicated.
    next_sequences: by producer, the sequence of its next write.
    next_write: the number of writes so far.
    writes: the writes so far.
    grouped_end: how far the segments are joined; 0 if no two are.
    """

    replica: CompactedReplica
    high_watermark: LogOffset
    next_sequences: Annotated[Array[Sequence], ById("producer_ids")]
    next_write: Annotated[int, Offset("batches")]
    writes: Annotated[Array[Write], ById("batches")]
    grouped_end: Annotated[int, Count("log_size")]


def producer_writes(
    state: State, rules: CompactionRules, bounds: Bounds, producer_id: ProducerId, key: Key, is_tombstone: bool
) -> bool:
    """A producer's next write comes."""
    write_id = state.next_write
    if write_id == len(state.writes):
        return False
    write = state.writes[write_id]
    write.producer_id = producer_id
    write.sequence = state.next_sequences[producer_id]
    if not append_write(state.replica, rules, write_id, write, bounds.transactions):
        clear(write)
        return False
    write.key = key
    write.is_tombstone = is_tombstone
    highest = highest_sequence(state.replica.log)
    state.next_sequences[producer_id] = sequence_after(write.sequence, 1, highest)
    state.next_write += 1
    return True


def transaction_ends(state: State, rules: CompactionRules, producer_id: ProducerId, commits: bool) -> bool:
    """The marker of a producer's open transaction comes."""
    return store_marker(state.replica, rules, producer_id, Marker.COMMIT if commits else Marker.ABORT)


def high_watermark_rises(state: State, offset: LogOffset) -> bool:
    """The followers have fetched what is below an offset."""
    if offset <= state.high_watermark or offset > end_of(state.replica.log):
        return False
    state.high_watermark = offset
    return True


def cleaner_cleans(state: State, rules: CompactionRules, bounds: Bounds, end: CleaningEnd, is_late: bool) -> bool:
    """The cleaner makes a pass up to an offset, if it may and the pass changes something.

    A pass over two segments joins them, even if it removes nothing.
    """
    if end < state.grouped_end:
        return False
    has_cleaned = clean(state.replica, rules, state.writes, state.high_watermark, Ids(), end, is_late)
    joins = bounds.grouped == 1 and end > max(1, state.grouped_end)
    if joins and end <= cleanable_offset(rules, state.replica, state.high_watermark):
        state.grouped_end = end
        return True
    return has_cleaned


def producer_state_is_rebuilt(state: State, rules: CompactionRules, bounds: Bounds) -> bool:
    """The broker has only the log to learn of its producers from.

    Kafka forgets then which markers are not replicated, and no model of the catalogue rebuilds a state with some.
    """
    if bounds.transactions == 1 and state.high_watermark != end_of(state.replica.log):
        return False
    rebuild_from_log(state.replica.log, rules.log)
    return True


def kept_records_have_batches(state: State) -> bool:
    """A record that is kept is one that was written, or a marker."""
    return all(
        id_at(state.replica.log, offset) < state.next_write and offset < end_of(state.replica.log)
        for offset in state.replica.kept
    )


MODEL = Model(
    name="cleaner",
    question=__doc__,
    state=State,
    rules=CompactionRules(),
    actions=[producer_writes, transaction_ends, high_watermark_rises, cleaner_cleans, producer_state_is_rebuilt],
    stuttering=[producer_state_is_rebuilt],
    always=[kept_records_have_batches],
    bounds={
        "grouped": 0,
        "keys": 2,
        "batches": 3,
        "log_size": 3,
        "producer_ids": 2,
        "max_producer_epoch": 0,
        "max_sequence": 4,
        "records_in_batch": 1,
        "cached_batches": 1,
        "max_log_start": 0,
        "transactional": 1,
        "transactions": 0,
        "max_verification_guard": 0,
        "max_coordinator_epoch": 0,
    },
    check_deadlock=False,
)
