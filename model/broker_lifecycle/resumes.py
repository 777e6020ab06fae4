"""Do all guarantees of a broker's life hold after a takeover if the new controller resumes controlled shutdowns?

`broker_lifecycle.failover` shows the gap in Kafka, and stops when it finds it. This is the same system with a rule that
no version of Kafka has: a new controller lets no broker stop before the others have replayed the log up to its end at
the takeover. So this model judges everything else that a new controller does.

Bounds: as broker_lifecycle.failover.
Expected: HOLDS
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.broker_lifecycle import BrokerLives, LifecycleRules
from kafkacheck.model.broker_lifecycle.base import LIVENESS, STRONGLY_FAIR, WEAKLY_FAIR
from kafkacheck.model.broker_lifecycle.drawing import BROKER_LIVES
from kafkacheck.model.broker_lifecycle.failover import ACTIONS, BOUNDS, EXAMPLES, SAFETY
from kafkacheck.spec.broker_lifecycle.properties import resumed_shutdowns_await_the_log

MODEL = Model(
    state=BrokerLives,
    bounds=BOUNDS,
    rules=LifecycleRules(new_controller_resumes_shutdowns=True),
    actions=ACTIONS,
    always=[*SAFETY, resumed_shutdowns_await_the_log],
    sometimes=EXAMPLES,
    leads_to=LIVENESS,
    weakly_fair=WEAKLY_FAIR,
    strongly_fair=STRONGLY_FAIR,
    drawing=BROKER_LIVES,
)
