"""Does an offset expire only if nobody uses it, and the retention has passed?

By the rules of Kafka 4.4 it does not: offset_commits.idle, offset_commits.reset.

Bounds: one group with one topic, whose member comes and goes; a producer, five writes, two ticks of the retention.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 2, "max_time": 2, "log_writes": 4},
    actions=[
        system.client_commits,
        *family.TRANSACTIONS,
        *family.EXPIRY,
        *family.MEMBERS,
        system.member_subscribes,
        system.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[system.client_commits, system.producer_commits_offsets],
    sometimes=[properties.offset_is_expired],
)
