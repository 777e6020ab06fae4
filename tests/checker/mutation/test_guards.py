"""Every guard earns its place: what catches a model without one of its conditions, and what the command says."""

import json

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.guards import Examiner, Outcome
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.process.statuses import UNEXPLAINED
from kafkacheck.checker.search import check
from tests.support.command import TANK, Command, catalogue, in_process, write
from tests.toys import die_hard, peterson

pytestmark = pytest.mark.slow

CAUGHT, REDUNDANT, EXCLUDED = Outcome.CAUGHT, Outcome.REDUNDANT, Outcome.EXCLUDED
UNEXPLAINED_OUTCOME = Outcome.UNEXPLAINED

# A cistern with one guard of each kind; `limit` is the largest level that the pump may reach.
CISTERN = '''"""Does the cistern keep its level?"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Rules(NamedTuple):
    has_valve: bool


class Cistern(Struct):
    level: Annotated[int, Count("height")]
    alarms: Annotated[int, Count(1)]
    is_wet: bool


def pump(cistern: Cistern, rules: Rules, amount: Annotated[int, Count(2)]) -> bool:
    if amount == 0:
        return False
    if cistern.level + amount > 3:
        return False
    if rules.has_valve and cistern.level == 7:
        return False
    cistern.level += amount
    if cistern.level >= 0:
        cistern.is_wet = True
    return True


def ring(cistern: Cistern) -> bool:
    if cistern.alarms == 1:
        return False
    if cistern.level != 3:
        return False
    cistern.alarms += 1
    return True


def rings_only_when_wet(cistern: Cistern) -> bool:
    return cistern.alarms == 0 or cistern.is_wet


def level_is_kept(cistern: Cistern) -> bool:
    return cistern.level <= 3


MODEL = Model(
    name="cistern",
    state=Cistern,
    bounds={"height": 5},
    rules=Rules(has_valve=False),
    actions=[pump, ring],
    always=[rings_only_when_wet, level_is_kept],
)
'''
RING = "ring: if cistern.level != 3: return False: never taken"


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def cistern(tmp_path):
    return write(tmp_path / "cistern.py", CISTERN)


def findings(model: Model, **options):
    examiner = Examiner(model, **options)
    return {each.guard: each for each in examiner.examine(range(len(examiner.mutants)))}


def one(examiner: Examiner, start: str):
    """What becomes of the guard whose name starts so."""
    number = next(number for number, each in enumerate(examiner.mutants) if each.name.startswith(start))
    return examiner.examine([number])[0]


def caught_by(found):
    return {name: each.by for name, each in found.items() if each.outcome is CAUGHT}


def listed(folder, model, guard, reason="It is late."):
    write(folder / "guards.toml", f"[[guard]]\nmodel = '{model}'\nguard = '{guard}'\nreason = '{reason}'\n")


def test_each_outcome(cistern):
    found = findings(find_model(str(cistern)))
    assert {name: (each.outcome, each.by, each.length) for name, each in found.items()} == {
        "pump: if amount == 0: return False: never taken": (CAUGHT, "contract", 2),
        "pump: if cistern.level + amount > 3: return False: never taken": (CAUGHT, "level_is_kept", 3),
        "pump: cistern.level + amount > 3: > becomes >=": (CAUGHT, "vacuity", None),
        "pump: if rules.has_valve and cistern.level == 7: return False: never taken": (EXCLUDED, "", None),
        "pump: rules.has_valve and cistern.level == 7: without `cistern.level == 7`": (EXCLUDED, "", None),
        "pump: if cistern.level >= 0: never taken": (CAUGHT, "rings_only_when_wet", 4),
        "pump: if cistern.level >= 0: always taken": (REDUNDANT, "", None),
        "pump: cistern.level >= 0: >= becomes >": (REDUNDANT, "", None),
        "ring: if cistern.alarms == 1: return False: never taken": (CAUGHT, "contract", 4),
        RING: (CAUGHT, "rings_only_when_wet", 2),
    }


def test_without_the_property_that_catches_it_a_guard_is_unexplained(cistern):
    model = find_model(str(cistern)).with_properties(["level_is_kept"])
    found = findings(model)[RING]
    assert found.outcome is UNEXPLAINED_OUTCOME
    assert found.states > check(model, engine="interpreted").states_distinct


def test_the_shortest_counterexample_is_of_the_changed_code(cistern):
    model = find_model(str(cistern))
    found = findings(model, with_traces=True)["pump: if cistern.level + amount > 3: return False: never taken"]
    assert found.trace.count("pump(amount=2)") == 2
    assert "level: 2 -> 4" in found.trace
    assert check(model, engine="interpreted").trace is None


