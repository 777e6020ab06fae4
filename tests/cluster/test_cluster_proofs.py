"""What is proved of the cluster for all states, what breaks it, and what is not proved."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.proofs.houdini import true_everywhere
from kafkacheck.checker.proofs.obligations import obligations
from kafkacheck.checker.proofs.prove import Outcome, Prover, Settings, prove
from kafkacheck.checker.proofs.reached import explore
from kafkacheck.model.cluster import family as cluster
from tests.support.command import ROOT
from tests.support.marks import long_but

ALONE = Settings(jobs=0, use_cache=False)
SMALL = {"max_leader_epoch": 1, "max_metadata_offset": 2}
MODELS = [
    name for name in catalogue.catalogue_names() if name.startswith("cluster") and catalogue.find_model(name).lemmas
]
# The other models prove the same of much the same actions, and search longer for the same lemmas.
QUICK = ["cluster.zookeeper.three"]
SEARCHED = ["cluster.disks", "cluster.zookeeper"]

PROVED = {
    "logs_match_by_epoch", "logs_agree_below_high_watermark", "one_leader_in_epoch", "isr_has_no_inactive",
    "high_watermark_is_within_log", "high_watermark_does_not_fall", "leader_epoch_does_not_fall",
    "stale_fetches_have_no_effect", "leader_is_active", "partition_changes_state_legally", "isr_is_covered",
    "every_truncation_cuts",
}  # fmt: skip
OPEN = {"acknowledged_records_survive"}
"""What would need more lemmas than there are."""
ONLY_SEARCHED = {each.__name__ for each in (*cluster.BROKERS, *cluster.CONTROLLER)}
"""What is said of single steps; nobody tried to prove it."""
OPEN_WITH_TWO_RECORDS = {"logs_match_by_epoch", "logs_agree_below_high_watermark"}
"""With one record there are no two that could differ."""


@pytest.fixture
def is_long(request):
    return request.config.getoption("--long")


def names_of(failed):
    return {(each.obligation.subject, each.obligation.action) for each in failed}


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, QUICK))
def test_fencing_epochs_and_high_watermark_are_proved(name, is_long):
    model = catalogue.find_model(name).with_bounds({} if is_long else SMALL)
    proof = prove(model, ALONE, sorted(PROVED))
    assert proof.is_proved, names_of(proof.failed)


@pytest.mark.slow
@pytest.mark.parametrize("name", long_but(MODELS, SEARCHED))
def test_the_lemmas_hold_in_every_reachable_state(name):
    model = catalogue.find_model(name)
    reached = explore(model, Limits())
    assert reached.is_complete
    assert true_everywhere(model, model.lemmas, reached) == list(model.lemmas)


def test_every_property_is_either_proved_or_open():
    for name in MODELS:
        asked = {each.name for each in catalogue.find_model(name).properties} - ONLY_SEARCHED
        assert asked == PROVED | OPEN, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "bounds"),
    [(name, {}) for name in sorted(OPEN)]
    + [(name, {"log_size": 2, "max_records": 2}) for name in sorted(OPEN_WITH_TWO_RECORDS)],
)
def test_what_is_not_proved_is_answered_with_a_state(name, bounds):
    model = catalogue.find_model("cluster.kraft").with_bounds({**SMALL, **bounds})
    failed = [each for each in answers(model, name) if each.outcome is not Outcome.PROVED]
    assert failed and all(each.failure is not None and each.failure.after is not None for each in failed)


def answers(model, name):
    """What becomes of the obligations of one property, under the lemmas and what is proved."""
    known = [*model.lemmas, *(each for each in model.properties if each.name in PROVED or each.name == name)]
    invariants = [each for each in known if not each.is_step]
    steps = [each for each in known if each.is_step and each.name == name]
    asked = [each for each in obligations(model, invariants, steps).preservation if each.subject == name]
    return list(Prover(model, (*invariants, *steps), ALONE).answers(asked))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "rule", "broken", "action"),
    [
        ("cluster.kraft", {"fetch_fencing": "NONE"}, "stale_fetches_have_no_effect", "leader_answers_fetch"),
        (
            "cluster.zookeeper",
            {"leader_and_isr_checks_epochs": False},
            "leader_epoch_does_not_fall",
            "broker_obeys_leader_and_isr",
        ),
        ("cluster.kraft", {"isr_excludes_inactive": False}, "isr_has_no_inactive", "controller_alters_partition"),
        pytest.param(
            *("cluster.kraft", {"answer_checks_partition_epoch": False}, "isr_is_covered", "leader_learns_of_change"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *("cluster.kraft", {"epoch_file_is_cut_at_end": False}, "every_truncation_cuts", "follower_uses_fetch"),
            marks=pytest.mark.long,
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_a_rule_that_is_taken_out_is_answered_with_the_action_that_has_it(name, rule, broken, action):
    model = catalogue.find_model(name).with_bounds(SMALL)
    assert {each.outcome for each in answers(model, broken)} == {Outcome.PROVED}
    failed = [each for each in answers(model.with_rules(rule), broken) if each.outcome is not Outcome.PROVED]
    assert names_of(failed) == {(broken, action)}


@pytest.mark.parametrize("name", sorted(PROVED | OPEN))
def test_the_specification_says_what_is_proved(name):
    text = (ROOT / "spec" / "PROOFS.md").read_text(encoding="utf-8").partition("## What is proved of the cluster")[2]
    proved, _, open_ones = text.partition("Not proved")
    assert (f"`{name}`" in proved) == (name in PROVED)
    assert (f"`{name}`" in open_ones) == (name in OPEN or name in OPEN_WITH_TWO_RECORDS)
