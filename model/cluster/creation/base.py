"""Does a partition make only legal state changes, from before its creation until it has no leader?

In the ZooKeeper era the controller first writes the assignment, and the partition is new; then the controller elects
the first leader, and the partition is online. Brokers crash, and the controller is replaced, in between. A new
partition that no broker can lead stays new; a partition that had a leader goes offline.

Bounds: two replicas and one record; two crashes, so that both brokers can be down; one change of the controller; the
    new controller finds the partition in its recorded state.
Expected: HOLDS
"""

from kafkacheck.model.cluster import controller, environment, family
from kafkacheck.spec.cluster import elections

MODEL = family.ZOOKEEPER_CLUSTER.model(
    initial=environment.start_without_partition,
    bounds={"max_metadata_offset": 5, "max_broker_epoch": 2, "max_controller_epoch": 1, "crashes": 2, "failovers": 1},
    actions=[
        *family.ZOOKEEPER_ERA,
        controller.controller_creates_partition,
        controller.controller_elects_first_leader,
        environment.controller_is_replaced,
        environment.process_crashes,
    ],
    always=family.SAFETY,
    sometimes=[*family.EXAMPLES, elections.new_partition, elections.offline_partition],
)
