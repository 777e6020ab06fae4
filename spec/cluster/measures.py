"""What the states of the cluster are counted by: numbers of a state that are worth a table.

Part of Kafka judged: the partition as its controller and its brokers see it (`impl/cluster.py`).
Source: UnderReplicatedPartitions, OfflinePartitionsCount and the sizes of ISR that operators of Kafka watch; the
    functions are this project's.
Left out, and why that is sound: what no operator could read off a broker or controller. Nothing is judged by these.
"""

from kafkacheck.checker.schema import cardinality
from kafkacheck.impl.cluster import State


def isr_size(state: State) -> int:
    """How many replicas are in sync, by the controller's newest change."""
    return cardinality(state.controller.history[state.controller.offset].isr)


def live_leaders(state: State) -> int:
    """How many running brokers believe that they lead."""
    return sum(1 for broker_id, broker in enumerate(state.brokers) if broker.is_running and broker.leader == broker_id)
