"""The picture of a whole state graph."""

import itertools
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Annotated

import networkx
import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.pictures import svg
from kafkacheck.checker.pictures.graph import (
    MOST_STATES,
    TooManyStatesError,
    graph_dot,
    smaller,
    state_graph,
    write_graph,
)
from kafkacheck.checker.process.errors import EvaluationError, UsageError
from kafkacheck.checker.schema import Count, Struct
from tests.support import relay
from tests.toys import die_hard, hanoi

WHEEL = Path(sys.executable).with_name(svg.WHEEL_PROGRAM)


class Counter(Struct):
    """A number."""

    value: Annotated[int, Count("most")]


Amount = Annotated[int, Count(2, lowest=1)]


def count_up(counter: Counter, amount: Amount) -> bool:
    """Add an amount."""
    if counter.value + amount > 4:
        return False
    counter.value += amount
    return True


def start_again(counter: Counter) -> bool:
    """From 4 back to 0."""
    if counter.value != 4:
        return False
    counter.value = 0
    return True


def overflow(counter: Counter) -> bool:
    """Leave the range."""
    counter.value += 1
    return True


def start_low(counter: Counter, amount: Amount) -> bool:
    """One or two."""
    counter.value = amount - 1
    return True


def is_not_three(counter: Counter) -> bool:
    """The value is never 3."""
    return counter.value != 3


def is_small(counter: Counter) -> bool:
    """The value is below 3."""
    return counter.value < 3


def never_falls(before: Counter, after: Counter) -> bool:
    """The value only grows."""
    return before.value <= after.value


def counter(**definition) -> Model:
    """A counter from 0 to 4."""
    definition = {"bounds": {"most": 4}, "actions": [count_up, start_again]} | definition
    return Model(name="counter", state=Counter, **definition)


def test_every_state_is_there_with_its_level():
    graph = state_graph(counter())
    assert {data["values"][0]: data["level"] for _, data in graph.nodes(data=True)} == {0: 1, 1: 2, 2: 2, 3: 3, 4: 3}
    assert sorted(data["label"] for _, _, data in graph.edges(data=True)) == sorted(
        [f"count_up(amount={amount})" for amount in (1, 1, 1, 1, 2, 2, 2)] + ["start_again()"]
    )


def test_the_graph_has_the_known_number_of_states_and_levels():
    graph = state_graph(die_hard.MODEL)
    assert len(graph) == 16 and max(level for _, level in graph.nodes(data="level")) == 8
    assert networkx.is_strongly_connected(state_graph(hanoi.MODEL)) and len(state_graph(hanoi.MODEL)) == 27


def test_violations_are_marked():
    model = counter(always=[is_not_three, never_falls])
    graph = state_graph(model)
    assert [data["values"] for _, data in graph.nodes(data=True) if data["violates"]] == [(3,)]
    assert [data["label"] for *_, data in graph.edges(data=True) if data["violates"]] == ["start_again()"]
    dot = graph_dot(model, graph)
    assert "violates is_not_three" in dot and "start_again(): violates never_falls" in dot


def test_states_outside_the_constraint_are_not_explored():
    model = counter(constraint=is_small)
    graph = state_graph(model)
    kept = {data["values"][0]: data["is_kept"] for _, data in graph.nodes(data=True)}
    assert kept == {0: True, 1: True, 2: True, 3: False, 4: False}
    assert "outside the constraint" in graph_dot(model, graph) and "dashed" in graph_dot(model, graph)


def test_all_initial_states_stand_on_the_first_level():
    graph = state_graph(counter(initial=start_low))
    assert [data["values"][0] for _, data in graph.nodes(data=True) if data["level"] == 1] == [0, 1]
    assert graph_dot(counter(), graph).count("rank=min") == 1


def test_large_states_are_described_by_what_is_different(tmp_path):
    model = relay.MODEL.with_bounds({"values": 1, "size": 1})
    graph = state_graph(model, most_states=2000)
    dot = graph_dot(model, graph)
    assert "as 1, but" in dot and "keeper.head = 0" in dot


@pytest.mark.slow
def test_a_graph_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(TooManyStatesError, match=f"more than {MOST_STATES} states"):
        write_graph(counter(bounds={"most": 999}, actions=[count_by_one]), tmp_path / "none.svg")
    with pytest.raises(TooManyStatesError, match="more than 15 states"):
        state_graph(die_hard.MODEL, most_states=15)
    assert list(tmp_path.iterdir()) == []


