"""Do eligible leader replicas have every acknowledged record if min.insync.replicas is lowered meanwhile?

Bounds: two replicas and one record; min.insync.replicas is 2, and from any time on 1. A leader's session expires, so
    that a replica that was eligible before may be elected. No broker stops, and each keeps its log.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import properties, steps

MODEL = family.ELIGIBLE_CLUSTER.model(
    bounds={"max_broker_epoch": 0, "expirations": 1, "min_isr_changes": 1},
    actions=[
        *family.REPLICATION,
        *family.ISR_CHANGES,
        brokers.broker_replays_metadata,
        controller.controller_unfences_broker,
        environment.session_expires,
        environment.min_isr_is_lowered,
    ],
    always=[
        properties.acknowledged_records_survive,
        steps.high_watermark_does_not_fall,
        *family.LOGS_AGREE,
        *family.ELIGIBLE,
    ],
)
