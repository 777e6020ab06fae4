"""Searches: verdicts, limits, Ctrl-C, what goes wrong in protocol code. Both readings say the same."""

import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated

import pytest

from kafkacheck.checker.exploration.verdict import Limits, Progress, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.schema import Array, ByPosition, Count, Flag, Id, Struct
from kafkacheck.checker.search import check
from tests import ROOT
from tests.support import readings
from tests.support.command import PATIENCE, TANK, Command, in_process, write
from tests.toys import behaviours, every_kind, two_phase_commit, wide

READINGS = ("interpreted", "compiled")
ENGINES = (*READINGS, "auto")


def answer(result):
    """What must not depend on the engine."""
    trace = None if result.trace is None else len(result.trace.steps)
    counts = (result.states_distinct, result.states_generated, result.depth, result.actions, result.states_excluded)
    return (result.verdict, result.property, result.reason, result.unmet, trace, *counts)


def test_an_unknown_engine():
    with pytest.raises(UsageError, match="there is no engine 'native'; choose one of: auto, interpreted, compiled"):
        check(behaviours.GRID, "native")


# -- limits ---------------------------------------------------------------------------------------------------------

LIMITED = [
    behaviours.GRID,
    behaviours.STARTS,
    behaviours.STARTS_OUTSIDE,
    behaviours.STEP_VIOLATED,
    behaviours.STEP_BEFORE_STATE,
    behaviours.VIOLATED_OUTSIDE,
    behaviours.STUCK,
    behaviours.PHILOSOPHERS,
    behaviours.ONE_START_VIOLATED,
]


@pytest.mark.parametrize("model", LIMITED, ids=lambda model: model.name)
def test_the_limit_of_states_is_exact_and_alike(model):
    free = readings.interpreted(model)
    assert free == readings.compiled(model)
    for limit in range(1, free.distinct + 2):
        found = readings.interpreted(model, Limits(max_states=limit))
        assert found == readings.compiled(model, Limits(max_states=limit))
        assert found.distinct == min(limit, free.distinct)
        if found.verdict is Verdict.NOT_EXHAUSTED:
            assert found.reason == f"it was stopped at {limit} distinct states"
            assert found.length == 0 and limit <= free.distinct
        elif found.verdict is Verdict.HOLDS:
            assert free.verdict is Verdict.HOLDS and limit >= free.distinct
        else:
            assert (found.verdict, found.property) == (free.verdict, free.property)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("limit", [1, 100, 1000, 65_536, 70_000])
def test_a_search_that_is_cut_short_never_holds(engine, limit):
    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 7})
    if engine == "interpreted" and limit > 1000:
        return
    result = check(model, engine, Limits(max_states=limit))
    assert result.verdict is Verdict.NOT_EXHAUSTED
    assert result.states_distinct == limit
    assert result.reason == f"it was stopped at {limit:,} distinct states"


@pytest.mark.parametrize("engine", ENGINES)
def test_the_limit_of_seconds(engine):
    model = wide.TAPE.with_bounds({"length": 300})
    result = check(model, engine, Limits(max_seconds=0.2))
    assert result.verdict is Verdict.NOT_EXHAUSTED
    assert result.reason == "it was stopped after 0.2 seconds"
    assert 0.2 <= result.seconds < 20


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_the_limit_of_memory(engine):
    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 8})
    result = check(model, engine, Limits(max_memory=1_000_000, max_seconds=60))
    assert result.verdict is Verdict.NOT_EXHAUSTED
    assert result.reason == "it used up the 1 MiB of memory it may have"


def test_memory_that_runs_out_ends_a_search(monkeypatch):
    from kafkacheck.checker.exploration.interpreted import InterpretedSearch

    def keep(self, values, parent, state):
        if self.counts.distinct == 20:
            raise MemoryError
        original(self, values, parent, state)

    original = InterpretedSearch._keep
    monkeypatch.setattr(InterpretedSearch, "_keep", keep)
    result = check(behaviours.GRID, "interpreted")
    assert (result.verdict, result.states_distinct) == (Verdict.NOT_EXHAUSTED, 20)
    assert result.reason == "the system has no more memory to give"


