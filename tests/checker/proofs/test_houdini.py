"""Lemmas are found: what is false or not inductive goes, and what is left is what the proof needs."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.commands.prove import pool_lines
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.proofs import candidates, houdini
from kafkacheck.checker.proofs.houdini import find_lemmas
from kafkacheck.checker.proofs.prove import Settings, prove
from kafkacheck.checker.proofs.reached import explore
from kafkacheck.checker.proofs.solver import Answer, Status
from tests.checker.proofs.test_prove import counter
from tests.support.command import ROOT
from tests.toys import die_hard, ewd840, peterson

pytestmark = pytest.mark.slow

LIMITS = Limits(max_seconds=60)


def found(model, pool=()):
    return find_lemmas(model, pool, model.properties, 60, LIMITS)


@pytest.mark.parametrize("toy", [die_hard, peterson], ids=lambda toy: toy.MODEL.name)
def test_every_clause_holds_in_every_reachable_state(toy):
    model = toy.MODEL
    reached = explore(model.with_properties(()), LIMITS)
    clauses = candidates.clauses(model.layout, reached)
    states = [model.layout.restore(tuple(int(value) for value in row)) for row in reached.rows()]
    assert clauses and all(each.holds(state) for each in clauses for state in states)
    assert len({each.name for each in clauses}) == len(clauses)


@pytest.mark.slow
def test_peterson_is_proved_with_lemmas_that_nobody_wrote():
    model = peterson.MODEL.with_given_lemmas([])
    answer = found(model)
    assert answer.needed and not answer.given_up and answer.clauses
    alone = Settings(jobs=0, use_cache=False)
    assert prove(model, alone, lemmas=answer.needed).is_proved
    for left in range(len(answer.needed)):
        fewer = [each for number, each in enumerate(answer.needed) if number != left]
        assert not prove(model, alone, lemmas=fewer).is_proved


def test_a_false_candidate_and_one_that_is_not_inductive_are_dropped(tmp_path):
    model = counter(tmp_path, LEMMAS="[sum_stays, up_is_even]")
    answer = found(model, model.lemmas)
    assert answer.false == 1
    kept = {each.name for each in answer.kept}
    assert "sum_stays" in kept and "up_is_even" not in kept
    assert [each.name for each in answer.needed] == ["sum_stays"]


def test_what_is_kept_is_inductive():
    model = ewd840.MODEL
    answer = found(model)
    assert answer.not_inductive > 0 and answer.needed is None
    assert not {each.name for each in model.properties} <= {each.name for each in answer.kept}
    proof = prove(model.with_properties([]), Settings(jobs=0, use_cache=False), lemmas=answer.kept)
    assert proof.is_proved


@pytest.mark.long
def test_which_lemmas_of_kip_320_are_needed_at_small_bounds():
    model = catalogue.find_model("kip320").with_bounds({"log_size": 1, "max_records": 1, "max_leader_epoch": 1})
    answer = found(model, model.lemmas)
    assert answer.needed is not None
    needed = {each.name for each in answer.needed}
    assert {"next_isr", "leader_in_isr"} <= needed
    assert needed & {"committed_records_on_isr", "committed_records_on_requested_isr"}
    assert "one_leader_per_epoch" not in needed  # it follows from obeyed_requests
    alone = Settings(jobs=0, use_cache=False)
    assert not answer.doubtful and answer.is_complete
    assert prove(model, alone, lemmas=answer.needed).is_proved
    without = [each for each in answer.needed if each.name != "next_isr"]
    assert not prove(model, alone, lemmas=without).is_proved


@pytest.mark.long
def test_how_many_lemmas_of_kip_320_are_needed_at_its_own_bounds():
    model = catalogue.find_model("kip320")
    answer = found(model, model.lemmas)
    page = (ROOT / "spec" / "PROOFS.md").read_text(encoding="utf-8")
    assert f"for `kip320` {len(answer.needed)} of {answer.pool} candidates" in page and not answer.doubtful


def test_what_the_solver_gives_up_on_is_dropped_and_said():
    model = catalogue.find_model("kip320").with_bounds({"log_size": 1, "max_records": 1, "max_leader_epoch": 1})
    answer = find_lemmas(model, model.lemmas, model.properties, 0.001, LIMITS)
    assert answer.given_up and answer.needed is None
    assert any(
        line.startswith("the solver gave up on these") and answer.given_up[0] in line for line in pool_lines(answer)
    )


def test_a_needed_lemma_without_which_the_solver_gives_up_is_doubtful(tmp_path, monkeypatch):
    model = counter(tmp_path, LEMMAS="[sum_stays]")
    ask = houdini._Questions.ask

    def tires(questions, left, goal):
        return ask(questions, left, goal) if "sum_stays" in left else Answer(Status.UNKNOWN, reason="timeout")

    monkeypatch.setattr(houdini._Questions, "ask", tires)
    answer = found(model, model.lemmas)
    assert [each.name for each in answer.needed] == [each.name for each in answer.doubtful] == ["sum_stays"]
    assert not answer.given_up
    assert "    sum_stays (perhaps: whether the proof fails without it was not answered)" in pool_lines(answer)


def test_clauses_are_tried_only_where_what_is_written_does_not_suffice(tmp_path):
    model = counter(tmp_path, LEMMAS="[sum_stays]")
    assert found(model, model.lemmas).clauses == 0
    assert found(model).clauses > 0


def test_where_the_time_is_over_no_clause_is_used_and_that_is_said(monkeypatch):
    model = peterson.MODEL.with_given_lemmas([])
    monkeypatch.setattr(houdini.time, "monotonic", iter(range(0, 10**9, 1000)).__next__)
    answer = found(model)
    assert answer.is_late and answer.clauses and answer.needed is None
    assert {each.name for each in answer.kept} <= {each.name for each in model.properties}
    assert any("none of the clauses is used" in line for line in pool_lines(answer))


def test_where_the_time_is_over_those_not_yet_left_out_are_doubtful(monkeypatch):
    model = peterson.MODEL.with_given_lemmas([])
    smallest = houdini._Houdini.smallest

    def is_late(search, names, wanted):
        monkeypatch.setattr(houdini.time, "monotonic", lambda: float("inf"))
        return smallest(search, names, wanted)

    monkeypatch.setattr(houdini._Houdini, "smallest", is_late)
    answer = found(model)
    assert answer.needed and answer.doubtful == answer.needed and not answer.is_late
    monkeypatch.undo()
    assert prove(model, Settings(jobs=0, use_cache=False), lemmas=answer.needed).is_proved


def test_candidates_of_a_search_that_was_cut_short_are_told_from_those_of_all_states():
    answer = find_lemmas(peterson.MODEL, (), (), 60, Limits(max_states=5))
    assert not answer.is_complete and answer.states >= 5
    assert f"    (of the reachable states, {answer.states:,} were searched within the limits)" in pool_lines(answer)
