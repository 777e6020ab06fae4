"""Does a consumer that begins at the end notice that records are cut before it has read one?

Bounds: as resumption, with `auto.offset.reset=latest`.
Expected: VIOLATED records_are_of_one_history: the consumer gives the position that it learns from ListOffsets no leader
    epoch (`OffsetFetcherUtils.resetPositionIfNeeded`), although the answer has one. So the position is not validated at
    the next leader, and records that come at the offsets of those that were cut are passed over.
"""

from kafkacheck.impl.delivery.constants import AutoOffsetReset
from kafkacheck.impl.resumption.records import ResumptionRules
from kafkacheck.model.resumption import environment, family, system
from kafkacheck.spec.resumption import properties

MODEL = family.RESUMPTION.model(
    bounds={"unclean_elections": 1, "restarts": 0, "max_leader_epoch": 1},
    rules=ResumptionRules(auto_offset_reset=AutoOffsetReset.LATEST),
    actions=[*family.ALONE, environment.unclean_leader_is_elected, system.consumer_is_out_of_range],
    always=[properties.records_are_of_one_history, properties.consumers_go_back_for_a_reason],
)
