"""A group of the consumer protocol implements the abstract group of `spec/group/ownership.py`.

Part of Kafka judged: `impl/consumer_group` and `impl/client/consumer_membership.py`, by their records only.
Source: KIP-848.
Left out, and why that is sound: nothing. Where nobody owns a partition, `State.last_owners` has the one that did last,
if the bound `noted_owners` is 1; otherwise nobody is taken to have owned it.

A member is a consumer, and its epoch the member epoch that it knows.
"""

from kafkacheck.impl.bounds import Bounds
from kafkacheck.model.consumer_group.system import NOBODY, State
from kafkacheck.spec.consumer_group.properties import is_valid
from kafkacheck.spec.group.ownership import comes_after, may_own


def owns(state: State, member_id: int, partition_id: int) -> bool:
    """Whether a consumer owns a partition: it processes it, and the coordinator would accept its commits."""
    return partition_id in state.consumers[member_id].owned and is_valid(state, member_id)


def owner(state: State, partition_id: int) -> int:
    """The consumer that owns a partition; `NOBODY` if none does."""
    found = NOBODY
    for member_id in range(len(state.consumers)):
        if owns(state, member_id, partition_id):
            found = member_id
    return found


def last_owner(state: State, partition_id: int) -> int:
    """The consumer that owns a partition, or the last one that did."""
    found = owner(state, partition_id)
    return state.last_owners[partition_id].member_id if found == NOBODY else found


def last_epoch(state: State, partition_id: int) -> int:
    """The epoch of the last owner of a partition."""
    found = owner(state, partition_id)
    return state.last_owners[partition_id].member_epoch if found == NOBODY else state.consumers[found].member_epoch


def partitions_are_handed_over_in_order(before: State, after: State) -> bool:
    """Every step is one of the abstract group: a partition is taken when it is free, under a newer epoch.

    Lost to users: two consumers process the same records, or a late commit of the last owner counts as one of the next.
    Source: KIP-848.
    """
    return all(
        may_own(
            member_id,
            consumer.member_epoch,
            False,
            owner(before, partition_id) != NOBODY,
            last_owner(before, partition_id),
            last_epoch(before, partition_id),
        )
        for member_id, consumer in enumerate(after.consumers)
        for partition_id in consumer.owned
        if owns(after, member_id, partition_id)
    )


def fenced_consumers_are_behind(state: State) -> bool:
    """A consumer that goes on with a partition of another one has an older epoch than the owner.

    Lost if it fails: nothing tells what the fenced consumer still sends from what the owner sends.
    Source: KIP-848; FENCED_MEMBER_EPOCH and STALE_MEMBER_EPOCH.
    """
    return all(
        comes_after(state.consumers[owner_id].member_epoch, consumer.member_epoch, False)
        for consumer_id, consumer in enumerate(state.consumers)
        for partition_id in consumer.owned
        for owner_id in range(len(state.consumers))
        if owner_id != consumer_id and owns(state, owner_id, partition_id)
    )


def last_owners_are_noted(state: State, bounds: Bounds) -> bool:
    """The history has every owner, and its epoch.

    Lost if it fails: what is said of the order of owners is said of others.
    Source: `State.last_owners`.
    """
    return bounds.noted_owners == 0 or all(
        state.last_owners[partition_id].member_id == member_id
        and state.last_owners[partition_id].member_epoch == consumer.member_epoch
        for member_id, consumer in enumerate(state.consumers)
        for partition_id in consumer.owned
        if owns(state, member_id, partition_id)
    )


def only_owners_are_noted(before: State, after: State) -> bool:
    """The history changes only where somebody owns the partition.

    Lost if it fails: what is said of the order of owners is said of others.
    Source: `State.last_owners`.
    """
    return all(
        last == before.last_owners[partition_id] or owner(after, partition_id) != NOBODY
        for partition_id, last in enumerate(after.last_owners)
    )
