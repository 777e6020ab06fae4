"""The museum of known bugs: its entries, the search of both halves, and `kafkacheck bugs`, on a small catalogue."""

import json
import re
from typing import Annotated, NamedTuple

import pytest

from kafkacheck.checker.catalogue.bug_releases import Presence
from kafkacheck.checker.catalogue.museum import Museum, bugs, find_bugs
from kafkacheck.checker.commands.bugs import show_bugs
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.checker.search import check
from tests.support.command import TANK, in_process, write

LEAK = """
["LEAK-1 / TAP-7"]
title = "the valve stays open"
model = "tank"
property = "never_full"
broken = [{ valve = "OPEN" }]
fixed_by = "TAP-8: shut it"
reason = "a short one"
"""

GONE = """
["LEAK-2"]
title = "never a bug"
model = "tank"
property = "never_full"
broken = [{ valve = "SHUT" }]
fixed_by = "nobody"

["LEAK-3"]
title = "another liquid"
fixed_by = "nobody"
lacks = "temperature"
"""


@pytest.fixture
def place(tmp_path):
    write(tmp_path / "model" / "__init__.py", "")
    write(tmp_path / "model" / "tank.py", TANK)
    write(tmp_path / "model" / "pipes" / "bugs.toml", LEAK)
    return tmp_path


def test_a_bug_is_found_without_its_fix_and_gone_with_it(place):
    ended = in_process("bugs", "--json", "--engine", "interpreted", folder=place)
    assert ended.status == 0, ended.err
    [told] = json.loads(ended.out)
    assert told.pop("seconds") >= 0
    assert told == {
        "id": "LEAK-1 / TAP-7",
        "area": "pipes",
        "found": True,
        "fixed": True,
        "trace_states": 4,
        "states_distinct": 3,
        "reason": "a short one",
    }


def test_a_bug_that_is_not_found_and_one_that_cannot_be_expressed_say_so(place):
    write(place / "model" / "valves" / "bugs.toml", GONE)
    ended = in_process("bugs", "--json", "--engine", "interpreted", folder=place)
    assert ended.status == 1
    second, third = json.loads(ended.out)[1:]
    assert (second["found"], second["fixed"], second["reason"]) == (False, True, "without the fix: HOLDS")
    assert (third["found"], third["states_distinct"]) == (False, None)
    assert third["reason"] == "not expressible: it lacks temperature"
    ended = in_process("bugs", "--engine", "interpreted", folder=place)
    assert ended.status == 1
    assert ended.out.splitlines()[-1] == (
        "1 of 3 bugs found and fixed; not expressible: LEAK-3; not as they should be: LEAK-2"
    )
    assert in_process("bugs", "LEAK-3", folder=place).status == 0


def test_one_bug_is_named_by_any_of_its_names_and_drawn(place):
    for name in ("LEAK-1 / TAP-7", "leak-1", "TAP-7"):
        ended = in_process("bugs", name, "--engine", "interpreted", "--out", "drawn", folder=place)
        assert ended.status == 0, ended.err
        assert "without the fix: tank with valve=OPEN" in ended.out
        assert "fixed by: TAP-8: shut it" in ended.out
        assert "LEAK-1 / TAP-7: found fixed trace=4" in ended.out
    assert list((place / "drawn" / "LEAK-1_TAP-7").glob("tank-never_full*.json"))


def test_a_limit_leaves_a_bug_unfinished(place):
    ended = in_process("bugs", "--max-states", "1", "--engine", "interpreted", folder=place)
    assert ended.status == 20
    first, *_, last = ended.out.splitlines()
    assert first.startswith("LEAK-1 / TAP-7: UNFINISHED states=1 ")
    assert first.endswith(
        "(without the fix: NOT_EXHAUSTED (it was stopped at 1 distinct states); "
        "with the fix: NOT_EXHAUSTED (it was stopped at 1 distinct states))"
    )
    assert last == "0 of 1 bugs found and fixed; unfinished: LEAK-1 / TAP-7"
    [told] = json.loads(in_process("bugs", "--json", "--max-states", "1", "--engine", "interpreted", folder=place).out)
    assert (told["found"], told["fixed"], told["trace_states"]) == (None, None, None)


