"""Facts that a coordinator and its consumers rely on: invariants that prove single ownership for all states.

Every action of the models that list a lemma preserves it. The action may begin in any well-formed state in which all
lemmas hold, reachable or not. The search confirms that each lemma holds in every reachable state (`check --lemmas`).

Part of Kafka judged: `impl/consumer_group` and `impl/client/consumer_membership.py`, by their records only.
Source: this project's, after KIP-848.
Left out, and why that is sound: other coordinators, requests that arrive late, static members and consumers that poll
too seldom; `spec/PROOFS.md` lists all that is not proved. An omission in one lemma cannot make another one true.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.client.consumer_membership import Consumer
from kafkacheck.impl.consumer_group.constants import (
    JOIN_GROUP_MEMBER_EPOCH,
    LEAVE_GROUP_MEMBER_EPOCH,
    NO_INSTANCE,
    ConsumerState,
    HeartbeatError,
    HeartbeatStage,
    MemberState,
)
from kafkacheck.impl.messages.consumer_group_heartbeat import Heartbeat
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group.properties import held, is_member, takes_no_part


def former_members_have_nothing(state: State) -> bool:
    """What is no member has no partitions, no topics and no instance id.

    Why: a member is removed as a whole.
    Source: `ConsumerGroup.removeMember`.
    """
    return all(
        is_member(member)
        or (held(member) | member.target == Ids() and member.subscribed == Ids() and member.instance_id == NO_INSTANCE)
        for member in state.group.members
    )


def members_have_epochs(state: State) -> bool:
    """A member has an epoch above 0, and what is no member has none.

    Why: the heartbeat with which a consumer joins raises the group epoch or finds one, and gives it to the member.
    Source: KIP-848.
    """
    return all(
        member.member_epoch > JOIN_GROUP_MEMBER_EPOCH
        if is_member(member)
        else member.member_epoch == LEAVE_GROUP_MEMBER_EPOCH
        for member in state.group.members
    )


def members_that_revoke_have_something_to_revoke(state: State) -> bool:
    """A member has partitions to give up exactly if its state says so.

    Why: it gets them with that state, and leaves the state without them.
    Source: `CurrentAssignmentBuilder`.
    """
    return all(
        (member.state == MemberState.UNREVOKED_PARTITIONS) == (member.pending_revocation != Ids())
        for member in state.group.members
    )


def told_epochs_are_of_the_group(state: State) -> bool:
    """A response has no epoch above that of the group.

    Why: it has the member's, and the group epoch does not fall.
    Source: KIP-848.
    """
    return all(heartbeat.response.member_epoch <= state.group.group_epoch for heartbeat in state.heartbeats)


def has_no_request(heartbeat: Heartbeat) -> bool:
    """Whether nothing of a request is left."""
    request = heartbeat.request
    if request.member_id != 0 or request.member_epoch != LEAVE_GROUP_MEMBER_EPOCH:
        return False
    if request.names_timeout or request.names_topics or request.names_owned:
        return False
    return request.subscribed == Ids() and request.owned == Ids()


def has_no_response(heartbeat: Heartbeat) -> bool:
    """Whether nothing of a response is left."""
    response = heartbeat.response
    if response.error != HeartbeatError.NONE or response.member_epoch != LEAVE_GROUP_MEMBER_EPOCH:
        return False
    return not response.names_assignment and response.assigned == Ids()


def heartbeats_are_requests_or_responses(state: State) -> bool:
    """A heartbeat is a request, then a response, and then nothing.

    Why: the request is cleared where it is handled, and the response where it is taken.
    Source: `ConsumerHeartbeatRequestManager`.
    """
    return all(
        (heartbeat.stage == HeartbeatStage.REQUESTED or has_no_request(heartbeat))
        and (heartbeat.stage == HeartbeatStage.ANSWERED or has_no_response(heartbeat))
        for heartbeat in state.heartbeats
    )


def may_process(consumer: Consumer) -> Ids:
    """The partitions that a consumer owns, or may own before it gets another response."""
    if consumer.member_epoch <= JOIN_GROUP_MEMBER_EPOCH or consumer.has_rejoined:
        return consumer.owned | consumer.target
    return consumer.owned | consumer.target | consumer.reconciled


def consumers_without_epochs_have_nothing(state: State) -> bool:
    """A consumer that joins has epoch 0, one that takes no part has none, and both may process nothing.

    What a consumer was applying when it joined anew it gives up.
    Why: a consumer forgets its partitions and its assignment with its epoch.
    Source: `AbstractMembershipManager.transitionToJoining`, `transitionToFenced`.
    """
    for consumer in state.consumers:
        is_out = takes_no_part(consumer.state) or consumer.state == ConsumerState.LEAVING
        if is_out != (consumer.member_epoch == LEAVE_GROUP_MEMBER_EPOCH):
            return False
        if consumer.state == ConsumerState.JOINING and consumer.member_epoch != JOIN_GROUP_MEMBER_EPOCH:
            return False
        if consumer.member_epoch == JOIN_GROUP_MEMBER_EPOCH:
            if consumer.state != ConsumerState.JOINING and consumer.state != ConsumerState.PREPARE_LEAVING:
                return False
            if consumer.is_reconciling and not consumer.has_rejoined:
                return False
        if consumer.member_epoch <= JOIN_GROUP_MEMBER_EPOCH and may_process(consumer) != Ids():
            return False
        if not consumer.is_reconciling and (consumer.reconciled != Ids() or consumer.has_rejoined):
            return False
    return True


def requests_are_of_their_consumers(state: State) -> bool:
    """A request under way has its consumer's id, and its epoch unless the consumer has gone meanwhile.

    Why: only a response gives a consumer another epoch, and one heartbeat at most is under way.
    Source: `ConsumerHeartbeatRequestManager.buildRequestData`.
    """
    return all(
        heartbeat.request.member_id == member_id
        and (
            heartbeat.request.member_epoch == state.consumers[member_id].member_epoch
            or state.consumers[member_id].member_epoch == LEAVE_GROUP_MEMBER_EPOCH
        )
        for member_id, heartbeat in enumerate(state.heartbeats)
        if heartbeat.stage == HeartbeatStage.REQUESTED
    )


def requests_name_all_that_may_be_processed(state: State) -> bool:
    """A request that names partitions names each one that its consumer may own before the response.

    Why: this is what `target_counts_as_owned` adds. Without it a consumer takes a partition behind such a request, and
    its coordinator believes that it was revoked (finding F14).
    Source: `ConsumerHeartbeatRequestManager.buildRequestData`.
    """
    return all(
        may_process(state.consumers[member_id]) <= heartbeat.request.owned
        for member_id, heartbeat in enumerate(state.heartbeats)
        if heartbeat.stage == HeartbeatStage.REQUESTED and heartbeat.request.names_owned
    )


def coordinators_know_what_may_be_processed(state: State) -> bool:
    """What a consumer with the epoch of its member may process is held for it.

    Why: the coordinator frees a partition at once only if a request does not name it.
    Source: `CurrentAssignmentBuilder`.
    """
    return all(
        may_process(consumer) <= held(state.group.members[member_id])
        for member_id, consumer in enumerate(state.consumers)
        if consumer.member_epoch == state.group.members[member_id].member_epoch
    )


def responses_give_what_is_held(state: State) -> bool:
    """A response that a consumer will take has its member's epoch, and all that it gives is held for the member.

    That is so while the member is in the group. In any case the epoch is above 0, and a response to a consumer that
    joins names the assignment.
    Why: only the consumer's own heartbeats change its member, and the next one waits for the response.
    Source: `GroupMetadataManager.consumerGroupHeartbeat`.
    """
    for member_id, heartbeat in enumerate(state.heartbeats):
        consumer = state.consumers[member_id]
        member = state.group.members[member_id]
        response = heartbeat.response
        is_taken = response.error == HeartbeatError.NONE and consumer.member_epoch != LEAVE_GROUP_MEMBER_EPOCH
        if heartbeat.stage == HeartbeatStage.ANSWERED and is_taken:
            if response.member_epoch <= JOIN_GROUP_MEMBER_EPOCH:
                return False
            if consumer.state == ConsumerState.JOINING and not response.names_assignment:
                return False
            if is_member(member) and response.member_epoch != member.member_epoch:
                return False
            if is_member(member) and not may_process(consumer) | response.assigned <= held(member):
                return False
    return True
