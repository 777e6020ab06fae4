"""`check --keep-going`: every violated property has its own shortest counterexample, first what users lose."""

import json

import pytest

from tests.support.command import Command, write

SHOP = '''"""Does a shop that sells without looking keep its promises?"""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class Shop(Struct):
    stock: Annotated[int, Count("items")]
    sold: Annotated[int, Count("items")]
    is_open: bool


def sell(shop: Shop) -> bool:
    if shop.sold == 3:
        return False
    shop.sold += 1
    shop.is_open = True
    return True


def is_counted(shop: Shop) -> bool:
    """Nothing is sold."""
    return shop.sold == 0


def sells_one_at_most(before: Shop, after: Shop) -> bool:
    """A sale is the first.

    Lost to users: their turn.
    """
    return after.sold < 2


def sells_no_three(shop: Shop) -> bool:
    """There are never three.

    Lost to users: what was not there.
    """
    return shop.sold < 3


def has_sold(shop: Shop) -> bool:
    return shop.sold == 1


def is_shut(shop: Shop) -> bool:
    """The shop is shut in the end."""
    return not shop.is_open


MODEL = Model(
    state=Shop, bounds={"items": 3}, actions=[sell], always=[is_counted, sells_no_three, sells_one_at_most],
    leads_to=[(has_sold, is_shut)], check_deadlock=True,
)
'''
WANTED = [
    ("sells_one_at_most", "outcome", 3),
    ("sells_no_three", "outcome", 4),
    ("is_counted", "protocol", 2),
    ("has_sold_leads_to_is_shut", "protocol", 2),
    (None, "protocol", 4),
]


@pytest.fixture
def shop(tmp_path):
    return write(tmp_path / "shop.py", SHOP)


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_every_violation_has_its_counterexample(kafkacheck, shop, tmp_path, engine):
    single = json.loads(kafkacheck("check", shop, "--engine", engine, "--json").out)
    out = tmp_path / "out"
    ended = kafkacheck("check", shop, "--engine", engine, "--keep-going", "--json", "--out", out)
    whole = json.loads(ended.out)
    assert [(each["property"], each["kind"], each["length"]) for each in whole["violations"]] == WANTED
    assert (ended.status, whole["property"], whole["trace"]) == (12, "is_counted", single["trace"])
    assert "violations" not in single
    assert (whole["states_distinct"], single["states_distinct"]) == (4, 2)
    assert {f"shop-{name}.json" for name in ("is_counted", "deadlock", "sells_no_three")} <= {
        each.name for each in out.iterdir()
    }


def test_the_text_names_outcomes_first_and_ends_with_the_verdict(kafkacheck, shop):
    lines = kafkacheck.check(shop, "--keep-going").out.splitlines()
    assert [line for line in lines if line.startswith("violated: ")] == [
        "violated: outcome sells_one_at_most trace=3",
        "violated: outcome sells_no_three trace=4",
        "violated: protocol is_counted trace=2",
        "violated: protocol has_sold_leads_to_is_shut trace=2",
        "violated: protocol deadlock trace=4",
    ]
    assert lines[-1].startswith("shop: VIOLATED is_counted trace=2 distinct=4 ")


def test_liveness_is_judged_behind_violations(kafkacheck, shop):
    found = json.loads(kafkacheck.check(shop, "--keep-going", "--json").out)["violations"]
    assert [each["property"] for each in found if each["loop"] is not None] == ["has_sold_leads_to_is_shut"]


def test_a_limit_does_not_hide_what_was_found(kafkacheck, shop):
    ended = kafkacheck.check(shop, "--keep-going", "--max-states", 2)
    assert ended.status == 12
    assert "other properties may be violated, too, as the search is not finished" in ended.out
    assert ended.last_line.startswith("shop: VIOLATED is_counted trace=2")


def test_it_cannot_be_kept(kafkacheck, shop):
    ended = kafkacheck("check", shop, "--keep-going", "--engine", "spark")
    assert (ended.status, "--keep-going keeps nothing of its search" in ended.error) == (2, True)
