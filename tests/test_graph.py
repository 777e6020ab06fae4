"""The picture of a whole state graph."""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import networkx
import pytest

from checker import svg
from checker.errors import EvaluationError, UsageError
from checker.graph import MOST_STATES, graph_dot, state_graph, write_graph
from checker.model import Model
from checker.schema import Count, Struct
from tests import relay
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


def test_a_graph_that_cannot_be_read_is_refused_with_a_hint():
    with pytest.raises(UsageError, match=rf"more than {MOST_STATES} states, .*--set most=998"):
        write_graph(counter(bounds={"most": 999}, actions=[count_by_one]), Path("none.svg"))
    with pytest.raises(UsageError, match="check a smaller model"):
        state_graph(die_hard.MODEL, most_states=15)
    assert not Path("none.svg").exists()


def count_by_one(counter: Counter) -> bool:
    """Add one, up to a number that is too large for a picture."""
    if counter.value == 999:
        return False
    counter.value += 1
    return True


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
