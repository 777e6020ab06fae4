"""Bad input: each gives one error with the value, the expectation and the mend, the right status, and no traceback."""

import errno
import json
import os

import pytest

from kafkacheck.checker.commands import check
from tests.support.command import TANK, Command, in_process, write


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def tank(tmp_path):
    return write(tmp_path / "tank.py", TANK)


@pytest.fixture
def no_search(monkeypatch):
    """Fails the test where a search begins."""

    def begins(*_):
        raise AssertionError("the search began")

    monkeypatch.setattr("kafkacheck.checker.commands.check.search", begins)


def told(error: str, *words: str) -> None:
    for word in words:
        assert word in error, error


# the command line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["chekc", "kip320"], ["'chekc'; did you mean check?", "replay"]),
        (["CHECK", "kip320"], ["'CHECK'; did you mean check?"]),
        (["no\nsuch", "kip320"], ["'no\\nsuch'. There are: models, check"]),
        (["check", "kip320", "--out", ""], ["--out", "empty"]),
        (["check", "kip320", "--out", "a\0b"], ["--out", "zero byte"]),
        (["check", "--all", "--out", " "], ["--out", "empty"]),
        (["graph", "kip320", "--out", ""], ["--out", "empty"]),
        (["replay", "kip320", ""], ["TRACE.json", "empty"]),
        (["check"], ["MODEL", "--all"]),
        (["check", "kip320", "kip10"], ["'kip10'", "kip101", "kafkacheck models"]),
        (["check", "kip320", "lake.py"], ["no file lake.py"]),
        (["check", "kap*"], ["'kap*'", "kafkacheck models"]),
        (["models", "kip32"], ["'kip32'", "did you mean kip320?"]),
        (["check", "kip*", "--set", "replicas"], ["--set replicas", "name=value"]),
        (["check", "kip320", "--all"], ["leave out --all, or kip320"]),
        (["check", "--all", "--set", "replicas=2"], ["--all", "--set"]),
        (["check", "kip320", "--depth", "3"], ["--depth", "kafkacheck check --help"]),
        (["check", "kip320", "--engine", "fast"], ["fast", "interpreted", "compiled"]),
        (["check", "kip320", "--max-states", "0"], ["--max-states", "0", "x>=1"]),
        (["check", "kip320", "--max-states", "many"], ["--max-states", "many"]),
        (["check", "kip320", "--max-seconds", "0"], ["--max-seconds", "0", "x>0"]),
        (["check", "kip320", "--max-seconds", "-1"], ["--max-seconds", "-1"]),
        (["check", "kip320", "--max-seconds", "nan"], ["--max-seconds", "nan", "finite"]),
        (["check", "kip320", "--max-seconds", "inf"], ["--max-seconds", "inf", "finite"]),
        (["check", "kip320", "--set"], ["--set"]),
        (["replay", "kip320"], ["TRACE.json"]),
        (["graph", "kip320"], ["--out"]),
    ],
    ids=" ".join,
)
def test_command_lines_that_say_nothing_to_do(kafkacheck, no_search, arguments, words):
    ended = kafkacheck(*arguments)
    assert ended.status == 2
    told(ended.error, *words)


# --set and --property


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("capcity=2", ["'capcity'", "did you mean capacity?", "valve", "drains"]),
        ("CAPACITY=2", ["'CAPACITY'", "did you mean capacity?"]),
        ("Valve=OPEN", ["'Valve'", "did you mean valve?"]),
        ("valve=open", ["'open'", "did you mean OPEN?"]),
        ("capacity", ["name=value", "capacity=3"]),
        ("capacity=", ["name=value"]),
        ("=3", ["name=value"]),
        ("", ["name=value"]),
        ("capacity==3", ["capacity==3", "whole number", "capacity is 3"]),
        ("capacity=two", ["=two", "whole number"]),
        ("capacity=2.5", ["=2.5", "whole number"]),
        ("capacity=1e3", ["=1e3", "whole number"]),
        ("capacity=٣", ["whole number"]),
        ("capacity=" + "9" * 5000, ["whole number"]),
        ("capacity=-1", ["capacity=-1"]),
        ("capacity=4000000000", ["4000000000"]),
        ("valve=AJAR", ["'AJAR'", "SHUT, OPEN"]),
        ("valve=2", ["'2'", "SHUT, OPEN"]),
        ("drains=maybe", ["'maybe'", "true or false"]),
        ("pour=much", ["'much'", "whole number"]),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)
