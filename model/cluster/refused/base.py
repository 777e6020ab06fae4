"""Can a partition that has lost its only replica be given to a broker that had one before?

This is finding F8 of `tests/kafka/findings`, by the rules of the newest release. The broker lost its replica by a
reassignment to fewer replicas than min.insync.replicas, and became an eligible leader replica by that (finding F5). So
the controller asks for the directory of this broker's replica, and fails, because the broker has none.

Liveness: it is fair that the controller finds stopped brokers, and that the operator asks again.

Bounds: two brokers with eligible leader replicas; one stops for ever. Two moves: one takes the partition from a broker,
    and one gives it back.
Expected: VIOLATED partition_is_offline_leads_to_active_brokers_have_replicas
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.controller import controller_fences_broker
from kafkacheck.model.cluster.environment import process_crashes, reassignment_is_asked
from kafkacheck.model.cluster.family import ELIGIBLE_CLUSTER, REPLICATION
from kafkacheck.spec.cluster import liveness, properties

BOUNDS = {"max_leader_epoch": 4, "max_metadata_offset": 5, "max_broker_epoch": 0, "crashes": 1, "moves": 2}
ACTIONS = (*REPLICATION, broker_replays_metadata, controller_fences_broker, process_crashes, reassignment_is_asked)
ALWAYS = (liveness.bounds_leave_room, properties.one_leader_in_epoch)
LEADS_TO = ((liveness.partition_is_offline, liveness.active_brokers_have_replicas),)
FAIR = (each(controller_fences_broker, "broker_id"), reassignment_is_asked)

MODEL = ELIGIBLE_CLUSTER.model(
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[properties.acknowledged_record],
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
