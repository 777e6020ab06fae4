"""What does an unclean election give up?

Bounds: two replicas; one of them is alone in the ISR and crashes; one record that it had committed, and one that takes
    its place.
Expected: VIOLATED acknowledged_records_survive: this is what `unclean.leader.election.enable` allows. The other
    properties hold: the logs stay comparable, and the ISR does not grow before the leader has recovered.
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import controller, environment
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA, LOGS_AGREE
from kafkacheck.spec.cluster import properties

MODEL = CLUSTER.model(
    initial=environment.start_alone,
    bounds={"max_records": 2, "max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1},
    rules=ClusterRules(unclean_election=True),
    actions=[*KRAFT_ERA, environment.process_crashes, controller.controller_elects_uncleanly],
    always=[properties.acknowledged_records_survive, properties.recovering_leader_is_alone, *LOGS_AGREE],
    sometimes=[properties.acknowledged_record],
)
