"""The coordinator, the partitions and the cleaner, rule by rule, on states made by hand."""

import pytest

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.coordinator.transactions import add_partition, answer_of, fence_and_abort, verify_partition
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.impl.log.append import append_batch
from kafkacheck.impl.log.constants import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, Marker
from kafkacheck.impl.log.transactions import last_stable_offset
from kafkacheck.impl.transactions.constants import Answer, ProducerState, ProduceStage, RequestKind, TransactionState
from kafkacheck.impl.transactions.leader import write_marker
from kafkacheck.impl.transactions.partition import reload_partition
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import consumer_reads
from kafkacheck.model.transactions.coordinators import group_coordinator_follows_marker, transaction_log_commits
from kafkacheck.model.transactions.environment import (
    append_fails,
    group_coordinator_lags,
    partition_is_deleted,
    topic_is_recreated,
)
from kafkacheck.model.transactions.family import BOUNDS
from kafkacheck.model.transactions.partitions import (
    cleaner_cleans_segment,
    leader_appends_verified,
    leader_receives_produce,
    leader_writes_marker,
    partition_replicates,
)
from kafkacheck.model.transactions.system import State

LAYOUT = Layout(
    State, {**BOUNDS, "partitions": 2, "producer_ids": 4, "max_producer_epoch": 4, "append_failures": 4, "log_size": 6}
)
GROUP = Layout(
    State, {**BOUNDS, "partitions": 2, "offsets_partition": 1, "inputs": 1, "group_delays": 1, "deletions": 1,
            "recreations": 1},
)  # fmt: skip
LIMITS = Bounds({**LAYOUT.bounds.values, "segment_size": 1}).as_tuple()
V1, V2 = TransactionRules(transaction_version=1), TransactionRules(transaction_version=2)
COMMIT, ABORT, NONE = Marker.COMMIT, Marker.ABORT, Marker.NONE


def coordinator_in(state_name, epoch=1, last_epoch=NO_PRODUCER_EPOCH, producer_id=0, partitions=Ids({0})):
    """A system whose one coordinator has this of the id, in memory and in the log."""
    state = LAYOUT.blank()
    transactional = state.transactional_ids[0]
    transactional.coordinators[0].is_serving = True
    state.producer_ids.next_producer_id = producer_id + 1
    for metadata in (transactional.log.entry, transactional.coordinators[0].metadata):
        metadata.producer_id, metadata.producer_epoch, metadata.last_producer_epoch = producer_id, epoch, last_epoch
        metadata.state, metadata.partitions = TransactionState[state_name], partitions
    return state


def ask(state, rules, kind, producer_id=0, epoch=1, marker=NONE):
    request = state.requests[0]
    request.kind, request.producer_id, request.producer_epoch, request.marker = kind, producer_id, epoch, marker
    transactional = state.transactional_ids[0]
    coordinator = transactional.coordinators[0]
    return Answer(answer_of(coordinator, transactional.log, 0, rules, LIMITS, state.producer_ids, request)).name


def appended(state):
    entry = state.transactional_ids[0].log.appended
    return TransactionState(entry.state).name, entry.producer_id, entry.producer_epoch, entry.last_producer_epoch


@pytest.mark.parametrize("rules", [V1, V2])
@pytest.mark.parametrize(
    ("state_name", "producer_id", "epoch", "answer", "entry"),
    [
        ("EMPTY", NO_PRODUCER_ID, NO_PRODUCER_EPOCH, "APPENDING", ("EMPTY", 0, 2, -1)),
        ("COMPLETE_COMMIT", 0, 1, "APPENDING", ("EMPTY", 0, 2, 1)),
        ("COMPLETE_ABORT", 0, 0, "APPENDING", ("EMPTY", 0, 1, 0)),
        ("COMPLETE_ABORT", 1, 1, "PRODUCER_FENCED", None),
        ("PREPARE_COMMIT", 0, 1, "WAIT", None),
        ("PREPARE_ABORT", NO_PRODUCER_ID, NO_PRODUCER_EPOCH, "WAIT", None),
    ],
)
def test_init_producer_id(rules, state_name, producer_id, epoch, answer, entry):
    state = coordinator_in(state_name, last_epoch=0)
    assert ask(state, rules, RequestKind.INIT_PRODUCER_ID, producer_id, epoch) == answer
    assert state.transactional_ids[0].log.is_appended == (entry is not None)
    if entry is not None:
        assert appended(state) == entry


