"""Traces in files: what is read, what is refused, and the bounds and rules that a model takes from them."""

import json
from typing import NamedTuple

import pytest

from kafkacheck.checker.model.settings import rules_of, settings_text
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.traces.saved import Saved, UnknownCall, as_saved, load, read
from kafkacheck.checker.traces.trace import Trace, to_json
from tests.support.behaviours import run
from tests.support.command import write
from tests.support.relay import LOSS, MODEL, Mood, NodeId, Relay, keeper_name_head, relay_with


@pytest.fixture
def loss() -> Trace:
    return run(MODEL, LOSS, "settled_items_kept")


@pytest.fixture
def saved(tmp_path, loss):
    return write(tmp_path / "loss.json", json.dumps(to_json(loss)))


def load_as_saved(path) -> tuple[Trace, UnknownCall | None]:
    saved = read(path)
    return load(as_saved(MODEL, saved, ()), saved)


def test_a_saved_trace_is_loaded_as_it_was(saved, loss):
    assert load(MODEL, saved) == (loss, None)
    assert isinstance(read(saved), Saved) and read(saved).property == loss.property


def test_a_trace_without_a_property_ends_in_a_deadlock(saved):
    trace, _ = load_as_saved(damaged(saved, lambda data: data.update(property=None)))
    assert trace.is_deadlock


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
    "a model of another type": (lambda d: d.update(model=7), "has model = 7; expected the name"),
    "unknown bounds": (lambda d: d["bounds"].update(nodez=3), "bound nodez=3, which relay no longer has: .*did you"),
    "bounds that are missing": (lambda d: d["bounds"].pop("size"), "before relay had the bound size; .*--set size=2"),
    "a bound out of range": (lambda d: d["bounds"].update(size=-3), "size=-3.*can no longer have"),
    "a bound of another type": (lambda d: d["bounds"].update(size=True), "bounds with size = true, which is none"),
    "rules of another type": (lambda d: d.update(rules=[1]), r"has rules = \[1\]"),
    "a rule of another type": (lambda d: d.update(rules={"mode": 0.5}), "rules with mode = 0.5, which is none"),
    "unknown rules": (lambda d: d.update(rules={"mode": "FAST"}), "rule mode=FAST, which relay no longer has"),
    "bounds of another type": (lambda d: d.update(bounds=7), "has bounds = 7"),
    "a property that is a number": (lambda d: d.update(property=5), "has property = 5; expected the name"),
    "a property that is a flag": (lambda d: d.update(property=False), "has property = false; expected the name"),
    "unknown property": (lambda d: d.update(property="no_such"), "relay has no property 'no_such'"),
    "property of another type": (lambda d: d.update(property=[1]), r"has property = \[1\]"),
    "no bounds": (lambda d: d.pop("bounds"), "lacks bounds"),
    "no steps": (lambda d: d.update(trace=[]), "at least one step"),
    "steps of another type": (lambda d: d.update(trace={"a": 1}), "at least one step"),
    "a step of another type": (lambda d: d["trace"].__setitem__(5, 7), "step 6 is 7"),
    "a step that was cut off": (lambda d: d["trace"].pop(), "saved with 6 states and has 5: steps were cut off"),
    "a step without a state": (lambda d: d["trace"][1].pop("state"), "step 2 is"),
    "an action first": (set_in_step(0, action="node_add"), "expected no action"),
    "no action later": (set_in_step(1, action=None), "step 2 has the action null"),
    "an action of another type": (set_in_step(1, action=5), "step 2 has the action 5; expected the name"),
    "parameters of another type": (set_in_step(1, parameters=[0]), r"step 2: its parameters are \[0\]"),
    "a state of another shape": (set_in_step(1, state={"nodes": []}), "step 2: state: expected the fields"),
    "a value out of range": (lambda d: d["trace"][2]["state"]["keeper"].update(turn=9), "step 3: .*turn: 9"),
    "a missing element": (lambda d: d["trace"][2]["state"]["nodes"].pop(), "step 3: .*expected a list of 2"),
}


@pytest.mark.parametrize(("change", "expected"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_trace_is_refused(saved, change, expected):
    with pytest.raises(UsageError, match=expected) as caught:
        load_as_saved(damaged(saved, change))
    assert str(saved) in str(caught.value) and "\n" not in str(caught.value)


def test_a_trace_of_before_does_not_say_how_long_it_is(saved, loss):
    damaged(saved, lambda data: data.pop("states"))
    assert load(MODEL, saved) == (loss, None)


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


UNKNOWN_CALLS = {
    "an unknown action": (set_in_step(1, action="node_fly"), "node_fly(node_id=0)", "relay has no action 'node_fly'"),
    "an unknown parameter": (set_in_step(1, parameters={"who": 0}), "(who=0)", "the parameters (node_id), not (who)"),
    "a value out of range": (set_in_step(1, parameters={"node_id": 9}), "(node_id=9)", "node_id is 9, which it cannot"),
    "a value of another type": (set_in_step(1, parameters={"node_id": "x"}), "(node_id=x)", 'node_id: "x" is not'),
}


@pytest.mark.parametrize(("change", "call", "reason"), UNKNOWN_CALLS.values(), ids=UNKNOWN_CALLS)
def test_a_trace_is_loaded_up_to_a_call_that_the_model_lacks(saved, loss, change, call, reason):
    trace, unknown = load_as_saved(damaged(saved, change))
    assert trace.steps == loss.steps[:1] and unknown is not None
    assert call in unknown.text and reason in unknown.reason


# Bounds and rules.


class Rules(NamedTuple):
    """How a node adds."""

    mood: Mood
    eager: bool


def node_add_by_rules(relay: Relay, rules: Rules, node_id: NodeId) -> bool:
    """Name a head while the rules let it."""
    return rules.eager and rules.mood == Mood.BUSY and keeper_name_head(relay, node_id)


RULED = relay_with(actions=[node_add_by_rules], rules=Rules(Mood.CALM, False))


def test_a_model_takes_the_bounds_and_rules_of_the_trace_and_then_those_given(tmp_path):
    other = RULED.with_rules({"mood": "BUSY", "eager": True}).with_bounds({"values": 1})
    path = write(tmp_path / "ruled.json", json.dumps(to_json(run(other, ()))))
    saved = read(path)
    assert settings_text(as_saved(RULED, saved, ())) == settings_text(other) == saved.settings()
    given = as_saved(RULED, saved, ["eager=off", "values=2"])
    assert (given.bounds["values"], rules_of(given)) == (2, {"mood": "BUSY", "eager": False})


def test_a_rule_that_no_longer_has_the_saved_value_can_be_given(tmp_path):
    data = to_json(run(RULED, ()))
    path = write(tmp_path / "ruled.json", json.dumps(data | {"rules": {"mood": "BUZY", "eager": True}}))
    with pytest.raises(UsageError, match=r"mood=BUZY.*did you mean BUSY\?.*--set"):
        as_saved(RULED, read(path), ())
    assert "mood=CALM eager=True" in settings_text(as_saved(RULED, read(path), ["mood=CALM"]))


def test_bounds_that_do_not_fit_the_saved_states_are_named(saved):
    model = as_saved(MODEL, read(saved), ["size=3"])
    with pytest.raises(UsageError, match=r"step 1: .*saved with size=2: leave out --set size"):
        load(model, read(saved))