@pytest.mark.parametrize(
    ("pressed_in", "begins"), [(1, "UNFINISHED found trace=4 seconds="), (2, "UNFINISHED found trace=4 states=3 ")]
)
@pytest.mark.parametrize("how", ["heard", "raised"])
def test_ctrl_c_ends_the_command_and_says_what_was_not_finished(place, monkeypatch, capsys, pressed_in, begins, how):
    twin = LEAK.replace("LEAK-1 / TAP-7", "LEAK-4")
    write(place / "model" / "pipes" / "bugs.toml", LEAK + twin)
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.folders", lambda: [place / "model"])
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.find_model", lambda name: _tank(place))
    searched = []

    def search(model, limits):
        searched.append(model)
        result = check(model, engine="interpreted", limits=limits)
        if len(searched) == pressed_in and how == "raised":
            raise KeyboardInterrupt
        if len(searched) == pressed_in:
            result.interrupted = True
            if pressed_in == 2:
                result.verdict, result.reason = Verdict.NOT_EXHAUSTED, "it was interrupted"
        return result

    for names in ((), ("leak-1", "leak-4")):
        searched.clear()
        assert show_bugs(names, search, Limits(), None, as_json=False) == 20
        told = capsys.readouterr().out
        assert len(searched) == pressed_in
        assert "NOT FOUND" not in told and "NOT FIXED" not in told and "None" not in told
        assert "UNFINISHED" in told and "not begun" in told
        if not names:
            assert re.search("^LEAK-4 .* not begun +not begun ", told, re.MULTILINE)
        assert how == "raised" or f"LEAK-1 / TAP-7: {begins}" in told


def test_an_unknown_bug_is_a_usage_error_that_names_the_nearest(place):
    ended = in_process("bugs", "LEAK-9", folder=place)
    assert ended.status == 2
    assert "LEAK-9" in ended.error and "did you mean LEAK-1" in ended.error


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("title =", "titel ="), "titel"),
        (('property = "never_full"\n', ""), "lacks property"),
        (('title = "the valve stays open"', "title = 3"), "title is 3"),
        (('valve = "OPEN"', 'valve = "AJAR"'), "AJAR"),
        (('model = "tank"', 'model = "tonk"'), "tonk"),
        (("never_full", "never_empty"), "never_empty"),
        (('broken = [{ valve = "OPEN" }]', "broken = 3"), "broken"),
        (('["LEAK-1 / TAP-7"]', '["LEAK-1 / TAP-7"'), "TOML"),
    ],
)
def test_an_entry_that_does_not_fit_is_an_error_that_names_it(place, change, told):
    write(place / "model" / "pipes" / "bugs.toml", LEAK.replace(*change))
    ended = in_process("bugs", "--engine", "interpreted", folder=place)
    assert ended.status in (2, 150), ended.out
    assert told in ended.error and "Traceback" not in ended.err


