"""Is it enough that a leader looks at its high watermark whenever its ISR changes, also back?

This is the mended rule of `cluster.minority`, finding F23 of `tests/kafka/findings`. No release has it. Without the
part of it that Kafka has since KAFKA-13091, a write waits for ever if the controller confirms that a dead broker has
left the ISR.

Bounds: those of `cluster.minority`.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import CONSUMER_CLUSTER
from kafkacheck.model.cluster.minority.base import ACTIONS, ALWAYS, BOUNDS, EXAMPLES, FAIR, LEADS_TO

MODEL = CONSUMER_CLUSTER.model(
    bounds=BOUNDS,
    rules=ClusterRules(known_change_keeps_proposal=True, refused_change_raises_high_watermark=True),
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=EXAMPLES,
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
