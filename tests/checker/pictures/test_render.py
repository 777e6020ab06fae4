"""Counterexamples as text and pictures, drawn by the system's `dot`, by the wheel, and where there is neither."""

import json
import re
import shutil
import stat
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from kafkacheck.checker import search
from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.drawing import ExtraLane
from kafkacheck.checker.model import Model
from kafkacheck.checker.pictures import svg
from kafkacheck.checker.pictures.chain import chain_dot
from kafkacheck.checker.pictures.lanes import Story
from kafkacheck.checker.pictures.lanes_picture import lanes_svg
from kafkacheck.checker.pictures.render import replay_text, stem_of, trace_text, write_files
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.traces.replay import ReplayOutcome, replay
from kafkacheck.checker.traces.trace import Trace, ending_of
from kafkacheck.checker.traces.witness import explain, find_witness
from kafkacheck.impl.quorum.rules import RestartRule
from kafkacheck.model.replication.drawing import REPLICATION_LANES
from tests.support import relay
from tests.support.behaviours import run
from tests.support.relay import LANES, LOSS, MODEL, STEPS
from tests.support.snippets import load

# The shortest counterexample of kip101, as calls.
KIP101_LOSS = (
    ("controller_elect_leader", {"new_leader_id": 0}),
    ("controller_elect_leader", {"new_leader_id": 1}),
    ("controller_elect_leader", {"new_leader_id": 0}),
    ("become_leader", {"leader_epoch": 0}),
    ("become_follower", {"follower_id": 1, "leader_epoch": 0}),
    ("leader_write", {"leader_id": 0, "record_id": 0}),
    ("follower_replicate", {"follower_id": 1}),
    ("leader_inc_high_watermark", {"leader_id": 0}),
    ("become_leader", {"leader_epoch": 1}),
    ("leader_write", {"leader_id": 1, "record_id": 1}),
    ("become_follower", {"follower_id": 1, "leader_epoch": 2}),
)
# The shortest counterexample of KAFKA-10661, as calls.
KAFKA_10661 = (
    ("voter_stands_for_election", {"voter_id": 0, "epoch": 1}),
    ("voter_stands_for_election", {"voter_id": 1, "epoch": 1}),
    ("voter_receives_vote_request", {"voter_id": 2, "candidate_id": 0}),
    ("candidate_becomes_leader", {"candidate_id": 0}),
    ("voter_receives_record", {"voter_id": 2, "leader_id": 0}),
    ("voter_crashes", {"voter_id": 0, "end_offset": 0, "record_id": 1}),
    ("voter_receives_vote_request", {"voter_id": 0, "candidate_id": 1}),
    ("candidate_becomes_leader", {"candidate_id": 1}),
)
DROP = (
    ("keeper_name_head", {"node_id": 0}),
    ("node_add", {"node_id": 0, "value": 1}),
    ("node_settle", {"node_id": 0}),
    ("keeper_name_head", {"node_id": 1}),
    ("node_copy", {"node_id": 0}),
)
WHEEL = Path(sys.executable).with_name(svg.WHEEL_PROGRAM)
DRAWERS = {"the system's dot": shutil.which("dot"), "the wheel": str(WHEEL)}


@pytest.fixture
def loss() -> Trace:
    return run(MODEL, LOSS, "settled_items_kept")


@pytest.fixture(params=DRAWERS.values(), ids=DRAWERS)
def drawer(request, monkeypatch):
    """Each program that draws DOT, alone."""
    if request.param is None:
        pytest.skip("this machine has no dot")
    monkeypatch.setattr(svg, "programs", lambda: [request.param])


def words_of(picture: str | bytes) -> list[str]:
    """The texts of an SVG, in order of drawing."""
    root = ElementTree.fromstring(picture)
    return ["".join(node.itertext()).replace("\xa0", " ") for node in root.iter("{http://www.w3.org/2000/svg}text")]


def drawn(dot: str) -> list[str]:
    picture = svg.draw(dot)
    assert picture.svg is not None, picture.note
    return words_of(picture.svg)


# The witness.


def test_the_witness_is_where_the_property_returned_false(loss):
    witness = explain(loss)
    assert witness.name == "settled_items_kept" and witness.sentence == "Every settled item is on the named head."
    assert dict(witness.values) == {"node_id": 0, "position": 0, "place": 0}
    assert (witness.condition, witness.outcome) == ("place >= node.length", True)
    assert dict(witness.operands) == {"place": 0, "node.length": 0}
    line = int(re.fullmatch(r"(?:.*/)?tests/support/relay\.py:(\d+)", witness.place)[1])
    source = Path(relay.__file__).read_text().splitlines()
    assert source[line - 1].strip() == "return False" and "place >= node.length" in source[line - 2]
    assert witness.text == (
        "first witness: node_id=0 position=0 place=0, where `place >= node.length` is true: place = 0, node.length = 0 "
        f"({witness.place})"
    )


