"""How can the offsets of a group of the new protocol expire as soon as its last member leaves?

Its retention begins with the commit, so that a consumer which had nothing to commit for that long, and restarts, begins
anew. A classic group has its offsets for the retention after it became empty.

Bounds: those of offset_commits.expiry.
Expected: VIOLATED expiry_spares_groups_that_were_alive
"""

from kafkacheck.model.offset_commits import environment, family, membership

MODEL = family.OFFSET_COMMITS.model(
    rules=family.MENDED._replace(consumer_group_keeps_offsets=False),
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 2, "max_time": 2, "log_writes": 4},
    actions=[
        environment.client_commits,
        *family.EXPIRY,
        *family.MEMBERS,
        membership.member_subscribes,
        membership.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[environment.client_commits],
)
