"""Do consumers that subscribe by a pattern own each topic that matches, also one that is created later?

Bounds: two consumers with one pattern, two topics, one of which is created at any time; one executor that fails, and
one consumer that leaves.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.subscriptions import environment, family, system

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"creations": 1, "failures": 1, "leaves": 1, "patterns": 1},
    actions=[
        *family.ACTIONS,
        system.consumer_releases_partitions,
        environment.topic_is_created,
        environment.executor_fails,
        environment.consumer_leaves,
    ],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, each(system.consumer_releases_partitions)],
)
