"""Common parts of the models of a broker's life.

Bounds: `brokers` brokers; `restarts` of their processes, `failovers` of the controller, and `amendments` of
registrations are left. The log has no bound.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules
from kafkacheck.model.broker_lifecycle import environment, system
from kafkacheck.model.broker_lifecycle.drawing import BROKER_LIVES
from kafkacheck.spec.broker_lifecycle import properties

ACTIONS = (
    system.broker_registers,
    system.broker_replays_record,
    system.broker_sends_heartbeat,
    system.controller_handles_heartbeat,
    system.broker_receives_answer,
    system.broker_begins_shutdown,
    system.controller_fences_stale_broker,
    environment.metadata_log_grows,
    environment.broker_crashes,
    environment.live_broker_is_fenced,
    environment.heartbeat_is_lost,
)

SAFETY = (
    properties.unfenced_brokers_are_ready,
    properties.recovering_brokers_know_their_registration,
    properties.leader_is_unfenced,
    properties.active_leaders_stay,
    properties.reports_are_true,
    properties.answers_have_a_receiver,
    properties.brokers_are_told_what_they_are,
    properties.heartbeats_without_effect_are_not_logged,
    properties.shutdowns_await_active_brokers,
    properties.shutdowns_await_their_move,
    properties.only_the_registered_epoch_counts,
    properties.only_replaying_catches_up,
    properties.changes_are_logged,
    properties.new_brokers_lack_their_registration,
    properties.running_brokers_were_unfenced,
)

EXAMPLES = (properties.ready_behind_the_end, properties.shutdown_with_another_leader)

BROKER_LIFECYCLE = Family(
    state=system.State,
    charges=environment.CHARGES,
    bounds={"brokers": 2, "restarts": 0, "failovers": 0, "amendments": 0},
    rules=LifecycleRules(),
    actions=ACTIONS,
    always=SAFETY,
    leads_to=[
        (properties.a_broker_waits_to_be_unfenced, properties.no_broker_waits_to_be_unfenced),
        (properties.a_broker_waits_to_stop, properties.no_broker_waits_to_stop_if_none_is_fenced),
        (properties.a_dead_broker_is_unfenced, properties.dead_brokers_are_fenced),
    ],
    weakly_fair=[
        each(system.broker_replays_record),  # a broker fetches the metadata log again and again
        each(system.broker_sends_heartbeat),  # `broker.heartbeat.interval.ms`
        each(system.controller_fences_stale_broker),  # a session that is not renewed ends
    ],
    strongly_fair=[
        each(system.controller_handles_heartbeat),  # of heartbeats that are sent again and again, not all are lost
        each(system.broker_receives_answer),  # nor are all answers
    ],
    drawing=BROKER_LIVES,
)
