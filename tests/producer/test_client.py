"""What a producer does, rule by rule: what it sends when, what it makes of each answer, and when it begins an epoch."""

import pytest

from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.log.constants import NO_BATCH, NO_PRODUCER_EPOCH, NO_SEQUENCE, ProduceError
from kafkacheck.impl.producer import bookkeeping, retries, sender
from kafkacheck.impl.producer.constants import BatchStatus, ProducerState, RequestStage, Sending
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.producer.wire import close_connection
from kafkacheck.model.producer import system
from kafkacheck.model.producer.environment import batch_expires_in_flight, start_known
from kafkacheck.model.producer.family import BOUNDS
from kafkacheck.model.producer.system import State

SIZES = {"batches": 7, "partitions": 2, "max_in_flight": 3, "log_size": 8, "max_sequence": 8, "producer_ids": 2}
EXPIRING = {"in_flight_expirations": 1}
SPLITTING = {"records_in_batch": 2, "oversized_batches": 1}
RULES = ProducerRules()
LIMITS = Bounds({**BOUNDS, **SIZES}).as_tuple()

RETRYING, FAILED, ACKNOWLEDGED = BatchStatus.RETRYING, BatchStatus.FAILED, BatchStatus.ACKNOWLEDGED


def known(**bounds):
    """A producer with an acknowledged batch to each of two partitions."""
    state = Layout(State, {**BOUNDS, **SIZES, **bounds}).blank()
    assert start_known(state, RULES, LIMITS)
    return state


def sent(state, count, partition_id=0, rules=RULES):
    """The ids of new batches that are sent."""
    first = state.producer.next_batch
    for _ in range(count):
        assert system.producer_sends(state, rules, LIMITS, partition_id, 1)
    return list(range(first, first + count))


def answer(state, error, offset=-1, rules=RULES, partition_id=0, limits=LIMITS):
    """Answer the oldest request, and let the producer take the answer; the batch."""
    request = state.connections[partition_id].requests[0]
    request.stage, request.error, request.offset = RequestStage.ANSWERED, error, offset
    batch = state.producer.batches[request.batch.id]
    assert system.producer_takes_answer(state, rules, limits, partition_id)
    return batch


def sequences(state, ids):
    return [(state.producer.batches[each].producer_epoch, state.producer.batches[each].base_sequence) for each in ids]


def test_batches_get_consecutive_sequences_and_as_many_are_in_flight_as_may_be():
    state = known()
    assert sequences(state, sent(state, 3)) == [(0, 1), (0, 2), (0, 3)]
    assert not system.producer_sends(state, RULES, LIMITS, 0, 1)
    assert sequences(state, sent(state, 1, partition_id=1)) == [(0, 1)]


@pytest.mark.parametrize(
    ("error", "status", "bumps"),
    [
        (ProduceError.NONE, ACKNOWLEDGED, False),
        (ProduceError.NOT_LEADER_OR_FOLLOWER, RETRYING, False),
        (ProduceError.NOT_ENOUGH_REPLICAS, RETRYING, False),
        (ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, RETRYING, True),
        (ProduceError.UNKNOWN_PRODUCER_ID, RETRYING, True),
        (ProduceError.INVALID_RECORD, FAILED, True),
        (ProduceError.INVALID_PRODUCER_EPOCH, FAILED, True),
        (ProduceError.INVALID_TXN_STATE, FAILED, True),
    ],
)
def test_what_an_idempotent_producer_makes_of_an_answer(error, status, bumps):
    state = known()
    sent(state, 1)
    assert answer(state, error, offset=1).status == status
    assert state.producer.is_bump_required == bumps


