"""Fairness and liveness properties as a model gives them: what they mean, and every mistake refused."""

import re

import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.model.fairness import EVERY_ACTION, EVERY_CALL, each, requirements
from kafkacheck.checker.process.errors import ModelError, UsageError
from tests.toys import locks
from tests.toys.locks import Room, ask, first_has_lock, first_waits, give_back, lock, take


def room(**given: object) -> Model:
    return Model(name="room", state=Room, bounds={"processes": 2}, actions=[ask, take], **given)


def test_an_action_is_fair_as_a_whole_or_for_each_value():
    def told(given: object) -> list[str]:
        return [str(rule) for rule in requirements(lock(weakly_fair=given).fairness)]

    whole = ["weak fairness of take"]
    apart = ["weak fairness of take(process_id=0)", "weak fairness of take(process_id=1)"]
    assert told([take]) == whole
    assert told([each(take)]) == told([each(take, "process_id")]) == apart
    assert told(EVERY_ACTION) == [f"weak fairness of {name}" for name in ("ask", "take", "give_back")]
    assert [rule for rule in told(EVERY_CALL) if "take" in rule] == apart
    assert [str(rule) for rule in requirements(lock(strongly_fair=[take]).fairness)] == ["strong fairness of take"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"weakly_fair": [give_back]},
            "`weakly_fair` lists give_back, which is no action of the model; list functions",
        ),
        ({"strongly_fair": [each(give_back)]}, "`strongly_fair` lists give_back, which is no action"),
        (
            {"weakly_fair": take},
            "`weakly_fair` is <function take.*; give a list of actions, EVERY_ACTION or EVERY_CALL",
        ),
        ({"weakly_fair": "take"}, "`weakly_fair` is 'take'; give a list"),
        ({"weakly_fair": ["take"]}, "`weakly_fair` lists 'take'; list functions of `actions`"),
        ({"weakly_fair": [EVERY_CALL]}, "`weakly_fair` lists EVERY_CALL, which stands in place of the list"),
        ({"weakly_fair": [each(take, "proces_id")]}, "take has no parameter 'proces_id'; .*did you mean process_id"),
        ({"weakly_fair": [take, take]}, "take is in `weakly_fair` twice; list it once"),
        ({"weakly_fair": [take], "strongly_fair": [take]}, "take is weakly and strongly fair; strong says both"),
    ],
)
def test_a_mistake_in_fairness_is_refused_with_its_place(given, told):
    with pytest.raises(ModelError, match=rf"test_fairness\.py:\d+: model room: .*{told}"):
        room(eventually=[first_waits], **given)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"weakly_fair": [take]}, "says what is fair, but has no liveness property"),
        ({"eventually": first_waits}, "`eventually` is the function first_waits; give a list of functions"),
        ({"eventually": [ask]}, "ask in `eventually` is an action; give a function that only looks at a state"),
        ({"leads_to": [first_waits]}, "`leads_to` lists <function first_waits.*give a list of pairs of functions"),
        ({"leads_to": (first_waits, first_has_lock)}, "`leads_to` lists .*give a list of pairs of functions"),
        (
            {"leads_to": [(first_waits, take)]},
            "take in `leads_to` is an action; give a function that only looks at a state",
        ),
        ({"eventually": [first_waits, first_waits]}, "eventually_first_waits is listed twice"),
    ],
)
def test_a_mistake_in_liveness_is_refused_with_its_place(given, told):
    with pytest.raises(ModelError, match=rf"\w+\.py:\d+: .*{told}"):
        room(**given)


def test_an_action_without_parameters_is_fair_as_a_whole_only():
    from tests.toys.lossy_channel import channel, sender_sends

    with pytest.raises(ModelError, match=re.escape("each(sender_sends), which has no parameters; list sender_sends")):
        channel(weakly_fair=[each(sender_sends)])


def test_liveness_properties_are_chosen_by_name():
    model = locks.MODEL.with_properties(["first_waits_leads_to_first_has_lock"])
    assert [each.name for each in model.liveness] == ["first_waits_leads_to_first_has_lock"]
    assert [str(rule) for rule in requirements(model.fairness)] == [
        str(rule) for rule in requirements(locks.MODEL.fairness)
    ]
    with pytest.raises(UsageError, match=r"no property 'first_waits'; it has: .*first_waits_leads_to_first_has_lock"):
        locks.MODEL.with_properties(["first_waits"])


def test_a_model_with_other_bounds_keeps_what_is_live_and_fair():
    model = locks.MODEL.with_bounds({"processes": 3})
    assert [each.name for each in model.liveness] == [each.name for each in locks.MODEL.liveness]
    assert len(requirements(model.fairness)) == 9
