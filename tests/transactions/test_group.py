"""A group's coordinator changes: what the new one reads from the log, and who has to wait meanwhile."""

import pytest

from kafkacheck.checker.model.charges import charged
from kafkacheck.checker.schema import clear
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.coordinator.offsets import complete_pending_offset, note_offset
from kafkacheck.impl.log.append import append_batch, append_marker
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.transactions.constants import NO_INPUT, ProducerState, ProduceStage
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import consumer_commits_offset, consumer_fetches_offset
from kafkacheck.model.transactions.coordinators import group_coordinator_ends_loading, group_coordinator_reads_record
from kafkacheck.model.transactions.environment import (
    group_coordinator_is_replaced as free_group_coordinator_is_replaced,
)
from kafkacheck.model.transactions.environment import group_is_rebalanced as free_group_is_rebalanced
from kafkacheck.model.transactions.environment import offset_expires as free_offset_expires
from kafkacheck.model.transactions.family import BOUNDS
from kafkacheck.model.transactions.partitions import leader_appends_verified, leader_receives_produce
from kafkacheck.model.transactions.system import State
from kafkacheck.spec.transactions.offsets import (
    committed_offsets_count,
    loaded_pending_offset,
    marker_while_loading,
    offsets_match_log,
    only_new_coordinators_read,
    requests_await_loading,
)

group_is_rebalanced = charged(free_group_is_rebalanced, "rebalances")
group_coordinator_is_replaced = charged(free_group_coordinator_is_replaced, "group_failovers")
offset_expires = charged(free_offset_expires, "offset_expirations")

SIZES = {"clients": 2, "partitions": 2, "offsets_partition": 1, "producer_ids": 2, "inputs": 3, "group_delays": 1}
LAYOUT = Layout(
    State,
    {
        **BOUNDS,
        **SIZES,
        "requests": 2,
        "produces": 2,
        "max_generation": 2,
        "group_failovers": 2,
        "offset_expirations": 1,
    },
)
LIMITS = LAYOUT.bounds.as_tuple()
RULES = TransactionRules(log=LogRules(verification=False))
PLAIN = None


def group_with(*records):
    """A system whose partition of the offsets has these records: (producer, offset), (PLAIN, offset), or a marker."""
    state = LAYOUT.blank()
    partition = state.partitions[1]
    for producer_id, value in records:
        log = partition.log
        if isinstance(value, Marker):
            append_marker(log, RULES.log, producer_id, 0, 0, value)
            complete_pending_offset(state.group, RULES, log, producer_id, value)
        elif producer_id is PLAIN:
            note_offset(state.group, LIMITS, log.end_offset, value)
            log.end_offset += 1
            state.group.committed = value
        else:
            batch = state.produces[0].batch
            batch.id, batch.producer_id, batch.producer_epoch, batch.is_transactional = 0, producer_id, 0, 1
            append_batch(log, RULES.log, batch)
            clear(batch)
            note_offset(state.group, LIMITS, log.end_offset - 1, value)
            state.group.pending[producer_id] = value
        partition.high_watermark = log.end_offset
    return state


def known(state):
    return state.group.committed, list(state.group.pending)


def load(state, rules=RULES):
    while group_coordinator_reads_record(state, rules):
        pass
    assert group_coordinator_ends_loading(state, RULES)


LOGS = {
    "nothing": [],
    "the last of several": [(PLAIN, 1), (PLAIN, 2)],
    "committed in a transaction": [(0, 1), (0, Marker.COMMIT)],
    "aborted": [(PLAIN, 1), (0, 2), (0, Marker.ABORT)],
    "open": [(PLAIN, 1), (0, 2)],
    "open behind one that has ended": [(0, 1), (0, Marker.COMMIT), (0, 2)],
    "open ones of two producers": [(0, 1), (1, 2), (0, Marker.COMMIT)],
    "passed before its transaction ended": [(0, 1), (PLAIN, 2), (0, Marker.COMMIT)],
    "passed, ended, and one more that is aborted": [(0, 1), (PLAIN, 2), (0, Marker.COMMIT), (0, 3), (0, Marker.ABORT)],
}