@pytest.mark.parametrize(
    ("error", "status", "after"),
    [
        (ProduceError.NOT_ENOUGH_REPLICAS, RETRYING, ProducerState.READY),
        (ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, FAILED, ProducerState.ABORTABLE_ERROR),
        (ProduceError.UNKNOWN_PRODUCER_ID, FAILED, ProducerState.ABORTABLE_ERROR),
        (ProduceError.INVALID_PRODUCER_EPOCH, FAILED, ProducerState.ABORTABLE_ERROR),
    ],
)
def test_what_a_transactional_producer_makes_of_an_answer(error, status, after):
    state = known(transactional=1)
    sent(state, 1)
    assert answer(state, error, limits=LIMITS._replace(transactional=1)).status == status
    assert (state.producer.state, state.producer.is_bump_required) == (after, False)
    assert sender.may_send(state.producer) is (after == ProducerState.READY)


def test_out_of_order_behind_an_earlier_batch_proves_no_gap():
    state = known()
    first, second = sent(state, 2)
    answer(state, ProduceError.NOT_ENOUGH_REPLICAS)
    assert answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER).status == RETRYING
    assert not state.producer.is_bump_required
    hasty = RULES._replace(bump_needs_proven_gap=False)
    system.producer_sends_again(state, LIMITS, 0)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, rules=hasty)
    assert state.producer.is_bump_required
    assert sequences(state, (first, second)) == [(0, 1), (0, 2)], "until the next epoch begins"


def test_retries_go_one_by_one_in_order_and_before_new_batches():
    state = known()
    first, second = sent(state, 2)
    close_connection(state.producer, RULES, state.connections[0])
    assert not system.producer_sends(state, RULES, LIMITS, 0, 1)
    assert system.producer_sends_again(state, LIMITS, 0)
    assert not system.producer_sends_again(state, LIMITS, 0), "the first one is under way"
    assert state.producer.batches[second].status == RETRYING
    answer(state, ProduceError.NONE, offset=1)
    assert system.producer_sends_again(state, LIMITS, 0)
    assert system.producer_sends(state, RULES, LIMITS, 0, 1), "a new one may follow the last retry"
    assert state.producer.batches[first].status == ACKNOWLEDGED


