"""Leaders of the metadata quorum that are cut off resign, and the majority is led, on account of each fairness."""

from types import SimpleNamespace

import pytest

from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.graphs.observed import compiled_graph
from kafkacheck.checker.liveness.fair_cycles import Rules, find_lasso
from kafkacheck.model.metadata_quorum.partition import MODEL

PAIRS = [("leader_without_majority", "every_leader_has_majority"), ("quorum_is_stuck", "quorum_works")]


@pytest.mark.slow
def test_each_fairness_is_needed_and_a_leader_that_is_cut_off_needs_only_its_own():
    graph = compiled_graph(MODEL, MODEL.predicates(), Watch(Limits()))

    def has_lasso(fairness, trigger, goal):
        rules = Rules(SimpleNamespace(actions=MODEL.actions, fairness=fairness))
        outside = ~graph.truths[goal]
        return find_lasso(graph, rules, graph.truths[trigger] & outside, outside) is not None

    def needed(pair):
        return [
            each.action.name
            for each in MODEL.fairness
            if has_lasso([f for f in MODEL.fairness if f is not each], *pair)
        ]

    resigns, works = PAIRS
    assert not has_lasso(MODEL.fairness, *resigns) and not has_lasso(MODEL.fairness, *works)
    assert needed(resigns) == ["quorum_leader_resigns"]
    assert needed(works) == [each.action.name for each in MODEL.fairness]