@pytest.mark.parametrize(("rules", "in_memory", "last_epoch"), [(V1, 2, -1), (V2, 1, 1)])
def test_an_ongoing_transaction_is_aborted_first(rules, in_memory, last_epoch):
    state = coordinator_in("ONGOING")
    asked = ask(state, rules, RequestKind.INIT_PRODUCER_ID, NO_PRODUCER_ID, NO_PRODUCER_EPOCH)
    assert (asked, appended(state)) == ("FENCING", ("PREPARE_ABORT", 0, 2, last_epoch))
    assert state.transactional_ids[0].coordinators[0].metadata.producer_epoch == in_memory


def test_init_producer_id_of_a_fenced_client_is_refused():
    state = coordinator_in("EMPTY", epoch=2)
    assert ask(state, V2, RequestKind.INIT_PRODUCER_ID, 0, 1) == "PRODUCER_FENCED"


def test_an_epoch_that_is_used_up_is_followed_by_another_producer_id():
    state = coordinator_in("COMPLETE_COMMIT", epoch=3)
    assert ask(state, V1, RequestKind.INIT_PRODUCER_ID, NO_PRODUCER_ID, NO_PRODUCER_EPOCH) == "APPENDING"
    assert appended(state) == ("EMPTY", 1, 0, -1)


@pytest.mark.parametrize(
    ("state_name", "marker", "answer"),
    [
        ("ONGOING", COMMIT, "APPENDING"),
        ("PREPARE_COMMIT", COMMIT, "WAIT"),
        ("PREPARE_COMMIT", ABORT, "INVALID_TXN_STATE"),
        ("COMPLETE_COMMIT", COMMIT, "NONE"),
        ("COMPLETE_COMMIT", ABORT, "INVALID_TXN_STATE"),
        ("COMPLETE_ABORT", COMMIT, "INVALID_TXN_STATE"),
        ("EMPTY", ABORT, "INVALID_TXN_STATE"),
    ],
)
def test_end_txn_of_version_1(state_name, marker, answer):
    state = coordinator_in(state_name)
    assert ask(state, V1, RequestKind.END_TXN, marker=marker) == answer


@pytest.mark.parametrize(
    ("state_name", "epoch", "marker", "answer"),
    [
        ("ONGOING", 1, COMMIT, "APPENDING"),
        ("ONGOING", 0, COMMIT, "PRODUCER_FENCED"),
        ("PREPARE_COMMIT", 0, COMMIT, "WAIT"),
        ("PREPARE_COMMIT", 0, ABORT, "INVALID_TXN_STATE"),
        ("PREPARE_COMMIT", 1, COMMIT, "PRODUCER_FENCED"),
        ("PREPARE_ABORT", 1, ABORT, "PRODUCER_FENCED"),
        ("COMPLETE_COMMIT", 2, ABORT, "PRODUCER_FENCED"),
        ("COMPLETE_COMMIT", 0, COMMIT, "NONE"),
        ("COMPLETE_COMMIT", 0, ABORT, "INVALID_TXN_STATE"),
        ("COMPLETE_COMMIT", 1, COMMIT, "INVALID_TXN_STATE"),
        ("COMPLETE_COMMIT", 1, ABORT, "APPENDING"),
        ("EMPTY", 0, ABORT, "PRODUCER_FENCED"),
        ("EMPTY", 1, COMMIT, "INVALID_TXN_STATE"),
        ("EMPTY", 1, ABORT, "APPENDING"),
        ("DEAD", 0, ABORT, "PRODUCER_FENCED"),
    ],
)
def test_end_txn_of_version_2_tells_transactions_apart_by_their_epochs(state_name, epoch, marker, answer):
    state = coordinator_in(state_name, last_epoch=0)
    assert ask(state, V2, RequestKind.END_TXN, epoch=epoch, marker=marker) == answer
    if answer == "APPENDING":
        assert appended(state)[2:] == (2, 1)


FORMER = [("COMPLETE_COMMIT", "NONE"), ("EMPTY", "PRODUCER_FENCED"), ("ONGOING", "PRODUCER_FENCED")]


@pytest.mark.parametrize(("state_name", "answer"), FORMER)
def test_an_end_of_the_last_epoch_is_known_by_the_producer_id_before(state_name, answer):
    state = coordinator_in(state_name, epoch=0, producer_id=1)
    state.transactional_ids[0].coordinators[0].metadata.previous_producer_id = 0
    assert ask(state, V2, RequestKind.END_TXN, producer_id=0, epoch=3, marker=COMMIT) == answer
    assert ask(state, V2, RequestKind.END_TXN, producer_id=0, epoch=2, marker=COMMIT) == "INVALID_PRODUCER_ID_MAPPING"


