"""The committed log: each property fails on a small state made by hand, and where a rule of Kafka is put back."""

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.search import check
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.model.cluster.consumer.follower_reads import MODEL as FOLLOWER_READS
from kafkacheck.model.cluster.controller import controller_elects_uncleanly
from kafkacheck.model.cluster.environment import process_crashes, start_alone
from kafkacheck.model.cluster.family import CLUSTER, KRAFT, REPLICATION
from kafkacheck.spec.cluster import refinement as cluster_refinement
from tests.cluster.test_cluster_properties import state_of


def committed(*records):
    """Two brokers in epoch 0 without records, and a committed log of two slots."""
    state = state_of()
    for offset, record in enumerate(records):
        state.committed[offset] = record
    return state


@pytest.mark.parametrize(
    ("before", "after", "is_append"),
    [
        ((-1, -1), (0, -1), True),
        ((0, -1), (0, 1), True),
        ((-1, -1), (0, 1), True),
        ((0, 1), (0, 1), True),
        ((0, -1), (1, -1), False),
        ((0, -1), (-1, -1), False),
        ((-1, -1), (-1, 0), False),
    ],
)
def test_the_committed_log_takes_appends_only(before, after, is_append):
    assert cluster_refinement.committed_log_only_grows(committed(*before), committed(*after)) is is_append


def test_what_a_broker_serves_is_compared_with_the_committed_log():
    state = state_of([(0, 0)], [(1, 0)])
    state.committed[0] = 0
    state.brokers[0].high_watermark = 1
    assert cluster_refinement.brokers_serve_committed_log(state)
    state.brokers[1].high_watermark = 1
    assert not cluster_refinement.brokers_serve_committed_log(state)
    state.brokers[1].must_truncate = True
    assert cluster_refinement.brokers_serve_committed_log(state), "it serves nobody"


def test_what_clients_are_told_is_compared_with_the_committed_log():
    state = committed(0)
    state.producers.acknowledged[0] = 0
    state.consumer.records[0] = 0
    assert cluster_refinement.acknowledged_records_are_committed(state)
    assert cluster_refinement.consumed_records_are_committed(state)
    state.committed[0] = 1
    assert not cluster_refinement.acknowledged_records_are_committed(state)
    assert not cluster_refinement.consumed_records_are_committed(state)


def test_an_unclean_election_rewrites_the_committed_log():
    """The promise that `unclean.leader.election.enable` gives up: another record is committed at the same offset."""
    model = CLUSTER.model(
        name="unclean",
        initial=start_alone,
        bounds={"max_records": 2, "max_leader_epoch": 3, "max_metadata_offset": 5, "crashes": 1},
        rules=ClusterRules(unclean_election=True, commits_are_noted=True),
        actions=[*REPLICATION, *KRAFT, process_crashes, controller_elects_uncleanly],
        always=[cluster_refinement.committed_log_only_grows],
    )
    result = check(model, engine="interpreted")
    assert result.property == "committed_log_only_grows"
    assert result.trace is not None and "controller_elects_uncleanly" in [step.action for step in result.trace.steps]
    assert check(model.with_rules({"unclean_election": False}), engine="interpreted").verdict is Verdict.HOLDS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        ("divergence_comes_first", "consumed_records_are_committed"),  # KAFKA-14704: the reader gets the wrong record
        ("stale_answer_is_refused", "committed_log_only_grows"),  # KAFKA-7786: a leader's answer comes an epoch late
    ],
)
def test_old_rules_break_the_committed_log(rule, broken):
    model = FOLLOWER_READS.with_rules({rule: False}).with_properties([broken])
    assert check(model, engine="compiled").property == broken
