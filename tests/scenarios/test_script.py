"""A script that is wrong fails: a step that is not possible, one that is, a picture or a fact that differs."""

import pytest

from kafkacheck.impl.rules import ClusterRules
from tests.scenarios.script import Script
from tests.scenarios.steps import append, crash, fetch, learn

RULES = ClusterRules()


def test_a_step_that_is_not_possible_is_told_with_the_picture():
    run = Script(brokers=2, rules=RULES)
    with pytest.raises(AssertionError, match=r"append\(leader=1, message='a'\) is not possible(.|\n)*0 leads e0: \|"):
        run.act(append, leader=1, message="a")


def test_a_step_that_should_not_be_possible_is_told():
    run = Script(brokers=2, rules=RULES)
    with pytest.raises(AssertionError, match="is possible, and should not be"):
        run.refuse(append, leader=0, message="a")


def test_a_step_that_breaks_off_leaves_no_trace():
    run = Script(brokers=2, rules=RULES)
    run.act(crash, broker=0)
    before = run.layout.flatten(run.state)
    run.refuse(fetch, follower=1)  # the request is sent; nobody answers it
    assert run.layout.flatten(run.state) == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"picture": "0 leads e0: a |\n1 follows e0: | a"},
        {"isr": {0}},
        {"leader": 1},
        {"acknowledged": "a"},
        {"consumed": "a"},
        {"epochs": {1: {0: 0}}},
    ],
)
def test_what_differs_is_told(wrong):
    run = Script(brokers=2, rules=RULES)
    run.act(append, leader=0, message="a")
    run.expect("0 leads e0: | a\n1 follows e0: |", isr={0, 1}, leader=0, acknowledged="", consumed="")
    with pytest.raises(AssertionError, match="expected:"):
        run.expect(**wrong)


def test_who_learned_everything_can_learn_nothing():
    run = Script(brokers=2, rules=RULES)
    before = run.layout.flatten(run.state)
    run.act(learn, broker=1)
    assert run.layout.flatten(run.state) == before
