"""Before HOLDS, plain Python expands visited states again: whatever machine code does wrong to them is found."""

import json
from dataclasses import replace
from typing import Annotated

import numpy as np
import pytest

from kafkacheck.checker.compiled import kernel, machine_code, self_check
from kafkacheck.checker.compiled.compiled import CompiledSearch, Workspace
from kafkacheck.checker.compiled.native import DEADLOCK
from kafkacheck.checker.compiled.packing import fingerprints
from kafkacheck.checker.distributed import checking, shard
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.language import ir
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.result import self_checked
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct
from kafkacheck.checker.search import check
from tests.support import readings
from tests.support.command import Command
from tests.toys import two_phase_commit

Amount = Annotated[int, Count("most")]


class Tanks(Struct):
    """Two tanks and a tap."""

    levels: Annotated[Array[Amount], ByPosition(2)]
    is_open: bool
    spilt: Amount


def turn(state: Tanks, to: bool) -> bool:
    """Turn the tap."""
    if state.is_open == to:
        return False
    state.is_open = to
    return True


def pour(state: Tanks, tank: Annotated[int, Count(1)], by: Annotated[int, Count(3, 1)]) -> bool:
    """Pour into a tank."""
    if not state.is_open:
        return False
    if state.levels[tank] + by > 8:
        return False
    state.levels[tank] += by
    return True


def drain(state: Tanks, tank: Annotated[int, Count(1)]) -> bool:
    """Drain a tank that is full."""
    if state.levels[tank] < 8:
        return False
    state.levels[tank] = 0
    if state.spilt < 5:
        state.spilt += 1
    return True


def never_odd(state: Tanks) -> bool:
    """Not both are odd."""
    return state.levels[0] % 2 == 0 or state.levels[1] % 2 == 0


def rises_slowly(before: Tanks, after: Tanks) -> bool:
    """By two at most."""
    return after.levels[0] - before.levels[0] <= 2


def spills_little(state: Tanks) -> bool:
    """What only states outside the constraint violate."""
    return state.spilt <= 3


def holds_on(state: Tanks) -> bool:
    """What always holds."""
    return state.levels[0] <= 8


def rises_or_empties(before: Tanks, after: Tanks) -> bool:
    """What holds of every step."""
    return after.levels[0] >= before.levels[0] or after.levels[0] == 0


def is_full(state: Tanks) -> bool:
    """Both are full."""
    return state.levels[0] == 8 and state.levels[1] == 8


def overflows(state: Tanks) -> bool:
    """What never is."""
    return state.levels[0] == 9


def is_calm(state: Tanks) -> bool:
    """Little is spilt."""
    return state.spilt <= 3


def made(**more) -> Model:
    """A model whose typed form nothing else uses."""
    given = {"always": [holds_on, rises_or_empties], "sometimes": [is_full], "constraint": is_calm, **more}
    return Model(name="tanks", state=Tanks, bounds={"most": 9}, actions=[turn, pour, drain], **given)


def searched(model: Model, limits: Limits | None = None) -> CompiledSearch:
    """A search by machine code as it is made of the model's typed form now, past all that is violated."""
    entries = machine_code.entries_soon(kernel.kernel_text(model))
    search = CompiledSearch(model, entries, Watch(limits or Limits()))
    search.counts.tolerate_all(model)
    search.run()
    search.counts.violated.clear()
    return search


def test_of_a_sound_search_all_that_is_drawn_agrees():
    search = searched(made())
    assert search.counts.distinct > 500
    checked = self_check.of_search(search, 100)
    drawn = min(search.counts.distinct, self_check.MOST_STATES)
    assert drawn <= checked <= min(search.counts.distinct, drawn + 3 + 1)  # each once, also if it is an example


def without(kind: type, body: tuple[ir.Statement, ...], number: int) -> tuple[ir.Statement, ...]:
    """Statements without the one of a kind with this number."""
    kept, seen = [], 0
    for each in body:
        seen += isinstance(each, kind)
        if not isinstance(each, kind) or seen - 1 != number:
            kept.append(each)
    return tuple(kept)


