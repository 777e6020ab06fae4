"""Does a consumer switch to the new topic if the topic that it knows is deleted and created again?

Liveness: if the consumer has metadata of a deleted topic, and the new topic has a leader, the consumer eventually
switches to the new topic. Fair: brokers replay metadata, and the consumer gets their metadata.

Bounds: two replicas and no records; one deletion; one move before or after it. A move before it gives the deleted topic
    a higher leader epoch than the first one of the new topic.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.cluster.brokers import broker_replays_metadata
from kafkacheck.model.cluster.clients import consumer_learns_leader
from kafkacheck.model.cluster.controller import controller_creates_partition
from kafkacheck.model.cluster.environment import leadership_is_moved, topic_deletion_is_asked
from kafkacheck.model.cluster.family import BROKERS, CONSUMER, CONSUMER_CLUSTER, CONTROLLER, TOPICS
from kafkacheck.spec.cluster.elections import partition_changes_state_legally
from kafkacheck.spec.cluster.properties import one_leader_in_epoch
from kafkacheck.spec.cluster.topics import knows_newest_topic, knows_older_topic

MODEL = CONSUMER_CLUSTER.model(
    bounds={"max_metadata_offset": 3, "max_broker_epoch": 0, "moves": 1, "deletions": 1},
    actions=[
        broker_replays_metadata,
        leadership_is_moved,
        topic_deletion_is_asked,
        controller_creates_partition,
        consumer_learns_leader,
    ],
    always=[one_leader_in_epoch, partition_changes_state_legally, *TOPICS, *BROKERS, *CONTROLLER, *CONSUMER],
    sometimes=[knows_older_topic],
    leads_to=[(knows_older_topic, knows_newest_topic)],
    weakly_fair=[each(broker_replays_metadata), each(consumer_learns_leader)],
)
