"""What an assignor is asked, and what it answers.

Part of Kafka modelled: `ConsumerPartitionAssignor` (`Subscription`, `GroupSubscription`), `Cluster`, `GroupSpec`,
`SubscribedTopicDescriber`; `AbstractPartitionAssignor.MemberInfo`.
Source: apache/kafka (commit 1eb7644349); KIP-345, KIP-792, KIP-881.
Left out, and why that is sound: topic ids, because a name does the same if it stays with its topic; the encoding of
owned partitions and generation in the user data of a subscription, because an assignor decodes it before it decides.
Java compares names by UTF-16 units and Python by code points; both agree on names without characters beyond U+FFFF.

Where Kafka walks through a hash map of members or topics, the hashes of the ids decide the order, and sometimes the
result. Here the dicts of a group have that order: the first one in the dict is the one that Kafka's map gives first.
"""

from typing import NamedTuple

NO_GENERATION = -1


class NoAssignmentError(Exception):
    """The assignor fails, as Kafka's does; the message says for which partition, and why."""


Partition = tuple[str, int]
"""A topic and the number of the partition in it."""

Assignment = dict[str, set[Partition]]
"""The partitions of each member, by member id."""


class Member(NamedTuple):
    """A member of a group, as its subscription describes it.

    topics: the names of the topics to which the member subscribes.
    owned: the partitions that the member says it owns; for an assignor of the coordinator its target assignment. If
      their topic exists, so do they.
    generation: the generation in which the member owned them; NO_GENERATION if it has been in none.
    rack: where the member runs (`client.rack`); empty if it does not say.
    instance_id: its name as a static member (`group.instance.id`); empty if it is none.
    """

    topics: frozenset[str]
    owned: frozenset[Partition] = frozenset()
    generation: int = NO_GENERATION
    rack: str = ""
    instance_id: str = ""


class Group(NamedTuple):
    """A group at the moment of an assignment.

    topics: how many partitions each existing topic has, at least one.
    members: the members by their member id; at least one.
    racks: where the replicas of a partition are; a partition that is not in it has replicas in no known rack.
    """

    topics: dict[str, int]
    members: dict[str, Member]
    racks: dict[Partition, frozenset[str]]


def no_partitions(group: Group) -> Assignment:
    """The assignment in which each member has nothing."""
    return {member: set() for member in group.members}


def partitions_of(group: Group, topic: str) -> list[Partition]:
    """The partitions of a topic, in order. A topic that does not exist has none."""
    return [(topic, number) for number in range(group.topics.get(topic, 0))]


def assignable_topics(group: Group) -> list[str]:
    """The topics that exist and that some member subscribes to, in the order of `group.topics`."""
    wanted = {topic for member in group.members.values() for topic in member.topics}
    return [topic for topic in group.topics if topic in wanted]


def subscribers(group: Group, topic: str) -> list[str]:
    """The members that subscribe to a topic, in the order of `group.members`."""
    return [name for name, member in group.members.items() if topic in member.topics]


def static_first(group: Group) -> list[str]:
    """All members: static ones by their instance id, then the others by their member id.

    Source: `AbstractPartitionAssignor.MemberInfo.compareTo`, `RangeAssignor.sortMemberIds`; KIP-345.
    """
    statics = sorted((member.instance_id, name) for name, member in group.members.items() if member.instance_id)
    return [name for _, name in statics] + sorted(
        name for name, member in group.members.items() if not member.instance_id
    )
