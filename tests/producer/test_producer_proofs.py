"""What is proved of the idempotent producer for all states: which sequences and epochs a broker accepts."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.proofs.prove import prove
from tests.support.marks import long_but
from tests.support.proving import ALONE, check_lemmas, names_of

PROVED = ["sequences_follow_each_other", "older_epochs_are_fenced"]
MODELS = [
    name for name in catalogue.catalogue_names() if name.startswith("producer") and catalogue.find_model(name).lemmas
]
QUICK = ["producer.unknown", "producer.wraps"]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_which_sequences_and_epochs_are_accepted_is_proved(name):
    proof = prove(catalogue.find_model(name), ALONE, PROVED)
    assert proof.is_proved, names_of(proof)


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_the_lemmas_hold_in_every_reachable_state(name):
    check_lemmas(name)


@pytest.mark.slow
def test_sequences_are_accepted_by_what_is_remembered():
    model = catalogue.find_model("producer.unknown")
    less = [each.function for each in model.lemmas if each.name != "producer_state_matches_log"]
    proof = prove(model.with_given_lemmas(less), ALONE, PROVED)
    failed = names_of(proof)
    assert ("sequences_follow_each_other", "leader_handles_produce") in failed
