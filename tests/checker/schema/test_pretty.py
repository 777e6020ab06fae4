"""States and their differences as text."""

from enum import IntEnum
from typing import Annotated

import pytest
from hypothesis import given, settings

from kafkacheck.checker.schema import Array, ById, ByPosition, Count, EnumOf, Epoch, Flag, Id, IdSet, Offset, Struct
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.pretty import Change, difference, kind_value_text, state_lines, value_text
from tests.support.schemas import BOUNDS, schemas_with_states


class Mode(IntEnum):
    LATER = 2
    NOW = 1
    SOON = 2


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Id("members"), 0, "0"),
        (Id("members", none=-1), -1, "none"),
        (Id("members", none=-1), 2, "2"),
        (Epoch("size", none=-1), -1, "none"),
        (Epoch("size"), 3, "3"),
        (Offset("size"), 4, "4"),
        (Count(3, -3), -1, "-1"),
        (Flag(), 0, "false"),
        (Flag(), 1, "true"),
        (Flag(), True, "true"),
        (IdSet("members"), 0, "{}"),
        (IdSet("members"), 0b1, "{0}"),
        (IdSet("members"), 0b101, "{0, 2}"),
        (IdSet("members"), 1 << 29, "{29}"),
        (EnumOf(Mode), 1, "NOW"),
        (EnumOf(Mode), 2, "LATER"),
        (EnumOf(Mode), 9, "9"),
        (Count(3), Mode.NOW, "1"),
    ],
)
def test_a_value_of_each_kind(kind, value, text):
    assert kind_value_text(kind, value) == text


class Cell(Struct):
    mode: Annotated[Mode, EnumOf(Mode)]
    owner: Annotated[int, Id("members", none=-1)]


class State(Struct):
    cells: Annotated[Array[Cell], ById("members")]
    ids: Annotated[int, IdSet("members")]
    marks: Annotated[Array[Annotated[bool, Flag()]], ByPosition(2)]


LAYOUT = Layout(State, {"members": 2})


def test_a_state_line_by_line():
    state = LAYOUT.blank()
    state.ids = 0b11
    state.cells[1].owner = 0
    assert state_lines(LAYOUT, LAYOUT.flatten(state)) == [
        "cells[0].mode = NOW",
        "cells[0].owner = none",
        "cells[1].mode = NOW",
        "cells[1].owner = 0",
        "ids = {0, 1}",
        "marks[0] = false",
        "marks[1] = false",
    ]


def test_the_difference_lists_changed_scalars_in_order_of_declaration():
    before, after = LAYOUT.blank(), LAYOUT.blank()
    assert difference(LAYOUT, LAYOUT.flatten(before), LAYOUT.flatten(after)) == []
    after.marks[1] = True
    after.cells[1].mode = Mode.LATER
    before.cells[0].owner = 1
    assert difference(LAYOUT, LAYOUT.flatten(before), LAYOUT.flatten(after)) == [
        Change("cells[0].owner", "1", "none"),
        Change("cells[1].mode", "NOW", "LATER"),
        Change("marks[1]", "false", "true"),
    ]
    assert [str(change) for change in difference(LAYOUT, LAYOUT.flatten(before), LAYOUT.flatten(after))] == [
        "cells[0].owner: 1 -> none",
        "cells[1].mode: NOW -> LATER",
        "marks[1]: false -> true",
    ]


def test_true_and_1_are_no_difference():
    before, after = LAYOUT.blank(), LAYOUT.blank()
    before.marks[0], after.marks[0] = 1, True
    assert difference(LAYOUT, LAYOUT.flatten(before), LAYOUT.flatten(after)) == []


@settings(max_examples=40)
@given(schemas_with_states(2))
def test_the_difference_is_where_the_lines_differ(drawn_and_states):
    drawn, states = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    before, after = states
    lines = zip(state_lines(layout, before), state_lines(layout, after), strict=True)
    changes = [(f"{one}", f"{other}") for one, other in lines if one != other]
    found = difference(layout, before, after)
    assert [(f"{each.path} = {each.before}", f"{each.path} = {each.after}") for each in found] == changes
    assert all(each.before != each.after for each in found)
    assert len(found) == sum(one != other for one, other in zip(*states, strict=True))


@settings(max_examples=40)
@given(schemas_with_states(1))
def test_the_text_of_a_leaf_follows_its_kind(drawn_and_states):
    drawn, [values] = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    for leaf, value in zip(layout.leaves, values, strict=True):
        assert value_text(leaf, value) == kind_value_text(leaf.kind, value)
