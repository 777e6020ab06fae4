"""Does an acknowledged record survive if min.insync.replicas is changed twice, either way first?

With the mended rule of finding F2 of `tests/kafka/findings`: a raise changes the version of the partition.

Bounds: those of `cluster.min_isr_raised`, with two changes and room for them.
Expected: HOLDS
"""

from kafkacheck.model.cluster.environment import min_isr_is_lowered, start_in_sync, start_in_sync_by_low_min_isr
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER
from kafkacheck.model.cluster.min_isr_raised.base import ACTIONS, ALWAYS, BOUNDS
from kafkacheck.model.cluster.min_isr_raised.versioned import RULES

MODEL = ELIGIBLE_CLUSTER.model(
    initial=[start_in_sync, start_in_sync_by_low_min_isr],
    rules=RULES,
    bounds={**BOUNDS, "min_isr_changes": 2, "max_metadata_offset": 5},
    actions=[*ACTIONS, min_isr_is_lowered],
    always=ALWAYS,
)
