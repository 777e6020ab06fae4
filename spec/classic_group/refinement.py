"""A group of the classic protocol implements the abstract group of `spec/group/ownership.py`.

Part of Kafka judged: `impl/classic_group` and `impl/client/classic_membership.py`, by their records only.
Source: KIP-62, KIP-345, KIP-429.
Left out, and why that is sound: nothing. Where nobody owns a partition, `State.last_owners` has the one that did last,
if the bound `noted_owners` is 1; otherwise nobody is taken to have owned it.

A member is a member id: a consumer that joins anew with another one is another member. Its epoch is the generation that
it knows. The successor of a static member has its instance id, its generation and a later member id.

A cooperative group does not implement the abstract group if its coordinator changes: the log does not have a generation
whose assignments were not made, so that the next coordinator gives out its number again. No two members own a partition
at a time all the same, and a consumer commits nothing until it has its assignment.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import NO_INSTANCE
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group.system import NOBODY, State
from kafkacheck.spec.classic_group.properties import is_valid
from kafkacheck.spec.group.ownership import comes_after, may_own


def owns(state: State, rules: ClassicGroupRules, consumer_id: int, partition_id: int) -> bool:
    """Whether a consumer owns a partition: it processes it, and the coordinator would accept its commits."""
    return partition_id in state.consumers[consumer_id].owned and is_valid(state, rules, consumer_id)


def owner(state: State, rules: ClassicGroupRules, partition_id: int) -> int:
    """The consumer that owns a partition; `NOBODY` if none does."""
    found = NOBODY
    for consumer_id in range(len(state.consumers)):
        if owns(state, rules, consumer_id, partition_id):
            found = consumer_id
    return found


def last_owner(state: State, rules: ClassicGroupRules, partition_id: int) -> int:
    """The member that owns a partition, or the last one that did."""
    found = owner(state, rules, partition_id)
    return state.last_owners[partition_id].member_id if found == NOBODY else state.consumers[found].member_id


def last_generation(state: State, rules: ClassicGroupRules, partition_id: int) -> int:
    """The generation of the last owner of a partition."""
    found = owner(state, rules, partition_id)
    return state.last_owners[partition_id].generation if found == NOBODY else state.consumers[found].generation


def last_instance(state: State, rules: ClassicGroupRules, partition_id: int) -> int:
    """The instance id of the last owner of a partition."""
    found = owner(state, rules, partition_id)
    return state.last_owners[partition_id].instance_id if found == NOBODY else state.consumers[found].instance_id


def is_successor(instance_id: int, member_id: int, former_instance_id: int, former_id: int) -> bool:
    """Whether a static member has taken the place of another member: it has that one's instance id, and a later id."""
    return instance_id != NO_INSTANCE and instance_id == former_instance_id and member_id > former_id


def partitions_are_handed_over_in_order(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """Every step is one of the abstract group: a partition is taken when it is free, in a newer generation.

    Lost to users: two consumers process the same records, or a late commit of the last owner counts as one of the next.
    Source: KIP-62, KIP-345, KIP-429.
    """
    return all(
        may_own(
            consumer.member_id,
            consumer.generation,
            is_successor(
                consumer.instance_id,
                consumer.member_id,
                last_instance(before, rules, partition_id),
                last_owner(before, rules, partition_id),
            ),
            owner(before, rules, partition_id) != NOBODY,
            last_owner(before, rules, partition_id),
            last_generation(before, rules, partition_id),
        )
        for consumer_id, consumer in enumerate(after.consumers)
        for partition_id in consumer.owned
        if owns(after, rules, consumer_id, partition_id)
    )


def fenced_consumers_are_behind(state: State, rules: ClassicGroupRules) -> bool:
    """A consumer that goes on with a partition of another one has an older generation than the owner, or is replaced.

    Lost if it fails: nothing tells what the fenced consumer still sends from what the owner sends.
    Source: KIP-62, KIP-345; ILLEGAL_GENERATION and FENCED_INSTANCE_ID.
    """
    return all(
        comes_after(
            state.consumers[owner_id].generation,
            consumer.generation,
            is_successor(
                state.consumers[owner_id].instance_id,
                state.consumers[owner_id].member_id,
                consumer.instance_id,
                consumer.member_id,
            ),
        )
        for consumer_id, consumer in enumerate(state.consumers)
        for partition_id in consumer.owned
        for owner_id in range(len(state.consumers))
        if owner_id != consumer_id and owns(state, rules, owner_id, partition_id)
    )


def last_owners_are_noted(state: State, rules: ClassicGroupRules, bounds: Bounds) -> bool:
    """The history has every owner, and its generation.

    Lost if it fails: what is said of the order of owners is said of others.
    Source: `State.last_owners`.
    """
    return bounds.noted_owners == 0 or all(
        state.last_owners[partition_id].member_id == consumer.member_id
        and state.last_owners[partition_id].generation == consumer.generation
        for consumer_id, consumer in enumerate(state.consumers)
        for partition_id in consumer.owned
        if owns(state, rules, consumer_id, partition_id)
    )


def only_owners_are_noted(before: State, after: State, rules: ClassicGroupRules) -> bool:
    """The history changes only where somebody owns the partition.

    Lost if it fails: what is said of the order of owners is said of others.
    Source: `State.last_owners`.
    """
    return all(
        last == before.last_owners[partition_id] or owner(after, rules, partition_id) != NOBODY
        for partition_id, last in enumerate(after.last_owners)
    )
