"""Does a request for several partitions change those that are accepted, and nothing of the others?

Bounds: two groups with two partitions; two writes, a commit with too large metadata, and one tick of the retention.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"offsets": 1, "refusals": 1, "max_time": 1},
    actions=[
        environment.client_commits,
        environment.client_commits_too_much,
        *family.TRANSACTIONS,
        environment.offsets_are_deleted,
        environment.topic_is_deleted,
        environment.group_is_deleted,
        *family.EXPIRY,
    ],
    sometimes=[properties.offset_is_expired],
)
