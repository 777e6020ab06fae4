"""Is progress committed in the end if the application sometimes leaves the leader epoch out?

Bounds: as resumption, with elections that cut nothing, and a client that commits only what is newer.
Expected: HOLDS
"""

from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    rules=ResumptionRules(commits_name_epoch=False, only_news_is_committed=True),
    actions=family.ACTIONS,
    always=family.SAFETY,
    sometimes=[properties.metadata_is_too_old, properties.committed_epoch_is_unknown],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
