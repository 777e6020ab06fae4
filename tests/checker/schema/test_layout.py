"""Layouts: leaves, ranges, packing, JSON and objects agree with the declaration, for random schemas."""

import copy
import json
import pickle
from enum import IntEnum
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.schema import Array, ByPosition, Count, EnumOf, Epoch, Flag, Id, IdSet, Struct
from kafkacheck.checker.schema.layout import MOST_LEAVES, WORD_BITS, Layout
from kafkacheck.checker.schema.rows import OutOfRangeError, Rows
from tests.support.schemas import BOUNDS, scalars_of, schemas_with_states, struct, value_at

some = settings(max_examples=40)


@some
@given(schemas_with_states(1))
def test_leaves_are_the_scalars_in_order_of_declaration(drawn_and_states):
    drawn, _ = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    assert [(f".{leaf.path}", leaf.low, leaf.high) for leaf in layout.leaves] == drawn.leaves
    assert layout.blank_values == tuple(drawn.blank)
    assert list(scalars_of(layout.blank())) == drawn.blank
    assert layout.type_ok(layout.blank())


@some
@given(schemas_with_states(1))
def test_packed_fields_lie_side_by_side_within_words(drawn_and_states):
    drawn, _ = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    used = set()
    for leaf in layout.leaves:
        assert 2**leaf.bits > leaf.high - leaf.low >= (2 ** (leaf.bits - 1) if leaf.bits else 0)
        assert leaf.shift + leaf.bits <= WORD_BITS
        bits = {(leaf.word, leaf.shift + bit) for bit in range(leaf.bits)}
        assert not bits & used
        used |= bits
    assert layout.word_count == max(leaf.word for leaf in layout.leaves) + 1
    assert layout.word_count <= 1 + len(used) // (WORD_BITS - 31)


@some
@given(schemas_with_states(3))
def test_states_survive_every_form(drawn_and_states):
    drawn, states = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    for values in states:
        state = layout.restore(values)
        assert layout.flatten(state) == values
        assert tuple(scalars_of(state)) == values
        assert all(value_at(state, leaf.path) == value for leaf, value in zip(layout.leaves, values, strict=True))
        saved = json.loads(json.dumps(layout.to_json(state)))
        assert layout.from_json(saved) == state
        assert layout.to_json(layout.from_json(saved)) == saved
        assert layout.flatten(copy.deepcopy(state)) == values
    rows = np.array(states, dtype=np.int64)
    words = layout.pack(rows)
    assert words.shape == (len(states), layout.word_count) and words.dtype == np.uint64
    assert (layout.unpack(words) == rows).all()
    assert len({bytes(row) for row in words}) == len(set(states))
    bytes_of = Rows(layout)
    assert [bytes_of.values(bytes_of.row(values)) for values in states] == states
    assert len({bytes_of.row(values) for values in states}) == len(set(states))


@pytest.mark.parametrize(
    ("low", "high", "size"),
    [(0, 127, 1), (-1, 3, 1), (-128, 0, 1), (0, 128, 2), (-129, 0, 2), (0, 2**15, 4), (-(2**31) + 1, 2**31 - 1, 4)],
)
def test_a_row_takes_as_many_bytes_as_a_range_needs(low, high, size):
    rows = Rows(Layout(struct("State", {"value": Annotated[int, Count(high, low)]}), BOUNDS))
    assert {len(rows.row((value,))) for value in (low, high)} == {size}
    with pytest.raises(OutOfRangeError):
        rows.row((2**31,))


@some
@given(schemas_with_states(2))
def test_equality_and_copies(drawn_and_states):
    drawn, (one, other) = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    state = layout.restore(one)
    assert (state == layout.restore(other)) == (one == other)
    twin = state.copy()
    assert twin == state and type(twin) is type(state)
    for leaf, value in zip(layout.leaves, other, strict=True):
        exec(f"twin.{leaf.path} = {value}", {"twin": twin})
    assert layout.flatten(twin) == other
    assert layout.flatten(state) == one


