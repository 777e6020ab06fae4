"""How a KRaft controller manages brokers: heartbeats, fencing, controlled shutdown, over a log that grows for ever.

Part of Kafka modelled: `BrokerHeartbeatManager`, `ClusterControlManager`, and `processBrokerHeartbeat` of
`ReplicationControlManager`; the brokers' side is `impl/broker/lifecycle.py`. The two are a system of their own, because
the cluster model bounds its metadata log and this log has no bound.
Source: apache/kafka (commit 1eb7644349); KIP-631, KAFKA-13173, KAFKA-13959, KAFKA-14292, KAFKA-18138.
Left out, and why that is sound: ISRs and records: every active broker is in sync, and one partition is enough, because
the rules ask only whether a broker leads any; how many records lie between two offsets, because rules only compare
offsets (below); an unfenced broker that wants to be fenced, because none does; that Kafka, when it unfences a broker,
forgets the broker's offset until the next heartbeat; the time of a session, which ends at once, later or never.

An offset of the metadata log is the number of records between it and the log's end, so that 0 is the end and a growing
log needs no bound. Only a record that some broker must have replayed is counted: a registration until the broker is
unfenced, and a controlled shutdown. Every other record counts together with the next one, so that replaying it changes
no offset. No comparison with a counted record or with the end changes by that, and rules make no others. So the log may
grow for ever, and an offset is at most the number of brokers plus one.
"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import Allowance, Array, ById, Epoch, Id, Struct, clear
from kafkacheck.impl.constants import NO_LEADER, NO_OFFSET, BrokerControlState, BrokerState, Stage

BrokerId = Annotated[int, Id("brokers")]
OptionalBrokerId = Annotated[int, Id("brokers", none=NO_LEADER)]
BrokerEpoch = Annotated[int, Epoch("restarts + 1")]
Restarts = Annotated[int, Allowance("restarts")]
OptionalMetadataOffset = Annotated[int, Epoch("brokers + 1", none=NO_OFFSET)]


class LifecycleRules(NamedTuple):
    """The switches of a broker's life.

    unfencing_awaits_registration: a broker has caught up as soon as it has replayed its own registration; by the old
        rule it must have replayed the controller's whole log (KAFKA-13959).
    shutdown_offset_stays: a broker in controlled shutdown waits until the others have replayed the record that took its
        leaderships; by the old rule, the whole log at its last heartbeat (KAFKA-14292).
    stale_brokers_are_fenced_in_turn: a stale broker's successor as leader is elected after the stale brokers before it
        are fenced (KAFKA-13173).
    new_controller_expects_heartbeats: a new controller fences a registered broker that never sends it a heartbeat
        (KAFKA-18138).
    new_controller_resumes_shutdowns: a new controller ends no controlled shutdown before the others have replayed the
        whole log that it took over. No version of Kafka has this rule.
    """

    unfencing_awaits_registration: bool = True
    shutdown_offset_stays: bool = True
    stale_brokers_are_fenced_in_turn: bool = True
    new_controller_expects_heartbeats: bool = True
    new_controller_resumes_shutdowns: bool = False


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
    broker_epoch: BrokerEpoch
    current_metadata_offset: OptionalMetadataOffset
    want_fence: bool
    want_shut_down: bool
    is_caught_up: bool
    is_fenced: bool
    should_shut_down: bool


class LivingBroker(Struct):
    """A broker's process, with its connection to the controller. Its epoch is that of its registration.

    state: the process's own state.
    metadata_offset: the offset up to which it has replayed the metadata log; `NO_OFFSET` without a process.
    heartbeat: the heartbeat or answer under way, which can be from a process that has ended.
    """

    state: BrokerState
    metadata_offset: OptionalMetadataOffset
    heartbeat: BrokerHeartbeat


class BrokerRegistration(Struct):
    """The controller's knowledge of a broker.

    broker_epoch: the epoch of the newest registration; 0 before the first.
    state: the broker's state in the controller's memory.
    in_controlled_shutdown: whether the log says that it is in controlled shutdown; a new controller's `state` may
        differ.
    is_expected: whether the controller fences it if its heartbeats stop.
    metadata_offset: the offset in an active broker's last heartbeat, or one further from the end than any other if a
        new controller has had none; `NO_OFFSET` for a broker that is not active, where nobody reads it.
    registration_offset: the offset of the registration, until the broker is unfenced; `NO_OFFSET` afterwards, because
        the broker has replayed it for good.
    controlled_shutdown_offset: the offset that the active brokers must have replayed before the broker may stop;
        `NO_OFFSET` if it is not in controlled shutdown. If a new controller does not know it, only properties read it.
    """

    broker_epoch: BrokerEpoch
    state: BrokerControlState
    in_controlled_shutdown: bool
    is_expected: bool
    metadata_offset: OptionalMetadataOffset
    registration_offset: OptionalMetadataOffset
    controlled_shutdown_offset: OptionalMetadataOffset


class BrokerLives(Struct):
    """All brokers, and the controller.

    brokers: the processes, by id.
    registrations: the controller's knowledge of them, by id.
    leader: the leader of the one partition.
    restarts: how many restarts of brokers are left.
    failovers: how many controller failovers are left.
    """

    brokers: Annotated[Array[LivingBroker], ById("brokers")]
    registrations: Annotated[Array[BrokerRegistration], ById("brokers")]
    leader: OptionalBrokerId
    restarts: Restarts
    failovers: Annotated[int, Allowance("failovers")]


def is_behind(offset: int, other: int) -> bool:
    """Whether an offset lies before another one: it is further from the log's end."""
    return offset > other


