"""Bounds that no state reaches, settings that no function reads, and parameters with values that are never possible."""

import json

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.search import check
from tests.support.command import in_process, write

FERRY = '''"""Do three people cross a river?"""

from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, Budget, ById, Count, Id, Struct


class Rules(NamedTuple):
    rows: bool = True
    sails: bool = False
    tires: bool = False


class Person(Struct):
    has_crossed: bool
    crossings: Annotated[int, Count("trips")]


class State(Struct):
    people: Annotated[Array[Person], ById("people")]
    budget: Budget


def cross(state: State, rules: Rules, person_id: Annotated[int, Id("people")]) -> bool:
    if person_id > 2 or not rules.rows:
        return False
    person = state.people[person_id]
    if person.crossings == 3:
        return False
    person.has_crossed = not person.has_crossed
    person.crossings += 1
    return True


def rest(state: State, rules: Rules) -> bool:
    if state.people[0].has_crossed:
        return False
    if rules.tires and state.budget.rests == 1:
        return False
    state.people[0].has_crossed = True
    return True


def somebody_is_here(state: State) -> bool:
    return any(not state.people[each].has_crossed for each in range(3))


def counts_are_small(state: State) -> bool:
    return all(each.crossings < 9 for each in state.people)


MODEL = Model(
    state=State,
    bounds={"people": 3, "trips": 3, "rests": 1},
    rules=Rules(),
    actions=[cross, rest],
    charges={rest: "rests"},
    always=[somebody_is_here, counts_are_small],
)
'''


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    ("bounds", "tires", "idle"),
    [
        ({}, False, {}),
        ({"people": 4}, False, {"people": 4}),
        ({"trips": 4, "rests": 2}, True, {"trips": 4, "rests": 2}),
    ],
    ids=["all are reached", "the last of an array", "a range and an allowance"],
)
@pytest.mark.slow
def test_a_bound_that_no_state_reaches_is_found_by_each_reading(tmp_path, engine, bounds, tires, idle):
    model = find_model(str(write(tmp_path / "ferry.py", FERRY))).with_properties(["counts_are_small"])
    found = check(model.with_bounds(bounds).with_rules({"tires": tires}), engine=engine)
    assert found.verdict.name == "HOLDS"
    assert found.unreached.bounds == idle
    assert found.unreached.calls == (("cross is never possible with person_id=3",) if "people" in idle else ())


def test_a_value_that_no_step_of_an_action_has_is_found(tmp_path):
    text = FERRY.replace("person_id > 2", "person_id == 1 or person_id > 2").replace("crossings == 3", "crossings == 1")
    model = find_model(str(write(tmp_path / "ferry.py", text))).with_properties(["counts_are_small"])
    assert check(model, engine="interpreted").unreached.calls == ("cross is never possible with person_id=1",)


def test_notes_stand_beside_the_verdict(tmp_path):
    write(tmp_path / "ferry.py", FERRY)
    asked = ("check", "ferry.py", "--engine", "interpreted", "--set", "people=4", "--set", "sails=true")
    ended = in_process(*asked, folder=tmp_path)
    assert ended.out.splitlines()[-3:-1] == [
        "note: no function that ferry runs reads sails=True, so that it changes nothing",
        "note: no state, up to the violation, reaches people=4; a smaller bound may give the same answer",
    ]
    assert ended.last_line.startswith("ferry: VIOLATED somebody_is_here ")
    assert len(json.loads(in_process(*asked, "--json", folder=tmp_path).out)["notes"]) == 2
    ended = in_process(*asked[:4], "--set", "people=2", folder=tmp_path)
    assert "note: " not in ended.out
