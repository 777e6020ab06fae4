"""How can the offsets of a group of the new protocol expire as soon as its last member leaves?

Its retention begins with the commit, so that a consumer which had nothing to commit for that long, and restarts, begins
anew. A classic group has its offsets for the retention after it became empty.

Bounds: those of offset_commits.expiry.
Expected: VIOLATED expiry_spares_groups_that_were_alive
"""

from kafkacheck.model.offset_commits import family, system

MODEL = family.OFFSET_COMMITS.model(
    rules=family.MENDED._replace(consumer_group_keeps_offsets=False),
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 2, "max_time": 2, "log_writes": 4},
    actions=[
        system.client_commits,
        *family.EXPIRY,
        *family.MEMBERS,
        system.member_subscribes,
        system.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[system.client_commits],
)
