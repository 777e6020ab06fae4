"""Wrong rules, one at a time, beside a system: which of them it tells, and which moments the dates name."""

import subprocess
import sys
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.language import removal
from tests.kafka import judged, teeth
from tests.kafka.bench import Bench, Verdict
from tests.kafka.libs import KafkaError
from tests.kafka.runs import Known, Run
from tests.support.command import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
MODEL = '''
"""Does a lamp that is pressed go on?"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Since, Struct


class Rules(NamedTuple):
    """The switches."""

    goes_on: Annotated[bool, Since("4.1", begun="4.0")] = True
    counts: Annotated[bool, Since("4.2")] = True
    is_unread: Annotated[bool, Since("4.2")] = True


class State(Struct):
    """A lamp."""

    is_on: bool
    presses: Annotated[int, Count(3)]


def press(state: State, rules: Rules) -> bool:
    """Somebody presses the lamp."""
    if state.presses > 2 or state.is_on:
        return False
    if rules.counts or state.presses < 3:
        state.presses += 1
    state.is_on = rules.goes_on
    return True


def put_out(state: State) -> bool:
    """Somebody puts it out."""
    if not state.is_on:
        return False
    state.is_on = False
    return True


MODEL = Model(name="lamp", question=__doc__, state=State, actions=[press, put_out], rules=Rules())
'''
SYSTEM = """
class Lamp:
    observes, acts, refuses = ("is_on",), ("press", "put_out"), ("put_out",)
    not_judged = {"presses": "nobody sees it"}

    def __init__(self, model):
        pass

    def start(self, state):
        self.is_on = False

    def act(self, action, parameters):
        if action == "put_out" and not self.is_on:
            return False
        self.is_on = action == "press"
        return True

    def observe(self):
        return {"is_on": self.is_on}


SYSTEM = Lamp
"""


@pytest.fixture
def lamp(tmp_path, monkeypatch):
    """A run of a lamp, whose module is judged."""
    (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "lamp.py").write_text(SYSTEM, encoding="utf-8")
    run = Run(str(tmp_path / "lamp.py"), str(tmp_path / "model.py"))
    monkeypatch.setitem(teeth.JUDGES, run.system, ("Lamp", (str(tmp_path / "model.py"),)))
    return run


@pytest.fixture
def bench(lamp):
    """The lamp as a system that runs."""
    made = Bench(lamp, "4.4", seconds=5)
    yield made
    made.close()


def test_each_switch_that_is_read_is_turned_and_told(bench):
    changes = teeth.turned_switches(bench)
    assert list(changes) == ["goes_on=False", "counts=False"]
    outcomes = {name: bench.judged(*change) for name, change in changes.items()}
    assert outcomes["goes_on=False"].verdict is Verdict.DIFFERS
    assert outcomes["goes_on=False"].steps == 1
    assert outcomes["counts=False"].verdict is Verdict.SAME


def test_a_condition_that_is_taken_away_is_told(bench):
    changes = teeth.some_mutants(bench, count=100, seed=0)
    outcomes = {name: bench.judged(*change) for name, change in changes.items()}
    assert outcomes["put_out: if not state.is_on: return False: never taken"].is_caught
    assert not outcomes["press: state.presses > 2: > becomes >="].is_caught
    assert removal.removed() == removal.NOTHING
    assert len(teeth.some_mutants(bench, count=3, seed=1)) == 3


def test_the_unchanged_model_must_agree(lamp):
    path = Path(lamp.system)
    path.write_text(SYSTEM.replace('action == "press"', "False"), encoding="utf-8")
    with pytest.raises(KafkaError, match="the unchanged model differs after 1 steps: fields at press"):
        Bench(lamp, "4.4", seconds=5)


def test_a_switch_is_wrong_in_its_release_and_in_the_one_before(lamp):
    model = find_model(lamp.model)
    found = teeth.moments(model, ["goes_on", "counts"])
    assert found == {
        "4.0.0": [("goes_on", True)],
        "4.0.2": [("goes_on", True)],
        "4.1.0": [("goes_on", False)],
        "4.1.2": [("counts", True)],
        "4.2.0": [("counts", False)],
    }


