"""By the rules of Kafka 4.4: has each partition an owner again after a consumer has subscribed by another pattern?

A consumer gives its partitions up when it changes its pattern. If no topic matches the new one, the group epoch does
not rise, so that the target assignment stays as it is, and the partitions are given to nobody.

Bounds: as subscriptions.changes.
Expected: VIOLATED has_not_converged_leads_to_has_converged
"""

from kafkacheck.model.subscriptions import family
from kafkacheck.model.subscriptions.changes import ACTIONS, BOUNDS

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds=BOUNDS,
    rules=family.MENDED._replace(first_resolution_rebalances=False),
    actions=ACTIONS,
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
