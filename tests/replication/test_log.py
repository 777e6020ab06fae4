"""The log of one replica."""

import pytest

from kafkacheck.impl.constants import NO_EPOCH
from kafkacheck.impl.log import append_record, has_offset, is_full, is_same_record, latest_epoch, truncate_to
from tests.support.partition import BOUNDS, log_of, records_of

THREE = [(0, 0), (2, 1), (3, 3)]


def test_a_new_log_is_empty_and_starts_with_offset_0():
    log = log_of([])
    assert log.end_offset == 0
    assert not has_offset(log, 0)
    assert latest_epoch(log) == NO_EPOCH


def test_an_append_goes_to_the_end_offset():
    log = log_of(THREE)
    append_record(log, 5, 4)
    assert records_of(log) == [*THREE, (5, 4)]
    assert latest_epoch(log) == 4


def test_the_end_offset_is_exclusive():
    log = log_of(THREE)
    assert has_offset(log, 2)
    assert not has_offset(log, 3)


def test_a_log_is_full_when_every_slot_is_taken():
    assert is_full(log_of([(0, 0)] * BOUNDS["log_size"]))
    assert not is_full(log_of([(0, 0)] * (BOUNDS["log_size"] - 1)))


@pytest.mark.parametrize("end_offset", range(len(THREE) + 1))
def test_truncation_removes_what_lies_at_or_above_the_offset(end_offset):
    log = log_of(THREE)
    truncate_to(log, end_offset)
    assert records_of(log) == THREE[:end_offset]


def test_a_truncated_log_equals_one_that_never_had_more():
    log = log_of(THREE)
    truncate_to(log, 1)
    assert log == log_of(THREE[:1])


@pytest.mark.parametrize(("other", "is_same"), [((2, 1), True), ((4, 1), False), ((2, 2), False)])
def test_records_are_the_same_when_id_and_epoch_are(other, is_same):
    assert is_same_record(log_of([(0, 0), (2, 1)]), log_of([(1, 0), other]), 1) is is_same
