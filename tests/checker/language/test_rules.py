"""Rules in groups, and functions that read bounds: by every reading, with `--set`, and each mistake with its mend."""

import pytest

from kafkacheck.checker.model.settings import rules_of, settings_text, told_settings, with_settings
from kafkacheck.checker.mutation.substitution import mutants
from kafkacheck.checker.process.errors import ModelError, UsageError
from tests.checker.symbolic.test_symbolic import compare
from tests.programs import random_states
from tests.support import readings
from tests.support.snippets import load

MODULE = '''"""Does it fill up?"""

from enum import IntEnum
from typing import Annotated, NamedTuple, Protocol

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct


class Pace(IntEnum):
    """How fast."""

    SLOW = 1
    FAST = 2


class PumpRules(NamedTuple):
    """A group."""

    pace: Pace = Pace.SLOW
    strict: bool = True


class ValveRules(NamedTuple):
    """Another group."""

    strict: bool = True
    pump: PumpRules = PumpRules(strict=False)


class Rules(NamedTuple):
    """All rules."""

    open: bool = True
    pump: PumpRules = PumpRules()
    valve: ValveRules = ValveRules()


class Bounds(Protocol):
    """The bounds that functions read."""

    @property
    def most(self) -> int: ...
    @property
    def limit(self) -> int: ...


class Tank(Struct):
    """A tank."""

    level: Annotated[int, Count("most")]
    row: Annotated[Array[Annotated[int, Count(3)]], ByPosition(2)]


def pace_of(rules: PumpRules, bounds: Bounds) -> int:
    """A helper of the group alone."""
    return min(int(rules.pace), bounds.most)


def fill(tank: Tank, rules: Rules, bounds: Bounds, place: Annotated[int, Count(1)]) -> bool:
    """An action."""
    if tank.level + pace_of(rules.pump, bounds) > bounds.most or not rules.open:
        return False
    tank.level += pace_of(rules.pump, bounds)
    if rules.valve.strict and bounds.limit > 1:
        tank.row[place] = 1 if rules.valve.pump.strict else pace_of(rules.valve.pump, bounds)
    return True


def empty(tank: Tank, bounds: Bounds) -> bool:
    """An action without rules."""
    if tank.level < bounds.most:
        return False
    tank.level = 0
    return True


def below(tank: Tank, rules: Rules, bounds: Bounds) -> bool:
    """A property."""
    return tank.level <= bounds.most and all(x < bounds.limit or rules.pump.strict for x in tank.row)


def follows(before: Tank, after: Tank, bounds: Bounds) -> bool:
    """A property of steps."""
    return after.level != bounds.limit + before.level or bounds.limit < 3


def level(tank: Tank, bounds: Bounds) -> int:
    """A measure."""
    return bounds.most - tank.level


MODEL = Model(
    name="tank", state=Tank, bounds={"most": 3, "limit": 2}, rules=Rules(), actions=[fill, empty],
    always=[below, follows], measures=[level],
)
'''

NAMES = ["open", "pump.pace", "pump.strict", "valve.strict", "valve.pump.pace", "valve.pump.strict"]


@pytest.fixture
def model(tmp_path):
    return load(tmp_path, MODULE).MODEL


def test_every_reading_knows_bounds_and_groups(model):
    for settings in ([], ["pump.pace=FAST"], ["most=4", "valve.strict=false"], ["limit=1"]):
        changed = with_settings(model, settings)
        plain = readings.interpreted(changed)
        assert plain == readings.compiled(changed) and plain.distinct > 2
        for action in changed.actions:
            compare(changed, action, random_states.anywhere(changed, 50, 1))
    counts = [readings.interpreted(with_settings(model, [each])).distinct for each in ("most=3", "most=5")]
    assert counts[0] < counts[1]


