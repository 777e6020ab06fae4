"""A broker's life: what is fair is needed, and strong fairness where it is strong; what each property speaks of."""

from types import SimpleNamespace

import pytest

from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.graphs.observed import compiled_graph
from kafkacheck.checker.liveness.fair_cycles import Rules, find_lasso
from kafkacheck.checker.model.fairness import Fairness
from kafkacheck.checker.search import check
from kafkacheck.model.broker_lifecycle.base import MODEL

SMALL = {"restarts": 0}


@pytest.mark.slow
def test_each_fairness_is_needed_and_no_weaker_one_is_enough():
    model = MODEL.with_bounds(SMALL)
    graph = compiled_graph(model, model.predicates(), Watch(Limits()))

    def has_lasso(fairness):
        rules = Rules(SimpleNamespace(actions=model.actions, fairness=fairness))
        found = []
        for each in model.liveness:
            outside = ~graph.truths[each.goal.name]
            found.append(find_lasso(graph, rules, graph.truths[each.trigger.name] & outside, outside) is not None)
        return any(found)

    assert not has_lasso(model.fairness)
    for each in model.fairness:
        others = [other for other in model.fairness if other is not each]
        assert has_lasso(others), each.action.name
        if each.is_strong:
            assert has_lasso([*others, Fairness(each.action, each.parameters, False)]), each.action.name


@pytest.mark.slow
def test_only_liveness_fails_by_the_old_rules():
    """No step is wrong by itself: nobody is unfenced or let go too early, but some never."""
    old = {"unfencing_awaits_registration": False, "shutdown_offset_stays": False}
    model = MODEL.with_bounds(SMALL).with_rules(old)
    safety = model.with_properties([each.name for each in model.properties])
    assert check(safety, engine="compiled").verdict is Verdict.HOLDS
