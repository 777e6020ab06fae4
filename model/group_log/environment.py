"""How the log of a group begins."""

from kafkacheck.checker.schema import Ids, add
from kafkacheck.impl.bounds import Bounds
from kafkacheck.impl.classic_group.constants import GroupState
from kafkacheck.model.group_log.system import State


def start_without_a_group(state: State) -> bool:
    """There is no group."""
    add(state.log.groups, state.group)
    return True


def start_with_a_classic_group(state: State, bounds: Bounds) -> bool:
    """There is a classic group of one member, which has all partitions."""
    add(state.log.groups, state.group)
    classic = state.group.classic
    classic.state = GroupState.STABLE
    classic.generation = 1
    classic.leader = 0
    classic.members[0].is_member = True
    classic.members[0].owned = Ids(range(bounds.partitions))
    classic.members[0].assigned = Ids(range(bounds.partitions))
    add(state.log.groups, state.group)
    return True
