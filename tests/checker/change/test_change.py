"""`kafkacheck change`: edits of a small project, and what is said of each."""

import ast
import json
import subprocess
from types import SimpleNamespace
from xml.etree import ElementTree

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change import telling, variants
from kafkacheck.checker.change.definitions import Tree
from kafkacheck.checker.change.judging import Change, Judged, Searched, compared
from kafkacheck.checker.change.run import Report
from kafkacheck.checker.change.trees import commit_folder
from kafkacheck.checker.process.errors import UsageError
from tests import ROOT
from tests.checker.change.projects import Project
from tests.support.command import write


@pytest.fixture
def project(tmp_path, capsys, monkeypatch):
    made = Project(tmp_path, capsys)
    monkeypatch.chdir(made.now)
    return made


def failures(found):
    return [(each["kind"], each["name"], each["length"]) for model in found["models"] for each in model["failures"]]


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("step(1) fails", "step(1) fails", Change.UNFINISHED),
        ("step(1) fails", "step(2) fails", Change.UNFINISHED),
        ("", "step(1) fails", Change.FAILS),
        ("step(1) fails", "", Change.STEPS),
        ("", "", Change.STEPS),
    ],
)
def test_a_program_that_failed_before_is_not_judged(before, after, change):
    found = compared(Judged("tank", ("cups=3",), Change.UNFINISHED), Searched(fault=before), Searched(fault=after))
    assert found.change is change
    assert bool(found.reason) is (change is Change.UNFINISHED)


def test_without_an_edit_nothing_is_searched(project):
    project.edit("steps", "Fill it, unless it is full.", "Fill it if there is room.  # only a docstring")
    found = project.found()
    assert (found["status"], found["verdict"], found["edits"], found["models"]) == (0, "NOTHING_EDITED", [], [])


def test_an_edit_that_changes_nothing_costs_one_search(project):
    project.edit("steps", "return tank.level >= rules.limit", "return not tank.level < rules.limit")
    found = project.found("--max-seconds", 20)
    (own, *_) = found["models"]
    assert found["verdict"] == ("HOLDS_AT_OWN_SETTINGS" if found["settings_untried"] else "HOLDS")
    assert (found["status"], own["change"]) == (0, "NOTHING")
    assert [(each["way"], each["name"]) for each in found["edits"]] == [("edited", "is_full")]
    assert own["states"] == [3, 3]


def test_outcomes_are_told_before_rules(project):
    project.edit("steps", "tank.level >= rules.limit", "tank.level > rules.limit + 1")
    ended = project.change()
    assert ended.status == 12
    assert f"FAILS {project.model}: outcome never_runs_over trace=5; protocol is_half_empty trace=4" in ended.out
    assert f"outcome never_runs_over trace=5, in {project.model}:\n1  initial state" in ended.out
    assert ended.last_line.startswith(
        f"change: FAILS outcome=never_runs_over model={project.model} failing=1 other_steps=0 same=0 unfinished=0"
    )


def test_steps_are_counted_where_nothing_fails(project):
    project.edit("steps", "tank.level >= rules.limit", "tank.level >= rules.limit - 1")
    found = project.found("--max-seconds", 20)
    own = found["models"][0]
    assert (own["change"], own["states"], own["steps"], own["failures"]) == ("STEPS", [3, 2], [5, 3], [])


def test_no_model_reaches_the_edit(project):
    project.edit("steps", "    return tank.level\n", "    return tank.level + 1\n")
    ended = project.change()
    assert ended.status == 24
    assert "NO MODEL REACHES THIS EDIT: none of 1 models" in ended.out
    assert ended.last_line.startswith("change: UNREACHED")


def test_a_line_that_no_model_runs_is_told(project):
    more = "    if tank.level > 9:\n        tank.level -= 1\n    tank.level += 1\n"
    for root in (project.before, project.now):
        project.edit("steps", "    tank.level += 1\n", more, root)
    project.edit("steps", "tank.level -= 1\n    tank.level", "tank.level -= 2\n    tank.level")
    ended = project.change("--max-seconds", 30)
    assert ended.status == 24
    assert f"steps.py:16 in fill: no reachable state of {project.model}" in ended.out
    assert ended.last_line.startswith("change: UNREACHED")


