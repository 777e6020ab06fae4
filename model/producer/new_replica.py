"""Does a replica that begins anew get its leader's whole log if the log's oldest batches are gone?

Bounds: two replicas and three batches, the first acknowledged; the log's start moves once, and one replica begins anew
    once. Fetching is weakly fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer.drawing import REPLICAS
from kafkacheck.model.producer.environment import records_are_deleted, replica_begins_anew
from kafkacheck.model.producer.family import PRODUCER, SAFETY
from kafkacheck.model.producer.system import (
    follower_fetches,
    leader_handles_produce,
    producer_sends,
    producer_takes_answer,
)
from kafkacheck.spec.producer.properties import acknowledged_batch
from kafkacheck.spec.producer.steps import follower_behind, followers_have_all

MODEL = PRODUCER.model(
    bounds={"replicas": 2, "max_log_start": 2, "deletions": 1, "replacements": 1},
    actions=[
        producer_sends,
        producer_takes_answer,
        leader_handles_produce,
        follower_fetches,
        records_are_deleted,
        replica_begins_anew,
    ],
    always=SAFETY,
    sometimes=[acknowledged_batch],
    leads_to=[(follower_behind, followers_have_all)],
    weakly_fair=[each(follower_fetches, "replica_id")],
    drawing=REPLICAS,
)
