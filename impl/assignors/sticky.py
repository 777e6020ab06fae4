"""The sticky assignors of consumers: who has had a partition keeps it, unless the balance forbids that.

Part of Kafka modelled: `StickyAssignor`, `CooperativeStickyAssignor`; `AbstractStickyAssignor` (`assignPartitions`,
`allSubscriptionsEqual`).
Source: KIP-54, KIP-341, KIP-429, KIP-792; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: where a subscription carries the owned partitions and the generation (its fields, or
its user data), because the member that fills it in takes both from one place. The highest generation that one leader
has ever seen: generations only grow, so the members that join have the highest one. **Not covered**: an owned partition
that does not exist although its topic does, as after a topic was made anew with fewer partitions.
"""

from kafkacheck.impl.assignors.group import Assignment, Group, Partition, assignable_topics, no_partitions
from kafkacheck.impl.assignors.sticky_equal import filled_equally
from kafkacheck.impl.assignors.sticky_general import balanced


def sticky_assignment(group: Group) -> Assignment:
    """Balance the group, and move few partitions.

    NoAssignmentError: see `sticky_general.moves`.
    """
    return with_transfers(group)[0]


def cooperative_assignment(group: Group) -> Assignment:
    """The sticky assignment without the partitions that their owner must give up first: the next rebalance has them.

    NoAssignmentError: see `sticky_general.moves`.
    Source: `CooperativeStickyAssignor.adjustAssignment`; KIP-429.
    """
    assigned, transferred = with_transfers(group)
    return {member: partitions - transferred for member, partitions in assigned.items()}


def with_transfers(group: Group) -> tuple[Assignment, set[Partition]]:
    """The sticky assignment, and the partitions that go from one member to another by it."""
    owned, contested = owned_by_claims(group)
    if are_subscriptions_equal(group):
        return filled_equally(group, owned, contested)
    assigned = balanced(group, owned)
    return assigned, {
        partition
        for member, partitions in assigned.items()
        for partition in partitions - group.members[member].owned
        if any(partition in other.owned - assigned[name] for name, other in group.members.items())
    }


def are_subscriptions_equal(group: Group) -> bool:
    """Whether all members subscribe to the same topics, as Kafka finds it out.

    Members without any topic count as equal to the others if the hash map gives them before all others.
    Source: `AbstractStickyAssignor.allSubscriptionsEqual`.
    """
    first: frozenset[str] = frozenset()
    for member in group.members.values():
        if first and member.topics != first:
            return False
        first = member.topics
    return True


def owned_by_claims(group: Group) -> tuple[Assignment, set[Partition]]:
    """What each member owns, and the partitions that several members of one generation claim, which nobody owns.

    If claims are of several generations, the newest one counts. Partitions of topics without subscribers are left out.
    Source: `AbstractStickyAssignor.allSubscriptionsEqual`; KIP-792.
    """
    owned, contested = no_partitions(group), set[Partition]()
    claimed: dict[Partition, str] = {}
    topics = assignable_topics(group)
    for name, member in group.members.items():
        for partition in [each for each in member.owned if each[0] in topics]:
            other = claimed.get(partition)
            if other is None or member.generation > group.members[other].generation:
                owned[name].add(partition)
            elif member.generation == group.members[other].generation:
                contested.add(partition)
            else:
                continue
            if other is not None:
                owned[other].discard(partition)
            claimed[partition] = name
    return owned, contested
