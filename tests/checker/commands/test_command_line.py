"""The commands: what they print, which files they write, and the exit status they end with."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import click
import pytest

from kafkacheck.checker.commands.command_line import VERBS, Commands, main
from tests.support.command import PATIENCE, PLAIN, ROOT, TANK, Command, write


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def tank(tmp_path):
    return write(tmp_path / "tank.py", TANK)


@pytest.fixture
def plain(tmp_path):
    return write(tmp_path / "plain.py", PLAIN)


# help and start-up


def test_every_command_and_option_is_explained():
    for name in VERBS:
        command = Commands().get_command(click.Context(click.Command("kafkacheck")), name)
        assert command is not None and command.help, name
        for option in command.params:
            assert isinstance(option, click.Argument) or option.help, (command.name, option.name)


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["replay", "-h"], ["graph", "--help"]])
def test_help_names_the_exit_statuses(kafkacheck, arguments):
    ended = kafkacheck(*arguments)
    assert ended.status == 0
    for status in (11, 12, 13, 20, 21, 75, 150):
        assert re.search(rf"^ +{status} ", ended.out, re.MULTILINE)


def test_without_a_command_it_shows_the_help_and_fails(kafkacheck):
    ended = kafkacheck()
    assert ended.status == 2
    assert ended.err.startswith("Usage: kafkacheck")


def test_listing_models_imports_nothing_slow():
    slow = {"numba", "llvmlite", "numpy", "networkx", "graphviz", "hypothesis", "rich"}
    listing = "import sys; from kafkacheck.checker.commands.command_line import main; main(['models', 'kip*'])"
    program = f"{listing}; print({slow} & sys.modules.keys())"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "set()"


def test_models_says_question_bounds_rules_and_expected_verdict(kafkacheck):
    ended = kafkacheck("models", "kip320", "kip1*", "--long")
    assert ended.status == 0
    shown = ended.out.strip().split("\n\n")
    assert [text.splitlines()[0] for text in shown] == ["replication.kip101", "replication.kip320"]
    kip101 = next(text for text in shown if text.startswith("replication.kip101\n"))
    assert "?" in kip101
    assert "replicas=" in kip101
    assert "truncation=KIP_101" in kip101
    assert "expected: VIOLATED" in kip101


def test_models_has_a_line_for_each_model_under_its_family(kafkacheck):
    ended = kafkacheck("models", "kip1*", "cluster.kraft", "kip320")
    family, kraft, blank, other, *two = ended.out.splitlines()
    assert (family, blank, other) == ("cluster", "", "replication")
    assert re.match(r"  cluster\.kraft +HOLDS +[A-Z].*\?", kraft)
    assert [line.split()[:2] for line in two] == [["replication.kip101", "VIOLATED"], ["replication.kip320", "HOLDS"]]


def test_models_as_json(kafkacheck):
    ended = kafkacheck("models", "kip101", "kip320", "--json")
    assert ended.status == 0
    first, _ = json.loads(ended.out)
    assert set(first) == {"name", "question", "bounds", "rules", "expected"}
    assert (first["name"], first["expected"]) == ("replication.kip101", {"verdict": "VIOLATED", "property": "weak_isr"})
    assert first["bounds"]["replicas"] == 2 and first["rules"]["truncation"] == "KIP_101"


def test_rules_at_their_defaults_are_counted_only(kafkacheck, tmp_path):
    text = TANK.replace("drains: bool\n    pour: int", "drains: bool = True\n    pour: int = 1")
    for change, told in (
        ((), "tank: capacity=3 valve=SHUT (the other 2 rules at their defaults)"),
        (("--set", "pour=2"), "tank: capacity=3 valve=SHUT pour=2 (the other 1 rules at their defaults)"),
    ):
        ended = kafkacheck.check(write(tmp_path / "usual.py", text), *change)
        assert ended.out.splitlines()[0] == told


# check: verdicts


def test_holds(kafkacheck, tank):
    ended = kafkacheck.check(tank)
    assert ended.status == 0
    assert re.fullmatch(r"tank: HOLDS distinct=3 generated=5 depth=3 seconds=\d+\.\d\d", ended.last_line)
    assert ended.out.startswith("tank: capacity=3 valve=SHUT drains=True pour=1\n")
    assert ended.err == ""


def test_bounds_far_above_the_usual_ones_are_told(kafkacheck):
    ended = kafkacheck.check("replication.kip320", "--set", "replicas=20", "--max-states", "50")
    told = "note: replication.kip320 has replicas=20 (3 by default)"
    begin, *_, end = [line for line in ended.err.splitlines() if line.startswith("note")]
    assert re.fullmatch(re.escape(told) + r": [\d,]+ calls are tried in each state, not \d+; .*", begin)
    assert (ended.status, end) == (20, f"{told}; a search at smaller bounds ends sooner")
    for change in ("replicas=2", "log_size=3"):
        ended = kafkacheck.check("replication.kip320", "--set", change, "--max-states", "50")
        assert ended.err.count("note: ") == (change == "log_size=3")


def test_an_invariant_is_violated(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--set", "valve=OPEN")
    assert ended.status == 12
    assert re.match(r"tank: VIOLATED never_full trace=4 distinct=4 generated=\d+ depth=4 seconds=", ended.last_line)
    assert ended.out.count("fill()") == 3
    assert "level: 2 -> 3" in ended.out


def test_a_property_of_steps_is_violated(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--set", "pour=2")
    assert ended.status == 13
    assert ended.last_line.startswith("tank: VIOLATED rises_slowly trace=2 ")


def test_a_deadlock(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--set", "drains=false")
    assert ended.status == 11
    assert ended.last_line.startswith("tank: DEADLOCK trace=3 ")
    assert ended.out.splitlines()[-2] == "no action is enabled in state 3"


def test_an_action_that_leaves_its_range(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--set", "capacity=1")
    assert ended.status == 75
    assert "level" in ended.error
    assert "0 .. 1" in ended.error
    assert ended.last_line.startswith("tank: EVALUATION_FAILED ")


def test_only_the_named_properties_are_checked(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--property", "rises_slowly")
    assert ended.status == 0
    assert ended.last_line.startswith("tank: HOLDS distinct=4 ")


def test_several_settings_and_properties(kafkacheck, tank):
    settings = ["--set", "pour=2", "--set", "valve=1", "--set", "capacity=9"]
    ended = kafkacheck.check(tank, *settings, "--property", "never_full", "--property", "rises_slowly")
    assert ended.status == 13
    assert ended.out.startswith("tank: capacity=9 valve=OPEN drains=True pour=2\n")


# check: vacuity


@pytest.mark.parametrize(
    ("change", "told"),
    [(("tank.level == 2", "tank.level == 3"), "half_full"), (("if not rules.drains:", "if rules.drains:"), "drain")],
    ids=["sometimes without an example", "action that never fires"],
)
def test_vacuity_is_a_warning_and_strict_makes_it_an_error(kafkacheck, tmp_path, change, told):
    text = TANK.replace(*change).replace("check_deadlock=True", "check_deadlock=False")
    model = write(tmp_path / "vacuous.py", text)
    lenient, strict = kafkacheck.check(model), kafkacheck.check(model, "--strict")
    assert (lenient.status, strict.status) == (0, 21)
    for ended in (lenient, strict):
        assert ended.err.startswith("warning: ")
        assert told in ended.err
        assert ended.last_line.startswith("tank: HOLDS ")


def test_strict_does_not_hide_a_violation(kafkacheck, tank):
    assert kafkacheck.check(tank, "--strict", "--set", "pour=2").status == 13
    assert kafkacheck.check(tank, "--strict").status == 0


# check: limits


@pytest.mark.parametrize("limit", [["--max-states", "1000"], ["--max-seconds", "0.2"]])
def test_a_limit_ends_the_search_unfinished(kafkacheck, plain, limit):
    ended = kafkacheck.check(plain, *limit)
    assert ended.status == 20
    assert re.match(r"plain: NOT_EXHAUSTED distinct=\d+ generated=\d+ depth=\d+ seconds=", ended.last_line)
    assert "the search is not finished: it was stopped" in ended.out


@pytest.mark.parametrize("pressed", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_or_a_request_to_end_ends_the_search_and_reports_what_was_found(plain, pressed):
    arguments = [sys.executable, "-m", "checker", "check", str(plain), "--engine", "interpreted"]
    process = subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("plain:")
    time.sleep(0.5)
    process.send_signal(pressed)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 20
    assert re.search(r"plain: NOT_EXHAUSTED distinct=\d\d+ .*\n$", out)
    assert "Traceback" not in err


# check: JSON


def test_json_is_one_document_with_everything(kafkacheck, tank):
    ended = kafkacheck.check(tank, "--json", "--set", "valve=OPEN")
    assert ended.status == 12
    found = json.loads(ended.out)
    assert found["model"] == "tank"
    assert (found["verdict"], found["property"]) == ("VIOLATED", "never_full")
    assert (found["states_distinct"], found["depth"], found["engine"]) == (4, 4, "interpreted")
    assert found["states_generated"] == 1 + sum(found["actions"].values())  # and the initial state
    assert found["seconds"] > 0
    assert found["bounds"] == {"capacity": 3}
    assert found["rules"] == {"valve": "OPEN", "drains": True, "pour": 1}
    assert [step["action"] for step in found["trace"]] == [None, "fill", "fill", "fill"]
    assert [step["state"]["level"] for step in found["trace"]] == [0, 1, 2, 3]
    assert all(set(step) == {"action", "parameters", "state"} for step in found["trace"])


def test_json_without_a_counterexample(kafkacheck, tank):
    found = json.loads(kafkacheck.check(tank, "--json").out)
    assert (found["verdict"], found["property"], found["trace"]) == ("HOLDS", None, None)


def test_json_stays_one_document_when_the_model_prints(kafkacheck, tmp_path):
    model = write(tmp_path / "talkative.py", TANK + "\nprint('hello')\n")
    ended = kafkacheck.check(model, "--json")
    json.loads(ended.out)
    assert ended.err == "hello\n"


# check: files


def test_a_counterexample_is_written_as_files(kafkacheck, tank, tmp_path):
    folder = tmp_path / "new" / "folder"
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--out", folder)
    assert ended.status == 12
    written = {line.removeprefix("written: ") for line in ended.out.splitlines() if line.startswith("written: ")}
    assert written == {str(path) for path in folder.iterdir()}
    assert {path.suffix for path in folder.iterdir()} >= {".json", ".dot", ".svg"}


def test_the_way_to_where_code_fails_is_written_and_replayed(kafkacheck, tank, tmp_path):
    ended = kafkacheck.check(tank, "--set", "capacity=1", "--out", tmp_path / "out")
    assert ended.status == 75
    again = kafkacheck("replay", tank, tmp_path / "out" / "tank-trace.json")
    assert (again.status, again.error) == (75, ended.error)


def test_nothing_is_written_where_the_model_holds(kafkacheck, tank, tmp_path):
    assert kafkacheck.check(tank, "--out", tmp_path / "out").status == 0
    assert list((tmp_path / "out").iterdir()) == []


def test_ctrl_c_while_files_are_written_does_not_hide_the_result(kafkacheck, tank, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kafkacheck.checker.pictures.render.write_files", interrupted)
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tmp_path)
    assert ended.status == 20
    assert "interrupted" in ended.error
    assert ended.last_line.startswith("tank: VIOLATED never_full ")


# replay


@pytest.fixture
def saved(kafkacheck, tank, tmp_path):
    """A saved counterexample at other bounds and rules than the model's own."""
    kafkacheck.check(tank, "--set", "valve=OPEN", "--set", "capacity=7", "--out", tmp_path / "out")
    (path,) = (path for path in (tmp_path / "out").glob("*.json") if ".itf" not in path.name)
    return path


