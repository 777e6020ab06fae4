"""Does a follower ever stop truncating if its log is short already and its leader-epoch file is not cut?

Bounds: as cluster.convergence, with two moves and one lag: a leader that wrote nothing leaves an entry in the file.
Expected: VIOLATED disturbed_leads_to_converged: the follower fetches with an epoch that the leader does not have, is
    told to cut at an offset that it has not reached, and fetches the same again, for ever (KAFKA-10706).
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.convergence.healing import FAIR_REPLAY, FAIR_REPLICATION, ISR_GROWTH
from kafkacheck.model.cluster.environment import follower_lags, leadership_is_moved
from kafkacheck.model.cluster.family import CLUSTER, REPLICATION
from kafkacheck.spec.cluster.liveness import bounds_leave_room, converged, disturbed

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 3, "max_metadata_offset": 5, "max_broker_epoch": 0, "expirations": 1, "moves": 2},
    rules=ClusterRules(epoch_file_is_cut_at_end=False, known_change_keeps_proposal=True),
    actions=[*REPLICATION, *ISR_GROWTH, broker_replays_metadata, follower_lags, leadership_is_moved],
    always=[bounds_leave_room],
    leads_to=[(disturbed, converged)],
    weakly_fair=[*FAIR_REPLICATION, FAIR_REPLAY],
    sometimes=(),
)
