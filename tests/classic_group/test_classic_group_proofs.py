"""What is proved of eager classic groups for all states: generations, fencing, and that a partition has one owner."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.proofs.prove import prove
from kafkacheck.model.classic_group.family import LEMMAS
from tests.support.command import ROOT
from tests.support.marks import long_but
from tests.support.proving import ALONE, check_lemmas, names_of

PROVED = [
    "no_two_owners",
    "members_have_one_owner",
    "generations_do_not_fall",
    "requests_get_the_error_due",
    "refused_requests_change_nothing",
]
OPEN = ["stable_groups_have_assignments", "the_later_of_two_instances_stays"]
"""What would need more lemmas than there are."""
MODELS = [
    name
    for name in catalogue.catalogue_names()
    if name.startswith("classic_group") and catalogue.find_model(name).lemmas
]
QUICK = ["classic_group"]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_generations_fencing_and_single_ownership_are_proved(name):
    proof = prove(catalogue.find_model(name), ALONE, PROVED)
    assert proof.is_proved, names_of(proof)


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_the_lemmas_hold_in_every_reachable_state(name):
    check_lemmas(name)


@pytest.mark.slow
def test_instance_ids_that_are_not_checked_break_the_proof_at_the_coordinator():
    model = catalogue.find_model("classic_group.static").with_rules({"instance_is_checked": False})
    assert ("no_two_owners", "coordinator_handles_request") in names_of(prove(model, ALONE, PROVED))


@pytest.mark.long
@pytest.mark.parametrize("without", [each.__name__ for each in LEMMAS])
def test_each_lemma_is_needed(without):
    rest = [each for each in LEMMAS if each.__name__ != without]
    model = catalogue.find_model("classic_group.departures").with_given_lemmas(rest)
    assert names_of(prove(model, ALONE, PROVED))


@pytest.mark.parametrize("name", PROVED + OPEN)
def test_the_specification_says_what_is_proved(name):
    text = (ROOT / "spec" / "PROOFS.md").read_text(encoding="utf-8")
    proved, _, open_ones = (
        text.partition("## What is proved of classic groups")[2].partition("\n## ")[0].partition("Not proved")
    )
    assert (f"`{name}`" in proved) == (name in PROVED)
    assert (f"`{name}`" in open_ones) == (name in OPEN)
