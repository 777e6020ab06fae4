"""An action that is charged happens as often as its allowance says, in every reading, without a word in its code."""

import json

import pytest

from kafkacheck.checker.language.signature import signature_of
from kafkacheck.checker.model import Family, Model
from kafkacheck.checker.mutation.substitution import mutants, switched
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.proofs.bmc import BoundedVerdict, check_bounded
from kafkacheck.checker.proofs.prove import Outcome, Settings, prove
from kafkacheck.checker.search import check
from kafkacheck.checker.traces import saved
from kafkacheck.checker.traces.replay import replay
from kafkacheck.checker.traces.trace import to_json
from tests.support.behaviours import run
from tests.support.command import write
from tests.support.snippets import load
from tests.toys import printer
from tests.toys.printer import MODEL, PRINTING, page_is_printed, printer_jams

BY_HAND = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Allowance, Array, ByPosition, Count, Struct


class Budget(Struct):
    jams: BUDGET


class State(Struct):
    waiting: Annotated[int, Count(2)]
    budget: Budget


def page_is_added(state: State) -> bool:
    if state.waiting == 2:
        return False
    state.waiting += 1
    return True


def printer_jams(state: State) -> bool:
    CODE
    if state.waiting == 0:
        return False
    return page_is_lost(state)


def page_is_lost(state: State) -> bool:
    state.waiting -= 1
    return True


def model(**given: object) -> Model:
    return Model(state=State, bounds={"jams": 2}, actions=[page_is_added, printer_jams], **given)
