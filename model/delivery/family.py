"""Common parts of the models of delivery.

Bounds: `consumers` consumers share a partition with `log_size` records; generations run to `max_generation`, of which
the last one only ends behaviours. `commits` commits of a consumer can be under way. If `pipelines` is 1, applications
process records in threads of their own, also while the partition is given up. The others are budgets of disturbances
(`environment.py`).
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.delivery.records import DeliveryRules
from kafkacheck.model.delivery import environment, system
from kafkacheck.model.delivery.drawing import DELIVERY as DRAWING
from kafkacheck.spec.delivery import properties, steps

READING = (
    system.consumer_asks_for_committed_offset,
    system.coordinator_tells_committed_offset,
    system.consumer_sends_fetch,
    system.consumer_receives_records,
    system.consumer_polls,
    system.application_processes_record,
    system.consumer_commits,
    system.coordinator_handles_commit,
)

ALONE = (system.record_is_appended, *READING, system.partition_is_taken_over)

ACTIONS = (*ALONE, system.partition_is_given_up, system.consumer_follows_generation, environment.partition_is_moved)

FAILURES = (
    environment.consumer_crashes,
    environment.dead_member_expires,
    environment.live_member_expires,
    system.consumer_joins_again,
)

SAFETY = (
    properties.committed_records_are_processed,
    properties.records_are_processed_once_at_most,
    properties.ownership_is_exclusive,
    properties.applications_run_on,
    properties.records_come_in_order,
    properties.positions_move_by_records,
    properties.owners_stay_owners,
    properties.only_owners_commit,
    properties.consumers_begin_at_the_committed_offset,
    steps.those_without_the_partition_have_nothing,
    steps.positions_are_in_the_partition,
    steps.ended_consumers_do_nothing,
    steps.consumers_act_between_records,
    steps.fetches_are_from_the_position,
    steps.fetches_bring_records,
    steps.polls_take_one_record,
    steps.commits_are_news,
    steps.only_members_learn_the_committed_offset,
    steps.only_members_have_the_generation,
    steps.partitions_go_to_their_heirs,
    steps.excuses_are_real,
    steps.applications_are_free,
    steps.groups_change_for_a_reason,
    steps.expirations_remove_members,
)

PROGRESS = (
    (properties.has_unprocessed_records, properties.are_all_processed),
    (properties.has_uncommitted_progress, properties.has_committed_progress),
    (steps.is_to_be_handed_over, steps.is_handed_over),
)

FAIR_ALONE = [each(action) for action in (*READING, system.partition_is_taken_over)]

FAIR = [*FAIR_ALONE, each(system.partition_is_given_up), each(system.consumer_follows_generation)]

DELIVERY = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_as_members,
    bounds={
        "consumers": 2,
        "log_size": 2,
        "max_generation": 3,
        "commits": 1,
        "pipelines": 0,
        "moves": 0,
        "rebalances": 0,
        "crashes": 0,
        "expirations": 0,
        "errors": 0,
        "seeks": 0,
        "pauses": 0,
        "resumes": 0,
        "ends": 0,
        "deletions": 0,
    },
    rules=DeliveryRules(),
    drawing=DRAWING,
)