@pytest.mark.parametrize(
    ("text", "run", "verdict"),
    [
        ("    if tank.level > 9:\n        tank.level -= 1\n    tank.level += 1\n", [True, False], "UNREACHED"),
        ("    if rules.limit == 9:\n        tank.level -= 1\n    tank.level += 1\n", [True, False], "UNREACHED"),
        ("    if rules.limit == 3:\n        tank.level += 0\n    tank.level += 1\n", [True, False], "HOLDS"),
        ("    level = tank.level\n    tank.level = level + 1\n", [True, True], "HOLDS"),
    ],
)
def test_which_of_the_edited_lines_a_model_runs_is_known(project, text, run, verdict):
    project.edit("steps", "    tank.level += 1\n", text)
    found = project.found("--max-seconds", 30)
    own = found["lines"][0]
    assert (own["model"], own["settings"]) == (project.model, [])
    assert [each["is_run"] for each in own["lines"]] == run
    assert found["verdict"] == verdict


def test_a_setting_is_found_at_which_it_matters(project):
    project.edit(
        "steps", "    tank.level += 1\n", "    tank.level += 1\n    if rules.limit == 3:\n        tank.level += 1\n"
    )
    found = project.found()
    own, tried = found["models"]
    assert (own["change"], own["settings"]) == ("NOTHING", [])
    assert (tried["change"], tried["settings"]) == ("FAILS", ["limit=3"])
    assert found["verdict"] == "FAILS"
    assert tried["command"].endswith("--set limit=3 --keep-going")


def test_a_new_function_and_one_that_is_gone_are_followed(project):
    project.edit(
        "steps",
        "def is_full(tank: Tank, rules: Rules) -> bool:\n    return tank.level >= rules.limit",
        "ROOM = 1\n\n\ndef has_room(tank: Tank, most: int) -> bool:\n    return tank.level <= most + ROOM",
    )
    project.edit("steps", "if is_full(tank, rules)", "if not has_room(tank, rules.limit)")
    found = project.found()
    ways = {each["name"]: each["way"] for each in found["edits"]}
    assert ways == {"ROOM": "new", "has_room": "new", "is_full": "removed", "fill": "edited"}
    assert found["models"][0]["one_program"]
    assert failures(found) == [("outcome", "never_runs_over", 5), ("protocol", "is_half_empty", 4)]


def test_a_renamed_file_is_no_edit(project):
    text = project.path(project.now, "steps").read_text(encoding="utf-8")
    project.path(project.now, "steps").unlink()
    write(project.path(project.now, "actions"), text)
    project.edit("tank", ".steps import", ".actions import")
    assert (project.found()["verdict"], project.found()["moved"]) == ("NOTHING_EDITED", 4)
    project.edit("actions", "tank.level >= rules.limit", "tank.level >= rules.limit + 2")
    found = project.found()
    assert [(each["way"], each["path"].split("/")[1]) for each in found["edits"]] == [("edited", "actions.py")]
    assert found["models"][0]["one_program"]
    assert failures(found)[0] == ("outcome", "never_runs_over", 5)


@pytest.mark.slow
def test_an_import_of_another_function_is_an_edit(project):
    for root in (project.before, project.now):
        path = project.path(root, "more")
        write(path, project.path(root, "steps").read_text(encoding="utf-8").replace("+= 1", "+= 2"))
    project.edit("tank", ".steps import drain, fill", f".steps import drain\nfrom {project.package}.more import fill")
    found = project.found("--max-seconds", 8)
    assert [(each["way"], each["name"]) for each in found["edits"]] == [("uses another definition", "MODEL")]
    assert ("protocol", "rises_slowly", 2) in failures(found)


def test_an_edited_property_is_judged_on_the_same_steps(project):
    project.edit("spec", "return tank.level < 3", "return tank.level < 2")
    found = project.found()
    assert failures(found) == [("protocol", "is_half_empty", 3)]
    assert found["models"][0]["states"] == [3, 3]


