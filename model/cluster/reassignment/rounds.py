"""Can a replica stay in the ISR if a reassignment removes it in two rounds?

The controller of the ZooKeeper era removes the leaving replicas from the assignment and from the ISR by two changes. In
between the leader may propose an ISR, and the leaving replica still fetches.

Bounds: two replicas and one record; one reassignment, which leaves one of them. The contents of answers are not judged
    here: between the rounds an answer may name a replica that is no longer assigned.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import isr, properties, record

MODEL = family.ZOOKEEPER_CLUSTER.model(
    bounds={
        "reassignment_rounds": 1,
        "max_leader_epoch": 3,
        "max_metadata_offset": 4,
        "max_broker_epoch": 0,
        "moves": 1,
    },
    actions=[
        *family.REPLICATION,
        *family.EPOCH_QUESTIONS,
        *family.ISR_CHANGES,
        brokers.broker_obeys_leader_and_isr,
        brokers.broker_obeys_stop_replica,
        environment.reassignment_is_asked,
        controller.controller_ends_reassignment,
    ],
    always=[*(each for each in family.SAFETY if each is not isr.answers_tell_the_record), properties.isr_is_assigned],
    sometimes=[properties.acknowledged_record, record.deleted_replica],
)