def test_bugs_can_be_listed_without_a_search(place, monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.catalogue.museum.Museum.visit", None)
    ended = in_process("bugs", "--list", folder=place)
    assert ended.status == 0
    assert [line.split()[0] for line in ended.out.splitlines()[2:]] == ["LEAK-1"]
    [told] = json.loads(in_process("bugs", "TAP-7", "--list", "--json", folder=place).out)
    assert told["id"] == "LEAK-1 / TAP-7" and told["area"] == "pipes" and told["model"] == "tank"
    assert in_process("bugs", "--list", "LEAK-9", folder=place).status == 2


MENDED = (Since("2.7.2", begun="2.7"), Since("2.8.1", begun="2.8"))


@pytest.mark.parametrize(
    ("dates", "asked", "has", "fixed"),
    [
        ((Since("2.0"),), "1.0", True, "2.0"),
        ((Since("2.0"),), "2.0", False, "2.0"),
        (MENDED, "2.7.1", True, "2.7.2, 2.8.1"),
        (MENDED, "2.6", False, "2.7.2, 2.8.1"),
        ((Since(EVERY),), "1.0", False, "no release has it"),
        ((Since(EVERY, False),), "9.9", True, "not yet"),
        ((), "1.0", None, "-"),
    ],
)
def test_a_release_has_a_bug_if_its_rules_are_as_they_were(dates, asked, has, fixed):
    class Rules(NamedTuple):
        checks: Annotated[bool, *dates, ""] = True
        chosen: bool = True

    found = Presence(Rules(), ({"checks": False},))
    assert (found.is_in(asked), found.fixed_in) == (has, fixed)
    with_choice = Presence(Rules(), ({"checks": False, "chosen": False},))
    assert with_choice.is_in(asked) == (None if has else has)
    assert Presence(Rules(), ({"checks": False, "chosen": False}, {"checks": False})).is_in(asked) == has
    assert Presence(None, ()).is_in(asked) is None and Presence(None, ()).fixed_in == "-"


def test_the_bugs_of_a_release_are_listed_without_a_search(place):
    dated = TANK.replace(
        "    valve: Valve\n", '    valve: Annotated[Valve, Since(EVERY, Valve.OPEN), Since("2.0")] = Valve.SHUT\n'
    )
    dated = dated.replace("drains: bool\n", "drains: bool = True\n").replace("pour: int\n", "pour: int = 1\n")
    write(place / "model" / "tank.py", dated.replace("import Count, Struct", "import EVERY, Count, Since, Struct"))
    write(place / "model" / "valves" / "bugs.toml", GONE)
    told = json.loads(in_process("bugs", "--kafka", "1.0", "--json", folder=place).out)
    assert told == [
        {"id": "LEAK-1 / TAP-7", "in_release": True, "fixed_in": "2.0"},
        {"id": "LEAK-2", "in_release": False, "fixed_in": "not yet"},
        {"id": "LEAK-3", "in_release": None, "fixed_in": "-"},
    ]
    lines = in_process("bugs", "--kafka", "1.0", folder=place).out.splitlines()
    assert [line.split()[0] for line in lines[2:-2]] == ["LEAK-1"]
    assert lines[-1] == "1.0 has 1 of 3 bugs; not known: LEAK-3"
    assert " | 2.0 | TAP-8: shut it |" in in_process("bugs", "--list", "--markdown", folder=place).out
    ended = in_process("bugs", "--kafka", "new", folder=place)
    assert ended.status == 2 and "is no release; write one such as 4.1" in ended.error
    ended = in_process("bugs", "--kafka", "99", folder=place)
    assert ended.status == 2 and "99 is no release that the rules know; they know 2.0 to 2.0" in ended.error


def test_bugs_that_share_the_half_with_the_fix_share_its_search(place, monkeypatch):
    monkeypatch.chdir(place)
    twin = LEAK.replace("LEAK-1 / TAP-7", "LEAK-4")
    write(place / "model" / "pipes" / "bugs.toml", LEAK + twin)
    searched = []

    def search(model, limits):
        searched.append(model.rules.valve.name)
        return check(model, engine="interpreted", limits=limits)

    museum = Museum(search, Limits())
    with pytest.MonkeyPatch.context() as changes:
        changes.setattr("kafkacheck.checker.catalogue.catalogue.folders", lambda: [place / "model"])
        changes.setattr("kafkacheck.checker.catalogue.catalogue.find_model", lambda name: _tank(place))
        exhibits = [museum.visit(bug) for bug in bugs()]
        with pytest.raises(UsageError):
            find_bugs("TAP-70")
    assert [each.is_found and each.is_fixed for each in exhibits] == [True, True]
    assert searched == ["OPEN", "SHUT", "OPEN"]  # the second half with the fix is the first one again


def _tank(place):
    from kafkacheck.checker.catalogue.catalogue import _module_of_file

    return _module_of_file(place / "model" / "tank.py", []).MODEL


def test_a_broken_file_raises_a_model_error(place, monkeypatch):
    write(place / "model" / "pipes" / "bugs.toml", "[x")
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.folders", lambda: [place / "model"])
    with pytest.raises(ModelError, match=r"pipes/bugs\.toml"):
        bugs()