def test_switches_of_groups_have_names_with_dots(model):
    assert list(rules_of(model)) == NAMES
    assert settings_text(model) == (
        "most=3 limit=2 open=True pump.pace=SLOW pump.strict=True valve.strict=True valve.pump.pace=SLOW "
        "valve.pump.strict=False"
    )
    assert told_settings(model) == "most=3 limit=2 (the 6 rules at their defaults)"
    changed = with_settings(model, ["valve.pump.strict=true"])
    assert told_settings(changed) == "most=3 limit=2 valve.pump.strict=True (the other 5 rules at their defaults)"
    assert changed.rules == model.rules._replace(
        valve=model.rules.valve._replace(pump=model.rules.valve.pump._replace(strict=True))
    )


def test_the_last_part_of_a_name_is_enough_where_no_other_has_it(model):
    assert with_settings(model, ["open=false"]).rules.open is False
    assert with_settings(model, ["valve.strict=false"]).rules.valve.strict is False
    assert with_settings(model, ["pump.strict=false"]).rules.pump.strict is False  # the whole name of another one
    for name in ("pace", "strict"):
        fitting = " or ".join(each for each in NAMES if each.endswith(f".{name}"))
        with pytest.raises(UsageError, match=f"--set {name}=1: {name} could be {fitting}; write the whole name"):
            with_settings(model, [f"{name}=1"])
    with pytest.raises(UsageError, match=r"pump.strict is set twice; give it once"):
        with_settings(model, ["pump.strict=1", "pump.strict=0"])
    with pytest.raises(UsageError, match=r"tank has no bound or rule 'pump.pase'; .* did you mean pump.pace\?"):
        with_settings(model, ["pump.pase=1"])
    with pytest.raises(UsageError, match=r"tank has no bound or rule 'valve'; it has: most, limit, open, pump.pace"):
        with_settings(model, ["valve=1"])
    with pytest.raises(UsageError, match=r"rule pump.pace cannot be 'QUICK'; it is one of: SLOW, FAST"):
        with_settings(model, ["pump.pace=QUICK"])


def test_conditions_of_rules_and_bounds_alone_are_no_guards(model):
    told = [each.text for each in mutants(model)]
    assert any("tank.level < bounds.most" in text for text in told)
    assert not any("rules.valve.strict and bounds.limit > 1" in text for text in told)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "tank.level < bounds.most:",
            "tank.level < bounds.mist:  # here",
            "the model has no bound 'mist'; its bounds: most, l",
        ),
        (
            "rules.valve.strict and",
            "rules.valve.strikt and",
            "the rules have no switch 'strikt'; they have: strict, pump",
        ),
        ("tank.level = 0", "tank.level = bounds  # here", "holds int, not the Bounds; name one of its fields"),
        ("tank.level = 0", "pump = bounds  # here", "'pump' would be the Bounds; use it where it is needed"),
        ("tank.level = 0", "bounds.most = 0  # here", "only a field of a record or an element of an array"),
        ("if rules.valve.strict and", "if rules.valve and", "each side of `and` must be bool, not the ValveRules"),
        (
            "rules: Rules, bounds: Bounds, place",
            "bounds: Bounds, rules: Rules, place",
            "write (state, rules, bounds, ...)",
        ),
        (
            "tank: Tank, rules: Rules, bounds: Bounds) -> bool",
            "tank: Tank, bounds: Bounds, rules: Rules) -> bool",
            "write (state, rules",
        ),
        ('"limit": 2}', '"limit": 2, "idle": 1}', "'idle' is used by no field, no parameter and no function"),
        (
            "pump: PumpRules = PumpRules()",
            "pump: PumpRules = PumpRules(pace=1.5)",
            "rules.pump.pace is 1.5; a switch is",
        ),
        ("pump: PumpRules = PumpRules()", "pump: object = (1, 2)", "rules.pump is (1, 2); a switch is"),
    ],
)
def test_a_mistake_is_told_with_its_mend(old, new, words, tmp_path):
    text = MODULE.replace(old, new, 1)
    assert text != MODULE
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    assert words in str(caught.value)
