"""The uniform assignor of the group coordinator, for members that subscribe to different topics.

Part of Kafka modelled: `UniformHeterogeneousAssignmentBuilder`.
Source: KIP-848; apache/kafka (commit 1eb7644349).
Left out, and why that is sound: Kafka's ranges of members with the most and with the fewest partitions. They are a fast
way to the next member of each kind. Topics are sorted by their ids in Kafka, and here by their names, which stand for
the ids.
"""

from typing import NamedTuple

from kafkacheck.impl.assignors.group import Assignment, Group, Partition, assignable_topics, partitions_of, subscribers

ROUNDS = 16
"""After how many rounds through all topics Kafka is content with the balance (`MAX_ITERATION_COUNT`)."""
NOBODY = -1


class Spread(NamedTuple):
    """An assignment that is being made.

    group: the group.
    places: the place of each member, by which equal ones are told apart.
    assigned: what each member has by now.
    """

    group: Group
    places: dict[str, int]
    assigned: Assignment


def uniform_for_different_topics(group: Group) -> Assignment:
    """Members keep the partitions of their topics; the rest goes to those with the fewest; then topics are evened out.

    Source: `UniformHeterogeneousAssignmentBuilder` (`build`, `assignRemainingPartitions`).
    """
    topics = set(assignable_topics(group))
    kept = {
        name: {each for each in member.owned if each[0] in member.topics & topics}
        for name, member in group.members.items()
    }
    spread = Spread(group, {name: place for place, name in enumerate(group.members)}, kept)
    ordered = sorted(topics, key=lambda topic: topic_rank(group, topic))
    taken = set[Partition]().union(*kept.values())
    for topic in ordered:
        members = by_load(spread, subscribers(group, topic))
        for partition in partitions_of(group, topic):
            if partition not in taken:
                spread.assigned[least_loaded_of(spread, members)].add(partition)
    even_out(spread, [topic for topic in ordered if len(subscribers(group, topic)) >= 2])
    return spread.assigned


def topic_rank(group: Group, topic: str) -> tuple[float, int, str]:
    """By which topics are sorted: those with the most partitions for each subscriber come first."""
    members = len(subscribers(group, topic))
    return -group.topics[topic] / members, members, topic


def by_load(spread: Spread, members: list[str]) -> list[str]:
    """Some members, beginning with those that have the fewest partitions."""
    return sorted(members, key=lambda name: (len(spread.assigned[name]), spread.places[name]))


def least_loaded_of(spread: Spread, members: list[str]) -> str:
    """The first of some members with the fewest partitions."""
    return min(members, key=lambda name: len(spread.assigned[name]))


def even_out(spread: Spread, topics: list[str]) -> None:
    """Even out one topic after the other, until a whole round has changed nothing, or the rounds are used up.

    Source: `UniformHeterogeneousAssignmentBuilder.balanceTopics`.
    """
    last = NOBODY
    for _ in range(ROUNDS):
        for place, topic in enumerate(topics):
            if place == last:
                return
            if is_evened_out(spread, topic) or last == NOBODY:
                last = place


def is_evened_out(spread: Spread, topic: str) -> bool:
    """Move partitions of a topic from the subscribers with the most to those with the fewest; whether any was moved.

    A member gives away the highest numbers first, and only what it had at the beginning.
    Source: `UniformHeterogeneousAssignmentBuilder` (`balanceTopic`, `MemberAssignmentBalancer`).
    """
    members = by_load(spread, subscribers(spread.group, topic))
    loads = {name: len(spread.assigned[name]) for name in members}
    stock = {name: sorted(each for each in spread.assigned[name] if each[0] == topic) for name in members}
    is_moved = False
    if loads[members[-1]] - loads[members[0]] <= 1:
        return is_moved
    givers = len(members)
    while givers:
        place = max(range(givers), key=lambda each: (len(spread.assigned[members[each]]), each))
        giver, taker = members[place], least_loaded_of(spread, members)
        if not stock[giver]:
            givers -= 1
            members[place], members[givers] = members[givers], giver
            continue
        if len(spread.assigned[giver]) - len(spread.assigned[taker]) <= 1:
            break
        partition = stock[giver].pop()
        spread.assigned[giver].remove(partition)
        spread.assigned[taker].add(partition)
        is_moved = True
    return is_moved
