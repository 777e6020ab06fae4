"""What goes wrong in protocol code is told with its line, and alike by every engine."""

from pathlib import Path

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.search import check
from tests.support.snippets import line_of, load
from tests.toys import broken

READINGS = ("interpreted", "compiled")
ENGINES = (*READINGS, "auto")

FAILING = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class State(Struct):
    count: Annotated[int, Count(4)]
    cells: Annotated[Array[Annotated[int, Count(4)]], ByPosition(4)]
    ids: Annotated[int, IdSet(3)]
    who: Annotated[int, Id(3, none=-1)]


def count_up(state: State) -> bool:
    if state.count == 4:
        return False
    state.count += 1
    return True


def act(state: State) -> bool:
    if state.count != 2:
        return False
    BODY  # here
    return True


def holds(state: State) -> bool:
    return state.count < 2 or PROPERTY  # there


def step_holds(before: State, after: State) -> bool:
    return after.count < 3 or PROPERTY  # so too
"""


def failing(tmp_path, body="state.count = 0", observed="state.count < 9"):
    text = FAILING.replace("BODY", body).replace("state.count < 2 or PROPERTY", f"state.count < 2 or {observed}")
    return load(tmp_path, text.replace("PROPERTY", observed.replace("state.", "after.")))


FAILURES = [
    (
        "state.cells[state.count + 2] = 1",
        "act() failed: IndexError: index 4 is outside this array, whose indices are 0 .. 3",
    ),
    ("state.cells[state.who] = 1", "act() failed: IndexError: index -1 is outside this array"),
    ("state.cells[0] = state.cells[state.count * 7]", "IndexError: index 14 is outside this array"),
    ("state.count = 7 // (state.count - 2)", "act() failed: ZeroDivisionError"),
    ("state.count = 7 % (state.count - 2)", "act() failed: ZeroDivisionError"),
    ("state.count = 1 << (state.count - 3)", "act() failed: ValueError: negative shift count"),
    ("state.count = 9 >> (state.count - 3)", "act() failed: ValueError: negative shift count"),
    ("state.ids = including(state.ids, state.who)", "act() failed: ValueError: negative shift count"),
]
CONTRACT = [
    ("state.count = state.count + 3", "act() leaves count = 5, outside its range 0 .. 4"),
    ("state.ids = 5 - state.count * 3", "act() leaves ids = -1, outside its range 0 .. 7"),
    ("state.count = 2", "act() returned True and changed nothing; True means that the state became another one"),
    (
        "state.count = 1\n    if state.who < 0:\n        return False",
        "act() returned False after it wrote count: 2 -> 1; False means that the step is not",
    ),
    (
        "state.who = 0\n    if state.count == 2:\n        return False",
        "act() returned False after it wrote who: none -> 0",
    ),
]


@pytest.mark.parametrize(("body", "words"), FAILURES, ids=[body for body, _ in FAILURES])
def test_a_failing_action_names_the_line_in_every_engine(body, words, tmp_path):
    module = failing(tmp_path, body)
    model = Model(name="failing", state=module.State, actions=[module.count_up, module.act])
    results = [check(model, engine) for engine in ENGINES]
    assert {result.verdict for result in results} == {Verdict.EVALUATION_FAILED}
    [reason] = {result.reason for result in results}
    assert words in reason and line_of(module, "# here") in reason
    assert {len(result.trace.steps) for result in results} == {3}
    assert all(result.trace.steps[-1].state.count == 2 for result in results)


@pytest.mark.parametrize(("body", "words"), CONTRACT, ids=[body for body, _ in CONTRACT])
def test_a_broken_contract_names_the_action_in_every_engine(body, words, tmp_path):
    module = failing(tmp_path, body)
    model = Model(name="failing", state=module.State, actions=[module.count_up, module.act])
    results = [check(model, engine) for engine in ENGINES]
    assert {result.verdict for result in results} == {Verdict.EVALUATION_FAILED}
    [reason] = {result.reason for result in results}
    assert words in reason and line_of(module, "def act") in reason
    assert {len(result.trace.steps) for result in results} == {3}


@pytest.mark.parametrize(
    ("count", "bounds", "words"),
    [
        ("Count(4)", {}, "guard the step, or widen the range in the schema"),
        ("Count('most')", {"most": 4}, "widen the range in the schema, or raise most (--set)"),
        ("Count('most * least')", {"least": 1, "most": 4}, "or raise least or most (--set)"),
    ],
)
def test_a_range_that_is_too_small_is_told_with_its_bounds(count, bounds, words, tmp_path):
    text = FAILING.replace("count: Annotated[int, Count(4)]", f"count: Annotated[int, {count}]", 1)
    module = load(tmp_path, text.replace("state.count == 4", "state.count == 5"))
    model = Model(name="failing", state=module.State, bounds=bounds, actions=[module.count_up])
    assert check(model, "interpreted").reason.endswith(words)


OBSERVED = [
    "state.cells[state.count * 2] == 0",
    "state.cells[0] // (state.count - 2) == 0",
    "1 << (state.who - 2) == 1",
]


@pytest.mark.parametrize("role", ["always", "sometimes", "constraint", "step", "outside"])
@pytest.mark.parametrize("observed", OBSERVED)
def test_a_failing_observer_names_the_line_in_every_engine(role, observed, tmp_path):
    module = failing(tmp_path, observed=observed)
    observer, mark = (module.step_holds, "# so too") if role == "step" else (module.holds, "# there")
    rest = {"constraint": observer} if role == "constraint" else {role: [observer]}
    if role == "step":
        rest = {"always": [observer]}
    if role == "outside":
        module = load(
            tmp_path,
            Path(module.__file__).read_text() + "\n\ndef inside(state: State) -> bool:\n    return state.count < 2\n",
        )
        rest = {"constraint": module.inside, "always": [module.holds]}
    model = Model(name="failing", state=module.State, actions=[module.count_up], **rest)
    results = [check(model, engine) for engine in ENGINES]
    if role == "step" and "state.count - 2" in observed:
        assert {result.verdict for result in results} == {Verdict.HOLDS}
        return
    assert {result.verdict for result in results} == {Verdict.EVALUATION_FAILED}
    [reason] = {result.reason for result in results}
    assert f"{observer.__name__} failed: " in reason and line_of(module, mark) in reason
    assert len({len(result.trace.steps) for result in results}) == 1


@pytest.mark.parametrize("role", ["always", "constraint"])
def test_an_observer_that_fails_on_an_initial_state(role, tmp_path):
    module = failing(tmp_path, observed="state.cells[state.count * 2] == 0")
    text = Path(module.__file__).read_text() + "\n\ndef start(state: State) -> None:\n    state.count = 3\n"
    module = load(tmp_path, text)
    rest = {role: module.holds if role == "constraint" else [module.holds]}
    model = Model(name="failing", state=module.State, initial=module.start, actions=[module.count_up], **rest)
    results = [check(model, engine) for engine in ENGINES]
    [reason] = {result.reason for result in results}
    assert "holds failed: IndexError: index 6 is outside" in reason and line_of(module, "# there") in reason
    assert len({result.trace is None for result in results}) == 1


@pytest.mark.parametrize("model", broken.MODELS, ids=lambda model: model.name)
def test_reasons_do_not_depend_on_the_engine(model):
    results = [check(model, engine) for engine in READINGS]
    assert len({(result.verdict, result.reason) for result in results}) == 1
    assert ".py:" in results[0].reason or model.name == "no_initial_state"


TWO_FAULTS = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class State(Struct):
    count: Annotated[int, Count(9)]
    cells: Annotated[Array[Annotated[int, Count(4)]], ByPosition(9)]


def count_up(state: State, by: Annotated[int, Count(2, 1)]) -> bool:
    if state.count + by > 9:
        return False
    state.count += by
    return True


def act(state: State) -> bool:
    if state.count < ACT:
        return False
    state.cells[state.count + 4] = 1  # in the action
    return True


def holds(state: State) -> bool:
    return state.count < HOLDS or state.cells[state.count + 5] == 0  # in the invariant


def limits(before: State, after: State) -> bool:
    return after.count < LIMITS or after.cells[after.count + 6] == 0  # in the step


MODEL = Model(name="two_faults", state=State, actions=[count_up, act], always=[holds, limits])
"""


