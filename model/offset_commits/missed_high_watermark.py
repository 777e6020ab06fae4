"""How can a fetch of a stable offset wait until somebody writes, after an election?

The coordinator begins to hear of the high watermark when it has loaded. It does not hear of one that rises after it has
read the last record, and before that.

Bounds: those of offset_commits.stable, with two writes.
Expected: VIOLATED is_asked_for_offset_leads_to_has_answered_fetches
"""

from kafkacheck.model.offset_commits import environment, family, system
from kafkacheck.spec.offset_commits import properties

MODEL = family.OFFSET_COMMITS.model(
    rules=family.MENDED._replace(
        loading_coordinator_hears_high_watermark=False, new_coordinator_awaits_high_watermark=False
    ),
    bounds={
        "partitions": 1,
        "offsets": 1,
        "log_writes": 2,
        "coordinator_moves": 1,
        "late_high_watermarks": 1,
        "fetches": 1,
    },
    actions=[
        environment.client_commits,
        system.client_fetches_stable,
        system.coordinator_answers_fetch,
        *family.COMMITTED,
        *family.LOADING,
        *family.LATE,
    ],
    leads_to=[(properties.is_asked_for_offset, properties.has_answered_fetches)],
    weakly_fair=family.FAIR,
)
