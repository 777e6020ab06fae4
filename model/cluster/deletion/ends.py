"""Does every topic deletion end, even if brokers crash and the controller is replaced meanwhile?

Liveness of the ZooKeeper era: a topic that is queued for deletion is eventually gone. The deletion waits until a broker
that is down has started; a new controller begins the deletion again; no leader is elected any more, although unclean
elections are enabled; and a topic that never had a leader is deleted like any other. Fair: brokers start and obey; the
controller hears of a failure, asks for the deletion and ends it.

Bounds: two replicas, one of them alone in the ISR, so that its crash leaves only an unclean election; one crash, one
    change of the controller; two deletions, the second of a topic that may be new. No records, because only the
    controller is at work. There are enough controller changes and leader epochs for all of it (`bounds_leave_room`).
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.impl.constants import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.brokers import broker_obeys_new_controller, broker_obeys_stop_replica
from kafkacheck.model.cluster.controller import (
    broker_starts,
    controller_creates_partition,
    controller_elects_first_leader,
    controller_elects_uncleanly,
    controller_ends_deletion,
    controller_fences_broker,
    controller_resumes_deletion,
    zombie_ends_deletion,
)
from kafkacheck.model.cluster.environment import (
    controller_is_replaced,
    process_crashes,
    start_alone,
    topic_deletion_is_asked,
)
from kafkacheck.model.cluster.family import BROKERS, CLUSTER, CONTROLLER, TOPICS, ZOOKEEPER
from kafkacheck.spec.cluster.elections import (
    deposed_controller_changes_nothing,
    leader_is_active,
    partition_changes_state_legally,
    recovering_leader,
)
from kafkacheck.spec.cluster.liveness import bounds_leave_room
from kafkacheck.spec.cluster.properties import one_leader_in_epoch, recovering_leader_is_alone
from kafkacheck.spec.cluster.topics import (
    deleted_replica_is_told_again,
    deleted_topics_stay_deleted,
    deletion_changes_hands,
    deletion_is_over,
    deletion_is_queued,
    deletion_waits,
    new_controller_is_known,
    topics_are_recorded_anew,
    unled_topic_is_deleted,
    zombie_awaited_replicas,
)

MODEL = CLUSTER.model(
    initial=start_alone,
    bounds={
        "max_leader_epoch": 5,
        "max_metadata_offset": 13,
        "max_controller_epoch": 1,
        "crashes": 1,
        "failovers": 1,
        "deletions": 2,
    },
    rules=ClusterRules(
        propagation=Propagation.LEADER_AND_ISR, truncation=TruncationRule.KIP_279, unclean_election=True
    ),
    actions=[
        *ZOOKEEPER,
        broker_obeys_new_controller,
        broker_obeys_stop_replica,
        controller_elects_uncleanly,
        controller_creates_partition,
        controller_elects_first_leader,
        controller_resumes_deletion,
        controller_ends_deletion,
        zombie_ends_deletion,
        topic_deletion_is_asked,
        controller_is_replaced,
        process_crashes,
    ],
    always=[
        bounds_leave_room,
        deleted_topics_stay_deleted,
        zombie_awaited_replicas,
        topics_are_recorded_anew,
        deposed_controller_changes_nothing,
        one_leader_in_epoch,
        leader_is_active,
        recovering_leader_is_alone,
        partition_changes_state_legally,
        *TOPICS,
        *BROKERS,
        *CONTROLLER,
    ],
    sometimes=[
        recovering_leader,
        deletion_waits,
        deletion_changes_hands,
        deleted_replica_is_told_again,
        new_controller_is_known,
        unled_topic_is_deleted,
    ],
    leads_to=[(deletion_is_queued, deletion_is_over)],
    weakly_fair=[
        each(broker_obeys_stop_replica, "broker_id"),
        each(broker_starts),
        each(controller_fences_broker, "broker_id"),
        controller_resumes_deletion,
        controller_ends_deletion,
    ],
)