def test_replay_has_the_bounds_and_rules_of_the_trace_and_still_violates(kafkacheck, tank, saved):
    ended = kafkacheck("replay", tank, saved)
    assert ended.status == 12
    assert ended.out.startswith("tank: capacity=7 valve=OPEN drains=True pour=1 (as saved with the trace)\n")
    assert ended.last_line == "tank: still violates never_full trace=4"
    assert ended.err == ""


def test_replay_as_json(kafkacheck, tank, saved):
    ended = kafkacheck("replay", tank, saved, "--json")
    told = json.loads(ended.out)
    assert (ended.status, told["model"], told["verdict"]) == (12, "tank", "VIOLATED")
    assert (told["property"], told["step"], told["reason"]) == ("never_full", 4, None)
    assert told["bounds"] == {"capacity": 7} and told["rules"]["valve"] == "OPEN"
    ended = kafkacheck("replay", tank, saved, "--set", "valve=SHUT", "--json")
    told = json.loads(ended.out)
    assert (ended.status, told["verdict"], told["step"], told["call"]) == (1, "NO_LONGER_APPLIES", 4, "fill()")
    assert told["reason"].startswith("it is not enabled: ")


def test_replay_no_longer_applies_with_other_rules(kafkacheck, tank, saved):
    ended = kafkacheck("replay", tank, saved, "--set", "valve=SHUT")
    assert ended.status == 1
    saved_with = "the trace was saved with capacity=7 valve=OPEN drains=True pour=1"
    assert ended.out.startswith(f"tank: capacity=7 valve=SHUT drains=True pour=1 ({saved_with})\n")
    where = (
        "where `tank.level + rules.pour > 2 + rules.valve` is true: tank.level = 2, rules.pour = 1, rules.valve = SHUT"
    )
    assert re.search(
        r"step 4 no longer applies: fill\(\): it is not enabled: it returned False at .*tank\.py:\d+, ", ended.out
    )
    assert where in ended.out
    assert ended.last_line == "tank: the trace no longer applies at step 4"


