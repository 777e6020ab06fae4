"""Does one consumer at most own each partition if heartbeats are lost and live members are fenced?

A heartbeat names the partitions that the consumer owns when it is sent. If an assignment is applied while the heartbeat
is under way, the coordinator does not know of it: it takes a partition for revoked that the consumer owns by now. It is
finding F14, which runs on Kafka's own classes (tests/kafka/findings).

Bounds: two lost heartbeats and one fenced member.
Expected: VIOLATED owners_are_known
    With `target_counts_as_owned`, a rule that no release has, everything holds: consumer_group.target_is_owned.
"""

from kafkacheck.model.consumer_group import environment, family

BOUNDS = {"losses": 2, "expirations": 1}
ACTIONS = [*family.ACTIONS, environment.heartbeat_is_lost, environment.live_member_is_fenced]

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    actions=ACTIONS,
    always=family.SAFETY,
    lemmas=family.COORDINATOR_LEMMAS,
    leads_to=family.CONVERGES,
    weakly_fair=family.FAIR,
)