"""
GUARDED = """if state.budget.jams == 0 or state.waiting == 0:
        return False
    state.budget.jams -= 1"""


def module(tmp_path, code="pass", budget='Annotated[int, Allowance("jams")]'):
    return load(tmp_path, BY_HAND.replace("CODE", code).replace("BUDGET", budget))


def counts(model, engine="interpreted"):
    found = check(model, engine)
    return found.states_distinct, found.states_generated, found.depth


# -- what a charge is ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_charge_is_what_a_guard_and_a_write_would_be(tmp_path, engine):
    by_hand, by_charge = module(tmp_path, GUARDED), module(tmp_path)
    charged = by_charge.model(charges={by_charge.printer_jams: "jams"})
    assert counts(charged, engine) == counts(by_hand.model(), engine)
    assert counts(by_charge.model(), engine)[0] == 3, "without a charge no allowance is used"


def test_nothing_happens_once_the_allowance_is_used_up():
    state = MODEL.layout.restore((3, 0, 0, 1))
    jam = MODEL.action("printer_jams")
    assert not jam.is_used_up(state) and jam.apply(state, (1,))
    assert jam.is_used_up(state) and not jam.apply(state, (1,))
    assert MODEL.layout.flatten(state) == (2, 0, 1, 0)


def test_a_step_that_is_not_taken_costs_nothing():
    state = MODEL.layout.restore((0, 3, 0, 2))
    assert not MODEL.action("printer_jams").apply(state, (1,)) and state.budget.jams == 2


def test_a_bound_of_0_disables_what_is_charged_to_it():
    found = check(MODEL.with_bounds({"jams": 0}), "interpreted")
    assert found.never_fired == ("printer_jams",) and found.unmet == ("all_is_used_up",)


def test_what_is_no_action_of_the_model_and_is_not_called_may_be_charged():
    model = PRINTING.model(actions=[page_is_printed], charges={printer_jams: "jams"})
    assert [each.allowance for each in model.actions] == [""]


def test_an_action_stays_the_function_that_the_model_lists():
    jam = MODEL.action("printer_jams")
    assert jam.function is printer_jams and jam.step.__name__ == "printer_jams" and jam.allowance == "jams"
    assert MODEL.action("page_is_printed").step is page_is_printed
    again = MODEL.with_properties(["few_are_lost"])
    assert [each.function for each in again.actions] == [page_is_printed, printer_jams]
    assert again.action("printer_jams").read is jam.read, "what was read is not read again"


def test_the_budget_has_a_field_for_each_allowance_of_the_family():
    model = PRINTING.model(actions=[page_is_printed], bounds={"spares": 4}, charges={printer.start: "spares"})
    budget = [(leaf.path, leaf.low, leaf.high, leaf.bits) for leaf in model.layout.leaves[3:]]
    assert budget == [("budget.jams", 0, 2, 2), ("budget.spares", 0, 4, 3)]
    assert model.layout.blank().budget.spares == 4
    (state, *_) = model.initial_states()
    assert state.budget.spares == 4, "no initial state pays"


# -- the readings ----------------------------------------------------------------------------------------------


def test_proofs_and_bounded_checks_see_the_charge():
    found = prove(MODEL, Settings(timeout=60, jobs=0, use_cache=False))
    outcomes = {each.obligation.text: each.outcome for each in found.checked}
    assert outcomes["few_are_lost after printer_jams"] is Outcome.PROVED
    assert outcomes["losses_are_charged after printer_jams"] is Outcome.PROVED
    assert outcomes["ranges in printer_jams"] is Outcome.PROVED
    assert check_bounded(MODEL, 7, 60).verdict is not BoundedVerdict.VIOLATED


def test_a_charge_is_no_guard_of_the_protocol():
    names = [each.name for each in mutants(MODEL)]
    assert "printer_jams: if pages > 1: return False: never taken" in names
    assert not [each for each in names if "budget" in each]


def test_functions_with_switches_are_charged_like_the_others():
    changed = switched(MODEL, dict(enumerate(mutants(MODEL)))).action("printer_jams")
    assert changed.allowance == "jams" and changed.function is not printer_jams
    without = switched(MODEL, {}).action("printer_jams")
    assert signature_of([without.read]) == signature_of([MODEL.action("printer_jams").read])


def test_a_replay_says_that_the_allowance_is_used_up(tmp_path):
    document = to_json(run(MODEL.with_bounds({"pages": 1}), [("printer_jams", {"pages": 0})] * 2))
    document["trace"].append(document["trace"][-1])
    document["states"] += 1
    outcome = replay(*loaded(tmp_path, MODEL.with_bounds({"pages": 1}), document))
    assert outcome.failed_call == "printer_jams(pages=0)"
    assert outcome.reason == "it is not enabled: printer_jams is charged to budget.jams, which is 0"


def loaded(tmp_path, model, document):
    trace, unknown = saved.load(model, write(tmp_path / "saved.json", json.dumps(document)))
    return model, trace, unknown


# -- misuse ----------------------------------------------------------------------------------------------------


def test_an_allowance_must_be_a_bound():
    with pytest.raises(ModelError, match=r"charges printer_jams to 'jam', which is no bound; did you mean jams\?; add"):
        PRINTING.model(actions=[page_is_printed, printer_jams], charges={printer_jams: "jam"})


@pytest.mark.parametrize(
    ("charges", "told"),
    [
        ([printer_jams], "`charges` is [<function printer_jams>]; give a dict from actions to names of allowances"),
        ({"printer_jams": "jams"}, "charges 'printer_jams'; charge the function printer_jams, without quotes"),
        ({"printer_jam": "jams"}, "charges 'printer_jam'; charge the function printer_jams, without quotes"),
        ({"nothing": "jams"}, "`charges` charges 'nothing'; charge a function of `actions`"),
        ({"jams": printer_jams}, "give the action first, and then the name of its allowance: {printer_jams: 'name'}"),
        ({page_is_printed: "jams"}, "charges page_is_printed, which is no action of the model; charge functions of"),
        ({printer_jams: ["jams"]}, "`charges` has the name ['jams']; give names as Python has them"),
        ({printer_jams: "two jams"}, "`charges` has the name 'two jams'; give names as Python has them"),
    ],
)
def test_charges_are_names_by_function(charges, told):
    with pytest.raises(ModelError) as caught:
        Model(state=printer.Printer, bounds={"pages": 3, "jams": 2}, actions=[printer_jams], charges=charges)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("code", "budget", "told"),
    [
        ("pass", "Annotated[int, Count('jams')]", ", and Budget.jams is Count(highest='jams', lowest=0); let it be"),
        ("pass", "Annotated[Array[bool], ByPosition('jams')]", ", and Budget.jams is no number; let it be"),
        (
            "state.budget.jams -= 1",
            "Annotated[int, Allowance('jams')]",
            " and writes budget.jams by itself, too; leave",
        ),
        (GUARDED, "Annotated[int, Allowance('jams')]", " and writes budget.jams by itself, too; leave out that write"),
    ],
)
def test_an_allowance_is_a_number_that_only_the_charge_takes_from(tmp_path, code, budget, told):
    snippet = module(tmp_path, code, budget)
    with pytest.raises(ModelError) as caught:
        snippet.model(charges={snippet.printer_jams: "jams"})
    assert f"printer_jams is charged to 'jams'{told}" in str(caught.value)


@pytest.mark.parametrize("charged", [("page_is_lost",), ("page_is_lost", "printer_jams")])
def test_no_action_calls_a_charged_one(tmp_path, charged):
    snippet = module(tmp_path)
    with pytest.raises(ModelError) as caught:
        snippet.model(charges={getattr(snippet, name): "jams" for name in charged})
    assert "printer_jams calls page_is_lost, which is charged to 'jams': only a step by page_is_lost" in str(
        caught.value
    )
    assert "move what both do into a function that is not charged" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("    budget: Budget\n", "    jams: Annotated[int, Allowance('jams')]\n", "and State has no field `budget`"),
        (
            "budget: Budget",
            "budget: Annotated[int, Allowance('jams')]",
            "and State has no record in its field `budget`",
        ),
        (
            "    jams: BUDGET",
            "    jam: Annotated[int, Allowance('jams')]",
            "Budget.jams is missing; did you mean jam?; let",
        ),
    ],
)
def test_a_state_without_the_allowance_is_told(tmp_path, old, new, told):
    snippet = load(tmp_path, BY_HAND.replace(old, new).replace("CODE", "pass").replace("BUDGET", "bool"))
    with pytest.raises(ModelError) as caught:
        snippet.model(charges={snippet.printer_jams: "jams"})
    assert "printer_jams is charged to 'jams', " in str(caught.value) and told in str(caught.value)


def test_a_name_that_no_field_can_have_is_told():
    family = Family(state=printer.Printer, bounds={"pages": 1, "copy": 1}, charges={printer_jams: "copy"})
    with pytest.raises(ModelError, match=r"Budget.copy cannot be a field: the name has a meaning of its own"):
        family.model(actions=[page_is_printed, printer_jams])


def test_charges_that_change_later_are_told():
    charges = {printer_jams: "jams"}
    model = Model(
        state=printer.Printer, bounds={"pages": 1, "jams": 1}, actions=[page_is_printed, printer_jams], charges=charges
    )
    charges[page_is_printed] = "jams"
    with pytest.raises(ModelError, match="`charges` has changed since"):
        check(model, "interpreted")
