"""What is proved of transactions for all states, what breaks it, and what is not proved."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.proofs.obligations import obligations
from kafkacheck.checker.proofs.prove import Outcome, Prover, prove
from kafkacheck.model.transactions.family import STEPS, UPGRADE
from tests.support.command import ROOT
from tests.support.marks import long_but
from tests.support.proving import ALONE, check_lemmas

MODELS = [
    name
    for name in catalogue.catalogue_names()
    if name.startswith("transactions") and catalogue.find_model(name).lemmas
]
# The others prove the same of much the same actions.
QUICK = ["transactions.late.produce"]
SMALL = {"log_size": 3, "max_verification_guard": 3, "max_producer_epoch": 2}
"""Formulas grow with the log; `make long` proves each model at its own bounds, and these at larger ones."""
LARGER = {"producer_ids": 2, "clients": 2, "transactional_ids": 2, "requests": 2, "produces": 2}

PROVED = {
    "transitions_are_valid", "coordinator_transitions_are_valid", "transactional_ids_do_not_go_back",
    "older_producers_append_nothing", "coordinator_epochs_do_not_fall", "producer_epochs_do_not_fall",
    "stopped_clients_do_nothing", "readers_stop_at_undecided", "stable_offset_does_not_fall",
    "reads_end_at_stable_offset",
    "delivered_records_are_committed", "committed_records_are_delivered",
}  # fmt: skip
OPEN = {
    "transactions_are_atomic", "only_what_was_to_be_committed_is", "applications_are_told_the_truth",
    "clients_skip_no_epoch", "committed_transactions_are_whole", "records_are_stored_once",
    "only_what_was_to_be_committed_is_delivered",
}  # fmt: skip
"""What would need more lemmas than there are."""
OPEN_IN = {
    "transactions.coordinator.zombie_coordinator": {"coordinator_epochs_do_not_fall", "producer_epochs_do_not_fall"}
}
"""A partition that has forgotten a producer does not know its epochs either."""


@pytest.fixture
def is_long(request):
    return request.config.getoption("--long")


def proved_of(model):
    return sorted({each.name for each in model.properties} & PROVED - OPEN_IN.get(model.name, set()))


def names_of(failed):
    return {(each.obligation.subject, each.obligation.action) for each in failed}


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_transitions_epochs_and_stable_offsets_are_proved(name, is_long):
    model = catalogue.find_model(name).with_bounds({} if is_long else SMALL)
    proof = prove(model, ALONE, proved_of(model))
    assert proof.is_proved, names_of(proof.failed)


@pytest.mark.long
def test_stable_offsets_are_proved_of_two_producers_in_one_log():
    model = catalogue.find_model("transactions.reader").with_bounds(LARGER)
    assert prove(model, ALONE, proved_of(model)).is_proved


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_the_lemmas_hold_in_every_reachable_state(name):
    check_lemmas(name)


def test_every_property_is_proved_or_open_or_says_what_is_done_in_single_steps():
    single = {each.__name__ for each in (*STEPS, *UPGRADE)}
    for name in MODELS:
        assert {each.name for each in catalogue.find_model(name).properties} <= PROVED | OPEN | single, name


def answers(model, name):
    """What becomes of the obligations of one property or lemma, under the lemmas and what is proved."""
    wanted = {*proved_of(model), name}
    known = [*model.lemmas, *(each for each in model.properties if each.name in wanted)]
    invariants = [each for each in known if not each.is_step]
    steps = [each for each in known if each.is_step and each.name == name]
    asked = [each for each in obligations(model, invariants, steps).preservation if each.subject == name]
    return list(Prover(model, (*invariants, *steps), ALONE).answers(asked))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "name"),
    [("transactions.late.requests", name) for name in sorted(OPEN) if not name.endswith("_delivered")]
    + [("transactions.two_step_read", "only_what_was_to_be_committed_is_delivered")],
)
def test_what_is_not_proved_is_answered_with_a_state(model, name):
    failed = [
        each
        for each in answers(catalogue.find_model(model).with_bounds(SMALL), name)
        if each.outcome is not Outcome.PROVED
    ]
    assert failed and all(each.failure is not None and each.failure.after is not None for each in failed)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rule", "broken", "action"),
    [
        (
            "transactions.two_step_read",
            {"high_watermark_is_read_once": False},
            "reads_end_at_stable_offset",
            "leader_limits_read",
        ),
        ("transactions.reader", {"index_comes_first": False}, "aborted_index_matches_log", "index_fails"),
    ],
    ids=["high_watermark_is_read_once", "index_comes_first"],
)
def test_a_rule_that_is_taken_out_is_answered_with_the_action_that_has_it(name, rule, broken, action):
    model = catalogue.find_model(name).with_bounds(SMALL)
    assert {each.outcome for each in answers(model, broken)} == {Outcome.PROVED}
    failed = [each for each in answers(model.with_rules(rule), broken) if each.outcome is not Outcome.PROVED]
    assert names_of(failed) == {(broken, action)}


@pytest.mark.parametrize("name", sorted(PROVED | OPEN))
def test_the_specification_says_what_is_proved(name):
    text = (ROOT / "spec" / "PROOFS.md").read_text(encoding="utf-8").partition("## What is proved of transactions")[2]
    proved, _, open_ones = text.partition("\n## ")[0].partition("Not proved")
    assert (f"`{name}`" in proved) == (name in PROVED)
    assert (f"`{name}`" in open_ones) == (name in OPEN or name in set().union(*OPEN_IN.values()))