def is_counted(state: BrokerLives, offset: int) -> bool:
    """Whether some broker must have replayed the record that ends at this offset."""
    for registration in state.registrations:
        if registration.registration_offset == offset or registration.controlled_shutdown_offset == offset:
            return True
    return False


def shifted(offset: int, first: int, last: int, change: int) -> int:
    """The offset, changed if it lies between `first` and `last`, both included."""
    if offset < first or offset > last:
        return offset
    return offset + change


def shift_offsets(state: BrokerLives, first: int, last: int, change: int) -> None:
    """Change every offset from `first` to `last` by `change`."""
    for broker_id, broker in enumerate(state.brokers):
        heartbeat = broker.heartbeat
        known = state.registrations[broker_id]
        broker.metadata_offset = shifted(broker.metadata_offset, first, last, change)
        heartbeat.current_metadata_offset = shifted(heartbeat.current_metadata_offset, first, last, change)
        known.metadata_offset = shifted(known.metadata_offset, first, last, change)
        known.registration_offset = shifted(known.registration_offset, first, last, change)
        known.controlled_shutdown_offset = shifted(known.controlled_shutdown_offset, first, last, change)


def append_metadata(state: BrokerLives) -> None:
    """Append a record to the metadata log; the records of one event count as one.

    If the record before is not counted, the two count as one, so that only offsets at the end move away from it.
    """
    last = 0
    if is_counted(state, 0):
        last = len(state.brokers)
    shift_offsets(state, 0, last, 1)


def count_no_more(state: BrokerLives, offset: int) -> None:
    """Merge a record that no broker must have replayed any more with the next one; the last record has none."""
    if offset > 0 and not is_counted(state, offset):
        shift_offsets(state, offset + 1, len(state.brokers) + 1, -1)


def is_active(state: BrokerLives, broker_id: int) -> bool:
    """Whether a controlled shutdown waits for this broker to replay the log."""
    return state.registrations[broker_id].state == BrokerControlState.UNFENCED


def may_lead(state: BrokerLives, broker_id: int) -> bool:
    """Whether the controller lets a broker lead."""
    return is_active(state, broker_id) and not state.registrations[broker_id].in_controlled_shutdown


def move_leadership(state: BrokerLives, broker_id: int) -> None:
    """If the broker leads, elect the first other broker that may lead, or nobody."""
    if state.leader != broker_id:
        return
    state.leader = NO_LEADER
    for other_id in range(len(state.brokers)):
        if state.leader == NO_LEADER and other_id != broker_id and may_lead(state, other_id):
            state.leader = other_id


def set_shutdown_offset(state: BrokerLives, broker_id: int, offset: int) -> None:
    """Set the offset that a broker's controlled shutdown waits for, and forget the former one."""
    former = state.registrations[broker_id].controlled_shutdown_offset
    state.registrations[broker_id].controlled_shutdown_offset = offset
    count_no_more(state, former)


