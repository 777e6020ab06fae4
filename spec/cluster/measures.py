"""Measures of the cluster: numbers by which a table counts its states.

Part of Kafka judged: the partition as its controller and its brokers see it (`model/cluster/system.py`).
Source: UnderReplicatedPartitions, OfflinePartitionsCount and the sizes of ISR that operators of Kafka watch; the
    functions are this project's.
Left out, and why that is sound: numbers that no operator could read off a broker or controller. Measures judge nothing.
"""

from kafkacheck.model.cluster.system import State


def isr_size(state: State) -> int:
    """How many replicas are in the ISR after the controller's newest change."""
    return len(state.controller.history[state.controller.offset].isr)


def live_leaders(state: State) -> int:
    """How many running brokers believe that they lead."""
    return sum(1 for broker_id, broker in enumerate(state.brokers) if broker.is_running and broker.leader == broker_id)
