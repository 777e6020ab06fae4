"""Guarantees of one assignment: who may have what, how evenly, and what stays where it was.

Part of Kafka judged: `impl/assignors/`, by its records only.
Source: KIP-54, KIP-429, KIP-848; the documentation of the assignors.
Left out, and why that is sound: the nearness to racks, which no assignor promises.

These are ordinary Python functions of a group and the assignment that an assignor has made for it.
"""

from kafkacheck.impl.assignors.group import Assignment, Group, Partition


def wanted_partitions(group: Group) -> set[Partition]:
    """The existing partitions of all topics to which some member subscribes."""
    topics = {topic for member in group.members.values() for topic in member.topics}
    return {(topic, number) for topic in topics for number in range(group.topics.get(topic, 0))}


def owners_by_claims(group: Group) -> dict[Partition, str]:
    """The owner of each partition: of the members that claim it, the one of the newest generation, if there is one."""
    owners: dict[Partition, str] = {}
    for partition in {each for member in group.members.values() for each in member.owned}:
        claims = sorted(
            (member.generation, name) for name, member in group.members.items() if partition in member.owned
        )
        newest = [name for generation, name in claims if generation == claims[-1][0]]
        if len(newest) == 1:
            owners[partition] = newest[0]
    return owners


def only_subscribed(group: Group, assigned: Assignment) -> bool:
    """A member gets only existing partitions of topics to which it subscribes.

    Lost if it fails: a consumer gets records of a topic for which it was not asked, or rejoins without end.
    Source: `SubscriptionState.checkAssignmentMatchedSubscription`.
    """
    wanted = wanted_partitions(group)
    return all(
        each in wanted and each[0] in group.members[name].topics for name, mine in assigned.items() for each in mine
    )


def assigned_once(assigned: Assignment) -> bool:
    """No two members get the same partition.

    Lost if it fails: two consumers process the same records.
    Source: KIP-54.
    """
    return sum(map(len, assigned.values())) == len(set[Partition]().union(*assigned.values()))


def is_complete(group: Group, assigned: Assignment) -> bool:
    """Every partition of a topic with a subscriber is assigned.

    Lost if it fails: nobody reads a partition.
    Source: KIP-54.
    """
    return wanted_partitions(group) <= set[Partition]().union(*assigned.values())


def topics_are_even(group: Group, assigned: Assignment) -> bool:
    """The subscribers of a topic get equally many of its partitions, or one more.

    Lost if it fails: the range assignors share a topic unfairly.
    Source: the documentation of `RangeAssignor`.
    """
    for topic in group.topics:
        shares = [
            sum(each[0] == topic for each in assigned[name])
            for name, member in group.members.items()
            if topic in member.topics
        ]
        if shares and max(shares) - min(shares) > 1:
            return False
    return True


def loads_are_even(assigned: Assignment) -> bool:
    """All members get equally many partitions, or one more: for members that subscribe to the same topics.

    Lost if it fails: one consumer has more to do than the others.
    Source: the documentation of `RoundRobinAssignor` and `StickyAssignor`; `UniformHomogeneousAssignmentBuilder`.
    """
    loads = [len(mine) for mine in assigned.values()]
    return max(loads) - min(loads) <= 1


def no_move_helps(group: Group, assigned: Assignment) -> bool:
    """No partition could go to a subscriber that has at least two partitions less than its owner.

    Lost if it fails: one consumer has more to do than need be, although the topics differ.
    Source: the documentation of `StickyAssignor`; `UniformHeterogeneousAssignmentBuilder`.
    """
    return not any(
        len(assigned[other]) + 1 < len(mine)
        for mine in assigned.values()
        for topic in {each[0] for each in mine}
        for other, member in group.members.items()
        if topic in member.topics
    )


def most_stays(group: Group, assigned: Assignment) -> bool:
    """As many partitions stay with their owners as even loads allow: for members with the same topics, without racks.

    Lost if it fails: consumers lose their state and their position for partitions that need not have moved.
    Source: KIP-54.
    """
    wanted = wanted_partitions(group)
    owners = {each: name for each, name in owners_by_claims(group).items() if each in wanted}
    share, larger = divmod(len(wanted), len(group.members))
    had = [sum(owner == name for owner in owners.values()) for name in group.members]
    most = sum(min(share, each) for each in had) + min(larger, sum(each > share for each in had))
    return sum(each in assigned[owner] for each, owner in owners.items()) == most


def balanced_stays(group: Group, assigned: Assignment) -> bool:
    """If the owners have a complete and balanced assignment already, nothing moves: without racks.

    Lost if it fails: each rebalance moves partitions to and fro.
    Source: KIP-54.
    """
    owners = owners_by_claims(group)
    owned: Assignment = {name: {each for each in owners if owners[each] == name} for name in group.members}
    if only_subscribed(group, owned) and is_complete(group, owned) and no_move_helps(group, owned):
        return assigned == owned
    return True


def nothing_is_handed_over(group: Group, assigned: Assignment) -> bool:
    """No member gets a partition anew that another member still owns.

    Lost if it fails: two consumers process a partition at once, because a cooperative owner goes on until it is told.
    Source: KIP-429.
    """
    owners = owners_by_claims(group)
    return all(
        owners.get(each, name) == name for name, mine in assigned.items() for each in mine - group.members[name].owned
    )


def only_owned_is_withheld(group: Group, assigned: Assignment) -> bool:
    """A partition that nobody gets is one that some member says it owns, and must give up first.

    Lost if it fails: nobody reads a partition, and no rebalance follows.
    Source: KIP-429.
    """
    claimed = {each for member in group.members.values() for each in member.owned}
    return wanted_partitions(group) - claimed <= set[Partition]().union(*assigned.values())
