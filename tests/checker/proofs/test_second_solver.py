"""Scripts in SMT-LIB say what Z3 is asked, every solver reads them, and cvc5 repeats what Z3 has proved."""

import importlib.util
import json
import re

import pytest
import z3

from kafkacheck.checker.process.errors import SelfCheckError, UsageError
from kafkacheck.checker.proofs import second_solver, smt_lib, workers
from kafkacheck.checker.proofs.obligations import obligations
from kafkacheck.checker.proofs.prove import CACHED, Outcome, Settings, prove
from kafkacheck.checker.proofs.scripts import INDEX, Script, Scripts
from kafkacheck.checker.proofs.solver import Answer, Status, Translation, ranges_of
from kafkacheck.checker.symbolic import terms
from tests.checker.proofs.test_proof_commands import counter as counter_file
from tests.checker.proofs.test_prove import counter
from tests.checker.proofs.test_workers import hard
from tests.checker.symbolic.test_terms import FLAG, MEANINGS, X, Y
from tests.support.command import Command
from tests.toys import every_kind, peterson

pytestmark = pytest.mark.slow

TWICE = Settings(timeout=60, jobs=0, use_cache=False, second=second_solver.version())


@pytest.fixture
def kafkacheck(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    return Command(capsys)


def is_same(assertions):
    """Whether the script of some assertions, as Z3 reads it, says what Z3 is asked about them."""
    translation = Translation()
    asked = [translation.expression(term) for term in (*ranges_of(terms.variables_of(assertions)), *assertions)]
    context = asked[0].ctx
    read = z3.parse_smt2_string(smt_lib.script(assertions), ctx=context)
    apart = z3.Solver(ctx=context)
    apart.add(z3.And(*asked, context) != z3.And(*read, context))
    return apart.check() == z3.unsat


@pytest.mark.parametrize("term", [term for term, _ in MEANINGS])
def test_a_script_says_what_the_solver_is_asked(term):
    whole = term if term.is_bool else terms.equals(term, terms.variable("value", term.low - 1, term.high + 1))
    assert is_same([whole]) and is_same([terms.negation(whole), FLAG])


def test_a_script_of_deep_terms_names_what_lies_deep():
    deep = X
    for number in range(300):
        deep = terms.choice(terms.equals(deep, terms.number(number % 5)), Y, terms.minus(deep, terms.number(1)))
    text = smt_lib.script([terms.equals(deep, terms.number(1))])
    assert max(map(len, text.splitlines())) < 20_000
    assert second_solver.solve(text, 60).status is not Status.UNKNOWN


@pytest.mark.parametrize("model", [peterson.MODEL, every_kind.MODEL], ids=lambda model: model.name)
def test_both_solvers_answer_the_scripts_of_obligations_alike(model):
    invariants = [each for each in model.properties if not each.is_step]  # without lemmas, so that some can be violated
    asked = obligations(model, invariants)
    answers = set()
    for each in (*asked.contract, *asked.preservation):
        text = smt_lib.script(each.assertions)
        by_z3 = z3.SolverFor("QF_BV")
        by_z3.from_string(text)
        answer = second_solver.solve(text, 60)
        assert str(by_z3.check()) == {"satisfiable": "sat", "unsatisfiable": "unsat"}[answer.status.value]
        answers.add(answer.status)
    assert answers == {Status.SATISFIABLE, Status.UNSATISFIABLE} or model is every_kind.MODEL


def test_the_second_solver_gives_values():
    answer = second_solver.solve(smt_lib.script([terms.equals(X, terms.number(-3)), FLAG]), 60)
    assert (answer.status, answer.values) == (Status.SATISFIABLE, {"x": -3, "flag": 1})


def test_the_second_solver_gives_up_in_time():
    answer = second_solver.solve(smt_lib.script(hard().assertions), 0.2)
    assert answer == Answer(Status.UNKNOWN, reason="timeout")
    slow = workers.Question(hard().assertions, 0.2, {}, True)
    (reply,) = workers.Solvers(1).replies([slow])
    assert reply.second == Answer(Status.UNKNOWN, reason="timeout")


# prove


def test_everything_is_proved_twice():
    proof = prove(peterson.MODEL, TWICE)
    assert proof.is_proved
    assert proof.repeated == [each for each in proof.checked if not each.how] != []


def test_what_fails_is_the_same_with_two_solvers(tmp_path):
    model = counter(tmp_path, LEMMAS="[]", INDEX="state.up")
    alone = prove(model, Settings(timeout=60, jobs=0, use_cache=False))
    assert [each.outcome for each in prove(model, TWICE).checked] == [each.outcome for each in alone.checked]


@pytest.mark.parametrize("status", [Status.SATISFIABLE, Status.UNSATISFIABLE])
def test_solvers_that_disagree_are_the_loudest_error(tmp_path, monkeypatch, status):
    monkeypatch.setattr(second_solver, "solve", lambda script, timeout: Answer(status))
    both = r"(satisfiable by Z3 .* and unsatisfiable by cvc5|unsatisfiable by Z3 .* and satisfiable by cvc5)"
    with pytest.raises(SelfCheckError, match=rf"counter: .* is {both}"):
        prove(counter(tmp_path, LEMMAS="[]"), TWICE)


def test_nothing_is_proved_of_which_one_solver_is_not_sure(monkeypatch):
    monkeypatch.setattr(second_solver, "solve", lambda script, timeout: Answer(Status.UNKNOWN, reason="timeout"))
    proof = prove(peterson.MODEL, TWICE)
    assert {each.outcome for each in proof.repeated} == {Outcome.UNKNOWN} and not proof.is_proved
    assert {each.reason for each in proof.unknown} == {f"{second_solver.version()}: timeout"}


def test_what_the_second_solver_finds_wrong_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "solve", lambda *given: Answer(Status.UNKNOWN, reason="tired"))
    proof = prove(counter(tmp_path, LEMMAS="[sum_stays, up_is_even]"), TWICE)
    failed = {(each.obligation.subject, each.obligation.action): each.failure for each in proof.failed}
    assert failed["up_is_even", "move"].after is not None
    assert all("tired" in each.reason for each in proof.unknown)


