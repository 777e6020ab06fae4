"""The models against TLC: what it measured on the public specification they restate, number by number.

tests/data/tlc.json says what was run. Every row is met exactly: the size and depth of the complete state graph, and
for each invariant whether it holds and otherwise the length of a shortest counterexample. At bounds that TLC was not
run at, state graphs that must be equal are compared with each other.
"""

import json

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.search import check
from tests.expected import engine_for, model_of, names_of
from tests.support.command import ROOT

pytestmark = pytest.mark.slow

ROWS = json.loads((ROOT / "tests" / "data" / "tlc.json").read_text(encoding="utf-8"))["rows"]
NAMES = ("replicas", "log_size", "max_records", "max_leader_epoch")
INVARIANTS = ("weak_isr", "strong_isr")

QUICK, LARGE = 3_000, 10_000
"""Rows with more states than these are left to the complete run of the tests, and to `make long`."""


def as_parameter(row):
    name = "-".join(str(row[key]) for key in ("model", *NAMES))
    marks = [mark for mark, most in ((pytest.mark.slow, QUICK), (pytest.mark.long, LARGE)) if row["distinct"] > most]
    return pytest.param(row, id=name, marks=marks)


def test_the_rows_cover_every_generation():
    assert {f"replication.{row['model']}" for row in ROWS} == set(names_of("replication"))
    assert len({(row["model"], *(row[key] for key in NAMES)) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", [as_parameter(row) for row in ROWS])
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


def graph_of(name, *bounds):
    """Size and depth of the complete state graph, and how often each action fired in it."""
    model = model_of(name).with_properties([]).with_bounds(dict(zip(NAMES, bounds, strict=True)))
    result = check(model, engine="interpreted")
    return result.states_distinct, result.states_generated, result.depth, result.actions


@pytest.mark.parametrize("name", names_of("replication"))
@pytest.mark.parametrize("bounds", [(2, 1, 1, 1), (2, 2, 2, 1), (2, 1, 1, 2), (1, 1, 1, 2), (1, 3, 3, 1)], ids=str)
def test_room_for_more_records_than_there_are_changes_nothing(name, bounds):
    """Every record is written at one offset of one log and copied to that offset only."""
    replicas, log_size, max_records, max_leader_epoch = bounds
    assert graph_of(name, *bounds) == graph_of(name, replicas, log_size + 1, max_records, max_leader_epoch)


@pytest.mark.parametrize("bounds", [(2, 1, 1, 0), (2, 2, 3, 0), (3, 1, 2, 0), (3, 2, 2, 0)], ids=str)
def test_with_one_epoch_the_generations_before_kip_320_are_one(bounds):
    """Whoever obeys the only request has an empty log, so that nothing is ever truncated or of another epoch."""
    *counts, actions = graph_of("truncate_to_high_watermark", *bounds)
    for name in ("kip101", "kip279", "kip320_first_try"):
        *others, fired = graph_of(name, *bounds)
        assert others == counts
        assert fired.pop("follower_truncate", 0) == 0
        assert fired == actions
    assert graph_of("kip320", *bounds)[0] < counts[0]


@pytest.mark.parametrize("name", names_of("replication"))
def test_a_single_replica_loses_nothing(name):
    model = model_of(name).with_bounds(dict(zip(NAMES, (1, 2, 2, 3), strict=True)))
    assert check(model, engine="interpreted").verdict is Verdict.HOLDS
