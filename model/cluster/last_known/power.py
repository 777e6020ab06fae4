"""What does the election of the last known leader give up?

With min.insync.replicas=2 both replicas have an acknowledged record, and neither has flushed it. Both lose power, so
both leave the ELR when they start. The last leader leads again, although the record is gone.

This is as KIP-966 wants it, by the rules of the newest release: an unclean election although
`unclean.leader.election.enable` is off.

Bounds: two replicas and one record; two power losses.
Expected: VIOLATED acknowledged_records_survive. The other properties hold.
"""

from kafkacheck.model.cluster import environment, family
from kafkacheck.spec.cluster import elections, properties

BOUNDS = {"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 2, "power_losses": 2}
ACTIONS = (*family.KRAFT_ERA, environment.power_fails)
ALWAYS = (
    properties.acknowledged_records_survive,
    elections.leader_is_active,
    elections.partition_changes_state_legally,
    properties.recovering_leader_is_alone,
)

MODEL = family.ELIGIBLE_CLUSTER.model(
    bounds=BOUNDS, actions=ACTIONS, always=ALWAYS, sometimes=[properties.acknowledged_record]
)
