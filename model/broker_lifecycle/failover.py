"""Does a controlled shutdown wait for the active brokers when another controller takes over meanwhile (KRaft)?

The offset that a controlled shutdown waits for is not in the metadata log. The new controller sees a broker that leads
nothing and asks to stop, and lets it stop at once. So the broker can be gone before its replacement learns that it
leads. Until then clients have no leader to write to; nothing is lost.

Bounds: as broker_lifecycle, with one change of the controller, and without restarts.
Expected: VIOLATED shutdowns_await_active_brokers
    With `new_controller_resumes_shutdowns`, a rule that no version of Kafka has, everything holds:
    broker_lifecycle.resumes.
"""

from kafkacheck.model.broker_lifecycle import environment, family
from kafkacheck.spec.broker_lifecycle import properties

MODEL = family.BROKER_LIFECYCLE.model(
    bounds={"failovers": 1},
    actions=[*family.ACTIONS, environment.controller_fails_over],
    always=[*family.SAFETY, properties.new_controllers_know_no_offsets],
    sometimes=[*family.EXAMPLES, properties.another_controller],
)
