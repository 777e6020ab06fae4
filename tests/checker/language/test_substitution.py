"""A model with one function changed: every caller of its actions sees it, and nothing else does."""

import sys

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.language import removal
from kafkacheck.checker.language.signature import signature_of
from kafkacheck.checker.mutation.substitution import mutants, switched, switches_of
from kafkacheck.checker.search import check
from tests.support.command import write

TOOLS = """
from shop import tools
from shop.state import Shop

LIMIT = 2

def is_full(shop: Shop) -> bool:
    return shop.stock == LIMIT

def may_sell(shop: Shop) -> bool:
    return not tools.is_full(shop)
"""
STATE = """
from typing import Annotated

from kafkacheck.checker.schema import Count, Struct

class Shop(Struct):
    stock: Annotated[int, Count(2)]
    sold: Annotated[int, Count(2)]
"""
MODEL = """
import shop.tools as imported
from kafkacheck.checker.model import Model
from shop import tools
from shop.state import Shop
from shop.tools import is_full, may_sell


def by_name(shop: Shop) -> bool:
    if is_full(shop):
        return False
    shop.stock += 1
    return True


def by_module(shop: Shop) -> bool:
    if tools.is_full(shop) or imported.is_full(shop):
        return False
    shop.stock += 1
    return True


def by_caller(shop: Shop) -> bool:
    if not may_sell(shop):
        return False
    shop.stock += 1
    return True


def never_overfull(shop: Shop) -> bool:
    return not is_full(shop) or shop.stock == 2


MODEL = Model(name="shop", state=Shop, actions=[by_name, by_module, by_caller], always=[never_overfull])
"""


@pytest.fixture
def shop(tmp_path, monkeypatch):
    for name, text in {"__init__": "", "tools": TOOLS, "state": STATE, "main": MODEL}.items():
        write(tmp_path / "shop" / f"{name}.py", text)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield find_model(str(tmp_path / "shop" / "main.py"))
    for name in [each for each in sys.modules if each == "shop" or each.startswith("shop.")]:
        del sys.modules[name]


@pytest.fixture
def changed(shop):
    """The shop that never notices that it is full."""
    known = dict(enumerate(mutants(shop)))
    removal.remove(
        next(n for n, each in known.items() if each.name.endswith("return shop.stock == LIMIT: always False"))
    )
    yield switched(shop, known)
    removal.remove(removal.NOTHING)


@pytest.mark.parametrize("action", ["by_name", "by_module", "by_caller"])
def test_every_caller_sees_the_changed_function_however_it_was_imported(shop, changed, action):
    full = changed.layout.restore((2, 0))
    assert not shop.action(action).apply(full, ())
    assert changed.action(action).apply(full, ())


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_both_readings_run_the_changed_function(shop, changed, engine):
    assert "leaves stock = 3" in check(changed, engine=engine).reason
    assert check(shop, engine=engine).states_distinct == 3
    removal.remove(removal.NOTHING)
    assert check(changed, engine=engine).states_distinct == 3


def test_properties_judge_by_the_function_as_it_was(shop, changed):
    assert changed.properties[0].function is shop.properties[0].function


def test_nothing_is_left_changed(shop):
    main, tools = sys.modules["shop.main"], sys.modules["shop.tools"]
    before = dict(vars(main)), dict(vars(tools)), kernel_text(shop)
    switched(shop, dict(enumerate(mutants(shop))))
    assert before == (dict(vars(main)), dict(vars(tools)), kernel_text(shop))
    assert "removed" not in kernel_text(shop)


def test_conditions_that_the_rules_leave_out_have_no_switch(shop):
    known = dict(enumerate(mutants(shop)))
    assert switches_of(switched(shop, known)) == set(known)
    assert switches_of(switched(shop, {})) == set()


def test_the_signature_tells_what_runs_apart_and_nothing_else(shop):
    def signature(model):
        return signature_of(action.read for action in model.actions)

    alone = [signature(switched(shop, {0: each})) for each in mutants(shop)]
    assert signature(shop) not in alone
    assert signature(shop.with_bounds({})) == signature(shop)
    assert signature(switched(shop, {})) == signature(shop)
