"""Declaring a state: kinds and their ranges, arrays, id sets, and what each mistake is told."""

import re
from enum import IntEnum
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema import (
    MOST_MEMBERS,
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Epoch,
    Flag,
    Id,
    Ids,
    IdSet,
    Kind,
    Offset,
    Struct,
    cardinality,
    contains,
    everyone,
    excluding,
    including,
)
from kafkacheck.checker.schema.bounds import Bounds
from kafkacheck.checker.schema.containers import Position
from kafkacheck.checker.schema.layout import Layout, scalar_of
from tests.support.snippets import line_of, load

BOUNDS = {"members": 3, "size": 2, "nothing": 0}


class Mode(IntEnum):
    LATER = 5
    NOW = 4


class Alias(IntEnum):
    ONE = 1
    UNO = 1
    TWO = 2


class Gap(IntEnum):
    ONE = 1
    THREE = 3


class Nobody(IntEnum):
    pass


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [
        (Id("members"), 0, 2),
        (Id("members", none=-1), -1, 2),
        (Id(1), 0, 0),
        (IdSet("members"), 0, 7),
        (IdSet(1), 0, 1),
        (IdSet(MOST_MEMBERS), 0, 2**30 - 1),
        (Offset("size"), 0, 2),
        (Offset("nothing"), 0, 0),
        (Epoch("size"), 0, 2),
        (Epoch("size", none=-1), -1, 2),
        (Epoch("nothing - 1", none=-1), -1, -1),
        (Count("size"), 0, 2),
        (Count("size", "-size"), -2, 2),
        (Count(7, 7), 7, 7),
        (Count(2**31 - 1, -(2**31 - 1)), -(2**31 - 1), 2**31 - 1),
        (EnumOf(Mode), 4, 5),
        (EnumOf(Alias), 1, 2),
        (EnumOf(Mode, highest="size + 2"), 4, 4),
        (EnumOf(Mode, highest=9), 4, 5),
        (Flag(), 0, 1),
    ],
)
def test_the_range_of_each_kind(kind, low, high):
    scalar = scalar_of(kind, Bounds(BOUNDS), "here")
    assert (scalar.low, scalar.high, scalar.blank) == (low, high, low)


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (4, 4),
        ("members", 3),
        ("members + 1", 4),
        ("members - size - 1", 0),
        ("2 * members * size", 12),
        ("members // size", 1),
        ("-members // size", -2),
        ("-(members + size)", -5),
        (" (members) ", 3),
    ],
)
def test_sizes_are_expressions_over_bounds(size, value):
    assert Bounds(BOUNDS).evaluate(size, "here") == value


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ("leaders", "here: the bound 'leaders' is not defined; the model's bounds are: members, nothing, size. Add"),
        ("", "here: '' is not an expression over bounds; write for example"),
        ("members +", "is not an expression over bounds"),
        ("members; size", "is not an expression over bounds"),
        ("members\0", "is not an expression over bounds"),
        ("members ** 2", "'members ** 2' may use only bounds, integers, + - * and //"),
        ("members / 2", "may use only bounds"),
        ("max(members, size)", "may use only bounds"),
        ("members.real", "may use only bounds"),
        ("__import__('os')", "may use only bounds"),
        ("1.5", "may use only bounds"),
        ("True", "may use only bounds"),
        ("members if size else 1", "may use only bounds"),
        ("members // nothing", "'members // nothing' divides by zero at these bounds"),
        (2.5, "here: 2.5 is not a size; give a whole number or an expression"),
        (None, "here: None is not a size"),
        (True, "here: True is not a size"),
        (["members"], "is not a size"),
    ],
)
def test_a_size_that_is_none(size, words):
    with pytest.raises(ModelError) as caught:
        Bounds(BOUNDS).evaluate(size, "here")
    assert words in str(caught.value)


@pytest.mark.parametrize("value", [1.0, "3", None, True, [1]])
def test_a_bound_is_a_whole_number(value):
    with pytest.raises(ModelError, match=f"bound members is {re.escape(repr(value))}; a bound is a whole number"):
        Bounds({"members": value})


