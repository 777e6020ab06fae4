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
from kafkacheck.spec.resumption import properties, steps

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
    for name in ("restarts", "unclean_elections", "seeks"):
        setattr(state.budget, name, 1)
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


def knows_a_leader_though_ended(state):
    state.consumer.is_running = False


def counts_what_it_left(state):
    state.history[2] = 1


def validates_though_old(state):
    state.consumer.is_old = True
    state.consumer.fetch_state = FetchState.AWAIT_VALIDATION


def names_half_an_answer(state):
    state.consumer.request.is_answered = True
    state.consumer.request.end.epoch = 1


@pytest.mark.parametrize(
    ("of_state", "given", "mistake"),
    [
        (properties.validated_positions_are_in_the_history, (), reads_in_the_old_history),
        (properties.positions_have_the_epoch_of_their_record, (), has_another_epoch),
        (properties.committed_epochs_are_of_their_record, (), commits_another_epoch),
        (properties.read_records_are_committed_with_epochs, (RULES,), commits_no_epoch),
        (steps.consumers_that_ended_know_nothing, (), knows_a_leader_though_ended),
        (steps.histories_end_at_the_position, (), counts_what_it_left),
        (steps.old_clients_validate_nothing, (), validates_though_old),
        (steps.undefined_ends_have_no_epoch, (), names_half_an_answer),
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


def asks_for_nothing(before, after):
    after.consumer.request.is_sent = True


def takes_one_of_an_unknown_leader(before, after):
    before.consumer.knows_leader = False
    after.consumer.position.offset = 3


def is_reset_while_it_asks(before, after):
    before.consumer.fetch_state = FetchState.AWAIT_VALIDATION
    after.consumer.fetch_state = FetchState.AWAIT_RESET


def commits_an_unvalidated_position(before, after):
    before.consumer.fetch_state = FetchState.AWAIT_VALIDATION
    after.committed.offset, after.committed.epoch = 2, 1


def forgets_its_leader(before, after):
    after.consumer.knows_leader = False


def spends(name):
    """A mistake: a disturbance is charged, and nothing happens."""

    def spend(before, after):
        before.consumer.is_running = name == "seeks"
        setattr(after.budget, name, 0)

    return spend


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
        (steps.validations_are_asked_for, (), asks_for_nothing),
        (steps.records_come_from_a_known_leader, (), takes_one_of_an_unknown_leader),
        (steps.resets_have_an_answer, (), is_reset_while_it_asks),
        (steps.commits_are_of_valid_positions, (), commits_an_unvalidated_position),
        (steps.leaders_are_forgotten_for_newer_ones, (), forgets_its_leader),
        (steps.unclean_elections_cut_records, (), spends("unclean_elections")),
        *((steps.applications_and_crashes_have_effects, (), spends(name)) for name in ("seeks", "restarts")),
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
