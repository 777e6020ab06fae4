"""Does a controlled shutdown wait for the active brokers when another controller takes over meanwhile (KRaft)?

The offset that it waits for is not in the metadata log. The new controller sees a broker that leads nothing and asks to
stop, and lets it stop at once. So the broker can be gone before its replacement learns that it leads. Until then
clients have no leader to write to; nothing is lost.

Bounds: as broker_lifecycle, with one change of the controller, and without restarts.
Expected: VIOLATED shutdowns_await_active_brokers
    With `new_controller_resumes_shutdowns`, a rule that no version of Kafka has, everything holds:
    broker_lifecycle.resumes.
"""

from kafkacheck.checker.model import Model
from kafkacheck.impl.controller.broker_lifecycle import BrokerLives, LifecycleRules, controller_fails_over
from kafkacheck.model.broker_lifecycle.base import ACTIONS as WITHOUT_FAILOVER
from kafkacheck.model.broker_lifecycle.base import LIVENESS, STRONGLY_FAIR, WEAKLY_FAIR
from kafkacheck.model.broker_lifecycle.base import SAFETY as OF_ONE_CONTROLLER
from kafkacheck.model.broker_lifecycle.drawing import BROKER_LIVES
from kafkacheck.spec.broker_lifecycle.properties import (
    another_controller,
    new_controllers_know_no_offsets,
    ready_behind_the_end,
    shutdown_with_another_leader,
)

BOUNDS = {"brokers": 2, "restarts": 0, "failovers": 1}

ACTIONS = (*WITHOUT_FAILOVER, controller_fails_over)

SAFETY = (*OF_ONE_CONTROLLER, new_controllers_know_no_offsets)

EXAMPLES = (ready_behind_the_end, shutdown_with_another_leader, another_controller)

MODEL = Model(
    state=BrokerLives,
    bounds=BOUNDS,
    rules=LifecycleRules(),
    actions=ACTIONS,
    always=SAFETY,
    sometimes=EXAMPLES,
    leads_to=LIVENESS,
    weakly_fair=WEAKLY_FAIR,
    strongly_fair=STRONGLY_FAIR,
    drawing=BROKER_LIVES,
)
