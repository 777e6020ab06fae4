"""Bars along the lanes show which lane holds what, and when: two that hold one thing at a time overlap."""

import re
from dataclasses import replace
from typing import Annotated

import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.drawing import Event, Held, Lanes
from kafkacheck.checker.model import Model
from kafkacheck.checker.pictures.lanes import Story
from kafkacheck.checker.pictures.lanes_picture import HELD, SHADES, lanes_svg
from kafkacheck.checker.pictures.render import trace_text
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema import Array, ById, Flag, Id, Ids, IdSet, Struct
from kafkacheck.checker.search import check
from tests.support.behaviours import run

GuestId = Annotated[int, Id("guests")]
KeyId = Annotated[int, Id("keys")]


class Guest(Struct):
    """A guest with keys, who is awake or not."""

    keys: Annotated[Ids, IdSet("keys")]
    is_awake: Annotated[bool, Flag()]


class Hotel(Struct):
    """Its guests."""

    guests: Annotated[Array[Guest], ById("guests")]


def guest_takes(hotel: Hotel, guest_id: GuestId, key_id: KeyId) -> bool:
    if key_id in hotel.guests[guest_id].keys:
        return False
    hotel.guests[guest_id].keys |= {key_id}
    return True


def guest_returns(hotel: Hotel, guest_id: GuestId, key_id: KeyId) -> bool:
    if key_id not in hotel.guests[guest_id].keys:
        return False
    hotel.guests[guest_id].keys -= {key_id}
    return True


def guest_wakes(hotel: Hotel, guest_id: GuestId) -> bool:
    if hotel.guests[guest_id].is_awake:
        return False
    hotel.guests[guest_id].is_awake = True
    return True


LANES = Lanes(
    array="guests",
    title="guest {lane}",
    text="has {keys}",
    held=Held(ids=("keys",), text="key"),
    events={
        "guest_takes": Event("guest_id", "takes key {key_id}"),
        "guest_returns": Event("guest_id", "returns key {key_id}"),
        "guest_wakes": Event("guest_id", "wakes"),
    },
)
MODEL = Model(
    name="hotel",
    state=Hotel,
    bounds={"guests": 2, "keys": 10},
    actions=[guest_takes, guest_returns, guest_wakes],
    drawing=LANES,
)


def takes(guest_id, key_id):
    return ("guest_takes", {"guest_id": guest_id, "key_id": key_id})


def returns(guest_id, key_id):
    return ("guest_returns", {"guest_id": guest_id, "key_id": key_id})


def bars(calls):
    """The bars of the picture of these calls."""
    return bars_of(lanes_svg(run(MODEL, calls, None), LANES, None))


def bars_of(picture):
    """The bars of a picture from the top: the colour, the place from the left, top and bottom of each."""
    pattern = r'<line x1="([0-9.]+)" y1="([0-9.]+)" x2="\1" y2="([0-9.]+)" stroke="([^"]+)" stroke-width="([0-9.]+)"'
    found = [(colour, float(x), float(y), float(low)) for x, y, low, colour, width in re.findall(pattern, picture)
             if float(width) == HELD]  # fmt: skip
    return sorted(found, key=lambda each: each[2])


def test_two_lanes_that_hold_one_thing_have_overlapping_bars_of_one_colour():
    one, other = bars([takes(0, 1), takes(1, 1), ("guest_wakes", {"guest_id": 0})])
    assert one[0] == other[0] == SHADES[1]
    assert one[1] < other[1], "beside different lanes"
    assert one[2] < other[2] < one[3], "the second one begins before the first one ends"
    assert one[3] == other[3], "both last to the end"


def test_a_thing_that_is_handed_over_has_bars_one_after_the_other():
    one, other = bars([takes(0, 1), returns(0, 1), takes(1, 1)])
    assert one[0] == other[0] and one[1] != other[1]
    assert one[2] < one[3] < other[2] < other[3]


def test_a_lane_that_takes_a_thing_again_has_two_bars_at_one_place():
    one, other = bars([takes(0, 1), returns(0, 1), takes(0, 1)])
    assert one[:2] == other[:2] and one[3] < other[2]


def test_things_of_one_lane_are_side_by_side_in_their_order():
    late, early = sorted(bars([takes(0, 7), takes(0, 2)]), key=lambda each: each[2], reverse=True)
    assert (early[0], late[0]) == (SHADES[7], SHADES[2])
    assert late[1] + HELD <= early[1]


def test_only_what_is_ever_held_has_a_place_and_is_in_the_key():
    story = Story(run(MODEL, [takes(0, 7), takes(1, 2), returns(1, 2)], None), LANES)
    assert story.ids == (2, 7)
    assert [story.held(story.lanes[0], step) for step in range(4)] == [(), (7,), (7,), (7,)]
    assert [story.held(story.lanes[1], step) for step in range(4)] == [(), (), (2,), ()]
    picture = lanes_svg(story.trace, LANES, None)
    assert "key 7" in picture and "key 2<" in picture and "key 3" not in picture


def test_a_picture_without_anything_held_has_no_bars():
    calls = [("guest_wakes", {"guest_id": 0})]
    assert bars(calls) == []
    trace = run(MODEL, calls, None)
    assert lanes_svg(trace, LANES, None) == lanes_svg(trace, replace(LANES, held=None), None)


def test_the_text_of_a_trace_does_not_depend_on_what_is_drawn():
    calls = [takes(0, 1), takes(1, 1)]
    plain = Model(
        name="hotel",
        state=Hotel,
        bounds={"guests": 2, "keys": 10},
        actions=[guest_takes, guest_returns, guest_wakes],
        drawing=replace(LANES, held=None),
    )
    assert trace_text(run(MODEL, calls, None)) == trace_text(run(plain, calls, None))


def test_two_owners_of_a_partition_are_seen():
    """KIP-429: a partition is assigned before its owner has given it up."""
    model = find_model("classic_group.cooperative").with_rules({"owned_are_withheld": False})
    trace = check(model.with_properties(["no_two_owners"]), engine="interpreted").trace
    picture = bars_of(lanes_svg(trace, model.drawing, None))
    assert [colour for colour, *_ in picture] == [SHADES[0], SHADES[1], SHADES[1]]
    (_, first, _, low), (_, second, top, _) = picture[1:]
    assert first != second and top < low


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        (Held(("rings",), "ring"), r"held uses \{rings\}"),
        (Held(("is_awake",), "state"), "held ids='is_awake' is not the path of a set of ids; declare it as Ids"),
    ],
)
def test_what_is_held_must_be_a_set_of_the_element(held, expected):
    with pytest.raises(ModelError, match=expected):
        Model(
            name="hotel",
            state=Hotel,
            bounds={"guests": 1, "keys": 1},
            actions=[guest_wakes],
            drawing=replace(LANES, held=held, events={}),
        )