@some
@given(schemas_with_states(1), st.data())
def test_a_value_outside_its_range_is_found(drawn_and_states, data):
    drawn, [values] = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    assert layout.in_range(values) and layout.first_out_of_range(values) is None
    place = data.draw(st.integers(0, len(values) - 1))
    leaf = layout.leaves[place]
    for wrong in (leaf.low - 1, leaf.high + 1, leaf.low - 2**40, leaf.high + 2**40):
        bad = (*values[:place], wrong, *values[place + 1 :])
        assert not layout.in_range(bad)
        assert layout.first_out_of_range(bad) == (leaf, wrong)
        assert not layout.type_ok(layout.restore(bad))


@some
@given(schemas_with_states(1))
def test_the_dtype_is_the_leaves_in_order(drawn_and_states):
    drawn, [values] = drawn_and_states
    layout = Layout(drawn.annotation, BOUNDS)
    assert layout.dtype.itemsize == 8 * len(layout.leaves)
    table = np.array([values], dtype=np.int64).view(layout.dtype).reshape(1)
    for leaf, value in zip(layout.leaves, values, strict=True):
        found = table[0]
        for step in leaf.steps:
            found = found[step]
        assert int(found) == value


class Colour(IntEnum):
    GREEN = 2
    RED = 1


class Inner(Struct):
    epoch: Annotated[int, Epoch(4, none=-1)]
    colour: Annotated[Colour, EnumOf(Colour)]


class Outer(Struct):
    owner: Annotated[int, Id("members", none=-1)]
    ids: Annotated[int, IdSet("members")]
    up: Annotated[bool, Flag()]
    inner: Annotated[Array[Inner], ByPosition(2)]


BLANK = {
    "owner": None,
    "ids": [],
    "up": False,
    "inner": [{"epoch": None, "colour": "RED"}, {"epoch": None, "colour": "RED"}],
}


def test_json_says_what_a_reader_expects():
    layout = Layout(Outer, {"members": 3})
    state = layout.blank()
    assert layout.to_json(state) == BLANK
    state.owner, state.ids, state.up, state.inner[1].epoch, state.inner[0].colour = 2, 0b101, True, 0, Colour.GREEN
    assert layout.to_json(state) == {
        "owner": 2,
        "ids": [0, 2],
        "up": True,
        "inner": [{"epoch": None, "colour": "GREEN"}, {"epoch": 0, "colour": "RED"}],
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"owner": 3}, "state.owner: 3 is outside -1 .. 2"),
        ({"owner": True}, "state.owner: true is not a value of Id"),
        ({"owner": 1.0}, "state.owner: 1.0 is not a value of Id"),
        ({"owner": "1"}, 'state.owner: "1" is not a value of Id'),
        ({"ids": 5}, "state.ids: 5 is not a value of IdSet"),
        ({"ids": [3]}, "state.ids: [3] is outside 0 .. 7"),
        ({"ids": [-1]}, "state.ids: [-1] is not a value of IdSet"),
        ({"ids": [10**9]}, "is not a value of IdSet"),
        ({"ids": [True]}, "is not a value of IdSet"),
        ({"up": 1}, "state.up: 1 is not a value of Flag"),
        ({"up": None}, "state.up: null is not a value of Flag"),
        ({"inner": []}, "state.inner: expected a list of 2, found 0"),
        ({"inner": {}}, "state.inner: expected a list of 2, found {}"),
        ({"inner": [BLANK["inner"][0], 7]}, "state.inner[1]: expected the fields epoch, colour, found 7"),
        ({"inner": [BLANK["inner"][0], {"epoch": None}]}, "state.inner[1]: expected the fields epoch, colour"),
        ({"inner": [BLANK["inner"][0], {"epoch": 5, "colour": "RED"}]}, "state.inner[1].epoch: 5 is outside -1 .. 4"),
        (
            {"inner": [BLANK["inner"][0], {"epoch": 1, "colour": "BLUE"}]},
            'state.inner[1].colour: "BLUE" is not a value',
        ),
        ({"inner": [BLANK["inner"][0], {"epoch": 1, "colour": 1}]}, "state.inner[1].colour: 1 is not a value"),
        ({"extra": 1}, 'state: expected the fields owner, ids, up, inner, found ["extra", "ids", "inner"'),
    ],
)
def test_json_that_does_not_fit_names_the_path(change, words):
    with pytest.raises(UsageError) as caught:
        Layout(Outer, {"members": 3}).from_json({**BLANK, **change})
    assert words in str(caught.value)


