"""The parts that the models of the message-level cluster share: bundles of actions and of properties.

Bounds: `replicas` brokers hold the partition; a log has room for `log_size` records; producers write `max_records`
records in all; leader epochs run from 0 to `max_leader_epoch`, the controller's changes from 0 to
`max_metadata_offset`, broker epochs from 0 to `max_broker_epoch` and controller epochs from 0 to
`max_controller_epoch`; a log's start can rise to `max_log_start`; each follower can have `old_fetches` requests whose
connection is broken (0 or 1). These bounds are switches (0 or 1): `fetch_sessions` if followers fetch in sessions,
`epoch_files` if leader-epoch files reach the disk late, `late_registrations` if brokers learn their epoch late,
`reassignment_rounds` if a reassignment ends in two rounds, and `read_replicas` if leaders name followers for consumers
to read from. The others are budgets of disturbances (`model/cluster/environment.py`). All bounds only end behaviours.
"""

from kafkacheck.checker.model import Family
from kafkacheck.impl.constants import Stage
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr, broker_replays_metadata
from kafkacheck.model.cluster.controller import (
    broker_starts,
    controller_alters_partition,
    controller_fences_broker,
    controller_unfences_broker,
)
from kafkacheck.model.cluster.drawing import CLUSTER_LANES
from kafkacheck.model.cluster.environment import start_in_sync
from kafkacheck.model.cluster.replication import (
    follower_asks_epoch_end,
    follower_sends_fetch,
    follower_truncates,
    follower_uses_fetch,
    leader_answers_epoch_end,
    leader_answers_fetch,
    leader_appends,
    leader_learns_of_change,
    leader_proposes_expansion,
    leader_proposes_shrink,
)
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.clients import (
    consumer_learns_from_the_living,
    consumers_are_served_in_their_epoch,
    truncation_errors_are_true,
)
from kafkacheck.spec.cluster.elections import leader_is_active, partition_changes_state_legally
from kafkacheck.spec.cluster.eligible import (
    appends_need_enough_replicas,
    last_known_leader_is_last_resort,
    last_known_leader_led_last,
    leavers_stay_eligible,
    only_unclean_leaders_recover,
)
from kafkacheck.spec.cluster.files import (
    epoch_file_matches_log,
    only_followers_truncate,
    truncation_cuts_epochs,
    unread_metadata_is_blank,
)
from kafkacheck.spec.cluster.isr import (
    answers_tell_the_record,
    committed_without_all,
    high_watermark_follows,
    leaders_obey_answers,
    leaders_propose_one_change,
)
from kafkacheck.spec.cluster.isr_lemmas import (
    adopted_versions,
    all_brokers_are_assigned,
    answered_changes_cover_isr,
    answers_tell_versions,
    counted_versions,
    leader_waits_for_isr,
    newer_isrs_only_shrink,
    registered_broker_epochs,
    requested_changes_are_pending,
)
from kafkacheck.spec.cluster.lemmas import (
    at_most_one_failover,
    at_most_one_start,
    counted_leaders,
    diverging_answers_are_below,
    fetches_ask_for_newest_epoch,
    followed_epochs,
    last_member_of_isr,
    replayed_leaders,
    well_formed_broker_logs,
    well_formed_fetches,
)
from kafkacheck.spec.cluster.measures import isr_size, live_leaders
from kafkacheck.spec.cluster.messages import (
    answered_fetches_are_used,
    answered_questions_are_used,
    connections_end_with_process,
    disturbances_are_real,
    fetches_outside_are_out_of_range,
    new_epoch_drops_answers,
    only_appender_acknowledges,
    only_leaders_answer,
    stale_answers_have_no_effect,
    stopped_brokers_do_nothing,
)
from kafkacheck.spec.cluster.properties import (
    acknowledged_record,
    acknowledged_records_survive,
    deposed_leader,
    high_watermark_is_within_log,
    isr_has_no_inactive,
    isr_is_covered,
    logs_agree_below_high_watermark,
    logs_match_by_epoch,
    one_leader_in_epoch,
)
from kafkacheck.spec.cluster.record import (
    elected_leaders_are_active,
    every_change_has_an_effect,
    isr_is_never_empty,
    leader_epoch_counts_leaders,
    leader_is_elected_where_possible,
    only_assigned_brokers_obey,
    only_caught_up_brokers_become_active,
    replayed_partition_epoch,
)
from kafkacheck.spec.cluster.steps import (
    every_truncation_cuts,
    high_watermark_does_not_fall,
    leader_epoch_does_not_fall,
    stale_fetches_have_no_effect,
)
from kafkacheck.spec.cluster.topics import (
    assigned_brokers_take_part,
    deletion_awaits_replicas,
    fetches_stay_in_their_topic,
    records_stay_in_their_topic,
    replicas_are_deleted_when_told,
    topic_ids_are_new,
    topics_begin_empty,
)

MEASURES = (isr_size, live_leaders)

REPLICATION = (leader_appends, follower_sends_fetch, leader_answers_fetch, follower_uses_fetch)

