"""The compiled reading: the same as the interpreted one for every size of its arrays, and from every state on."""

import itertools

import numpy as np
import pytest

from kafkacheck.checker.compiled import compiled, kernel, machine_code
from kafkacheck.checker.exploration import exploration
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.search import check
from tests.support import readings
from tests.support.snippets import load
from tests.toys import behaviours, every_kind, hanoi, transaction_commit, two_phase_commit, wide

MODELS = [
    behaviours.GRID,
    behaviours.STARTS,
    behaviours.STARTS_OUTSIDE,
    behaviours.STEP_VIOLATED,
    behaviours.STATE_BEFORE_STEP,
    behaviours.VIOLATED_OUTSIDE,
    behaviours.STEP_OUTSIDE,
    behaviours.STUCK,
    behaviours.PHILOSOPHERS,
    behaviours.UNMET,
    two_phase_commit.MODEL,
    wide.NUMBERS,
    wide.TAPE.with_bounds({"length": 16}),
]


def name_of(model):
    return model.name


@pytest.fixture(params=[(1, 1 << 4), (7, 1 << 5), (64, 1 << 16)], ids=["one", "few", "some"])
def small_arrays(request, monkeypatch):
    """Few successors at a time, and a table that must grow again and again."""
    buffer, slots = request.param
    monkeypatch.setattr(compiled, "BUFFER", buffer)
    monkeypatch.setattr(compiled, "SMALLEST_TABLE", slots)


@pytest.mark.parametrize("model", MODELS, ids=name_of)
def test_the_sizes_of_arrays_do_not_matter(model, small_arrays):
    assert readings.compiled(model) == readings.interpreted(model)


@pytest.mark.parametrize("model", MODELS[:8], ids=name_of)
def test_limits_are_exact_whatever_the_sizes_of_arrays(model, small_arrays):
    for limit in (1, 2, 5, 13, 14):
        limits = Limits(max_states=limit)
        assert readings.compiled(model, limits) == readings.interpreted(model, limits)


