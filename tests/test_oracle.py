"""The models against TLC: what it measured on the public specification they restate, number by number.

tests/data/tlc.json says what was run. Every row is met exactly: the size and depth of the complete state graph, and
for each invariant whether it holds and otherwise the length of a shortest counterexample.
"""

import json
from pathlib import Path

import pytest

from checker.catalogue import catalogue_names
from checker.result import Verdict
from checker.search import check
from tests.expected import engine_for, model_of

ROWS = json.loads((Path(__file__).parent / "data" / "tlc.json").read_text(encoding="utf-8"))["rows"]
NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")
INVARIANTS = ("weak_isr", "strong_isr")

QUICK = 3_000
"""Rows with more states than this are left to the complete run of the tests."""


def as_parameter(row):
    name = "-".join(str(row[key]) for key in ("model", *NAMES))
    return pytest.param(row, id=name, marks=[pytest.mark.slow] if row["distinct"] > QUICK else [])


def test_the_rows_cover_every_generation():
    assert {row["model"] for row in ROWS} == set(catalogue_names())
    assert len({(row["model"], *(row[key] for key in NAMES)) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", map(as_parameter, ROWS))
def test_row(row):
    model = model_of(row["model"]).with_bounds({key: row[key] for key in NAMES})
    safe = [name for name in INVARIANTS if name in row and row[name] is None]
    whole = check(model.with_properties(safe), engine=engine_for(row["distinct"]))
    assert (whole.verdict, whole.property) == (Verdict.HOLDS, None)
    assert whole.states_distinct == row["distinct"]
    assert whole.depth == row.get("depth", whole.depth)
    for name in INVARIANTS:
        if row.get(name) is not None:
            failing = check(model.with_properties([name]), engine="interpreted")
            assert (failing.verdict, failing.property) == (Verdict.VIOLATED, name)
            assert len(failing.trace.steps) == row[name]
