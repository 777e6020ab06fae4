"""A broker's life in its own process: it registers, catches up with the metadata log, runs, and stops (KRaft).

Part of Kafka modelled: `BrokerLifecycleManager`; the controller's side is `impl/controller/broker_lifecycle.py`.
Source: apache/kafka (commit 1eb7644349); KIP-631.
Left out, and why that is sound: the recovery of a broker's log, which ends at once, later or never; two heartbeats of
one process in flight, because Kafka sends one at a time; the content of the metadata.

An offset of the metadata log is its distance from the log's end (`impl/controller/registrations.py`).
"""

from typing import Annotated

from kafkacheck.checker.schema import Epoch, Id, Struct, clear
from kafkacheck.impl.enums import BrokerState, Stage
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET

BrokerId = Annotated[int, Id("brokers")]
OptionalBrokerId = Annotated[int, Id("brokers", none=NO_LEADER)]
RegistrationEpoch = Annotated[int, Epoch("restarts + amendments + 1")]
DistanceFromEnd = Annotated[int, Epoch("brokers + 1", none=NO_OFFSET)]


class BrokerHeartbeat(Struct):
    """A heartbeat of a broker, and its answer.

    stage: how far it is.
    broker_epoch: in a request, the epoch of the process that sent it.
    current_metadata_offset: in a request, the offset up to which that process had replayed the metadata log.
    want_fence: in a request, whether the broker wants to stay fenced.
    want_shut_down: in a request, whether the broker wants to stop.
    is_caught_up: in an answer, whether the broker has replayed enough to be unfenced.
    is_fenced: in an answer, whether the broker is fenced.
    should_shut_down: in an answer, whether the broker may stop.
    """

    stage: Stage
    broker_epoch: RegistrationEpoch
    current_metadata_offset: DistanceFromEnd
    want_fence: bool
    want_shut_down: bool
    is_caught_up: bool
    is_fenced: bool
    should_shut_down: bool


class LivingBroker(Struct):
    """A broker's process, with its connection to the controller. Its broker epoch is in its registration.

    state: the process's own state.
    metadata_offset: the offset up to which it has replayed the metadata log; `NO_OFFSET` without a process.
    heartbeat: the heartbeat or answer under way, which can be from a process that has ended.
    """

    state: BrokerState
    metadata_offset: DistanceFromEnd
    heartbeat: BrokerHeartbeat


def end_process(broker: LivingBroker) -> None:
    """End a broker's process; a request that it has sent may still arrive."""
    broker.state = BrokerState.NOT_RUNNING
    broker.metadata_offset = NO_OFFSET
    if broker.heartbeat.stage == Stage.ANSWERED:
        clear(broker.heartbeat)


def start_process(broker: LivingBroker) -> None:
    """Start a process, which has replayed all of the metadata log but its own registration, the last record."""
    broker.state = BrokerState.STARTING
    broker.metadata_offset = 1


def replay_metadata_record(broker: LivingBroker) -> bool:
    """A broker replays the next record of the metadata log.

    Who: a broker that runs.
    When: it has not replayed the whole log.
    Effect: it has replayed one more record.
    Source: MetadataLoader, BrokerMetadataPublisher.
    Left out: several records at once, which are single ones with nothing in between.
    """
    if broker.metadata_offset <= 0:
        return False
    broker.metadata_offset -= 1
    return True


def send_heartbeat(broker: LivingBroker, broker_epoch: int) -> bool:
    """A broker sends a heartbeat with its metadata offset and the state that it wants.

    Who: a broker that runs.
    When: none of its heartbeats is in flight.
    Effect: a request is in flight.
    Source: BrokerLifecycleManager.sendBrokerHeartbeat.
    Left out: Kafka's broker does not wait for a heartbeat of its previous process, which the controller refuses
        whenever it comes.
    """
    heartbeat = broker.heartbeat
    if broker.state == BrokerState.NOT_RUNNING or heartbeat.stage != Stage.IDLE:
        return False
    heartbeat.stage = Stage.REQUESTED
    heartbeat.broker_epoch = broker_epoch
    heartbeat.current_metadata_offset = broker.metadata_offset
    heartbeat.want_fence = broker.state == BrokerState.STARTING
    heartbeat.want_shut_down = broker.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN
    return True


def handle_heartbeat_answer(broker: LivingBroker) -> bool:
    """A broker acts on the answer to its heartbeat.

    Who: a broker that runs.
    When: an answer is in flight.
    Effect: it goes on to recovery when it has caught up, runs when it is unfenced, and stops when it may.
    Source: BrokerLifecycleManager.BrokerHeartbeatResponseHandler.
    """
    heartbeat = broker.heartbeat
    if heartbeat.stage != Stage.ANSWERED:
        return False
    may_stop = broker.state == BrokerState.PENDING_CONTROLLED_SHUTDOWN and heartbeat.should_shut_down
    if broker.state == BrokerState.STARTING and heartbeat.is_caught_up:
        broker.state = BrokerState.RECOVERY
    elif broker.state == BrokerState.RECOVERY and not heartbeat.is_fenced:
        broker.state = BrokerState.RUNNING
    clear(heartbeat)
    if may_stop:
        end_process(broker)
    return True


def begin_process_shutdown(broker: LivingBroker) -> bool:
    """A broker begins a controlled shutdown.

    Who: its operator.
    When: the broker is `RUNNING`; a broker that is not unfenced yet stops without asking.
    Effect: its heartbeats ask to stop.
    Source: BrokerLifecycleManager.beginControlledShutdown.
    Left out: `controlled.shutdown.enable=false`, and a broker that stops waiting; both count as crashes.
    """
    if broker.state != BrokerState.RUNNING:
        return False
    broker.state = BrokerState.PENDING_CONTROLLED_SHUTDOWN
    return True
