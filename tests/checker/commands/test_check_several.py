"""Several models of the user's own: files, folders and patterns, settings where they fit, and expected verdicts."""

import json
import re

import pytest

from tests.support.command import TANK, in_process, write

pytestmark = pytest.mark.slow

CHECK = ("check", "--engine", "interpreted")
EXPECTING = TANK.replace("check_deadlock=True,", 'check_deadlock=True, expected="HOLDS distinct=3 depth=3",')
OPEN = TANK.replace("valve=Valve.SHUT", "valve=Valve.OPEN")


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "tanks" / "shut.py", EXPECTING)
    write(tmp_path / "tanks" / "deep" / "open.py", OPEN)
    write(tmp_path / "tanks" / "helpers.py", "ANSWER = 42\n")
    (tmp_path / "hollow").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "names",
    [["tanks"], ["tanks/shut.py", "tanks/deep/*.py"], ["tanks/**/*.py", "tanks/../tanks/shut.py"]],
    ids=" ".join,
)
def test_own_models_are_checked_by_files_folders_and_patterns(folder, names):
    ended = in_process(*CHECK, *names, folder=folder)
    assert ended.status == 12
    assert re.search(r"^tanks/shut\.py +HOLDS +yes ", ended.out, re.MULTILINE)
    assert re.search(r"^tanks/deep/open\.py +VIOLATED +never_full +- ", ended.out, re.MULTILINE)
    assert ended.last_line == "2 of 2 models; nothing is expected of: tanks/deep/open.py"


def test_models_of_one_name_write_files_of_their_own(folder):
    ended = in_process(*CHECK, "tanks", "--set", "valve=OPEN", "--out", "found", folder=folder)
    assert ended.status == 12
    assert {"tank-never_full.json", "tank.2"} <= {each.name for each in (folder / "found").iterdir()}


@pytest.mark.parametrize(
    ("expected", "judged"),
    [("HOLDS distinct=4", "no: HOLDS distinct=4"), ("VIOLATED never_full", "no: VIOLATED never_full")],
    ids=["count", "verdict"],
)
def test_a_model_that_ends_otherwise_than_it_expects_fails(folder, expected, judged):
    write(folder / "tanks" / "shut.py", EXPECTING.replace("HOLDS distinct=3 depth=3", expected))
    ended = in_process(*CHECK, "tanks/*.py", folder=folder)
    assert (ended.status, ended.last_line) == (1, "1 of 1 models; not as expected: tanks/shut.py")
    assert judged in ended.out
    alone = in_process(*CHECK, "tanks/shut.py", folder=folder)
    assert alone.out.splitlines()[-2] == f"not as expected: this model is meant to end in {expected}"
    assert alone.status == 0


def test_a_violation_that_is_expected_says_so(folder):
    write(folder / "open.py", OPEN.replace("check_deadlock=True,", 'expected="VIOLATED never_full",'))
    ended = in_process(*CHECK, "open.py", folder=folder)
    assert ended.out.splitlines()[-2] == "as expected: this model is meant to end in VIOLATED never_full"
    assert ended.status == 12
    assert "as expected" not in in_process(*CHECK, "open.py", "--set", "pour=1", folder=folder).out


def test_settings_and_properties_are_for_the_models_that_have_them(folder):
    write(folder / "slow.py", TANK.replace("capacity", "height").replace("rises_slowly", "rises"))
    ended = in_process(*CHECK, "tanks", "slow.py", "--set", "capacity=4", folder=folder)
    assert "note: slow.py has nothing that --set capacity=4 could set; checked without it" in ended.out
    found = json.loads(in_process(*CHECK, "tanks", "slow.py", "--set", "capacity=4", "--json", folder=folder).out)
    assert [each["bounds"] for each in found] == [{"capacity": 4}, {"capacity": 4}, {"height": 3}]
    assert [each["is_expected"] for each in found] == [None, None, None]
    ended = in_process(*CHECK, "tanks", "slow.py", "--property", "rises", folder=folder)
    assert ended.last_line == "1 of 1 models; nothing is expected of: slow.py"
    assert "not checked, as they have no such property: tanks/deep/open.py, tanks/shut.py" in ended.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("tanks", "--set", "capacty=4"), "none of the models has a bound or rule 'capacty'; did you mean capacity?"),
        (("tanks", "--property", "never_ful"), "none of the models has such a property; did you mean never_full?"),
        (("tanks", "--set", "capacity"), "--set capacity: expected name=value"),
        (("hollow",), "no Python file in the folder hollow defines a MODEL"),
        (("tanks/help*.py",), "no file that 'tanks/help*.py' fits defines a MODEL"),
        (("tanks/*.txt",), "no model of the catalogue is called 'tanks/*.txt'"),
        (("tanks", "nowhere.py"), "there is no file nowhere.py"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
)
def test_what_cannot_be_meant_is_refused_before_anything_is_searched(folder, given, said):
    ended = in_process(*CHECK, *given, folder=folder)
    assert (ended.status, ended.out) == (2, "")
    assert said in ended.error


def test_a_file_that_is_no_model_does_not_keep_others_from_being_checked(folder):
    ended = in_process(*CHECK, "tanks/helpers.py", "tanks/shut.py", folder=folder)
    assert ended.status == 150
    assert re.search(r"^tanks/helpers\.py +ERROR", ended.out, re.MULTILINE)
    assert re.search(r"^tanks/shut\.py +HOLDS +yes ", ended.out, re.MULTILINE)


def test_each_model_imports_the_modules_of_its_own_folder(folder):
    text = EXPECTING.replace("valve=Valve.SHUT", "valve=Valve(helpers.VALVE)").replace(
        "from enum", "import helpers\nfrom enum"
    )
    for name, valve in (("a", 0), ("b", 1)):
        write(folder / name / "tank.py", text)
        write(folder / name / "helpers.py", f"VALVE = {valve}\n")
    ended = in_process(*CHECK, "a", "b", folder=folder)
    assert ended.last_line == "2 of 2 models; not as expected: b/tank.py"


def test_an_expectation_that_says_nothing_is_refused(folder):
    write(folder / "odd.py", EXPECTING.replace("HOLDS distinct=3 depth=3", "holds"))
    ended = in_process(*CHECK, "odd.py", folder=folder)
    assert ended.status == 150
    assert "`expected` is 'holds'; give HOLDS, DEADLOCK, or VIOLATED and a property" in ended.error
