"""What the documents on Kafka say of transactions, sentence by sentence, played on the reference.

Each test is a schedule that a document describes: who does what, in which order, and what a read_committed reader and
the applications see. A step that is listed has to be possible.
"""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.impl.log.constants import Marker
from kafkacheck.impl.transactions.constants import ProducerState, TransactionState, Upgrade
from kafkacheck.impl.transactions.rules import TransactionRules
from kafkacheck.model.transactions.clients import (
    consumer_reads,
    producer_aborts,
    producer_begins_transaction,
    producer_commits,
    producer_initializes,
    producer_sends,
)
from kafkacheck.model.transactions.coordinators import (
    coordinator_completes_transaction,
    coordinator_handles_request,
    coordinator_sends_marker,
    coordinator_verifies_partition,
    transaction_log_commits,
)
from kafkacheck.model.transactions.environment import client_dies, coordinator_is_replaced, marker_is_repeated
from kafkacheck.model.transactions.family import BOUNDS
from kafkacheck.model.transactions.partitions import (
    leader_appends_verified,
    leader_receives_produce,
    leader_writes_late_marker,
    leader_writes_marker,
)
from kafkacheck.spec.transactions.properties import (
    applications_are_told_the_truth,
    only_what_was_to_be_committed_is,
    transactions_are_atomic,
)

VERSIONS = [TransactionRules(transaction_version=1), TransactionRules(transaction_version=2)]
IDS = ["version 1", "version 2"]
SIZES = {
    "crashes": 1,
    "clients": 2,
    "requests": 2,
    "produces": 2,
    "partitions": 2,
    "producer_ids": 2,
    "max_producer_epoch": 4,
}
LIMITS = Bounds({**BOUNDS, **SIZES}).as_tuple()


def beginning(**bounds):
    """Two clients of one transactional id and two partitions, and nothing done yet."""
    model = catalogue.find_model("transactions.coordinator.timeouts")
    return next(iter(model.with_bounds({**SIZES, **bounds}).initial_states()))


def play(*steps):
    """Each step is a call that has to be possible."""
    for step, *arguments in steps:
        assert step(*arguments), step.__name__


def request(state, rules, client_id, term=0):
    """The coordinator takes the client's request and has it in its log."""
    play(
        (coordinator_handles_request, state, rules, LIMITS, client_id, term), (transaction_log_commits, state, rules, 0)
    )


def initialize(state, rules, client_id):
    play((producer_initializes, state, client_id))
    request(state, rules, client_id)


def send(state, rules, client_id, partition_id):
    """Add the partition, as this transaction version does it, and have the record stored."""
    play((producer_sends, state, rules, client_id, partition_id))
    if rules.transaction_version == 1:
        request(state, rules, client_id)
        play((producer_sends, state, rules, client_id, partition_id))
    play(
        (leader_receives_produce, state, rules, LIMITS, client_id),
        (coordinator_verifies_partition, state, rules, LIMITS, client_id, 0),
    )
    if rules.transaction_version == 2:
        play(
            (transaction_log_commits, state, rules, 0),
            (coordinator_verifies_partition, state, rules, LIMITS, client_id, 0),
        )
    play((leader_appends_verified, state, rules, LIMITS, client_id))


def write_marker(state, rules, partition_id, term=0):
    play(
        (coordinator_sends_marker, state, 0, term, partition_id),
        (leader_writes_marker, state, rules, 0, term, partition_id),
    )


def complete(state, rules, term=0):
    play((coordinator_completes_transaction, state, 0, term), (transaction_log_commits, state, rules, 0))


def log_state(state):
    return state.transactional_ids[0].log.entry.state


def read(state, partition_id):
    """What a read_committed reader has been given of the partition, once it has read what it can: offsets."""
    consumer_reads(state, VERSIONS[1], partition_id)
    return list(state.readers[partition_id].delivered)


