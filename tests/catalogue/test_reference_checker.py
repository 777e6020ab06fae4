"""The naive checker and the two readings agree on the small replication models, and it shares nothing with them."""

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.search import check
from tests.expected import names_of
from tests.support import reference_checker
from tests.support.reference_checker import explore

pytestmark = pytest.mark.slow

# Bounds at which the naive checker needs seconds, or where marked, tens of seconds.
SMALL_BOUNDS = [
    {"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 1},
    {"replicas": 2, "log_size": 2, "max_records": 2, "max_leader_epoch": 1},
    pytest.param({"replicas": 2, "log_size": 1, "max_records": 1, "max_leader_epoch": 2}, marks=pytest.mark.long),
    pytest.param({"replicas": 3, "log_size": 1, "max_records": 1, "max_leader_epoch": 1}, marks=pytest.mark.long),
]


@pytest.mark.parametrize("bounds", SMALL_BOUNDS, ids=lambda bounds: "-".join(map(str, bounds.values())))
@pytest.mark.parametrize("name", names_of("replication"))
def test_all_checkers_agree(name, bounds):
    model = find_model(name).with_bounds(bounds)
    naive = explore(model)
    for reading in ("interpreted", "compiled"):
        result = check(model, reading)
        assert (result.verdict.name, result.property) == (naive.verdict, naive.property)
        assert (result.states_distinct, result.states_generated) == (naive.distinct, naive.generated)
        assert result.depth == naive.depth
        assert result.actions == naive.fired
        assert set(result.unmet) == naive.unmet
        assert len(result.trace.steps if result.trace else ()) == len(naive.behaviour)


def test_the_naive_checker_shares_no_code_with_the_readings():
    names = {name for name in vars(reference_checker) if not name.startswith("_")}
    assert names == {"copy", "itertools", "dataclass", "field", "Outcome", "freeze", "argument", "attempts", "explore"}