def test_the_witness_of_a_returned_expression_is_that_expression(loss):
    calls = (*LOSS, ("node_add", {"node_id": 1, "value": 2}))
    witness = explain(run(MODEL, calls, "settled_items_kept"))
    assert witness.condition == "node.items[place].value == other.items[place].value"
    assert witness.outcome is False
    assert dict(witness.operands) == {"node.items[place].value": 2, "other.items[place].value": 1}


def test_the_witness_of_a_step_has_both_states():
    witness = explain(run(STEPS, DROP, "settled_never_falls"))
    assert dict(witness.values) == {"node_id": 0, "settled": 1}
    assert witness.condition == "after.nodes[node_id].settled < settled"
    assert dict(witness.operands) == {"after.nodes[node_id].settled": 0, "settled": 1}


PROPERTIES = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *

LEAST = 1


class Pair(Struct):
    a: Annotated[int, Count(3)]
    b: Annotated[int, Count(3)]
    f: bool


def rise(pair: Pair) -> bool:
    if pair.a == 2:
        return False
    pair.a += 1
    return True


def is_low(pair: Pair, limit: int) -> bool:
    return pair.a < limit


def is_high(pair: Pair) -> bool:
    return pair.a > LEAST


def holds(pair: Pair) -> bool:
    BODY
"""
BODIES = {
    "return pair.b == 0 and pair.a < 2 and not pair.f": ("pair.a < 2", False, {"pair.a": 2}),
    "return pair.a < 2 or pair.f": ("pair.a < 2 or pair.f", False, {"pair.a": 2, "pair.f": False}),
    "return not (pair.a > LEAST or pair.f)": ("pair.a > LEAST", True, {"pair.a": 2, "LEAST": 1}),
    "return not is_high(pair)": ("is_high(pair)", True, {}),
    "return is_low(pair, 2)": ("pair.a < limit", False, {"pair.a": 2, "limit": 2}),
    "return pair.b == 0 and is_low(pair, 1 + 1)": ("pair.a < limit", False, {"pair.a": 2, "limit": 2}),
    "if pair.a < 2:\n        return True\n    else:\n        return False": ("pair.a < 2", False, {"pair.a": 2}),
    "if pair.a < 2:\n        return True\n    elif pair.b == 0:\n        return False\n    return True": (
        "pair.b == 0",
        True,
        {"pair.b": 0},
    ),
    "for i in range(3):\n        if i > pair.a:\n            return True\n    return False": ("", None, {}),
    "x = pair.a\n    if x == 2:\n        x = 0\n        return False\n    return True": ("x == 2", True, {}),
    "if contains(pair.a, 1):\n        return False\n    return True": ("contains(pair.a, 1)", True, {"pair.a": 2}),
    "return min(pair.a, 5) != 2": ("min(pair.a, 5) != 2", False, {"min(pair.a, 5)": 2, "pair.a": 2}),
}


@pytest.mark.parametrize("body", BODIES)
def test_the_witness_says_what_was_true_or_false_and_with_which_values(body, tmp_path):
    module = load(tmp_path, PROPERTIES.replace("BODY", body))
    model = Model(name="pair", state=module.Pair, actions=[module.rise], always=[module.holds])
    trace = search.check(model, "interpreted").trace
    witness = explain(trace)

    assert (witness.condition, witness.outcome, dict(witness.operands)) == BODIES[body]
    assert (f"where `{witness.condition}` is {str(witness.outcome).lower()}" in witness.text) == bool(witness.condition)
    written = json.loads(write_files(trace, tmp_path).files[0].read_text())
    assert written["witness"] == witness.to_json() and written["witness"]["text"] == witness.text


SETS = """
from typing import Annotated

from kafkacheck.checker.schema import Ids, IdSet, Struct


class Pair(Struct):
    a: Annotated[Ids, IdSet("members")]
    b: Annotated[Ids, IdSet("members")]


def put(pair: Pair) -> bool:
    if 0 in pair.a:
        return False
    pair.a |= {0}
    return True


def holds(pair: Pair) -> bool:
    return CONDITION