def replaced(body: tuple[ir.Statement, ...], old: int, new: int) -> tuple[ir.Statement, ...]:
    """Statements in which a constant that is stored is another one."""
    changed = [
        replace(each, value=ir.Const(new)) if isinstance(each, ir.Store) and each.value == ir.Const(old) else each
        for each in body
    ]
    assert tuple(changed) != body
    return tuple(changed)


def always(value: bool) -> tuple[ir.Statement, ...]:
    """What a function consists of that always returns the same."""
    return (ir.Return(ir.Const(value)),)


def damage(model: Model, function: str, change) -> Model:
    """The model with another typed form of a function, from which machine code is made."""
    observers = (*model.properties, *model.sometimes, *([model.constraint] if model.constraint else []))
    (read,) = [each.read for each in (*model.actions, *observers) if each.name == function]
    body = change(read.body)
    assert body != read.body
    read.body = body
    return model


DAMAGED = {
    "a guard is dropped": ("pour", lambda body: without(ir.If, body, 0), {}, "by pour"),
    "another guard is dropped": ("drain", lambda body: without(ir.If, body, 0), {}, "drain"),
    "a store is lost": ("drain", lambda body: without(ir.Store, body, 0), {}, "levels[0]"),
    "a branch is lost": ("drain", lambda body: without(ir.If, body, 1), {}, "spilt: 0 -> 1"),
    "a constant is another one": ("drain", lambda body: replaced(body, 0, 1), {}, "levels[0]: 8 -> 1"),
    "an action is never enabled": ("turn", lambda body: always(False), {}, "by turn"),
    "an invariant is always true": ("never_odd", lambda body: always(True), {"always": [never_odd]}, "never_odd"),
    "a property of steps is always true": (
        "rises_slowly",
        lambda body: always(True),
        {"always": [rises_slowly]},
        "rises_slowly",
    ),
    "a constraint is always true": ("is_calm", lambda body: always(True), {}, "outside the constraint"),
    "a constraint is never true": ("is_calm", lambda body: always(False), {}, "outside the constraint"),
    "an example is none": ("overflows", lambda body: always(True), {"sometimes": [overflows]}, "example of overflows"),
    "an example is not seen": ("is_full", lambda body: always(False), {}, "example of is_full"),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_wrong_machine_code_is_found(what):
    function, change, given, word = DAMAGED[what]
    search = searched(damage(made(**given), function, change))
    found, checked = self_checked(search, None, 100)
    assert found is not None and checked is None
    assert found.verdict is Verdict.SELF_CHECK_FAILED
    for expected in (word, "Plain Python: ", "Machine code: ", "The state: {", "bug in kafkacheck", "tanks", "report"):
        assert expected in found.reason, found.reason


def test_a_violation_outside_the_constraint_that_machine_code_does_not_see_is_found():
    model = damage(made(always=[spills_little]), "spills_little", lambda body: always(True))
    with pytest.raises(SelfCheckError, match="spills_little does not hold of one of its steps"):
        self_check.of_search(searched(model), 100)


def test_a_state_without_a_step_that_machine_code_does_not_see_is_found(monkeypatch):
    expand = Workspace.expand

    def silent(space, first, last):
        answer = expand(space, first, last)
        space.report[DEADLOCK] = -1
        return answer

    model = Model(name="tanks", state=Tanks, bounds={"most": 9}, actions=[pour, turn_on], check_deadlock=True)
    monkeypatch.setattr(Workspace, "expand", silent)
    with pytest.raises(SelfCheckError, match="no action is enabled in it"):
        self_check.of_search(searched(model), 100)


def turn_on(state: Tanks) -> bool:
    """Turn the tap on."""
    if state.is_open:
        return False
    state.is_open = True
    return True


def lost_in_absorb(space, count, amount, capacity):
    """The successor in the middle of the first hundred is not kept."""
    if amount > 50 and not hasattr(space, "lost"):
        space.lost = space.successors[50].copy()
    if hasattr(space, "lost"):
        same = (space.successors[:amount] == space.lost).all(axis=1)
        space.successors[:amount][same] = space.store[0]
    return absorb(space, count, amount, capacity)


def flipped_in_store(space, count, amount, capacity):
    """A bit of a state that was kept is another one."""
    answer = absorb(space, count, amount, capacity)
    if answer[0] > 200 and not hasattr(space, "flipped"):
        space.flipped = True
        space.store[150, 0] ^= np.uint64(4)
    return answer


def flipped_in_table(space, count, amount, capacity):
    """The table names another state."""
    answer = absorb(space, count, amount, capacity)
    if answer[0] > 200 and not hasattr(space, "flipped"):
        space.flipped = True
        slot = np.flatnonzero(space.table)[100]
        space.table[slot] ^= np.uint64(1)
    return answer


absorb = Workspace.absorb


@pytest.mark.parametrize("wrong", [lost_in_absorb, flipped_in_store, flipped_in_table], ids=lambda each: each.__name__)
def test_a_lost_or_damaged_state_is_found(wrong, monkeypatch):
    monkeypatch.setattr(Workspace, "absorb", wrong)
    search = searched(made())
    with pytest.raises(SelfCheckError, match=r"never visited|does not find it again"):
        self_check.of_search(search, 100)


def lost_in_expand(space, first, last):
    """The last successors of a level are lost."""
    following, amount = expand(space, first, last)
    return following, amount // 2 if first < 100 < last else amount


expand = Workspace.expand


def test_a_lost_successor_is_found(monkeypatch):
    monkeypatch.setattr(Workspace, "expand", lambda space, first, last: lost_in_expand(space, first, last))
    search = searched(made())
    monkeypatch.undo()
    assert search.counts.distinct < searched(made()).counts.distinct
    with pytest.raises(SelfCheckError, match="never visited"):
        self_check.of_search(search, 100)


def test_an_initial_state_that_was_not_visited_is_found():
    search = searched(made())
    starts = [search.model.layout.restore(search.model.layout.blank_values)]
    starts[0].levels[0] = 9
    object.__setattr__(search.model, "initial_states", lambda: starts)
    with pytest.raises(SelfCheckError, match="a behaviour begins with it"):
        self_check.of_search(search, 100)


# what is drawn


def test_what_is_drawn_is_the_same_each_time_and_comes_from_everywhere():
    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 5})
    one, other = searched(model), searched(model)
    assert one.counts.distinct > 2000
    drawn = [self_check.Kept(each.space, each.counts.distinct).drawn(1000) for each in (one, other)]
    assert (drawn[0] == drawn[1]).all() and len(drawn[0]) == 1000
    assert len(np.unique(drawn[0], axis=0)) == 1000
    kept = one.space.store[: one.counts.distinct]
    rows = [int(np.flatnonzero((kept == each).all(axis=1))[0]) for each in drawn[0]]
    assert max(rows) - min(rows) > one.counts.distinct * 0.9