def test_settings_that_the_model_cannot_have(kafkacheck, no_search, tank, change, words):
    ended = kafkacheck("check", tank, "--set", change)
    assert ended.status == 2
    told(ended.error, "--set", *words)


def test_a_setting_is_given_once(kafkacheck, no_search, tank):
    ended = kafkacheck("check", tank, "--set", "capacity=2", "--set", "capacity=3")
    assert ended.status == 2
    told(ended.error, "capacity", "twice")


@pytest.mark.parametrize("change", ["replicas=0", "replicas=40"])
def test_bounds_that_no_state_can_have(kafkacheck, no_search, change):
    ended = kafkacheck("check", "kip320", "--set", change)
    assert ended.status == 2
    told(ended.error, change)


def test_bounds_that_make_a_state_huge():
    ended = in_process("check", "kip320", "--set", "log_size=100000", "--max-states", "1")
    assert ended.status == 2
    told(ended.error, "log_size=100000")


def test_an_unknown_property(kafkacheck, no_search, tank):
    for name in ("never_ful", "Never_Full"):
        ended = kafkacheck("check", tank, "--property", name)
        assert ended.status == 2
        told(ended.error, f"'{name}'", "did you mean never_full?", "rises_slowly")


# models


def test_an_unknown_model(kafkacheck, no_search):
    for name in ("kip32", "KIP320", "Kip-320"):
        ended = kafkacheck("check", name)
        assert ended.status == 2
        told(ended.error, f"'{name}'", "did you mean kip320?", "kafkacheck models")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.py", ["missing.py", "no file"]),
        ("folder", ["no Python file in the folder folder"]),
        ("notes.txt", ["notes.txt", "no Python file", ".py"]),
        ("no_such_package.tank", ["'no_such_package.tank'", "no module"]),
        ("KIP320.py", ["KIP320.py; did you mean kip320?"]),
        ("__main__", ["'__main__'", "no module"]),
        ("json.no_such_module", ["'json.no_such_module'"]),
        ("sys.path", ["'sys.path'"]),
        ("...", ["..."]),
        ("a..b", ["'a..b'"]),
        ("no such model!", ["'no such model!'"]),
        ("", ["''"]),
        ("x" * 300, ["xxx", "no model"]),
        ("x" * 5000 + ".py", ["xxx", "no file"]),
        ("a." * 5000 + "b", ["a.a.", "no model"]),
        ("a\0b", ["a\\x00b"]),
        ("a\0b.py", ["a\\x00b.py"]),
        ("a\nb", ["a\\", "nb"]),
    ],
    ids=lambda value: repr(value)[:20] if isinstance(value, str) else "",
)
def test_models_that_are_not_there(kafkacheck, no_search, tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    write(tmp_path / "notes.txt", TANK)
    ended = kafkacheck("check", name)
    assert ended.status == 2
    told(ended.error, *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n", ["broken.py", "no MODEL", "MODEL = Model(...)"]),
        ("MODEL = 'tank'\n", ["broken.py", "'tank'", "str", "Model(...)"]),
        ("from kafkacheck.checker.model import Model\nMODEL = Model\n", ["broken.py", "Model(...)"]),
        ("x = 1\ny = x / 0\nMODEL = 3\n", ["broken.py, line 2", "ZeroDivisionError: division by zero"]),
        (
            "\n\nimport no_such_module\nMODEL = 3\n",
            ["broken.py, line 3", "No module named 'no_such_module'", "install"],
        ),
        ("from kafkacheck.checker.schema import Cuont\n", ["broken.py, line 1", "ImportError", "Cuont"]),
        ("def f(:\n    pass\n", ["broken.py, line 1", "syntax"]),
        ("x = 1\n  y = 2\n", ["broken.py, line 2", "indent"]),
        ("x = '\0'\n", ["broken.py", "null bytes"]),
        ("class Odd(BaseException): pass\nraise Odd('no')\n", ["broken.py, line 2", "Odd: no"]),
        ("raise ValueError('a\\nb' * 5000)\n", ["broken.py, line 1", "ValueError: a\\nba"]),
        ("import sys\nsys.exit(3)\n", ["broken.py, line 2", "SystemExit: 3"]),
        ("def f():\n    f()\nf()\n", ["broken.py, line 2", "RecursionError"]),
        (TANK.replace('"capacity": 3', '"capcity": 3'), ["capacity"]),
        (TANK.replace("actions=[fill, drain]", "actions=[]"), ["no actions"]),
        *(
            (TANK.replace('name="tank"', f"name={name!r}"), ["`name`", "kept_promises"])
            for name in (3, "", "a\nb", "a b", "../tank", "a\0b", "-tank", "x" * 300)
        ),
        (TANK.replace("tank.level -= 1", "tank.level -= 0.5"), ["broken.py"]),
        (TANK.replace("return tank.level != 3", "tank.level = 0\n    return True"), ["never_full", "writes"]),
    ],
)
def test_model_files_that_are_not_well_formed(kafkacheck, no_search, tmp_path, text, words):
    ended = kafkacheck("check", write(tmp_path / "broken.py", text))
    assert ended.status == 150
    told(ended.error, *words)


