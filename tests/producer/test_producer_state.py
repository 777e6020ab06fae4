"""What a broker knows of producers, rule by rule: sequences, duplicates, epochs, transactions, replay and snapshots."""

import itertools
import random

import pytest

from kafkacheck.checker.schema import Struct
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log import append, is_full, reload, sequences, truncate_to, verification
from kafkacheck.impl.log import producer_state as state
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE, Marker, Origin, ProduceError
from kafkacheck.impl.log.records import Batch, PartitionLog, ProducerSnapshot
from kafkacheck.impl.log.rules import LogRules

MAX = 4
BOUNDS = {
    "batches": 8, "producer_ids": 2, "max_producer_epoch": 3, "max_sequence": MAX, "records_in_batch": 2,
    "max_coordinator_epoch": 2, "log_size": 8, "max_log_start": 8, "cached_batches": 2, "transactional": 1,
    "max_verification_guard": 4,
}  # fmt: skip


class Everything(Struct):
    log: PartitionLog
    batch: Batch
    snapshot: ProducerSnapshot


LAYOUT = Layout(Everything, BOUNDS)
RULES = LogRules(verification=False)


def batch_of(sequence, count=1, epoch=0, transactional=0, producer_id=0):
    batch = LAYOUT.blank().batch
    batch.id, batch.producer_id, batch.producer_epoch = 0, producer_id, epoch
    batch.base_sequence, batch.record_count, batch.is_transactional = sequence, count, transactional
    return batch


def offered(log, batch, rules=RULES, guard=verification.NO_GUARD, origin=Origin.CLIENT):
    """What a leader does with a batch: the offset of a duplicate or of the append, or the error."""
    if origin == Origin.CLIENT:
        duplicate = state.duplicate_offset(log, batch)
        if duplicate != NO_OFFSET:
            return duplicate
    error = append.append_error(log, rules, batch, guard, origin)
    if error != ProduceError.NONE:
        return ProduceError(error)
    append.append_batch(log, rules, batch)
    return log.end_offset - 1


def log_with(*batches, rules=RULES):
    log = LAYOUT.blank().log
    for batch in batches:
        append.append_batch(log, rules, batch)
    return log


OUT_OF_ORDER = ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_arithmetic_of_sequences_is_that_of_a_circle():
    for first, count in itertools.product(range(MAX + 1), range(1, 3)):
        after = sequences.sequence_after(first, count, MAX)
        assert after == (first + count) % (MAX + 1)
        assert sequences.sequence_before(after, count, MAX) == first
        assert sequences.last_sequence_of(first, count, MAX) == (first + count - 1) % (MAX + 1)
        assert sequences.is_in_sequence(RULES, first, after, MAX) is (count == 1)
    assert sequences.sequence_after(NO_SEQUENCE, 1, MAX) == 0
    assert sequences.is_in_sequence(RULES, NO_SEQUENCE, 0, MAX)


def test_a_producer_that_nothing_is_known_of_may_begin_anywhere_and_before_kip_360_only_at_0():
    old = RULES._replace(unknown_producer_may_go_on=False)
    assert offered(log_with(batch_of(0, producer_id=NO_PRODUCER_ID)), batch_of(3)) == 1
    assert offered(log_with(), batch_of(3)) == 0
    mended = RULES._replace(empty_log_awaits_first_sequence=True)
    assert offered(log_with(), batch_of(3), mended) == OUT_OF_ORDER, "nobody was ever known here (KAFKA-15591)"
    assert offered(log_with(), batch_of(3), old) == ProduceError.UNKNOWN_PRODUCER_ID
    assert offered(log_with(), batch_of(0), old) == 0


def test_a_batch_must_follow_the_last_one():
    for sequence in range(MAX + 1):
        assert offered(log_with(batch_of(1)), batch_of(sequence)) == {1: 0, 2: 1}.get(sequence, OUT_OF_ORDER)


def test_a_duplicate_is_answered_with_its_old_offset_as_long_as_it_is_remembered():
    log = log_with(batch_of(0), batch_of(1, count=2), batch_of(3))
    assert offered(log, batch_of(3)) == 2
    assert offered(log, batch_of(1, count=2)) == 1
    assert offered(log, batch_of(1)) == OUT_OF_ORDER, "only a part of a batch is no duplicate"
    assert offered(log, batch_of(0)) == OUT_OF_ORDER, "two batches are remembered"
    forgetful = RULES._replace(batches_to_retain=1)
    log = log_with(batch_of(0), batch_of(1), rules=forgetful)
    assert (offered(log, batch_of(1), forgetful), offered(log, batch_of(0), forgetful)) == (1, OUT_OF_ORDER)


def test_a_batch_of_another_epoch_is_no_duplicate():
    log = log_with(batch_of(0), batch_of(0, epoch=1))
    assert offered(log, batch_of(0, epoch=2)) == 2


def test_sequences_wrap_and_a_batch_may_straddle_the_end():
    log = log_with(batch_of(MAX))
    assert offered(log, batch_of(0)) == 1
    log = log_with(batch_of(MAX, count=2))
    assert state.last_sequence(log.producers[0]) == 0
    assert offered(log, batch_of(MAX, count=2)) == 0
    assert offered(log, batch_of(1)) == 1
    assert offered(log_with(batch_of(MAX)), batch_of(0), RULES._replace(sequence_wraps=False)) == OUT_OF_ORDER


