"""Does only the owner move the committed offset, if applications process records in threads of their own?

Bounds: as delivery, without the rebalance; a thread of the client chooses offsets and sends them later.
Expected: HOLDS
"""

from kafkacheck.model.delivery import family, system
from kafkacheck.spec.delivery import properties

MODEL = family.DELIVERY.model(
    bounds={"moves": 1, "pipelines": 1, "commits": 2, "max_generation": 2},
    actions=[*family.ACTIONS, system.thread_chooses_offset, system.thread_sends_commit],
    always=[*family.SAFETY, properties.progress_is_not_taken_back],
    sometimes=[properties.another_took_over, properties.former_owner_goes_on],
)
