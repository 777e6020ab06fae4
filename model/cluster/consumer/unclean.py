"""Does a consumer notice that the records it has read are gone after an unclean election?

Bounds: two replicas; the leader is alone in the ISR and crashes; three records: one that the consumer has read, one
    that takes its place, and the next one.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.controller import controller_elects_uncleanly, controller_fences_broker
from kafkacheck.model.cluster.environment import process_crashes, start_alone
from kafkacheck.model.cluster.family import BROKERS, CONSUMER, CONSUMER_CLUSTER, CONSUMER_READS, CONTROLLER, REPLICATION
from kafkacheck.spec.cluster.clients import consumer_reads_one_history
from kafkacheck.spec.cluster.properties import acknowledged_record, logs_match_by_epoch, one_leader_in_epoch

MODEL = CONSUMER_CLUSTER.model(
    initial=start_alone,
    bounds={"log_size": 2, "max_records": 3, "max_metadata_offset": 2, "max_broker_epoch": 0, "crashes": 1},
    rules=ClusterRules(unclean_election=True),
    actions=[
        *REPLICATION,
        broker_replays_metadata,
        controller_fences_broker,
        process_crashes,
        controller_elects_uncleanly,
        *CONSUMER_READS,
    ],
    always=[consumer_reads_one_history, logs_match_by_epoch, one_leader_in_epoch, *BROKERS, *CONTROLLER, *CONSUMER],
    sometimes=[acknowledged_record],
)
