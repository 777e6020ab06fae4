"""The controller's knowledge of brokers, with offsets of a metadata log that grows for ever (KRaft).

Part of Kafka modelled: `BrokerRegistration`, `BrokerHeartbeatState`, and the offsets that they are compared by.
Source: apache/kafka (commit 1eb7644349); KIP-631.
Left out, and why that is sound: how many records lie between two offsets, because rules only compare offsets.

An offset of the metadata log is the number of records between it and the log's end, so that 0 is the end and a growing
log needs no bound. Only a record that some broker must have replayed is counted: a registration until the broker is
unfenced, and a controlled shutdown. Every other record counts together with the next one, so that replaying it changes
no offset. This changes no comparison with a counted record or with the end, and rules make no other comparison. So the
log may grow for ever, and an offset is at most the number of brokers plus one.

So an appended record changes all distances: the functions here take all brokers and all registrations, although no
broker learns anything.
"""

from typing import Annotated

from kafkacheck.checker.schema import Array, ById, Struct
from kafkacheck.impl.broker.lifecycle import DistanceFromEnd, LivingBroker, OptionalBrokerId, RegistrationEpoch
from kafkacheck.impl.enums import BrokerControlState


class BrokerRegistration(Struct):
    """The controller's knowledge of a broker.

    broker_epoch: the epoch of the newest registration; 0 before the first.
    state: the broker's state in the controller's memory.
    in_controlled_shutdown: whether the log says that it is in controlled shutdown; a new controller's `state` may
        differ.
    is_expected: whether the controller fences it if its heartbeats stop.
    metadata_offset: the offset in an active broker's last heartbeat; before its first heartbeat while it is active, or
        to a new controller, an offset further from the end than any other. `NO_OFFSET` for a broker that is not active,
        where nobody reads it.
    registration_offset: the offset of the registration, until the broker is unfenced; `NO_OFFSET` afterwards, because
        the broker has replayed it for good.
    controlled_shutdown_offset: the offset that the active brokers must have replayed before the broker may stop;
        `NO_OFFSET` if it is not in controlled shutdown. If a new controller does not know it, only properties read it.
    """

    broker_epoch: RegistrationEpoch
    state: BrokerControlState
    in_controlled_shutdown: bool
    is_expected: bool
    metadata_offset: DistanceFromEnd
    registration_offset: DistanceFromEnd
    controlled_shutdown_offset: DistanceFromEnd


class ClusterControl(Struct):
    """The controller's view of the cluster.

    registrations: its knowledge of the brokers, by id.
    leader: the leader of the one partition.
    """

    registrations: Annotated[Array[BrokerRegistration], ById("brokers")]
    leader: OptionalBrokerId


def is_behind(offset: int, other: int) -> bool:
    """Whether an offset lies before another one: it is further from the log's end."""
    return offset > other


def is_counted(controller: ClusterControl, offset: int) -> bool:
    """Whether some broker must have replayed the record that ends at this offset."""
    return any(
        registration.registration_offset == offset or registration.controlled_shutdown_offset == offset
        for registration in controller.registrations
    )


def shifted(offset: int, first: int, last: int, change: int) -> int:
    """The offset, changed if it lies between `first` and `last`, both included."""
    if offset < first or offset > last:
        return offset
    return offset + change


def shift_offsets(controller: ClusterControl, brokers: Array[LivingBroker], first: int, last: int, change: int) -> None:
    """Change every offset from `first` to `last` by `change`."""
    for broker, known in zip(brokers, controller.registrations):
        heartbeat = broker.heartbeat
        broker.metadata_offset = shifted(broker.metadata_offset, first, last, change)
        heartbeat.current_metadata_offset = shifted(heartbeat.current_metadata_offset, first, last, change)
        known.metadata_offset = shifted(known.metadata_offset, first, last, change)
        known.registration_offset = shifted(known.registration_offset, first, last, change)
        known.controlled_shutdown_offset = shifted(known.controlled_shutdown_offset, first, last, change)


def append_metadata(controller: ClusterControl, brokers: Array[LivingBroker]) -> None:
    """Append a record to the metadata log; the records of one event count as one.

    If the record before is not counted, the two count as one, so that only offsets at the end move away from it.
    """
    last = len(brokers) if is_counted(controller, 0) else 0
    shift_offsets(controller, brokers, 0, last, 1)


def count_no_more(controller: ClusterControl, brokers: Array[LivingBroker], offset: int) -> None:
    """Merge a record that is no longer counted with the next one, if there is a next one."""
    if offset > 0 and not is_counted(controller, offset):
        shift_offsets(controller, brokers, offset + 1, len(brokers) + 1, -1)
