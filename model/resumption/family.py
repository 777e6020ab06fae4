"""Common parts of the models of resumption.

Bounds: one partition with `log_size` records and leader epochs up to `max_leader_epoch`; `max_records` is the number of
ids of records, of which one is enough, because offset and leader epoch name a record. The others are budgets of
disturbances (`environment.py`).
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, system
from kafkacheck.model.resumption.drawing import RESUMPTION as DRAWING
from kafkacheck.spec.resumption import properties, steps

CONSUMING = (
    system.consumer_learns_committed_offset,
    system.consumer_asks_for_epoch_end,
    system.leader_answers_epoch_end,
    system.consumer_receives_epoch_end,
    system.consumer_takes_record,
    system.consumer_commits,
)

ALONE = (
    system.consumer_starts,
    *CONSUMING,
    system.leader_tells_reset_offset,
    system.record_is_appended,
    system.leader_is_elected,
    system.consumer_learns_leader,
)

ACTIONS = (*ALONE, environment.consumer_ends)

WITHOUT_POLICY = (
    *(action for action in ACTIONS if action is not system.leader_tells_reset_offset),
    system.application_resolves_truncation,
)

OF_HISTORY = (
    properties.validated_positions_are_in_the_history,
    properties.records_are_of_one_history,
    properties.consumers_go_back_to_the_cut,
)

WITHOUT_HISTORY = (
    properties.consumers_go_back_for_a_reason,
    properties.only_applications_give_up_records,
    properties.positions_have_the_epoch_of_their_record,
    properties.committed_epochs_are_of_their_record,
    properties.read_records_are_committed_with_epochs,
    properties.consumers_resume_at_the_committed_offset,
    steps.consumers_that_ended_know_nothing,
    steps.histories_end_at_the_position,
    steps.old_clients_validate_nothing,
    steps.undefined_ends_have_no_epoch,
    steps.validations_are_asked_for,
    steps.records_come_from_a_known_leader,
    steps.resets_have_an_answer,
    steps.commits_are_of_valid_positions,
    steps.leaders_are_forgotten_for_newer_ones,
    steps.unclean_elections_cut_records,
    steps.applications_and_crashes_have_effects,
)

SAFETY = (*OF_HISTORY, *WITHOUT_HISTORY)

PROGRESS = (
    (properties.has_uncommitted_position, properties.has_committed_position),
    (properties.lacks_records, properties.has_all_records),
)

FAIR_ALWAYS = [
    system.consumer_learns_committed_offset,
    system.consumer_asks_for_epoch_end,
    system.leader_answers_epoch_end,
    system.consumer_receives_epoch_end,
    each(system.consumer_takes_record),
    system.consumer_commits,
    each(system.consumer_learns_leader),
    each(system.consumer_starts),
]

FAIR = [*FAIR_ALWAYS, system.leader_tells_reset_offset]

FAIR_WITHOUT_POLICY = [*FAIR_ALWAYS, system.application_resolves_truncation]

RESUMPTION = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_empty,
    bounds={
        "log_size": 3,
        "max_leader_epoch": 2,
        "max_records": 1,
        "restarts": 1,
        "unclean_elections": 0,
        "seeks": 0,
        "lost_files": 0,
    },
    rules=ResumptionRules(),
    drawing=DRAWING,
)
