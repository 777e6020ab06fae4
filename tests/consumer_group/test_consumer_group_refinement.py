"""The consumer protocol and the abstract group: each property fails where it must, on states and by Kafka's rules."""

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.consumer_group.constants import MemberState
from kafkacheck.impl.consumer_group.records import ConsumerGroupRules
from kafkacheck.model.consumer_group import environment, family, system
from kafkacheck.model.consumer_group.abstract_group import MODEL
from kafkacheck.model.consumer_group.system import State
from kafkacheck.spec.consumer_group import refinement as spec
from kafkacheck.spec.group.ownership import comes_after, may_own

LAYOUT = Layout(State, MODEL.bounds)
BOUNDS = LAYOUT.bounds.as_tuple()


def owned_by(*owned, epochs=(3, 3), noted=()):
    """Two members in epoch 3 that own these sets of the two partitions; `noted`: who owned partition 0 last."""
    state = LAYOUT.blank()
    for member_id, partitions in enumerate(owned):
        state.group.members[member_id].state = MemberState.STABLE
        state.group.members[member_id].member_epoch = 3
        state.consumers[member_id].member_epoch = epochs[member_id]
        state.consumers[member_id].owned = Ids(partitions)
    if noted:
        state.last_owners[0].member_id, state.last_owners[0].member_epoch = noted
    return state


@pytest.mark.parametrize(
    ("before", "after", "is_step"),
    [
        (owned_by({0}, {}), owned_by({0}, {}), True),
        (owned_by({0}, {}), owned_by({}, {}), True),
        (owned_by({}, {}, noted=(0, 2)), owned_by({}, {0}), True),
        (owned_by({}, {}, noted=(0, 3)), owned_by({0}, {}), True),
        (owned_by({}, {}, noted=(0, 3)), owned_by({}, {0}), False),
        (owned_by({}, {}, noted=(0, 4)), owned_by({0}, {}), False),
        (owned_by({0}, {}), owned_by({}, {0}), False),
        (owned_by({0}, {}), owned_by({0}, {0}), False),
        (owned_by({0}, {}, epochs=(2, 3)), owned_by({0}, {0}, epochs=(2, 3)), True),
    ],
    ids=[
        *("nothing", "gives up", "newer epoch", "the same member", "the same epoch", "older epoch", "not free"),
        *("two owners", "the other one is fenced"),
    ],
)
def test_a_partition_is_taken_when_it_is_free_and_under_a_newer_epoch(before, after, is_step):
    assert spec.partitions_are_handed_over_in_order(before, after) is is_step


def test_a_fenced_consumer_is_told_by_its_epoch():
    assert spec.fenced_consumers_are_behind(owned_by({0}, {0}, epochs=(2, 3)))
    assert not spec.fenced_consumers_are_behind(owned_by({0}, {0}, epochs=(4, 3)))
    assert not spec.fenced_consumers_are_behind(owned_by({0}, {0}))


def test_the_history_has_every_owner():
    assert spec.last_owners_are_noted(owned_by({0}, {}, noted=(0, 3)), BOUNDS)
    assert not spec.last_owners_are_noted(owned_by({0}, {}, noted=(1, 3)), BOUNDS)
    assert not spec.last_owners_are_noted(owned_by({0}, {}, noted=(0, 2)), BOUNDS)
    assert not spec.last_owners_are_noted(owned_by({0}, {}), BOUNDS)


def test_the_history_has_nobody_else():
    assert spec.only_owners_are_noted(owned_by({}, {}), owned_by({0}, {}, noted=(0, 3)))
    assert spec.only_owners_are_noted(owned_by({0}, {}, noted=(0, 3)), owned_by({}, {}, noted=(0, 3)))
    assert not spec.only_owners_are_noted(owned_by({}, {}), owned_by({}, {}, noted=(0, 3)))


def test_only_a_successor_takes_a_partition_under_the_same_epoch():
    assert comes_after(3, 2, False) and comes_after(3, 3, True)
    assert not comes_after(3, 3, False) and not comes_after(2, 3, True)
    assert may_own(1, 3, True, False, 0, 3) and not may_own(1, 3, False, False, 0, 3)
    assert not may_own(1, 4, False, True, 0, 3), "somebody owns it"


PROPERTIES = [spec.partitions_are_handed_over_in_order, spec.fenced_consumers_are_behind]


@pytest.mark.slow
@pytest.mark.parametrize("broken", [each.__name__ for each in PROPERTIES])
def test_a_heartbeat_under_way_breaks_the_abstract_group(broken):
    """Finding F14."""
    model = MODEL.with_rules({"target_counts_as_owned": False}).with_properties([broken])
    assert check(model, engine="compiled").property == broken


@pytest.mark.slow
def test_a_group_implements_the_abstract_group_although_its_coordinator_changes():
    model = family.CONSUMER_GROUP.model(
        name="another_coordinator",
        bounds={"failovers": 1, "leaves": 1, "max_group_epoch": 3, "noted_owners": 1},
        rules=ConsumerGroupRules(target_counts_as_owned=True),
        actions=[
            *family.ACTIONS,
            *(system.group_log_commits, environment.coordinator_fails_over),
            *(environment.consumer_leaves, system.consumer_releases_partitions),
            system.coordinator_fences_silent_member,
        ],
        always=[*PROPERTIES, spec.last_owners_are_noted],
    )
    assert check(model, engine="compiled").verdict is Verdict.HOLDS