NO_MEMORY = """
import resource, sys
sys.path.insert(0, {root!r})
import psutil
from kafkacheck.checker.compiled import machine_code
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.search import check
from tests.toys import two_phase_commit

machine_code.WORTH_BETTER = {worth_better}

model = two_phase_commit.MODEL.with_bounds({{"resource_managers": 9}})
check(model, "compiled", Limits(max_states=10))
room = psutil.Process().memory_info().vms + ({room} << 20)
resource.setrlimit(resource.RLIMIT_AS, (room, room))
result = check(model, {engine!r})
print(result.verdict.name, result.reason, result.trace)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("engine", "room", "worth_better"),
    [("interpreted", 1, 60), ("compiled", 1, 60), ("compiled", 9, 60), ("compiled", 16, 0), ("auto", 16, 60)],
)
def test_a_system_without_memory_ends_a_search(engine, room, worth_better):
    pytest.importorskip("resource")
    program = NO_MEMORY.format(root=str(ROOT), engine=engine, room=room, worth_better=worth_better)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.stdout in (
        "NOT_EXHAUSTED the system has no more memory to give None\n",
        f"NOT_EXHAUSTED it used up the {room} MiB of memory it may have None\n",
    ), ended.stderr


LITTLE_ROOM = """
import resource, runpy, sys
resource.setrlimit(resource.RLIMIT_AS, ({room} << 20, {room} << 20))
sys.argv = ["kafkacheck", "check", "tank.py", "--engine", "compiled"]
runpy.run_module("checker", run_name="__main__")
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="only Linux says how much address space is taken")
@pytest.mark.parametrize(("room", "library"), [(60, "llvmlite"), (320, "numpy")])
def test_libraries_that_find_no_memory_are_one_error(tmp_path, room, library):
    write(tmp_path / "tank.py", TANK)
    ended = in_process(folder=tmp_path, program=LITTLE_ROOM.format(room=room))
    assert ended.status == 20
    assert "memory ran out" in ended.error and f"{library} needs" in ended.error and "ulimit -v" in ended.error


@pytest.mark.parametrize("error", [OSError("cannot load"), ImportError("cannot map"), RuntimeError("no thread")])
def test_what_fails_for_lack_of_memory_without_naming_it_is_told_so(tmp_path, capsys, monkeypatch, error):
    def fails(*_):
        raise error

    monkeypatch.setattr("kafkacheck.checker.commands.check.search", fails)
    monkeypatch.setattr("kafkacheck.checker.process.memory.is_short", lambda: True)
    ended = Command(capsys).check(write(tmp_path / "tank.py", TANK))
    assert ended.status == 20
    assert "memory ran out" in ended.error and str(error) in ended.error


@pytest.mark.parametrize("engine", ENGINES)
def test_what_was_found_before_a_limit_is_reported(engine):
    result = check(behaviours.SHORTEST_OF_STARTS, engine, Limits(max_states=3))
    assert (result.verdict, result.property) == (Verdict.VIOLATED, "right_is_small")


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys, threading
sys.path.insert(0, {root!r})
from kafkacheck.checker.search import check
from tests.toys import two_phase_commit

def press(progress):
    if progress.states_distinct > 0 and not pressed:
        pressed.append(True)
        os.kill(os.getpid(), signal.SIGINT)

pressed = []
before = signal.getsignal(signal.SIGINT)
model = two_phase_commit.MODEL.with_bounds({{"resource_managers": 9}})
result = check(model, {engine!r}, progress=press)
assert signal.getsignal(signal.SIGINT) is before
print(result.verdict.name, result.reason, result.interrupted, result.states_distinct > 0)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_ctrl_c_ends_a_search_and_what_was_found_is_reported(engine):
    program = INTERRUPTED.format(root=str(ROOT), engine=engine)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.stdout == "NOT_EXHAUSTED it was interrupted True True\n", ended.stderr


def test_a_search_runs_in_any_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(check(behaviours.GRID, "interpreted")))
    thread.start()
    thread.join()
    assert results[0].verdict is Verdict.HOLDS


# -- progress -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_progress_only_grows(engine):
    heard: list[Progress] = []
    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 8})
    check(model, engine, Limits(max_seconds=0.7), heard.append)
    assert heard
    for earlier, later in itertools.pairwise(heard):
        assert earlier.seconds < later.seconds
        assert earlier.depth <= later.depth
        assert earlier.states_distinct <= later.states_distinct
        assert earlier.states_generated <= later.states_generated
    assert all(0 <= each.frontier <= each.states_distinct and each.memory > 0 for each in heard)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_of_the_listener_is_not_taken_for_one_of_the_model(engine):
    def listener(progress):
        raise BrokenPipeError("nobody reads")

    model = two_phase_commit.MODEL.with_bounds({"resource_managers": 8})
    with pytest.raises(BrokenPipeError, match="nobody reads"):
        check(model, engine, progress=listener)


# -- small and odd systems ------------------------------------------------------------------------------------------


class Counter(Struct):
    count: Annotated[int, Count(5)]
    flag: Annotated[bool, Flag()]


def step_by(state: Counter, by: Annotated[int, Count(2, 1)]) -> bool:
    if state.count + by > 5:
        return False
    state.count += by
    return True


def never(state: Counter) -> bool:
    if state.count <= 5:
        return False
    state.count = 0
    return True


def start_at(state: Counter, count: Annotated[int, Count(5)]) -> bool:
    if count % 2 == 1:
        return False
    state.count = count
    return True


def below_two(state: Counter) -> bool:
    return state.count < 2


def above_two(state: Counter) -> bool:
    return state.count > 2


def below_six(state: Counter) -> bool:
    return state.count < 6


def not_four(state: Counter) -> bool:
    return state.count != 4


