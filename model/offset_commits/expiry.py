"""Does an offset expire only if nobody uses it, and the retention has passed?

By the rules of Kafka 4.4 it does not: offset_commits.idle, offset_commits.reset.

Bounds: one group with one topic, whose member comes and goes; a producer, five writes, two ticks of the retention.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family, membership
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "offsets": 1, "max_member_epoch": 2, "max_time": 2, "log_writes": 4},
    actions=[
        environment.client_commits,
        *family.TRANSACTIONS,
        *family.EXPIRY,
        *family.MEMBERS,
        membership.member_subscribes,
        membership.rebalance_ends,
        *family.COMMITTED,
    ],
    stuttering=[environment.client_commits, environment.producer_commits_offsets],
    sometimes=[properties.offset_is_expired],
)
