"""Each property of compaction says no to a state that breaks it, and to nothing that does not."""

import pytest

from kafkacheck.checker.schema import clear
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.model.compaction.environment import producer_writes, start_compaction
from kafkacheck.model.compaction.family import BOUNDS, SAFETY
from kafkacheck.model.compaction.system import State, consumer_reads, follower_fetches, leader_ends_transaction
from kafkacheck.spec.compaction import properties as spec

RULES = CompactionRules()


def good(**bounds):
    """Key 0 with a value, and key 1 with one that was deleted; each replica has it, and the consumer."""
    layout = Layout(State, {**BOUNDS, "log_size": 6, **bounds})
    state, limits = layout.blank(), layout.bounds.as_tuple()
    start_compaction(state)
    for key, is_tombstone in ((0, False), (1, False), (1, True)):
        assert producer_writes(state, RULES, limits, 0, key, is_tombstone)
        if limits.transactional:
            assert leader_ends_transaction(state, RULES, 0, True)
    while follower_fetches(state, RULES, 1):
        pass
    assert consumer_reads(state)
    return state


def value_is_gone(state):
    state.replicas[1].kept -= {0}


def tombstone_is_gone(state):
    state.replicas[1].kept -= {2}


def reader_has_deleted(state):
    state.reader.values[1] = 1


def reader_lacks_value(state):
    state.reader.values[0] = -1


def stored_twice(state):
    state.stored[2] = state.stored[1]


def leader_is_out(state):
    state.isr -= {state.leader}


@pytest.mark.parametrize(
    ("change", "violated"),
    [
        (value_is_gone, spec.replicas_keep_last_values),
        (tombstone_is_gone, spec.replicas_keep_last_values),
        (reader_has_deleted, spec.reader_has_last_values),
        (reader_lacks_value, spec.reader_has_last_values),
        (stored_twice, spec.writes_are_stored_once),
        (leader_is_out, spec.leader_is_in_isr),
    ],
)
def test_a_property_fails_in_a_state_that_breaks_it(change, violated):
    state = good()
    assert all(each(state) for each in SAFETY)
    change(state)
    assert not violated(state)


def test_a_replica_that_has_not_fetched_what_supersedes_a_record_need_not_have_it():
    state = good()
    state.replicas[1].log.end_offset = 1
    value_is_gone(state)
    assert spec.replicas_keep_last_values(state)


@pytest.mark.parametrize(("offset", "holds"), [(1, False), (3, True), (5, True)])
def test_a_record_needs_the_first_marker_that_its_log_has_got_to(offset, holds):
    state = good(transactional=1)
    assert spec.markers_outlive_records(state)
    state.writes[0].outcome = spec.Marker.ABORT
    for replica_id in range(2):
        state.replicas[replica_id].log.records[1].marker = spec.Marker.ABORT
    assert spec.markers_outlive_records(state)
    clear(state.replicas[1].log.records[offset])
    others = [write for write in (1, 2) if state.writes[write].ended_at == offset]
    for write in others:
        state.replicas[1].kept -= {state.writes[write].ended_at - 1}
    assert spec.markers_outlive_records(state) == holds
