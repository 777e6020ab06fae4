"""Whole records and arrays: clear, copy and comparison do in each reading what they do in Python."""

import pytest

from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema import clear, copy
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.witness import explain
from tests.support.bodies import agree_on, fail_alike, model_of, model_text
from tests.support.snippets import load

BODIES = [
    "clear(state.kinds)\nreturn leave(state, n)",
    "if state.f:\n    clear(state.cells[place])\nreturn leave(state, n)",
    "for cell in state.cells:\n    if cell.up:\n        clear(cell)\nreturn leave(state, n)",
    "copy(state.copied, state.kinds)\nreturn leave(state, n)",
    "copy(state.cells[place], state.others[2 - place])\nreturn leave(state, n)",
    "copy(state.cells[place], state.cells[state.n % 3])\nreturn leave(state, n)",
    "copy(state.cells, state.others)\nreturn leave(state, n)",
    "copy(state.kinds.table[place % 2], state.copied.table[1])\nreturn leave(state, n)",
    "copy(state.kinds.table, state.copied.table)\nreturn leave(state, n)",
    "copy(state.kinds.cells[0].row, state.cells[2].row)\nreturn leave(state, n)",
    "cell = cells[place]\ncopy(cell, state.others[0])\ncell.x = 1\nreturn leave(state, n + state.others[0].x)",
    "for one, other in zip(state.cells, state.others):\n    copy(one, other)\nreturn leave(state, 1)",
    "return leave(state, 1 if state.kinds == state.copied else 2)",
    "return leave(state, 1 if state.kinds != state.copied and state.cells == state.others else 2)",
    "return leave(state, sum(1 for one in state.cells for other in state.others if one == other))",
    "return leave(state, sum(i for i, x in enumerate(state.cells) if x.row != state.others[place].row))",
    "return leave(state, int(state.cells[n % 2].row == state.kinds.table[0]))",
    "if state.cells[place] == state.cells[0]:\n    return False\nreturn leave(state, 1)",
    "copy(state.copied, state.kinds)\nclear(state.kinds)\nreturn leave(state, int(state.copied == state.kinds))",
]


@pytest.mark.slow
def test_every_reading_does_what_python_does(tmp_path):
    agree_on(tmp_path, *BODIES)


@pytest.mark.parametrize(
    "body",
    [
        "clear(state.cells[n + place + 1])\nreturn leave(state, 1)",
        "copy(state.cells[place], state.cells[n + 1])\nreturn leave(state, 1)",
        "copy(state.cells[n + 1], state.cells[place])\nreturn leave(state, 1)",
        "return leave(state, int(state.cells[n + 1] == state.cells[0]))",
    ],
)
def test_every_reading_fails_where_python_does(body, tmp_path):
    fail_alike(tmp_path, body)


def test_clear_makes_a_record_what_it_is_in_the_blank_state(tmp_path):
    model = model_of(tmp_path, BODIES[0])
    for state in model.initial_states():
        clear(state)
        assert model.layout.flatten(state) == model.layout.blank_values


def test_a_copy_shares_nothing_with_what_it_was_copied_from(tmp_path):
    model = model_of(tmp_path, BODIES[0])
    [*_, state] = model.initial_states()
    other = model.layout.blank()
    copy(other, state)
    assert other == state
    before = model.layout.flatten(other)
    state.kinds.cells[0].row[1] += 1
    state.kinds.table[1][0] += 1
    assert model.layout.flatten(other) == before and other != state


def test_what_is_written_is_known(tmp_path):
    written = [each.read.written for each in model_of(tmp_path, *BODIES[:1], *BODIES[4:5], BODIES[9]).actions]
    own = {("State", "n"), ("State", "f")}
    kinds = {
        ("Kinds", name) for name in ("who", "other", "epoch", "offset", "debt", "mode", "members", "flags", "table")
    }
    cells = {("Cell", name) for name in ("x", "up", "row")}
    assert written == [own | kinds | cells, own | cells, own | {("Cell", "row")}]


PROPERTY = """
def property(state: State) -> bool:
    \"\"\"It holds.\"\"\"
    return state.kinds == state.copied or state.cells == state.others


MODEL = Model(name="snippet", state=State, rules=Rules(), initial=start, actions=[act_0], always=[property])
"""


def test_a_witness_names_the_field_in_which_records_differ(tmp_path):
    text = model_text(BODIES[0]).partition("MODEL =")[0]
    model = load(tmp_path, text + PROPERTY).MODEL
    result = check(model, "interpreted")
    assert result.trace is not None
    operands = dict(explain(result.trace).operands)
    assert operands == {
        "state.kinds.flags[4]": 1,
        "state.copied.flags[4]": 0,
        "state.cells[1].x": 1,
        "state.others[1].x": 2,
    }


BOUNDS = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ByPosition, Count, Struct, clear


class Part(Struct):
    rows: Annotated[Array["Row"], ByPosition(2)]


class Row(Struct):
    x: Annotated[int, KIND]


class State(Struct):
    done: bool
    part: Part


def act(state: State) -> bool:
    if state.done:
        return False
    clear(state.part)  # here
    state.done = True
    return True
"""


@pytest.mark.parametrize("kind", ["Count('most', '-most')", "Allowance('most')", "Allowance(2)"])
def test_a_record_whose_blank_value_only_a_bound_knows_is_not_cleared(kind, tmp_path):
    module = load(tmp_path, BOUNDS.replace("KIND", kind))
    bounds = {"most": 2} if "most" in kind else {}
    with pytest.raises(
        ModelError,
        match=r"clear\(\) does not know the blank value of Part.rows\[...\].x .* write the fields of this record",
    ):
        Model(name="m", state=module.State, bounds=bounds, actions=[module.act])
