"""Does a broker rebuild its producer state after a crash, and recognise a producer's retries by it?

Bounds: one replica, which flushes a batch before it acknowledges it; three batches, the first acknowledged, two in
    flight, and two snapshots; one power loss, one crash, one broken connection.
Expected: HOLDS
"""

from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.model.producer.environment import broker_crashes, connection_breaks, power_fails, start_with_snapshot
from kafkacheck.model.producer.family import FILES, PRODUCER, RETRIES, SAFETY
from kafkacheck.model.producer.system import broker_flushes_log, broker_rolls_segment
from kafkacheck.spec.producer.properties import producer_state_matches_log

MODEL = PRODUCER.model(
    initial=start_with_snapshot,
    bounds={"snapshots": 2, "disconnections": 1, "power_losses": 1, "crashes": 1},
    rules=ProducerRules(log=LogRules(answers_await_flush=True)),
    actions=[*RETRIES, broker_rolls_segment, broker_flushes_log, connection_breaks, power_fails, broker_crashes],
    always=[*SAFETY, *FILES, producer_state_matches_log],
)
