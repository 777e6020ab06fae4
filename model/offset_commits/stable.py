"""Is a fetch of a stable offset always answered, and with an offset that remains?

Bounds: two groups, a producer whose transaction may have offsets of both; three writes and an election.
Expected: HOLDS
"""

from kafkacheck.model.offset_commits import environment, family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    bounds={"partitions": 1, "offsets": 1, "coordinator_moves": 1, "late_high_watermarks": 1, "fetches": 1},
    actions=[
        environment.client_commits,
        *family.TRANSACTIONS,
        system.client_fetches_stable,
        system.coordinator_answers_fetch,
        *family.COMMITTED,
        *family.LOADING,
        *family.LATE,
    ],
    sometimes=[properties.offset_is_pending],
    leads_to=[(properties.is_asked_for_offset, properties.has_answered_fetches)],
    weakly_fair=family.FAIR,
)
