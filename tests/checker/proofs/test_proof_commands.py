"""`kafkacheck prove`, `bmc` and `equivalent`: what they print, and the exit status they end with."""

import itertools
import json
import os
import re
import shutil
import signal

import pytest

from kafkacheck.checker.proofs import solver, workers
from kafkacheck.checker.symbolic import terms
from tests.checker.proofs.test_prove import COUNTER, GOOD
from tests.support.command import ROOT, TANK, Command, in_process, write

pytestmark = pytest.mark.slow


@pytest.fixture
def kafkacheck(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    return Command(capsys)


@pytest.fixture
def tank(tmp_path):
    return write(tmp_path / "tank.py", TANK)


def counter(folder, **changes):
    text = COUNTER
    for word, value in {**GOOD, **changes}.items():
        text = text.replace(word, value)
    return write(folder / "proved_counter.py", text)


# prove


def test_prove_prints_a_line_for_each_obligation_and_the_verdict(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path))
    assert ended.status == 0
    assert "counter: no bounds or rules" in ended.out
    assert re.search(r"^sum_stays after move: proved, \d+\.\d\d s$", ended.out, re.MULTILINE)
    assert "\nsum_stays after look: proved, by its form\n" in ended.out
    assert re.search(r"^ranges in move: proved, \d", ended.out, re.MULTILINE)
    inductive = r"counter: up_stays_small is inductive \(1 lemma, \d+\.\d s\), for all states"
    assert re.search(inductive, ended.out)
    assert "counter: grows holds of every step" in ended.out
    assert ended.last_line.startswith("counter: PROVED obligations=18 failed=0 unknown=0 seconds=")
    assert "proved, proved before" in kafkacheck("prove", counter(tmp_path)).out


def test_prove_shows_a_counterexample_to_induction(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path, LEMMAS="[sum_stays, up_is_even]", ALWAYS="[grows]"))
    assert ended.status == 20
    assert "move() does not preserve up_is_even from this state:" in ended.out
    assert "    up: 0 -> 1\n" in ended.out and "up_is_even: No lemma: the first step makes it odd." in ended.out
    assert "this state is reachable" in ended.out
    assert "up_is_even is false in a reachable state, so it is no lemma:" in ended.out
    assert ended.last_line.startswith("counter: UNDETERMINED obligations=18 failed=1 unknown=0")


def test_prove_says_that_a_lemma_is_missing(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path, LEMMAS="[]"))
    assert ended.status == 20
    assert "move() breaks its contract from this state:" in ended.out
    assert "this state is none of the " in ended.out and "a lemma that rules it out is missing" in ended.out


def test_prove_names_a_violation_that_is_reachable(kafkacheck, tank):
    ended = kafkacheck("prove", tank, "--set", "valve=OPEN")
    assert ended.status == 12
    assert "never_full is violated in state 4" in ended.out
    assert ended.last_line.startswith("tank: VIOLATED never_full trace=4 ")
    ended = kafkacheck("prove", tank, "--set", "pour=2", "--property", "rises_slowly")
    assert ended.status == 13


def test_prove_answers_in_json(kafkacheck, tmp_path):
    answer = json.loads(kafkacheck("prove", counter(tmp_path), "--json").out)
    assert (answer["verdict"], answer["lemmas"]) == ("PROVED", ["sum_stays"])
    assert {each["outcome"] for each in answer["obligations"]} == {"proved"}
    ended = kafkacheck("prove", counter(tmp_path / "more", LEMMAS="[up_is_even]"), "--json")
    assert ended.status == 20
    failed = [each for each in json.loads(ended.out)["obligations"] if each["outcome"] == "failed"]
    assert failed[-1]["counterexample"]["is_reachable"] in (True, False)
    assert set(failed[-1]["counterexample"]["state"]) == {"up", "down", "row"}


def test_prove_takes_lemmas_from_a_file(kafkacheck, tmp_path):
    path = counter(tmp_path, LEMMAS="[]")
    assert kafkacheck("prove", path).status == 20
    lemmas = write(tmp_path / "more.py", "from proved_counter import sum_stays\n\nLEMMAS = (sum_stays,)\n")
    assert kafkacheck("prove", path, "--lemmas", lemmas).status == 0


