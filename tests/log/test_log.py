"""The log of one replica, as impl/log stores it, and as a second log does that has the same functions."""

import pytest

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl import log as plain
from kafkacheck.impl.ids import NO_EPOCH
from kafkacheck.impl.log import reading
from tests.log import segments
from tests.support.partition import BOUNDS

THREE = [(0, 0), (2, 1), (3, 3)]


class Kind:
    """One way to store a log: its record, its functions, and how a test reads a record."""

    def __init__(self, struct, functions, end_of, at, **bounds):
        self.layout, self.end_of, self.at = Layout(struct, {**BOUNDS, **bounds}), end_of, at
        self.append_record, self.truncate_to = functions.append_record, functions.truncate_to
        self.has_offset, self.is_full = functions.has_offset, functions.is_full
        self.latest_epoch, self.is_same_record = functions.latest_epoch, functions.is_same_record

    def log_of(self, records):
        log = self.layout.blank()
        for record_id, epoch in records:
            self.append_record(log, record_id, epoch)
        return log

    def records_of(self, log):
        return [self.at(log, offset) for offset in range(self.end_of(log))]


KINDS = {
    "array": Kind(
        plain.Log, plain, reading.end_of, lambda log, offset: (log.records[offset].id, log.records[offset].epoch)
    ),
    "segments": Kind(
        segments.Segments,
        segments,
        segments.end_of,
        lambda log, offset: (segments.id_at(log, offset), segments.epoch_at(log, offset)),
        half=BOUNDS["log_size"] // 2,
    ),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


def test_a_new_log_is_empty_and_starts_with_offset_0(kind):
    log = kind.log_of([])
    assert kind.end_of(log) == 0
    assert not kind.has_offset(log, 0)
    assert kind.latest_epoch(log) == NO_EPOCH


def test_an_append_goes_to_the_end_offset(kind):
    log = kind.log_of(THREE)
    kind.append_record(log, 5, 4)
    assert kind.records_of(log) == [*THREE, (5, 4)]
    assert kind.latest_epoch(log) == 4


def test_the_end_offset_is_exclusive(kind):
    log = kind.log_of(THREE)
    assert kind.has_offset(log, 2)
    assert not kind.has_offset(log, 3)


def test_a_log_is_full_when_every_slot_is_taken(kind):
    assert kind.is_full(kind.log_of([(0, 0)] * BOUNDS["log_size"]))
    assert not kind.is_full(kind.log_of([(0, 0)] * (BOUNDS["log_size"] - 1)))


@pytest.mark.parametrize("end_offset", range(len(THREE) + 1))
def test_truncation_removes_what_lies_at_or_above_the_offset(kind, end_offset):
    log = kind.log_of(THREE)
    kind.truncate_to(log, end_offset)
    assert kind.records_of(log) == THREE[:end_offset]
    assert log == kind.log_of(THREE[:end_offset]), "it equals a log that never had more"


def test_truncation_above_the_end_changes_nothing(kind):
    log = kind.log_of(THREE)
    kind.truncate_to(log, BOUNDS["log_size"])
    assert log == kind.log_of(THREE)


@pytest.mark.parametrize(("other", "is_same"), [((2, 1), True), ((4, 1), False), ((2, 2), False)])
def test_records_are_the_same_when_id_and_epoch_are(kind, other, is_same):
    assert kind.is_same_record(kind.log_of([(0, 0), (2, 1)]), kind.log_of([(1, 0), other]), 1) is is_same
