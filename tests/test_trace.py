"""Traces: saved, loaded, replayed on today's code, rebuilt from a chain of states, and written for other tools."""

import json
from dataclasses import replace
from pathlib import Path

import itf_py
import pytest

from checker.catalogue import find_model
from checker.errors import EvaluationError, UsageError
from checker.files import atomic_write, make_folder
from checker.itf import to_itf
from checker.model import Model
from checker.trace import Step, Trace, call_text, changed_fields, load, rebuild, replay, to_json
from tests import relay
from tests.behaviours import run
from tests.relay import LOSS, MODEL, STEPS, Mood, NodeId, Relay, keeper_name_head

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
    path = tmp_path / "loss.json"
    path.write_text(json.dumps(to_json(loss)))
    return path


def name_head_again(relay: Relay, node_id: NodeId) -> bool:
    """As `keeper_name_head`, so that two calls lead to the same state."""
    return keeper_name_head(relay, node_id)


def relay_with(*, actions=(), **definition) -> Model:
    """The relay with other actions or bounds, and nothing to check."""
    actions = actions or [each.function for each in MODEL.actions]
    return Model(name="relay", state=Relay, actions=actions, **({"bounds": MODEL.bounds} | definition))


@pytest.fixture
def edited(tmp_path):
    """The relay after somebody edited its code."""

    def edit(old: str, new: str) -> Model:
        source = Path(relay.__file__).read_text()
        assert source.count(old) == 1
        (tmp_path / "edited_relay.py").write_text(source.replace(old, new))
        return find_model(str(tmp_path / "edited_relay.py"))

    return edit


def test_first_step_is_the_initial_state_without_an_action(loss):
    first = to_json(loss)["trace"][0]
    assert first["action"] is None and first["parameters"] == {}
    assert len(to_json(loss)["trace"]) == len(LOSS) + 1


def test_json_says_what_the_trace_belongs_to(loss):
    data = to_json(loss)
    assert data["model"] == "relay" and data["bounds"] == MODEL.bounds and data["rules"] is None
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


def test_a_saved_trace_is_loaded_as_it_was(saved, loss):
    assert load(MODEL, saved) == loss


# Loading: every mistake is one error that names the file, what is wrong, and what to do.


def damaged(path, change):
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))
    return path


def set_in_step(number, **values):
    return lambda data: data["trace"][number].update(values)


DAMAGES = {
    "another program's JSON": (lambda d: d.pop("format"), "not a trace"),
    "another version": (lambda d: d.update(version=99), "version 99 .* reads version 1"),
    "another model": (lambda d: d.update(model="die_hard"), "trace of the model 'die_hard', not of 'relay'"),
    "other bounds": (lambda d: d["bounds"].update(size=3), r"size is 3 there and 2 here\); .* --set size=3"),
    "unknown bounds": (lambda d: d["bounds"].update(depth=3), "depth is 3 there and missing here"),
    "bounds of another type": (lambda d: d.update(bounds=7), "its bounds are 7"),
    "unknown property": (lambda d: d.update(property="no_such"), "relay has no property 'no_such'"),
    "property of another type": (lambda d: d.update(property=[1]), "has no property"),
    "no bounds": (lambda d: d.pop("bounds"), "lacks bounds"),
    "no steps": (lambda d: d.update(trace=[]), "at least one step"),
    "steps of another type": (lambda d: d.update(trace={"a": 1}), "at least one step"),
    "a step of another type": (lambda d: d["trace"].append(7), "step 7 is 7"),
    "a step without a state": (lambda d: d["trace"][1].pop("state"), "step 2 is"),
    "an action first": (set_in_step(0, action="node_add"), "expected no action"),
    "no action later": (set_in_step(1, action=None), "step 2 has the action null"),
    "an unknown action": (set_in_step(1, action="node_fly"), "step 2: relay has no action 'node_fly'"),
    "an action of another type": (set_in_step(1, action=5), "step 2 has the action 5; expected the name"),
    "parameters of another type": (set_in_step(1, parameters=[0]), r"step 2: its parameters are \[0\]"),
    "an unknown parameter": (set_in_step(1, parameters={"who": 0}), r"\(who\); expected \(node_id\)"),
    "a parameter out of range": (set_in_step(1, parameters={"node_id": 9}), "node_id is 9, which it cannot be"),
    "a parameter of another type": (set_in_step(1, parameters={"node_id": "x"}), "step 2: node_id: 'x' is not"),
    "a state of another shape": (set_in_step(1, state={"nodes": []}), "step 2: state: expected the fields"),
    "a value out of range": (lambda d: d["trace"][2]["state"]["keeper"].update(turn=9), "step 3: .*turn: 9"),
    "a missing element": (lambda d: d["trace"][2]["state"]["nodes"].pop(), "step 3: .*expected a list of 2"),
}


@pytest.mark.parametrize(("change", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_trace_is_refused(saved, change, expected):
    with pytest.raises(UsageError, match=expected) as caught:
        load(MODEL, damaged(saved, change))
    assert str(saved) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.77, 0.9, 0.999])
def test_a_trace_that_is_cut_short_is_refused_as_such(saved, part):
    text = saved.read_text()
    saved.write_text(text[: int(len(text) * part)])
    with pytest.raises(UsageError, match="cut short"):
        load(MODEL, saved)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"hello", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b"[1, 2]", "not a trace"),
        (b"\xff\xfe\x00", "not text"),
        (b'{"a":' * 100_000, "not JSON|cut short"),
    ],
    ids=["empty", "words", "quotes", "list", "bytes", "deep"],
)
def test_a_file_that_is_no_trace_is_refused(tmp_path, content, expected):
    path = tmp_path / "other.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=expected):
        load(MODEL, path)


def test_a_file_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"cannot read .*no such file"):
        load(MODEL, tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot read"):
        load(MODEL, tmp_path)


# Replaying.


def test_a_trace_replays_on_the_code_that_made_it(loss):
    outcome = replay(MODEL, loss)
    assert outcome.applies and outcome.violated_step == 5 and outcome.trace == loss


def test_a_replay_stops_where_an_action_is_no_longer_enabled(saved, edited):
    model = edited("if value == 0:", "if value != 1:")
    outcome = replay(model, load(model, saved))
    assert (outcome.failed_step, outcome.reason) == (3, "its action is not enabled")
    assert len(outcome.trace.steps) == 3 and outcome.violated_step is None and not outcome.applies


def test_a_replay_stops_where_edited_code_leads_to_another_state(saved, edited):
    model = edited("relay.dirty = True", "relay.dirty = False")
    outcome = replay(model, load(model, saved))
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
    with pytest.raises(EvaluationError, match=r"no action leads to state 2 .*mood: CALM -> BUSY"):
        rebuild(MODEL, [chain[0], chain[2]])


# For other tools.


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


# Files appear whole or not at all.


def test_a_file_is_written_whole(tmp_path):
    atomic_write(tmp_path / "a.txt", "ä\n")
    atomic_write(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new" and len(list(tmp_path.iterdir())) == 1


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    atomic_write(tmp_path / "a.txt", "old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UsageError, match=r"cannot write .*a\.txt: no space left on device; name a place"):
        atomic_write(tmp_path / "a.txt", "new")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="not an ordinary file"):
        atomic_write(tmp_path, "x")
    with pytest.raises(UsageError, match="cannot write"):
        atomic_write(tmp_path / "no" / "a.txt", "x")
    with pytest.raises(UsageError, match="a file of that name"):
        make_folder(tmp_path / "file")
    with pytest.raises(UsageError, match="cannot make the folder"):
        make_folder(tmp_path / "file" / "below")