NUMBER_TAKEN = """from typing import Annotated

from kafkacheck.checker.schema import Count
from proved_counter import State


def up_to(state: State, by: Annotated[int, Count(3)]) -> bool:
    return state.up >= by - 3


LEMMAS = (up_to,)
"""


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("LEMMAS = 3\n", 150, "LEMMAS is 3; write a tuple of invariants"),
        ("OTHER = ()\n", 150, "defines no LEMMAS"),
        ("LEMMAS = (len,)\n", 150, "len"),
        ("LEMMAS = (", 150, "cannot be imported"),
        (NUMBER_TAKEN, 150, "in `lemmas` takes 'by', which is no state"),
    ],
)
def test_lemmas_that_are_none_are_refused(kafkacheck, tmp_path, text, status, message):
    ended = kafkacheck("prove", counter(tmp_path), "--lemmas", write(tmp_path / "wrong.py", text))
    assert ended.status == status and message in ended.error
    assert kafkacheck("prove", counter(tmp_path), "--lemmas", tmp_path / "none.py").status == 2


def test_a_folder_of_lemmas_is_refused(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path), "--lemmas", tmp_path)
    assert ended.status == 2 and "name the Python file in it that defines LEMMAS" in ended.error


def test_a_proof_of_no_property_says_so(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path, ALWAYS="[]"))
    assert ended.status == 20 and "counter: UNDETERMINED obligations=12 failed=0" in ended.out
    assert "counter: there is no safety property to prove" in ended.out
    assert "no safety property" not in kafkacheck("prove", counter(tmp_path)).out


def test_a_proof_of_a_model_with_liveness_properties_only_is_none(kafkacheck):
    ended = kafkacheck("prove", ROOT / "tests" / "toys" / "peterson_progress.py")
    assert ended.status == 20 and "peterson_progress: there is no safety property to prove" in ended.out
    assert ended.last_line.startswith("peterson_progress: UNDETERMINED") and "PROVED" not in ended.out


def test_prove_finds_lemmas(kafkacheck, tmp_path):
    ended = kafkacheck("prove", counter(tmp_path), "--lemmas", "auto")
    assert ended.status == 0
    assert re.search(r"^\d+ candidates: 0 are false in a reachable state, \d+ not inductive$", ended.out, re.MULTILINE)
    assert "needed, because without any one of them the proof fails:\n    sum_stays\n" in ended.out
    assert json.loads(kafkacheck("prove", counter(tmp_path), "--lemmas", "auto", "--json").out)["pool"]["needed"]


def test_prove_saves_smt_lib(kafkacheck, tmp_path):
    assert kafkacheck("prove", counter(tmp_path), "--smt2", tmp_path / "smt").status == 0
    assert len(list((tmp_path / "smt").glob("*.smt2"))) == 18
    blocked = write(tmp_path / "file", "")
    ended = kafkacheck("prove", counter(tmp_path), "--smt2", blocked)
    assert ended.status == 2 and "a file of that name is there" in ended.error


def interrupting(number):
    """Replies of the solver, of which Ctrl-C lets only the first ones come."""
    replies = workers.Solvers.replies

    def give(self, questions, meanwhile=lambda: None):
        self._jobs = 0
        if not number and not self.interrupted:
            os.kill(os.getpid(), signal.SIGINT)
        for place, reply in enumerate(replies(self, questions, meanwhile), start=1):
            if place == number and not self.interrupted:
                os.kill(os.getpid(), signal.SIGINT)
            yield reply

    return give


@pytest.mark.parametrize("answered", [0, 2])
def test_a_proof_that_is_interrupted_has_a_verdict_and_a_document(kafkacheck, tmp_path, monkeypatch, answered):
    monkeypatch.setattr(workers.Solvers, "replies", interrupting(answered))
    path = counter(tmp_path)
    ended = kafkacheck("prove", path)
    assert ended.status == 20
    (unknown,) = re.findall(r"^counter: UNDETERMINED obligations=18 failed=0 unknown=(\d+) seconds=", ended.last_line)
    assert ended.error == f"error: interrupted; {unknown} of 18 obligations are undecided"
    shutil.rmtree(tmp_path / "cache", ignore_errors=True)
    ended = kafkacheck("prove", path, "--json")
    told = json.loads(ended.out)
    assert (ended.status, told["verdict"], len(told["obligations"])) == (20, "UNDETERMINED", 18)
    assert {each["reason"] for each in told["obligations"] if each["outcome"] == "unknown"} == {"it was interrupted"}
    assert told["confirmed"] is None