@pytest.mark.slow
def test_an_edited_default_of_a_rule_is_compared_in_two_processes(project):
    project.edit("rules", "limit: int = 2", "limit: int = 4")
    found = project.found()
    assert [(each["kind"], each["name"], each["fields"]) for each in found["edits"]] == [("class", "Rules", ["limit"])]
    assert not found["models"][0]["one_program"]
    assert failures(found) == [("outcome", "never_runs_over", 5), ("protocol", "is_half_empty", 4)]
    assert found["models"][0]["states"] == [3, 5]


@pytest.mark.long
def test_an_edited_bound_is_tried_at_other_settings(project):
    project.edit("tank", '"capacity": 5', '"capacity": 2')
    own, tried = project.found("--max-seconds", 40)["models"]
    assert (own["change"], tried["change"], tried["settings"]) == ("STEPS", "FAILS", ["limit=3"])
    assert tried["failures"][0]["name"] == "the contract of actions"


@pytest.mark.slow
def test_files_that_git_does_not_know_yet_count(project):
    (project.now / ".venv").symlink_to(project.before)  # a link to a place outside the repository
    for words in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "tank"]):
        subprocess.run(["git", *words], cwd=project.now, check=True)
    text = project.path(project.now, "steps").read_text(encoding="utf-8")
    write(project.path(project.now, "more"), text.replace("rules.limit", "rules.limit + 2"))
    project.edit("tank", ".steps import drain, fill", f".steps import drain\nfrom {project.package}.more import fill")
    found = project.command("change", "--json", "--max-seconds", 40)
    told = json.loads(found.out)
    assert ("new", "fill") in [(each["way"], each["name"]) for each in told["edits"]]
    assert ("outcome", "never_runs_over", 5) in failures(told)


@pytest.mark.slow
def test_a_bound_that_changes_no_step_is_no_failure(project):
    project.edit("tank", '"capacity": 5', '"capacity": 6')
    found = project.found("--max-seconds", 8)
    assert found["verdict"].startswith("HOLDS") and found["models"][0]["change"] == "STEPS"


def test_the_status_is_that_of_the_first_failure(project):
    project.edit("spec", "after.level <= before.level + 1", "after.level <= before.level")
    ended = project.change("--max-seconds", 20)
    assert (ended.status, ended.last_line.split()[1]) == (13, "FAILS")


def test_what_failed_before_is_said_first(project):
    for root in (project.before, project.now):
        project.edit("spec", "return tank.level < 3", "return tank.level < 2", root)
    project.edit("steps", "tank.level >= rules.limit", "tank.level >= rules.limit + 2")
    ended = project.change()
    lines = [line for line in ended.out.splitlines() if not line.startswith(("edited", "    "))]
    assert lines[0] == f"FAILED BEFORE THE EDIT ALREADY: {project.model}: is_half_empty, which is not expected"
    assert f"FAILS {project.model}: outcome never_runs_over trace=5" in lines[-4:]


def test_too_little_time_is_never_a_yes(project):
    project.edit("steps", "tank.level >= rules.limit", "tank.level > rules.limit + 1")
    ended = project.change("--max-seconds", 0.1)
    assert ended.status == 20
    assert f"not finished within 0.1 s, so not known: {project.model}" in ended.out
    assert ended.last_line.startswith("change: NOT_EXHAUSTED failing=0 other_steps=0 same=0 unfinished=1")


def test_code_that_fails_in_every_model_is_told_as_such(project):
    project.edit("steps", "tank.level >= rules.limit", "tank.levle >= rules.limit")
    ended = project.change()
    assert ended.status == 20
    assert "no model could be judged, so that nothing is known of the edit" in ended.out
    assert ended.last_line.startswith("change: NOT_EXHAUSTED failing=0 other_steps=0 same=0 unfinished=0 unjudged=1")


