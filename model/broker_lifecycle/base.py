"""Does a broker join the cluster, and leave it in order, however busy the metadata log is (KRaft)?

Records may be appended for ever: an idle controller writes one twice a second (`NoOpRecord`). So a rule that waits
until a broker has replayed the whole log may wait for ever.

Liveness: the actions that a live broker, the controller and the network take in the end are fair, separately for each
broker. Heartbeats and answers may be lost again and again, but not always, which is strong fairness; every other fair
action stays enabled until it is taken. Crashes, shutdowns, other records and the fencing of live brokers are not fair.

Bounds: two brokers: one that starts or stops, and one that leads meanwhile. One of them may register a second time
    while a heartbeat of its first process is under way. The log has no bound.
Expected: HOLDS
"""

from kafkacheck.model.broker_lifecycle.family import BROKER_LIFECYCLE, EXAMPLES
from kafkacheck.spec.broker_lifecycle.properties import late_heartbeat

MODEL = BROKER_LIFECYCLE.model(bounds={"restarts": 1}, sometimes=[*EXAMPLES, late_heartbeat])
