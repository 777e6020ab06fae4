"""What is proved of consumer groups for all states: fencing, and that a partition has one owner."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.proofs.prove import prove
from kafkacheck.model.consumer_group.family import COORDINATOR_LEMMAS, LEMMAS
from tests.support.command import ROOT
from tests.support.marks import long_but
from tests.support.proving import ALONE, check_lemmas, names_of

COORDINATOR = [
    "partitions_have_one_holder",
    "partition_epochs_are_of_holders",
    "member_epochs_do_not_fall",
    "epochs_are_ordered",
    "refused_heartbeats_change_nothing",
]
OWNERS = ["no_two_owners", "owners_are_known", "responses_tell_what_the_group_has"]
OPEN = ["target_assignment_is_legal", "stable_groups_have_their_target", "newest_epoch_owns_no_other_target"]
"""What would need more lemmas than there are."""

GROUPS = [catalogue.find_model(name) for name in catalogue.catalogue_names() if name.startswith("consumer_group")]
MODELS = [model.name for model in GROUPS if model.lemmas]
WHOLE = [model.name for model in GROUPS if len(model.lemmas) == len(LEMMAS)]
QUICK = ["consumer_group.leaves", "consumer_group.lost_heartbeats"]


def proved_of(model):
    return COORDINATOR + OWNERS * (model.name in WHOLE)


def test_models_have_the_lemmas_of_the_coordinator_or_all():
    assert len(COORDINATOR_LEMMAS) < len(LEMMAS)
    assert WHOLE and set(WHOLE) < set(MODELS)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_fencing_and_single_ownership_are_proved(name):
    model = catalogue.find_model(name)
    proof = prove(model, ALONE, proved_of(model))
    assert proof.is_proved, names_of(proof)


@pytest.mark.slow
def test_single_ownership_is_proved_of_three_members_and_partitions():
    bounds = {"members": 3, "partitions": 3, "max_group_epoch": 8}
    model = catalogue.find_model("consumer_group.target_is_owned").with_bounds(bounds)
    assert prove(model, ALONE, COORDINATOR + OWNERS).is_proved


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_the_lemmas_hold_in_every_reachable_state(name):
    check_lemmas(name)


@pytest.mark.slow
def test_a_heartbeat_that_names_less_breaks_the_proof_where_it_is_sent():
    model = catalogue.find_model("consumer_group.target_is_owned").with_rules({"target_counts_as_owned": False})
    assert names_of(prove(model, ALONE, COORDINATOR + OWNERS)) == {
        ("requests_name_all_that_may_be_processed", "consumer_sends_heartbeat")
    }


@pytest.mark.long
@pytest.mark.parametrize("without", [each.__name__ for each in LEMMAS])
def test_each_lemma_is_needed(without):
    model = catalogue.find_model("consumer_group.target_is_owned")
    rest = [each for each in LEMMAS if each.__name__ != without]
    assert names_of(prove(model.with_given_lemmas(rest), ALONE, COORDINATOR + OWNERS))


@pytest.mark.parametrize("name", COORDINATOR + OWNERS + OPEN)
def test_the_specification_says_what_is_proved(name):
    text = (ROOT / "spec" / "PROOFS.md").read_text(encoding="utf-8")
    proved, _, open_ones = (
        text.partition("## What is proved of consumer groups")[2].partition("\n## ")[0].partition("Not proved")
    )
    assert (f"`{name}`" in proved) == (name in COORDINATOR + OWNERS)
    assert (f"`{name}`" in open_ones) == (name in OPEN)
