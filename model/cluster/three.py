"""May a replica that was out of sync join the ISR of a leader whose high watermark lags?

Bounds: three replicas, because the bug takes a leader, its predecessor, and a third replica that joins. The third
    replica starts outside the ISR. Leadership moves twice: to the new leader, and to the replica that joined. To keep
    the model small, only one follower at a time has a request under way. Without that bound the bug's counterexample in
    the museum is no shorter.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, environment
from kafkacheck.model.cluster.family import CLUSTER, ISR_CHANGES, LEMMAS, REPLICATION, SAFETY, one_fetch_under_way

MODEL = CLUSTER.model(
    initial=environment.start_with_laggard,
    bounds={"replicas": 3, "max_broker_epoch": 0, "max_metadata_offset": 3, "moves": 2},
    actions=[*REPLICATION, *ISR_CHANGES, brokers.broker_replays_metadata, environment.leadership_is_moved],
    always=SAFETY,
    constraint=one_fetch_under_way,
    lemmas=LEMMAS,
)
