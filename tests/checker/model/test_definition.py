"""What `Model(...)` is given, before anything is read in it: by which names, and of which types."""

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change.variants import _others, raised_with
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError, UsageError
from tests.toys.behaviours import GRID
from tests.toys.printer import PRINTING, page_is_printed, printer_jams

GIVEN = {
    "name": "tried",
    "state": GRID.state,
    "bounds": GRID.bounds,
    "actions": [each.function for each in GRID.actions],
}


def refusal(*positional, **given):
    with pytest.raises(ModelError) as caught:
        Model(*positional, **given)
    return str(caught.value)


def test_an_unknown_name_is_told_with_the_nearest_and_the_place():
    said = refusal(**GIVEN, alway=[])
    assert "test_definition.py:" in said
    assert "Model takes no 'alway'; did you mean always?; it takes state, actions, " in said


def test_what_is_missing_is_told():
    assert "Model lacks state, actions; write Model(state=" in refusal(name="tried")
    assert "Model lacks state, actions" in refusal()


def test_arguments_without_names_are_refused():
    assert "Model takes its arguments by name" in refusal("tried")


def test_no_initial_function_is_not_the_same_as_an_empty_list():
    assert Model(**GIVEN, initial=None).initial == ()
    assert "`initial` is []; give at least one function, or leave it out" in refusal(**GIVEN, initial=[])


def test_a_value_is_shown_without_its_address_in_memory():
    assert " at 0x" not in refusal(**GIVEN, always=[object()])
    assert " at 0x" not in refusal(**GIVEN | {"actions": [staticmethod(print)]})


def test_a_bound_that_is_0_or_1_has_no_other_value():
    model = PRINTING.model(actions=[page_is_printed, printer_jams], bounds={"jams": 1}, flags=["jams"])
    assert model.with_bounds({"jams": 0}).bounds["jams"] == 0
    with pytest.raises(UsageError, match="the bound jams is 2; it is 0 or 1"):
        model.with_bounds({"jams": 2})
    assert dict(_others(model)) == {"pages": "4", "jams": "0"}


def test_a_bound_may_not_be_below_another_one():
    model = PRINTING.model(
        actions=[page_is_printed, printer_jams], bounds={"jams": 1}, at_least={"pages": "jams"}
    ).with_bounds({"pages": 2, "jams": 2})
    told = "the bound pages is 2, and may not be below jams, which is 3; set pages=3 or more, too"
    with pytest.raises(UsageError, match=told):
        model.with_bounds({"jams": 3})
    assert model.with_bounds({"jams": 3, "pages": 3}).bounds == {"jams": 3, "pages": 3}
    assert raised_with(model, {"jams": 3}) == {"jams": 3, "pages": 3}
    assert raised_with(model, {"jams": 1}) == {"jams": 1}


def test_bounds_that_are_raised_raise_those_above_them():
    model = catalogue.find_model("migration.mixed")
    assert raised_with(model, {"classic_consumers": 3}) == {"classic_consumers": 3, "members": 3, "member_ids": 3}


def test_only_bounds_are_in_an_order():
    assert "`at_least` is 5; give a dict by name" in refusal(**GIVEN, at_least=5)
    given = GIVEN | {"bounds": {"width": 1}}
    assert "`at_least` names 'widht', which is no bound; the model's bounds are: width" in refusal(
        **given, at_least={"width": "widht"}
    )


def test_flags_are_bounds():
    assert "`flags` names 'widht', which is no bound; did you mean width?" in refusal(
        **GIVEN | {"bounds": {"width": 1}}, flags=["widht"]
    )
    assert "`flags` is 'width'; give a list of names of bounds" in refusal(**GIVEN, flags="width")


def test_a_model_expects_only_a_property_that_it_has():
    said = refusal(**GIVEN, expected="VIOLATED left_is_smal")
    assert "`expected` names left_is_smal, which is no property of it; it has type_ok" in said
    assert Model(**GIVEN, expected="VIOLATED type_ok").with_properties(["type_ok"]).expected == "VIOLATED type_ok"


def test_what_is_listed_is_a_function():
    assert "`always` lists 'small'; give functions, without quotes" in refusal(**GIVEN, always=["small"])
    assert "give functions, and not what they return: leave out the brackets" in refusal(**GIVEN, always=[True])
