"""Names in messages: "a" or "an" in front of them."""

import re

import pytest

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