def test_a_new_epoch_begins_with_sequence_0_and_an_older_one_is_fenced():
    log = log_with(batch_of(0, epoch=1))
    assert offered(log, batch_of(1, epoch=0)) == ProduceError.INVALID_PRODUCER_EPOCH
    assert offered(log, batch_of(1, epoch=2)) == OUT_OF_ORDER
    assert offered(log, batch_of(0, epoch=2)) == 1
    assert log.producers[0].batches[1].offset == NO_OFFSET, "the batches of the epoch before are forgotten"


def test_producers_do_not_know_of_each_other():
    log = log_with(batch_of(0, epoch=2))
    assert offered(log, batch_of(0, producer_id=1)) == 1


def test_a_transaction_is_open_from_its_first_batch_to_its_marker():
    log = log_with(batch_of(0, transactional=1), batch_of(1, transactional=1))
    assert log.producers[0].current_transaction_first_offset == 0
    assert offered(log, batch_of(2)) == ProduceError.INVALID_TXN_STATE
    append.append_marker(log, RULES, 0, 0, 1, Marker.COMMIT)
    assert log.producers[0].current_transaction_first_offset == NO_OFFSET
    assert offered(log, batch_of(1, transactional=1)) == 1, "a marker of the same epoch leaves the batches remembered"
    assert offered(log, batch_of(2, transactional=1)) == 3


def test_a_marker_of_a_higher_epoch_fences_and_forgets_sequences():
    log = log_with(batch_of(0, transactional=1))
    append.append_marker(log, RULES, 0, 1, 0, Marker.ABORT)
    assert offered(log, batch_of(1, transactional=1)) == ProduceError.INVALID_PRODUCER_EPOCH
    assert offered(log, batch_of(1, epoch=1, transactional=1)) == OUT_OF_ORDER
    assert offered(log, batch_of(0, epoch=1, transactional=1)) == 2


def test_a_marker_of_an_older_producer_epoch_or_coordinator_epoch_is_refused():
    log = log_with(batch_of(0, epoch=1, transactional=1))
    append.append_marker(log, RULES, 0, 1, 1, Marker.COMMIT)
    assert append.marker_error(log, 0, 0, 2) == ProduceError.INVALID_PRODUCER_EPOCH
    assert append.marker_error(log, 0, 1, 0) == ProduceError.TRANSACTION_COORDINATOR_FENCED
    assert append.marker_error(log, 0, 1, 1) == ProduceError.NONE


def test_the_first_batch_of_a_transaction_needs_its_own_verification():
    rules = LogRules()
    log = log_with()
    assert offered(log, batch_of(0, transactional=1), rules) == ProduceError.INVALID_TXN_STATE
    assert offered(log, batch_of(0), rules) == 0, "others need none"
    guard = verification.start_verification(log, RULES, batch_of(1, transactional=1), 0)
    assert guard == verification.start_verification(log, RULES, batch_of(2, transactional=1), 0) == 1
    assert offered(log, batch_of(1, transactional=1), rules, guard) == 1
    assert offered(log, batch_of(2, transactional=1), rules) == 2, "the transaction is open by now"
    append.append_marker(log, RULES, 0, 0, 0, Marker.COMMIT)
    assert verification.start_verification(log, RULES, batch_of(3, transactional=1), 0) == 2
    assert offered(log, batch_of(3, transactional=1), rules, guard) == ProduceError.INVALID_TXN_STATE, "an old guard"


def test_each_verification_has_a_guard_of_its_own_and_once_had_not():
    for rules, guards in ((RULES, [1, 2]), (RULES._replace(guard_is_unique=False), [1, 1])):
        log = log_with()
        given = []
        for _ in guards:
            given.append(verification.start_verification(log, rules, batch_of(0, transactional=1), 0))
            append.append_marker(log, RULES, 0, 0, 0, Marker.ABORT)
        assert given == guards


def test_while_a_transaction_is_verified_the_lowest_sequence_comes_first():
    rules = LogRules()
    for order in ((0, 1), (1, 0)):
        log = log_with()
        guards = [verification.start_verification(log, RULES, batch_of(each, transactional=1), 0) for each in order]
        assert offered(log, batch_of(1, transactional=1), rules, guards[0]) == OUT_OF_ORDER
        assert offered(log, batch_of(0, transactional=1), rules, guards[0]) == 0
    log = log_with()
    guard = verification.start_verification(log, RULES, batch_of(1, transactional=1), 0)
    verification.start_verification(log, RULES, batch_of(0, transactional=1), 0)
    old = rules._replace(lowest_sequence_is_awaited=False)
    assert offered(log, batch_of(1, transactional=1), old, guard) == 0
    log = log_with()
    verification.start_verification(log, RULES, batch_of(0, transactional=1), 0)
    guard = verification.start_verification(log, RULES, batch_of(2, epoch=1, transactional=1), 0)
    assert log.verifications[0].lowest_sequence == 2, "a higher epoch counts alone"


