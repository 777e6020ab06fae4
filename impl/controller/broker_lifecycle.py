"""The brokers' lives as a KRaft controller leads them: heartbeats, fencing, controlled shutdown, over a log that grows.

Part of Kafka modelled: `BrokerHeartbeatManager`, `ClusterControlManager`, and `processBrokerHeartbeat` of
`ReplicationControlManager`; the brokers' side is `impl/broker/lifecycle.py`. Both are a system of their own, because
the cluster's metadata log ends at a model's bound, and this one never ends.
Source: apache/kafka (commit 1eb7644349); KIP-631, KAFKA-13173, KAFKA-13959, KAFKA-14292, KAFKA-18138.
Left out, and why that is sound: ISRs and records: every active broker is in sync, and there is one partition, because
the rules ask only whether a broker leads any; how many records lie between two offsets, because rules only compare them
(below); a broker that is unfenced and wants to be fenced, which none does; that Kafka forgets what a broker has said
where it unfences it, until the next heartbeat; the time of a session, which ends at once, later or never.

An offset of the metadata log is told by how many records lie behind it up to the log's end, so that 0 is the end and a
log that grows needs no bound. Of these records only those are counted that somebody is to have replayed: that of a
registration until the broker is unfenced, and that of a controlled shutdown. All others count together with the next
one, so that whoever has replayed a record that is not counted is where he was before it. That changes no comparison
with a counted record or with the end, and rules make no others. So the log may grow for ever, and no offset is further
from the end than there are brokers, and one.
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

    unfencing_awaits_registration: a broker has caught up when it has replayed the record of its registration, and not
        only when it has replayed all that the controller has (KAFKA-13959).
    shutdown_offset_stays: a broker in controlled shutdown waits for the others to replay what took its leaderships, and
        not whatever the log had when it asked last (KAFKA-14292).
    stale_brokers_are_fenced_in_turn: who leads instead of a stale broker is chosen when those before are fenced
        (KAFKA-13173).
    new_controller_expects_heartbeats: a new controller fences a registered broker that it never hears of (KAFKA-18138).
    new_controller_resumes_shutdowns: a new controller lets nobody go from a controlled shutdown before the others have
        replayed what the log has when it takes over. No version of Kafka has this rule.
    """

    unfencing_awaits_registration: bool = True
    shutdown_offset_stays: bool = True
    stale_brokers_are_fenced_in_turn: bool = True
    new_controller_expects_heartbeats: bool = True
    new_controller_resumes_shutdowns: bool = False


class BrokerHeartbeat(Struct):
    """A heartbeat of a broker, and its answer.

    stage: how far it is.
    broker_epoch: as request, the epoch of the process that sent it.
    current_metadata_offset: as request, up to where that process had replayed the metadata log.
    want_fence: as request, that it wants to stay fenced.
    want_shut_down: as request, that it wants to stop.
    is_caught_up: as answer, that the broker has replayed what it had to.
    is_fenced: as answer, that the broker is fenced.
    should_shut_down: as answer, that the broker may stop.
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

    state: what it does.
    metadata_offset: up to where it has replayed the metadata log; `NO_OFFSET` where there is no process.
    heartbeat: what is under way; also of a process that has ended.
    """

    state: BrokerState
    metadata_offset: OptionalMetadataOffset
    heartbeat: BrokerHeartbeat


class BrokerRegistration(Struct):
    """What the controller knows of a broker.

    broker_epoch: that of the newest registration; 0 before the first.
    state: what the broker is to the controller.
    in_controlled_shutdown: that it is in controlled shutdown, as the log says; a new controller may take its state to
        be another one.
    is_expected: that the controller fences it if it hears no more of it.
    metadata_offset: what the last heartbeat of an active broker said, further from the end than any other offset if a
        new controller has had none; `NO_OFFSET` of others, which nobody reads.
    registration_offset: where the record of the registration lies, until the broker has been unfenced; `NO_OFFSET`
        otherwise, when the broker has replayed it for good.
    controlled_shutdown_offset: what the active brokers must have replayed before the broker may stop; `NO_OFFSET`
        where it is not in controlled shutdown. Where a new controller does not know that, only properties read it.
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
    registrations: what the controller knows of them, by id.
    leader: who leads the one partition.
    restarts: how many brokers may still start again.
    failovers: how often another controller may still take over.
    """

    brokers: Annotated[Array[LivingBroker], ById("brokers")]
    registrations: Annotated[Array[BrokerRegistration], ById("brokers")]
    leader: OptionalBrokerId
    restarts: Restarts
    failovers: Annotated[int, Allowance("failovers")]


