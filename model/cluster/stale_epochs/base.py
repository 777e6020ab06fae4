"""Does a broker know its records' epochs if it appends before a truncated leader-epoch file is on the disk?

It does not, by the rules of every release since Kafka 3.8, in which KAFKA-16541 lets the file be written in the
background: a power loss brings back a truncated epoch, and records of an older epoch have taken its place.

Bounds: two replicas and two records; a move to the broker that begins the epoch and truncates it, and one back; one
    power loss. The other broker does not fail, and sends no fetch.
Expected: VIOLATED epoch_file_matches_log
"""

from kafkacheck.impl.enums import Stage
from kafkacheck.model.cluster.brokers import broker_flushes, broker_replays_metadata, broker_writes_epoch_file
from kafkacheck.model.cluster.environment import leadership_is_moved, power_fails
from kafkacheck.model.cluster.family import CLUSTER, FAILURES, REPLICATION
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster import files, properties

BOUNDS = {"epoch_files": 1, "log_size": 2, "max_records": 2, "max_leader_epoch": 3, "power_losses": 1, "moves": 2}
ACTIONS = (
    *REPLICATION,
    broker_replays_metadata,
    *FAILURES,
    broker_flushes,
    broker_writes_epoch_file,
    leadership_is_moved,
    power_fails,
)
ALWAYS = (
    files.epoch_file_matches_log,
    files.late_writes_are_due,
    properties.logs_match_by_epoch,
    properties.one_leader_in_epoch,
)
EXAMPLES = (properties.acknowledged_record, files.unflushed_survivor)


def first_broker_leads_twice(state: State) -> bool:
    """Whether the first broker has led only the first and the third epoch, and has neither failed nor sent a fetch."""
    for metadata in state.controller.history:
        if metadata.leader == 0 and metadata.leader_epoch == 1:
            return False
        if metadata.leader == 1 and metadata.leader_epoch == 2:
            return False
    return state.brokers[0].is_running and state.fetches[0].stage == Stage.IDLE


MODEL = CLUSTER.model(
    bounds=BOUNDS, actions=ACTIONS, always=ALWAYS, sometimes=EXAMPLES, constraint=first_broker_leads_twice
)
