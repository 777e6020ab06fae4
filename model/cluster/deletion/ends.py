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
from kafkacheck.impl.enums import Propagation, TruncationRule
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster import brokers, controller, environment, family
from kafkacheck.spec.cluster import elections, liveness, properties, topics

MODEL = family.CLUSTER.model(
    initial=environment.start_alone,
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
        *family.ZOOKEEPER,
        brokers.broker_obeys_new_controller,
        brokers.broker_obeys_stop_replica,
        controller.controller_elects_uncleanly,
        controller.controller_creates_partition,
        controller.controller_elects_first_leader,
        controller.controller_resumes_deletion,
        controller.controller_ends_deletion,
        controller.zombie_ends_deletion,
        environment.topic_deletion_is_asked,
        environment.controller_is_replaced,
        environment.process_crashes,
    ],
    always=[
        liveness.bounds_leave_room,
        topics.deleted_topics_stay_deleted,
        topics.zombie_awaited_replicas,
        topics.topics_are_recorded_anew,
        elections.deposed_controller_changes_nothing,
        properties.one_leader_in_epoch,
        elections.leader_is_active,
        properties.recovering_leader_is_alone,
        elections.partition_changes_state_legally,
        *family.TOPICS,
        *family.BROKERS,
        *family.CONTROLLER,
    ],
    sometimes=[
        elections.recovering_leader,
        topics.deletion_waits,
        topics.deletion_changes_hands,
        topics.deleted_replica_is_told_again,
        topics.new_controller_is_known,
        topics.unled_topic_is_deleted,
    ],
    leads_to=[(topics.deletion_is_queued, topics.deletion_is_over)],
    weakly_fair=[
        each(brokers.broker_obeys_stop_replica, "broker_id"),
        each(brokers.broker_starts),
        each(controller.controller_fences_broker, "broker_id"),
        controller.controller_resumes_deletion,
        controller.controller_ends_deletion,
    ],
)