def is_behind(offset: int, other: int) -> bool:
    """Whether an offset lies before another one: more records lie behind it up to the end."""
    return offset > other


def is_counted(state: BrokerLives, offset: int) -> bool:
    """Whether somebody is to have replayed the record that ends at this offset."""
    for registration in state.registrations:
        if registration.registration_offset == offset or registration.controlled_shutdown_offset == offset:
            return True
    return False


def shifted(offset: int, first: int, last: int, change: int) -> int:
    """An offset, changed if it is one of those from the first to the last."""
    if offset < first or offset > last:
        return offset
    return offset + change


def shift_offsets(state: BrokerLives, first: int, last: int, change: int) -> None:
    """Tell the offsets from the first to the last by another number of records up to the end."""
    for broker_id, broker in enumerate(state.brokers):
        heartbeat = broker.heartbeat
        known = state.registrations[broker_id]
        broker.metadata_offset = shifted(broker.metadata_offset, first, last, change)
        heartbeat.current_metadata_offset = shifted(heartbeat.current_metadata_offset, first, last, change)
        known.metadata_offset = shifted(known.metadata_offset, first, last, change)
        known.registration_offset = shifted(known.registration_offset, first, last, change)
        known.controlled_shutdown_offset = shifted(known.controlled_shutdown_offset, first, last, change)


def append_metadata(state: BrokerLives) -> None:
    """Append a record to the metadata log; those of one event count as one.

    If the one before need not be counted, both count as one, so that only who was at the end is further from it.
    """
    last = 0
    if is_counted(state, 0):
        last = len(state.brokers)
    shift_offsets(state, 0, last, 1)


def count_no_more(state: BrokerLives, offset: int) -> None:
    """Let a record, if nobody is to have replayed it any more, count together with the next; the last has no next."""
    if offset > 0 and not is_counted(state, offset):
        shift_offsets(state, offset + 1, len(state.brokers) + 1, -1)


def is_active(state: BrokerLives, broker_id: int) -> bool:
    """Whether the controller waits for what a broker replays."""
    return state.registrations[broker_id].state == BrokerControlState.UNFENCED


def may_lead(state: BrokerLives, broker_id: int) -> bool:
    """Whether the controller lets a broker lead."""
    return is_active(state, broker_id) and not state.registrations[broker_id].in_controlled_shutdown


def move_leadership(state: BrokerLives, broker_id: int) -> None:
    """Let the first active broker but this one lead in its place, or nobody."""
    if state.leader != broker_id:
        return
    state.leader = NO_LEADER
    for other_id in range(len(state.brokers)):
        if state.leader == NO_LEADER and other_id != broker_id and may_lead(state, other_id):
            state.leader = other_id


def set_shutdown_offset(state: BrokerLives, broker_id: int, offset: int) -> None:
    """Set what a broker's controlled shutdown waits for, and forget what it did wait for."""
    former = state.registrations[broker_id].controlled_shutdown_offset
    state.registrations[broker_id].controlled_shutdown_offset = offset
    count_no_more(state, former)


def set_registration_offset(state: BrokerLives, broker_id: int, offset: int) -> None:
    """Set where the record of a broker's registration lies, and forget where the last one did."""
    former = state.registrations[broker_id].registration_offset
    state.registrations[broker_id].registration_offset = offset
    count_no_more(state, former)


