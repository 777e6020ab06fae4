"""Is it enough that a broker appends no record before its truncated leader-epoch file is on the disk?

This is the mended rule of `cluster.stale_epochs`. No release has it.

Bounds: those of `cluster.stale_epochs`, in which the newest release gives a record the wrong epoch.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.stale_epochs.base import ACTIONS, ALWAYS, BOUNDS, EXAMPLES, first_broker_leads_twice

MODEL = CLUSTER.model(
    rules=ClusterRules(append_awaits_epoch_file=True),
    bounds=BOUNDS,
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=EXAMPLES,
    constraint=first_broker_leads_twice,
)