class Odd(Kind):
    pass


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Id("nothing"), "has 0 members at these bounds; it needs at least 1; the bound nothing is 0, and must be"),
        (Id("-members"), "has -3 members at these bounds"),
        (Id("members", none=9), "the sentinel is 9; it must be -1, so that the range stays one interval"),
        (Epoch("members", none=-2), "the sentinel is -2; it must be -1"),
        (IdSet(MOST_MEMBERS + 1), "a set of ids has at most 30 members; 31 is 31"),
        (IdSet(10**12), "a set of ids has at most 30 members"),
        (IdSet("nothing"), "the set 'nothing' has 0 members"),
        (Offset("-size"), "is 0 .. -2, which is empty; raise the bound it uses"),
        (Epoch("-1"), "which is empty; let its highest value be at least its lowest"),
        (Count(1, 3), "is 3 .. 1, which is empty; let its highest value be at least its lowest"),
        (Count("size", "members"), "is 3 .. 2, which is empty; the bound size is 2, and must be at least 3"),
        (Offset("size - 9"), "is 0 .. -7, which is empty; the bound size is 2, and must be at least 9"),
        (Epoch("size // 3 - members", none=-1), "which is empty; the bound size is 2, and must be at least 6"),
        (Position("nothing - 1"), "it needs at least 1; the bound nothing is 0, and must be at least 2"),
        (Count(2**31), "a field holds at most 2**31 - 1"),
        (Count(0, -(2**31)), "a field holds at most 2**31 - 1"),
        (Id(10**10), "a field holds at most 2**31 - 1"),
        (EnumOf(Gap), "the values of Gap are [1, 3]; number the members of an enum field one after the other"),
        (EnumOf(Nobody), "the values of Nobody are []"),
        (EnumOf(int), "EnumOf takes an IntEnum class, not <class 'int'>"),
        (EnumOf(Mode.NOW), "EnumOf takes an IntEnum class"),
        (Odd(), "is not a kind of field; see kafkacheck.checker.schema for the kinds"),
        (Count("leaders"), "the bound 'leaders' is not defined"),
    ],
)
def test_a_kind_without_a_range_names_the_field(kind, words):
    holder = type("Holder", (Struct,), {"__annotations__": {"field": Annotated[int, kind]}, "__module__": __name__})
    with pytest.raises(ModelError) as caught:
        Layout(holder, BOUNDS)
    assert "tests/checker/schema/test_schema.py: Holder.field: " in str(caught.value) and words in str(caught.value)


NO_KIND = "gives no kind; write Annotated[int, Count(3)] (or another kind of kafkacheck.checker.schema), an IntEnum, a"


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (int, NO_KIND),
        (str, NO_KIND),
        (Kind, NO_KIND),
        (Ids, "gives no kind; write Annotated[Ids, IdSet('set')]"),
        (set[int], "gives no kind; write Annotated[Ids, IdSet('set')]"),
        (int | None, "gives no kind; write Annotated[int, Id('set', none=-1)], or an Epoch with none=-1"),
        (IntEnum, "the values of IntEnum are []"),
        (Gap, "the values of Gap are [1, 3]"),
        (Annotated[int, "members"], NO_KIND),
        (Annotated[int, Count], NO_KIND),
        (Array[int], NO_KIND),
        (list[int], NO_KIND),
        (Array[Annotated[int, Count(1)]], NO_KIND),
        (Annotated[Array, ById("members")], NO_KIND),
        (Annotated[list[int], ById("members")], NO_KIND),
        (Annotated[Array[int], ById("members")], "Holder.field[...]: "),
        (Annotated[Array[bool], ById("nothing")], "its length 'nothing' is 0 at these bounds; it needs at least 1"),
        (Annotated[Array[bool], ByPosition("-size")], "its length '-size' is -2 at these bounds"),
        (Annotated[Array[bool], ByPosition("leaders")], "the bound 'leaders' is not defined"),
        ("Unknown", "name 'Unknown' is not defined; import the names that its annotations use"),
        ("Annotated[int, Count(]", "import the names that its annotations use"),
        ("kafkacheck.checker.schema.Leader", "import the names that its annotations use"),
    ],
)
def test_a_field_without_a_type_names_the_place_and_the_mend(annotation, words):
    holder = type("Holder", (Struct,), {"__annotations__": {"field": annotation}, "__module__": __name__})
    with pytest.raises(ModelError) as caught:
        Layout(holder, BOUNDS)
    assert "tests/checker/schema/test_schema.py: Holder" in str(caught.value) and words in str(caught.value)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("count: Number = 3", "Bad.count has a default value; a blank state has every field at its lowest value"),
        ("count: ClassVar[int] = 3", "Bad.count has a default value"),
        ("count = 3", "Bad.count has no annotation, so that it would be no field; write `count: Annotated[int, Count("),
        ("copy: Number", "Bad.copy cannot be a field: the name has a meaning of its own in every Struct"),
        ("field_names: Number", "Bad.field_names cannot be a field"),
    ],
)
def test_a_class_body_that_cannot_be(body, words, tmp_path):
    imports = "from typing import *\nfrom kafkacheck.checker.schema import *\nNumber = Annotated[int, Count(3)]\n"
    text = f"{imports}\n\nclass Bad(Struct):\n    {body}\n"
    with pytest.raises(ModelError) as caught:
        load(tmp_path, text)
    [file] = tmp_path.glob("*.py")
    assert str(caught.value).startswith(f"{file}:7: {words}")


