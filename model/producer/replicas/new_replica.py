"""Does a replica that begins anew get its leader's whole log if the log's oldest batches are gone?

Bounds: two replicas and three batches, the first acknowledged; the log's start moves once, and one replica begins anew
    once. Fetching is weakly fair.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.producer import environment, system
from kafkacheck.model.producer.drawing import REPLICAS
from kafkacheck.model.producer.family import PRODUCER, SAFETY
from kafkacheck.spec.producer import properties, steps

MODEL = PRODUCER.model(
    bounds={"replicas": 2, "max_log_start": 2, "deletions": 1, "replacements": 1},
    actions=[
        system.producer_sends,
        system.producer_takes_answer,
        system.leader_handles_produce,
        system.follower_fetches,
        environment.records_are_deleted,
        environment.replica_begins_anew,
    ],
    always=SAFETY,
    sometimes=[properties.acknowledged_batch],
    leads_to=[(steps.follower_behind, steps.followers_have_all)],
    weakly_fair=[each(system.follower_fetches, "replica_id")],
    drawing=REPLICAS,
)