@pytest.mark.parametrize("data", [None, [], 3, "state", {}])
def test_json_that_is_no_state(data):
    with pytest.raises(UsageError, match="state: expected the fields owner, ids, up, inner"):
        Layout(Outer, {"members": 3}).from_json(data)


def test_an_id_set_in_json_may_come_in_any_order():
    layout = Layout(Outer, {"members": 3})
    assert layout.from_json({**BLANK, "ids": [2, 0, 2]}).ids == 0b101


def test_states_can_be_pickled_and_show_what_they_hold():
    layout = Layout(Outer, {"members": 3})
    state = layout.blank()
    state.inner[1].epoch = 3
    again = pickle.loads(pickle.dumps(state))
    assert again == state and again is not state
    assert repr(state) == ("Outer(owner=-1, ids=0, up=0, inner=[Inner(epoch=-1, colour=1), Inner(epoch=3, colour=1)])")


def test_restored_states_share_nothing():
    layout = Layout(Outer, {"members": 3})
    one, other = layout.blank(), layout.blank()
    one.inner[0].epoch = 2
    assert other.inner[0].epoch == -1


def test_records_of_one_class_name_are_kept_apart():
    first = struct("Same", {"number": Annotated[int, Count(1)]})
    second = struct("Same", {"number": Annotated[int, Count(9, 5)]})
    layout = Layout(struct("Both", {"first": first, "second": second}), {})
    state = layout.blank()
    assert (type(state.first), type(state.second)) == (first, second)
    assert layout.blank_values == (0, 5)


def test_a_field_with_one_value_takes_no_room():
    layout = Layout(struct("Fixed", {name: Annotated[int, Count(3, 3)] for name in "abc"}), {})
    assert [leaf.bits for leaf in layout.leaves] == [0, 0, 0]
    rows = np.array([[3, 3, 3]])
    assert (layout.unpack(layout.pack(rows)) == rows).all()


def test_a_word_can_be_filled_to_its_last_bit():
    fields = {f"n{number}": Annotated[int, Count(2**31 - 1, -(2**31 - 1))] for number in range(4)}
    fields["fixed"] = Annotated[int, Count(7, 7)]
    layout = Layout(struct("Full", fields), {})
    assert [(leaf.word, leaf.shift, leaf.bits) for leaf in layout.leaves[:4]] == [
        (0, 0, 32),
        (0, 32, 32),
        (1, 0, 32),
        (1, 32, 32),
    ]
    rows = np.array([[2**31 - 1, -(2**31 - 1), 0, 2**31 - 1, 7], [-(2**31 - 1)] * 4 + [7]])
    assert (layout.unpack(layout.pack(rows)) == rows).all()


def test_a_state_has_at_least_one_scalar_and_not_too_many():
    with pytest.raises(ModelError, match="Empty has no fields"):
        Layout(struct("Empty", {}), {})
    cells = struct("Cells", {"cells": Annotated[Array[bool], ByPosition("size")]})
    assert len(Layout(cells, {"size": MOST_LEAVES}).leaves) == MOST_LEAVES
    for size in (MOST_LEAVES + 1, 10**9, 10**30):
        with pytest.raises(ModelError, match=r"Cells has .* scalars at these bounds.*lower the bounds"):
            Layout(cells, {"size": size})


def test_records_of_a_layout():
    layout = Layout(Outer, {"members": 3})
    inner = layout.record(Inner)
    assert inner is not None and [name for name, _ in inner.fields] == ["epoch", "colour"]
    assert inner.field("epoch") is not None and inner.field("leader") is None
    assert layout.record(struct("Other", {"a": bool})) is None