def test_a_field_cannot_be_declared_twice_along_bases():
    class Base(Struct):
        number: Annotated[int, Count(1)]

    with pytest.raises(ModelError, match=r"Derived\.number cannot be a field: the name is a field of its base"):
        type("Derived", (Base,), {"__annotations__": {"number": Annotated[int, Count(2)]}, "__module__": __name__})


def test_fields_are_inherited_in_order():
    class Base(Struct):
        one: Annotated[int, Count(1)]
        two: bool

    class Derived(Base):
        three: Annotated[int, Count(3)]

    layout = Layout(Derived, {})
    assert Derived.field_names == ("one", "two", "three")
    assert [leaf.path for leaf in layout.leaves] == ["one", "two", "three"]
    assert layout.leaves[0].owner == ("Derived", "one")


def test_a_record_cannot_contain_itself(tmp_path):
    text = """
from typing import Annotated
from kafkacheck.checker.schema import *

class Tree(Struct):
    branches: Annotated[Array["Tree"], ByPosition(2)]

class Even(Struct):
    other: "Odd"

class Odd(Struct):
    other: Even
"""
    module = load(tmp_path, text)
    with pytest.raises(ModelError, match="Tree contains itself; a record cannot be nested in itself"):
        Layout(module.Tree, {})
    with pytest.raises(ModelError, match="contains itself"):
        Layout(module.Even, {})


def test_annotations_may_be_texts(tmp_path):
    text = """
from __future__ import annotations
from typing import Annotated
from kafkacheck.checker.schema import *

Number = Annotated[int, Count("size")]

class Later(Struct):
    numbers: Annotated[Array[Number], ByPosition(2)]
    flag: bool
"""
    layout = Layout(load(tmp_path, text).Later, {"size": 4})
    assert [(leaf.path, leaf.high) for leaf in layout.leaves] == [("numbers[0]", 4), ("numbers[1]", 4), ("flag", 1)]


class Cell(Struct):
    number: Annotated[int, Count(9)]


class Grid(Struct):
    cells: Annotated[Array[Cell], ById("members")]
    numbers: Annotated[Array[Annotated[int, Count(9)]], ByPosition(2)]


def test_bool_and_an_enum_are_kinds_by_themselves():
    class Short(Struct):
        mode: Mode
        flag: bool

    assert [leaf.kind for leaf in Layout(Short, {}).leaves] == [EnumOf(Mode), Flag()]


def test_a_misspelt_field_is_an_error():
    grid = Layout(Grid, {"members": 2}).blank()
    with pytest.raises(AttributeError):
        grid.celss = 1
    with pytest.raises(AttributeError):
        grid.cells[0].nmber = 1
    with pytest.raises(AttributeError):
        _ = grid.cells[0].nmber