def leave(state: BrokerLives, broker_id: int) -> None:
    """Count a broker among the fenced ones; who is fenced leaves its controlled shutdown, too."""
    registration = state.registrations[broker_id]
    registration.state = BrokerControlState.FENCED
    registration.in_controlled_shutdown = False
    registration.is_expected = False
    registration.metadata_offset = NO_OFFSET
    set_shutdown_offset(state, broker_id, NO_OFFSET)


def fence_broker(state: BrokerLives, broker_id: int) -> None:
    """Fence a broker, by a record, and let another one lead in its place."""
    move_leadership(state, broker_id)
    leave(state, broker_id)
    append_metadata(state)


def unfence_broker(state: BrokerLives, broker_id: int) -> None:
    """Unfence a broker, by a record; it leads if nobody does."""
    state.registrations[broker_id].state = BrokerControlState.UNFENCED
    set_registration_offset(state, broker_id, NO_OFFSET)
    if state.leader == NO_LEADER:
        state.leader = broker_id
    append_metadata(state)


def begin_controlled_shutdown(state: BrokerLives, broker_id: int) -> None:
    """Take a broker's leaderships, by a record, and remember that record."""
    registration = state.registrations[broker_id]
    move_leadership(state, broker_id)
    registration.state = BrokerControlState.CONTROLLED_SHUTDOWN
    registration.in_controlled_shutdown = True
    registration.metadata_offset = NO_OFFSET
    append_metadata(state)
    set_shutdown_offset(state, broker_id, 0)


def has_caught_up(state: BrokerLives, rules: LifecycleRules, broker_id: int) -> bool:
    """Whether the process that sent a heartbeat had replayed what it has to before it takes part."""
    offset = state.brokers[broker_id].heartbeat.current_metadata_offset
    needed = state.registrations[broker_id].registration_offset
    if not rules.unfencing_awaits_registration:
        return not is_behind(offset, 0)
    return needed == NO_OFFSET or not is_behind(offset, needed)


def others_have_replayed(state: BrokerLives, broker_id: int) -> bool:
    """Whether every active broker has said that it has replayed what took a broker's leaderships."""
    needed = state.registrations[broker_id].controlled_shutdown_offset
    for other_id in range(len(state.brokers)):
        if is_active(state, other_id) and is_behind(state.registrations[other_id].metadata_offset, needed):
            return False
    return True


def next_control_state(state: BrokerLives, rules: LifecycleRules, broker_id: int) -> BrokerControlState:
    """What a broker becomes by its heartbeat (`BrokerHeartbeatManager.calculateNextBrokerState`)."""
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
    """Do what a heartbeat of the registered epoch asks for, as far as it may be, and answer; no process, no answer."""
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
    Effect: the broker becomes what `next_control_state` says, and is told so. A heartbeat of another epoch than the
        registered one is refused (STALE_BROKER_EPOCH), which tells its sender to ask again.
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
    """Whether the controller waits in vain for a broker's heartbeats: there is no process that would send them."""
    return state.registrations[broker_id].is_expected and state.brokers[broker_id].state == BrokerState.NOT_RUNNING


def fence_stale_brokers_at_once(state: BrokerLives) -> None:
    """Fence every stale broker by records of one event, whose elections go by what the controller knew before it."""
    if state.leader != NO_LEADER and is_stale(state, state.leader):
        move_leadership(state, state.leader)
    for broker_id in range(len(state.brokers)):
        if is_stale(state, broker_id):
            leave(state, broker_id)
    append_metadata(state)


def controller_fences_stale_broker(state: BrokerLives, rules: LifecycleRules, broker_id: BrokerId) -> bool:
    """The controller fences a broker whose session has ended, because it has no process.

    Who: the controller.
    When: it expects heartbeats of the broker, and there is no process that would send them.
    Effect: the broker is fenced, by a record, and leads nothing.
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
    """Another controller takes over. What brokers have replayed, and what a shutdown waits for, is not in the log.

    Who: the metadata quorum.
    When: one more is to take over.
    Effect: the new controller knows who is fenced; each other broker must tell it anew what it has replayed. It takes
        who is in controlled shutdown to be unfenced, though not to lead. Its first record is appended.
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