def test_a_search_for_lemmas_that_is_interrupted_has_a_verdict(kafkacheck, tmp_path, monkeypatch):
    def find(*_arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("kafkacheck.checker.commands.prove.find_lemmas", find)
    ended = kafkacheck("prove", counter(tmp_path), "--lemmas", "auto")
    assert ended.status == 20 and "counter: UNDETERMINED obligations=0 " in ended.last_line
    assert "error: interrupted" in ended.error


def test_a_property_that_does_not_exist_is_refused(kafkacheck, tank):
    for command in ("prove", "bmc"):
        ended = kafkacheck(command, tank, "--property", "never_ful", *(["--depth", "2"] if command == "bmc" else []))
        assert ended.status == 2 and "did you mean never_full?" in ended.error


def test_lemmas_that_are_nowhere_are_missed_as_lemmas(kafkacheck, tmp_path):
    for name in ("nothing_here", "", "no/such/file", "checker.nothing", "no.such"):
        ended = kafkacheck("prove", counter(tmp_path), "--lemmas", name)
        assert ended.status == 2 and f"there are no lemmas '{name}'" in ended.error and not ended.out


@pytest.mark.parametrize("command", [("prove",), ("bmc", "--depth", "2")], ids=lambda command: command[0])
def test_what_is_not_judged_is_refused_or_said(kafkacheck, command):
    model = "tests.toys.peterson_progress"
    liveness, example = "first_wants_leads_to_first_enters", "second_process_enters"
    ended = kafkacheck(*command, model, "--property", liveness)
    assert ended.status == 2 and f"{liveness} is a liveness property" in ended.error and not ended.out
    ended = kafkacheck(*command, "tests.toys.peterson", "--property", example)
    assert ended.status == 2 and f"{example} is an example that must occur" in ended.error and not ended.out
    assert f"nothing is said of {liveness}" in kafkacheck(*command, model).out
    assert json.loads(kafkacheck(*command, model, "--json").out)["not_judged"] == [liveness]


@pytest.mark.parametrize("timeout", ["1e300", "99999999999", "4294967.296"])
def test_a_timeout_of_any_length_is_taken(kafkacheck, tank, timeout):
    ended = kafkacheck("prove", tank, "--no-cache", "--jobs", "1", "--timeout", timeout)
    assert ended.status == 0 and not ended.err
    assert kafkacheck("bmc", tank, "--depth", "2", "--timeout", timeout).status == 20
    assert kafkacheck("equivalent", tank, tank, "--timeout", timeout).status == 0


# bmc


def test_bmc_says_why_it_went_no_further(kafkacheck):
    ended = kafkacheck("bmc", "kip320", "--depth", "12", "--timeout", "0.02")
    assert ended.status == 20
    depth = re.search(r"depth=(\d+)", ended.last_line).group(1)
    assert f"longer behaviours than {depth} states are not decided: " in ended.out


def test_ctrl_c_in_the_solver_says_how_far_bmc_came(kafkacheck, tank, monkeypatch):
    count = itertools.count()
    check = solver.z3.Solver.check

    def interrupted(self, *assumptions):
        if next(count) >= 6:
            os.kill(os.getpid(), signal.SIGINT)
        return check(self, *assumptions)

    monkeypatch.setattr(solver.z3.Solver, "check", interrupted)
    ended = kafkacheck("bmc", tank, "--depth", "9")
    assert ended.status == 20 and "are not decided: it was interrupted" in ended.out
    assert re.match(r"tank: UNKNOWN depth=[1-8] ", ended.last_line)
    with pytest.raises(KeyboardInterrupt):
        solver.solve([terms.flag("any")], None)


def test_bmc_says_how_far_it_came(kafkacheck, tank):
    ended = kafkacheck("bmc", tank, "--depth", "3")
    assert ended.status == 20
    assert ended.last_line.startswith("tank: BOUNDED depth=3 seconds=")
    assert "tank: nothing is wrong in 3 states" in ended.err


def trace_of(text):
    """The lines of a counterexample."""
    return [line for line in text.splitlines() if re.match(r"\d+  |  ", line)]


@pytest.mark.parametrize(
    ("setting", "status", "line"),
    [
        ("valve=OPEN", 12, "tank: VIOLATED never_full trace=4 depth=4"),
        ("pour=2", 13, "tank: VIOLATED rises_slowly trace=2 depth=2"),
        ("drains=false", 11, "tank: DEADLOCK trace=3 depth=3"),
    ],
)
def test_bmc_shows_what_a_check_shows(kafkacheck, tank, tmp_path, setting, status, line):
    ended = kafkacheck("bmc", tank, "--depth", "6", "--set", setting, "--out", tmp_path / "out")
    assert ended.status == status and ended.last_line.startswith(line)
    assert list((tmp_path / "out").glob("*.json"))
    wanted = kafkacheck.check(tank, "--set", setting)
    assert (
        wanted.status == status
        and wanted.out.splitlines()[1:-2] == ended.out.splitlines()[1 : len(wanted.out.splitlines()) - 2]
    )
    answer = json.loads(kafkacheck("bmc", tank, "--depth", "6", "--set", setting, "--json").out)
    assert len(answer["trace"]) == int(re.search(r"trace=(\d+)", line).group(1))


def test_bmc_tells_where_the_code_fails(kafkacheck, tank):
    ended = kafkacheck("bmc", tank, "--depth", "6", "--set", "capacity=1")
    assert ended.status == 75 and "outside its range 0 .. 1" in ended.error


# equivalent


def test_equivalent_proves_a_refactoring(kafkacheck, tank, tmp_path):
    other = write(tmp_path / "other.py", TANK.replace("if tank.level == 0:", "if not tank.level > 0:"))
    ended = kafkacheck("equivalent", tank, other)
    assert ended.status == 0
    assert ended.last_line == "tank: EQUIVALENT equivalent=2 different=0 unknown=0"


def test_a_comparison_that_is_interrupted_has_a_verdict(kafkacheck, tank, tmp_path, monkeypatch):
    monkeypatch.setattr(workers.Solvers, "replies", interrupting(0))
    other = write(tmp_path / "other.py", TANK.replace("if tank.level == 0:", "if not tank.level > 0:"))
    ended = kafkacheck("equivalent", tank, other)
    assert ended.status == 20 and ": UNKNOWN " in ended.last_line and "(it was interrupted)" in ended.out


def test_equivalent_shows_a_state_that_tells_two_versions_apart(kafkacheck, tank, tmp_path):
    other = write(tmp_path / "other.py", TANK.replace("if tank.level == 0:", "if tank.level <= 1:"))
    ended = kafkacheck("equivalent", tank, other)
    assert ended.status == 12
    assert "  drain() in this state:\n    level = 1\n" in ended.out
    assert "  the first model returns True and changes level: 1 -> 0\n" in ended.out
    assert "  the second model returns False and changes nothing\n" in ended.out
    assert kafkacheck("equivalent", tank, other, "--action", "fill").status == 0
    answer = json.loads(kafkacheck("equivalent", tank, other, "--json").out)
    assert [each["outcome"] for each in answer["actions"]] == ["equivalent", "different"]


def test_equivalent_refuses_what_cannot_be_compared(kafkacheck, tank, tmp_path):
    ended = kafkacheck("equivalent", tank, tmp_path / "none.py")
    assert ended.status == 2 and "there is no file" in ended.error
    ended = kafkacheck("equivalent", tank, tank, "--action", "fil")
    assert ended.status == 2 and "did you mean fill?" in ended.error


# check --lemmas


def test_a_search_checks_lemmas_where_it_is_asked_to(kafkacheck, tmp_path):
    path = counter(tmp_path, LEMMAS="[up_is_even]", ALWAYS="[grows]")
    assert kafkacheck.check(path).status == 0
    ended = kafkacheck.check(path, "--lemmas")
    assert ended.status == 12 and "VIOLATED up_is_even trace=2" in ended.last_line


# an edit of the protocol


@pytest.mark.slow
@pytest.mark.long
def test_dropping_the_epoch_check_from_the_fetch_is_answered_with_lemma_and_state(tmp_path):
    for folder in ("impl", "spec", "model", "checker"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    fetch = tmp_path / "impl" / "replication" / "follower.py"
    text = fetch.read_text(encoding="utf-8")
    check = """    if not is_follower_caught_up(leader, rules, follower.leader, follower, end_of(follower.log)):
        return False
"""
    assert text.count(check) == 1
    fetch.write_text(text.replace(check, ""), encoding="utf-8")
    settings = ["--set", "replicas=2", "--set", "log_size=1", "--set", "max_records=1", "--set", "max_leader_epoch=1"]
    ended = in_process("prove", "kip320", *settings, folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert ended.status in (12, 20), ended.err
    assert "well_formed_logs after follower_replicate: FAILED" in ended.out
    shown = r"follower_replicate\(follower_id=\d\) does not preserve well_formed_logs from this state:\n    replicas"
    assert re.search(shown, ended.out)