def begin_over_two_partitions(state, rules):
    initialize(state, rules, 0)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    send(state, rules, 0, 1)


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_between_prepare_and_complete_a_transaction_becomes_visible_partition_by_partition(rules):
    state = beginning()
    begin_over_two_partitions(state, rules)
    play((producer_commits, state, rules, 0))
    request(state, rules, 0)
    assert log_state(state) == TransactionState.PREPARE_COMMIT
    assert (read(state, 0), read(state, 1)) == ([], []), "decided, and visible nowhere yet"
    write_marker(state, rules, 0)
    assert (read(state, 0), read(state, 1)) == ([0], []), "visible in one partition only"
    assert not coordinator_completes_transaction(state, 0, 0)
    write_marker(state, rules, 1)
    assert (read(state, 0), read(state, 1)) == ([0], [0])
    complete(state, rules)
    assert log_state(state) == TransactionState.COMPLETE_COMMIT
    assert state.transactions[0].told == Marker.COMMIT


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_an_aborted_transaction_is_passed_over_and_never_given_to_a_reader(rules):
    state = beginning()
    begin_over_two_partitions(state, rules)
    play((producer_aborts, state, rules, 0))
    request(state, rules, 0)
    write_marker(state, rules, 0)
    write_marker(state, rules, 1)
    complete(state, rules)
    assert (read(state, 0), read(state, 1)) == ([], [])
    assert [state.readers[each].position for each in range(2)] == [2, 2], "the reader is behind record and marker"


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_a_transaction_whose_producer_died_half_way_is_ended_by_its_successor(rules):
    """Whoever asks for a producer id under the same transactional id has what is unfinished ended first."""
    state = beginning()
    begin_over_two_partitions(state, rules)
    play((client_dies, state, 0), (producer_initializes, state, 1))
    play((coordinator_handles_request, state, rules, LIMITS, 1, 0))
    assert state.clients[1].state == ProducerState.INITIALIZING, "it is told to ask again"
    play((transaction_log_commits, state, rules, 0))
    assert log_state(state) == TransactionState.PREPARE_ABORT
    assert not coordinator_handles_request(state, rules, LIMITS, 1, 0), "not before the markers are written"
    write_marker(state, rules, 0)
    write_marker(state, rules, 1)
    complete(state, rules)
    request(state, rules, 1)
    assert state.clients[1].state == ProducerState.READY
    assert state.clients[1].producer_epoch > state.clients[0].producer_epoch
    assert (read(state, 0), read(state, 1)) == ([], [])


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_a_decision_that_is_in_the_log_is_carried_out_by_the_next_coordinator(rules):
    state = beginning(max_coordinator_epoch=1, failovers=1)
    begin_over_two_partitions(state, rules)
    play((producer_commits, state, rules, 0))
    request(state, rules, 0)
    write_marker(state, rules, 0)
    play((coordinator_is_replaced, state, rules, 0, False, True))
    write_marker(state, rules, 0, term=1)
    write_marker(state, rules, 1, term=1)
    complete(state, rules, term=1)
    assert (read(state, 0), read(state, 1)) == ([0], [0])


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_a_marker_of_the_coordinator_before_is_refused(rules):
    state = beginning(max_coordinator_epoch=1, failovers=1)
    begin_over_two_partitions(state, rules)
    play((producer_commits, state, rules, 0))
    request(state, rules, 0)
    play((coordinator_sends_marker, state, 0, 0, 0), (coordinator_is_replaced, state, rules, 0, False, False))
    write_marker(state, rules, 0, term=1)
    before = state.partitions[0].log.end_offset
    play((leader_writes_marker, state, rules, 0, 0, 0))
    assert state.partitions[0].log.end_offset == before


@pytest.mark.parametrize("rules", VERSIONS, ids=IDS)
def test_a_zombie_is_refused_once_its_successor_has_begun(rules):
    """The epoch tells the two apart: the zombie can neither add a partition nor end a transaction."""
    state = beginning()
    initialize(state, rules, 0)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    play((producer_initializes, state, 1), (coordinator_handles_request, state, rules, LIMITS, 1, 0))
    play((transaction_log_commits, state, rules, 0))
    write_marker(state, rules, 0)
    complete(state, rules)
    request(state, rules, 1)
    play((producer_commits, state, rules, 0), (coordinator_handles_request, state, rules, LIMITS, 0, 0))
    assert state.clients[0].state == ProducerState.FATAL_ERROR
    assert state.transactions[0].told == Marker.NONE
    assert read(state, 0) == []
    assert transactions_are_atomic(state)
    assert applications_are_told_the_truth(state)


def test_a_zombies_batch_is_refused_by_a_partition_that_has_seen_the_newer_epoch():
    rules = VERSIONS[0]
    state = beginning()
    initialize(state, rules, 0)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    play((producer_sends, state, rules, 0, 1))
    request(state, rules, 0)
    play((producer_sends, state, rules, 0, 1), (producer_initializes, state, 1))
    play((coordinator_handles_request, state, rules, LIMITS, 1, 0), (transaction_log_commits, state, rules, 0))
    write_marker(state, rules, 1)
    play((leader_receives_produce, state, rules, LIMITS, 0))
    assert not coordinator_verifies_partition(state, rules, LIMITS, 0, 0), (
        "it is refused before the coordinator is asked"
    )
    assert state.partitions[1].log.end_offset == 1, "the marker alone"
    assert state.clients[0].state == ProducerState.ABORTABLE_ERROR


def ended_with_a_marker_under_way_twice(rules):
    """A committed transaction whose marker was written, and whose coordinator had sent it before; and the next one."""
    state = beginning(delays=1, partitions=1)
    initialize(state, rules, 0)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    play((producer_commits, state, rules, 0))
    request(state, rules, 0)
    play((coordinator_sends_marker, state, 0, 0, 0), (marker_is_repeated, state, 0, 0, 0))
    play((leader_writes_marker, state, rules, 0, 0, 0))
    complete(state, rules)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    play((leader_writes_late_marker, state, rules, 0))
    return state


def test_a_marker_that_is_under_way_twice_ends_one_transaction_in_version_2():
    state = ended_with_a_marker_under_way_twice(VERSIONS[1])
    assert state.partitions[0].log.end_offset == 3, "refused: its epoch is that of what is open (KIP-1228)"
    assert read(state, 0) == [0]


def test_a_marker_that_is_under_way_twice_ends_two_transactions_in_version_1():
    state = ended_with_a_marker_under_way_twice(VERSIONS[0])
    assert read(state, 0) == [0, 2], "nobody has asked to commit the second record"
    assert not only_what_was_to_be_committed_is(state)


def test_a_client_that_goes_over_to_version_2_asks_for_the_next_epoch_first():
    rules = VERSIONS[0]
    state = beginning(upgrades=1, partitions=1)
    state.clients[0].upgrade = Upgrade.DUE
    initialize(state, rules, 0)
    play((producer_begins_transaction, state, 0))
    send(state, rules, 0, 0)
    play((producer_commits, state, rules, 0))
    request(state, rules, 0)
    assert not producer_begins_transaction(state, 0), "not in the old epoch (KAFKA-18227)"
    write_marker(state, rules, 0)
    complete(state, rules)
    request(state, rules, 0)
    play((producer_begins_transaction, state, 0), (producer_sends, state, rules, 0, 0))
    assert state.produces[0].is_upgraded == 1, "the leader is to add the partition"
    assert state.produces[0].batch.producer_epoch == 1
