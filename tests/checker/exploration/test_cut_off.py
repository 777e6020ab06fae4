"""Which states a bound cuts off, against plain Python at the larger bound."""

from functools import cache
from typing import Annotated

import pyarrow.parquet as pq
import pytest

from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.graphs import arrow, cut_off, dataset
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ById, ByPosition, Count, Struct
from kafkacheck.checker.schema.layout import HIGHEST_VALUE
from tests.checker.graphs.test_dataset import rows_of
from tests.expected import model_of
from tests.support.command import Command

SMALL = {"replicas": 2, "max_records": 1, "max_leader_epoch": 1}


class Purse(Struct):
    coins: Annotated[int, Allowance("given")]
    bought: Annotated[Array[Annotated[int, Count("most")]], ById("shops")]


def buy(purse: Purse, shop: Annotated[int, Count("shops - 1")]) -> bool:
    if purse.coins == 0 or purse.bought[shop] == len(purse.bought):
        return False
    purse.coins -= 1
    purse.bought[shop] += 1
    return True


def beg(purse: Purse) -> bool:
    if purse.coins > 0 or purse.bought[0] < 2:
        return False
    purse.coins += 1
    return True


PURSE = Model(name="purse", state=Purse, bounds={"given": 3, "most": 2, "shops": 2}, actions=[buy, beg])


def blank_but_for(data, blank):
    """A state as JSON data at a larger schema: the same as `data` where that has something, else blank."""
    if isinstance(data, dict):
        return {name: blank_but_for(data[name], value) for name, value in blank.items()}
    if isinstance(blank, list) and len(blank) > len(data) > 0:
        return [blank_but_for(data[place] if place < len(data) else value, value) for place, value in enumerate(blank)]
    if isinstance(data, list) and blank and isinstance(blank[0], dict):
        return [blank_but_for(*pair) for pair in zip(data, blank, strict=True)]
    return data


def calls(model, values):
    return {(action.name, given) for action, given, _ in Evaluation(model).successors(values)}


@cache
def larger_by_one(model, bound):
    return model.with_bounds({bound: model.bounds[bound] + 1})


def cut_off_in_plain_python(model, bound, values, allowance=None):
    larger = larger_by_one(model, bound)
    data = model.layout.to_json(model.layout.restore(values))
    if bound == allowance:
        data["coins"] += 1
    there = larger.layout.from_json(blank_but_for(data, larger.layout.to_json(larger.layout.blank())))
    return bool(calls(larger, larger.layout.flatten(there)) - calls(model, values))


@pytest.mark.slow
@pytest.mark.parametrize("model", [PURSE, model_of("kip320").with_bounds(SMALL)], ids=lambda model: model.name)
def test_a_state_is_cut_off_where_a_larger_bound_lets_more_happen(model, tmp_path):
    run = dataset.write(model, model.name, tmp_path / "graph", with_cut_off=True)
    assert run["cut_off"] == run["limited"] == list(arrow.limited_by(model.layout, model.flags))
    found = dict.fromkeys(run["cut_off"], 0)
    rows = rows_of(tmp_path / "graph", "states")
    for row in rows[:: 1 + len(rows) // 40]:
        data = {name: row[column] for name, column in run["columns"].items()}
        values = model.layout.flatten(model.layout.from_json(data))
        expected = {bound: cut_off_in_plain_python(model, bound, values, "given") for bound in run["cut_off"]}
        assert row["cut_off"] == expected
        for bound, is_cut_off in expected.items():
            found[bound] += is_cut_off
    assert any(found.values()) and not all(found.values()), found


class Row(Struct):
    filled: Annotated[int, Count("length")]
    cells: Annotated[Array[Annotated[int, Count(1)]], ByPosition("length")]
    marks: Annotated[Array[Annotated[int, Count(1)]], ByPosition(2)]


def fill(row: Row) -> bool:
    if row.filled == len(row.cells):
        return False
    row.cells[row.filled] = 1
    row.marks[row.filled] = 1
    row.filled += 1
    return True


def test_where_the_code_fails_at_the_larger_bound_nothing_is_told(tmp_path):
    model = Model(name="row", state=Row, bounds={"length": 2}, actions=[fill])
    dataset.write(model, "row", tmp_path / "graph", with_cut_off=True)
    assert [row["cut_off"] for row in rows_of(tmp_path / "graph", "states")] == [
        {"length": each} for each in (False, False, None)
    ]


def test_a_bound_that_cannot_be_larger_tells_nothing(tmp_path):
    model = Model(name="row", state=Row, bounds={"length": 2}, actions=[fill])
    assert cut_off.larger(model, "length") is not None
    assert cut_off.larger(PURSE.with_bounds({"most": HIGHEST_VALUE}), "most") is None


@pytest.mark.slow
def test_the_analysis_counts_them(tmp_path, spark_session, capsys):
    kafkacheck = Command(capsys)
    settings = [option for name, value in SMALL.items() for option in ("--set", f"{name}={value}")]
    ended = kafkacheck("explore", "kip320", *settings, "--cut-off", "--out", tmp_path / "graph")
    assert ended.status == 0, ended.err
    assert kafkacheck("analyze", tmp_path / "graph").status == 0
    states = rows_of(tmp_path / "graph", "states")
    for row in pq.read_table(tmp_path / "graph" / "analysis" / "bounds.parquet").to_pylist():
        levels = [each["level"] for each in states if each["cut_off"][row["bound"]]]
        assert (row["states_cut_off"], row["first_cut_off"]) == (len(levels), min(levels, default=None))