def by_one(before: Counter, after: Counter) -> bool:
    return after.count == before.count + 1


def counter(**changes) -> Model:
    return Model(**{"name": "counter", "state": Counter, "actions": [step_by], **changes})


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (counter(), (Verdict.HOLDS, None, 6, 10, 4, None)),
        (counter(actions=[never]), (Verdict.HOLDS, None, 1, 1, 1, None)),
        (counter(actions=[never], check_deadlock=True), (Verdict.DEADLOCK, None, 1, 1, 1, 1)),
        (counter(check_deadlock=True), (Verdict.DEADLOCK, None, 6, 10, 4, 4)),
        (counter(initial=start_at), (Verdict.HOLDS, None, 6, 12, 2, None)),
        (counter(initial=start_at, check_deadlock=True), (Verdict.DEADLOCK, None, 6, 12, 2, 2)),
        (counter(initial=start_at, always=[not_four]), (Verdict.VIOLATED, "not_four", 3, 3, 1, 1)),
        (counter(initial=start_at, constraint=below_two), (Verdict.HOLDS, None, 2, 7, 2, None)),
        (
            counter(initial=start_at, constraint=below_two, always=[not_four]),
            (Verdict.VIOLATED, "not_four", 1, 3, 1, 1),
        ),
        (counter(constraint=above_two), (Verdict.EVALUATION_FAILED, None, 0, 1, 0, None)),
        (counter(constraint=above_two, always=[above_two]), (Verdict.VIOLATED, "above_two", 0, 1, 0, 1)),
        (counter(constraint=below_two, check_deadlock=True), (Verdict.HOLDS, None, 2, 5, 2, None)),
        (counter(always=[by_one]), (Verdict.VIOLATED, "by_one", 3, 3, 2, 2)),
        (counter(always=[below_two, by_one]), (Verdict.VIOLATED, "below_two", 3, 3, 2, 2)),
        (counter(always=[by_one, below_two]), (Verdict.VIOLATED, "by_one", 3, 3, 2, 2)),
        (counter(always=[not_four, by_one]), (Verdict.VIOLATED, "by_one", 3, 3, 2, 2)),
    ],
)
def test_small_systems(engine, model, expected):
    result = check(model, engine)
    length = None if result.trace is None else len(result.trace.steps)
    assert (result.verdict, result.property, *answer(result)[5:8], length) == expected


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("model", "limits", "excluded"),
    [
        (counter(), None, None),
        (counter(constraint=below_six), None, 0),
        (counter(constraint=below_two), None, 3),
        (counter(constraint=below_two, initial=start_at), None, 5),
        (counter(constraint=not_four), None, 2),
        (counter(constraint=not_four), Limits(max_states=3), 0),
        (counter(constraint=above_two), None, 1),
    ],
)
def test_what_a_constraint_excludes_is_counted(engine, model, limits, excluded):
    assert check(model, engine, limits).states_excluded == excluded


@pytest.mark.parametrize("engine", ENGINES)
def test_a_constraint_that_excludes_every_initial_state_is_an_error(engine):
    result = check(counter(constraint=above_two), engine)
    assert result.verdict is Verdict.EVALUATION_FAILED
    assert "every initial state lies outside the constraint above_two" in result.reason
    assert f"{Path(__file__).name}:{above_two.__code__.co_firstlineno}:" in result.reason


@pytest.mark.parametrize("engine", ENGINES)
def test_an_example_that_is_missing_is_named(engine):
    result = check(counter(sometimes=[above_two, never_seen, below_two]), engine)
    assert result.verdict is Verdict.HOLDS and result.unmet == ("never_seen",)
    result = check(counter(actions=[step_by, never]), engine)
    assert result.never_fired == ("never",) and result.actions == {"step_by": 9, "never": 0}


def never_seen(state: Counter) -> bool:
    return state.flag


class Slots(Struct):
    slots: Annotated[Array[Annotated[int, Count(3)]], ByPosition(3)]


def fill(state: Slots, place: Annotated[int, Id(3)], value: Annotated[int, Count(3)]) -> bool:
    if state.slots[place] >= value:
        return False
    state.slots[place] = value
    return True


def sum_is_small(state: Slots) -> bool:
    total = 0
    for place in range(len(state.slots)):
        total += state.slots[place]
    return total < 7


def test_a_counterexample_is_a_shortest_one():
    model = Model(name="slots", state=Slots, actions=[fill], always=[sum_is_small])
    for engine in ENGINES:
        result = check(model, engine)
        assert len(result.trace.steps) == 4
        assert [step.action for step in result.trace.steps] == [None, "fill", "fill", "fill"]
        assert not sum_is_small(result.trace.steps[-1].state)


def test_auto_goes_on_where_it_started():
    started = time.perf_counter()
    result = check(every_kind.MODEL, "auto")
    assert answer(result) == answer(check(every_kind.MODEL, "interpreted"))
    assert time.perf_counter() - started < 30
