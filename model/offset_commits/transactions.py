"""Do transactions and plain commits leave the offset whose record is the latest, in each group its own?

Bounds: two groups and two producers, whose transactions may have offsets of both groups; four writes, and a deletion of
    offsets, of a topic or of a group may be one of them.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"partitions": 1, "producer_ids": 2, "log_writes": 4},
    actions=[
        system.client_commits,
        *family.TRANSACTIONS,
        system.offsets_are_deleted,
        system.topic_is_deleted,
        system.group_is_deleted,
    ],
    sometimes=[properties.plain_commit_overtakes],
    leads_to=[(properties.offset_is_pending, properties.no_offset_is_pending)],
    weakly_fair=family.ENDING,
)