def test_an_array_is_indexed_from_0_only():
    grid = Layout(Grid, {"members": 2}).blank()
    grid.numbers[1] = 7
    assert (grid.numbers[0], grid.numbers[1], len(grid.numbers), list(grid.numbers)) == (0, 7, 2, [0, 7])
    assert [cell.number for cell in grid.cells] == [0, 0]
    for wrong in (-1, 2, 10**20):
        with pytest.raises(IndexError, match=rf"index {wrong} is outside this array, whose indices are 0 .. 1"):
            _ = grid.numbers[wrong]
        with pytest.raises(IndexError, match=rf"index {wrong} is outside"):
            grid.numbers[wrong] = 1
        with pytest.raises(IndexError):
            grid.numbers[wrong] += 1
    assert list(grid.numbers) == [0, 7]
    assert repr(grid.numbers) == "[0, 7]"


def test_records_of_two_classes_are_never_equal():
    twin = type("Cell", (Struct,), {"__annotations__": {"number": Annotated[int, Count(9)]}, "__module__": __name__})
    one, other = Layout(Cell, {}).blank(), Layout(twin, {}).blank()
    assert one != other and one != 0 and one == Layout(Cell, {}).blank()
    with pytest.raises(TypeError):
        hash(one)


members = st.sets(st.integers(0, MOST_MEMBERS - 1))


@given(members, st.integers(0, MOST_MEMBERS - 1), st.integers(0, MOST_MEMBERS))
def test_id_sets_are_sets(ids, member, count):
    def packed(numbers):
        return sum(1 << number for number in numbers)

    assert contains(packed(ids), member) == (member in ids)
    assert including(packed(ids), member) == packed(ids | {member})
    assert excluding(packed(ids), member) == packed(ids - {member})
    assert cardinality(packed(ids)) == len(ids)
    assert everyone(count) == packed(range(count))


@pytest.mark.parametrize("function", [contains, including, excluding])
def test_the_sentinel_is_no_member(function):
    with pytest.raises(ValueError, match="negative shift count"):
        function(0b101, -1)


DEEP = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class Base(Struct):
    first: Annotated[int, Count(1)]
    inherited: Annotated[int, Count("FIRST")]  # inherited


class Inner(Base):
    value: Annotated[int, Count("SECOND")]  # inner


class State(Struct):
    rows: Annotated[Array[Inner], ByPosition("THIRD")]  # rows


def act(state: State, by: Annotated[int, Count("FOURTH")]) -> bool:  # action
    if state.rows[0].value == by:
        return False
    state.rows[0].value = by
    return True


def model() -> Model:
    return Model(  # model
        name="deep",
        state=State,
        bounds={"size": 2, IDLE},
        actions=[act],
    )
"""


@pytest.mark.parametrize(
    ("name", "mark"),
    [("FIRST", "# inherited"), ("SECOND", "# inner"), ("THIRD", "# rows"), ("FOURTH", "# action"), ("IDLE", "# model")],
)
def test_an_error_in_a_size_names_the_line_of_the_user(name, mark, tmp_path):
    wrong = '"idle": 3' if name == "IDLE" else ""
    text = DEEP.replace(name, wrong or "sizes").replace(", IDLE", "")
    for other in ("FIRST", "SECOND", "THIRD", "FOURTH"):
        text = text.replace(other, "size")
    module = load(tmp_path, text)
    with pytest.raises(ModelError) as caught:
        module.model()
    assert str(caught.value).startswith(line_of(module, mark))
    assert ("the bound 'sizes' is not defined" in str(caught.value)) == (name != "IDLE")


def test_a_record_without_fields_is_named_with_its_line(tmp_path):
    module = load(
        tmp_path, "from kafkacheck.checker.schema import Struct\n\n\nclass Empty(Struct):  # here\n    pass\n"
    )
    with pytest.raises(ModelError, match="Empty has no fields") as caught:
        Layout(module.Empty, {})
    assert str(caught.value).startswith(line_of(module, "# here"))
