"""Do all guarantees of a broker's life hold if a live broker registers again, and the controller keeps what it knows?

`broker_lifecycle.registers_again` shows the gap in Kafka, and stops when it finds it. This is the same system with a
rule that no version of Kafka has: the controller keeps what the broker's heartbeats have told it.

Bounds: as broker_lifecycle.registers_again.
Expected: HOLDS
"""

from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules
from kafkacheck.model.broker_lifecycle import environment, family

MODEL = family.BROKER_LIFECYCLE.model(
    bounds={"amendments": 1},
    rules=LifecycleRules(amended_registration_keeps_heartbeats=True),
    actions=[*family.ACTIONS, environment.live_broker_registers_again],
)
