"""any(...), all(...) and sum(...) over generators, enumerate(...) and zip(...): each reading does what Python does."""

import random

import pytest

from checker.language import ir, removal
from checker.machine.kernel import kernel_text
from checker.model import Model
from checker.mutants.substitution import mutants, switched, switches_of
from checker.result import Limits, Verdict
from checker.search import check
from checker.witness import explain
from tests import random_states, readings
from tests.snippets import load
from tests.test_symbolic import FAILED, outcome, read_symbolically

MODULE = '''"""A snippet."""

from typing import Annotated, NamedTuple

from checker.model import Model
from checker.schema import Array, ById, ByPosition, Count, Flag, IdSet, Struct, contains

LIMIT = 2
Small = Annotated[int, Count(3)]


class Rules(NamedTuple):
    """Switches."""

    on: bool = True
    off: bool = False
    step: int = 1


class Cell(Struct):
    """A record."""

    x: Small
    up: bool
    row: Annotated[Array[Small], ByPosition(2)]


class State(Struct):
    """Everything."""

    n: Small
    f: bool
    ids: Annotated[int, IdSet(3)]
    cells: Annotated[Array[Cell], ById(3)]
    others: Annotated[Array[Cell], ById(3)]
    row: Annotated[Array[Small], ByPosition(3)]
    flags: Annotated[Array[bool], ByPosition(3)]


def is_high(cell: Cell, limit: int) -> bool:
    """A helper."""
    return cell.x > limit or any(x > limit for x in cell.row)


def leave(state: State, value: int) -> bool:
    """Bring a number into range and keep it."""
    state.n = abs(value) % 4
    state.f = not state.f
    return True


def act(state: State, rules: Rules, place: Annotated[int, Count(2)]) -> bool:
    """The action."""
BODY


MODEL = Model(name="snippet", state=State, rules=Rules(), actions=[act])
'''

TRUTHS = [
    "any(cell.up for cell in state.cells)",
    "all(cell.up for cell in state.cells)",
    "not any(cell.up for cell in state.cells if cell.x > place)",
    "all(cell.up for cell in state.cells if cell.x > place and not cell.up if rules.on)",
    "any(x == place for x in state.row)",
    "all(flag for flag in state.flags)",
    "any(i * i > state.n for i in range(place, state.n))",
    "all(state.row[i] > 0 for i in range(2, -1, -1))",
    "any(state.row[i] > 2 for i in range(4))",
    "any(contains(state.ids, i) and cell.up for i, cell in enumerate(state.cells))",
    "all(one.x <= other.x for one, other in zip(state.cells, state.others))",
    "any(i == x + other.x for i, (x, other) in enumerate(zip(state.row, state.others)))",
    "any(x > y for cell in state.cells for x in cell.row for y in state.row)",
    "any(x == y for cell in state.cells if cell.up for i, x in enumerate(cell.row) if i < place for y in state.row)",
    "any(all(x <= y for y in state.row) for x in state.row)",
    "all(is_high(cell, place) for cell in state.cells)",
    "state.f and any(cell.up for cell in state.cells) or all(state.row[i] == place for i in range(state.n))",
    "any(rules.off for cell in state.cells) or all(rules.on for cell in state.cells)",
    "any(True for cell in state.cells if cell.up) != all(False for cell in state.others if cell.up)",
    "any(cell.up for cell in state.cells if rules.off and state.row[7] == 1)",
    "any(12 // x == place for x in state.row)",
    "all(cell.up for cell in cells)",
    "any(LIMIT == x for x in state.row)",
    "any(LIMIT.up for LIMIT in state.cells)",
    "any(n.up for n in state.cells) and n > 1",
    "(any if LIMIT == 2 else all)(state.f for x in state.row)",
]
TRUTHS.pop()  # a function is called by its name

NUMBERS = [
    "sum(cell.x for cell in state.cells)",
    "sum(1 for cell in state.cells if cell.up)",
    "2 * sum(i * x for i, x in enumerate(state.row) if i >= place) - state.n",
    "sum(x * y for x, y in zip(state.row, state.row))",
    "sum(sum(cell.row[i] for cell in state.cells) for i in range(2))",
    "sum(cell.row[i] - x for i in range(2) for cell in state.cells for x in state.row if x > i)",
    "sum(i for i in range(rules.step, state.n + 5, 2))",
    "max(sum(x for x in state.row), sum(1 for i in range(place)))",
    "sum(1 if any(x > 1 for x in cell.row) else cell.x for cell in state.cells)",
    "sum(0 for x in state.row if 1 // x == place)",
    "sum(state.row[i] for i in range(n + 1))",
]

LOOPS = [
    "for i, x in enumerate(state.row):\n    n += i * x",
    "for cell, other in zip(state.cells, state.others):\n    if cell.up:\n        n += other.x",
    "for i, (cell, x) in enumerate(zip(state.others, state.row)):\n    n += cell.x * i + x",
    "for one, two, three in zip(state.row, state.cells, state.row):\n    n += one * two.x - three",
    "for i, x in enumerate(state.row):\n    i += x\n    n += i\n    state.row[2] = x",
    "for cell, x in zip(cells, state.row):\n    cell.x = x\n    cells = state.others\n    n += cells[1].x",
    "for i, x in enumerate(state.row):\n    for y in state.row:\n        n += sum(i * z for z in state.row if z < y)",
    "for i in range(3):\n    if any(x == i for x in state.row):\n        n += i\n        state.row[i] = 1",
]

BODIES = [
    *(f"return leave(state, 1 if {each} else 2)" for each in TRUTHS),
    *(f"return leave(state, {each})" for each in NUMBERS),
    *(f"{each}\nreturn leave(state, n)" for each in LOOPS),
    "if not any(x == place for x in state.row):\n    return False\nreturn leave(state, 1)",
    "found = any(x == place for x in state.row)\nfor x in state.row:\n    n += x\nreturn leave(state, n + int(found))",
    "state.row[sum(x for x in state.row) % 3] += 1 if all(x < 3 for x in state.row) else 0\nreturn leave(state, n)",
]


def model_of(body, tmp_path):
    lines = ["n = state.n", "cells = state.cells", *body.splitlines()]
    return load(tmp_path, MODULE.replace("BODY", "\n".join(f"    {line}" for line in lines))).MODEL


def compiled_code(model):
    """What machine code, and Python, find from some states."""
    limits = Limits(max_states=200)
    return readings.interpreted(model, limits), readings.compiled(model, limits)


def agree(model):
    """The action does the same in plain Python, in machine code and as formulas."""
    plain, native = compiled_code(model)
    assert native[:4] == plain[:4]
    assert plain.verdict is Verdict.EVALUATION_FAILED or native == plain
    action = model.actions[0]
    drawn = random_states.anywhere(model, 60, 1)
    rng = random.Random(1)
    parameters = [tuple(rng.choice(each.values) for each in action.parameters) for _ in drawn]
    fault, enabled, rows = read_symbolically(model, action, drawn, parameters)
    for number, values in enumerate(drawn):
        wanted = outcome(action, model, values, parameters[number])
        assert bool(fault[number]) == (wanted == FAILED), values
        if wanted != FAILED:
            assert (bool(enabled[number]), tuple(rows[number])) == wanted, values


@pytest.mark.parametrize("body", BODIES)
def test_the_readings_agree(body, tmp_path):
    agree(model_of(body, tmp_path))
