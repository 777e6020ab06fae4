"""An edit that changes nothing is proved to; one that changes something is answered with a state."""

import shutil

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.proofs.equivalent import Same, compare, describe, description_of
from tests.support.command import ROOT, TANK
from tests.support.snippets import load


def compared(tmp_path, *edits, model=None):
    text = TANK
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return compare(model or load(tmp_path, TANK).MODEL, describe(load(tmp_path, text).MODEL), timeout=60)


def test_a_refactoring_is_equivalent(tmp_path):
    turned = ("if tank.level + rules.pour > 2 + rules.valve:", "if not tank.level + rules.pour <= 2 + rules.valve:")
    other = ("tank.level -= 1", "before = tank.level\n    tank.level = before - 1")
    assert [(each.action.name, each.same) for each in compared(tmp_path, turned, other)] == [
        ("fill", Same.EQUIVALENT),
        ("drain", Same.EQUIVALENT),
    ]


@pytest.mark.parametrize(
    ("edit", "fails", "enabled"),
    [
        (("if tank.level == 0:", "if tank.level <= 1:"), (False, False), (True, False)),
        (("tank.level -= 1", "tank.level -= 2"), (False, False), (True, True)),
        (("tank.level -= 1", "tank.level = 6 // (3 - tank.level)"), (False, True), (True, True)),
    ],
)
def test_another_guard_effect_or_error_is_shown_on_a_state(tmp_path, edit, fails, enabled):
    fill, drain = compared(tmp_path, edit)
    assert (fill.same, drain.same) == (Same.EQUIVALENT, Same.DIFFERENT)
    assert tuple(each.fails for each in drain.effects) == fails
    if not any(fails):
        assert tuple(each.enabled for each in drain.effects) == enabled
        (before,) = drain.before
        assert drain.effects[0].after == (before - 1,)


def test_models_that_are_not_alike_are_refused(tmp_path):
    model = load(tmp_path, TANK).MODEL
    with pytest.raises(UsageError, match=r"the states are not alike: level in 0 \.\. 3 here, level in 0 \.\. 2"):
        compare(model, describe(model.with_bounds({"capacity": 2})))
    with pytest.raises(UsageError, match="the other model has no action 'drain'"):
        compared(tmp_path, ("actions=[fill, drain]", "actions=[fill]"))
    with pytest.raises(UsageError, match="no action 'fil'"):
        compare(model, describe(model), ["fil"])


def test_no_answer_in_time_is_unknown():
    model = catalogue.find_model("kip320")
    found = compare(model, describe(model.with_rules({"truncation": "KIP_101"})), ["become_follower"], timeout=0.001)
    assert [each.same for each in found] == [Same.UNKNOWN]


def test_another_copy_of_the_sources_is_read_with_its_own_modules(tmp_path):
    for folder in ("impl", "spec", "model"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    edited = tmp_path / "impl" / "log" / "__init__.py"
    text = edited.read_text(encoding="utf-8")
    old = "return log.end_offset == len(log.records)"
    assert old in text
    model = catalogue.find_model("kip320")
    edited.write_text(text.replace(old, "return not log.end_offset < len(log.records)"), encoding="utf-8")
    same = compare(model, description_of(str(tmp_path / "model" / "replication" / "kip320.py")), timeout=60)
    assert {each.same for each in same} == {Same.EQUIVALENT}
    edited.write_text(text.replace(old, "return log.end_offset + 1 == len(log.records)"), encoding="utf-8")
    differ = compare(model, description_of(str(tmp_path / "model" / "replication" / "kip320.py")), timeout=60)
    assert [each.action.name for each in differ if each.same is Same.DIFFERENT] == ["leader_write"]


def test_a_model_that_cannot_be_read_is_an_error_of_its_own(tmp_path):
    with pytest.raises(UsageError, match="no file"):
        description_of(str(tmp_path / "missing.py"))
    wrong = tmp_path / "wrong.py"
    wrong.write_text("MODEL = 1\n", encoding="utf-8")
    with pytest.raises(ModelError, match="MODEL is 1"):
        description_of(str(wrong))
    wrong.write_text("import sys\nsys.exit(3)\n", encoding="utf-8")
    with pytest.raises(ModelError):
        description_of(str(wrong))
