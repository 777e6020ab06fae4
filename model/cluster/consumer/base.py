"""Does a consumer see one history, and a latest offset that does not go back, while leaders change?

Bounds: two replicas, two records, two moves; a new leader's high watermark lags behind its predecessor's.
Expected: HOLDS
"""

from kafkacheck.model.cluster import brokers, clients, environment
from kafkacheck.model.cluster.family import CONSUMER, CONSUMER_CLUSTER, CONSUMER_READS, REPLICATION, SAFETY
from kafkacheck.spec.cluster.clients import (
    consumed_records_survive,
    consumer_reads_one_history,
    latest_offset_does_not_go_back,
)

MODEL = CONSUMER_CLUSTER.model(
    bounds={"log_size": 2, "max_records": 2, "max_metadata_offset": 2, "max_broker_epoch": 0, "moves": 2},
    actions=[
        *REPLICATION,
        brokers.broker_replays_metadata,
        environment.leadership_is_moved,
        *CONSUMER_READS,
        clients.consumer_asks_latest_offset,
    ],
    always=[latest_offset_does_not_go_back, consumed_records_survive, consumer_reads_one_history, *SAFETY, *CONSUMER],
)
