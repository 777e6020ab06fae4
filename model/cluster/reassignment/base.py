"""Can a late StopReplica request delete a replica that has been given back to its broker?

Bounds: two replicas; two reassignments, one that takes the partition from a broker and one that gives it back; one
    crash.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, environment, family
from kafkacheck.spec.cluster import properties, record, steps

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1, "moves": 2},
    actions=[
        *family.ZOOKEEPER_ERA,
        brokers.broker_obeys_stop_replica,
        environment.process_crashes,
        environment.reassignment_is_asked,
    ],
    always=[*family.SAFETY, steps.requests_of_former_broker_have_no_effect, record.reassignments_go_on],
    sometimes=[properties.acknowledged_record, record.deleted_replica],
)