def test_recorded_outcomes_replace_those_of_the_same_system(tmp_path, monkeypatch):
    monkeypatch.setattr(judged, "TEETH", tmp_path / "teeth.toml")
    told, same, agrees = "differs after 3 steps", "same", "agrees after 4 steps"
    judged.record_teeth("switches", "a.py", {"x=1": same, "y=1": told, "z=1": told}, is_whole=True)
    judged.record_teeth("switches", "b.py", {"x=1": told}, is_whole=True)
    judged.record_teeth("switches", "a.py", {"x=1": agrees, "y=1": same}, is_whole=True)
    assert judged.teeth() == {
        "switches": {"x=1": {"a.py": "agrees after 4 steps", "b.py": told}, "y=1": {"a.py": same}}
    }
    judged.record_teeth("switches", "a.py", {"y=1": told}, is_whole=False)
    judged.record_teeth("switches", "b.py", {"x=1": same}, is_whole=False)
    assert judged.teeth()["switches"] == {"x=1": {"a.py": agrees, "b.py": told}, "y=1": {"a.py": told}}


def test_a_condition_that_is_told_later_is_left_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(judged, "TEETH", tmp_path / "teeth.toml")
    told, cut = "differs after 3 steps", "cut short after 9 steps"
    first = {judged.ALL: "9 | 5 | 2 | 2", "x: a": cut, "y: b": cut, "z: c": told}
    judged.record_teeth(judged.MUTANTS, "a.py", first, is_whole=True)
    assert judged.teeth()[judged.MUTANTS] == {
        judged.ALL: {"a.py": "9 | 5 | 2 | 2"},
        "x: a": {"a.py": cut},
        "y: b": {"a.py": cut},
    }
    later = {judged.ALL: "3 | 2 | 0 | 1", "x: a": told, "y: b": "agrees after 8 steps", "z: c": told}
    judged.record_teeth(judged.MUTANTS, "a.py", later, is_whole=False)
    assert judged.teeth()[judged.MUTANTS] == {
        judged.ALL: {"a.py": "9 | 6 | 2 | 1"},
        "y: b": {"a.py": "agrees after 8 steps"},
    }


def test_each_reason_is_about_a_switch_that_no_class_tells():
    recorded = judged.teeth()
    known = {**recorded[judged.DATES], **recorded[judged.SWITCHES]}
    for change, reason in judged.untold().items():
        found = [outcomes for name, outcomes in known.items() if name.partition(" in ")[0] == change]
        assert reason.strip()
        assert found, f"no system reads {change}: remove the entry"
        told = [system for outcomes in found for system in outcomes if judged.is_told(outcomes[system])]
        assert not told, f"{change} is told: remove the entry"


def test_each_condition_that_is_left_has_a_reason_and_no_other_one_has():
    recorded = judged.teeth()[judged.MUTANTS]
    left = {(system, name) for name, outcomes in recorded.items() if name != judged.ALL for system in outcomes}
    listed = {(system, name) for system in teeth.JUDGES for name in judged.untold_conditions(system)}
    assert left == listed


def test_known_differences_are_those_of_some_releases():
    run = Run("a.py", "m", known=(Known("a.toml"), Known("b.toml", ("4.0.0",))))
    both = ["a.toml", "b.toml"]
    assert [run.known_of(each) for each in ("4.0.0", "4.0.0-SNAPSHOT", "4.0.1")] == [both, both, ["a.toml"]]
    assert Run("a.py", "m").known_of("4.4.0") == []


@pytest.mark.slow
def test_kafka_tells_a_wrong_rule(release):
    command = [sys.executable, "-m", "tests.kafka.teeth", "epoch_file", "--seconds", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "late_write_is_newest=False: differs after" in done.stdout, done.stdout + done.stderr