def test_fingerprints_are_those_of_machine_code_and_all_states_are_found_by_them():
    search = searched(made())
    count = search.counts.distinct
    states = search.space.store[:count]
    assert (fingerprints(states) == search.space.fingerprints(0, count)).all()
    kept = self_check.Kept(search.space, count)
    assert kept.has(states).all()
    known = {each.tobytes() for each in states}
    others = np.array([each for each in states ^ np.uint64(1) if each.tobytes() not in known])
    assert len(others) and not kept.has(others).any()


# its cost, and its end


def test_a_short_search_is_checked_less_and_says_so():
    search = searched(made())
    assert self_check.of_search(search, 0.0) == 0
    assert self_checked(search, None, 0.0) == (None, 0)


def test_ctrl_c_ends_the_check_and_not_the_answer():
    search = searched(made())
    search.watch.interrupts.pressed = True
    assert self_checked(search, None, 100) == (None, 0)


def slow(state: Tanks) -> bool:
    """What takes plain Python seconds."""
    total = 0
    for i in range(8000):
        for j in range(8000):
            total = (total + i * j) % 7
    return total >= state.levels[0] * 0


@pytest.mark.slow
def test_one_long_call_does_not_prolong_the_check():
    model = Model(name="tanks", state=Tanks, bounds={"most": 9}, actions=[turn], always=[slow])
    result = check(model, engine="compiled")
    assert (result.verdict, result.states_distinct, result.checked) == (Verdict.HOLDS, 2, 0)


