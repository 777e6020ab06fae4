"""The properties of resumption fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.ids import NO_EPOCH, NO_OFFSET
from kafkacheck.impl.log import append_record
from kafkacheck.impl.resumption.constants import FetchState
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption.base import MODEL
from kafkacheck.model.resumption.system import State
from kafkacheck.spec.resumption import properties

LAYOUT = Layout(State, {**MODEL.bounds, "seeks": 1})
RULES = ResumptionRules()
NO_POLICY = ResumptionRules(auto_offset_reset=AutoOffsetReset.NONE)


def reading():
    """The leader of epoch 0 had two records, that of epoch 1 has another second one; the consumer has read its two.

    The first one is committed.
    """
    state = LAYOUT.blank()
    state.leader_epoch = 1
    for leader_epoch, epochs in enumerate([(0, 0), (0, 1)]):
        leader = state.leaders[leader_epoch]
        leader.epoch_starts[0] = 0
        for epoch in epochs:
            append_record(leader.log, 0, epoch)
    state.leaders[1].epoch_starts[1] = 1
    consumer = state.consumer
    consumer.is_running = consumer.knows_leader = True
    consumer.leader_epoch = consumer.position.leader_epoch = consumer.position.epoch = 1
    consumer.position.offset = 2
    consumer.fetch_state = FetchState.FETCHING
    state.history[0], state.history[1] = 0, 1
    state.committed.offset, state.committed.epoch, state.committed_history[0] = 1, 0, 0
    state.budget.seeks = 1
    return state


def reads_in_the_old_history(state):
    state.history[1] = state.consumer.position.epoch = 0


def has_another_epoch(state):
    state.consumer.position.epoch = 0


def commits_another_epoch(state):
    state.committed.epoch = 1


def commits_no_epoch(state):
    state.committed.epoch = NO_EPOCH


def lacks_one(state):
    state.consumer.position.offset = 1


@pytest.mark.parametrize(
    ("of_state", "given", "mistake"),
    [
        (properties.validated_positions_are_in_the_history, (), reads_in_the_old_history),
        (properties.positions_have_the_epoch_of_their_record, (), has_another_epoch),
        (properties.committed_epochs_are_of_their_record, (), commits_another_epoch),
        (properties.read_records_are_committed_with_epochs, (RULES,), commits_no_epoch),
        (properties.has_all_records, (), lacks_one),
        (properties.has_all_records, (), reads_in_the_old_history),
    ],
)
def test_a_property_of_states_fails_where_it_must(of_state, given, mistake):
    assert of_state(reading(), *given)
    state = reading()
    mistake(state)
    assert not of_state(state, *given)


def test_progress_is_an_offset_or_a_leader_epoch():
    state = reading()
    assert properties.has_uncommitted_position(state)
    state.committed.offset = 2
    assert properties.has_uncommitted_position(state)
    state.committed.epoch = 1
    assert properties.has_committed_position(state)


def takes_one_in_the_old_history(before, after):
    before.history[0] = 1
    before.consumer.position.offset = 1


def goes_back(before, after):
    after.consumer.position.offset = 1


def gives_up_its_position(before, after):
    after.consumer.position.offset = NO_OFFSET


def raises_an_exception(before, after):
    after.consumer.fetch_state = FetchState.AWAIT_APPLICATION


def goes_back_too_far(before, after):
    reads_in_the_old_history(before)
    after.consumer.position.offset = 0


def begins_elsewhere(before, after):
    before.consumer.fetch_state = FetchState.INITIALIZING


@pytest.mark.parametrize(
    ("of_step", "given", "mistake"),
    [
        (properties.records_are_of_one_history, (), takes_one_in_the_old_history),
        (properties.consumers_go_back_for_a_reason, (), goes_back),
        (properties.consumers_go_back_for_a_reason, (), gives_up_its_position),
        (properties.consumers_go_back_for_a_reason, (), raises_an_exception),
        (properties.consumers_go_back_to_the_cut, (), goes_back_too_far),
        (properties.consumers_go_back_to_the_cut, (), gives_up_its_position),
        (properties.only_applications_give_up_records, (NO_POLICY,), goes_back),
        (properties.consumers_resume_at_the_committed_offset, (), begins_elsewhere),
    ],
)
def test_a_property_of_steps_fails_where_it_must(of_step, given, mistake):
    assert of_step(reading(), reading(), *given)
    before, after = reading(), reading()
    mistake(before, after)
    assert not of_step(before, after, *given)


@pytest.mark.parametrize("excuse", ["cut", "seek", "application", "no epochs"])
def test_what_excuses_a_consumer_that_goes_back(excuse):
    before, after = reading(), reading()
    goes_back(before, after)
    match excuse:
        case "cut":
            reads_in_the_old_history(before)
        case "seek":
            after.budget.seeks = 0
        case "application":
            before.consumer.fetch_state = FetchState.AWAIT_APPLICATION
        case _:
            for epoch in range(len(before.leaders[1].epoch_starts)):
                before.leaders[1].epoch_starts[epoch] = NO_OFFSET
    assert properties.consumers_go_back_for_a_reason(before, after)
    assert properties.consumers_go_back_to_the_cut(before, after)