def test_replay_names_the_fields_that_differ(kafkacheck, tmp_path, saved):
    edited = write(tmp_path / "edited.py", TANK.replace("tank.level += rules.pour", "tank.level += rules.pour + 1"))
    ended = kafkacheck("replay", edited, saved)
    assert ended.status == 1
    assert "step 2 no longer applies: fill(): it leads to another state\n    level: saved 1, now 2\n" in ended.out


def test_replay_of_an_action_that_is_gone(kafkacheck, tmp_path, saved):
    renamed = write(tmp_path / "renamed.py", TANK.replace("fill", "pump"))
    ended = kafkacheck("replay", renamed, saved)
    assert ended.status == 1
    assert "step 2 no longer applies: fill(): tank has no action 'fill'; it has: pump, drain" in ended.out


def test_replay_of_a_property_of_steps(kafkacheck, tank, tmp_path):
    kafkacheck.check(tank, "--set", "pour=2", "--out", tmp_path)
    assert kafkacheck("replay", tank, tmp_path / "tank-rises_slowly.json").status == 13


def test_replay_no_longer_violates(kafkacheck, tmp_path, saved):
    mended = write(tmp_path / "mended.py", TANK.replace("tank.level != 3", "tank.level != 4"))
    ended = kafkacheck("replay", mended, saved)
    assert ended.status == 0
    assert ended.last_line == "tank: no longer violates never_full trace=4"