def test_a_coordinator_is_asked_for_epoch_and_verification_but_not_for_a_sequence():
    rules = LogRules()
    log = log_with(batch_of(0, epoch=1))
    offsets = batch_of(NO_SEQUENCE, epoch=1, transactional=1)
    assert offered(log, offsets, rules, origin=Origin.COORDINATOR) == ProduceError.INVALID_TXN_STATE
    guard = verification.start_verification(log, RULES, offsets, 0)
    assert offered(log, offsets, rules, guard, Origin.COORDINATOR) == 1
    assert offered(log, offsets, rules, guard, Origin.COORDINATOR) == 2, "there are no duplicates"
    old = batch_of(NO_SEQUENCE, epoch=0, transactional=1)
    assert offered(log, old, rules, guard, Origin.COORDINATOR) == ProduceError.INVALID_PRODUCER_EPOCH


def test_a_follower_takes_what_its_leader_has_and_once_did_not():
    log = log_with(batch_of(0, epoch=1))
    for batch in (batch_of(3, epoch=1), batch_of(2, epoch=0), batch_of(1, epoch=0, transactional=1)):
        assert offered(log, batch, LogRules(), origin=Origin.REPLICATION) == log.end_offset - 1
    assert log.producers[0].producer_epoch == 0, "the leader knows what it is doing"
    distrustful = RULES._replace(replication_is_trusted=False)
    log = log_with(batch_of(0))
    assert offered(log, batch_of(2), distrustful, origin=Origin.REPLICATION) == OUT_OF_ORDER


def test_an_idle_producer_expires_unless_it_has_a_transaction_open():
    log = log_with(batch_of(2))
    assert state.expire_producer(log, 0)
    assert not state.expire_producer(log, 0)
    assert log.producers[0].producer_epoch == NO_PRODUCER_EPOCH
    assert offered(log, batch_of(0)) == 1
    assert not state.expire_producer(log_with(batch_of(0, transactional=1)), 0)


def test_what_is_known_of_a_producer_outlives_its_records_and_once_did_not():
    log = log_with(batch_of(0), batch_of(1))
    reload.advance_start(log, RULES, 2)
    assert (log.start_offset, offered(log, batch_of(1)), offered(log, batch_of(3))) == (2, 1, OUT_OF_ORDER)
    log = log_with(batch_of(0), batch_of(1))
    reload.advance_start(log, RULES._replace(state_outlives_records=False), 1)
    assert state.is_known(log.producers[0])
    reload.advance_start(log, RULES._replace(state_outlives_records=False), 2)
    assert not state.is_known(log.producers[0])


def random_log(draw):
    """A log as random requests, markers and coordinators make it, with a snapshot of each offset."""
    log, snapshots = log_with(), []
    for _ in range(20):
        snapshot = LAYOUT.blank().snapshot
        reload.write_snapshot(log, snapshot, log.end_offset)
        snapshots = [*snapshots[: log.end_offset], snapshot]
        epoch, kind = draw.randrange(3), draw.randrange(4)
        if is_full(log):
            break
        if kind == 3 and append.marker_error(log, 0, epoch, 1) == ProduceError.NONE:
            append.append_marker(log, RULES, 0, epoch, 1, draw.choice([Marker.COMMIT, Marker.ABORT]))
        elif kind < 3:
            batch = batch_of(draw.randrange(MAX + 1), draw.randint(1, 2), epoch, draw.randrange(2), draw.randrange(2))
            offered(log, batch)
    return log, snapshots


@pytest.mark.parametrize("seed", range(30))
def test_the_log_alone_and_the_log_from_any_snapshot_give_the_state_that_was_in_memory(seed):
    log, snapshots = random_log(random.Random(seed))
    newest = log.copy()
    state.forget_older_batches(newest.producers)
    for snapshot in snapshots:
        again = log.copy()
        reload.forget_producers(again)
        reload.load_snapshot(again, snapshot)
        reload.replay(again, RULES, snapshot.offset)
        state.forget_older_batches(again.producers)
        assert again == newest, "a snapshot has the newest batch of each producer"
    again = log.copy()
    reload.rebuild_from_log(again, RULES)
    assert again == log


def test_a_log_that_is_cut_knows_what_the_shorter_log_knows():
    log = log_with(batch_of(0), batch_of(1), batch_of(2))
    truncate_to(log, 1)
    reload.rebuild_from_log(log, RULES)
    assert log == log_with(batch_of(0))


def test_without_transactions_their_fields_take_no_bit():
    """Why one record can serve both kinds of models."""
    plain = Layout(Everything, BOUNDS | {"transactional": 0, "max_coordinator_epoch": 0})
    only = ("is_transactional", "marker", "coordinator_epoch", "current_transaction_first_offset", "verification")
    widths = {leaf.path: leaf.bits for leaf in plain.leaves if any(word in leaf.path for word in only)}
    assert len(widths) > 20
    assert set(widths.values()) == {0}
    assert all(leaf.bits > 0 for leaf in LAYOUT.leaves if leaf.path in widths)
