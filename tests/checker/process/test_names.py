"""Names in messages: "a" or "an" in front of them, and what to do about a module that is missing."""

import re
import sys
from types import ModuleType

import pytest

from kafkacheck.checker.process.foreign_code import described
from kafkacheck.checker.process.names import a_or_an
from kafkacheck.checker.process.sources import CHECKER

NAME_BEHIND_ARTICLE = re.compile(r"\ban? \{[^}]*__name__")


@pytest.mark.parametrize(
    ("name", "told"), [("Office", "an Office"), ("int64", "an int64"), ("Record", "a Record"), ("_Own", "a _Own")]
)
def test_an_article_fits_the_first_letter(name, told):
    assert a_or_an(name) == told


def test_no_message_has_one_article_for_every_name():
    assert NAME_BEHIND_ARTICLE.search("takes a {struct.__name__} here")
    assert [str(each) for each in CHECKER.rglob("*.py") if NAME_BEHIND_ARTICLE.search(each.read_text())] == []


@pytest.mark.parametrize(
    ("missing", "told"),
    [
        ("spec.rules_of_mine", "spec is a package of kafkacheck here, with modules as by `from kafkacheck.spec"),
        ("spec", "for a package spec of your own set PYTHONPATH to the folder that it is in"),
        ("kafkacheck.spec", "spec is a package of kafkacheck here"),
        ("kafkacheck.specs", "kafkacheck has no such module; mend the import"),
        ("model.mine", "install model.mine for "),
        ("mine", "set PYTHONPATH to the folder that it is in, or mend the import"),
    ],
)
def test_a_missing_module_that_has_a_name_of_ours_is_told(monkeypatch, missing, told):
    ours, own = ModuleType("kafkacheck.spec"), ModuleType("model")
    for name, module in {"spec": ours, "kafkacheck.spec": ours, "model": own}.items():
        monkeypatch.setitem(sys.modules, name, module)
    text = described(ModuleNotFoundError(f"No module named {missing!r}", name=missing))
    assert text.startswith(f"No module named {missing!r}; ") and told in text
    if told.startswith("spec is"):
        assert told in described(ImportError("cannot import name 'mine'", name=missing))


def test_an_import_that_fails_otherwise_is_told():
    told = described(ImportError("cannot import name 'x'", name="json"))
    assert told == "ImportError: cannot import name 'x'; mend that line"
