"""Positions with leader epochs: the cases of the reports, and what Kafka's client does about each answer."""

import pytest

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.resumption import offsets, positions
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, system
from kafkacheck.model.resumption.base import MODEL
from kafkacheck.model.resumption.system import State

BOUNDS = {**MODEL.bounds, "log_size": 12}
LAYOUT = Layout(State, BOUNDS)
RULES = ResumptionRules()
EARLIEST, LATEST, NONE = AutoOffsetReset


def partition(*epochs):
    """A partition whose records have these epochs; nobody consumes it."""
    state = LAYOUT.blank()
    environment.start_empty(state)
    for epoch in epochs:
        while state.leader_epoch < epoch:
            system.leader_is_elected(state)
        system.record_is_appended(state)
    return state


def resume(state, offset, epoch, rules=RULES, is_old=False):
    """A consumer with metadata of the newest leader begins at a committed offset."""
    state.committed.offset, state.committed.epoch = offset, epoch
    assert system.consumer_starts(state, rules, state.leader_epoch, is_old)
    assert system.consumer_learns_committed_offset(state, rules)
    return state.consumer


def validate(state, rules=RULES):
    """The consumer asks its leader, and has the answer."""
    assert system.consumer_asks_for_epoch_end(state)
    assert system.leader_answers_epoch_end(state)
    assert system.consumer_receives_epoch_end(state, rules)
    return state.consumer.position.offset


@pytest.mark.parametrize("is_fixed", [True, False])
def test_an_absent_epoch_that_is_taken_for_0_sends_the_next_consumer_back(is_fixed):
    """IBM/sarama 2694: epoch 0 ended at 4, and the offset 10 is behind records of epoch 1."""
    rules = ResumptionRules(clients_are_new=False, absent_epoch_is_unknown=is_fixed)
    state = partition(*[0] * 4, *[1] * 6)
    resume(state, 10, 1, rules, is_old=True)
    assert system.consumer_commits(state, rules)
    assert (state.committed.offset, state.committed.epoch) == (10, NO_EPOCH if is_fixed else 0)
    assert positions.stop_resuming(state.consumer)
    consumer = resume(state, 10, state.committed.epoch, rules)
    if is_fixed:
        assert consumer.fetch_state == FetchState.FETCHING
    else:
        assert validate(state, rules) == 4


@pytest.mark.parametrize(
    ("committed", "stored", "is_news", "was_news"),
    [
        ((5, 3), (6, NO_EPOCH), True, False),
        ((5, NO_EPOCH), (6, 3), True, True),
        ((5, NO_EPOCH), (4, 3), False, True),
        ((5, 3), (4, 4), True, True),
        ((5, 3), (9, 2), False, False),
        ((5, 3), (5, 3), False, False),
        ((NO_OFFSET, NO_EPOCH), (0, NO_EPOCH), True, True),
    ],
)
def test_what_counts_as_newer_than_the_committed_offset(committed, stored, is_news, was_news):
    """Librdkafka 4442: without an epoch on one side the offsets alone are compared."""
    state = partition(0)
    state.committed.offset, state.committed.epoch = committed
    assert offsets.is_news_to_commit(RULES, state.committed, *stored) == is_news
    before = ResumptionRules(unknown_epoch_is_not_compared=False)
    assert offsets.is_news_to_commit(before, state.committed, *stored) == was_news


def test_an_offset_without_an_epoch_is_not_validated():
    """KAFKA-20507: the log was cut at 1, and the consumer reads on at 2."""
    state = partition(0, 0)
    environment.unclean_leader_is_elected(state, 1)
    for _ in range(2):
        system.record_is_appended(state)
    consumer = resume(state, 2, NO_EPOCH)
    assert consumer.fetch_state == FetchState.FETCHING
    assert not system.consumer_asks_for_epoch_end(state)
    assert system.consumer_takes_record(state, RULES, False)


@pytest.mark.parametrize(
    ("policy", "fetch_state", "offset"),
    [(EARLIEST, FetchState.FETCHING, 1), (LATEST, FetchState.FETCHING, 1), (NONE, FetchState.AWAIT_APPLICATION, 2)],
)
def test_a_cut_below_the_position_resets_it_to_the_cut_or_tells_the_application(policy, fetch_state, offset):
    rules = ResumptionRules(auto_offset_reset=policy)
    state = partition(0, 0)
    environment.unclean_leader_is_elected(state, 1)
    consumer = resume(state, 2, 0, rules)
    assert consumer.fetch_state == FetchState.AWAIT_VALIDATION
    assert not system.consumer_takes_record(state, rules, False)
    assert validate(state, rules) == offset
    assert consumer.fetch_state == fetch_state
    if policy == NONE:
        assert (consumer.divergent.offset, consumer.divergent.epoch) == (1, 0)
        assert system.application_resolves_truncation(state, rules)
        assert validate(state, rules) == 1


@pytest.mark.parametrize(
    ("policy", "fetch_state"), [(EARLIEST, FetchState.AWAIT_RESET), (NONE, FetchState.AWAIT_APPLICATION)]
)
def test_an_undefined_end_counts_as_a_cut(policy, fetch_state):
    rules = ResumptionRules(auto_offset_reset=policy)
    state = partition(0, 0)
    environment.epoch_file_is_lost(state)
    consumer = resume(state, 2, 0, rules)
    validate(state, rules)
    assert consumer.fetch_state == fetch_state
    assert consumer.divergent.offset == NO_OFFSET


def test_a_new_leader_epoch_asks_for_validation_again():
    state = partition(0, 0)
    consumer = resume(state, 2, 0)
    validate(state)
    assert consumer.fetch_state == FetchState.FETCHING
    environment.unclean_leader_is_elected(state, 0)
    assert system.consumer_learns_leader(state, RULES, 1)
    assert not system.consumer_learns_leader(state, RULES, 0)
    assert consumer.fetch_state == FetchState.AWAIT_VALIDATION
    assert validate(state) == 0


def test_an_answer_about_a_former_leader_is_dropped():
    """KAFKA-8429: the leader of epoch 0 says that its records are all there, after the cut."""
    state = partition(0, 0)
    consumer = resume(state, 2, 0)
    assert system.consumer_asks_for_epoch_end(state)
    assert system.leader_answers_epoch_end(state)
    environment.unclean_leader_is_elected(state, 0)
    assert system.consumer_learns_leader(state, RULES, 1)
    assert system.consumer_receives_epoch_end(state, RULES)
    assert consumer.fetch_state == FetchState.AWAIT_VALIDATION


def test_a_committed_epoch_that_is_newer_than_the_metadata_asks_for_new_metadata():
    state = partition(0, 1)
    state.committed.offset, state.committed.epoch = 2, 1
    assert system.consumer_starts(state, RULES, 0, False)
    assert system.consumer_learns_committed_offset(state, RULES)
    assert not system.consumer_asks_for_epoch_end(state)
    assert not system.consumer_learns_leader(state, RULES, 0)
    assert system.consumer_learns_leader(state, RULES, 1)
    assert validate(state) == 2
    assert state.consumer.fetch_state == FetchState.FETCHING
