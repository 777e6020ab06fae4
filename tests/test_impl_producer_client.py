"""What a producer does, rule by rule: what it sends when, what it makes of each answer, and when it begins an epoch."""

import pytest

from checker.layout import Layout
from impl.producer import bookkeeping, retries, sender
from impl.producer.constants import NO_BATCH, NO_SEQUENCE, BatchStatus, ProduceError, ProducerState, RequestStage
from impl.producer.rules import ProducerRules
from impl.producing import State
from model.producer_environment import close_connection, start_known
from model.producers import BOUNDS

SIZES = {"batches": 7, "partitions": 2, "max_in_flight": 3, "log_size": 8, "max_sequence": 8, "producer_ids": 2}
RULES = ProducerRules()

RETRYING, FAILED, ACKNOWLEDGED = BatchStatus.RETRYING, BatchStatus.FAILED, BatchStatus.ACKNOWLEDGED


def known(**bounds):
    """A producer with an acknowledged batch to each of two partitions."""
    state = Layout(State, {**BOUNDS, **SIZES, **bounds}).blank()
    assert start_known(state, RULES)
    return state


def sent(state, count, partition_id=0, rules=RULES):
    """The ids of new batches that are sent."""
    first = state.producer.next_batch
    for _ in range(count):
        assert sender.producer_sends(state, rules, partition_id, 1)
    return list(range(first, first + count))


def answer(state, error, offset=-1, rules=RULES, partition_id=0):
    """Answer the oldest request, and let the producer take the answer; the batch."""
    request = state.connections[partition_id].requests[0]
    request.stage, request.error, request.offset = RequestStage.ANSWERED, error, offset
    batch = state.producer.batches[request.batch.id]
    assert sender.producer_takes_answer(state, rules, partition_id)
    return batch


def sequences(state, ids):
    return [(state.producer.batches[each].producer_epoch, state.producer.batches[each].base_sequence) for each in ids]


def test_batches_get_consecutive_sequences_and_as_many_are_in_flight_as_may_be():
    state = known()
    assert sequences(state, sent(state, 3)) == [(0, 1), (0, 2), (0, 3)]
    assert not sender.producer_sends(state, RULES, 0, 1)
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
    assert answer(state, error).status == status
    assert (state.producer.state, state.producer.is_bump_required) == (after, False)
    assert sender.may_send(state.producer) is (after == ProducerState.READY)


def test_out_of_order_behind_an_earlier_batch_proves_no_gap():
    state = known()
    first, second = sent(state, 2)
    answer(state, ProduceError.NOT_ENOUGH_REPLICAS)
    assert answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER).status == RETRYING
    assert not state.producer.is_bump_required
    hasty = RULES._replace(bump_needs_proven_gap=False)
    sender.producer_sends_again(state, 0)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER, rules=hasty)
    assert state.producer.is_bump_required
    assert sequences(state, (first, second)) == [(0, 1), (0, 2)], "until the next epoch begins"


def test_retries_go_one_by_one_in_order_and_before_new_batches():
    state = known()
    first, second = sent(state, 2)
    close_connection(state, RULES, 0)
    assert not sender.producer_sends(state, RULES, 0, 1)
    assert sender.producer_sends_again(state, 0)
    assert not sender.producer_sends_again(state, 0), "the first one is under way"
    assert state.producer.batches[second].status == RETRYING
    answer(state, ProduceError.NONE, offset=1)
    assert sender.producer_sends_again(state, 0)
    assert sender.producer_sends(state, RULES, 0, 1), "a new one may follow the last retry"
    assert state.producer.batches[first].status == ACKNOWLEDGED


def test_a_new_epoch_rewrites_the_partition_that_needs_it_in_order():
    state = known()
    ids = sent(state, 3)
    other = sent(state, 1, partition_id=1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert not sender.producer_sends_again(state, 0), "not before the epoch begins"
    assert sender.producer_bumps_epoch(state, RULES)
    assert sequences(state, ids) == [(1, 0), (1, 1), (1, 2)]
    assert sequences(state, other) == [(0, 1)]
    assert state.producer.counters[0].next_sequence == 3
    assert not sender.producer_bumps_epoch(state, RULES)


def test_batches_were_once_rewritten_in_any_order():
    rules = RULES._replace(rewrites_in_sequence_order=False)
    state = known()
    ids = sent(state, 3)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert sender.producer_bumps_epoch(state, rules)
    assert sequences(state, ids) == [(1, 2), (1, 1), (1, 0)]


def test_another_partition_goes_over_to_the_new_epoch_when_nothing_of_it_is_in_flight():
    state = known()
    sent(state, 1)
    waiting = sent(state, 1, partition_id=1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    sender.producer_bumps_epoch(state, RULES)
    assert not sender.producer_sends(state, RULES, 1, 1), "a batch of the old epoch is in flight"
    answer(state, ProduceError.NONE, offset=1, partition_id=1)
    for counter_knows_its_epoch, expected in ((True, (1, 0)), (False, (1, 2))):
        rules = RULES._replace(counter_knows_its_epoch=counter_knows_its_epoch)
        again = state.copy()
        assert sequences(again, sent(again, 1, 1, rules)) == [expected]
    assert sequences(state, waiting) == [(0, 1)]


def test_behind_the_highest_epoch_comes_another_producer_id():
    state = known(max_producer_epoch=0)
    ids = sent(state, 1)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert sender.producer_bumps_epoch(state, RULES)
    assert (state.producer.producer_id, state.producer.producer_epoch, sequences(state, ids)) == (1, 0, [(0, 0)])
    state.producer.batches[ids[0]].is_sequence_reset = False
    sender.producer_sends_again(state, 0)
    answer(state, ProduceError.OUT_OF_ORDER_SEQUENCE_NUMBER)
    assert not sender.producer_bumps_epoch(state, RULES), "the ids within the bound are used up"


@pytest.mark.parametrize(("is_second_stored", "bumps"), [(True, False), (False, True)])
def test_a_batch_that_expired_is_settled_by_those_behind_it(is_second_stored, bumps):
    state = known()
    first, second = sent(state, 2)
    close_connection(state, RULES, 0)
    retries.expire_batch(state.producer, state.producer.batches[first])
    assert not sender.producer_resolves_sequences(state, RULES, 0), "another one is not settled"
    sender.producer_sends_again(state, 0)
    if is_second_stored:
        answer(state, ProduceError.NONE, offset=2)
    else:
        close_connection(state, RULES, 0)
        retries.expire_batch(state.producer, state.producer.batches[second])
    assert not sender.producer_sends(state, RULES, 0, 1)
    assert sender.producer_resolves_sequences(state, RULES, 0)
    assert state.producer.is_bump_required == bumps
    assert state.producer.counters[0].unresolved_sequence == NO_SEQUENCE


def test_out_of_order_right_behind_an_expired_batch_proves_the_gap():
    state = known()
    first, _, third = sent(state, 3)
    close_connection(state, RULES, 0)
    retries.expire_batch(state.producer, state.producer.batches[first])
    sender.producer_sends_again(state, 0)
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