def test_a_new_epoch_rewrites_the_partition_that_needs_it_in_order():
    state = known()
    ids = sent(state, 3)
    other = sent(state, 1, partition_id=1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert not system.producer_sends_again(state, LIMITS, 0), "not before the epoch begins"
    assert system.producer_bumps_epoch(state, RULES, LIMITS)
    assert sequences(state, ids) == [(1, 0), (1, 1), (1, 2)]
    assert sequences(state, other) == [(0, 1)]
    assert state.producer.counters[0].next_sequence == 3
    assert not system.producer_bumps_epoch(state, RULES, LIMITS)


def test_batches_were_once_rewritten_in_any_order():
    rules = RULES._replace(rewrites_in_sequence_order=False)
    state = known()
    ids = sent(state, 3)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert system.producer_bumps_epoch(state, rules, LIMITS)
    assert sequences(state, ids) == [(1, 2), (1, 1), (1, 0)]


def test_another_partition_goes_over_to_the_new_epoch_when_nothing_of_it_is_in_flight():
    state = known()
    sent(state, 1)
    waiting = sent(state, 1, partition_id=1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    system.producer_bumps_epoch(state, RULES, LIMITS)
    assert not system.producer_sends(state, RULES, LIMITS, 1, 1), "a batch of the old epoch is in flight"
    answer(state, ProduceError.NONE, offset=1, partition_id=1)
    for counter_knows_its_epoch, expected in ((True, (1, 0)), (False, (1, 2))):
        rules = RULES._replace(counter_knows_its_epoch=counter_knows_its_epoch)
        again = state.copy()
        assert sequences(again, sent(again, 1, 1, rules)) == [expected]
    assert sequences(state, waiting) == [(0, 1)]


@pytest.mark.parametrize(("has_producer_id", "epoch"), [(True, 0), (False, NO_PRODUCER_EPOCH)])
def test_behind_the_highest_epoch_comes_another_producer_id(has_producer_id, epoch):
    rules = RULES._replace(rewritten_batches_have_producer_id=has_producer_id)
    state, limits = known(max_producer_epoch=0), LIMITS._replace(max_producer_epoch=0)
    ids = sent(state, 1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert system.producer_bumps_epoch(state, rules, limits)
    assert (state.producer.producer_id, state.producer.producer_epoch, sequences(state, ids)) == (1, 0, [(epoch, 0)])
    system.producer_sends_again(state, LIMITS, 0)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert not system.producer_bumps_epoch(state, RULES, limits), "the ids within the bound are used up"


def test_a_batch_that_expires_in_its_first_attempt_leaves_no_unresolved_sequence():
    state = known()
    (first,) = sent(state, 1)
    retries.expire_batch(state.producer, state.producer.batches[first], False)
    assert state.producer.counters[0].unresolved_sequence == NO_SEQUENCE


def test_an_acknowledgement_that_comes_late_keeps_a_later_one():
    state = known()
    first, second = sent(state, 2)
    for batch_id in (second, first):
        retries.complete_batch(state.producer, state.producer.batches[batch_id], batch_id)
    last = state.producer.batches[second].base_sequence
    assert state.producer.counters[0].last_acknowledged_sequence == last


@pytest.mark.parametrize(("is_second_stored", "bumps"), [(True, False), (False, True)])
def test_a_batch_that_expired_is_settled_by_those_behind_it(is_second_stored, bumps):
    state = known()
    first, second = sent(state, 2)
    close_connection(state.producer, RULES, state.connections[0])
    retries.expire_batch(state.producer, state.producer.batches[first], True)
    assert not system.producer_resolves_sequences(state, RULES, LIMITS, 0), "another one is not settled"
    system.producer_sends_again(state, LIMITS, 0)
    if is_second_stored:
        answer(state, ProduceError.NONE, offset=2)
    else:
        close_connection(state.producer, RULES, state.connections[0])
        retries.expire_batch(state.producer, state.producer.batches[second], True)
    assert not system.producer_sends(state, RULES, LIMITS, 0, 1)
    assert system.producer_resolves_sequences(state, RULES, LIMITS, 0)
    assert state.producer.is_bump_required == bumps
    assert state.producer.counters[0].unresolved_sequence == NO_SEQUENCE


def test_out_of_order_right_behind_an_expired_batch_proves_the_gap():
    state = known()
    first, _, third = sent(state, 3)
    close_connection(state.producer, RULES, state.connections[0])
    retries.expire_batch(state.producer, state.producer.batches[first], True)
    system.producer_sends_again(state, LIMITS, 0)
    proven = state.copy()
    assert answer(proven, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER).status == RETRYING
    assert proven.producer.is_bump_required
    state.producer.counters[0].unresolved_sequence = state.producer.batches[third].base_sequence
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert not state.producer.is_bump_required, "an expired batch in between may explain it"


def test_the_oldest_batch_is_found_across_the_end_of_the_sequences():
    state = known()
    producer = state.producer
    producer.counters[0].next_sequence = SIZES["max_sequence"]
    first, second = sent(state, 2)
    assert [base for _, base in sequences(state, (first, second))] == [SIZES["max_sequence"], 0]
    assert bookkeeping.oldest_unsettled(producer, 0) == first
    assert [bookkeeping.age(producer, producer.batches[each]) for each in (first, second)] == [2, 1]
    assert bookkeeping.oldest_unsettled(producer, 1) == NO_BATCH


@pytest.mark.parametrize("keeps", [True, False])
def test_the_memory_of_a_batch_that_expires_in_flight_is_used_again_when_its_request_has_ended(keeps):
    state = known(**EXPIRING)
    rules = RULES._replace(expired_batch_keeps_its_buffer=keeps)
    (expired,) = sent(state, 1)
    assert batch_expires_in_flight(state, expired)
    assert not batch_expires_in_flight(state, expired), "it has expired"
    (other,) = sent(state, 1, partition_id=1, rules=rules)
    assert state.connections[0].requests[0].batch.id == (expired if keeps else other)
    assert state.connections[1].requests[0].batch.id == other


@pytest.mark.parametrize("error", [ProduceError.NONE, ProduceError.NOT_ENOUGH_REPLICAS])
def test_a_batch_that_has_expired_stays_so_whatever_the_answer_is(error):
    state = known(**EXPIRING)
    (expired,) = sent(state, 1)
    assert batch_expires_in_flight(state, expired)
    assert answer(state, error, offset=1).status == BatchStatus.EXPIRED
    assert state.producer.counters[0].last_acknowledged_sequence == (1 if error == ProduceError.NONE else 0)
    assert system.producer_resolves_sequences(state, RULES, LIMITS, 0)
    assert state.producer.is_bump_required == (error != ProduceError.NONE), "there is a gap where it is not stored"


@pytest.mark.parametrize("has_epoch", [True, False])
def test_a_batch_that_has_expired_is_not_taken_for_one_of_the_next_epoch(has_epoch):
    state = known(**EXPIRING)
    rules = RULES._replace(in_flight_batch_has_epoch=has_epoch)
    (expired,) = sent(state, 1)
    assert batch_expires_in_flight(state, expired)
    assert system.producer_resolves_sequences(state, rules, LIMITS, 0)
    assert system.producer_bumps_epoch(state, rules, LIMITS)
    first, second = sent(state, 2)
    assert sequences(state, [expired, first, second]) == [(0, 1), (1, 0), (1, 1)]
    close_connection(state.producer, rules, state.connections[0])
    assert state.producer.batches[first].status == RETRYING
    assert state.producer.batches[second].status == (RETRYING if has_epoch else BatchStatus.LOST)


def with_split(rules):
    """A producer whose batch of two records was too large, and is split; the ids of its halves."""
    state = known(**SPLITTING)
    first = state.producer.next_batch
    state.producer.batches[first].is_oversized = 1
    assert system.producer_sends(state, rules, LIMITS, 0, 2)
    assert state.producer.next_batch == first + 2, "the second half has an id"
    assert answer(state, ProduceError.MESSAGE_TOO_LARGE, rules=rules).status == RETRYING
    return state, [first, first + 1]


def test_the_halves_of_a_batch_that_is_too_large_have_its_sequences_and_go_one_by_one():
    state, halves = with_split(RULES)
    assert sequences(state, halves) == [(0, 1), (0, 2)]
    assert [state.producer.batches[each].record_count for each in halves] == [1, 1]
    assert system.producer_sends_again(state, LIMITS, 0)
    assert not system.producer_sends_again(state, LIMITS, 0), "the first one is under way"
    assert answer(state, ProduceError.NONE, offset=1).status == ACKNOWLEDGED
    assert system.producer_sends_again(state, LIMITS, 0)
    assert answer(state, ProduceError.NONE, offset=2).status == ACKNOWLEDGED
    assert sequences(state, sent(state, 1)) == [(0, 3)]


def test_a_single_record_that_is_too_large_is_refused_for_good():
    state = known(**SPLITTING)
    sent(state, 1)
    assert answer(state, ProduceError.MESSAGE_TOO_LARGE).status == FAILED


@pytest.mark.parametrize("records", [1, 3])
def test_only_a_batch_of_two_records_is_split(records):
    state = known(**{**SPLITTING, "records_in_batch": 3, "max_sequence": 8})
    first = state.producer.next_batch
    state.producer.batches[first].is_oversized = 1
    assert system.producer_sends(state, RULES, LIMITS, 0, records)
    assert state.producer.next_batch == first + 1
    assert state.producer.batches[first].is_oversized == 0


@pytest.mark.parametrize("awaits", [True, False])
def test_an_application_that_waits_for_all_waits_for_both_halves(awaits):
    rules = RULES._replace(sending=Sending.SYNCHRONOUS, flush_awaits_split_batches=awaits)
    state, _ = with_split(rules)
    assert system.application_hands_over(state, rules, 0, 1) != awaits
