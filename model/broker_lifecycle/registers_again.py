"""Does a controlled shutdown wait for the active brokers if the broker registers again meanwhile (KRaft)?

This is finding F24 of `tests/kafka/findings`. A live broker sends its registration again when an upgrade needs more of
it, such as its log directories. The record keeps the broker's epoch and state. But the controller's memory of its
heartbeats begins anew, and so it takes a broker in controlled shutdown for one that leads nothing and asks to stop, and
lets it stop at once: as after a change of the controller (`broker_lifecycle.failover`).

Bounds: as broker_lifecycle, with one broker that registers again, and without restarts.
Expected: VIOLATED shutdowns_await_active_brokers
    With `amended_registration_keeps_heartbeats`, a rule that no version of Kafka has, everything holds:
    broker_lifecycle.amended.
"""

from kafkacheck.model.broker_lifecycle import environment, family

MODEL = family.BROKER_LIFECYCLE.model(
    bounds={"amendments": 1}, actions=[*family.ACTIONS, environment.live_broker_registers_again]
)
