"""Saved traces on today's code: where they still apply, and what they still violate."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import EvaluationError, UsageError
from kafkacheck.checker.traces.replay import replay
from kafkacheck.checker.traces.saved import UnknownCall, load
from kafkacheck.checker.traces.trace import Step, Trace, to_json
from tests.support import relay
from tests.support.behaviours import run
from tests.support.command import write
from tests.support.relay import LOSS, MODEL, STEPS, Mood, relay_with

UNSETTLED = (
    ("keeper_name_head", {"node_id": 0}),
    ("node_add", {"node_id": 0, "value": 1}),
    ("node_settle", {"node_id": 0}),
    ("keeper_name_head", {"node_id": 1}),
    ("node_copy", {"node_id": 0}),
)


@pytest.fixture
def loss() -> Trace:
    return run(MODEL, LOSS, "settled_items_kept")


@pytest.fixture
def saved(tmp_path, loss):
    return write(tmp_path / "loss.json", json.dumps(to_json(loss)))


@pytest.fixture
def edited(tmp_path):
    """The relay after somebody edited its code."""

    def edit(old: str, new: str) -> Model:
        source = Path(relay.__file__).read_text()
        assert source.count(old) == 1
        (tmp_path / "edited_relay.py").write_text(source.replace(old, new))
        return find_model(str(tmp_path / "edited_relay.py"))

    return edit


def test_a_trace_replays_on_the_code_that_made_it(loss):
    outcome = replay(MODEL, loss)
    assert outcome.applies and outcome.violated_step == 5 and outcome.trace == loss


def test_a_replay_stops_where_an_action_is_no_longer_enabled(saved, edited):
    model = edited("if value == 0:", "if value != 1:")
    outcome = replay(model, *load(model, saved))
    assert (outcome.failed_step, outcome.failed_call) == (3, "node_add(node_id=0, value=2)")
    assert re.fullmatch(
        r"it is not enabled: it returned False at .*edited_relay\.py:\d+, where `value != 1` is true: value = 2",
        outcome.reason,
    )
    assert len(outcome.trace.steps) == 3 and outcome.violated_step is None and not outcome.applies


def test_a_replay_stops_where_edited_code_leads_to_another_state(saved, edited):
    model = edited("relay.dirty = True", "relay.dirty = False")
    outcome = replay(model, *load(model, saved))
    assert outcome.failed_step == 2 and [str(change) for change in outcome.differences] == ["dirty: true -> false"]


def test_a_replay_tells_that_the_first_state_is_no_initial_state(loss):
    other = loss.steps[0].state.copy()
    other.mood = Mood.BUSY
    outcome = replay(MODEL, replace(loss, steps=(Step(None, {}, other), *loss.steps[1:])))
    assert outcome.failed_step == 0 and "initial state" in outcome.reason
    assert [change.path for change in outcome.differences] == ["mood"]


def test_a_replay_tells_that_nothing_is_violated_any_more(loss):
    outcome = replay(MODEL, replace(loss, steps=loss.steps[:-1]))
    assert outcome.applies and outcome.violated_step is None


def test_a_replay_finds_a_property_of_steps_violated():
    outcome = replay(STEPS, run(STEPS, UNSETTLED, "settled_never_falls"))
    assert outcome.applies and outcome.violated_step == 5


def test_a_replay_tells_a_deadlock_from_an_ordinary_end():
    bare = relay_with(bounds=MODEL.bounds | {"values": 0})
    calls = [("keeper_name_head", {"node_id": 0}), ("keeper_name_head", {"node_id": 1})]
    assert not replay(bare, run(bare, calls[:1])).is_deadlock
    ended = run(bare, [*calls, ("node_copy", {"node_id": 0})])
    assert replay(bare, ended).is_deadlock and replay(bare, ended).violated_step is None


def test_a_replay_of_an_unknown_property_is_refused(loss):
    with pytest.raises(UsageError, match="no property 'gone'"):
        replay(MODEL, replace(loss, property="gone"))


def test_a_replay_stops_at_a_call_that_the_model_lacks(loss):
    shorter = replace(loss, steps=loss.steps[:2])
    outcome = replay(MODEL, shorter, UnknownCall("node_fly()", "there is none"))
    assert (outcome.failed_step, outcome.failed_call, outcome.reason) == (2, "node_fly()", "there is none")
    assert not outcome.applies and not outcome.is_deadlock


def test_code_that_fails_in_a_replay_is_located(saved, edited):
    model = edited("relay.dirty = True", "relay.keeper.turn //= node_id")
    with pytest.raises(EvaluationError, match=r"step 3 of the trace, node_add\(node_id=0, value=1\): .*ZeroDivision"):
        replay(model, *load(model, saved))
