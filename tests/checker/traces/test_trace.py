"""Traces: written as JSON and for other tools, and rebuilt from a chain of states."""

import json
from dataclasses import replace

import itf_py
import pytest

from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.traces.itf import to_itf
from kafkacheck.checker.traces.trace import Trace, call_text, changed_fields, rebuild, to_json
from tests.support.behaviours import run
from tests.support.relay import LOSS, MODEL, NodeId, Relay, keeper_name_head, relay_with


@pytest.fixture
def loss() -> Trace:
    return run(MODEL, LOSS, "settled_items_kept")


def name_head_again(relay: Relay, node_id: NodeId) -> bool:
    """As `keeper_name_head`, so that two calls lead to the same state."""
    return keeper_name_head(relay, node_id)


def test_first_step_is_the_initial_state_without_an_action(loss):
    first = to_json(loss)["trace"][0]
    assert first["action"] is None and first["parameters"] == {}
    assert len(to_json(loss)["trace"]) == len(LOSS) + 1


def test_json_says_what_the_trace_belongs_to(loss):
    data = to_json(loss)
    assert data["model"] == "relay" and data["bounds"] == MODEL.bounds and data["rules"] == {}
    assert data["property"] == "settled_items_kept" and data["version"] == 1
    assert json.loads(json.dumps(data)) == data


def test_calls_are_written_with_the_names_of_their_parameters(loss):
    assert call_text(MODEL, loss.steps[0]) == "initial state"
    assert call_text(MODEL, loss.steps[2]) == "node_add(node_id=0, value=1)"


def test_only_what_a_step_changed_is_a_changed_field(loss):
    assert [str(change) for change in changed_fields(loss, 4)] == ["nodes[0].settled: 0 -> 1"]
    assert [str(change) for change in changed_fields(loss, 1)] == [
        "nodes[0].head: none -> 0",
        "nodes[0].turn: none -> 0",
        "keeper.head: none -> 0",
        "keeper.turn: none -> 0",
        "keeper.named: {} -> {0}",
        "mood: CALM -> BUSY",
    ]
    assert changed_fields(loss, 0) == []


# Rebuilding.


def test_a_trace_is_rebuilt_from_its_states(loss):
    chain = [MODEL.layout.flatten(step.state) for step in loss.steps]
    assert rebuild(MODEL, chain, "settled_items_kept") == loss


def test_the_first_call_in_model_order_is_taken():
    functions = [each.function for each in MODEL.actions]
    for actions in ([name_head_again, *functions], [*functions, name_head_again]):
        model = relay_with(actions=actions)
        chain = [model.layout.flatten(step.state) for step in run(model, LOSS[:1]).steps]
        first = actions[0].__name__
        assert [(step.action, step.parameters) for step in rebuild(model, chain).steps[1:]] == [(first, {"node_id": 0})]


def test_states_that_no_action_connects_are_an_error(loss):
    chain = [MODEL.layout.flatten(step.state) for step in loss.steps]
    with pytest.raises(SelfCheckError, match=r"no action leads to state 2 .*mood: CALM -> BUSY"):
        rebuild(MODEL, [chain[0], chain[2]])


def start_low(relay: Relay, node_id: NodeId) -> bool:
    """Some node is the head."""
    return keeper_name_head(relay, node_id)


def start_empty(relay: Relay) -> bool:
    """Nothing happened yet."""
    return relay.keeper.turn < 0


def test_the_first_step_says_which_call_made_it_where_there_are_several():
    model = relay_with(initial=[start_empty, start_low])
    started = [rebuild(model, [model.layout.flatten(state)]).steps[0] for state in model.initial_states()]
    calls = ["start_empty()", "start_low(node_id=0)", "start_low(node_id=1)"]
    assert [call_text(model, step) for step in started] == [f"initial state: {call}" for call in calls]
    alone = relay_with(initial=start_empty)
    assert call_text(alone, rebuild(alone, [model.layout.flatten(started[0].state)]).steps[0]) == "initial state"


# For other tools.


def test_a_deadlock_is_one_in_every_form(loss):
    ended = replace(loss, property=None, is_deadlock=True)
    assert to_json(ended)["property"] is None
    assert to_itf(ended)["#meta"]["description"] == "relay: deadlock in 6 states"
    assert rebuild(MODEL, [MODEL.layout.flatten(loss.steps[0].state)], None, is_deadlock=True).is_deadlock


def test_itf_is_read_by_the_itf_package_and_comes_back_the_same(loss):
    data = json.loads(json.dumps(to_itf(loss)))
    read = itf_py.trace_from_json(data)
    assert read.vars == ["action_taken", "nondet_picks", "nodes", "keeper", "mood", "dirty"]
    assert len(read.states) == len(loss.steps)
    last = read.states[-1].values
    assert last["action_taken"] == "keeper_name_head" and last["nondet_picks"].node_id == 1
    assert last["nodes"][0].items[1].value == 2 and last["nodes"][1].length == 0
    assert last["keeper"].named == frozenset({0, 1}) and last["mood"] == "BUSY" and last["dirty"] is True
    assert read.states[0].values["keeper"].head == -1
    back = itf_py.trace_to_json(read)
    assert back["states"] == data["states"] and back["vars"] == data["vars"] and back["#meta"] == data["#meta"]
