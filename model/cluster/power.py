"""Do logs agree again after both brokers lost power, and one of them lost unflushed records?

Acknowledged records can be lost here, because every member of the ISR fails; the replicas must still agree.

Bounds: two brokers, and two power losses; one record that is lost and one that takes its place. Four leader epochs:
    the controller takes each broker out, and one comes back to lead. The ISR does not grow, so that nothing else is at
    work.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, environment, family
from kafkacheck.spec.cluster import files, properties, steps

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"max_records": 2, "max_leader_epoch": 4, "max_broker_epoch": 2, "power_losses": 2},
    actions=[
        *family.REPLICATION,
        *family.EPOCH_QUESTIONS,
        *family.ZOOKEEPER,
        brokers.broker_checkpoints_high_watermark,
        environment.power_fails,
    ],
    always=[properties.logs_agree_below_high_watermark, steps.checkpoint_falls_with_high_watermark, *family.LOGS_AGREE],
    sometimes=[*family.EXAMPLES, files.lost_suffix, files.unflushed_survivor],
)
