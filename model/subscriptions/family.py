"""Common parts of the models of groups whose members subscribe by patterns.

Bounds: `members` consumers; `topics` topics, each of which has one of `partitions` partitions; `patterns` patterns, of
which pattern n matches the topics from number n on. The last `creations` topics do not exist at first. `instances`
instance ids exist; the first `classic_consumers` consumers use the classic protocol. The others are budgets of
disturbances (`environment.py`). No behaviour reaches the highest group epoch.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.consumer_group.pattern_records import PatternRules
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.subscriptions import environment, system
from kafkacheck.model.subscriptions.drawing import SUBSCRIPTIONS
from kafkacheck.spec.subscriptions import properties

CONSUMERS = (
    system.consumer_sends_heartbeat,
    system.coordinator_handles_heartbeat,
    system.consumer_receives_response,
    system.consumer_applies_assignment,
)

RESOLVING = (system.executor_resolves_patterns, system.coordinator_takes_resolution)

ACTIONS = (*CONSUMERS, *RESOLVING)

DEPARTURES = (system.consumer_releases_partitions, system.coordinator_fences_silent_member)

SAFETY = (
    properties.no_two_owners,
    properties.partitions_have_one_holder,
    properties.coordinators_know_subscriptions,
    properties.nobody_is_refused,
    properties.resolved_topics_match,
    properties.targets_are_of_members,
)

CONVERGES = ((properties.has_not_converged, properties.has_converged),)

FAIR = [*(each(action) for action in CONSUMERS), *RESOLVING]

FAIR_DEPARTURES = [each(action) for action in DEPARTURES]

MENDED = PatternRules(
    consumer=ConsumerGroupRules(target_counts_as_owned=True, temporary_leave_is_stable=True),
    first_resolution_rebalances=True,
    missing_pattern_is_named=True,
)
"""The rules with the fixes of F14, F25 and KAFKA-20641, and of what `subscriptions.kept_pattern` shows."""

SUBSCRIPTIONS_FAMILY = Family(
    state=system.State,
    charges=environment.CHARGES,
    initial=environment.start_with_patterns,
    bounds={
        "members": 2,
        "instances": 1,
        "classic_consumers": 0,
        "topics": 2,
        "partitions": 2,
        "patterns": 2,
        "max_group_epoch": 9,
        "subscription_changes": 0,
        "leaves": 0,
        "restarts": 0,
        "losses": 0,
        "failovers": 0,
        "creations": 0,
        "deletions": 0,
        "failures": 0,
    },
    rules=MENDED,
    drawing=SUBSCRIPTIONS,
    sometimes=[properties.pattern_is_resolved],
)