def test_version_2_goes_over_to_the_next_producer_id_when_the_transaction_completes():
    state = coordinator_in("ONGOING", epoch=3)
    assert ask(state, V2, RequestKind.END_TXN, epoch=3, marker=COMMIT) == "APPENDING"
    entry = state.transactional_ids[0].log.appended
    assert (entry.producer_id, entry.next_producer_id, entry.producer_epoch) == (0, 1, 4)


@pytest.mark.parametrize(
    ("state_name", "epoch", "partition_id", "added", "verified"),
    [
        ("ONGOING", 1, 0, "NONE", "NONE"),
        ("ONGOING", 1, 1, "APPENDING", "TRANSACTION_ABORTABLE"),
        ("ONGOING", 0, 0, "PRODUCER_FENCED", "PRODUCER_FENCED"),
        ("PREPARE_COMMIT", 1, 0, "WAIT", "WAIT"),
    ],
)
def test_adding_and_verifying_a_partition(state_name, epoch, partition_id, added, verified):
    transactional = coordinator_in(state_name).transactional_ids[0]
    coordinator = transactional.coordinators[0]
    assert Answer(verify_partition(coordinator.metadata, 0, epoch, partition_id)).name == verified
    assert Answer(add_partition(coordinator, transactional.log, 0, V1, LIMITS, 0, epoch, partition_id, 0)).name == added


def test_a_fence_that_failed_is_not_raised_again():
    state = coordinator_in("ONGOING", epoch=0)
    transactional = state.transactional_ids[0]
    for _ in range(3):
        assert fence_and_abort(transactional.coordinators[0], transactional.log, 0, V1, LIMITS, state.producer_ids)
        assert appended(state) == ("PREPARE_ABORT", 0, 1, -1)
        assert append_fails(state, V1, 0, True)
    assert state.transactional_ids[0].coordinators[0].has_failed_epoch_fence


def test_an_append_of_unknown_outcome_may_still_be_committed_and_is_not_answered():
    state = coordinator_in("ONGOING")
    assert ask(state, V1, RequestKind.END_TXN, marker=COMMIT) == "APPENDING"
    state.requests[0].is_waiting = True
    assert append_fails(state, V1, 0, False)
    assert not state.requests[0].is_waiting
    assert transaction_log_commits(state, V1, 0)
    transactional = state.transactional_ids[0]
    assert transactional.log.entry.state == TransactionState.PREPARE_COMMIT
    assert transactional.coordinators[0].metadata.state == TransactionState.ONGOING


LAGGING = TransactionRules(transaction_version=1, leader_is_alone=False)


def partition_with(*items, rules=V1):
    """A partition: a number is a record of that producer, (producer, marker) a marker."""
    state = LAYOUT.blank()
    partition = state.partitions[0]
    for item in items:
        if isinstance(item, int):
            batch = state.produces[0].batch.copy()
            batch.id, batch.producer_id, batch.producer_epoch, batch.base_sequence = 0, item, 0, 0
            batch.is_transactional = 1
            append_batch(partition.log, rules.log, batch)
        else:
            request = state.transactional_ids[0].coordinators[0].markers[0].copy()
            request.producer_id, request.producer_epoch, request.marker = item[0], 0, item[1]
            write_marker(partition, rules, request, 0)
    if rules.leader_is_alone:
        partition.high_watermark = partition.log.end_offset
    return state, partition


def test_a_batch_that_another_verified_request_has_brought_is_acknowledged_and_not_stored_again():
    state, partition = partition_with(0)
    client, produce = state.clients[0], state.produces[0]
    client.state, client.transaction = ProducerState.IN_TRANSACTION, 0
    produce.stage, produce.partition, produce.guard = ProduceStage.VERIFIED, 0, 1
    produce.batch = partition.log.records[0].copy()
    assert leader_appends_verified(state, V1, LIMITS, 0)
    assert (produce.stage, client.state) == (ProduceStage.IDLE, ProducerState.IN_TRANSACTION)
    assert (state.transactions[0].acknowledged, partition.log.end_offset) == ({0}, 1)


def stable_end(partition):
    return last_stable_offset(partition.log, partition.index, partition.high_watermark)


