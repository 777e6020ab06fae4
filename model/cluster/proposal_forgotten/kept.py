"""Is it enough that a leader keeps its proposed ISR while it replays a change that it knows already?

This is the mended rule of finding F10 of `tests/kafka/findings`. No release has it. The other models in which leaders
propose changes have it, too, so that this finding hides no other bug.

Bounds: those of `cluster.proposal_forgotten`, in which the newest release loses a record.
Expected: HOLDS
"""

from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.proposal_forgotten.base import ACTIONS, ALWAYS, BOUNDS
from kafkacheck.spec.cluster import properties

MODEL = CLUSTER.model(bounds=BOUNDS, actions=ACTIONS, always=[*ALWAYS, properties.isr_is_covered])
