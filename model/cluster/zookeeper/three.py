"""Is a follower harmless if it obeys an old leader or missed an epoch while the others have gone on?

Bounds: three replicas, because the follower needs two leaders to obey. Two moves and an expired session give four
    epochs: the follower's own, one that it hears of late, one in which the record is committed, and one for an
    election. Only the controller changes the ISR. One follower at a time has a request under way.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_obeys_leader_and_isr
from kafkacheck.model.cluster.environment import leadership_is_moved, session_expires
from kafkacheck.model.cluster.family import (
    EPOCH_QUESTIONS,
    LEMMAS,
    REPLICATION,
    SAFETY,
    ZOOKEEPER_CLUSTER,
    one_fetch_under_way,
)

MODEL = ZOOKEEPER_CLUSTER.model(
    bounds={
        "replicas": 3,
        "max_leader_epoch": 3,
        "max_metadata_offset": 3,
        "max_broker_epoch": 0,
        "moves": 2,
        "expirations": 1,
    },
    actions=[*REPLICATION, *EPOCH_QUESTIONS, broker_obeys_leader_and_isr, leadership_is_moved, session_expires],
    always=SAFETY,
    constraint=one_fetch_under_way,
    lemmas=LEMMAS,
)
