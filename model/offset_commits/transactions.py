"""Do transactions and plain commits leave the offset whose record is the latest, in each group its own?

Bounds: two groups and two producers, whose transactions may have offsets of both groups; four writes, and a deletion of
    offsets, of a topic or of a group may be one of them.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"partitions": 1, "producer_ids": 2, "log_writes": 4},
    actions=[
        environment.client_commits,
        *family.TRANSACTIONS,
        environment.offsets_are_deleted,
        environment.topic_is_deleted,
        environment.group_is_deleted,
    ],
    sometimes=[properties.plain_commit_overtakes],
    leads_to=[(properties.offset_is_pending, properties.no_offset_is_pending)],
    weakly_fair=family.ENDING,
)