def test_plain_python_is_not_checked():
    result = check(made(), engine="interpreted")
    assert (result.verdict, result.checked) == (Verdict.HOLDS, None)


# the whole way


def test_the_answer_is_loud(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(Workspace, "absorb", lost_in_absorb)
    model = two_phase_commit.MODEL
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.find_model", lambda *_: model)
    kafkacheck = Command(capsys)
    ended = kafkacheck("check", "two_phase_commit", "--engine", "compiled")
    assert ended.status == 70
    assert "HOLDS" not in ended.out
    assert "SELF_CHECK_FAILED" in ended.out and "the self-check found" in ended.err
    ended = kafkacheck("check", "two_phase_commit", "--engine", "compiled", "--json")
    assert ended.status == 70
    document = json.loads(ended.out)
    assert document["verdict"] == "SELF_CHECK_FAILED" and "The state: {" in document["reason"]


def test_an_answer_says_how_much_was_checked(capsys, monkeypatch):
    monkeypatch.setattr("kafkacheck.checker.catalogue.catalogue.find_model", lambda *_: two_phase_commit.MODEL)
    kafkacheck = Command(capsys)
    ended = kafkacheck("check", "two_phase_commit", "--engine", "compiled")
    assert ended.status == 0
    last = ended.out.splitlines()[-1]
    assert " seconds=" in last and " checked=" in last
    assert "self-check: " in ended.out
    ended = kafkacheck("check", "two_phase_commit", "--engine", "compiled", "--json")
    assert json.loads(ended.out)["checked"] > 0
    ended = kafkacheck("check", "two_phase_commit", "--engine", "interpreted", "--json")
    assert json.loads(ended.out)["checked"] is None


# shards


@pytest.fixture
def three_shards(tmp_path):
    def run(model: Model):
        search = readings.distributed_search(model, tmp_path, 3, widest=4)
        return search, search.run()

    return run


def test_a_sound_distributed_search_agrees(three_shards):
    search, _ = three_shards(made())
    checked = checking.of_run(search, 100)
    assert set(search.examples.actions) == {0, 1, 2} and set(search.examples.sometimes) == {0}
    drawn = min(search.counts.distinct, self_check.MOST_STATES)
    assert drawn <= checked <= min(search.counts.distinct, drawn + 3 + 1)  # each once, also if it is an example


@pytest.mark.parametrize("what", ["a guard is dropped", "a branch is lost", "a constraint is always true"])
def test_wrong_machine_code_of_shards_is_found(what, three_shards):
    function, change, given, _ = DAMAGED[what]
    model = damage(made(**given), function, change)
    search, found = three_shards(model)
    found, _ = self_checked(search, found, 100)
    assert found is not None and found.verdict is Verdict.SELF_CHECK_FAILED


def test_a_state_that_a_shard_loses_is_found(three_shards, monkeypatch):
    keep = shard.keep

    def losing(run, level, number, new, known):
        if len(new.states) > 5 and level > 4:
            new = type(new)(*(column[:-1] for column in new))
        return keep(run, level, number, new, known)

    monkeypatch.setattr(shard, "keep", losing)
    search, _ = three_shards(made())
    with pytest.raises(SelfCheckError, match="never visited"):
        checking.of_run(search, 100)
