"""Does a reassignment end if it takes back another one, which adds a broker?

This is finding F6 of `tests/kafka/findings`, by the rules of the newest release. The new request adds no broker, so the
controller goes on adding the broker of the former request, and removes this broker as well. Since Kafka 4.3 a
reassignment ends only if the brokers to add are in sync without those to remove (KAFKA-19975).

Liveness: what brokers and the controller do is fair; operators may ask for nothing more.

Bounds: two brokers; one has the partition, which is empty, and the other one is added; two moves.
Expected: VIOLATED reassignment_is_under_way_leads_to_reassignment_has_ended
"""

from kafkacheck.model.cluster.convergence.healing import FAIR_REPLAY, FAIR_REPLICATION
from kafkacheck.model.cluster.environment import start_with_spare
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.replaced.base import ACTIONS, STEPS
from kafkacheck.spec.cluster import liveness

BOUNDS = {"max_leader_epoch": 3, "max_metadata_offset": 6, "max_broker_epoch": 0, "moves": 2}
LEADS_TO = ((liveness.reassignment_is_under_way, liveness.reassignment_has_ended),)
FAIR = (*FAIR_REPLICATION, FAIR_REPLAY)

MODEL = CLUSTER.model(
    initial=start_with_spare,
    bounds=BOUNDS,
    actions=ACTIONS,
    always=[liveness.bounds_leave_room, *STEPS],
    sometimes=(),
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
