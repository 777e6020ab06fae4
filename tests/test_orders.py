"""Every reading evaluates in one order, that of plain Python (see `checker.language.ir`).

Each statement below gives another state where a reading evaluates its parts in another order, keeps a state that has
been replaced, or evaluates what Python does not. From every state it is run as Python, symbolically and as machine code.
"""

import itertools

import numpy as np
import pytest

from checker import symbolic
from checker.proofs import bmc
from checker.prove import Outcome, Settings, prove
from tests import readings
from tests.snippets import load
from tests.test_symbolic import FAILED, outcome, read_symbolically

PROGRAM = '''
"""A statement and helpers that write."""

from typing import Annotated

from checker.model import Model
from checker.schema import Array, ByPosition, Count, Struct


class Cell(Struct):
    """Two scalars and an array."""

    x: Annotated[int, Count(3)]
    up: bool
    row: Annotated[Array[Annotated[int, Count(3)]], ByPosition(2)]


class State(Struct):
    """Few states, in which a lost or early write shows."""

    done: bool
    n: Annotated[int, Count(1)]
    f: bool
    row: Annotated[Array[Annotated[int, Count(3)]], ByPosition(2)]
    cells: Annotated[Array[Cell], ByPosition(2)]


def flip(state: State) -> int:
    """It writes, and returns what was there before."""
    before = state.n
    state.n = 1 - state.n
    return before


def turn(state: State) -> bool:
    """It writes, returns in two places, and says what is there now."""
    if state.f:
        state.f = False
        return False
    state.f = True
    return True


def pick(state: State) -> int:
    """It only reads."""
    return 1 if state.f else 0


def shift(state: State, by: int) -> int:
    """It writes to the arrays."""
    state.row[0], state.cells[0].x = 0, 0
    return by
'''.replace("state.row[0], state.cells[0].x = 0, 0", "state.row[0] = 3 - state.row[0]")

ENDING = '''

def go(state: State) -> bool:
    """One statement, once."""
    if state.done:
        return False
    state.done = True
{lines}
    return True


{starts}


def unchanged(state: State) -> bool:
    """Where the statement has done nothing, or it was not run."""
    return {unchanged}


MODEL = Model(name="orders", state=State, actions=[go], always=[unchanged])
'''

