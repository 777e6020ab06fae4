"""Does each reassignment end if it keeps nothing of another one that it replaces?

This is the mended rule of finding F6 of `tests/kafka/findings`, and of F7 (`cluster.replaced.forgotten`). No release
has it.

Bounds: those of `cluster.replaced.taken_back`, in which a reassignment of the newest release never ends.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.environment import start_with_spare
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.replaced.base import ACTIONS, STEPS
from kafkacheck.model.cluster.replaced.taken_back import BOUNDS, FAIR, LEADS_TO
from kafkacheck.spec.cluster import liveness

MODEL = CLUSTER.model(
    initial=start_with_spare,
    rules=ClusterRules(replaced_reassignment_is_forgotten=True, known_change_keeps_proposal=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=[liveness.bounds_leave_room, *STEPS],
    sometimes=(),
    leads_to=LEADS_TO,
    weakly_fair=FAIR,
)