def set_registration_offset(state: BrokerLives, broker_id: int, offset: int) -> None:
    """Set the offset of a broker's registration, and forget the former one."""
    former = state.registrations[broker_id].registration_offset
    state.registrations[broker_id].registration_offset = offset
    count_no_more(state, former)


def leave(state: BrokerLives, broker_id: int) -> None:
    """Mark a broker as fenced, which also ends its controlled shutdown."""
    registration = state.registrations[broker_id]
    registration.state = BrokerControlState.FENCED
    registration.in_controlled_shutdown = False
    registration.is_expected = False
    registration.metadata_offset = NO_OFFSET
    set_shutdown_offset(state, broker_id, NO_OFFSET)


def fence_broker(state: BrokerLives, broker_id: int) -> None:
    """Append a record that fences a broker and moves its leadership."""
    move_leadership(state, broker_id)
    leave(state, broker_id)
    append_metadata(state)


def unfence_broker(state: BrokerLives, broker_id: int) -> None:
    """Append a record that unfences a broker; it leads if nobody does."""
    state.registrations[broker_id].state = BrokerControlState.UNFENCED
    set_registration_offset(state, broker_id, NO_OFFSET)
    if state.leader == NO_LEADER:
        state.leader = broker_id
    append_metadata(state)


def begin_controlled_shutdown(state: BrokerLives, broker_id: int) -> None:
    """Append a record that takes a broker's leaderships, and remember its offset."""
    registration = state.registrations[broker_id]
    move_leadership(state, broker_id)
    registration.state = BrokerControlState.CONTROLLED_SHUTDOWN
    registration.in_controlled_shutdown = True
    registration.metadata_offset = NO_OFFSET
    append_metadata(state)
    set_shutdown_offset(state, broker_id, 0)


def has_caught_up(state: BrokerLives, rules: LifecycleRules, broker_id: int) -> bool:
    """Whether the sender of the heartbeat had replayed enough to be unfenced."""
    offset = state.brokers[broker_id].heartbeat.current_metadata_offset
    needed = state.registrations[broker_id].registration_offset
    if not rules.unfencing_awaits_registration:
        return not is_behind(offset, 0)
    return needed == NO_OFFSET or not is_behind(offset, needed)


def others_have_replayed(state: BrokerLives, broker_id: int) -> bool:
    """Whether every active broker has reported that it replayed the broker's controlled shutdown offset."""
    needed = state.registrations[broker_id].controlled_shutdown_offset
    for other_id in range(len(state.brokers)):
        if is_active(state, other_id) and is_behind(state.registrations[other_id].metadata_offset, needed):
            return False
    return True


def next_control_state(state: BrokerLives, rules: LifecycleRules, broker_id: int) -> BrokerControlState:
    """The broker's state after its heartbeat (`BrokerHeartbeatManager.calculateNextBrokerState`)."""
    heartbeat = state.brokers[broker_id].heartbeat
    current = state.registrations[broker_id].state
    if current == BrokerControlState.FENCED:
        if heartbeat.want_shut_down:
            return BrokerControlState.SHUTDOWN_NOW
        if not heartbeat.want_fence and has_caught_up(state, rules, broker_id):
            return BrokerControlState.UNFENCED
        return BrokerControlState.FENCED
    if current == BrokerControlState.UNFENCED:
        if not heartbeat.want_shut_down:
            return BrokerControlState.UNFENCED
        if state.leader == broker_id:
            return BrokerControlState.CONTROLLED_SHUTDOWN
        return BrokerControlState.SHUTDOWN_NOW
    if others_have_replayed(state, broker_id):
        return BrokerControlState.SHUTDOWN_NOW
    return BrokerControlState.CONTROLLED_SHUTDOWN