STATEMENTS = {
    "an index that is a call": "state.row[pick(state)] = 3",
    "an index that is a flag": "state.row[int(state.f)] = 3",
    "an index that is a conditional": "state.row[1 if state.f else 0] = 3",
    "an index that writes": "state.row[flip(state)] = state.n + 2",
    "an index that writes, and its value": "state.row[flip(state)] = flip(state) + 2",
    "an index with `and`": "state.row[int(state.f and turn(state))] = 3",
    "a base whose index writes": "state.cells[flip(state)].x = state.n + 2",
    "a base and an index that write": "state.cells[flip(state)].row[flip(state)] = state.n + 2",
    "a flag behind an index that writes": "state.cells[flip(state)].up = turn(state)",
    "an index that is read through a call": "state.row[state.cells[pick(state)].x % 2] = 3",
    "a sum whose right side writes": "state.row[0] = state.n + flip(state) + state.n",
    "a sum whose left side writes": "state.row[0] = flip(state) + state.n",
    "a product of calls": "state.row[0] = (1 + flip(state)) * (1 + flip(state)) % 4",
    "min of calls": "state.row[0] = min(flip(state) + 1, state.n, flip(state))",
    "abs of a call": "state.row[0] = abs(flip(state) - 1) + state.n",
    "an element whose index writes": "state.row[0] = state.cells[flip(state)].row[state.n]",
    "an element that is written while it is read": "state.row[1] = state.row[0] * 0 + state.row[shift(state, 0)]",
    "an element read before a write to it": "state.row[1] = min(state.row[0], 3 + shift(state, 0))",
    "a chain that ends early": "state.f = 1 <= state.n < 1 + flip(state)",
    "a chain whose middle writes": "state.f = 0 <= flip(state) < state.n",
    "a chain of calls": "state.f = flip(state) < 1 <= flip(state) <= flip(state)",
    "a chain of flags": "state.f = state.f == turn(state) != turn(state) == turn(state)",
    "`and` that ends early": "state.cells[0].up = state.n == 1 and flip(state) == 1 and state.n == 0",
    "`or` that ends early": "state.cells[0].up = state.n == 1 or turn(state) or flip(state) == 1",
    "`and` in `or`": "state.cells[0].up = (turn(state) and flip(state) == 0) or (turn(state) and state.n == 0)",
    "a conditional with writes": "state.row[0] = flip(state) + 1 if turn(state) else state.n",
    "a condition that writes": "if turn(state) and flip(state) == 1:\n    state.row[0] = state.n + 2",
    "arguments that write": "state.row[0] = shift(state, flip(state) * 2) - shift(state, state.n - 1) % 2",
    "a name bound before a write": "before = state.n\nflip(state)\nstate.row[before] = 2 + state.n",
    "a view whose index is written later": "cell = state.cells[state.n]\nflip(state)\ncell.x = state.n + 2",
    "a view bound by a call": "cell = state.cells[flip(state)]\ncell.row[state.n] = 3",
    "a view bound again": "cell = state.cells[0]\nif turn(state):\n    cell = state.cells[flip(state)]\ncell.x = 3",
    "a loop whose start and stop write": "for i in range(flip(state), 1 + flip(state)):\n    state.row[i % 2] = state.n",
    "a loop that counts down to a call": "for i in range(1, flip(state) - 1, -1):\n    state.row[i] = 2 + state.n",
    "a loop that moves what it counts to": "for i in range(state.n + 1):\n    state.row[flip(state)] = i + 2",
    "a loop that binds its counter": "for i in range(3):\n    i = i + flip(state)\n    state.row[i % 2] = i",
    "a loop over cells that it writes": "for cell in state.cells:\n    cell.x = flip(state) + 2\n    state.row[0] = cell.x",
    "a loop over scalars that it writes": "for x in state.row:\n    state.row[1] = flip(state)\n    state.cells[0].x = x",
    "a loop over a row behind a call": "for x in state.cells[flip(state)].row:\n    state.row[state.n] = x",
    "a store in a branch that returns": "if state.f:\n    state.row[pick(state)] = flip(state)\n    return True\nflip(state)",
    "`+=` with a call": "state.row[1] = 0\nstate.row[1] += flip(state) + state.n",
    "`+=` of what the call writes": "state.row[0] -= min(state.row[0], shift(state, 0))",
    "`+=` behind a view": "cell = state.cells[flip(state)]\ncell.x = 1\ncell.x += flip(state)",
    "`+=` on a name": "x = state.n\nx += flip(state) + state.n\nstate.row[0] = x",
    "an index outside, after a write": "state.row[flip(state) + 1] = 3",
    "a division by 0, after a write": "state.row[0] = 1 // flip(state)",
    "what fails in a part that is left out": "state.f = state.n == 0 and 1 // state.n == 1",
    "what fails in a chain that is left out": "state.f = 1 <= state.n < 1 + 1 // state.n",
    "a shift to the right that is wide": "state.row[0] = 3 >> (state.n * 70)",
    "a shift to the right by less than nothing": "state.row[0] = 3 >> (0 - state.n)",
}


def model_of(tmp_path, lines):
    body = "\n".join(f"    {line}" for line in lines.splitlines())
    return load(tmp_path, PROGRAM + ENDING.format(lines=body, starts="", unchanged="True")).MODEL


def well_typed(model):
    """All states before the statement; what has no part in most statements has one or two values."""
    few = {"done": (0,), "cells[0].row[1]": (1,), "cells[1].up": (0,), "cells[1].row[0]": (2,)}
    few |= {path: (0, 2) for path in ("row[0]", "row[1]", "cells[0].x", "cells[1].x", "cells[0].row[0]")}
    few |= {"cells[1].row[1]": (1,)}
    ranges = [few.get(leaf.path, range(leaf.low, leaf.high + 1)) for leaf in model.layout.leaves]
    return list(itertools.product(*ranges))


@pytest.mark.parametrize("lines", STATEMENTS.values(), ids=STATEMENTS)
def test_the_symbolic_reading_has_the_order_of_python(lines, tmp_path):
    model = model_of(tmp_path, lines)
    drawn = well_typed(model)
    fault, enabled, rows = read_symbolically(model, model.actions[0], drawn, [()] * len(drawn))
    for number, values in enumerate(drawn):
        wanted = outcome(model.actions[0], model, values, ())
        assert bool(fault[number]) == (wanted == FAILED), values
        if wanted != FAILED:
            assert (bool(enabled[number]), tuple(rows[number])) == wanted, values
