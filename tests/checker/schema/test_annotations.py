"""Annotations that contradict what a function is given to a model for."""

from typing import Annotated

import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema import Count, Id, Struct


class Lamp(Struct):
    """A state."""

    level: Annotated[int, Count(3)]


class Bulb(Struct):
    """Another record with a field of that name."""

    level: Annotated[int, Count(3)]


def brightens(lamp: Lamp) -> bool:
    if lamp.level == 3:
        return False
    lamp.level += 1
    return True


def bulb_brightens(bulb: Bulb) -> bool:
    return brightens(bulb)


def tells_number(lamp: Lamp) -> int:
    return brightens(lamp)


def has_two_kinds(lamp: Lamp, level: Annotated[int, Count(3), Id(2)]) -> bool:
    return brightens(lamp) and level == 0


def has_counted_bool(lamp: Lamp, is_on: Annotated[bool, Count(3)]) -> bool:
    return brightens(lamp) and is_on == 0


def begins(lamp: Lamp) -> None:
    lamp.level = 1


def bulb_glows(bulb: Bulb) -> bool:
    return bulb.level >= 0


def level_of(lamp: Lamp) -> int:
    return lamp.level >= 0


@pytest.mark.parametrize(
    ("role", "function", "message"),
    [
        ("actions", bulb_brightens, "bulb_brightens takes bulb: Bulb; the state is a Lamp"),
        ("actions", tells_number, "tells_number says that it returns something else than True or False; write"),
        ("actions", has_two_kinds, "has_two_kinds has a parameter 'level': the annotation .* gives 2 kinds; keep one"),
        ("actions", has_counted_bool, "has a parameter 'is_on': the annotation .* gives a bool the kind of an int"),
        ("always", bulb_glows, "bulb_glows takes bulb: Bulb; the state is a Lamp"),
        ("always", level_of, "level_of says that it returns something else than True or False; write"),
    ],
)
def test_a_contradiction_is_told(role, function, message):
    with pytest.raises(ModelError, match=message):
        Model(**{"name": "lamp", "state": Lamp, "actions": [brightens], role: [function]})


def test_a_function_that_makes_initial_states_may_return_nothing():
    assert Model(name="lamp", state=Lamp, actions=[brightens], initial=[begins]).initial_states()[0].level == 1
