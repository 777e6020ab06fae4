"""Measures of a partition's state: numbers that are worth a table.

Part of Kafka judged: the replication of one partition (`impl/replication`).
Source: UnderReplicatedPartitions and the sizes of ISR that operators of Kafka watch; the functions are this project's.
Left out, and why that is sound: numbers that no broker or controller shows to operators. Nothing is judged by these.
"""

from kafkacheck.model.replication.system import State


def isr_size(state: State) -> int:
    """How many replicas are in the controller's ISR."""
    return len(state.quorum.isr)


def live_leaders(state: State) -> int:
    """How many replicas believe that they lead."""
    return sum(1 for replica_id in range(len(state.replicas)) if state.replicas[replica_id].leader == replica_id)
