"""A part that exists only if a bound says so: without it every field in it is blank, takes no bit, and stays so."""

import re
from enum import IntEnum
from typing import Annotated

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.schema import (
    Allowance,
    Array,
    ById,
    ByPosition,
    Count,
    EnumOf,
    Flag,
    Id,
    If,
    Offset,
    Struct,
    clear,
)
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.search import check
from tests.support.snippets import load


class Mood(IntEnum):
    """An enum that does not begin at 0."""

    CALM = 3
    LOUD = 4


class Entry(Struct):
    """What a part is made of: a field of each kind that has a blank value of its own."""

    owner: Annotated[int, Id("members", none=-1)]
    end: Annotated[int, Offset("size")]
    deep: Annotated[int, Count("size", lowest=-2)]
    mood: Mood
    is_new: Annotated[bool, Flag()]


class Whole(Struct):
    """Parts of every form, and one field that is always there."""

    always: Annotated[int, Count(3)]
    entry: Annotated[Entry, If("parts")]
    entries: Annotated[Array[Entry], ById("members"), If("parts")]
    numbers: Annotated[Array[Annotated[int, Count("size")]], ByPosition("size"), If("parts * size")]
    left: Annotated[int, Allowance("size"), If("parts")]
    flag: Annotated[bool, If("parts")]
    mood: Annotated[Mood, If("parts")]
    kind: Annotated[Mood, EnumOf(Mood), If("parts")]


def layout(**bounds: int) -> Layout:
    return Layout(Whole, {"members": 2, "size": 3, "parts": 1, **bounds})


def test_a_part_that_exists_is_as_without_the_condition():
    ranges = {leaf.path: (leaf.low, leaf.high, leaf.bits) for leaf in layout().leaves}
    assert ranges["entry.owner"] == (-1, 1, 2) and ranges["entries[1].deep"] == (-2, 3, 3)
    assert ranges["numbers[2]"] == (0, 3, 2) and ranges["left"] == (0, 3, 2) and ranges["mood"] == (3, 4, 1)
    assert ranges == {leaf.path: (leaf.low, leaf.high, leaf.bits) for leaf in layout(parts=2).leaves}


def test_a_part_that_does_not_exist_is_blank_and_takes_no_bit():
    without, blank = layout(parts=0), layout().blank()
    assert sum(leaf.bits for leaf in without.leaves) == 2
    assert [leaf.path for leaf in without.leaves] == [leaf.path for leaf in layout().leaves]
    assert without.blank() == blank and without.blank().left == 3 and without.blank().entry.owner == -1
    assert all(leaf.low == leaf.high == leaf.scalar.blank for leaf in without.leaves[1:])
    clear(blank.entry)
    assert without.type_ok(blank)


def test_a_negative_bound_is_named_with_its_least_value():
    with pytest.raises(ModelError, match="the bound parts is -1, and must be at least 0"):
        layout(parts=-1)


def test_records_that_do_not_exist_have_one_type():
    root = layout(parts=0).root
    entry, entries = root.field("entry"), root.field("entries")
    assert entries.element is entry
    assert layout(parts=0, members=1, size=1).leaves[1].scalar.missing == "parts"


class Twice(Struct):
    flag: Annotated[bool, If("parts"), If("size")]


class Unknown(Struct):
    flag: Annotated[bool, If("part")]


class Vague(Struct):
    flag: Annotated[int, If("parts")]


@pytest.mark.parametrize(
    ("struct", "told"),
    [
        (Twice, "gives 2 conditions; give one, such as If('sessions * files')"),
        (Unknown, "Unknown.flag: the bound 'part' is not defined; the model's bounds are: parts, size"),
        (Vague, "gives no kind; write Annotated[int, Count(3)]"),
    ],
)
def test_a_condition_that_cannot_be_read_is_told(struct, told):
    with pytest.raises(ModelError) as caught:
        Layout(struct, {"parts": 1, "size": 1})
    assert told in str(caught.value)


FILE = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, AtMost, Bag, ByPosition, Count, If, Struct, add, clear, copy


class Page(Struct):
    number: Annotated[int, Count("size", lowest=-1)]


class State(Struct):
    time: Annotated[int, Count(3)]
    file: Annotated[Page, If("files")]
    old: Annotated[Page, If("files")]
    other: Page


def time_passes(state: State) -> bool:
    if state.time == 3:
        return False
    state.time += 1
    return True


def page_is_written(state: State, number: Annotated[int, Count("size")]) -> bool:
    CODE
    return True


def file_is_old(state: State) -> bool:
    return state.file.number >= state.old.number


def model(**bounds: int) -> Model:
    actions = [time_passes, page_is_written]
    return Model(state=State, bounds={"size": 1, "files": 1, **bounds}, actions=actions, always=[file_is_old])