def test_settings_without_time_are_told_and_are_no_plain_yes():
    former = SimpleNamespace(violations=[], fault="")
    one = SimpleNamespace(change=Change.NOTHING, model="tank", settings=(), failures=(), former=former)
    report = Report("HEAD", 180.0, SimpleNamespace(edits=[], moved=0), judged=[one], models=1)
    report.edits.edits = [SimpleNamespace(told="edited function tank.py:1 fill")]
    assert telling.verdict_of(report) == "HOLDS"
    report.settings, report.untried = 3, [("tank", ("capacity=4",)), ("tank", ("limit=1",))]
    assert telling.verdict_of(report) == "HOLDS_AT_OWN_SETTINGS"
    assert "other settings: 3 tried, 2 NOT TRIED for want of time" in "\n".join(telling.lines(report))
    assert "tank --set capacity=4, tank --set limit=1" in "\n".join(telling.lines(report))
    assert telling.closing_line(report).endswith("unfinished=0 untried=2 seconds=0")


def test_what_tells_more_depends_on_whether_a_step_differs():
    edits, places = SimpleNamespace(edits=[1], moved=0), {"tank": "tanks/tank.py"}
    report = Report("abc123", 180.0, edits, judged=[Judged("tank", (), Change.UNFINISHED)], places=places)
    told = "\n".join(telling.failing_lines(report))
    assert "git worktree add out/base abc123" in told
    assert "kafkacheck equivalent tank out/base/tanks/tank.py" in told
    report.judged.append(Judged("sink", (), Change.STEPS))
    told = "\n".join(telling.failing_lines(report))
    assert "IT IS NO REFACTORING: it makes other steps, in sink" in told
    assert "equivalent" not in told


def test_fields_that_hold_a_bound_count_as_read():
    (edited,) = ast.parse("def split(producer, bounds):\n    return producer.max_sequence + bounds.room").body
    assert variants._fields_in([edited]) == {"max_sequence", "room"}


def test_what_cannot_be_compared_is_refused(project, tmp_path):
    assert "is no folder" in project.change("--against", tmp_path / "none").error
    assert "give one of them" in project.change("--base", "HEAD").error


def test_an_empty_commit_is_none(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with pytest.raises(UsageError, match="has no commit ''; name one"), commit_folder(tmp_path, ""):
        pass


def test_a_commit_that_does_not_exist_is_named(tmp_path):
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    with (
        pytest.raises(UsageError, match="has no commit 'nosuch'; name one by --base"),
        commit_folder(tmp_path, "nosuch"),
    ):
        pass


def test_pages_for_others_say_the_same(project, tmp_path):
    project.edit("steps", "tank.level >= rules.limit", "tank.level > rules.limit + 1")
    page, tests = tmp_path / "change.md", tmp_path / "change.xml"
    assert project.change("--markdown", page, "--junit", tests).status == 12
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"## kafkacheck change: FAILS\n\n- FAILS {project.model}: outcome never_runs_over trace=5")
    assert "- edited since " in text
    assert "Keep it as a test: `kafkacheck replay " in text
    assert (tmp_path / "change-counterexample.json").exists()
    assert (project.now / "out/change.json").exists()
    suite = ElementTree.fromstring(tests.read_text(encoding="utf-8"))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("1", "1", "0")
    assert suite.find("testcase/failure").get("message") == "outcome never_runs_over trace=5"


def test_one_member_more_is_tried_of_the_sets_that_an_edit_reads():
    tree = Tree(ROOT, ["impl/broker/leader.py"])
    (raised,) = (each for each in tree.definitions.values() if each.key[1] == "maybe_raise_high_watermark")
    edit = SimpleNamespace(now=raised, definition=raised)
    model = catalogue.find_model("cluster.eligible.consumer")
    assert variants.enlarged(model, SimpleNamespace(now=tree), [edit]) == [("replicas=3",)]
    unjudged = model.with_properties([])
    assert variants.enlarged(unjudged, SimpleNamespace(now=tree), [edit]) == []


def test_bounds_that_go_together_are_raised_together():
    tree = Tree(ROOT, ["impl/consumer_group/coordinator.py"])
    (found,) = (each for each in tree.definitions.values() if each.key[1] == "static_member")
    edit = SimpleNamespace(now=found, definition=found)
    model = catalogue.find_model("migration.mixed")
    assert ("members=3", "member_ids=3") in variants.enlarged(model, SimpleNamespace(now=tree), [edit])
