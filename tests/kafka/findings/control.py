"""Kafka's controller for the findings: `ReplicationControlManager` with its managers, and one partition."""

import os
import sys
import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jvm
from replication_control import SESSION_MS, TOPIC, ReplicationControl


def controller(replicas: list[int], leader: int, brokers: int | None = None, **rules: Any) -> ReplicationControl:
    """Kafka's controller with one partition of which all replicas are in sync; the first replica is preferred.

    `brokers`: how many brokers there are, if some have no replica.
    """
    defaults = {"propagation": "METADATA_LOG", "eligible_leader_replicas": False, "unclean_election": False}
    model = SimpleNamespace(
        rules={**defaults, "min_insync_replicas": 2, **rules},
        bounds={"replicas": brokers or len(replicas)},
        actions={},
        fields=(),
    )
    control = ReplicationControl(model)
    first = {"replicas": replicas, "isr": sorted(replicas), "leader": leader, "leader_epoch": 0}
    control.start({f"controller.history[0].{field}": value for field, value in first.items()})
    control.known = {}
    return control


def alter(control: ReplicationControl, leader: int, isr: list[int]) -> Any:
    """Send the controller the ISR change of a leader that has replayed everything; the answer for the partition.

    RuntimeError if the whole request is refused.
    """
    partition = control.door.partition(control.topic_id)
    epochs = {broker: int(control.door.broker(broker).epoch()) for broker in (leader, *isr)}
    members = [
        jvm.message("AlterPartitionRequestData$BrokerState", setBrokerId=each, setBrokerEpoch=epochs[each])
        for each in isr
    ]
    change = jvm.message(
        "AlterPartitionRequestData$PartitionData",
        setPartitionIndex=0,
        setLeaderEpoch=partition.leaderEpoch,
        setNewIsrWithEpochs=jvm.listed(members),
        setPartitionEpoch=partition.partitionEpoch,
        setLeaderRecoveryState=partition.leaderRecoveryState.value(),
    )
    topic = jvm.message("AlterPartitionRequestData$TopicData", setTopicId=control.topic_id)
    topic.partitions().add(change)
    request = jvm.message("AlterPartitionRequestData", setBrokerId=leader, setBrokerEpoch=epochs[leader])
    request.topics().add(topic)
    error, answer = jvm.result_of(lambda: control.door.alterPartition(request))
    if error != "NONE":
        raise RuntimeError(f"the controller refuses the change of the ISR to {isr}: {error}")
    return answer.topics().get(0).partitions().get(0)


def leader_and_isr(control: ReplicationControl) -> Any:
    """The partition as the controller answers it to a leader."""
    partition = control.door.partition(control.topic_id)
    told = jvm.java("org.apache.kafka.metadata.LeaderAndIsr")
    isr, recovery = jvm.int_list(partition.isr), partition.leaderRecoveryState
    return told(int(partition.leader), partition.leaderEpoch, isr, recovery, partition.partitionEpoch)


def reassign(control: ReplicationControl, replicas: list[int] | None) -> str:
    """Ask the controller to move the partition to these brokers, or with None to cancel; the name of the error."""
    partition = jvm.message(
        "AlterPartitionReassignmentsRequestData$ReassignablePartition",
        setPartitionIndex=0,
        setReplicas=None if replicas is None else jvm.int_list(replicas),
    )
    topic = jvm.message("AlterPartitionReassignmentsRequestData$ReassignableTopic", setName=TOPIC)
    topic.partitions().add(partition)
    request = jvm.message("AlterPartitionReassignmentsRequestData")
    request.topics().add(topic)
    answer = control.door.reassign(request)
    return jvm.error_name(answer.responses().get(0).partitions().get(0).errorCode())


def replace(control: ReplicationControl) -> None:
    """Let another controller take over, which has replayed the log of the former one."""
    former = control.door
    former.deactivate()
    snapshots = jvm.java("org.apache.kafka.timeline.SnapshotRegistry")(jvm.moved("LogContext")())
    control.door = jvm.java("org.apache.kafka.controller.ControllerDoor")(control.schema, snapshots, SESSION_MS)
    for record in former.written():
        control.door.write(record)
    control.door.activate()


def shown(control: ReplicationControl) -> str:
    """The partition as the controller has it, for a line of output."""
    partition = control.door.partition(control.topic_id)
    lists = {
        "replicas": partition.replicas,
        "ISR": partition.isr,
        "ELR": partition.elr,
        "removing": partition.removingReplicas,
        "adding": partition.addingReplicas,
    }
    text = " ".join(f"{name}={[int(each) for each in value]}" for name, value in lists.items() if value)
    return f"leader={int(partition.leader)} {text}"


def run(main: Callable[[], None]) -> None:
    """Run a finding, then end the process with all threads that Kafka has started; status 1 after an error."""
    status = 0
    try:
        jvm.started()
        main()
    except Exception:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)
