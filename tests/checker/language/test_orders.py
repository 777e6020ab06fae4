"""Every reading evaluates in one order, that of plain Python (see `checker.language.ir`).

Each statement below gives another state where a reading evaluates its parts in another order, keeps a state that has
been replaced, or evaluates what Python does not. From many states it is run as Python, as terms and as machine code.
"""

import pytest

from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from tests.support import readings
from tests.support.snippets import load
from tests.support.terms_as_run import FAILED, outcome, read_symbolically

PROGRAM = '''
"""A statement and helpers that write."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct, clear, copy


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
    """It writes to an array."""
    state.row[0] = 3 - state.row[0]
    return by


def start(state: State, n: Annotated[int, Count(1)], f: bool, up: bool, a: bool, b: bool, c: bool, d: bool) -> None:
    """Many states."""
    state.n = n
    state.f = f
    state.cells[0].up = up
    state.row[0] = int(a) * 2
    state.row[1] = int(b) * 2
    state.cells[0].x = int(c) * 2
    state.cells[1].x = int(d) * 2
    state.cells[0].row[1] = 1
    state.cells[1].row[0] = 2
'''

ACTION = '''

def go_{number}(state: State) -> bool:
    """One statement, once."""
    if state.done:
        return False
    state.done = True
{lines}
    return True
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
    "a loop whose start and stop write": "for i in range(flip(state), 1 + flip(state)):\n    state.row[i] = 2",
    "a loop that counts down to a call": "for i in range(1, flip(state) - 1, -1):\n    state.row[i] = 2 + state.n",
    "a loop that moves what it counts to": "for i in range(state.n + 1):\n    state.row[flip(state)] = i + 2",
    "a loop that binds its counter": "for i in range(3):\n    i = i + flip(state)\n    state.row[i % 2] = i",
    "a loop over cells that it writes": "for cell in state.cells:\n    cell.x = flip(state)\n    state.row[0] = cell.x",
    "a loop over scalars that it writes": "for x in state.row:\n    state.row[1] = flip(state)\n    state.row[0] = x",
    "a loop over a row behind a call": "for x in state.cells[flip(state)].row:\n    state.row[state.n] = x",
    "a store in a branch that returns": "if state.f:\n    state.row[pick(state)] = 3\n    return True\nflip(state)",
    "`+=` with a call": "state.row[1] = 0\nstate.row[1] += flip(state) + state.n",
    "`+=` of what the call writes": "state.row[0] -= min(state.row[0], shift(state, 0))",
    "`+=` behind a view": "cell = state.cells[flip(state)]\ncell.x = 1\ncell.x += flip(state)",
    "`+=` on a name": "x = state.n\nx += flip(state) + state.n\nstate.row[0] = x",
    "what fails in a part that is left out": "state.f = state.n == 1 and 1 // state.n == 1",
    "what fails in a chain that is left out": "state.f = 1 <= state.n < 1 + 1 // state.n",
    "what fails behind a return in a branch of a branch": "if state.f:\n    if state.n == 1:\n"
    "        return True\nstate.row[state.n + int(state.f)] = 3",
    "any() that ends early": "state.f = any(1 // (1 - i) >= state.n for i in range(2))",
    "all() that ends early": "state.f = all(1 // (1 - i) < state.n for i in range(2) if i + 1 // (1 - i) > 0)",
    "any() between writes": "state.row[0] = flip(state) + int(any(x == state.n for x in state.row)) + flip(state)",
    "all() left out": "state.f = state.n == 1 and all(1 // state.n == 1 for x in state.row) and turn(state)",
    "sum() between writes": "state.row[0] = min(3, sum(x + state.n for x in state.row) + shift(state, 0) + "
    "sum(state.row[0] for i in range(state.n)))",
    "sum() of rows": "state.row[0] = min(3, sum(x * y for cell in state.cells for x, y in zip(cell.row, state.row)))",
    "a row of any() behind an index": "flip(state)\nstate.f = any(x == 2 for x in state.cells[state.n].row)",
    "a name that any() binds": "x = flip(state)\nstate.f = any(x > 1 for x in state.row)\nstate.row[0] = x",
    "enumerate() that binds its counter": "for i, x in enumerate(state.row):\n    i = i + flip(state)\n"
    "    state.row[1] = min(3, x + i)",
    "enumerate() of a row behind a call": "for i, x in enumerate(state.cells[flip(state)].row):\n"
    "    state.row[state.n] = min(3, x + i)",
    "zip() of rows behind calls": "for x, y in zip(state.cells[flip(state)].row, state.cells[flip(state)].row):\n"
    "    state.row[state.n] = min(3, x + 2 * y)",
    "zip() of scalars that it writes": "for x, y in zip(state.row, state.cells[pick(state)].row):\n"
    "    state.row[1] = flip(state)\n    state.cells[0].row[1] = x\n    state.cells[1].row[1] = y",
    "copy() of places behind calls": "copy(state.cells[flip(state)], state.cells[flip(state)])\nstate.row[state.n] = 3",
    "copy() into a place that may be the same": "copy(state.cells[pick(state)], state.cells[state.n])",
    "copy() of a view that is written": "row = state.row\n"
    "state.row[flip(state)] = 1\ncopy(state.cells[state.n].row, row)",
    "clear() behind a call": "cell = state.cells[state.n]\nclear(state.cells[flip(state)])\ncell.row[1] = cell.x + 1",
    "a comparison behind calls": "state.f = state.cells[flip(state)] == state.cells[flip(state)]",
    "a comparison between writes": "state.f = turn(state) or state.cells[0] != state.cells[pick(state)] or turn(state)",
    "a comparison of rows behind a call": "state.f = state.cells[flip(state)].row == state.cells[state.n].row",
    "a shift to the right that is wide": "state.row[0] = 3 >> (state.n * 70)",
}
FAILING = {
    "an index outside, after a write": "state.row[flip(state) + 1] = 3",
    "a copy from outside, after a write": "copy(state.cells[0], state.cells[flip(state) + 1])",
    "a comparison with one outside, after a write": "state.f = state.cells[flip(state) + 1] == state.cells[0]",
    "an all() that fails after a true one": "state.f = all(1 // (1 - i) == 1 for i in range(2))",
    "an any() over a row outside, after a write": "flip(state)\n"
    "state.f = any(x == 1 for x in state.cells[state.n + 1].row)",
    "a division by 0, after a write": "state.row[0] = 1 // flip(state)",
    "a shift to the right by less than nothing": "state.row[0] = 3 >> (0 - state.n)",
}


def model_of(tmp_path, statements):
    actions = [
        ACTION.format(number=number, lines="\n".join(f"    {line}" for line in lines.splitlines()))
        for number, lines in enumerate(statements)
    ]
    names = ", ".join(f"go_{number}" for number in range(len(actions)))
    ending = f"\n\nMODEL = Model(name='orders', state=State, initial=start, actions=[{names}])\n"
    return load(tmp_path, PROGRAM + "".join(actions) + ending).MODEL


def drawn(model):
    return [model.layout.flatten(state) for state in model.initial_states()]


def test_the_symbolic_reading_has_the_order_of_python(tmp_path):
    statements = STATEMENTS | FAILING
    model = model_of(tmp_path, statements.values())
    states = drawn(model)
    for name, action in zip(statements, model.actions, strict=True):
        fault, enabled, rows = read_symbolically(model, action, states, [()] * len(states))
        for number, values in enumerate(states):
            wanted = outcome(action, model, values, ())
            assert bool(fault[number]) == (wanted == FAILED), (name, values)
            if wanted != FAILED:
                assert (bool(enabled[number]), tuple(rows[number])) == wanted, (name, values)


def test_machine_code_has_the_order_of_python(tmp_path):
    model = model_of(tmp_path, STATEMENTS.values())
    plain = InterpretedSearch(model, Watch(Limits()))
    native = CompiledSearch(model, readings.entries_of(model), Watch(Limits()))
    assert plain.run() is None and native.run() is None
    rows = [tuple(map(int, row)) for row in model.layout.unpack(native._space.store[: native.counts.distinct])]
    handed = plain.snapshot()
    assert rows == handed.states
    for number, values in enumerate(rows):
        assert native.chain(number) == plain.chain(number), values


@pytest.mark.parametrize("lines", FAILING.values(), ids=FAILING)
def test_what_fails_in_python_fails_in_machine_code(lines, tmp_path):
    model = model_of(tmp_path, [lines])
    plain = readings.interpreted(model)
    assert plain.verdict is Verdict.EVALUATION_FAILED and "error in kafkacheck" not in plain.reason
    assert readings.compiled(model)[:4] == plain[:4]
