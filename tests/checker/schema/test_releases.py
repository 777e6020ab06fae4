"""From which release a rule is as it is: the values in each release, and what is refused."""

from enum import IntEnum
from typing import Annotated, NamedTuple

import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, rules_of, with_release, with_settings
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.schema import EVERY, Since
from kafkacheck.checker.schema.releases import dated, order, released, rules_in
from tests.toys import die_hard


class Way(IntEnum):
    OLD = 0
    NEW = 1
    NEWEST = 2


class Inner(NamedTuple):
    retries: Annotated[int, Since("2.0", 5), Since(EVERY, 0)] = 7


class Rules(NamedTuple):
    checks: Annotated[bool, Since("2.1")] = True
    forgets: Annotated[bool, Since("3.0")] = False
    way: Annotated[Way, Since(EVERY, Way.OLD), Since("2.10", Way.NEW), Since("4.0")] = Way.NEWEST
    wished: Annotated[bool, Since(EVERY)] = False
    chosen: bool = True
    inner: Inner = Inner()


@pytest.mark.parametrize(
    ("release", "values"),
    [
        ("1.0", (False, True, Way.OLD, False, 0)),
        ("2.0.9", (False, True, Way.OLD, False, 5)),
        ("2.1", (True, True, Way.OLD, False, 5)),
        ("2.9", (True, True, Way.OLD, False, 5)),
        ("2.10.1", (True, True, Way.NEW, False, 5)),
        ("3", (True, False, Way.NEW, False, 5)),
        ("4.4", (True, False, Way.NEWEST, False, 5)),
    ],
)
def test_a_release_has_each_rule_as_it_was_then(release, values):
    assert tuple(rules_in(Rules(), release).values()) == values
    assert tuple(rules_in(Rules(checks=False, chosen=False, wished=True), release).values()) == values


def test_a_rule_that_a_release_lost_has_it_again_in_each_line_that_was_mended():
    class Lost(NamedTuple):
        counts: Annotated[bool, Since("2.7.2", begun="2.7"), Since("2.8.1", begun="2.8")] = True

    asked = ("1.0", "2.6.9", "2.7.0", "2.7.1", "2.7.2", "2.7", "2.8.0", "2.8.1", "2.8", "3.0")
    values = [rules_in(Lost(), each)["counts"] for each in asked]
    assert values == [True, True, False, False, True, True, False, True, True, True]


def test_a_group_that_the_class_around_it_has_otherwise_is_a_choice_there():
    class Inside(NamedTuple):
        asks: Annotated[bool, Since("3.6")] = True
        counts: Annotated[bool, Since("3.7")] = True

    class Around(NamedTuple):
        log: Inside = Inside(asks=False)

    assert rules_in(Around(log=Inside(counts=False)), "4.0") == {"log.counts": True}


@pytest.mark.parametrize(
    ("its_own", "release", "changed", "stayed"),
    [
        ({"checks": False}, "4.4", {}, {"checks": False}),
        ({"checks": False}, "3.0", {"way": Way.NEW}, {"checks": False}),
        ({"way": Way.NEW}, "4.4", {}, {"way": Way.NEW}),
        ({"way": Way.NEW}, "2.9", {"forgets": True, "way": Way.OLD}, {}),
        ({"wished": True}, "4.4", {"wished": False}, {}),
        ({"forgets": True}, "4.4", {"forgets": False}, {}),
        ({"forgets": True}, "2.1", {"way": Way.OLD}, {}),
        ({"chosen": False}, "4.4", {}, {}),
    ],
)
def test_what_a_model_has_in_an_older_form_stays_and_what_the_release_lacks_goes(its_own, release, changed, stayed):
    found = released(Rules(inner=Inner(retries=5), **its_own), release)
    assert (found.changed, found.stayed) == (changed, stayed)


def test_a_number_that_no_release_has_becomes_that_of_the_release():
    assert released(Rules(inner=Inner(retries=6)), "4.4").changed == {"inner.retries": 5}
    assert released(Rules(inner=Inner(retries=0)), "4.4").stayed == {"inner.retries": 0}


def test_a_right_rule_of_a_later_release_is_off_until_then():
    class Coming(NamedTuple):
        is_checked: Annotated[bool, Since("4.5", True)] = False

    assert released(Coming(), "4.4").changed == {}
    assert released(Coming(is_checked=True), "4.4").changed == {"is_checked": False}
    assert released(Coming(), "4.5").changed == {"is_checked": True}
    assert released(Coming(is_checked=True), "5.0").changed == {}


def test_a_choice_has_no_release():
    assert set(dated(Rules())) == {"checks", "forgets", "way", "wished", "inner.retries"}
    assert dated(None) == {}


def test_a_fix_of_a_later_patch_is_not_in_the_release_before_it():
    class Patched(NamedTuple):
        fixed: Annotated[bool, Since("4.1.1")] = True

    assert [rules_in(Patched(), each)["fixed"] for each in ("4.0.9", "4.1.0", "4.1.1", "4.2")] == [
        False,
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("text", ["", "x", "4.", "4.x", "-1", "4.1-rc1", "1.2.3.4.5", "٤"])
def test_what_is_no_release(text):
    with pytest.raises(UsageError, match=r"is no release; write one such as 4\.1"):
        order(text)


def test_the_rules_of_a_release_come_before_other_settings():
    model = Model(state=die_hard.Jugs, actions=[pour], rules=Rules(chosen=False), check_deadlock=False, name="jugs")
    changed = with_settings(model, ["checks=true", "release=2.0"])
    assert rules_of(changed) | {"way": "OLD"} == {
        "checks": True, "forgets": True, "way": "OLD", "wished": False, "chosen": False, "inner.retries": 5,
    }  # fmt: skip
    assert headline(with_release(model, "4.0")).splitlines()[1] == "jugs: release 4.0 changes inner.retries=5"
    older = with_settings(model, ["way=NEW", "wished=true"])
    assert headline(with_settings(older, ["release=4.4", "inner.retries=6"])).splitlines()[1] == (
        "jugs: release 4.4 changes wished=False, inner.retries=5; the model's own stay: way=NEW; "
        "no rule of the model is dated after 4.0"
    )
    later = headline(with_release(model, "9.9")).splitlines()[1]
    assert later == "jugs: release 9.9 changes inner.retries=5; no rule of the model is dated after 4.0"
    with pytest.raises(UsageError, match="is no release"):
        with_settings(model, ["release=new"])
    with pytest.raises(UsageError, match="no rule that says since which release"):
        with_settings(die_hard.MODEL, ["release=4.1"])


def pour(jugs: die_hard.Jugs, rules: Rules) -> bool:
    return False
