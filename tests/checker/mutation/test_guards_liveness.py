"""What liveness says of guards: they are caught by it, and not redundant where only fairness needs them."""

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.mutation.guards import Outcome
from kafkacheck.checker.search import check
from tests.checker.mutation.test_guards import CISTERN, RING, findings
from tests.support.command import write

CAUGHT, REDUNDANT = Outcome.CAUGHT, Outcome.REDUNDANT


def test_liveness_catches_a_guard(tmp_path):
    text = CISTERN.replace(
        "always=[rings_only_when_wet, level_is_kept]", "leads_to=[(has_rung, is_calm)], weakly_fair=[calm]"
    )
    text = text.replace("actions=[pump, ring]", "actions=[pump, ring, calm]").replace(
        "MODEL =",
        """def calm(cistern: Cistern) -> bool:
    if cistern.alarms == 0:
        return False
    if cistern.level < 3:
        return False
    cistern.alarms = 0
    return True


def has_rung(cistern: Cistern) -> bool:
    return cistern.alarms > 0


def is_calm(cistern: Cistern) -> bool:
    return cistern.alarms == 0


MODEL =""",
    )
    found = findings(find_model(str(write(tmp_path / "calm.py", text))), with_traces=True)[RING]
    assert (found.outcome, found.by) == (CAUGHT, "has_rung_leads_to_is_calm")
    assert found.length == 2 and "nothing happens any more" in found.trace


# Without its guard `leave` takes a step that `turn` takes anyway, and what is fair need not come to the end.
WHEEL = '''"""Does the wheel come to rest?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Wheel(Struct):
    place: Annotated[int, Count(2)]


def turn(wheel: Wheel) -> bool:
    if wheel.place == 2:
        return False
    wheel.place = 1 - wheel.place
    return True


def leave(wheel: Wheel) -> bool:
    if wheel.place == 1:
        return False
    if wheel.place == 2:
        return False
    wheel.place = (wheel.place + 2) % 3
    return True


def rests(wheel: Wheel) -> bool:
    return wheel.place == 2


MODEL = Model(
    name="wheel", state=Wheel, bounds={}, actions=[turn, leave], eventually=[rests],
    weakly_fair=[turn], strongly_fair=[leave],
)
'''


@pytest.mark.parametrize("small", [1, 20_000], ids=["compiled", "interpreted"])
def test_a_guard_is_not_redundant_where_only_fairness_needs_it(small, tmp_path, monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.mutation.guards.SMALL", small)
    model = find_model(str(write(tmp_path / "wheel.py", WHEEL)))
    guard = "leave: if wheel.place == 1: return False: never taken"
    found = findings(model)[guard]
    assert (found.outcome, found.by) == (CAUGHT, "eventually_rests")
    assert found.states == check(model, engine="interpreted").states_distinct
    unfair = WHEEL.replace(" eventually=[rests],\n    weakly_fair=[turn], strongly_fair=[leave],", "")
    assert findings(find_model(str(write(tmp_path / "unfair.py", unfair))))[guard].outcome is REDUNDANT