@pytest.mark.parametrize("records", LOGS.values(), ids=LOGS)
def test_a_new_coordinator_knows_what_the_one_before_knew(records):
    state = group_with(*records)
    assert offsets_match_log(state)
    before = known(state)
    state.group.unfollowed[1] = Marker.COMMIT
    assert group_coordinator_is_replaced(state, RULES)
    assert state.group.unfollowed[1] == Marker.NONE, "it will read the marker"
    assert offsets_match_log(state), "nobody can tell yet"
    load(state)
    assert known(state) == before
    assert offsets_match_log(state)


def test_a_coordinator_that_takes_a_group_for_loaded_too_early_knows_an_old_offset():
    state = group_with(*LOGS["the last of several"])
    assert group_coordinator_is_replaced(state, RULES)
    load(state, RULES._replace(offsets_are_loaded_whole=False))
    assert known(state) == (1, [NO_INPUT, NO_INPUT])
    assert not offsets_match_log(state)


def test_a_marker_that_is_written_while_the_log_is_read_is_read_too():
    state = group_with(*LOGS["open"])
    assert group_coordinator_is_replaced(state, RULES)
    assert group_coordinator_reads_record(state, RULES)
    assert not marker_while_loading(state)
    log = state.partitions[1].log
    append_marker(log, RULES.log, 0, 0, 0, Marker.COMMIT)
    complete_pending_offset(state.group, RULES, log, 0, Marker.COMMIT)
    assert marker_while_loading(state)
    assert not group_coordinator_ends_loading(state, RULES), "there is more to read"
    load(state)
    assert known(state) == (2, [NO_INPUT, NO_INPUT])
    assert not loaded_pending_offset(state, LIMITS)


def test_a_coordinator_that_is_replaced_while_it_reads_leaves_nothing():
    state = group_with(*LOGS["the last of several"])
    assert group_coordinator_is_replaced(state, RULES)
    assert group_coordinator_reads_record(state, RULES)
    assert group_coordinator_is_replaced(state, RULES)
    assert (state.group.loading.next_offset, state.group.loading.committed) == (0, 0)
    assert not group_coordinator_is_replaced(state, RULES), "no change is left"


def test_nobody_reads_when_the_coordinator_is_not_new():
    state = group_with(*LOGS["open"])
    assert not group_coordinator_reads_record(state, RULES)
    assert not group_coordinator_ends_loading(state, RULES)
    assert not loaded_pending_offset(state, LIMITS), "it is not loaded"
    assert group_coordinator_is_replaced(state, RULES)
    load(state)
    assert loaded_pending_offset(state, LIMITS)


def test_who_asks_while_the_coordinator_is_loading_has_to_wait():
    state = group_with(*LOGS["the last of several"])
    state.budget.rebalances = 1
    consumer, producer = state.clients[0], state.clients[1]
    consumer.generation = state.group.generation = 1
    producer.state, producer.transaction = ProducerState.IN_TRANSACTION, 0
    produce = state.produces[1]
    produce.stage, produce.partition, produce.input_offset, produce.generation = ProduceStage.REQUESTED, 1, 3, 1
    produce.batch.id, produce.batch.producer_id, produce.batch.producer_epoch = 0, 0, 0
    produce.batch.is_transactional = 1
    consumer.state = ProducerState.READY
    waits = [
        lambda state: consumer_fetches_offset(state, RULES, 0),
        lambda state: leader_receives_produce(state, RULES, LIMITS, 1),
        lambda state: group_is_rebalanced(state, 0),
    ]
    assert group_coordinator_is_replaced(state, RULES)
    for step in waits:
        assert not step(state)
    consumer.input_offset, consumer.is_halfway = 2, True
    assert not consumer_commits_offset(state, RULES, LIMITS, 0)
    load(state)
    assert consumer_commits_offset(state.copy(), RULES, LIMITS, 0)
    consumer.input_offset, consumer.is_halfway = NO_INPUT, False
    for step in waits:
        assert step(state)