@pytest.mark.parametrize("content", [b"x = '\xff'\n", b"x = 1\0\n", "x = 1\n".encode("utf-16")])
def test_a_model_file_in_another_encoding(kafkacheck, no_search, tmp_path, content):
    (tmp_path / "broken.py").write_bytes(content)
    ended = kafkacheck("check", tmp_path / "broken.py")
    assert ended.status == 150
    told(ended.error, "broken.py", "save it as UTF-8")


def test_a_module_found_with_a_dependency_that_is_not(kafkacheck, no_search, tmp_path, monkeypatch):
    write(tmp_path / "needy" / "__init__.py", "")
    write(tmp_path / "needy" / "tank.py", "import needy.nothing\n")
    monkeypatch.chdir(tmp_path)
    for name in ("needy.tank", "needy/tank.py"):
        ended = kafkacheck("check", name)
        assert ended.status == 150
        told(ended.error, "tank.py, line 1", "No module named 'needy.nothing'")


def test_a_broken_package_around_a_model(kafkacheck, no_search, tmp_path, monkeypatch):
    write(tmp_path / "cracked" / "__init__.py", "import nothing_at_all\n")
    write(tmp_path / "cracked" / "tank.py", TANK)
    monkeypatch.chdir(tmp_path)
    for name in ("cracked.tank", "cracked/tank.py"):
        ended = kafkacheck("check", name)
        assert ended.status == 150
        told(ended.error, "__init__.py, line 1", "No module named 'nothing_at_all'")


# code that breaks its contract

BREACHES = {
    "writes and returns False": (
        "if tank.level == 0:",
        "tank.level -= 0\n    if tank.level == 2:\n        tank.level = 0",
    ),
    "returns True without a change": ("tank.level -= 1", "tank.level -= 0"),
    "leaves its range below": ("tank.level -= 1", "tank.level -= 7"),
    "divides by zero": ("tank.level -= 1", "tank.level //= tank.level - 1"),
}


