"""Proofs, bounded checks and comparisons are held against plain Python: whatever is damaged, nothing false is said."""

import json

import pytest

from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.proofs import bmc, confirmation, solver, workers
from kafkacheck.checker.proofs.obligations import CODE, DISABLED, RANGES, Obligation, obligations
from kafkacheck.checker.proofs.proof_cache import ProofCache
from kafkacheck.checker.proofs.prove import Settings, prove
from kafkacheck.checker.proofs.solver import Answer, Status
from kafkacheck.checker.symbolic import symbolic
from kafkacheck.checker.symbolic.terms import FALSE, TRUE
from tests.checker.proofs.test_prove import ALONE, counter
from tests.support.command import TANK, Command, write
from tests.support.snippets import load
from tests.toys import every_kind, peterson

pytestmark = pytest.mark.slow

NEVER = Answer(Status.UNSATISFIABLE)


@pytest.fixture
def kafkacheck(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    return Command(capsys)


@pytest.fixture
def tank(tmp_path):
    return write(tmp_path / "tank.py", TANK)


def solver_says_never(monkeypatch):
    monkeypatch.setattr(workers, "solve", lambda *given: NEVER)


def cache_knows_all(monkeypatch):
    monkeypatch.setattr(ProofCache, "has", lambda self, each: True)


def form_says_all(monkeypatch):
    monkeypatch.setattr(Obligation, "is_trivial", property(lambda self: True))


def stores_are_lost(monkeypatch):
    monkeypatch.setattr(symbolic._Call, "_store", lambda self, place, value: None)


def faults_are_lost(monkeypatch):
    monkeypatch.setattr(symbolic._Call, "_fails", lambda self, condition: None)


WRONG = [
    ({"INDEX": "state.up"}, CODE, "look"),
    ({"LAST": "12"}, RANGES, "move"),
    ({"EARLY": "5"}, DISABLED, "half_done"),
    ({"LEMMAS": "[]"}, RANGES, "move"),  # from states that no search reaches
    ({"ALWAYS": "[up_is_even]"}, "up_is_even", "move"),
    ({"LEMMAS": "[sum_stays, up_is_even]"}, "up_is_even", "move"),
]
"""What is not so, of which every damage below says that it is proved."""


@pytest.mark.parametrize(("changes", "subject", "action"), WRONG)
@pytest.mark.parametrize("damage", [solver_says_never, cache_knows_all, form_says_all])
def test_what_is_proved_wrongly_is_contradicted(tmp_path, monkeypatch, damage, changes, subject, action):
    damage(monkeypatch)
    model = counter(tmp_path, **changes)
    with pytest.raises(SelfCheckError, match=r"counter: .* (in|after) .* is proved") as raised:
        prove(model, ALONE)
    assert "trust neither answer" in str(raised.value) and raised.value.details.startswith("a state that contradicts")
    everything = [*model.lemmas, *model.properties]
    invariants, steps = ([each for each in everything if each.is_step == is_step] for is_step in (False, True))
    asked = obligations(model, invariants, steps)
    assumed = [each.assuming(asked.invariant) for each in (*asked.contract, *asked.preservation)]
    (wrong,) = [(each, "by magic") for each in assumed if (each.subject, each.action) == (subject, action)]
    with pytest.raises(SelfCheckError, match=rf"{subject} (in|after) {action} is proved \(by magic\)"):
        confirmation.Confirmation(model, invariants, steps).confirm([wrong], is_whole=False)


@pytest.mark.parametrize(
    ("damage", "changes", "subject"),
    [
        (stores_are_lost, {"ALWAYS": "[up_is_even]"}, "(ranges in move|up_is_even after move)"),
        (stores_are_lost, {"EARLY": "5"}, "(ranges in move|disabled changes nothing in half_done)"),
        (faults_are_lost, {"INDEX": "state.up"}, "no error in look"),
    ],
)
def test_what_a_formula_has_lost_is_contradicted(tmp_path, monkeypatch, damage, changes, subject):
    damage(monkeypatch)
    with pytest.raises(SelfCheckError, match=f"counter: {subject} is proved"):
        prove(counter(tmp_path, **changes), ALONE)


def test_a_property_of_steps_is_contradicted(tmp_path, monkeypatch):
    solver_says_never(monkeypatch)
    with pytest.raises(SelfCheckError, match="rises_slowly after fill is proved"):
        prove(load(tmp_path, TANK).MODEL.with_rules({"pour": 2}), ALONE)


def test_a_search_contradicts_where_no_state_that_is_drawn_does(tmp_path, monkeypatch):
    solver_says_never(monkeypatch)
    monkeypatch.setattr(confirmation, "draw", lambda *given: None)
    with pytest.raises(SelfCheckError, match=r"everything is proved, but a search .* after 4 states: never_full"):
        prove(load(tmp_path, TANK).MODEL.with_rules({"valve": "OPEN"}), ALONE, ["never_full"])


def test_a_state_of_the_solvers_that_breaks_nothing_is_a_contradiction(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "solve", lambda *given: Answer(Status.SATISFIABLE))
    with pytest.raises(SelfCheckError, match=r"by the solver .* breaks .*, in plain Python it does not"):
        prove(peterson.MODEL, ALONE)


@pytest.mark.parametrize("model", [peterson.MODEL, every_kind.MODEL], ids=lambda model: model.name)
def test_it_is_said_how_much_agrees(model):
    confirmed = prove(model, ALONE).confirmed
    assert confirmed.searched > 0 and confirmed.calls >= confirmed.enabled > 0
    assert confirmed.drawn >= confirmed.assumed > 0


def test_processes_and_cached_proofs_are_held_against_plain_python_too(tmp_path, monkeypatch):
    monkeypatch.setenv("KAFKACHECK_CACHE", str(tmp_path / "cache"))
    for settings in (Settings(jobs=2), Settings(jobs=2)):
        assert prove(peterson.MODEL, settings).confirmed.calls > 0


def test_a_deadlock_contradicts_no_proof(tmp_path):
    model = load(tmp_path, TANK).MODEL.with_rules({"drains": False})
    assert prove(model, ALONE, ["rises_slowly"]).is_proved


def test_where_no_initial_state_is_inside_nothing_is_proved(kafkacheck, tmp_path):
    text = TANK.replace(
        "MODEL = Model(", "def half_full(tank: Tank) -> bool:\n    return tank.level == 1\n\n\nMODEL = Model("
    )
    text = text.replace("always=[", "constraint=half_full,\n    always=[")
    ended = kafkacheck("prove", write(tmp_path / "outside.py", text))
    assert ended.status == 75 and "every initial state lies outside the constraint half_full" in ended.error


ALIKE = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Count, Struct


class State(Struct):
    tick: Annotated[int, Count(2)]
    level: Annotated[int, Count(3)]


def rise(state: State) -> bool:
    state.tick = (state.tick + 1) % 3
    if state.level < 3:
        state.level += 1
    return True


def wait(state: State) -> bool:
    state.tick = (state.tick + 1) % 3
    return True


def rest(state: State) -> bool:
    state.tick = (state.tick + 1) % 3
    return True


def square(state: State) -> bool:
    return state.tick * state.tick % 7 != 3


def low(state: State) -> bool:
    return state.level != 2


MODEL = Model(name="alike", state=State, actions=[wait, rest, rise], always=[square, low])
"""


@pytest.mark.parametrize("jobs", [0, 2])
def test_obligations_that_are_one_question_do_not_take_the_answers_of_others(tmp_path, monkeypatch, jobs):
    """`square after rest` is the question `square after wait`; each later one must get its own answer."""
    monkeypatch.setattr(confirmation.Confirmation, "confirm", lambda self, *given: None)  # which would notice it
    model = load(tmp_path, ALIKE).MODEL
    proof = prove(model, Settings(jobs=jobs, use_cache=False))
    outcomes = {(each.obligation.subject, each.obligation.action): each.outcome.name for each in proof.checked}
    assert outcomes["low", "rise"] == "FAILED" and outcomes["square", "rise"] == "PROVED"
    assert [name for name, outcome in outcomes.items() if outcome != "PROVED"] == [("low", "rise")]


STILL = """
def drain(tank: Tank) -> bool:
    tank.level = tank.level
    return True


MODEL = Model("""


def test_a_broken_contract_of_which_nothing_is_proved_is_an_error_of_the_model(kafkacheck, tmp_path):
    text = TANK.replace("def drain(", "def drain_well(").replace("MODEL = Model(", STILL)
    ended = kafkacheck("prove", write(tmp_path / "still.py", text))
    assert ended.status == 75 and "returned True and changed nothing" in ended.error


def test_drawing_states_is_bounded_and_always_the_same():
    layout = every_kind.MODEL.layout
    runs = [], []
    for drawn in runs:
        confirmation.draw(
            every_kind.MODEL, [layout.blank_values], lambda values, _, drawn=drawn: not drawn.append(values)
        )
    shorter = min(map(len, runs))
    assert 0 < shorter <= confirmation.MOST_DRAWN and runs[0][:shorter] == runs[1][:shorter]
    assert all(map(layout.in_range, runs[0])) and len(set(runs[0])) == len(runs[0])


# what the commands say


def test_prove_never_says_proved_of_what_is_contradicted(kafkacheck, tank, monkeypatch):
    cache_knows_all(monkeypatch)
    for more in ([], ["--json"], ["--lemmas", "auto"]):
        ended = kafkacheck("prove", tank, "--set", "valve=OPEN", *more)
        assert ended.status == 70 and "PROVED" not in ended.out
        assert "never_full after fill is proved (proved before)" in ended.error
        assert "a state that contradicts a proof:\n    level = 2\n" in ended.err


def test_the_commands_say_how_much_agrees(kafkacheck, tank):
    for command in (("prove", tank), ("bmc", tank, "--depth", "2"), ("equivalent", tank, tank)):
        ended = kafkacheck(*command)
        assert "tank: plain Python agrees: a search of 3 states, all there are; " in ended.out
        confirmed = json.loads(kafkacheck(*command, "--json").out)["confirmed"]
        assert confirmed["searched"] == 3 and confirmed["calls"] > 0
    assert json.loads(kafkacheck("prove", tank, "--set", "valve=OPEN", "--json").out)["verdict"] == "VIOLATED"


# bounded checks


def asked_for(monkeypatch, wrong):
    """Let the solver answer a bounded check's questions by `wrong`, which is given the real one and what is asked."""
    ask = solver.Session.ask
    monkeypatch.setattr(solver.Session, "ask", lambda self, *given: wrong(lambda: ask(self, *given), given))


def test_behaviours_of_one_state_are_confirmed_from_any_state(kafkacheck, tank):
    """The only initial state is a constant in what the solver is asked; what is confirmed must not be."""
    for depth in ("1", "2"):
        ended = kafkacheck("bmc", tank, "--depth", depth)
        assert ended.status == 20 and ended.last_line.startswith(f"tank: BOUNDED depth={depth}"), ended.error


def test_a_search_contradicts_a_bounded_check_that_is_long_enough(kafkacheck, tank, monkeypatch):
    asked_for(monkeypatch, lambda real, given: NEVER if given else real())
    ended = kafkacheck("bmc", tank, "--depth", "3", "--set", "valve=OPEN")
    assert ended.status == 20 and ended.last_line.startswith("tank: BOUNDED depth=3")
    ended = kafkacheck("bmc", tank, "--depth", "4", "--set", "valve=OPEN")
    assert ended.status == 70 and "BOUNDED" not in ended.out
    assert "nothing is wrong in 4 states, but a search" in ended.error and "never_full is violated" in ended.error
    ended = kafkacheck("bmc", tank, "--depth", "3", "--set", "drains=false")
    assert ended.status == 70 and "no action is enabled" in ended.error
    ended = kafkacheck("bmc", tank, "--depth", "2", "--set", "capacity=0")
    assert ended.status == 70 and "outside its range 0 .. 0" in ended.error


def test_behaviours_that_go_on_contradict_a_bounded_check(kafkacheck, tank, monkeypatch):
    asked_for(monkeypatch, lambda real, given: NEVER)
    ended = kafkacheck("bmc", tank, "--depth", "5")
    assert ended.status == 70 and "no behaviour has more than 0 states" in ended.error and "HOLDS" not in ended.out


def test_formulas_that_lose_stores_contradict_a_bounded_check(kafkacheck, tank, monkeypatch):
    monkeypatch.setattr(bmc, "_agree", lambda one, other: TRUE)
    stores_are_lost(monkeypatch)
    ended = kafkacheck("bmc", tank, "--depth", "2", "--set", "drains=true")
    assert ended.status == 70 and "by its formula fill() returns True and leads to" in ended.error


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda patch: patch.setattr(symbolic, "holds", lambda *given: FALSE), "never_full is violated in the state"),
        (stores_are_lost, "breaks its contract in the state"),
    ],
)
def test_what_a_bounded_check_finds_wrong_must_be_wrong_in_plain_python(kafkacheck, tank, monkeypatch, damage, message):
    damage(monkeypatch)
    ended = kafkacheck("bmc", tank, "--depth", "3")
    assert ended.status == 70 and message in ended.error and "VIOLATED" not in ended.out


# comparisons


def test_actions_that_are_said_to_be_equivalent_are_compared(kafkacheck, tank, tmp_path, monkeypatch):
    other = write(tmp_path / "other.py", TANK.replace("tank.level -= 1", "tank.level -= 2"))
    monkeypatch.setattr(workers, "reply_to", lambda question, translation: workers.Reply(NEVER, 0.0))
    monkeypatch.setattr("kafkacheck.checker.commands.equivalent.worker_count", lambda: 0)
    ended = kafkacheck("equivalent", tank, other)
    assert ended.status == 70 and "the two drain are said to be equivalent" in ended.error
    assert "EQUIVALENT" not in ended.out


def test_actions_that_are_said_to_differ_are_compared(kafkacheck, tank, monkeypatch):
    stores_are_lost(monkeypatch)  # in this process, not in the one that reads the other model
    ended = kafkacheck("equivalent", tank, tank)
    assert ended.status == 70 and "have formulas that say" in ended.error and "DIFFERENT" not in ended.out