def test_replay_of_a_deadlock(kafkacheck, tank, tmp_path):
    kafkacheck.check(tank, "--set", "drains=false", "--out", tmp_path)
    path = tmp_path / "tank-deadlock.json"
    ended = kafkacheck("replay", tank, path)
    assert (ended.status, ended.last_line) == (11, "tank: still a deadlock trace=3")
    assert "no action is enabled in state 3" in ended.out
    ended = kafkacheck("replay", tank, path, "--set", "drains=true")
    assert (ended.status, ended.last_line) == (0, "tank: no longer a deadlock trace=3")
    mild = write(tmp_path / "mild.py", TANK.replace("check_deadlock=True", "check_deadlock=False"))
    ended = kafkacheck("replay", mild, path)
    assert ended.status == 0
    assert ended.last_line == "tank: still without an enabled action, which tank now allows trace=3"


# graph


@pytest.mark.parametrize("name", ["states.dot", "states.svg"])
def test_graph_draws_every_state(kafkacheck, tank, tmp_path, name):
    ended = kafkacheck("graph", tank, "--out", tmp_path / "new" / name)
    assert ended.status == 0
    assert f"written: {tmp_path / 'new' / name}" in ended.out.splitlines()
    assert (tmp_path / "new" / "states.dot").read_text(encoding="utf-8").count("drain()") >= 1