def test_what_was_verified_for_the_coordinator_before_is_not_appended_by_the_new_one():
    state = group_with(*LOGS["the last of several"])
    produce = state.produces[1]
    produce.partition, produce.input_offset, produce.stage = 1, 3, ProduceStage.REQUESTED
    produce.batch.id, produce.batch.producer_id, produce.batch.producer_epoch = 0, 0, 0
    produce.batch.is_transactional = 1
    verifying = TransactionRules()
    assert leader_receives_produce(state, verifying, LIMITS, 1)
    assert produce.stage == ProduceStage.VERIFYING
    produce.stage = ProduceStage.VERIFIED
    assert group_coordinator_is_replaced(state, verifying)
    assert leader_appends_verified(state, verifying, LIMITS, 1)
    assert (state.partitions[1].log.end_offset, produce.stage) == (2, ProduceStage.IDLE)


def test_an_answer_while_the_coordinator_is_loading_is_seen():
    before = group_with(*LOGS["the last of several"])
    after = before.copy()
    after.clients[0].input_offset = 1
    assert requests_await_loading(before, after)
    before.group.loading.is_loading = 1
    assert not requests_await_loading(before, after)
    after = before.copy()
    assert requests_await_loading(before, after)
    after.group.records[2] = 1
    assert not requests_await_loading(before, after)
    after = before.copy()
    after.group.generation += 1
    assert not requests_await_loading(before, after)


@pytest.mark.parametrize("field", ["committed", "pending"])
def test_offsets_that_differ_from_the_log_are_seen(field):
    state = group_with(*LOGS["open"])
    if field == "committed":
        state.group.committed = 0
    else:
        state.group.pending[0] = NO_INPUT
    assert not offsets_match_log(state)
    state.group.unfollowed[0] = Marker.COMMIT
    assert offsets_match_log(state), "the coordinator will follow"


def test_a_coordinator_that_reads_and_is_not_new_or_reads_too_far_is_seen():
    state = group_with(*LOGS["open"])
    assert only_new_coordinators_read(state)
    state.group.loading.next_offset = 2
    assert not only_new_coordinators_read(state)
    state.group.loading.is_loading = 1
    assert only_new_coordinators_read(state)
    state.group.loading.next_offset = 3
    assert not only_new_coordinators_read(state)
    for field in ("committed", "pending"):
        state = group_with(*LOGS["open"])
        if field == "committed":
            state.group.loading.committed = 1
        else:
            state.group.loading.pending[0] = 1
        assert not only_new_coordinators_read(state), field


def test_an_offset_expires_unless_one_is_pending():
    assert not offset_expires(group_with(), RULES, LIMITS), "there is none"
    state = group_with((PLAIN, 1))
    assert offset_expires(state, RULES, LIMITS)
    assert (state.group.committed, state.partitions[1].log.end_offset, state.group.records[1]) == (0, 2, 0)
    assert offsets_match_log(state)
    state = group_with((PLAIN, 1), (0, 2))
    assert not offset_expires(state, RULES, LIMITS)
    before = state.copy()
    assert offset_expires(state, RULES._replace(pending_offset_keeps_group=False), LIMITS)
    assert state.group.pending[0] == NO_INPUT
    state.transactions[0].input_offset = 1
    after = state.copy()
    append_marker(after.partitions[1].log, RULES.log, 0, 0, 0, Marker.COMMIT)
    assert not committed_offsets_count(state, after), "the transaction's offset is gone"
    after.group.committed = 2
    assert committed_offsets_count(state, after)
    assert before.group.pending[0] == 2
