"""Models made of the bodies of their actions, and whether every reading does with them what Python does."""

import random

from kafkacheck.checker.exploration.verdict import Limits, Verdict
from tests.programs import random_states
from tests.support import readings
from tests.support.snippets import load
from tests.support.terms_as_run import FAILED, outcome, read_symbolically

MODULE = '''"""A snippet."""

from enum import IntEnum
from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, AtMost, Bag, ById, ByPosition, Count, Epoch, Id, Ids, IdSet, Offset
from kafkacheck.checker.schema import Queue, Struct, add, clear, contains, copy, is_full, remove

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


class Mode(IntEnum):
    """An enum that does not begin at 0."""

    ON = 2
    OFF = 3


class Kinds(Struct):
    """Each kind of field."""

    who: Annotated[int, Id(3, none=-1)]
    other: Annotated[int, Id(3)]
    epoch: Annotated[int, Epoch(2, none=-1)]
    offset: Annotated[int, Offset(2)]
    debt: Annotated[int, Count(2, -3)]
    mode: Mode
    members: Annotated[int, IdSet(3)]
    flags: Annotated[Array[bool], ByPosition(20)]
    cells: Annotated[Array[Cell], ById(2)]
    table: Annotated[Array[Annotated[Array[Small], ByPosition(2)]], ByPosition(2)]


class Request(Struct):
    """What queues and bags hold."""

    to: Annotated[int, Id(3, none=-1)]
    up: bool
    ids: Annotated[Ids, IdSet(3)]
    row: Annotated[Array[Small], ByPosition(2)]


class State(Struct):
    """Everything."""

    n: Small
    f: bool
    kinds: Kinds
    copied: Kinds
    ids: Annotated[int, IdSet(3)]
    cells: Annotated[Array[Cell], ById(3)]
    others: Annotated[Array[Cell], ById(3)]
    row: Annotated[Array[Small], ByPosition(3)]
    flags: Annotated[Array[bool], ByPosition(3)]
    isr: Annotated[Ids, IdSet(3)]
    others_isr: Annotated[Array[Annotated[Ids, IdSet(3)]], ById(2)]
    queue: Annotated[Queue[Request], AtMost(2)]
    bag: Annotated[Bag[Request], AtMost(3)]
    last: Request


NOBODY = Ids()


def is_high(cell: Cell, limit: int) -> bool:
    """A helper."""
    return cell.x > limit or any(x > limit for x in cell.row)


def without(isr: Ids, member: int) -> Ids:
    """A helper that takes and returns an id set."""
    if isr == {member}:
        return isr
    return isr - {member}


def leave(state: State, value: int) -> bool:
    """Bring a number into range and keep it."""
    state.n = abs(value) % 4
    state.f = not state.f
    return True


def start(state: State, seed: Annotated[int, Count(40)]) -> None:
    """Many states."""
    state.n = seed % 3
    state.f = seed % 5 < 2
    state.ids = seed % 7
    state.isr = Ids(range(seed % 4)) - {seed // 4 % 3}
    state.others_isr[0] = Ids({seed % 3})
    state.others_isr[1] = Ids({seed % 3, seed // 3 % 3})
    scatter_kinds(state.kinds, seed)
    for i in range(seed % 3):
        add(state.queue, Request(to=i, up=seed % 2 == 0))
    for i in range(seed % 4):
        add(state.bag, Request(to=(seed * 5 + i * 7) % 3, up=seed % 5 < 3, row=state.cells[0].row))
    copy(state.last, Request(to=seed % 3, ids=Ids({seed % 3})))
    for i in range(3):
        state.row[i] = (seed * 7 + i * 5) // 3 % 4
        state.flags[i] = (seed + i) % 5 > 0
        scatter(state.cells[i], seed + 11 * i)
        scatter(state.others[i], seed * 3 + 5 * i)


def scatter_kinds(kinds: Kinds, seed: int) -> None:
    """Each kind of field for a number."""
    kinds.who = seed % 4 - 1
    kinds.other = seed % 3
    kinds.epoch = seed // 3 % 4 - 1
    kinds.offset = seed // 7 % 3
    kinds.debt = seed % 6 - 3
    kinds.mode = Mode.OFF if seed % 2 == 1 else Mode.ON
    kinds.members = seed % 8
    for i in range(20):
        kinds.flags[i] = (seed + i) % 7 > 3
    for i in range(2):
        scatter(kinds.cells[i], seed + i)
        kinds.table[1][i] = (seed + i) % 3


def scatter(cell: Cell, seed: int) -> None:
    """A record for a number."""
    cell.x = seed // 2 % 4
    cell.up = seed % 3 > 0
    cell.row[0] = seed % 4
    cell.row[1] = seed // 5 % 4


ACTIONS


MODEL = Model(name="snippet", state=State, rules=Rules(), initial=start, actions=[NAMES])
'''


def model_of(tmp_path, *bodies):
    """A model whose actions have these bodies."""
    return load(tmp_path, model_text(*bodies)).MODEL


def model_text(*bodies):
    actions = []
    for number, body in enumerate(bodies):
        head = f"def act_{number}(state: State, rules: Rules, place: Annotated[int, Id(3)]) -> bool:"
        lines = ['"""An action."""', "n = state.n", "cells = state.cells", *body.splitlines()]
        actions.append("\n".join([head, *(f"    {line}" for line in lines)]))
    text = MODULE.replace("ACTIONS", "\n\n\n".join(actions))
    return text.replace("NAMES", ", ".join(f"act_{number}" for number in range(len(bodies))))


def formulas_agree(model):
    """The formulas of each action say what it does."""
    drawn = random_states.anywhere(model, 60, 1)
    for action in model.actions:
        rng = random.Random(action.name)
        parameters = [tuple(rng.choice(each.values) for each in action.parameters) for _ in drawn]
        fault, enabled, rows = read_symbolically(model, action, drawn, parameters)
        for number, values in enumerate(drawn):
            wanted = outcome(action, model, values, parameters[number])
            assert bool(fault[number]) == (wanted == FAILED), (action.name, values)
            if wanted != FAILED:
                assert (bool(enabled[number]), tuple(rows[number])) == wanted, (action.name, values)


def agree_on(tmp_path, *bodies):
    """Every reading does with actions of these bodies what Python does."""
    model = model_of(tmp_path, *bodies)
    limits = Limits(max_states=400)
    plain, native = readings.interpreted(model, limits), readings.compiled(model, limits)
    assert native == plain and plain.verdict is Verdict.NOT_EXHAUSTED and all(plain.fired)
    formulas_agree(model)


def fail_alike(tmp_path, body):
    """An action of this body fails in every reading, in the same way."""
    model = model_of(tmp_path, body)
    plain, native = readings.interpreted(model), readings.compiled(model)
    assert plain.verdict is native.verdict is Verdict.EVALUATION_FAILED and plain.reason == native.reason
    formulas_agree(model)
