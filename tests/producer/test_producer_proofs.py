"""What is proved of the idempotent producer for all states: which sequences and epochs a broker accepts."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.proofs.houdini import true_everywhere
from kafkacheck.checker.proofs.prove import Settings, prove
from kafkacheck.checker.proofs.reached import explore
from tests.support.marks import long_but

ALONE = Settings(jobs=0, use_cache=False)
PROVED = ["sequences_follow_each_other", "older_epochs_are_fenced"]
MODELS = [
    name for name in catalogue.catalogue_names() if name.startswith("producer") and catalogue.find_model(name).lemmas
]
QUICK = ["producer.unknown", "producer.wraps"]


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_which_sequences_and_epochs_are_accepted_is_proved(name):
    proof = prove(catalogue.find_model(name), ALONE, PROVED)
    assert proof.is_proved, {(each.obligation.subject, each.obligation.action) for each in proof.failed}


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_the_lemmas_hold_in_every_reachable_state(name):
    model = catalogue.find_model(name)
    reached = explore(model.with_properties(()), Limits())
    assert reached.is_complete
    assert true_everywhere(model, model.lemmas, reached) == list(model.lemmas)


@pytest.mark.slow
def test_sequences_are_accepted_by_what_is_remembered():
    model = catalogue.find_model("producer.unknown")
    less = [each.function for each in model.lemmas if each.name != "producer_state_matches_log"]
    proof = prove(model.with_given_lemmas(less), ALONE, PROVED)
    failed = {(each.obligation.subject, each.obligation.action) for each in proof.failed}
    assert ("sequences_follow_each_other", "leader_handles_produce") in failed
