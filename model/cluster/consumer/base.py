"""Does a consumer see one history, and a latest offset that does not go back, while leaders change?

Bounds: two replicas, two records, two moves: the high watermark of a new leader lags behind that of the one before.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.broker.metadata import broker_replays_metadata
from kafkacheck.impl.client.consumer import (
    consumer_asks_latest_offset,
    consumer_learns_leader,
    consumer_reads,
    consumer_validates_position,
)
from kafkacheck.impl.cluster import State
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.drawing import CLUSTER_WITH_CONSUMER
from kafkacheck.model.cluster.environment import leadership_is_moved, start_in_sync
from kafkacheck.model.cluster.system import BOUNDS, CONSUMER, EXAMPLES, MEASURES, REPLICATION, SAFETY
from kafkacheck.spec.cluster.clients import (
    consumed_records_survive,
    consumer_reads_one_history,
    latest_offset_does_not_go_back,
)

MODEL = Model(
    state=State,
    initial=start_in_sync,
    bounds={**BOUNDS, "log_size": 2, "max_records": 2, "max_metadata_offset": 2, "max_broker_epoch": 0, "moves": 2},
    rules=ClusterRules(),
    actions=[
        *REPLICATION,
        broker_replays_metadata,
        leadership_is_moved,
        consumer_learns_leader,
        consumer_validates_position,
        consumer_reads,
        consumer_asks_latest_offset,
    ],
    always=[latest_offset_does_not_go_back, consumed_records_survive, consumer_reads_one_history, *SAFETY, *CONSUMER],
    sometimes=EXAMPLES,
    measures=MEASURES,
    drawing=CLUSTER_WITH_CONSUMER,
)
