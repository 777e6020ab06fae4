"""Does a request for several partitions change those that are accepted, and nothing of the others?

Bounds: two groups with two partitions; two writes, a commit with too large metadata, and one tick of the retention.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"offsets": 1, "refusals": 1, "max_time": 1},
    actions=[
        system.client_commits,
        system.client_commits_too_much,
        *family.TRANSACTIONS,
        system.offsets_are_deleted,
        system.topic_is_deleted,
        system.group_is_deleted,
        *family.EXPIRY,
    ],
    sometimes=[properties.offset_is_expired],
)
