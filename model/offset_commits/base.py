"""Is an offset that a client was told as committed what later fetches tell, also after elections?

Bounds: two groups of clients that are no members; three writes and an election, which may lose what is not committed.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"partitions": 1, "coordinator_moves": 1, "late_high_watermarks": 1},
    actions=[environment.client_commits, system.client_fetches, *family.COMMITTED, *family.LOADING, *family.LATE],
    stuttering=[system.client_fetches],
    sometimes=[properties.two_groups_have_offsets],
)
