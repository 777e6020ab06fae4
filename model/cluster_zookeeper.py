"""test?

Bounds: x
Expected: HOLDS
"""

from checker.model import Model
from impl.broker.fetch import leader_answers_epoch_end, leader_answers_fetch
from impl.broker.fetcher import follower_asks_epoch_end, follower_sends_fetch, follower_truncates, follower_uses_fetch
from impl.broker.isr import leader_learns_of_change, leader_proposes_expansion, leader_proposes_shrink
from impl.broker.leader import leader_appends
from impl.broker.metadata import broker_obeys_leader_and_isr
from impl.cluster import State
from impl.constants import Propagation, TruncationRule
from impl.controller.alter_partition import controller_alters_partition
from impl.controller.brokers import broker_starts, controller_fences_broker
from impl.rules import ClusterRules
from model.environment import leadership_is_moved, process_crashes, start_in_sync
from spec.cluster import acknowledged_records_survive, log_matching, one_leader_in_epoch

MODEL = Model(
    name="cluster_zookeeper",
    state=State,
    initial=start_in_sync,
    bounds={
        "replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 2, "max_metadata_offset": 4,
        "max_broker_epoch": 1, "max_controller_epoch": 0, "max_log_start": 0,
        "crashes": 1, "power_losses": 0, "disk_losses": 0, "expirations": 0, "moves": 2, "losses": 0, "failovers": 0,
    },
    rules=ClusterRules(propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279),
    actions=[
        leader_appends, follower_sends_fetch, leader_answers_fetch, follower_uses_fetch,
        follower_asks_epoch_end, leader_answers_epoch_end, follower_truncates,
        leader_proposes_shrink, leader_proposes_expansion, controller_alters_partition, leader_learns_of_change,
        broker_obeys_leader_and_isr, controller_fences_broker, broker_starts, process_crashes, leadership_is_moved,
    ],
    always=[acknowledged_records_survive, log_matching, one_leader_in_epoch],
)
