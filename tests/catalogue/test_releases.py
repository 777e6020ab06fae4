"""Since which release of Kafka each rule is as it is: each switch that names an issue or a proposal says so."""

import re

import pytest

from kafkacheck.checker.schema.releases import dated, rules_in
from kafkacheck.checker.schema.rules import is_group, switches
from kafkacheck.impl.broker.lag import LagRules
from kafkacheck.impl.compaction.rules import CompactionRules
from kafkacheck.impl.controller.broker_lifecycle import LifecycleRules
from kafkacheck.impl.log.rules import LogRules
from kafkacheck.impl.producer.rules import ProducerRules
from kafkacheck.impl.quorum.rules import QuorumRules
from kafkacheck.impl.rules import ClusterRules
from kafkacheck.impl.transactions.rules import TransactionRules

NEWEST = "4.4"
CLASSES = [
    ClusterRules,
    CompactionRules,
    LagRules,
    LifecycleRules,
    LogRules,
    ProducerRules,
    QuorumRules,
    TransactionRules,
]

UNDATED = {
    "ClusterRules.unclean_election": "a choice: `unclean.leader.election.enable`",
    "ClusterRules.eligible_leader_replicas": "a choice: `eligible.leader.replicas.version`",
    "ClusterRules.last_known_leader_is_elected": "off by default, and Kafka has it wherever it has ELR",
    "ClusterRules.counted_fetch_is_of_epoch": "KAFKA-15590 is open: no release has it",
    "ClusterRules.grown_target_awaits_added": "off by default: Kafka has it since 4.3, and copies are lost by it",
    "LogRules.idempotence": "a choice: `enable.idempotence`",
    "LogRules.empty_log_awaits_first_sequence": "KAFKA-15591: no release before 4.5 has it",
    "ProducerRules.partition_is_muted": "a choice: `max.in.flight.requests.per.connection`",
}


def told_with_a_number(rules):
    """The switches whose lines in the docstring name an issue or a proposal."""
    lines = re.split(r"\n    (?=[a-z_]+: )", rules.__doc__)[1:]
    return {line.partition(":")[0] for line in lines if re.search(r"\b(KAFKA|KIP)-[0-9]", line)}


def test_each_switch_that_names_an_issue_has_a_date_or_a_reason():
    without = {
        f"{rules.__name__}.{name}"
        for rules in CLASSES
        for name in told_with_a_number(rules) - set(dated(rules()))
        if not is_group(getattr(rules(), name))
    }
    assert without == set(UNDATED)


@pytest.mark.parametrize("rules", CLASSES)
def test_the_newest_release_has_the_defaults(rules):
    found = rules_in(rules(), NEWEST)
    assert found and {name: switches(rules())[name] for name in found} == found