@pytest.mark.parametrize("change", BREACHES.values(), ids=BREACHES)
@pytest.mark.parametrize("engine", ["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def test_an_action_that_breaks_its_contract(kafkacheck, tmp_path, change, engine):
    model = write(tmp_path / "breach.py", TANK.replace(*change))
    ended = kafkacheck("check", model, "--engine", engine, "--out", tmp_path / "out")
    assert ended.status == 75
    told(ended.error, "breach.py", "drain")
    assert ended.last_line.startswith("tank: EVALUATION_FAILED ")
    assert {each.name for each in (tmp_path / "out").glob("*.json")} == {"tank-trace.json", "tank-trace.itf.json"}


def test_code_that_fails_with_json_is_still_one_document(kafkacheck, tmp_path):
    model = write(tmp_path / "breach.py", TANK.replace(*BREACHES["divides by zero"]))
    ended = kafkacheck.check(model, "--json")
    assert ended.status == 75
    found = json.loads(ended.out)
    assert found["verdict"] == "EVALUATION_FAILED"
    assert ended.error == f"error: {found['reason']}"


@pytest.mark.parametrize(
    "change", [("tank.level != 3", "6 // tank.level != 3"), ("after.level <=", "6 // before.level <=")]
)
def test_a_property_that_fails_to_evaluate(kafkacheck, tmp_path, change):
    ended = kafkacheck.check(write(tmp_path / "breach.py", TANK.replace(*change)))
    assert ended.status == 75
    told(ended.error, "breach.py", "ZeroDivisionError")


def test_a_model_without_an_initial_state(kafkacheck, tmp_path):
    start = "def start(tank: Tank) -> bool:\n    return tank.level == 1\n\n\nMODEL = Model(\n    initial=start,"
    ended = kafkacheck.check(write(tmp_path / "breach.py", TANK.replace("MODEL = Model(", start)))
    assert ended.status == 75
    told(ended.error, "no initial state", "start")


# memory


def test_a_search_without_memory_is_not_exhausted(kafkacheck, tank, monkeypatch):
    monkeypatch.setattr(
        "kafkacheck.checker.exploration.exploration.Watch.reason_to_stop", lambda *_: "it used up its memory"
    )
    ended = kafkacheck.check(tank)
    assert ended.status == 20
    assert "it used up its memory" in ended.out
    assert ended.last_line.startswith("tank: NOT_EXHAUSTED ")


# --out


@pytest.mark.parametrize("place", ["taken", "taken/below", "/proc/kafkacheck", "/dev/null"])
@pytest.mark.parametrize("command", [["check", "tank.py"], ["check", "--all"]], ids=["check", "all"])
def test_an_unwritable_folder_is_found_before_the_search(kafkacheck, no_search, tank, monkeypatch, place, command):
    monkeypatch.chdir(tank.parent)
    write(tank.parent / "taken", "")
    ended = kafkacheck(*command, "--out", place)
    assert ended.status == 2
    told(ended.error, place)
    assert ended.out == ""


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write(kafkacheck, no_search, tank, tmp_path):
    (tmp_path / "locked").mkdir(mode=0o500)
    ended = kafkacheck("check", tank, "--out", tmp_path / "locked")
    assert ended.status == 2
    told(ended.error, "locked", "denied", "--out")


def test_a_full_disk_leaves_no_half_written_file_and_the_result_is_told(kafkacheck, tank, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tmp_path / "out")
    assert ended.status == 2
    told(ended.error, "no space left", str(tmp_path / "out"))
    assert ended.last_line.startswith("tank: VIOLATED never_full trace=4 ")
    assert not (tmp_path / "out").exists()
    (tmp_path / "mine").mkdir()
    assert kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tmp_path / "mine").status == 2
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["states.png", "states", "taken/states.svg", "/proc/kafkacheck/states.svg"])
def test_a_graph_that_cannot_be_written(kafkacheck, tank, monkeypatch, name):
    monkeypatch.chdir(tank.parent)
    write(tank.parent / "taken", "")
    ended = kafkacheck("graph", "tank.py", "--out", name)
    assert ended.status == 2
    told(ended.error, name.rpartition("/states.svg")[0] or name)


def test_a_graph_of_another_kind_of_file_makes_no_folder(kafkacheck, tank, tmp_path):
    assert kafkacheck("graph", tank, "--out", tmp_path / "new" / "states.png").status == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("fault", [OSError(errno.EIO, "I/O error"), ValueError("a bug in drawing"), MemoryError()])
def test_the_verdict_is_told_whatever_befalls_the_files(kafkacheck, tank, tmp_path, monkeypatch, fault):
    def fails(*_):
        raise fault

    monkeypatch.setattr("kafkacheck.checker.pictures.render.write_files", fails)
    monkeypatch.setattr("kafkacheck.checker.commands.command_line.internal_error", str)
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tmp_path)
    assert ended.status not in (0, 12)
    assert ended.last_line.startswith("tank: VIOLATED never_full trace=4 ")
    assert ended.error


def test_a_folder_that_becomes_a_file_during_the_search_is_told_after_the_verdict(kafkacheck, tank, monkeypatch):
    search = check.search

    def meanwhile(*arguments):
        (tank.parent / "out").rmdir()
        (tank.parent / "out").write_text("")
        return search(*arguments)

    monkeypatch.setattr("kafkacheck.checker.commands.check.search", meanwhile)
    ended = kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tank.parent / "out")
    assert ended.status == 2
    told(ended.error, "out", "a file of that name is there")
    assert ended.last_line.startswith("tank: VIOLATED never_full trace=4 ")


# surroundings


@pytest.mark.slow
def test_a_current_folder_that_is_deleted(tank):
    program = (
        "import os, sys, tempfile; folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder); "
        "from kafkacheck.checker.commands.command_line import main; sys.exit(main())"
    )
    for arguments, status, words in (
        (["check", "no_model"], 2, ["'no_model'"]),
        (["check", "no_model.py"], 2, ["no_model.py", "deleted folder"]),
        (["check", tank, "--out", "out"], 2, ["out", "no such file"]),
        (["graph", tank, "--out", "states.svg"], 2, ["no such file"]),
        (["replay", tank, "trace.json"], 2, ["trace.json", "no such file"]),
    ):
        ended = in_process(*arguments, program=program)
        assert ended.status == status, ended.err
        told(ended.error, *words)
    assert in_process("check", tank, "--engine", "interpreted", program=program).status == 0


# saved traces