def answer_heartbeat(state: BrokerLives, rules: LifecycleRules, broker_id: int) -> None:
    """Apply the next state to the sender of a heartbeat of the registered epoch; answer it if its process runs."""
    broker = state.brokers[broker_id]
    heartbeat = broker.heartbeat
    registration = state.registrations[broker_id]
    current = registration.state
    state_after = next_control_state(state, rules, broker_id)
    is_caught_up = has_caught_up(state, rules, broker_id)
    if state_after == BrokerControlState.UNFENCED:
        registration.metadata_offset = heartbeat.current_metadata_offset
    clear(heartbeat)
    if state_after == BrokerControlState.SHUTDOWN_NOW:
        fence_broker(state, broker_id)
    elif state_after != current and state_after == BrokerControlState.UNFENCED:
        unfence_broker(state, broker_id)
    elif state_after != current:
        begin_controlled_shutdown(state, broker_id)
    elif current == BrokerControlState.CONTROLLED_SHUTDOWN and not rules.shutdown_offset_stays:
        set_shutdown_offset(state, broker_id, 0)
    registration.is_expected = registration.state != BrokerControlState.FENCED
    if broker.state == BrokerState.NOT_RUNNING:
        return
    heartbeat.stage = Stage.ANSWERED
    heartbeat.is_caught_up = is_caught_up
    heartbeat.is_fenced = registration.state == BrokerControlState.FENCED
    heartbeat.should_shut_down = state_after == BrokerControlState.SHUTDOWN_NOW


def controller_handles_heartbeat(state: BrokerLives, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """The controller handles a broker's heartbeat.

    Who: the controller.
    When: a request is under way.
    Effect: the broker gets the state that `next_control_state` returns, and an answer. A heartbeat of another epoch
        than the registered one is refused (STALE_BROKER_EPOCH), and its sender must ask again.
    Source: ReplicationControlManager.processBrokerHeartbeat; BrokerHeartbeatManager (touch, calculateNextBrokerState,
        maybeUpdateControlledShutdownOffset).
    """
    heartbeat = state.brokers[broker_id].heartbeat
    if heartbeat.stage != Stage.REQUESTED:
        return False
    if heartbeat.broker_epoch != state.registrations[broker_id].broker_epoch:
        clear(heartbeat)
        return True
    answer_heartbeat(state, rules, broker_id)
    return True


def is_stale(state: BrokerLives, broker_id: int) -> bool:
    """Whether the controller expects heartbeats of a broker that has no process to send them."""
    return state.registrations[broker_id].is_expected and state.brokers[broker_id].state == BrokerState.NOT_RUNNING


def fence_stale_brokers_at_once(state: BrokerLives) -> None:
    """Fence every stale broker in one event, whose elections use the controller's knowledge before the event."""
    if state.leader != NO_LEADER and is_stale(state, state.leader):
        move_leadership(state, state.leader)
    for broker_id in range(len(state.brokers)):
        if is_stale(state, broker_id):
            leave(state, broker_id)
    append_metadata(state)


def controller_fences_stale_broker(state: BrokerLives, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """The controller fences a broker whose session has ended because it has no process.

    Who: the controller.
    When: it expects heartbeats of the broker, which has no process to send them.
    Effect: a record fences the broker and moves its leadership.
    Source: ReplicationControlManager.maybeFenceOneStaleBroker.
    Left out: the time of the session.
    """
    if not is_stale(state, broker_id):
        return False
    if rules.stale_brokers_are_fenced_in_turn:
        fence_broker(state, broker_id)
    else:
        fence_stale_brokers_at_once(state)
    return True


def controller_fails_over(state: BrokerLives, rules: LifecycleRules) -> bool:
    """Another controller takes over; replayed offsets and controlled shutdown offsets are not in the log.

    Who: the metadata quorum.
    When: a failover is left.
    Effect: the new controller knows which brokers are fenced; every other broker must report its replayed offset again.
        It takes a broker in controlled shutdown for unfenced, but does not elect it. Its first record is appended.
    Source: ClusterControlManager.activate; BrokerHeartbeatManager.register; KAFKA-18138.
    Left out: heartbeats to the former controller, which are lost at any time.
    """
    if state.failovers == 0:
        return False
    state.failovers -= 1
    append_metadata(state)
    for broker_id, registration in enumerate(state.registrations):
        if registration.state != BrokerControlState.FENCED:
            registration.is_expected = rules.new_controller_expects_heartbeats
            registration.state = BrokerControlState.UNFENCED
            registration.metadata_offset = len(state.brokers) + 1
            if registration.in_controlled_shutdown and rules.new_controller_resumes_shutdowns:
                registration.state = BrokerControlState.CONTROLLED_SHUTDOWN
                registration.metadata_offset = NO_OFFSET
                set_shutdown_offset(state, broker_id, 0)
    return True
