"""The parts that the models of the message-level cluster share: bundles of actions and of properties.

Bounds: `replicas` brokers hold the partition; a log has room for `log_size` records; producers write `max_records`
records in all; leader epochs run from 0 to `max_leader_epoch`, the controller's changes from 0 to
`max_metadata_offset`, broker epochs from 0 to `max_broker_epoch` and controller epochs from 0 to
`max_controller_epoch`; a log's start can rise to `max_log_start`. `FLAGS` are 0 or 1: `old_fetches` is 1 if each
follower can have a request whose connection is broken, `fetch_sessions` if followers fetch in sessions,
`metadata_deltas` if brokers replay several records as one change, `elr_index` if the controller's index of eligible
replicas is modelled, `noted_targets` if the targets of reassignments are kept for properties, `epoch_files` if
leader-epoch files reach the disk late, `late_registrations` if brokers learn their epoch late, `reassignment_rounds` if
a reassignment ends in two rounds, and `read_replicas` if leaders name followers for consumers to read from. The others
are budgets of disturbances (`model/cluster/environment.py`). A smaller bound only ends behaviours earlier.
"""

from typing import Any

from kafkacheck.checker.model import Family
from kafkacheck.impl.enums import Propagation, Stage, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, controller, environment, replication
from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr, broker_replays_metadata
from kafkacheck.model.cluster.clients import consumer_learns_leader, consumer_reads, consumer_validates_position
from kafkacheck.model.cluster.drawing import CLUSTER_AND_CONSUMER_LANES, CLUSTER_LANES
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import (
    clients,
    elections,
    eligible,
    files,
    isr,
    isr_lemmas,
    lemmas,
    measures,
    messages,
    properties,
    record,
    steps,
    topics,
)

MEASURES = (measures.isr_size, measures.live_leaders)

REPLICATION = (
    replication.leader_appends,
    replication.follower_sends_fetch,
    replication.leader_answers_fetch,
    replication.follower_uses_fetch,
)

EPOCH_QUESTIONS = (
    replication.follower_asks_epoch_end,
    replication.leader_answers_epoch_end,
    replication.follower_truncates,
)

ISR_CHANGES = (
    replication.leader_proposes_shrink,
    replication.leader_proposes_expansion,
    controller.controller_alters_partition,
    replication.leader_learns_of_change,
)

FAILURES = (controller.controller_fences_broker, brokers.broker_starts)

ZOOKEEPER = (broker_obeys_leader_and_isr, *FAILURES)

KRAFT = (broker_replays_metadata, controller.controller_unfences_broker, *FAILURES)

ZOOKEEPER_ERA = (*REPLICATION, *EPOCH_QUESTIONS, *ISR_CHANGES, *ZOOKEEPER)
"""What brokers and the controller do in the ZooKeeper era."""

KRAFT_ERA = (*REPLICATION, *ISR_CHANGES, *KRAFT)
"""What brokers and the controller do in the KRaft era."""

CONSUMER_READS = (consumer_learns_leader, consumer_validates_position, consumer_reads)
"""The steps of a consumer that reads from the leader."""

EXAMPLES = (properties.acknowledged_record, properties.deposed_leader, isr.committed_without_all)

BROKERS = (
    files.epoch_file_matches_log,
    files.truncation_cuts_epochs,
    files.only_followers_truncate,
    messages.stopped_brokers_do_nothing,
    messages.disturbances_are_real,
    messages.connections_end_with_process,
    messages.new_epoch_drops_answers,
    messages.stale_answers_have_no_effect,
    messages.answered_fetches_are_used,
    messages.answered_questions_are_used,
    messages.fetches_outside_are_out_of_range,
    messages.only_leaders_answer,
    messages.only_appender_acknowledges,
    isr.leaders_propose_one_change,
    isr.leaders_obey_answers,
    isr.high_watermark_follows,
)
"""Properties of the steps of brokers, even if records are lost."""

CONTROLLER = (
    record.isr_is_never_empty,
    record.leader_is_elected_where_possible,
    record.every_change_has_an_effect,
    record.leader_epoch_counts_leaders,
    record.elected_leaders_are_active,
    record.only_caught_up_brokers_become_active,
    record.replayed_partition_epoch,
    record.only_assigned_brokers_obey,
    isr.answers_tell_the_record,
    files.unread_metadata_is_blank,
)
"""Properties of the controller's record, and of the way in which it reaches brokers."""

