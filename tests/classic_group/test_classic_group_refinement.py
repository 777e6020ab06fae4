"""The classic protocol and the abstract group: each property fails where it must, on states and with old rules."""

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.classic_group.records import ClassicGroupRules
from kafkacheck.model.classic_group import environment, family
from kafkacheck.model.classic_group.abstract_group import MODEL
from kafkacheck.model.classic_group.system import State
from kafkacheck.spec.classic_group import refinement as spec

LAYOUT = Layout(State, MODEL.bounds)
BOUNDS = LAYOUT.bounds.as_tuple()
RULES = ClassicGroupRules()


def owned_by(*owned, generations=(3, 3), noted=(), instances=(-1, -1)):
    """Two members in generation 3 that own these sets of the two partitions; `noted`: who owned partition 0 last."""
    state = LAYOUT.blank()
    state.group.generation = 3
    for consumer_id, partitions in enumerate(owned):
        consumer = state.consumers[consumer_id]
        consumer.member_id, consumer.generation = consumer_id, generations[consumer_id]
        consumer.instance_id = instances[consumer_id]
        consumer.owned = Ids(partitions)
        state.group.members[consumer_id].is_member = True
        state.group.members[consumer_id].instance_id = instances[consumer_id]
    if noted:
        last = state.last_owners[0]
        last.member_id, last.generation, last.instance_id = noted
    return state


@pytest.mark.parametrize(
    ("before", "after", "is_step"),
    [
        (owned_by({0}, {}), owned_by({0}, {}), True),
        (owned_by({0}, {}), owned_by({}, {}), True),
        (owned_by({}, {}, noted=(0, 2, -1)), owned_by({}, {0}), True),
        (owned_by({}, {}, noted=(0, 3, -1)), owned_by({0}, {}), True),
        (owned_by({}, {}, noted=(0, 3, -1)), owned_by({}, {0}), False),
        (owned_by({}, {}, noted=(0, 3, 0)), owned_by({}, {0}, instances=(-1, 0)), True),
        (owned_by({}, {}, noted=(1, 3, 0)), owned_by({0}, {}, instances=(0, -1)), False),
        (owned_by({0}, {}), owned_by({}, {0}), False),
        (owned_by({0}, {}), owned_by({0}, {0}), False),
        (owned_by({0}, {}, generations=(2, 3)), owned_by({0}, {0}, generations=(2, 3)), True),
    ],
    ids=[
        *("nothing", "gives up", "newer generation", "the same member", "the same generation", "successor"),
        *("predecessor", "not free", "two owners", "the other one is fenced"),
    ],
)
def test_a_partition_is_taken_when_it_is_free_and_in_a_newer_generation(before, after, is_step):
    assert spec.partitions_are_handed_over_in_order(before, after, RULES) is is_step


def test_a_fenced_consumer_is_told_by_its_generation_or_its_place():
    assert spec.fenced_consumers_are_behind(owned_by({0}, {0}, generations=(2, 3)), RULES)
    assert not spec.fenced_consumers_are_behind(owned_by({0}, {0}, generations=(4, 3)), RULES)
    replaced = owned_by({0}, {0}, instances=(0, 0))
    assert not spec.fenced_consumers_are_behind(replaced, RULES)
    replaced.group.members[0].is_member = False
    assert spec.fenced_consumers_are_behind(replaced, RULES)


def test_the_history_has_every_owner():
    assert spec.last_owners_are_noted(owned_by({0}, {}, noted=(0, 3, -1)), RULES, BOUNDS)
    assert not spec.last_owners_are_noted(owned_by({0}, {}, noted=(1, 3, -1)), RULES, BOUNDS)
    assert not spec.last_owners_are_noted(owned_by({0}, {}, noted=(0, 2, -1)), RULES, BOUNDS)


def test_the_history_has_nobody_else():
    noted = (0, 3, -1)
    assert spec.only_owners_are_noted(owned_by({}, {}), owned_by({0}, {}, noted=noted), RULES)
    assert spec.only_owners_are_noted(owned_by({0}, {}, noted=noted), owned_by({}, {}, noted=noted), RULES)
    assert not spec.only_owners_are_noted(owned_by({}, {}), owned_by({}, {}, noted=noted), RULES)


PROPERTIES = [spec.partitions_are_handed_over_in_order, spec.fenced_consumers_are_behind]


def static(**bounds):
    """Two static members with one instance id."""
    return family.CLASSIC_GROUP.model(
        name="static",
        bounds={"member_ids": 5, "max_generation": 6, "noted_owners": 1, **bounds},
        initial=environment.start_with_one_instance,
        actions=[*family.ACTIONS, *([environment.coordinator_fails_over] if bounds else [])],
        always=[*PROPERTIES, spec.last_owners_are_noted],
    )


HANDED_OVER, BEHIND = (each.__name__ for each in PROPERTIES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "rule", "broken"),
    [
        (lambda: MODEL, "owned_are_withheld", HANDED_OVER),  # KIP-429
        (lambda: MODEL, "owned_are_withheld", BEHIND),
        (lambda: MODEL, "lost_member_owns_nothing", HANDED_OVER),  # KAFKA-12983
        (static, "instance_is_checked", HANDED_OVER),  # KAFKA-8225
        (lambda: static(failovers=1), "replacement_is_written", HANDED_OVER),  # KAFKA-10284
    ],
    ids=["KIP-429", "KIP-429, who is behind", "KAFKA-12983", "KAFKA-8225", "KAFKA-10284"],
)
def test_old_rules_break_the_abstract_group(model, rule, broken):
    assert check(model().with_rules({rule: False}).with_properties([broken]), engine="compiled").property == broken


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [static, lambda: static(failovers=1), lambda: MODEL.with_rules({"is_cooperative": False})],
    ids=["static", "static, another coordinator", "eager"],
)
def test_other_groups_implement_the_abstract_group(model):
    assert check(model(), engine="compiled").verdict is Verdict.HOLDS


@pytest.mark.slow
def test_another_coordinator_gives_out_a_generation_again():
    """Nobody owns a partition together with another one, but the order of owners is lost."""
    model = family.CLASSIC_GROUP.model(
        name="again",
        bounds={"failovers": 1, "member_ids": 5, "max_generation": 6, "noted_owners": 1},
        actions=[*family.ACTIONS, environment.coordinator_fails_over],
        always=[*PROPERTIES, spec.last_owners_are_noted],
    )
    assert check(model, engine="compiled").verdict is Verdict.HOLDS
    cooperative = model.with_rules({"is_cooperative": True})
    assert check(cooperative, engine="compiled").property == "partitions_are_handed_over_in_order"
    others = cooperative.with_properties(["fenced_consumers_are_behind", "last_owners_are_noted"])
    assert check(others, engine="compiled").verdict is Verdict.HOLDS
