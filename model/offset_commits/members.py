"""Which commits does a group accept, of which members, in either protocol?

Bounds: one group whose member has three epochs, a producer, and five writes.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import family, system

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 3, "log_writes": 5},
    actions=[
        system.client_commits,
        system.member_commits,
        system.member_commits_in_transaction,
        *family.TRANSACTIONS,
        *family.MEMBERS,
        system.member_subscribes,
        system.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[
        system.client_commits,
        system.member_commits,
        system.member_commits_in_transaction,
        system.producer_commits_offsets,
    ],
)
