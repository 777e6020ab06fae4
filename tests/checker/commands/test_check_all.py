"""Checking the whole catalogue: the closing table, what was expected, the files, and the exit status."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue.catalogue import Expectation, find_model
from kafkacheck.checker.console import report
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.search import check as explore
from tests.support.command import TANK, Command, Terminal, catalogue, in_process, write

pytestmark = pytest.mark.slow


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def few_models(monkeypatch):
    """A catalogue of the models at the abstraction of the public specification alone."""
    names = [
        "replication.kip101",
        "replication.kip279",
        "replication.kip320",
        "replication.kip320_first_try",
        "replication.truncate_to_high_watermark",
    ]
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.catalogue_names", lambda: names)


OPEN_TANK = TANK.replace("valve=Valve.SHUT", "valve=Valve.OPEN")
EXPECTED = '[shut]\nverdict = "HOLDS"\n\n[open]\nverdict = "VIOLATED"\nproperty = "never_full"\n'
ALL = ("check", "--all", "--engine", "interpreted")


def test_all_closes_with_a_table_and_writes_pictures_under_out(tmp_path):
    folder = catalogue(tmp_path, EXPECTED, shut=TANK, open=OPEN_TANK, helpers="ANSWER = 42\n")
    ended = in_process(*ALL, folder=folder)
    assert ended.status == 0, ended.err
    header, _, *rows, _, told = ended.out[ended.out.index("model  ") :].splitlines()
    assert told == "2 of 2 models; every verdict is as expected"
    columns = ["model", "verdict", "property", "expected?", "distinct", "generated", "depth", "seconds", "trace"]
    assert header.split() == [*columns, "picture"]
    assert [row.split()[:2] for row in rows] == [["open", "VIOLATED"], ["shut", "HOLDS"]]
    assert rows[0].split()[2:5] == ["never_full", "yes", "4"]
    picture = rows[0].split()[-1]
    assert picture.startswith("out/")
    assert (folder / picture).is_file()
    assert rows[1].split()[2] == "yes"


@pytest.mark.parametrize("columns", [60, 300])
def test_the_closing_table_lists_pictures_below_where_the_terminal_is_narrow(tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    model = find_model(str(write(tmp_path / "tank.py", TANK))).with_rules({"valve": "OPEN"})
    result = explore(model, engine="interpreted")
    picture = Path("[red]pictures") / ("long" * 20 + ".svg")
    expectation = Expectation(Verdict.VIOLATED, "never_full")
    table = report.closing_table([report.Checked("tank", expectation, result, (picture,))], Terminal())
    assert (f"tank: picture {picture}" in table.splitlines()) == (columns == 60)
    assert table.count(str(picture)) == 1
    assert table.splitlines()[-1] == "1 of 1 models; every verdict is as expected"


@pytest.mark.parametrize("columns", [60, 80])
def test_no_number_of_the_closing_table_is_folded(tmp_path, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm")
    model = find_model(str(write(tmp_path / "tank.py", TANK))).with_rules({"valve": "OPEN"})
    result = replace(explore(model, engine="interpreted"), states_distinct=123_456_789, states_generated=987_654_321)
    rows = [report.Checked(name, None, result) for name in ("tank", "a_name_that_is_long_and_longer")]
    table, below, _ = re.sub(r"\x1b\[[0-9;]*m", "", report.closing_table(rows, Terminal())).split("\n\n")
    assert table.count(" 123,456,789 987,654,321 ") == 2
    assert max(map(len, table.splitlines())) <= columns
    assert below.splitlines()[0] == "tank: as expected? no: nothing"


@pytest.mark.parametrize(
    "expected",
    [
        EXPECTED.replace('"HOLDS"', '"DEADLOCK"'),
        EXPECTED.replace('"never_full"', '"rises_slowly"'),
        EXPECTED.replace("[shut]", "[another]"),
    ],
    ids=["verdict", "property", "nothing expected"],
)
def test_all_fails_where_a_verdict_is_not_the_expected_one(tmp_path, expected):
    ended = in_process(*ALL, folder=catalogue(tmp_path, expected, shut=TANK, open=OPEN_TANK))
    assert ended.status == 1
    assert re.search(r"^(open|shut) .* no: (DEADLOCK|VIOLATED rises_slowly|nothing) ", ended.out, re.MULTILINE)
    assert re.match("2 of 2 models; not as expected: (open|shut)$", ended.last_line)


def test_all_goes_on_after_a_model_that_cannot_be_loaded(tmp_path):
    ended = in_process(
        *ALL, "--out", "pictures", folder=catalogue(tmp_path, EXPECTED, open="MODEL = 1 / 0\n", shut=TANK)
    )
    assert ended.status == 150
    assert "ZeroDivisionError" in ended.error
    assert re.search(r"^open +ERROR", ended.out, re.MULTILINE)
    assert re.search(r"^shut +HOLDS", ended.out, re.MULTILINE)


def test_all_tells_what_was_found_before_code_failed(tmp_path):
    folder = catalogue(tmp_path, EXPECTED, open=TANK.replace("tank.level -= 1", "tank.level -= 9"), shut=TANK)
    ended = in_process(*ALL, folder=folder)
    assert ended.status == 75
    assert "drain" in ended.error
    assert re.search(r"^open +EVALUATION_FAILED +no: VIOLATED never_full ", ended.out, re.MULTILINE)
    assert re.search(r"^shut +HOLDS +yes ", ended.out, re.MULTILINE)


@pytest.mark.usefixtures("few_models")
@pytest.mark.parametrize("place", ["kafkacheck.checker.search.check", "kafkacheck.checker.pictures.render.write_files"])
def test_ctrl_c_ends_all_with_the_table_of_what_was_found(kafkacheck, tmp_path, monkeypatch, place):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupted)
    ended = kafkacheck(*ALL, "--max-states", 5000, "--out", tmp_path)
    assert ended.status == 20
    assert ended.error.endswith("it was interrupted")
    row = r"NOT_EXHAUSTED +unfinished" if place == "kafkacheck.checker.search.check" else "VIOLATED +weak_isr +yes"
    assert re.search(rf"^replication\.kip101 +{row}\b", ended.out, re.MULTILINE)
    assert re.search(r"^replication\.kip320 +not begun$", ended.out, re.MULTILINE)
    assert re.match(
        r"[01] of \d+ models finished; (unfinished: replication.kip101; )?not begun: replication.kip279, ",
        ended.last_line,
    )


def test_a_limit_leaves_models_unfinished_and_not_unexpected(tmp_path):
    folder = catalogue(tmp_path, EXPECTED, shut=TANK, open=OPEN_TANK)
    ended = in_process(*ALL, "--max-states", 3, folder=folder)
    assert ended.status == 20
    assert re.search(r"^open +NOT_EXHAUSTED +unfinished ", ended.out, re.MULTILINE)
    assert ended.last_line == "1 of 2 models finished; unfinished: open"
    found = json.loads(in_process(*ALL, "--max-states", 3, "--json", folder=folder).out)
    assert [(each["is_finished"], each["is_expected"]) for each in found] == [(False, False), (True, True)]


@pytest.mark.usefixtures("few_models")
def test_all_tells_every_verdict_before_what_befell_its_files(kafkacheck, tmp_path, monkeypatch):
    def fails(*_):
        raise UsageError("cannot write")

    monkeypatch.setattr("kafkacheck.checker.pictures.render.write_files", fails)
    ended = kafkacheck(*ALL, "--max-states", 400, "--out", tmp_path)
    assert ended.status == 20
    assert "error: replication.truncate_to_high_watermark: cannot write\n" in ended.err
    assert ended.out.startswith("replication.kip101: NOT_EXHAUSTED ")
    assert re.search(r"^replication\.truncate_to_high_watermark +VIOLATED +weak_isr +yes ", ended.out, re.MULTILINE)


@pytest.mark.usefixtures("few_models")
def test_a_bug_in_drawing_does_not_hide_the_verdict_of_a_model(kafkacheck, tmp_path, monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.pictures.render.write_files", lambda *_: [][0])
    monkeypatch.setattr("kafkacheck.checker.commands.command_line.internal_error", str)
    ended = kafkacheck(*ALL, "--max-states", 400, "--out", tmp_path)
    assert ended.status == 70
    assert ended.last_line.startswith("replication.truncate_to_high_watermark: VIOLATED weak_isr ")


@pytest.mark.parametrize("names", [["shut", "shutter"], ["sh*"], ["s*", "shut*"]], ids=" ".join)
def test_several_models_are_checked_by_names_and_patterns(tmp_path, names):
    folder = catalogue(tmp_path, EXPECTED, shut=TANK, open=OPEN_TANK, shutter=TANK)
    ended = in_process("check", *names, "--engine", "interpreted", folder=folder)
    assert ended.status == 1
    assert ended.last_line == "2 of 2 models; not as expected: shutter"
    assert re.search(r"^shut +HOLDS +yes ", ended.out, re.MULTILINE)


@pytest.mark.parametrize(("options", "status"), [([], 1), (["--strict"], 21)], ids=["", "strict"])
def test_a_verdict_that_has_become_vacuous_is_not_as_expected(tmp_path, options, status):
    vacuous = TANK.replace("tank.level == 2", "tank.level == 3")
    ended = in_process(*ALL, *options, folder=catalogue(tmp_path, EXPECTED, shut=vacuous, open=OPEN_TANK))
    assert ended.status == status
    assert ended.err.startswith("warning: shut may hold only because no reachable state is an example of half_full")
    assert re.search(r"^shut +HOLDS +no: HOLDS, not vacuously ", ended.out, re.MULTILINE)
    assert ended.last_line == "2 of 2 models; not as expected: shut"


def test_all_as_json(tmp_path):
    ended = in_process(*ALL, "--json", folder=catalogue(tmp_path, EXPECTED, shut=TANK, open=OPEN_TANK))
    assert ended.status == 0
    found = json.loads(ended.out)
    assert [(each["model"], each["verdict"], each["is_expected"]) for each in found] == [
        ("open", "VIOLATED", True),
        ("shut", "HOLDS", True),
    ]


def test_letters_that_the_terminal_cannot_show_are_no_error(tmp_path):
    folder = catalogue(tmp_path, EXPECTED, shut=TANK)
    ended = in_process(*ALL, folder=folder, PYTHONIOENCODING="latin-1")
    assert ended.status == 0, ended.err
    assert "\\u2500" in ended.out
