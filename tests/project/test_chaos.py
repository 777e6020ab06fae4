"""A handful of kills; `python -m tests.chaos` does more of them, and of searches on Spark."""

import pytest

from tests import chaos
from tests.chaos import Case, Chaos, DifferenceError, damaged, differences

CASES = (Case("replication.kip320_first_try"), Case("metadata_quorum.disks"))


@pytest.mark.slow
def test_killed_searches_come_to_the_pinned_answer():
    drawn = Chaos(seed=3)
    drawn.kill(CASES, 2)
    assert sum(each.kills for each in drawn.told.values()) >= 2
    head, *rows = chaos.table(drawn.told).splitlines()
    assert "levels kept" in head and {row.split()[1] for row in rows} <= {each.model for each in CASES}


def test_another_answer_is_a_difference(monkeypatch):
    case, drawn = Case("replication.kip320"), Chaos(seed=1)
    document = {
        "verdict": "HOLDS", "property": None, "states_distinct": 1, "states_generated": 1, "states_excluded": None,
        "depth": 1, "actions": {}, "unmet": [], "trace": None,
    }  # fmt: skip
    monkeypatch.setattr(Chaos, "_ended", lambda *_: document)
    with pytest.raises(DifferenceError, match=r"distinct is 1, and \d+ is pinned"):
        drawn.search(case, 1)
    assert differences({"a": 1, "b": 2}, {"a": 1, "b": 3}) == "b is 3, not 2"


def test_damage_is_always_damage():
    drawn = Chaos(seed=5)
    for content in (b"1", b"some bytes"):
        for _ in range(50):
            assert damaged(content, drawn.random) != content
