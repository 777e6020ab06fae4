"""What does the election of the last known leader give up?

With min.insync.replicas=2 both replicas have an acknowledged record, and neither has flushed it. Both lose power, so
both leave the ELR when they start. The last leader leads again, although the record is gone.

Bounds: two replicas and one record; two power losses.
Expected: VIOLATED acknowledged_records_survive: the election is unclean although `unclean.leader.election.enable` is
    off. Without it (`--set last_known_leader_is_elected=False`) nobody leads any more, and what some disk may still
    have is not overwritten. The other properties hold.
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import environment, family
from kafkacheck.spec.cluster import elections, properties

MODEL = family.CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 2, "power_losses": 2},
    rules=ClusterRules(eligible_leader_replicas=True, last_known_leader_is_elected=True, min_insync_replicas=2),
    actions=[*family.KRAFT_ERA, environment.power_fails],
    always=[
        properties.acknowledged_records_survive,
        elections.leader_is_active,
        elections.partition_changes_state_legally,
        properties.recovering_leader_is_alone,
    ],
    sometimes=[properties.acknowledged_record],
)
