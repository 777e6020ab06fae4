"""The properties of delivery fail where they must: on small states made by hand, one mistake each."""

import pytest

from kafkacheck.checker.schema import Ids, add
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.impl.delivery.constants import CommitTime, ConsumerState
from kafkacheck.impl.delivery.records import DeliveryRules, OffsetCommit
from kafkacheck.impl.ids import NO_OFFSET
from kafkacheck.model.delivery.base import MODEL
from kafkacheck.model.delivery.environment import CHARGES
from kafkacheck.model.delivery.system import State
from kafkacheck.spec.delivery import properties, steps

ONCE = dict.fromkeys(sorted(set(CHARGES.values())), 1)
LAYOUT = Layout(State, {**MODEL.bounds, **ONCE})
BOUNDS = LAYOUT.bounds.as_tuple()
RULES = DeliveryRules()


def reading():
    """Two members in generation 1; the first one owns the partition, has processed a record and committed that."""
    state = LAYOUT.blank()
    for name in ONCE:
        setattr(state.budget, name, 1)
    state.end_offset = 2
    state.processed[0] = 1
    state.group.generation, state.group.members = 1, Ids({0, 1})
    state.group.owner = state.group.heir = 0
    state.group.committed = 1
    for consumer in state.consumers:
        consumer.generation = 1
    owner = state.consumers[0]
    owner.owns = True
    owner.position = owner.marked = owner.sent = owner.acknowledged = 1
    owner.buffered, owner.buffer_end = 1, 2
    return state


def two_owners(state):
    state.consumers[1].owns = True


def stopped(state):
    state.consumers[0].state = ConsumerState.STOPPED


def unprocessed(state):
    state.processed[0] = 0


def processed_twice(state):
    state.processed[0] = 2


def behind_the_end(state):
    state.end_offset = 0


def keeps_a_position(state):
    state.consumers[1].position = 1


def behind_in_commits(state):
    state.group.committed = 0


def to_be_handed_over(state):
    state.group.heir = 1


@pytest.mark.parametrize(
    ("of_state", "given", "mistake"),
    [
        (properties.committed_records_are_processed, (RULES,), unprocessed),
        (
            properties.records_are_processed_once_at_most,
            (DeliveryRules(commit_time=CommitTime.BEFORE_PROCESSING),),
            processed_twice,
        ),
        (properties.handed_over_records_are_processed_once, (), processed_twice),
        (properties.ownership_is_exclusive, (), two_owners),
        (properties.applications_run_on, (), stopped),
        (properties.has_committed_progress, (), behind_in_commits),
        (steps.those_without_the_partition_have_nothing, (), keeps_a_position),
        (steps.positions_are_in_the_partition, (), behind_the_end),
        (steps.is_handed_over, (), to_be_handed_over),
    ],
)
def test_a_property_of_states_fails_where_it_must(of_state, given, mistake):
    assert of_state(reading(), *given)
    state = reading()
    mistake(state)
    assert not of_state(state, *given)


def test_two_owners_count_only_if_both_may_commit():
    state = reading()
    two_owners(state)
    state.consumers[1].generation = 0
    assert properties.ownership_is_exclusive(state)


def test_what_an_application_passes_over_is_excused():
    state = reading()
    unprocessed(state)
    state.excused = Ids({0})
    assert properties.committed_records_are_processed(state, RULES)


def commit_falls(before, after):
    after.group.committed = 0


def position_jumps(before, after):
    after.consumers[0].position = 2


def record_is_passed_over(before, after):
    before.consumers[0].position = 0
    after.consumers[0].processing = 1


def owner_is_interrupted(before, after):
    after.consumers[0].owns = False


def begins_elsewhere(before, after):
    before.consumers[0].position = NO_OFFSET
    after.consumers[0].position = 0


def begins_without_membership(before, after):
    begins_elsewhere(before, after)
    before.group.members = after.group.members = Ids({1})


def learns_without_membership(before, after):
    after.group.members = Ids({1})
    after.consumers[0].generation = 2


def acts_in_a_record(before, after):
    before.consumers[0].processing = after.consumers[0].processing = 1
    after.consumers[0].generation = 2


def acts_though_dead(before, after):
    before.consumers[1].state = after.consumers[1].state = ConsumerState.CRASHED
    after.consumers[1].owns = True


def fetches_what_it_has(before, after):
    after.consumers[0].fetching = 1


def fetches_nothing(before, after):
    before.consumers[1].fetching = 1


def polls_though_paused(before, after):
    before.consumers[0].is_paused = after.consumers[0].is_paused = True
    after.consumers[0].processing = 1


def commits_again(before, after):
    add(after.consumers[0].commits, OffsetCommit(generation=1, offset=1))


def another_takes_it(before, after):
    before.group.owner = -1
    after.group.owner = 1


def excuses_anything(before, after):
    after.excused = Ids({1})


def resets_for_nothing(before, after):
    after.consumers[0].must_reset = True


def spends(name):
    """A mistake: a disturbance is charged, and nothing happens."""

    def spend(before, after):
        if name in ("resumes", "ends"):
            before.consumers[0].processing = after.consumers[0].processing = 1
        setattr(after.budget, name, 0)

    return spend


def member_is_lost(before, after):
    after.group.members = Ids({0})


@pytest.mark.parametrize(
    ("of_step", "given", "mistake"),
    [
        (properties.progress_is_not_taken_back, (), commit_falls),
        (properties.only_owners_commit, (), commit_falls),
        (properties.consumers_begin_at_the_committed_offset, (), begins_elsewhere),
        (properties.records_come_in_order, (), record_is_passed_over),
        (properties.positions_move_by_records, (), position_jumps),
        (properties.resets_have_a_reason, (), resets_for_nothing),
        (properties.owners_stay_owners, (), owner_is_interrupted),
        (steps.ended_consumers_do_nothing, (), acts_though_dead),
        (steps.consumers_act_between_records, (BOUNDS,), acts_in_a_record),
        (steps.fetches_are_from_the_position, (), fetches_what_it_has),
        (steps.fetches_bring_records, (), fetches_nothing),
        (steps.polls_take_one_record, (), polls_though_paused),
        (steps.commits_are_news, (), commits_again),
        (steps.only_members_learn_the_committed_offset, (), begins_without_membership),
        (steps.only_members_have_the_generation, (), learns_without_membership),
        (steps.partitions_go_to_their_heirs, (), another_takes_it),
        (steps.excuses_are_real, (), excuses_anything),
        *((steps.applications_are_free, (), spends(name)) for name in ("seeks", "pauses", "resumes", "ends")),
        *((steps.groups_change_for_a_reason, (), spends(name)) for name in ("moves", "rebalances")),
        (steps.groups_change_for_a_reason, (), member_is_lost),
        (steps.expirations_remove_members, (), spends("expirations")),
    ],
)
def test_a_property_of_steps_fails_where_it_must(of_step, given, mistake):
    assert of_step(reading(), reading(), *given)
    before, after = reading(), reading()
    mistake(before, after)
    assert not of_step(before, after, *given)
