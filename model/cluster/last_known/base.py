"""Does the last known leader restore a partition and its acknowledged records if ISR and ELR are empty?

With min.insync.replicas=2 both replicas crash, one after the other. Their starts are unclean, so both leave the ELR,
and no clean election is possible any more. The last leader had every acknowledged record. It still has them, because a
process crash keeps the page cache.

Bounds: two replicas and one record; two crashes.
Expected: HOLDS. `cluster.last_known.power` shows the records that are given up.
"""

from kafkacheck.model.cluster import environment, family
from kafkacheck.spec.cluster import elections, properties, steps

MODEL = family.ELIGIBLE_CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 2, "crashes": 2},
    actions=[*family.KRAFT_ERA, environment.process_crashes],
    always=[
        properties.acknowledged_records_survive,
        elections.leader_is_active,
        elections.partition_changes_state_legally,
        properties.recovering_leader_is_alone,
        properties.isr_has_no_inactive,
        properties.logs_match_by_epoch,
        properties.one_leader_in_epoch,
        properties.high_watermark_is_within_log,
        steps.high_watermark_does_not_fall,
        *family.CONTROLLER,
        *family.ELIGIBLE,
    ],
    sometimes=[properties.acknowledged_record, elections.offline_partition, elections.recovering_leader],
)