def test_a_table_that_grows_still_knows_its_states():
    model = two_phase_commit.MODEL
    entries = machine_code.entries(kernel.kernel_text(model))
    search = compiled.CompiledSearch(model, entries, Watch(Limits(), None))
    assert search.run() is None
    known = np.array(search.states)
    space = compiled.Workspace(kernel.sizes_of(model), entries, len(known))
    chance = np.random.default_rng(1)
    for count in range(1, 193):
        states = chance.permutation(known)[:count]
        space.store[:count] = space.successors[:count] = states
        space.actions[:count] = space.origins[:count] = 0
        slots = 1 << (4 * count // 3).bit_length() if count > 3 else 4
        space.fill_table(count, slots, 16 * slots)
        for factor in (1, 2, 4, 16):
            space.grow_table(factor * slots)
            assert space.absorb(count, count, len(known)) == (count, count)


@pytest.mark.parametrize("model", [behaviours.GRID, every_kind.MODEL], ids=name_of)
def test_a_table_is_never_more_than_three_quarters_full(model, monkeypatch):
    monkeypatch.setattr(compiled, "BUFFER", 16)
    monkeypatch.setattr(compiled, "SMALLEST_TABLE", 1 << 4)
    fillings = []
    absorb = compiled.Workspace.absorb

    def note(space, count, amount, capacity):
        count, looked = absorb(space, count, amount, capacity)
        fillings.append(count / space.slots)
        return count, looked

    monkeypatch.setattr(compiled.Workspace, "absorb", note)
    assert readings.compiled(model) == readings.interpreted(model)
    assert 0.1 < max(fillings) <= 3 / 4


def test_the_store_holds_each_state_once_in_order_of_discovery():
    model = two_phase_commit.MODEL
    plain = InterpretedSearch(model, Watch(Limits()))
    plain.run()
    search = compiled.CompiledSearch(model, readings.entries_of(model), Watch(Limits()))
    search.run()
    rows = model.layout.unpack(search._space.store[: search.counts.distinct])
    assert [tuple(map(int, row)) for row in rows] == plain.snapshot().states
    assert [int(parent) for parent in search._space.parents[1 : len(rows)]] == plain._parents[1:]
    assert all(search.chain(number) == plain.chain(number) for number in range(0, len(rows), 7))


def handed_over(model: Model, after: int, limits: Limits | None = None):
    """The interpreted search stopped after so many states, or None where it had ended by then."""
    counter = itertools.count(1)
    search = InterpretedSearch(model, Watch(limits or Limits()))
    found = search.run(lambda: next(counter) >= after)
    return None if found is not None or search.finished else search.snapshot()


HANDED_OVER = [model for model in MODELS if model is not two_phase_commit.MODEL and not model.name.startswith("tape")]


@pytest.mark.parametrize("model", [*HANDED_OVER, hanoi.MODEL, transaction_commit.MODEL], ids=name_of)
def test_a_search_can_be_handed_over_after_any_state(model, monkeypatch):
    monkeypatch.setattr(exploration, "SECONDS_BETWEEN_LOOKS", 0)
    alone = readings.interpreted(model)
    tried = 0
    for after in (*range(1, 50), 300, 700, 1200):
        found = handed_over(model, after)
        if found is not None:
            assert found.next == after
            assert readings.compiled(model, None, found) == alone
            tried += 1
    assert tried > 1


def test_a_search_handed_over_before_it_began_starts_anew():
    model = two_phase_commit.MODEL
    found = InterpretedSearch(model, Watch(Limits())).snapshot()
    assert readings.compiled(model, None, found) == readings.interpreted(model)


def test_a_handed_over_search_keeps_to_its_limit(monkeypatch):
    monkeypatch.setattr(exploration, "SECONDS_BETWEEN_LOOKS", 0)
    for after in (1, 5, 10):
        for limit in (21, 30, 48, 49):
            limits = Limits(max_states=limit)
            result = readings.compiled(behaviours.GRID, limits, handed_over(behaviours.GRID, after, limits))
            assert result == readings.interpreted(behaviours.GRID, limits)


def test_a_store_that_is_full_ends_a_search(monkeypatch):
    def workspace(search, entries):
        return compiled.Workspace(kernel.sizes_of(search.model), entries, 200)

    monkeypatch.setattr(compiled.CompiledSearch, "_workspace", workspace)
    found = readings.compiled(two_phase_commit.MODEL)
    assert found.verdict is Verdict.NOT_EXHAUSTED and found.distinct == 200
    assert "of memory it may have" in found.reason
    plain = readings.interpreted(two_phase_commit.MODEL, Limits(max_states=200))
    assert found[4:] == plain[4:]


def test_the_memory_of_a_state_is_told():
    result = check(two_phase_commit.MODEL.with_bounds({"resource_managers": 6}), "compiled")
    assert result.bytes_per_state is not None and 12 <= result.bytes_per_state <= 60
    assert check(behaviours.GRID, "interpreted").bytes_per_state is None


STARTS_THAT_FAIL = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class State(Struct):
    n: Annotated[int, Count(3)]


def start(state: State, n: Annotated[int, Count(3)]) -> None:
    state.n = n


def go(state: State) -> bool:
    if state.n == 3:
        return False
    state.n += 1
    return True


def defined(state: State) -> bool:
    return 6 // (state.n - {fails}) < 7


def inside(state: State) -> bool:
    return {inside}


MODEL = Model(name="starts", state=State, initial=start, actions=[go], always=[defined], constraint=inside)
"""


@pytest.mark.parametrize("fails", ["0", "1", "3", "state.n"])
@pytest.mark.parametrize("inside", ["state.n != 3", "state.n != 1", "state.n == 0", "1 // (state.n - 2) < 9"])
def test_the_first_start_that_fails_is_told(fails, inside, tmp_path):
    model = load(tmp_path, STARTS_THAT_FAIL.format(fails=fails, inside=inside)).MODEL
    plain = readings.interpreted(model)
    assert plain.verdict is Verdict.EVALUATION_FAILED and plain.reason
    assert readings.compiled(model)[:4] == plain[:4]