def test_the_last_stable_offset_stands_at_the_first_open_transaction():
    assert stable_end(partition_with(0, 1, (1, COMMIT))[1]) == 0
    assert stable_end(partition_with(1, 0, (1, COMMIT))[1]) == 1
    assert stable_end(partition_with(1, 0, (1, COMMIT), (0, ABORT))[1]) == 4


def test_a_transaction_is_stable_only_when_its_marker_is_replicated():
    state, partition = partition_with(0, (0, COMMIT), rules=LAGGING)
    stable = [stable_end(partition)]
    while partition_replicates(state, 0):
        stable.append(stable_end(partition))
    assert stable == [0, 0, 2]


def test_the_index_has_aborted_transactions_that_have_records_here_and_no_others():
    _, partition = partition_with(0, 1, (0, ABORT), (2, ABORT), (1, COMMIT))
    entries = {at: (each.producer_id, each.first_offset) for at, each in enumerate(partition.index.aborted)}
    assert {at: entry for at, entry in entries.items() if entry[1] != NO_OFFSET} == {2: (0, 0)}


def test_a_reader_leaves_out_the_aborted_producer_alone():
    state, _ = partition_with(0, 1, (0, ABORT), 0, (1, COMMIT), (0, COMMIT))
    assert consumer_reads(state, V2, 0)
    assert state.readers[0].delivered == {1, 3}


def test_what_is_made_from_the_log_is_what_was_there():
    _, partition = partition_with(0, 1, (0, ABORT), 2, (1, COMMIT))
    again = partition.copy()
    reload_partition(again, V1)
    assert again.index.aborted == partition.index.aborted
    assert again.index.unreplicated == partition.index.unreplicated
    assert [each.current_transaction_first_offset for each in again.log.producers] == [-1, -1, 3, -1]


def test_the_cleaner_removes_aborted_records_and_then_their_marker():
    state, partition = partition_with(0, (0, ABORT))
    assert not cleaner_cleans_segment(state, V1, LIMITS, 0, 1, 2), "the record is still there"
    assert cleaner_cleans_segment(state, V1, LIMITS, 0, 0, 1)
    assert cleaner_cleans_segment(state, V1, LIMITS, 0, 1, 2)
    assert all(batch.producer_id == NO_PRODUCER_ID for batch in partition.log.records)
    assert partition.index.aborted[1].first_offset == NO_OFFSET


def test_the_cleaner_keeps_the_marker_of_what_is_committed():
    state, _ = partition_with(0, (0, COMMIT))
    assert not cleaner_cleans_segment(state, V1, LIMITS, 0, 0, 1)
    assert not cleaner_cleans_segment(state, V1, LIMITS, 0, 1, 2)


def test_the_group_follows_a_marker_before_it_is_answered_and_once_did_so_later():
    for rules, is_answered in ((V2, False), (V2._replace(marker_answer_awaits_offsets=False), True)):
        state = GROUP.blank()
        coordinator = state.transactional_ids[0].coordinators[0]
        coordinator.is_serving, coordinator.is_marking, coordinator.unmarked = True, True, Ids({1})
        request = coordinator.markers[1]
        request.is_sent, request.producer_id, request.producer_epoch, request.marker = True, 0, 1, COMMIT
        state.group.pending[0] = 1
        state.budget.group_delays = 1
        assert group_coordinator_lags(state, rules, 0, 0)
        assert (state.group.committed, coordinator.unmarked == Ids()) == (0, is_answered)
        assert not leader_writes_marker(state, rules, 0, 0, 1), "one after the other"
        assert group_coordinator_follows_marker(state, rules, 0)
        assert (state.group.committed, coordinator.unmarked) == (1, set())


def test_a_topic_created_anew_takes_nothing_that_was_for_the_deleted_one():
    old = V2._replace(produce_names_topic_id=False)
    for rules, stage, incarnation in ((V2, ProduceStage.REQUESTED, 1), (old, ProduceStage.VERIFYING, 0)):
        state = GROUP.blank()
        produce = state.produces[0]
        produce.stage, produce.partition = ProduceStage.REQUESTED, 0
        produce.batch.id, produce.batch.producer_id, produce.batch.producer_epoch = 0, 0, 0
        produce.batch.base_sequence, produce.batch.is_transactional = 0, 1
        state.budget.deletions = state.budget.recreations = 1
        assert not topic_is_recreated(state, 0)
        assert partition_is_deleted(state, 0)
        assert topic_is_recreated(state, 0)
        assert leader_receives_produce(state, rules, LIMITS, 0)
        assert (produce.stage, produce.incarnation) == (stage, incarnation), "its client sends it to the new one"
