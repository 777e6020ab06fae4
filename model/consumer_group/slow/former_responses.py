"""Does one consumer at most own each partition if a slow one joins anew before its former heartbeat is answered?

The poll interval ends while a heartbeat is under way. The consumer leaves at once, and its application polls before the
response to that heartbeat has come. A consumer of Kafka takes the response although it has left meanwhile: it stops to
join, and applies an assignment that the coordinator has given to others. If the heartbeat with which it joins anew was
sent already, its response gives the consumer a valid epoch, with partitions that another member owns. It is finding
F22, which runs on Kafka's own classes (tests/kafka/findings).

Bounds: as consumer_group.slow.polls.
Expected: VIOLATED owners_are_known
    With `former_responses_are_ignored`, a rule that no release has, everything holds: consumer_group.slow.polls.
"""

from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import family
from kafkacheck.model.consumer_group.slow.polls import ACTIONS, BOUNDS

MODEL = family.CONSUMER_GROUP.model(
    bounds=BOUNDS,
    rules=ConsumerGroupRules(target_counts_as_owned=True),
    actions=ACTIONS,
    always=family.SLOW_SAFETY,
    leads_to=family.CONVERGES,
    weakly_fair=[*family.FAIR, *family.FAIR_SLOW_POLLS],
)
