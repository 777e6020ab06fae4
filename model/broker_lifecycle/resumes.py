"""Do all guarantees of a broker's life hold after a takeover if the new controller resumes controlled shutdowns?

`broker_lifecycle.failover` shows the gap in Kafka, and stops when it finds it. This is the same system with a rule that
no version of Kafka has: a new controller lets no broker stop before the others have replayed the log up to its end at
the takeover. So this model judges everything else that a new controller does.

Bounds: as broker_lifecycle.failover.
Expected: HOLDS
"""

from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules
from kafkacheck.model.broker_lifecycle import environment, family
from kafkacheck.spec.broker_lifecycle import properties

MODEL = family.BROKER_LIFECYCLE.model(
    bounds={"failovers": 1},
    rules=LifecycleRules(new_controller_resumes_shutdowns=True),
    actions=[*family.ACTIONS, environment.controller_fails_over],
    always=[*family.SAFETY, properties.new_controllers_know_no_offsets, properties.resumed_shutdowns_await_the_log],
    sometimes=[*family.EXAMPLES, properties.another_controller],
)
