"""Do consumers with a pattern give up a topic that is deleted, and get one that is created, whatever comes first?

Bounds: two consumers with one pattern; two topics, one of which is deleted and the other one created.
Expected: HOLDS
"""

from kafkacheck.model.subscriptions import environment, family

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"creations": 1, "deletions": 1, "patterns": 1},
    actions=[*family.ACTIONS, environment.topic_is_created, environment.topic_is_deleted],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