ELIGIBLE = (
    eligible.appends_need_enough_replicas,
    eligible.leavers_stay_eligible,
    eligible.only_unclean_leaders_recover,
    eligible.last_known_leader_led_last,
    eligible.last_known_leader_is_last_resort,
)
"""Promises of `min.insync.replicas` and eligible leader replicas."""

CONSUMER = (
    clients.consumers_are_served_in_their_epoch,
    clients.consumer_learns_from_the_living,
    clients.truncation_errors_are_true,
)
"""Properties of the answers that a consumer gets."""

LOGS_AGREE = (
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
    properties.high_watermark_is_within_log,
    *BROKERS,
    *CONTROLLER,
)
"""Properties that hold even if acknowledged records are lost."""

SAFETY = (
    properties.acknowledged_records_survive,
    properties.logs_match_by_epoch,
    properties.logs_agree_below_high_watermark,
    properties.one_leader_in_epoch,
    properties.isr_is_covered,
    properties.isr_has_no_inactive,
    properties.high_watermark_is_within_log,
    elections.leader_is_active,
    elections.partition_changes_state_legally,
    steps.high_watermark_does_not_fall,
    steps.leader_epoch_does_not_fall,
    steps.stale_fetches_have_no_effect,
    steps.every_truncation_cuts,
    *BROKERS,
    *CONTROLLER,
)

TOPICS = (
    topics.records_stay_in_their_topic,
    topics.topics_begin_empty,
    topics.fetches_stay_in_their_topic,
    topics.topic_ids_are_new,
    topics.deletion_awaits_replicas,
    topics.assigned_brokers_take_part,
    topics.replicas_are_deleted_when_told,
)
"""Properties of a topic if one of the same name was deleted before."""

LEMMAS = (
    lemmas.well_formed_broker_logs,
    lemmas.followed_epochs,
    lemmas.well_formed_fetches,
    lemmas.at_most_one_start,
    lemmas.at_most_one_failover,
    lemmas.counted_leaders,
    lemmas.replayed_leaders,
    lemmas.last_member_of_isr,
    lemmas.fetches_ask_for_newest_epoch,
    lemmas.diverging_answers_are_below,
    isr_lemmas.registered_broker_epochs,
    isr_lemmas.all_brokers_are_assigned,
    isr_lemmas.counted_versions,
    isr_lemmas.adopted_versions,
    isr_lemmas.requested_changes_are_pending,
    isr_lemmas.leader_waits_for_isr,
    isr_lemmas.newer_isrs_only_shrink,
    isr_lemmas.answers_tell_versions,
    isr_lemmas.answered_changes_cover_isr,
)
"""Lemmas that prove some of `SAFETY`; `spec/PROOFS.md` says which properties are proved and which only searched."""


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
    "metadata_deltas": 0,
    "elr_index": 0,
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
    "noted_targets": 0,
    "read_replicas": 0,
}
"""Default bounds; each model says which ones it changes."""

FLAGS = (
    "old_fetches",
    "fetch_sessions",
    "metadata_deltas",
    "elr_index",
    "epoch_files",
    "late_registrations",
    "reassignment_rounds",
    "noted_targets",
    "read_replicas",
)

_COMMON: dict[str, Any] = {
    "state": State,
    "charges": environment.CHARGES,
    "initial": environment.start_in_sync,
    "bounds": BOUNDS,
    "flags": FLAGS,
    "sometimes": EXAMPLES,
    "measures": MEASURES,
}
_ZOOKEEPER_RULES = ClusterRules(
    propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279, grown_target_is_awaited=True
)
_RULES = ClusterRules(known_change_keeps_proposal=True)
_ELIGIBLE_RULES = _RULES._replace(eligible_leader_replicas=True, min_insync_replicas=2)

CLUSTER = Family(**_COMMON, rules=_RULES, drawing=CLUSTER_LANES)
"""The defaults of each model of a cluster's partition. Leaders keep their proposals (`cluster.proposal_forgotten`)."""
ZOOKEEPER_CLUSTER = Family(**_COMMON, rules=_ZOOKEEPER_RULES, drawing=CLUSTER_LANES)
"""`CLUSTER` by the rules of the ZooKeeper era."""
ELIGIBLE_CLUSTER = Family(**_COMMON, rules=_ELIGIBLE_RULES, drawing=CLUSTER_LANES)
"""`CLUSTER` with eligible leader replicas; an acknowledged record is on two replicas."""
CONSUMER_CLUSTER = Family(**_COMMON, rules=_RULES, drawing=CLUSTER_AND_CONSUMER_LANES)
"""`CLUSTER` with a lane for the consumer in its pictures."""