"""


@pytest.mark.parametrize("condition", ["pair.a <= pair.b", "pair.a == pair.b", "pair.b >= pair.a"])
def test_the_witness_of_compared_sets_is_the_comparison(condition, tmp_path):
    module = load(tmp_path, SETS.replace("CONDITION", condition))
    model = Model(
        name="pair", state=module.Pair, bounds={"members": 1}, actions=[module.put], always=[module.holds],
        check_deadlock=False,
    )  # fmt: skip
    witness = explain(search.check(model, "interpreted").trace)
    assert (witness.condition, witness.outcome) == (condition, False)
    assert {name: str(value) for name, value in witness.operands} == {"pair.a": "{0}", "pair.b": "{}"}


def test_a_property_that_holds_has_no_witness(loss):
    assert explain(replace(loss, steps=loss.steps[:-1])) is None
    assert explain(replace(loss, property=None)) is None
    assert find_witness(STEPS.properties[0], loss.steps[0].state, loss.steps[1].state) is None


def test_looking_for_a_witness_changes_nothing(loss):
    def tracer(*_):
        return None

    before = loss.steps[-1].state.copy()
    sys.settrace(tracer)
    try:
        explain(loss)
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(None)
    assert loss.steps[-1].state == before


# Text.


def test_the_text_has_numbered_calls_with_what_changed_and_the_witness(loss):
    lines = trace_text(loss).splitlines()
    assert [line for line in lines if line[:1].isdigit()] == [
        "1  initial state",
        "2  keeper_name_head(node_id=0)",
        "3  node_add(node_id=0, value=1)",
        "4  node_add(node_id=0, value=2)",
        "5  node_settle(node_id=0)",
        "6  keeper_name_head(node_id=1)",
    ]
    after = lines.index("5  node_settle(node_id=0)")
    assert lines[after + 1].strip() == "nodes[0].settled: 0 -> 1" and lines[after + 2].startswith("6")
    assert lines[-2] == "settled_items_kept is violated in state 6: Every settled item is on the named head."
    assert lines[-1].strip().startswith("first witness: node_id=0 position=0")


def test_the_text_names_the_step_that_violates_a_property_of_steps():
    assert "is violated in the step from state 5 to state 6: No node" in trace_text(
        run(STEPS, DROP, "settled_never_falls")
    )


def test_the_text_of_a_behaviour_without_a_property_ends_with_its_last_step(loss):
    assert trace_text(replace(loss, property=None)).splitlines()[-1].strip() == "keeper.named: {0} -> {0, 1}"


def test_the_text_of_a_replay_says_how_it_ended(loss):
    assert "settled_items_kept is violated in state 6" in replay_text(replay(MODEL, loss))
    shorter = replace(loss, steps=loss.steps[:3])
    assert replay_text(replay(MODEL, shorter)).endswith(
        "every step still applies, and settled_items_kept is not violated"
    )
    free = replace(shorter, property=None)
    assert replay_text(replay(MODEL, free)).endswith("every step still applies, and some action is enabled in state 3")
    gone = ReplayOutcome(shorter, 3, "node_fly(node_id=0)", "it is not enabled")
    assert replay_text(gone).endswith("step 4 no longer applies: node_fly(node_id=0): it is not enabled")


def test_a_deadlock_is_said_in_the_text_and_shown_in_both_pictures(loss):
    stuck = replace(loss, property=None, is_deadlock=True)
    assert trace_text(stuck).splitlines()[-1] == "no action is enabled in state 6"
    for dot in (chain_dot(stuck, None), lanes_svg(stuck, LANES, None)):
        assert dot.count("no action is enabled in state 6") == 1 and "#c62828" in dot
    assert "relay: deadlock" in lanes_svg(stuck, LANES, None)


@pytest.mark.parametrize(
    ("changes", "ending"),
    [({}, "settled_items_kept"), ({"property": None, "is_deadlock": True}, "deadlock"), ({"property": None}, "trace")],
)
def test_files_are_named_by_what_was_found(loss, tmp_path, changes, ending):
    trace = replace(loss, **changes)
    assert ending_of(trace) == ending.removeprefix("trace")
    assert {path.name.split(".")[0] for path in write_files(trace, tmp_path).files} == {f"relay-{ending}"}


def test_nothing_is_written_where_a_picture_is_interrupted(loss, tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(svg, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(loss, tmp_path)
    assert list(tmp_path.iterdir()) == []


# Files.


def test_every_file_is_written_and_every_picture_drawn(loss, tmp_path, drawer):
    written = write_files(loss, tmp_path / "new" / "folder")
    assert [path.name.removeprefix("relay-settled_items_kept") for path in written.files] == [
        ".json", ".itf.json", ".lanes.svg", ".states.svg", ".states.dot"
    ]  # fmt: skip
    assert written.notes == () and sorted((tmp_path / "new" / "folder").iterdir()) == sorted(written.files)
    for path in written.files:
        if path.suffix == ".svg":
            assert any("settled_items_kept" in line for line in words_of(path.read_bytes()))


def test_a_model_without_a_drawing_gets_the_chain_of_states(tmp_path):
    trace = run(STEPS, DROP, "settled_never_falls")
    names = [path.name for path in write_files(trace, tmp_path).files]
    assert [name for name in names if "lanes" in name] == [] and "relay_steps-settled_never_falls.states.svg" in names


@pytest.mark.parametrize("name", ["é" * 300, "../odd name", "a" * 300])
def test_names_of_files_are_safe_and_not_too_long(loss, name):
    stem = stem_of(replace(loss, property=name))
    assert Path(stem).name == stem and len(f"{stem}.lanes.svg".encode()) < 255


def test_the_same_trace_gives_the_same_picture(loss):
    witness = explain(loss)
    assert lanes_svg(loss, LANES, witness) == lanes_svg(run(MODEL, LOSS, "settled_items_kept"), LANES, witness)


def test_a_folder_that_cannot_be_used_is_refused(loss, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="a file of that name is there"):
        write_files(loss, tmp_path / "file")


# Programs that draw.


def test_the_wheel_is_found_beside_the_interpreter_without_any_path(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [Path(program).name for program in svg.programs()] == [svg.WHEEL_PROGRAM]


def test_the_systems_dot_comes_first(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho '<svg>mine</svg>'\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert svg.draw("digraph {}").svg == b"<svg>mine</svg>\n"


def test_a_program_that_fails_is_passed_over(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\necho 'no svg here' >&2\nexit 1\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(svg, "programs", lambda: [str(program), str(tmp_path / "missing"), str(WHEEL)])
    assert svg.draw("digraph { a }").svg is not None
    monkeypatch.setattr(svg, "programs", lambda: [str(program), str(tmp_path / "missing")])
    note = svg.draw("digraph { a }").note
    assert "no svg here" in note and "missing does not start" in note and "install" in note


def test_a_program_that_does_not_end_is_given_up(monkeypatch, tmp_path):
    program = tmp_path / "dot"
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(svg, "programs", lambda: [str(program)])
    monkeypatch.setattr(svg, "MOST_SECONDS", 0.2)
    assert "took more than 0.2 seconds" in svg.draw("digraph { a }").note


def test_without_any_program_the_dot_is_there_and_a_note_says_what_to_install(loss, tmp_path, monkeypatch):
    monkeypatch.setattr(svg, "programs", list)
    (tmp_path / "relay-settled_items_kept.states.svg").write_text("a picture of another trace")
    written = write_files(loss, tmp_path)
    assert [path.suffix for path in written.files] == [".json", ".json", ".svg", ".dot"]
    assert sorted(tmp_path.iterdir()) == sorted(written.files)
    (note,) = written.notes
    assert "no Graphviz was found" in note and "apt-get install graphviz" in note and "graphviz-pure" in note


# What the pictures show.


def test_the_lanes_show_who_did_what_and_what_was_lost(drawer):
    trace = run(MODEL, DROP, None)
    words = words_of(lanes_svg(trace, LANES, None))
    assert [word for word in ("keeper", "node 0", "node 1") if word in words] == ["keeper", "node 0", "node 1"]
    assert "names node 0, turn 0" in words and "adds v1" in words and "settles 0" in words
    assert "head in turn 0" in words and "drops v1 (settled on node 0)" in words and "x" in words
    assert 'v1 & <v2>: "items"' in words


def test_the_lanes_end_with_the_witness_and_mark_its_place(loss, drawer):
    witness = explain(loss)
    words = words_of(lanes_svg(loss, LANES, witness))
    assert "state 6 violates settled_items_kept" in words and "relay violates settled_items_kept" in words
    assert witness.text in " ".join(word.strip() for word in words)
    assert any(word.strip() == "Here it does not for: node 0, position 0." for word in words)


def test_the_items_of_a_lane_tell_new_kept_removed_and_shaded():
    story = Story(run(MODEL, DROP), LANES)
    node = story.lanes[1]
    assert [lane.title for lane in story.lanes] == ["keeper", "node 0", "node 1"]
    assert [(item.text, item.is_new, item.is_shaded) for item in story.items(node, 2)] == [("v1", True, False)]
    assert [(item.text, item.is_new, item.is_shaded) for item in story.items(node, 3)] == [("v1", False, True)]
    (removed,) = story.items(node, 5)
    assert removed.is_removed and removed.shaded_on == ("node 0",)
    assert story.cut(5) == "drops v1 (settled on node 0)" and story.cut(4) == ""
    assert story.band(node, 0) is None and story.band(node, 1) == ("head in turn 0", 0)
    assert [lane.title for lane in story.ends(5)] == ["node 1", "node 0"] and story.ends(0) == []


def test_an_extra_lane_may_own_an_array():
    lanes = replace(LANES, extra=(ExtraLane("all", "nodes", "settled {nodes[0].settled}, {nodes[1].settled}"),))
    story = Story(run(MODEL, DROP), lanes)
    all_nodes, *nodes = story.lanes
    steps = range(1, len(story.trace.steps))
    changed = [step for step in steps if any(story.is_changed(node, step) for node in nodes)]
    assert changed and [step for step in steps if story.is_changed(all_nodes, step)] == changed


def test_the_chain_highlights_what_a_step_changed(loss, drawer):
    dot = chain_dot(loss, explain(loss))
    words = drawn(dot)
    assert "0 \N{RIGHTWARDS ARROW} 1" in words and "CALM \N{RIGHTWARDS ARROW} BUSY" in words
    assert "keeper_name_head(node_id=1)" in [word.strip() for word in words]
    assert [word for word in words if word.startswith("state ")] == [f"state {number}" for number in range(1, 7)]
    assert "violates settled_items_kept" in words


def test_the_kip101_loss_can_be_read_from_the_lanes(drawer):
    model = find_model("kip101")
    trace = run(model, KIP101_LOSS, "weak_isr")
    words = words_of(lanes_svg(trace, REPLICATION_LANES, explain(trace)))
    for expected in (
        "replication.kip101 violates weak_isr",
        *("controller", "broker 0", "broker 1"),
        *("elects broker 0, epoch 0", "leads, epoch 0", "leads, epoch 1"),
        *("writes r0", "fetch from offset 0", "r0 e0", "r1 e1"),
        "truncates away r0 e0 (committed on broker 0), r1 e1",
        "state 12 violates weak_isr",
        "Here it does not for: broker 0, broker 1.",
    ):
        assert expected in [word.strip() for word in words], expected
    assert "is committed" in " ".join(words)


@pytest.mark.parametrize("leader_id", [0, 2])
def test_the_leader_of_the_quorum_has_a_band_and_nobody_else(leader_id):
    """A flag holds the band, which is no lane's index."""
    model = find_model("metadata_quorum")
    elected = ("voter_is_elected", {"candidate_id": leader_id, "supporters": 0b010 | 1 << leader_id, "epoch": 1})
    story = Story(run(model, [elected]), model.drawing)
    assert [story.band(lane, 0) for lane in story.lanes] == [None] * 3
    bands = {lane.title: story.band(lane, 1) for lane in story.lanes if story.band(lane, 1)}
    assert bands == {f"voter {leader_id}": ("leads, epoch 1", 1)}


def test_votes_a_restart_and_what_it_loses_can_be_read_from_the_lanes_of_the_quorum(drawer):
    model = find_model("metadata_quorum.restarts").with_rules({"leader_restarts_as": RestartRule.UNATTACHED})
    trace = run(model, KAFKA_10661, "quorum_records_are_unique")
    words = [word.strip() for word in words_of(lanes_svg(trace, model.drawing, explain(trace)))]
    for expected in (
        *("voter 0", "voter 1", "voter 2", "stands in epoch 1", "leads, epoch 1", "r0 e1", "r1 e1"),
        *("loses power, keeps 0 records", "loses r0 e1", "resigned false  observer false"),
        "Here it does not for: voter 1, voter 2, offset 0.",
    ):
        assert expected in words, expected


def test_pictures_say_which_call_made_the_first_state(loss):
    started = replace(loss, steps=(replace(loss.steps[0], start="start_low(node_id=1)"), *loss.steps[1:]))
    assert "state 1: start_low(node_id=1)" in chain_dot(started, None)
    assert any("start_low(node_id=1)" in words for words in words_of(lanes_svg(started, LANES, None)))
    assert trace_text(started).startswith("1  initial state: start_low(node_id=1)\n")
