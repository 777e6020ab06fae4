"""Has a consumer of the classic protocol only what it subscribes to, if it takes the place of one with a pattern?

Bounds: a static consumer and another one, both with one pattern. The first one leaves for a while, and a consumer of
the classic protocol with its instance id takes its place, with a list of topics.
Expected: HOLDS
"""

from kafkacheck.checker.model import each
from kafkacheck.model.subscriptions import environment, family, system

MODEL = family.SUBSCRIPTIONS_FAMILY.model(
    bounds={"members": 3, "classic_consumers": 1, "leaves": 1, "restarts": 1, "patterns": 1},
    initial=environment.start_with_a_static_consumer,
    actions=[
        *family.ACTIONS,
        *family.DEPARTURES,
        environment.static_consumer_leaves,
        environment.classic_consumer_succeeds,
        system.classic_consumer_joins_again,
    ],
    always=family.SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_DEPARTURES, each(system.classic_consumer_joins_again)],
)
