"""Is a commit that a deposed coordinator answers in the log of the next one?

Bounds: one group, two writes, an election; the coordinator before it may answer later.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family, system

MODEL = family.OFFSET_COMMITS.model(
    bounds={"groups": 1, "partitions": 1, "log_writes": 2, "coordinator_moves": 1, "deposed_coordinators": 1},
    actions=[environment.client_commits, *family.COMMITTED, *family.LOADING, system.deposed_coordinator_ends_write],
)