@pytest.mark.parametrize(
    ("act", "holds", "limits"),
    [
        (5, 6, 9),
        (6, 5, 9),
        (6, 6, 9),
        (9, 5, 6),
        (9, 6, 5),
        (9, 6, 6),
        (5, 9, 6),
        (6, 9, 5),
        (6, 9, 6),
        (6, 6, 6),
        (7, 6, 5),
    ],
)
def test_of_several_failures_every_engine_reports_the_same(act, holds, limits, tmp_path):
    text = TWO_FAULTS.replace("ACT", str(act)).replace("HOLDS", str(holds)).replace("LIMITS", str(limits))
    model = load(tmp_path, text).MODEL
    results = [check(model, engine) for engine in READINGS]
    assert results[0].verdict is Verdict.EVALUATION_FAILED
    assert results[0].reason == results[1].reason
    assert results[0].trace is not None and results[1].trace is not None
    assert [step.state for step in results[0].trace.steps] == [step.state for step in results[1].trace.steps]


STARTS = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class State(Struct):
    count: Annotated[int, Count(9)]


def start(state: State, count: Annotated[int, Count(9)]) -> None:
    state.count = count


def act(state: State) -> bool:
    return False


def inside(state: State) -> bool:
    return state.count != OUTSIDE


def holds(state: State) -> bool:
    return state.count > 1 and 6 // (state.count - OUTSIDE) // (state.count - FAILS) >= -99


MODEL = Model(name="starts", state=State, initial=start, actions=[act], always=[holds], constraint=inside)
"""


@pytest.mark.parametrize(("outside", "fails"), [(4, 6), (6, 4), (4, 4), (0, 9), (9, 0)])
def test_of_several_initial_states_that_fail_every_engine_reports_the_same(outside, fails, tmp_path):
    """Also if an earlier one violates the property: all are evaluated."""
    text = STARTS.replace("OUTSIDE", str(outside)).replace("FAILS", str(fails))
    model = load(tmp_path, text).MODEL
    found = [check(model, engine) for engine in READINGS]
    assert len({(each.verdict, each.reason, each.trace is None) for each in found}) == 1
    lengths = {len(each.trace.steps) for each in found if each.trace is not None}
    assert len(lengths) <= 1
