"""Which commits does a group accept, of which members, in either protocol?

Bounds: one group whose member has three epochs, a producer, and five writes.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family, membership

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 3, "log_writes": 5},
    actions=[
        environment.client_commits,
        environment.member_commits,
        environment.member_commits_in_transaction,
        *family.TRANSACTIONS,
        *family.MEMBERS,
        membership.member_subscribes,
        membership.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[
        environment.client_commits,
        environment.member_commits,
        environment.member_commits_in_transaction,
        environment.producer_commits_offsets,
    ],
)
