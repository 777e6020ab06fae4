"""Does a consumer never read on where its history was cut, if committed offsets name their leader epoch?

Bounds: three records, three leader epochs of which one may begin with an unclean election, and one restart. A consumer
    starts with metadata of any leader epoch. Two records show each mistake of the museum; the third one is behind a cut
    that has records of two epochs.
Expected: HOLDS
"""

from kafkacheck.model.resumption import environment, family
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1},
    actions=[*family.ACTIONS, environment.unclean_leader_is_elected],
    always=family.SAFETY,
    sometimes=[properties.position_is_cut, properties.committed_offset_is_cut, properties.metadata_is_too_old],
    leads_to=family.PROGRESS,
    weakly_fair=family.FAIR,
)
