"""What a pass of the cleaner removes, empties, keeps and leaves for later, by small logs written out."""

import pytest

from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.compaction.records import NOTHING
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.log.constants import NO_PRODUCER_ID
from kafkacheck.model.compaction.environment import (
    follower_falls_behind,
    leadership_moves,
    producer_state_is_rebuilt,
    producer_writes,
    start_compaction,
    write_is_repeated,
)
from kafkacheck.model.compaction.family import BOUNDS
from kafkacheck.model.compaction.system import (
    State,
    cleaner_cleans,
    consumer_reads,
    follower_fetches,
    leader_ends_transaction,
)

RULES = CompactionRules()
LIMITS = Bounds(BOUNDS).as_tuple()
TRANSACTIONAL = LIMITS._replace(transactional=1)
BUDGETS = {"lags": 2, "failovers": 2, "retries": 3, "reloads": 2}


def beginning(**bounds):
    state = Layout(State, {**BOUNDS, "producer_ids": 2, "batches": 4, "log_size": 8, **BUDGETS, **bounds}).blank()
    start_compaction(state)
    return state


def write(state, text, rules=RULES, limits=LIMITS):
    """Writes like `0:k1` (producer 0, key 1) and `0:t1` (a tombstone), and ends like `0:C` and `0:A`."""
    for word in text.split():
        producer, act = int(word[0]), word[2]
        if act in "CA":
            assert leader_ends_transaction(state, RULES, producer, act == "C")
        else:
            assert producer_writes(state, rules, limits, producer, int(word[3]), act == "t")


def replicate(state, replica_id=1, count=99):
    for _ in range(count):
        if not follower_fetches(state, RULES, replica_id):
            return


def log_of(state, replica_id=0):
    """A letter for each offset: the batch with its record, `e` an empty one, `m` a marker, `-` nothing."""
    replica, text = state.replicas[replica_id], ""
    for offset in range(replica.log.end_offset):
        batch = replica.log.records[offset]
        if batch.producer_id == NO_PRODUCER_ID:
            text += "-"
        elif batch.marker:
            text += "m"
        else:
            text += str(batch.id) if offset in replica.kept else "e"
    return text


def clean(state, end, is_late=False, rules=RULES, replica_id=0):
    return cleaner_cleans(state, rules, replica_id, end, is_late)


def test_a_superseded_record_goes_and_the_last_batch_of_its_producer_stays_empty():
    state = beginning(replicas=1)
    write(state, "0:k0 0:k0 1:k0 1:k1")
    assert clean(state, 3)
    assert log_of(state) == "-e23"
    assert not clean(state, 3), "there is nothing left to do"
    assert producer_state_is_rebuilt(state, RULES, 0)
    assert write_is_repeated(state, RULES, LIMITS, 1)
    assert log_of(state) == "-e23", "it is known again"


def test_an_empty_batch_goes_when_its_producer_has_another_one():
    state = beginning(replicas=1)
    write(state, "0:k0 1:k0")
    assert clean(state, 2)
    assert log_of(state) == "e1"
    write(state, "0:k1")
    assert clean(state, 2)
    assert log_of(state) == "-12"


def test_without_the_last_batch_a_write_that_is_sent_again_is_stored_twice():
    rules = RULES._replace(last_batch_is_kept=False)
    state = beginning(replicas=1)
    write(state, "0:k0 1:k0")
    assert clean(state, 2, rules=rules)
    assert log_of(state) == "-1"
    assert producer_state_is_rebuilt(state, rules, 0)
    assert write_is_repeated(state, rules, LIMITS, 0)
    assert log_of(state) == "-10"


def test_a_last_batch_that_keeps_its_record_is_read_again_when_the_tombstone_is_gone():
    rules = RULES._replace(last_batch_is_emptied=False)
    state = beginning(replicas=1)
    write(state, "0:k0 1:t0 1:k1")
    assert clean(state, 3, rules=rules)
    assert clean(state, 3, is_late=True, rules=rules)
    assert log_of(state) == "0-2"
    assert consumer_reads(state)
    assert [state.reader.values[key] for key in range(2)] == [0, 2]


