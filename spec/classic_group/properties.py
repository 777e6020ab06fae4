"""Who owns a partition in a classic group, what the coordinator knows of it, and that groups converge.

Part of Kafka judged: `impl/classic_group` and `impl/client/classic_membership.py`, by their records only.
Source: KIP-62, KIP-345, KIP-394, KIP-429.
Left out, and why that is sound: positions and offsets.
"""

from kafkacheck.checker.schema import Ids
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import NO_INSTANCE, NO_MEMBER_ID, ConsumerState, GroupState, Stage
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group.system import State


def is_valid(state: State, rules: ClassicGroupRules, consumer_id: int) -> bool:
    """Whether the coordinator would accept a commit of the consumer: a member in the group's generation.

    Without `instance_is_checked` it also accepts that of a consumer whose instance id another member has.
    """
    consumer = state.consumers[consumer_id]
    if consumer.generation != state.group.generation or consumer.member_id == NO_MEMBER_ID:
        return False
    if consumer.instance_id != NO_INSTANCE and not rules.instance_is_checked:
        return any(member.is_member and member.instance_id == consumer.instance_id for member in state.group.members)
    return state.group.members[consumer.member_id].is_member


def no_two_owners(state: State, rules: ClassicGroupRules) -> bool:
    """No two consumers own a partition if the coordinator would accept commits of both.

    Lost to users: two consumers process the same records, and each commits over the other.
    Source: KIP-62; KAFKA-8225.
    """
    return not any(
        one.owned & other.owned != Ids() and is_valid(state, rules, one_id) and is_valid(state, rules, other_id)
        for one_id, one in enumerate(state.consumers)
        for other_id, other in enumerate(state.consumers)
        if one_id < other_id
    )


def owners_are_known(state: State, rules: ClassicGroupRules) -> bool:
    """A consumer whose commits are accepted, and which is not about to join anew, owns what it was assigned.

    Lost if it fails: the group gives a partition away that a consumer still processes.
    Source: ConsumerCoordinator.onJoinComplete.
    """
    return all(
        consumer.owned <= state.group.members[consumer.member_id].assigned
        for consumer_id, consumer in enumerate(state.consumers)
        if consumer.state == ConsumerState.STABLE and is_valid(state, rules, consumer_id) and not consumer.needs_join
        if rules.instance_is_checked and state.group.state == GroupState.STABLE
    )


def generations_do_not_fall(before: State, after: State) -> bool:
    """The generation of a group does not fall, nor that of a consumer, unless the consumer loses its membership.

    Lost if it fails: a request of an earlier generation counts as one of today.
    Source: KIP-62.
    """
    if before.budget.failovers != after.budget.failovers:
        return True
    if after.group.generation < before.group.generation:
        return False
    return all(
        consumer.generation >= before.consumers[consumer_id].generation
        or consumer.state == ConsumerState.UNJOINED
        or consumer.state == ConsumerState.CLOSED
        for consumer_id, consumer in enumerate(after.consumers)
    )


def members_have_one_owner(state: State) -> bool:
    """No partition is assigned to two members.

    Lost if it fails: two consumers process the same records.
    Source: KIP-62.
    """
    return not any(
        one.assigned & other.assigned != Ids()
        for one_id, one in enumerate(state.group.members)
        for other_id, other in enumerate(state.group.members)
        if one_id < other_id
    )


def assigned_to_members(state: State) -> Ids:
    """The partitions that some member has."""
    found = Ids()
    for member in state.group.members:
        found |= member.assigned
    return found


def stable_groups_have_assignments(state: State, rules: ClassicGroupRules, bounds: Bounds) -> bool:
    """In a stable group every partition is assigned, unless the cooperative protocol waits for its owner.

    Lost to users: nobody processes a partition until something else changes the group.
    Source: KIP-62, KIP-429; KAFKA-9801.
    """
    if state.group.state != GroupState.STABLE or rules.is_cooperative:
        return True
    return assigned_to_members(state) == Ids(range(bounds.partitions))


def is_known_to_a_consumer(state: State, member_id: int) -> bool:
    """Whether a consumer that takes part has the member id, or is about to have it."""
    return any(
        consumer.member_id == member_id
        or state.connections[consumer_id].request.member_id == member_id
        or state.connections[consumer_id].response.member_id == member_id
        for consumer_id, consumer in enumerate(state.consumers)
        if consumer.state != ConsumerState.CLOSED
    )


def absent_members_can_come(state: State) -> bool:
    """A rebalance waits for no member whose member id no consumer has.

    Lost to users: nobody processes anything until the session of that member ends.
    Source: KAFKA-13214.
    """
    return state.group.state != GroupState.PREPARING_REBALANCE or all(
        member.awaits_join or not member.is_member or is_known_to_a_consumer(state, member_id)
        for member_id, member in enumerate(state.group.members)
    )


def has_converged(state: State, bounds: Bounds) -> bool:
    """Every consumer that takes part has what the group assigns it, every partition has an owner, and all is known.

    Lost to users: a partition is processed by nobody, or a rebalance does not end.
    Source: KIP-62.
    """
    if state.group.pending != Ids():
        return False
    owned = Ids()
    for consumer in state.consumers:
        if consumer.state == ConsumerState.LEAVING:
            return False
        if consumer.state != ConsumerState.CLOSED:
            if consumer.state != ConsumerState.STABLE or consumer.needs_join:
                return False
            if consumer.generation != state.group.generation or state.group.state != GroupState.STABLE:
                return False
            member = state.group.members[consumer.member_id]
            if not member.is_member or consumer.owned != member.assigned:
                return False
            owned |= consumer.owned
    open_count = sum(1 for consumer in state.consumers if consumer.state != ConsumerState.CLOSED)
    if open_count != sum(1 for member in state.group.members if member.is_member):
        return False
    return open_count == 0 or owned == Ids(range(bounds.partitions))


def has_not_converged(state: State, bounds: Bounds) -> bool:
    """Something is still to be joined, assigned or told."""
    return not has_converged(state, bounds)


def both_own_something(state: State) -> bool:
    """All consumers own a partition. Without an example nothing is shared."""
    return all(consumer.owned != Ids() for consumer in state.consumers)


def request_is_parked(state: State) -> bool:
    """A request waits at the coordinator. Without an example nobody waits for another member."""
    return any(connection.stage == Stage.PARKED for connection in state.connections)
