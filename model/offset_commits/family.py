"""Common parts of the models of committed offsets.

Bounds: `groups` groups with offsets of `partitions` partitions, at most `log_writes` writes to the log; `producer_ids`
transactional producers; `max_time` ticks of the retention. Others are budgets of disturbances, or say which parts a
model has.
"""

from kafkacheck.checker.model import Family, each
from kafkacheck.impl.group_offsets.records import GroupOffsetsRules
from kafkacheck.model.offset_commits import environment, membership, system
from kafkacheck.model.offset_commits.drawing import COMMITTED_OFFSETS as DRAWING
from kafkacheck.spec.offset_commits import properties, steps

COMMITTED = (system.record_is_replicated, system.coordinator_learns_high_watermark)

LATE = (environment.new_leader_knows_less,)

LOADING = (system.coordinator_moves, system.coordinator_reads_write, system.coordinator_ends_loading)

TRANSACTIONS = (environment.producer_commits_offsets, environment.transaction_ends)

EXPIRY = (environment.retention_passes, environment.offsets_expire)

MEMBERS = (membership.member_joins, membership.member_leaves)

MENDED = GroupOffsetsRules(
    consumer_group_keeps_offsets=True,
    late_commit_keeps_offset=True,
    new_coordinator_awaits_high_watermark=True,
    loading_coordinator_hears_high_watermark=True,
)
"""The rules with what no release has, so that what one model shows hides nothing in others."""

ALWAYS = (
    properties.offsets_match_log,
    properties.pending_offsets_match_log,
    properties.told_offsets_survive,
    properties.fetches_tell_the_log,
    properties.waiting_offsets_are_pending,
    properties.offsets_have_a_group,
    steps.fetches_know_what_was_told,
    steps.refused_partitions_are_as_before,
    steps.refused_requests_write_nothing,
    steps.commits_are_of_members,
    steps.members_can_commit,
    steps.expiry_spares_members,
    steps.expiry_spares_recent_commits,
    steps.expiry_spares_groups_that_were_alive,
    steps.stable_fetches_tell_nothing_pending,
    steps.expiry_spares_pending_offsets,
    steps.expiry_ends_groups,
    steps.deleted_groups_have_no_member,
    steps.tombstones_are_of_offsets,
    steps.groups_keep_their_kind,
)

OFFSET_COMMITS = Family(
    state=system.State,
    charges=environment.CHARGES,
    bounds={
        "groups": 2,
        "partitions": 2,
        "offsets": 2,
        "producer_ids": 1,
        "log_writes": 3,
        "max_member_epoch": 0,
        "max_time": 0,
        "fetches": 0,
        "refusals": 0,
        "cleanings": 0,
        "coordinator_moves": 0,
        "late_high_watermarks": 0,
        "deposed_coordinators": 0,
    },
    flags=["fetches", "deposed_coordinators"],
    rules=MENDED,
    drawing=DRAWING,
    always=ALWAYS,
)

FAIR = [
    system.record_is_replicated,
    system.coordinator_learns_high_watermark,
    system.coordinator_reads_write,
    system.coordinator_ends_loading,
    system.coordinator_answers_fetch,
]

ENDING = [each(environment.transaction_ends, "producer_id")]
