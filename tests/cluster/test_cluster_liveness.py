"""The cluster converges once disturbances stop, on account of each fairness; not where a part of healing is missing."""

from types import SimpleNamespace

import pytest

from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.graphs.observed import compiled_graph
from kafkacheck.checker.liveness.fair_cycles import Rules, find_lasso
from kafkacheck.checker.schema import Ids, clear
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from kafkacheck.impl.ids import NO_LEADER, NO_OFFSET, ReplicaId
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.convergence.base import MODEL
from kafkacheck.model.cluster.convergence.stuck import MODEL as STUCK
from kafkacheck.model.cluster.convergence.unclean import MODEL as UNCLEAN
from kafkacheck.model.cluster.environment import found_partition
from kafkacheck.model.cluster.family import BOUNDS
from kafkacheck.model.cluster.replication import follower_uses_fetch, leader_ends_recovery, leader_proposes_expansion
from kafkacheck.model.cluster.system import State
from kafkacheck.spec.cluster.liveness import bounds_leave_room, converged, disturbed
from tests.cluster.test_cluster_properties import state_of

CRASH_AND_LAG = {"moves": 0, "max_metadata_offset": 7, "max_leader_epoch": 4}
QUIET = {"crashes": 0, "expirations": 0, "moves": 0, "max_metadata_offset": 3, "max_leader_epoch": 2}


def no_expansion(state: State, rules: ClusterRules, leader_id: ReplicaId, follower_id: ReplicaId) -> bool:
    """A leader that lets nobody into its ISR again: no step is ever possible."""
    return state.budget.crashes < 0


def no_recovery(state: State, leader_id: ReplicaId) -> bool:
    """A leader that never declares that it has recovered."""
    return state.budget.crashes < 0


def fetch_without_truncation(state: State, rules: ClusterRules, follower_id: ReplicaId) -> bool:
    """A follower that pays no heed to an answer which says that the logs differ."""
    if state.fetches[follower_id].end_offset == NO_OFFSET:
        return follower_uses_fetch(state, rules, follower_id)
    clear(state.fetches[follower_id])
    return True


def with_instead(model, function, other):
    return model.with_actions(lambda each: other if each is function else each)


@pytest.mark.slow
def test_each_fairness_is_needed():
    """Without any one of them some behaviour comes to a stand, although all the others are met."""
    model = MODEL.with_bounds(CRASH_AND_LAG)
    graph = compiled_graph(model, model.predicates(), Watch(Limits()))
    outside = ~graph.truths["converged"]

    def has_lasso(fairness):
        rules = Rules(SimpleNamespace(actions=model.actions, fairness=fairness))
        return find_lasso(graph, rules, graph.truths["disturbed"] & outside, outside) is not None

    assert not has_lasso(model.fairness)
    needed = [each.action.name for each in model.fairness if has_lasso([f for f in model.fairness if f is not each])]
    assert needed == [each.action.name for each in model.fairness]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "other", "disturbance"),
    [
        (leader_proposes_expansion, no_expansion, "expirations"),
        (follower_uses_fetch, fetch_without_truncation, "moves"),
    ],
)
def test_a_cluster_that_cannot_heal_is_caught_in_a_lasso(function, other, disturbance):
    model = MODEL.with_bounds({**QUIET, disturbance: 1})
    assert check(model, engine="interpreted").verdict is Verdict.HOLDS
    result = check(with_instead(model, function, other), engine="interpreted")
    assert (result.verdict, result.property) == (Verdict.VIOLATED, "disturbed_leads_to_converged")
    assert result.trace is not None and result.trace.loop is not None


@pytest.mark.slow
def test_after_an_unclean_election_the_isr_grows_only_once_the_leader_has_recovered():
    model = UNCLEAN.with_bounds({"max_records": 1, "max_metadata_offset": 7, "max_leader_epoch": 4})
    result = check(with_instead(model, leader_ends_recovery, no_recovery), engine="compiled")
    assert (result.verdict, result.property) == (Verdict.VIOLATED, "disturbed_leads_to_converged")


def test_the_stuck_model_is_stuck_by_its_rule_alone():
    assert STUCK.rules == MODEL.rules._replace(epoch_file_is_cut_at_end=False)
    assert {each.name for each in STUCK.actions} < {each.name for each in MODEL.actions}


def test_converged_means_one_log_committed_and_everybody_in_sync():
    state = state_of([(0, 0)], [(0, 0)])
    for broker in state.brokers:
        broker.high_watermark = 1
    assert converged(state) and not disturbed(state)
    for path, value in (
        (lambda s: (s.brokers[0], "high_watermark"), 0),
        (lambda s: (s.brokers[1], "high_watermark"), 0),
        (lambda s: (s.brokers[0], "is_running"), False),
        (lambda s: (s.brokers[0], "leader_epoch"), 1),
        (lambda s: (s.brokers[1].log, "end_offset"), 0),
        (lambda s: (s.brokers[1].log.records[0], "id"), 1),
        (lambda s: (s.controller.history[0], "isr"), Ids({0})),
        (lambda s: (s.controller.history[0], "leader"), NO_LEADER),
    ):
        other = state.copy()
        record, name = path(other)
        setattr(record, name, value)
        assert not converged(other), name
    state.brokers[1].is_running = False
    state.controller.history[0].isr = Ids({0})
    assert converged(state), "who is down is not waited for"


def test_bounds_that_are_used_up_are_seen():
    state = Layout(State, {**BOUNDS, "max_metadata_offset": 2, "max_leader_epoch": 2}).blank()
    found_partition(state, Ids({0, 1}), Ids({0, 1}))
    assert bounds_leave_room(state)
    state.controller.history[0].leader_epoch = 2
    assert not bounds_leave_room(state)
    state.controller.offset = 2
    assert not bounds_leave_room(state)