def test_machine_code_and_plain_python_agree_on_every_guard(monkeypatch, tmp_path):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path))
    answers = []
    for small in (20_000, 1):
        monkeypatch.setattr("kafkacheck.checker.mutation.guards.SMALL", small)
        found = findings(peterson.MODEL)
        answers.append({name: (each.outcome, each.by, each.length) for name, each in found.items()})
    assert answers[0] == answers[1]
    assert {outcome for outcome, _, _ in answers[0].values()} >= {CAUGHT, UNEXPLAINED_OUTCOME}


@pytest.mark.parametrize("small", [20_000, 1])
def test_a_step_that_another_action_takes_anyway_makes_no_difference(monkeypatch, tmp_path, small):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path))
    monkeypatch.setattr("kafkacheck.checker.mutation.guards.SMALL", small)
    text = """
def climb(tank: Tank) -> bool:
    if tank.level >= 2:
        return False
    tank.level += 1
    return True


def fill(tank: Tank) -> bool:
    if tank.level >= 4:
        return False
    tank.level += 1
    return True


def is_not_full(tank: Tank) -> bool:
    return tank.level < 5


MODEL = Model(name="tank", state=Tank, bounds={"capacity": 5}, actions=[climb, fill], always=[is_not_full])
"""
    model = find_model(str(write(tmp_path / "climb.py", TANK[: TANK.index("def fill")] + text)))
    found = {name.split(":")[0]: each for name, each in findings(model).items() if "never taken" in name}
    assert (found["climb"].outcome, found["fill"].outcome) == (CAUGHT, CAUGHT)
    model = model.with_bounds({"capacity": 4}).with_properties([])
    found = {name: each.outcome for name, each in findings(model).items()}
    assert found["climb: tank.level >= 2: >= becomes >"] is REDUNDANT
    assert found["fill: tank.level >= 4: >= becomes >"] is CAUGHT


def test_a_guard_that_keeps_two_processes_apart_is_caught_by_that_property():
    found = findings(peterson.MODEL)
    assert {"turn_is_given", "contract"} <= set(caught_by(found).values()), "the lemma of mutual exclusion breaks first"
    assert set(caught_by(findings(die_hard.MODEL))) == set(findings(die_hard.MODEL))


def test_a_guard_of_a_model_that_fails_anyway_is_caught_where_it_fails_sooner(cistern):
    """The cistern itself leaks: its level is violated by three calls, and without the guard by one."""
    text = CISTERN.replace("amount > 3:", "amount > 4:").replace("Count(2)]) -> bool", "Count(4)]) -> bool")
    write(cistern, text.replace("    if amount == 0:", "    if amount == 0 or amount == 4:"))
    model = find_model(str(cistern))
    own = check(model, engine="interpreted")
    found = findings(model)["pump: amount == 0 or amount == 4: without `amount == 4`"]
    assert (own.property, found.by) == ("level_is_kept", "level_is_kept")
    assert found.length is not None and found.length < len(own.trace.steps)


def test_a_model_that_fails_to_run_says_so(cistern):
    write(cistern, CISTERN.replace("    if cistern.alarms == 1:\n        return False\n", ""))
    with pytest.raises(EvaluationError, match="cistern itself fails"):
        findings(find_model(str(cistern)))


def test_a_mutant_that_is_not_followed_to_the_end_is_not_explained(cistern):
    model = find_model(str(cistern)).with_properties(["level_is_kept"])
    states = check(model, engine="interpreted").states_distinct
    found = findings(model, limits=Limits(max_states=states))[RING]
    assert found.outcome is UNEXPLAINED_OUTCOME
    assert "undecided" in found.reason


# the command


def test_the_command_names_what_caught_each_guard_and_counts_them(kafkacheck, cistern):
    ended = kafkacheck("guards", cistern, "--workers", 1)
    assert ended.status == 0
    assert ended.last_line == "guards: 6 caught, 2 redundant, 0 unexplained"
    line = next(number for number, text in enumerate(CISTERN.splitlines(), 1) if "alarms == 1" in text)
    assert f"cistern.py:{line}: ring: if cistern.alarms == 1: return False: never taken\n" in ended.out
    assert ended.out.startswith("cistern: height=5 ") and "rings_only_when_wet trace=2 in cistern\n" in ended.out


def test_other_processes_give_the_same_answer(kafkacheck, cistern):
    assert kafkacheck("guards", cistern, "--workers", 2).out == kafkacheck("guards", cistern, "--workers", 1).out


