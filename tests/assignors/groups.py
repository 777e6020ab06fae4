"""Groups for Hypothesis: few members, topics and partitions, so that ties and clashes are common."""

from hypothesis import strategies as st

from kafkacheck.impl.assignors.group import Group, Member

TOPICS = ("t0", "t1", "t2")
MEMBERS = ("a", "b", "c", "d")
RACKS = ("r1", "r2")


@st.composite
def groups(draw, equal=False, owned=False, racks=False, empty=True):
    """A group. `equal`: all members have the same topics; `owned`: they own partitions, each at most one member;
    `empty`: a member may have no topic."""
    topics = draw(st.dictionaries(st.sampled_from(TOPICS), st.integers(1, 5), min_size=1))
    names = draw(st.lists(st.sampled_from(MEMBERS), min_size=1, unique=True))
    wanted = st.frozensets(st.sampled_from(TOPICS), min_size=0 if empty else 1)
    subscriptions = [draw(wanted)] * len(names) if equal else [draw(wanted) for _ in names]
    every = [(topic, number) for topic in topics for number in range(topics[topic])]
    owners = {each: draw(st.sampled_from([None, *names])) for each in every} if owned else {}
    members = {}
    for name, subscribed in zip(names, subscriptions, strict=True):
        mine = frozenset(each for each, owner in owners.items() if owner == name)
        rack = draw(st.sampled_from(["", *RACKS])) if racks else ""
        instance_id = draw(st.sampled_from(["", f"i{ord('e') - ord(name)}"]))
        members[name] = Member(subscribed, mine, 1 if mine else -1, rack, instance_id)
    places = {each: draw(st.frozensets(st.sampled_from(RACKS))) for each in every} if racks else {}
    return Group(topics, members, places)


@st.composite
def settled(draw, assign, equal=False):
    """A group whose members own what `assign` gave them, while they had other topics or other fellows."""
    group = draw(groups(equal=equal, empty=False))
    before = Group(
        group.topics, {name: Member(draw(st.frozensets(st.sampled_from(TOPICS), min_size=1))) for name in MEMBERS}, {}
    )
    owned = assign(before)
    members = {name: each._replace(owned=frozenset(owned[name]), generation=1) for name, each in group.members.items()}
    return group._replace(members=members)