def test_what_one_solver_has_proved_is_not_proved_by_both(tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    alone, twice = Settings(jobs=0), Settings(jobs=0, second=second_solver.version())
    assert prove(peterson.MODEL, alone).is_proved
    assert CACHED not in {each.how for each in prove(peterson.MODEL, twice).checked}
    assert not prove(peterson.MODEL, twice).repeated
    assert CACHED in {each.how for each in prove(peterson.MODEL, alone).checked}


def test_prove_says_what_the_second_solver_did(kafkacheck, tmp_path):
    path = counter_file(tmp_path)
    ended = kafkacheck("prove", path, "--solver", "cvc5")
    assert ended.status == 0 and re.search(r"^sum_stays after move: proved, \S+ s and \S+ s$", ended.out, re.MULTILINE)
    told = rf"^counter: {re.escape(second_solver.version())} agrees: \d+ obligations repeated in \S+ s"
    assert re.search(told, ended.out, re.MULTILINE)
    answer = json.loads(kafkacheck("prove", path, "--solver", "cvc5", "--no-cache", "--json").out)
    assert answer["second_solver"] == second_solver.version()
    assert any("second_seconds" in each for each in answer["obligations"])
    assert json.loads(kafkacheck("prove", path, "--json").out)["second_solver"] is None


def test_a_second_solver_that_is_not_there_is_missed_at_once(kafkacheck, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    ended = kafkacheck("prove", counter_file(tmp_path), "--solver", "cvc5")
    assert ended.status == 2 and "pip install 'kafkacheck[cvc5]'" in ended.error and not ended.out


# folders of scripts


def test_scripts_and_their_index_say_what_they_are_always_in_the_same_bytes(kafkacheck, tmp_path):
    path = counter_file(tmp_path, LEMMAS="[]")
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        assert kafkacheck("prove", path, "--smt2", folder).status == 20
    one, two = ({each.name: each.read_bytes() for each in folder.iterdir()} for folder in folders)
    assert one == two
    index = json.loads(one[INDEX])
    assert one.keys() == {INDEX, *(each["file"] for each in index["scripts"])}
    (ranges,) = [each for each in index["scripts"] if each["obligation"] == "ranges in move"]
    assert ranges["assuming"] == "every lemma and property of states", "it was decided so"
    text = one[ranges["file"]].decode()
    assert "; obligation: ranges in move\n" in text and "; proved if: unsat\n" in text
    assert second_solver.solve(text, 60).status is Status.SATISFIABLE


@pytest.mark.parametrize(("command", "count"), [("bmc", 15), ("equivalent", 3)])
def test_other_questions_are_written_too(kafkacheck, tmp_path, command, count):
    path = counter_file(tmp_path)
    more = ["--depth", "2"] if command == "bmc" else [path]
    assert kafkacheck(command, path, *more, "--smt2", tmp_path / "smt").status in (0, 20)
    scripts = sorted((tmp_path / "smt").glob("*.smt2"))
    assert scripts and all(second_solver.solve(each.read_text(), 60).status is not Status.UNKNOWN for each in scripts)
    assert all("if: unsat\n" in each.read_text() or "if: sat\n" in each.read_text() for each in scripts)


def test_an_older_run_is_replaced_and_nothing_else(tmp_path):
    folder = tmp_path / "smt"
    Scripts(folder).write(peterson.MODEL, [Script(name, {}, (FLAG,)) for name in ("one", "two", "three")])
    Scripts(folder).write(peterson.MODEL, [Script("a/b: c\n" + "d" * 500, {"said": "two\nlines"}, (FLAG,))])
    (script,) = folder.glob("*.smt2")
    assert re.fullmatch(r"001-a_b_c_d+\.smt2", script.name) and len(script.name) < 200
    assert "; said: two lines\n" in script.read_text()
    (folder / "mine.smt2").write_text("mine")
    with pytest.raises(UsageError, match=r"files in it that kafkacheck did not write, such as mine\.smt2"):
        Scripts(folder)
    assert (folder / "mine.smt2").read_text() == "mine" and script.exists()


@pytest.mark.parametrize("index", ["", "{}", "[]", "3", '{"kind": "other", "scripts": []}', '{"kind": 1}'])
def test_an_index_of_something_else_makes_no_folder_ours(kafkacheck, tmp_path, index):
    (tmp_path / "smt").mkdir()
    (tmp_path / "smt" / INDEX).write_text(index)
    ended = kafkacheck("prove", counter_file(tmp_path), "--smt2", tmp_path / "smt")
    assert ended.status == 2 and "name a new folder with --smt2" in ended.error
    assert (tmp_path / "smt" / INDEX).read_text() == index