def test_json_is_a_list_of_objects(kafkacheck, cistern):
    found = json.loads(kafkacheck("guards", cistern, "--workers", 1, "--json", "--guard", "ring: if").out)
    assert [(each["guard"], each["outcome"], each["property"], each["trace_states"]) for each in found][1] == (
        RING,
        "caught",
        "rings_only_when_wet",
        2,
    )
    assert set(found[0]["bounds"]) == {"height"}


@pytest.fixture
def careless(cistern):
    """The cistern without the property that speaks of the alarm."""
    return write(cistern, CISTERN.replace("always=[rings_only_when_wet, level_is_kept]", "always=[level_is_kept]"))


def test_an_unexplained_guard_fails_the_command_until_it_is_listed(kafkacheck, careless):
    ended = kafkacheck("guards", careless, "--workers", 1, "--guard", RING)
    assert (ended.status, ended.last_line) == (UNEXPLAINED, "guards: 0 caught, 0 redundant, 1 unexplained")
    listed(careless.parent, "cistern", RING)
    ended = kafkacheck("guards", careless, "--workers", 1, "--guard", RING)
    assert (ended.status, ended.last_line) == (0, "guards: 0 caught, 0 redundant, 0 unexplained, 1 listed")
    assert "It is late." in ended.out


def test_a_listed_guard_that_is_caught_fails_the_command_at_the_models_own_bounds(kafkacheck, cistern):
    listed(cistern.parent, "cistern", RING)
    ended = kafkacheck("guards", cistern, "--workers", 1, "--guard", RING)
    assert ended.status == UNEXPLAINED
    assert RING in ended.error and "guards.toml" in ended.error and "caught" in ended.error
    assert kafkacheck("guards", cistern, "--workers", 1, "--guard", RING, "--set", "height=4").status == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[guard]]\nmodel = 'cistern'\nguard = 'rang'\nreason = 'x'", ["entry 1", "'rang'", "correct the name"]),
        ("[[guard]]\nmodel = 'cistern'\nguard = 'ring'", ["entry 1", "reason"]),
        ("[[guard]]\nmodel = 'cistern'\nguard = 'ring'\nreason = ' '", ["entry 1", "reason"]),
        ("[[guard]\n", ["cannot be read as TOML"]),
        ("[guards]\nring = 1", ["'guards'", "[[guard]]"]),
        (2 * f"[[guard]]\nmodel = 'cistern'\nguard = '{RING}'\nreason = 'x'\n", ["entry 2", "twice"]),
    ],
)
def test_a_wrong_list_is_refused_before_anything_is_explored(kafkacheck, cistern, monkeypatch, text, words):
    monkeypatch.setattr("kafkacheck.checker.commands.guards._Examining.examine", None)
    write(cistern.parent / "guards.toml", text)
    ended = kafkacheck("guards", cistern)
    assert ended.status == 2
    for word in ["guards.toml", *words]:
        assert word in ended.error


def test_a_pattern_that_fits_no_guard_is_refused(kafkacheck, cistern):
    ended = kafkacheck("guards", cistern, "--guard", "drain")
    assert ended.status == 2
    assert "'drain'" in ended.error and "leave out --guard" in ended.error


def test_a_model_without_conditions_has_no_guards(kafkacheck, tmp_path):
    text = (
        TANK[: TANK.index("def fill")]
        + """
def swap(tank: Tank) -> bool:
    tank.level = 1 - tank.level
    return True


MODEL = Model(name="tank", state=Tank, bounds={"capacity": 1}, actions=[swap])
"""
    )
    ended = kafkacheck("guards", write(tmp_path / "swap.py", text))
    assert (ended.status, ended.last_line) == (0, "guards: 0 caught, 0 redundant, 0 unexplained")


# several models

# A lamp of the cistern's kind: two models share its actions, and each has what the other lacks.
LAMPS = '''"""A lamp."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Lamp(Struct):
    light: Annotated[int, Count(4)]
    uses: Annotated[int, Count(4)]


def switch_on(lamp: Lamp) -> bool:
    if lamp.light >= 2:
        return False
    if lamp.uses == 4:
        return False
    lamp.light += 1
    lamp.uses += 1
    return True


def switch_off(lamp: Lamp) -> bool:
    if lamp.light == 0:
        return False
    lamp.light = 0
    return True


def is_not_bright(lamp: Lamp) -> bool:
    return lamp.light <= 2
'''
DEFINED = """

MODEL = Model(name="{name}", state=Lamp, actions=[{actions}], always=[{always}])
"""
WILD = "switch_on: if lamp.light >= 2: return False: never taken"


