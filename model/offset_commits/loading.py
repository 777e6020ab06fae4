"""Does a new coordinator find offsets and open transactions in the log as they were, if the log is compacted?

Bounds: a group, a producer, four writes, an election and a cleaning.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "log_writes": 4, "coordinator_moves": 1, "cleanings": 1},
    actions=[
        environment.client_commits,
        *family.TRANSACTIONS,
        environment.offsets_are_deleted,
        *family.COMMITTED,
        *family.LOADING,
        environment.log_is_cleaned,
    ],
    sometimes=[properties.plain_commit_overtakes],
)