"""
MORE_FIELDS = """    pages: Annotated[Array[Page], ByPosition(2), If("files")]
    plain: Annotated[Array[Page], ByPosition(2)]
    sent: Annotated[Bag[Page], AtMost(1)]
    old: """
WRITES = """if state.file.number >= number:
        return False
    copy(state.old, state.file)
    state.file.number = number"""
GUARDED = WRITES.replace("if ", "if bounds.files == 0:\n        return False\n    if ", 1)


def file(tmp_path, code):
    text = FILE.replace("CODE", code)
    if "bounds.files" in code:
        text = text.replace("(state: State, number", "(state: State, bounds: tuple, number")
    return load(tmp_path, text)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_write_to_what_does_not_exist_ends_the_search(tmp_path, engine):
    model = file(tmp_path, WRITES).model
    assert check(model(), engine).states_distinct == 4 * 4
    found = check(model(files=0), engine)
    assert found.verdict is Verdict.EVALUATION_FAILED
    assert "leaves file.number = 0, outside its range -1 .. -1 (Count(highest='size', lowest=-1), which" in found.reason
    assert "which exists only if files is above 0); guard the step, widen" in found.reason
    assert found.reason.endswith("or raise files (--set)")


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_function_can_ask_for_the_bound(tmp_path, engine):
    model = file(tmp_path, GUARDED).model
    assert check(model(), engine).states_distinct == 16
    assert check(model(files=0), engine).states_distinct == 4


HELPERS = """
def set_apart(one: Page, other: Page) -> bool:
    if one == other:
        return False
    copy(one, other)
    one.number = 1
    return True


def page_is_written("""
BEHIND_GUARD = [
    "copy(state.other, state.file)",
    "copy(state.pages, state.plain)",
    "add(state.sent, state.file)",
    "if state.other == state.file or state.plain != state.pages:\n        return False\n    state.file.number = 1",
    "if not set_apart(state.file, state.other):\n        return False",
    "page = state.other\n    page = state.file\n    page.number = 1",
]
NAMES = """page = state.other
    if bounds.files > 0:
        page = state.file
        late = state.file
    else:
        late = state.other
    if page.number >= number or late.number >= number:
        return False
    late.number = number"""


@pytest.mark.parametrize("code", BEHIND_GUARD)
def test_code_that_the_bounds_exclude_may_pair_what_exists_and_what_does_not(tmp_path, code):
    text = (
        FILE.replace("\ndef page_is_written(", HELPERS)
        .replace("(state: State, number", "(state: State, bounds: tuple, number")
        .replace("    old: ", MORE_FIELDS)
    )
    module = load(tmp_path, text.replace("CODE", f"if bounds.files == 0:\n        return False\n    {code}"))
    assert check(module.model(files=0), "interpreted").states_distinct == 4
    module.model()
    unguarded = load(tmp_path, text.replace("CODE", code))
    unguarded.model()
    with pytest.raises(ModelError, match=re.escape("exists only if files is above 0")):
        unguarded.model(files=0)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_name_can_stand_for_the_part_that_exists(tmp_path, engine):
    model = file(tmp_path, NAMES).model
    assert check(model(files=0), engine).states_distinct == 4 * 3
    assert check(model(), engine).states_distinct == 4 * 3


def test_a_name_has_one_type_in_code_that_runs(tmp_path):
    module = file(tmp_path, "page = state.other\n    page = state.file\n    page.number = number")
    module.model()
    with pytest.raises(ModelError, match="'page' was a Page record and would become a Page record that exists only if"):
        module.model(files=0)


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("state.file.number = 1", "state.file.number = 1 is outside its range -1 .. -1 (Count(highest='size', lowest="),
        ("copy(state.file, state.other)", "both must be declared alike"),
        ("clear(state.file)\n    state.other.number = number", ""),
    ],
)
def test_what_cannot_be_without_the_part_is_told_when_the_model_is_defined(tmp_path, code, told):
    module = file(tmp_path, code)
    module.model()
    if not told:
        module.model(files=0)
        return
    with pytest.raises(ModelError) as caught:
        module.model(files=0)
    assert told in str(caught.value)


def test_a_condition_is_for_fields(tmp_path):
    text = FILE.replace("CODE", WRITES).replace(
        'number: Annotated[int, Count("size")]', "number: Annotated[bool, If('files')]"
    )
    with pytest.raises(ModelError, match="has a parameter 'number': an If is for fields; give the parameter a kind"):
        load(tmp_path, text).model()


def test_json_reads_and_writes_it(tmp_path):
    without = layout(parts=0)
    data = without.to_json(without.blank())
    assert data["entry"] == {"owner": None, "end": 0, "deep": -2, "mood": "CALM", "is_new": False}
    assert without.from_json(data) == without.blank()
    with pytest.raises(UsageError):
        without.from_json({**data, "entry": {**data["entry"], "end": 1}})
