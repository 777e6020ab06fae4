"""Is every acknowledged record kept if the last known leader is not elected?

It is, because nobody leads any more: records that some disk may still have are not overwritten. No release with
eligible leader replicas does without this election.

Bounds: those of `cluster.last_known.power`, in which the newest release loses a record, with one leader epoch and one
    change fewer, because there is one election fewer.
Expected: HOLDS
"""

from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.family import CLUSTER
from kafkacheck.model.cluster.last_known.power import ACTIONS, ALWAYS, BOUNDS
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    rules=ClusterRules(
        eligible_leader_replicas=True,
        last_known_leader_is_elected=False,
        min_insync_replicas=2,
        known_change_keeps_proposal=True,
    ),
    bounds={**BOUNDS, "max_leader_epoch": 2, "max_metadata_offset": 5},
    actions=ACTIONS,
    always=ALWAYS,
    sometimes=[acknowledged_record],
)