@pytest.fixture
def lamps(tmp_path):
    """A catalogue: `plain` promises nothing, `dim` does, and `stuck` never goes off."""
    verdicts = {"dim": 12, "plain": 12, "stuck": 3}
    expected = "".join(f'[{name}]\nverdict = "HOLDS"\ndistinct = {count}\n' for name, count in verdicts.items())
    both = "switch_on, switch_off"
    given = {"dim": (both, "is_not_bright"), "plain": (both, ""), "stuck": ("switch_on", "is_not_bright")}
    defined = {
        name: DEFINED.format(name=name, actions=actions, always=always) for name, (actions, always) in given.items()
    }
    shared = defined.pop("plain")
    models = {name: f'"""Asks."""\n\nfrom model.plain import *\n{text}' for name, text in defined.items()}
    return catalogue(tmp_path, expected, plain=LAMPS + shared, **models)


def judged(folder, *arguments):
    ended = in_process("guards", *arguments, "--workers", 1, "--json", folder=folder)
    return ended, {each["guard"]: each for each in json.loads(ended.out or "[]")}


def test_what_a_model_leaves_unexplained_is_put_to_the_others_that_share_its_state(lamps):
    ended, alone = judged(lamps, "plain", "--alone")
    assert (ended.status, alone[WILD]["outcome"], alone[WILD]["models"]) == (UNEXPLAINED, "unexplained", ["plain"])
    ended, found = judged(lamps, "plain")
    assert (found[WILD]["outcome"], found[WILD]["model"], found[WILD]["property"]) == (
        "caught",
        "stuck",
        "is_not_bright",
    )
    assert found[WILD]["models"] == ["plain", "stuck"], "the smallest of the others comes first, and one is enough"


def test_models_that_match_a_pattern_judge_together_the_smallest_first(lamps):
    _, found = judged(lamps, "stuck", "dim")
    assert found[WILD]["models"] == ["stuck"]
    used_up = found["switch_on: if lamp.uses == 4: return False: never taken"]
    assert (used_up["outcome"], used_up["model"], used_up["models"]) == ("caught", "dim", ["stuck", "dim"])


def test_a_guard_is_redundant_only_where_it_is_so_in_every_model(lamps):
    ended, found = judged(lamps, "stuck", "--guard", "lamp.uses == 4")
    assert {each["outcome"] for each in found.values()} == {"redundant"}
    assert ended.status == 0


def test_an_entry_may_speak_of_all_models_that_a_pattern_fits(lamps):
    off = "switch_off: if lamp.light == 0: return False: never taken"
    listed(lamps / "model", "*", off)
    ended = in_process("guards", "dim", "plain", "stuck", "--workers", 1, folder=lamps)
    assert "which is caught" in ended.error
    listed(lamps / "model", "*", "switch_of")
    ended = in_process("guards", "*", "--workers", 1, folder=lamps)
    assert "has no guard 'switch_of'" in ended.error


def test_a_guard_that_is_not_decided_within_the_limits_is_unexplained(lamps):
    ended, found = judged(lamps, "plain", "--max-states", 11, "--guard", WILD)
    assert (ended.status, found) == (20, {}), "the model itself has more states"
    assert "choose smaller bounds" in ended.error
    ended, found = judged(lamps, "plain", "--alone", "--max-states", 12, "--guard", WILD)
    assert (ended.status, found[WILD]["outcome"]) == (UNEXPLAINED, "unexplained")
    assert "undecided" in found[WILD]["reason"]


def test_settings_are_for_one_model(lamps):
    ended = in_process("guards", "plain", "dim", "--set", "light=1", folder=lamps)
    assert ended.status == 2 and "--set is for one MODEL" in ended.error


def test_outcomes_are_kept_until_the_code_changes(kafkacheck, cistern, tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("kafkacheck.checker.mutation.guards.SMALL", 1)
    first = kafkacheck("guards", cistern, "--workers", 1)
    kept = list((tmp_path / "cache").glob("*.guards"))
    assert len(kept) == 1
    with monkeypatch.context() as patched:
        patched.setattr("kafkacheck.checker.mutation.guards._Program._explored", None)
        assert kafkacheck("guards", cistern, "--workers", 1).out == first.out
    with open(kept[0], "a", encoding="utf-8") as file:
        file.write("{damaged\n")
    assert kafkacheck("guards", cistern, "--workers", 1).out == first.out
    changed = write(tmp_path / "changed.py", CISTERN.replace("cistern.alarms == 1", "cistern.alarms >= 1"))
    again = kafkacheck("guards", changed, "--workers", 1)
    assert again.last_line == "guards: 7 caught, 2 redundant, 0 unexplained"
    assert len(list((tmp_path / "cache").glob("*.guards"))) == 2
