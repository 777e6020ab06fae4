"""Is everything safe if a broker starts again before the controller has fenced its former process (KRaft)?

The controller accepts the registration as soon as the session of the former process has ended. It looks for such
sessions only now and then, so that the broker may still be active on record, lead, and be in the ISR.

Bounds: as cluster.kraft, without sessions that end while the broker runs. A crash has both ways out: the broker is
    fenced first, or it starts first.
Expected: HOLDS
"""

from kafkacheck.model.cluster.brokers import broker_starts_unfenced
from kafkacheck.model.cluster.environment import process_crashes
from kafkacheck.model.cluster.family import CLUSTER, KRAFT_ERA, SAFETY
from kafkacheck.spec.cluster.isr import committed_without_all
from kafkacheck.spec.cluster.properties import acknowledged_record

MODEL = CLUSTER.model(
    bounds={"max_leader_epoch": 2, "max_metadata_offset": 5, "crashes": 1},
    actions=[*KRAFT_ERA, broker_starts_unfenced, process_crashes],
    always=SAFETY,
    sometimes=[acknowledged_record, committed_without_all],
)