def count_by_one(counter: Counter, limit: Annotated[int, Count("most")]) -> bool:
    """Add one, up to the largest limit."""
    if counter.value >= limit:
        return False
    counter.value += 1
    return True


@pytest.mark.slow
def test_smaller_bounds_are_found_and_give_a_graph_that_can_be_read():
    small = smaller(counter(bounds={"most": 300}, actions=[count_by_one]))
    assert small is not None and 50 < len(state_graph(small)) <= MOST_STATES
    assert smaller(hanoi.MODEL.with_bounds({"discs": 5})) is not None


def test_a_model_that_no_smaller_bounds_make_small_has_no_advice():
    assert smaller(counter(bounds={"most": 999}, actions=[overflow])) is None
    assert smaller(die_hard.MODEL) is None


def boxes_of_words(picture: bytes) -> list[tuple[str, float, float, float, float]]:
    """The words of an SVG with where they begin and end, in a font whose letters are 0.6 of its size wide."""
    found = []
    for node in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text"):
        words, size = "".join(node.itertext()).replace("\xa0", " ").strip(), float(node.get("font-size"))
        width, x, y = 0.6 * size * len(words), float(node.get("x")), float(node.get("y"))
        left = x - {"start": 0, "middle": width / 2, "end": width}[node.get("text-anchor", "start")]
        found.append((words, left, left + width, y - 0.7 * size, y + 0.1 * size))
    return found


@pytest.mark.parametrize("program", [shutil.which("dot"), str(WHEEL)], ids=["the system's dot", "the wheel"])
@pytest.mark.parametrize("model", [die_hard.MODEL, hanoi.MODEL], ids=lambda model: model.name)
def test_no_words_lie_on_other_words(monkeypatch, program, model):
    if program is None:
        pytest.skip("this machine has no dot")
    monkeypatch.setattr(svg, "programs", lambda: [program])
    drawn = svg.draw(graph_dot(model, state_graph(model))).svg
    for one, other in itertools.combinations(boxes_of_words(drawn), 2):
        apart = one[2] <= other[1] or other[2] <= one[1] or one[4] <= other[3] or other[4] <= one[3]
        assert apart, (one, other)


def test_steps_to_and_fro_within_a_level_share_an_arrow():
    dot = graph_dot(hanoi.MODEL, state_graph(hanoi.MODEL))
    (line,) = (line for line in dot.splitlines() if "2 -> 3 " in line)
    assert "to 3: move" in line and "to 2: move" in line and "dir=both" in line
    assert "\t3 -> 2 " not in dot


def test_an_interrupted_drawing_leaves_no_file(tmp_path, monkeypatch):
    def interrupted(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(svg, "draw", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_graph(counter(), tmp_path / "graph.svg")
    assert list(tmp_path.iterdir()) == []


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"end its name in \.svg or \.dot"):
        write_graph(counter(), tmp_path / "graph.png")
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_fails_is_an_evaluation_error(tmp_path):
    with pytest.raises(EvaluationError, match="outside its range"):
        write_graph(counter(actions=[overflow]), tmp_path / "graph.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("program", [shutil.which("dot"), str(WHEEL)], ids=["the system's dot", "the wheel"])
def test_the_graph_is_drawn(tmp_path, monkeypatch, program):
    if program is None:
        pytest.skip("this machine has no dot")
    monkeypatch.setattr(svg, "programs", lambda: [program])
    written = write_graph(counter(always=[is_not_three]), tmp_path / "graph.svg")
    assert [path.name for path in written.files] == ["graph.svg", "graph.dot"] and written.notes == ()
    picture = written.files[0].read_text()
    assert "violates is_not_three" in picture and "counter: 5 states in 3 levels, 8 steps" in picture


def test_dot_alone_needs_no_program(tmp_path, monkeypatch):
    monkeypatch.setattr(svg, "programs", list)
    assert [path.name for path in write_graph(counter(), tmp_path / "graph.dot").files] == ["graph.dot"]
    written = write_graph(counter(), tmp_path / "graph.svg")
    assert [path.name for path in written.files] == ["graph.dot"] and "install" in written.notes[0]
