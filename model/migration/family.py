"""Common parts of the models of groups whose consumers go from one protocol to the other.

Bounds: of `members` processes, which share `partitions` partitions, the first `classic_consumers` use the classic
protocol. Group epochs and generations run to `max_group_epoch`. `instances` instance ids exist. The others are budgets
of disturbances (`environment.py`). The highest epoch only ends behaviours.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.impl.consumer_group.migration import MigrationRules
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.migration import environment, system
from kafkacheck.model.migration.drawing import MIGRATIONS
from kafkacheck.spec.migration import properties

CLASSIC = (
    system.classic_consumer_asks_to_join,
    system.classic_consumer_sends_heartbeat,
    system.classic_consumer_receives_response,
    system.coordinator_handles_request,
)

NEW = (
    system.consumer_sends_heartbeat,
    system.coordinator_handles_heartbeat,
    system.consumer_receives_response,
    system.consumer_begins_reconciliation,
    system.consumer_completes_reconciliation,
)

DEPARTURES = (
    environment.consumer_leaves,
    system.classic_consumer_sends_leave,
    system.consumer_releases_partitions,
    system.silent_member_expires,
)

ACTIONS = (*CLASSIC, *NEW, system.initial_delay_ends)

SAFETY = (
    properties.no_two_owners,
    properties.partitions_have_one_holder,
    properties.classic_members_are_a_classic_group,
    properties.forms_are_told_apart,
    properties.epochs_do_not_fall,
    properties.successors_of_classic_members_are_not_refused,
    properties.nobody_ends_without_a_fault,
)

CONVERGES = ((properties.has_not_converged, properties.has_converged),)

FAIR = [*(each(action) for action in (*CLASSIC, *NEW)), system.initial_delay_ends]

FAIR_DEPARTURES = [each(action) for action in DEPARTURES[1:]]

ROLLING = {"members": 3, "member_ids": 3, "classic_consumers": 2, "starts": 1, "leaves": 2}

ROLLING_ACTIONS = (*ACTIONS, *DEPARTURES, environment.process_starts)

FAIR_ROLLING = [*FAIR, *FAIR_DEPARTURES]

STATIC = {"members": 3, "member_ids": 3, "classic_consumers": 2, "starts": 1, "crashes": 1}

STATIC_ACTIONS = (*ACTIONS, environment.process_starts, environment.process_crashes, system.silent_member_expires)

FAIR_STATIC = [*FAIR, each(system.silent_member_expires)]

EPOCHS = 8

MENDED = MigrationRules(
    consumer=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True),
    first_rebalance_is_upgraded=True,
    upgrade_keeps_owned=True,
    upgrade_rebalances=True,
    replacement_rebalances=True,
    fenced_member_may_return=True,
)
"""The rules with the fixes of findings that other models show: F14, F16 to F20, and KAFKA-20641."""

COOPERATIVE = {"members": 3, "member_ids": 3, "classic_consumers": 2, "leaves": 1}

COOPERATIVE_RULES = MENDED._replace(classic=ClassicGroupRules(member_id_is_required=False, is_cooperative=True))

COOPERATIVE_ACTIONS = (*ACTIONS, *DEPARTURES)

MIGRATION = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_all,
    bounds={
        "members": 2,
        "member_ids": 2,
        "classic_consumers": 1,
        "instances": 1,
        "topics": 1,
        "partitions": 2,
        "max_group_epoch": EPOCHS,
        "max_generation": EPOCHS,
        "starts": 0,
        "crashes": 0,
        "leaves": 0,
        "expirations": 0,
        "losses": 0,
    },
    rules=MENDED,
    at_least={"members": "classic_consumers", "member_ids": "members"},
    drawing=MIGRATIONS,
)
