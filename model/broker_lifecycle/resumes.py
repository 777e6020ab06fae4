"""Does everything hold of a broker's life when another controller takes over, if it resumes controlled shutdowns?

`broker_lifecycle.failover` shows what Kafka lacks there, and stops where that is found. This is the same system with a
rule that no version of Kafka has: a new controller lets nobody go before the others have replayed what the log has when
it takes over. So it is here that everything else is judged which a new controller does.

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
