"""Every guard of Kafka's protocols in the catalogue earns its place."""

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.mutation.guards import Examiner, Outcome
from tests.checker.mutation.test_guards import findings, one
from tests.support.command import Command

CAUGHT, UNEXPLAINED = Outcome.CAUGHT, Outcome.UNEXPLAINED


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.mark.slow
def test_every_guard_of_the_oldest_protocol_is_explained(kafkacheck):
    ended = kafkacheck("guards", "truncate_to_high_watermark", "--workers", 1)
    assert ended.status == 0
    assert ended.last_line.endswith(" 0 unexplained")


MODELS = ["broker_lifecycle.*", "cluster.*", "compaction.*", "metadata_quorum.*", "producer.*", "transactions.*"]


@pytest.mark.long
@pytest.mark.parametrize("models", MODELS)
def test_every_guard_of_models_that_judge_together_is_explained(kafkacheck, models):
    ended = kafkacheck("guards", models)
    assert ended.status == 0, ended.error
    assert ", 0 unexplained" in ended.last_line


EXPANSION = {"add_caught_up_follower", "has_established_epoch"}


@pytest.mark.long
def test_two_replicas_do_not_explain_when_an_isr_may_grow_and_three_do():
    two = {"replicas": 2, "log_size": 1, "max_records": 1}
    found = findings(find_model("kip320").with_bounds(two))
    survivors = {name: each for name, each in found.items() if each.outcome is UNEXPLAINED}
    assert {name.split(":")[0] for name in survivors} == EXPANSION
    examiner = Examiner(find_model("kip320").with_bounds(two | {"replicas": 3}))
    guard = next(name for name in survivors if name.startswith("add_caught_up_follower"))
    assert one(examiner, guard).outcome is CAUGHT


@pytest.mark.slow
def test_a_lemma_catches_a_fetch_of_another_epoch_before_a_record_is_lost():
    examiner = Examiner(find_model("kip320").with_bounds({"log_size": 1, "max_records": 1}))
    found = one(examiner, "is_following: return")
    assert (found.outcome, found.by) == (CAUGHT, "joined_isr_in_epoch")


ACKNOWLEDGES = "acknowledge: if leader_epoch_at(leader.log, offset) >= begun and rules.acks == Acks.ALL: always"
USES_FETCH = (
    "follower_uses_fetch: fetch.stage != Stage.ANSWERED or fetch.question != Question.FETCH: without `fetch.question"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guard", "by"),
    [
        ("leader_answers_fetch: if not leader.is_running", "stopped_brokers_do_nothing"),
        (USES_FETCH, "answered_questions_are_used"),
        ("power_fails: if not broker.is_running", "disturbances_are_real"),
        (ACKNOWLEDGES, "only_appender_acknowledges"),
        ("cut_epochs_from: if start >= end_offset", "truncation_cuts_epochs"),
        pytest.param(
            *("turn_to_leader: if fetch.stage == Stage.ANSWERED and rules", "new_epoch_drops_answers"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *("is_choice: return new_leader in candidates: always True", "leader_epoch_counts_leaders"),
            marks=pytest.mark.long,
        ),
        pytest.param(
            *("can_take_out: if broker_id not in metadata.active", "every_change_has_an_effect"), marks=pytest.mark.long
        ),
    ],
)
def test_what_brokers_do_step_by_step_is_needed_to_catch_a_guard(power, guard, by):
    found = one(power, guard)
    assert (found.outcome, found.by) == (CAUGHT, by)


@pytest.fixture(scope="module")
def power():
    return Examiner(find_model("cluster.power"))