@pytest.fixture
def saved(kafkacheck, tank, tmp_path):
    kafkacheck.check(tank, "--set", "valve=OPEN", "--out", tmp_path / "out")
    (path,) = (path for path in (tmp_path / "out").glob("*.json") if ".itf" not in path.name)
    return path


def edited(**changes):
    return lambda text: json.dumps({**json.loads(text), **changes})


TRACES = {
    "cut short": (lambda text: text[: len(text) // 2], ["cut short"]),
    "empty": (lambda text: "", ["JSON"]),
    "not JSON": (lambda text: "hello", ["not JSON"]),
    "another document": (lambda text: "[1, 2]", ["not a trace"]),
    "deeply nested": (lambda text: "[" * 100_000, ["JSON"]),
    "of another model": (edited(model="pump"), ["'pump'", "'tank'"]),
    "of another version": (edited(version=99), ["version 99"]),
    "of another bound": (edited(bounds={"size": 3}), ["bound size=3", "capacity"]),
    "of an impossible bound": (edited(bounds={"capacity": -5}), ["-5"]),
    "of a bound that is no number": (edited(bounds={"capacity": "3"}), ["bounds", "3"]),
    "of a property that is a number": (edited(property=3), ["property = 3", "null"]),
    "of a property that is a flag": (edited(property=True), ["property = true", "null"]),
    "without rules": (edited(rules=None), ["valve", "--set valve=SHUT"]),
    "of rules that are none": (edited(rules=[]), ["rules = []"]),
    "of another property": (edited(property="never_empty"), ["'never_empty'", "never_full"]),
    "without steps": (edited(trace=[]), ["[]", "at least one step"]),
    "with a step that is none": (edited(trace=[7], states=1), ["step 1", "7"]),
    "with a value out of range": (lambda text: text.replace('"level": 3', '"level": 99'), ["step 4", "level", "99"]),
    "with an unknown field": (lambda text: text.replace('"level": 2', '"depth": 2'), ["step 3", "depth"]),
}


@pytest.mark.parametrize(("change", "words"), TRACES.values(), ids=TRACES)
def test_saved_traces_that_do_not_fit(kafkacheck, tank, saved, change, words):
    text = saved.read_text(encoding="utf-8")
    changed = change(text)
    assert changed != text
    saved.write_text(changed, encoding="utf-8")
    ended = kafkacheck("replay", tank, saved)
    assert ended.status == 2
    told(ended.error, str(saved), *words)


@pytest.mark.parametrize(("name", "word"), [("missing.json", "no such file"), ("out", "is a directory")])
def test_a_saved_trace_that_is_no_file(kafkacheck, tank, saved, name, word):
    ended = kafkacheck("replay", tank, saved.parent.parent / name)
    assert ended.status == 2
    told(ended.error, name, word)


def test_a_saved_trace_that_is_not_text(kafkacheck, tank, saved):
    saved.write_bytes(b"\xff\xfe\x00")
    ended = kafkacheck("replay", tank, saved)
    assert ended.status == 2
    told(ended.error, str(saved), "not text")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="this system has no endless device")
def test_a_saved_trace_that_is_a_device(kafkacheck, tank):
    ended = kafkacheck("replay", tank, "/dev/zero")
    assert ended.status == 2
    told(ended.error, "/dev/zero", "device")


def test_a_saved_trace_that_an_editor_marked_as_unicode(kafkacheck, tank, saved):
    saved.write_bytes(b"\xef\xbb\xbf" + saved.read_bytes())
    assert kafkacheck("replay", tank, saved).status == 12


def test_a_replay_prints_odd_names_in_one_line(kafkacheck, tank, saved):
    data = json.loads(saved.read_text(encoding="utf-8"))
    data["trace"][1] |= {"action": "fi\nll\ud800", "parameters": {"a\nb": "c\nd"}}
    saved.write_text(json.dumps(data), encoding="utf-8")
    ended = kafkacheck("replay", tank, saved)
    assert ended.status == 1
    shown = r"step 2 no longer applies: fi\nll\ud800(a\nb=c\nd): tank has no action"
    assert ended.out.splitlines()[2].startswith(shown)


def test_no_error_is_longer_than_can_be_read(kafkacheck, tank, tmp_path):
    huge = write(tmp_path / "huge.py", "raise ValueError('x' * 100_000)\n")
    for arguments in ((tank, "--set", "capacity=" + "9" * 5000), (huge,), (tank, "--property", "y" * 9999)):
        ended = kafkacheck("check", *arguments)
        assert len(ended.error) < 2100
