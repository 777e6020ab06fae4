"""How can an offset expire that was committed just now?

The retention of an empty classic group begins when it became empty, also for what is committed later, such as by an
operator who resets offsets.

Bounds: those of offset_commits.expiry.
Expected: VIOLATED expiry_spares_recent_commits
"""

from kafkacheck.model.offset_commits import environment, family, membership

MODEL = family.OFFSET_COMMITS.model(
    rules=family.MENDED._replace(late_commit_keeps_offset=False),
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