def test_the_cleaner_stops_at_the_high_watermark():
    state = beginning()
    write(state, "0:k0 0:k0")
    replicate(state, count=1)
    assert not clean(state, 2)
    assert clean(state, 2, rules=RULES._replace(cleaning_ends_at_high_watermark=False))
    assert log_of(state) == "-1"
    assert leadership_moves(state, RULES, 1)
    assert (log_of(state), log_of(state, 1)) == ("-", "0"), "what was committed is gone from the first one"


def test_the_cleaner_stops_at_a_transaction_that_is_open():
    state = beginning(replicas=1, transactional=1)
    write(state, "0:k0 0:C 1:k1 0:k0 0:C", limits=TRANSACTIONAL)
    assert not clean(state, 3)
    write(state, "1:C")
    assert clean(state, 5)
    assert log_of(state) == "-m12mm"


def test_a_tombstone_goes_two_passes_later_when_nobody_is_on_his_way_to_it():
    state = beginning(replicas=1)
    write(state, "0:k0")
    assert consumer_reads(state)
    write(state, "0:t0 0:k1")
    assert clean(state, 2)
    assert log_of(state) == "-12", "it has a delete horizon now"
    assert not clean(state, 2, is_late=True), "a consumer has the value, and has not seen the tombstone"
    assert consumer_reads(state)
    assert state.reader.values[0] == NOTHING
    assert not clean(state, 2), "it is not late enough"
    assert clean(state, 2, is_late=True)
    assert log_of(state) == "--2"


def test_without_a_delete_horizon_a_slow_consumer_keeps_what_was_deleted():
    state = beginning(replicas=1)
    write(state, "0:k0")
    assert consumer_reads(state)
    write(state, "0:t0 0:k1")
    assert clean(state, 2, rules=RULES._replace(delete_horizon_is_awaited=False))
    assert log_of(state) == "--2"
    assert consumer_reads(state)
    assert state.reader.values[0] == 0


def test_a_follower_out_of_sync_is_waited_for_and_one_without_anything_is_not():
    state = beginning()
    write(state, "0:k0")
    replicate(state)
    assert follower_falls_behind(state, 1)
    write(state, "0:t0 0:k1")
    assert clean(state, 2)
    assert not clean(state, 2, is_late=True)
    replicate(state)
    assert log_of(state, 1) == "012"
    assert clean(state, 2, is_late=True)
    assert clean(state, 2, is_late=True, replica_id=1), "the delete horizon came with the batch"
    assert log_of(state, 1) == "--2"

    state = beginning()
    assert follower_falls_behind(state, 1)
    write(state, "0:t0 0:k1")
    assert clean(state, 1)
    assert clean(state, 1, is_late=True)


def test_a_marker_goes_last_of_its_transaction():
    state = beginning(replicas=1, transactional=1)
    write(state, "0:k0 0:A 0:k1 0:C", limits=TRANSACTIONAL)
    assert clean(state, 2)
    assert log_of(state) == "-m1m", "the aborted record goes at once"
    assert clean(state, 2)
    assert log_of(state) == "-m1m", "without records the marker gets a delete horizon"
    assert clean(state, 2, is_late=True)
    assert log_of(state) == "--1m"


@pytest.mark.parametrize(("end", "key"), [("0:C", 1), ("0:A", 0)])
def test_a_key_with_the_bytes_of_a_marker_does_not_supersede_it(end, key):
    state = beginning(replicas=1, transactional=1)
    write(state, f"0:k{1 - key} {end} 1:k{key} 1:C", limits=TRANSACTIONAL)
    old = RULES._replace(markers_have_no_key=False)
    assert not clean(state, 3) or end == "0:A"
    assert log_of(state)[1] == "m"
    assert clean(state, 3, rules=old)
    assert log_of(state)[1] == "-"