def test_graph_refuses_what_cannot_be_read(kafkacheck, plain, tmp_path):
    ended = kafkacheck("graph", plain, "--out", tmp_path / "states.svg")
    assert ended.status == 2
    assert "more than" in ended.error
    assert not (tmp_path / "states.svg").exists()
    assert "draw a smaller model" in ended.error


def test_the_advice_of_a_graph_that_is_too_large_can_be_followed_word_for_word(kafkacheck, tmp_path):
    path = tmp_path / "two words.svg"
    for changes in ([], ["--set", "replicas=2", "--set", "fencing=NONE"]):
        ended = kafkacheck("graph", "kip320", *changes, "--out", path)
        assert ended.status == 2
        program, *arguments = shlex.split(ended.error.partition("; try ")[2])
        assert program == "kafkacheck"
        assert ("fencing=NONE" in arguments) == bool(changes)
        assert kafkacheck(*arguments).status == 0
        path.unlink()


# bugs


def test_an_unforeseen_error_says_that_it_is_a_bug_and_where_the_traceback_is(kafkacheck, tank, monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.commands.check.search", lambda *_: [][0])
    ended = kafkacheck.check(tank)
    assert ended.status == 70
    assert "this is a bug in kafkacheck: IndexError" in ended.error
    place = re.search(r"saved in (\S+);", ended.error)
    assert place is not None
    with open(place[1], encoding="utf-8") as file:
        assert "Traceback" in file.read()
    os.unlink(place[1])


def test_memory_that_runs_out_before_the_search_is_no_bug(kafkacheck, tank, monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr("kafkacheck.checker.commands.check.search", fails)
    ended = kafkacheck.check(tank)
    assert ended.status == 20
    assert "memory ran out" in ended.error


def test_ctrl_c_before_the_search_is_no_bug(kafkacheck, tank, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("kafkacheck.checker.commands.check.search", interrupted)
    ended = kafkacheck.check(tank)
    assert ended.status == 20
    assert "it was interrupted" in ended.out and not ended.err


def test_main_reads_the_arguments_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["kafkacheck", "--help"])
    assert main() == 0
    assert "Usage: kafkacheck" in capsys.readouterr().out


# What a constraint leaves out is said.


def limited(tmp_path, limit):
    text = TANK.replace(
        "MODEL = Model(",
        f"""def is_low(tank: Tank) -> bool:
    return tank.level < {limit}


MODEL = Model(
    constraint=is_low,""",
    )
    return write(tmp_path / "limited.py", text)


def test_a_model_with_a_constraint_holds_within_it_only(tmp_path, kafkacheck):
    ended = kafkacheck.check(limited(tmp_path, 2))
    assert ended.status == 0
    assert re.fullmatch(r"tank: HOLDS distinct=2 generated=4 excluded=1 depth=2 seconds=\S+", ended.last_line)
    within = "holds only within the constraint is_low: 1 of 4 generated states lie outside; they were checked, but"
    assert within in ended.out
    found = json.loads(kafkacheck.check(limited(tmp_path, 2), "--json").out)
    assert (found["constraint"], found["states_excluded"]) == ("is_low", 1)


def test_a_constraint_that_excludes_nothing_is_said_too(tmp_path, kafkacheck):
    assert "the constraint is_low excludes no state that can be reached" in kafkacheck.check(limited(tmp_path, 9)).out


def test_a_constraint_that_excludes_everything_is_an_error(tmp_path, kafkacheck):
    ended = kafkacheck.check(limited(tmp_path, 0))
    assert ended.status == 75 and "every initial state lies outside the constraint is_low" in ended.error