EPOCH_QUESTIONS = (follower_asks_epoch_end, leader_answers_epoch_end, follower_truncates)

ISR_CHANGES = (leader_proposes_shrink, leader_proposes_expansion, controller_alters_partition, leader_learns_of_change)

FAILURES = (controller_fences_broker, broker_starts)

ZOOKEEPER = (broker_obeys_leader_and_isr, *FAILURES)

KRAFT = (broker_replays_metadata, controller_unfences_broker, *FAILURES)

EXAMPLES = (acknowledged_record, deposed_leader, committed_without_all)

BROKERS = (
    epoch_file_matches_log,
    truncation_cuts_epochs,
    only_followers_truncate,
    stopped_brokers_do_nothing,
    disturbances_are_real,
    connections_end_with_process,
    new_epoch_drops_answers,
    stale_answers_have_no_effect,
    answered_fetches_are_used,
    answered_questions_are_used,
    fetches_outside_are_out_of_range,
    only_leaders_answer,
    only_appender_acknowledges,
    leaders_propose_one_change,
    leaders_obey_answers,
    high_watermark_follows,
)
"""Properties of the steps of brokers, even if records are lost."""

CONTROLLER = (
    isr_is_never_empty,
    leader_is_elected_where_possible,
    every_change_has_an_effect,
    leader_epoch_counts_leaders,
    elected_leaders_are_active,
    only_caught_up_brokers_become_active,
    replayed_partition_epoch,
    only_assigned_brokers_obey,
    answers_tell_the_record,
    unread_metadata_is_blank,
)
"""Properties of the controller's record, and of the way in which it reaches brokers."""

ELIGIBLE = (
    appends_need_enough_replicas,
    leavers_stay_eligible,
    only_unclean_leaders_recover,
    last_known_leader_led_last,
    last_known_leader_is_last_resort,
)
"""Promises of `min.insync.replicas` and eligible leader replicas."""

CONSUMER = (consumers_are_served_in_their_epoch, consumer_learns_from_the_living, truncation_errors_are_true)
"""Properties of the answers that a consumer gets."""

SAFETY = (
    acknowledged_records_survive,
    logs_match_by_epoch,
    logs_agree_below_high_watermark,
    one_leader_in_epoch,
    isr_is_covered,
    isr_has_no_inactive,
    high_watermark_is_within_log,
    leader_is_active,
    partition_changes_state_legally,
    high_watermark_does_not_fall,
    leader_epoch_does_not_fall,
    stale_fetches_have_no_effect,
    every_truncation_cuts,
    *BROKERS,
    *CONTROLLER,
)

TOPICS = (
    records_stay_in_their_topic,
    topics_begin_empty,
    fetches_stay_in_their_topic,
    topic_ids_are_new,
    deletion_awaits_replicas,
    assigned_brokers_take_part,
    replicas_are_deleted_when_told,
)
"""Properties of a topic if one of the same name was deleted before."""

LEMMAS = (
    well_formed_broker_logs,
    followed_epochs,
    well_formed_fetches,
    at_most_one_start,
    at_most_one_failover,
    counted_leaders,
    replayed_leaders,
    last_member_of_isr,
    fetches_ask_for_newest_epoch,
    diverging_answers_are_below,
    registered_broker_epochs,
    all_brokers_are_assigned,
    counted_versions,
    adopted_versions,
    requested_changes_are_pending,
    leader_waits_for_isr,
    newer_isrs_only_shrink,
    answers_tell_versions,
    answered_changes_cover_isr,
)
"""Lemmas that prove some of `SAFETY`; `spec/PROOFS.md` lists the proved properties and those only searched."""


def one_fetch_under_way(state: State) -> bool:
    """Whether at most one follower has a request under way, which keeps models of three brokers small."""
    under_way = 0
    for follower_id in range(len(state.fetches)):
        if state.fetches[follower_id].stage != Stage.IDLE:
            under_way += 1
    return under_way <= 1


BOUNDS = {
    "replicas": 2,
    "log_size": 1,
    "max_records": 1,
    "max_leader_epoch": 2,
    "max_metadata_offset": 4,
    "max_broker_epoch": 1,
    "max_controller_epoch": 0,
    "max_log_start": 0,
    "old_fetches": 0,
    "fetch_sessions": 0,
    "epoch_files": 0,
    "late_registrations": 0,
    "reassignment_rounds": 0,
    "crashes": 0,
    "power_losses": 0,
    "disk_losses": 0,
    "expirations": 0,
    "moves": 0,
    "losses": 0,
    "failovers": 0,
    "deletions": 0,
    "min_isr_changes": 0,
    "read_replicas": 0,
}
"""Default bounds; each model says which ones it changes."""

CLUSTER = Family(
    state=State,
    initial=start_in_sync,
    bounds=BOUNDS,
    rules=ClusterRules(),
    sometimes=EXAMPLES,
    measures=MEASURES,
    drawing=CLUSTER_LANES,
)
"""The defaults of each model of a cluster's partition."""
