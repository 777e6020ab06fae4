"""Id sets: their operators do in each reading what those of Python's sets do."""

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkacheck.checker.schema import Ids
from kafkacheck.checker.schema.id_sets import ID_SETS
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.witness import explain
from tests.support import readings
from tests.support.bodies import agree_on, fail_alike, formulas_agree, model_of, model_text
from tests.support.snippets import load

BODIES = [
    "return leave(state, 1 if place in state.isr else 2)",
    "return leave(state, 1 if n % 3 not in state.others_isr[place % 2] else 2)",
    "return leave(state, len(state.isr) + len(state.others_isr[1]))",
    "state.isr |= {place}\nreturn leave(state, n + 1)",
    "state.isr -= {place, n % 3}\nreturn leave(state, n + 1)",
    "state.isr ^= state.others_isr[0] ^ {place}\nreturn leave(state, n + 1)",
    "state.isr = {place} | state.isr\nstate.others_isr[0] &= state.isr\nreturn leave(state, n)",
    "state.others_isr[place % 2] = {0, n % 3} - state.isr\nreturn leave(state, n)",
    "state.isr = Ids({place}) if state.f else NOBODY\nreturn leave(state, n)",
    "state.isr = Ids(range(n)) & Ids(range(3))\nreturn leave(state, n + 1)",
    "state.isr = without(without(state.isr, place), n % 3)\nreturn leave(state, n + 1)",
    "one = state.isr\nother = state.others_isr[0]\nreturn leave(state, 1 if one <= other else 2 if one < other else 3)",
    "one = state.isr\nother = state.others_isr[1]\nreturn leave(state, 1 if other > one else 2 if other >= one else 3)",
    "return leave(state, int(state.isr < {0, place}) + int({place} <= state.isr) + int({place} < state.isr))",
    "return leave(state, int(state.isr == {0, place}) + int(state.isr != state.others_isr[place % 2]))",
    "total = 0\nfor member in state.isr:\n    total = (2 * total + member) % 50\nreturn leave(state, total)",
    "for member in without(state.isr, place):\n    state.row[member] = place\nreturn leave(state, n)",
    "state.row[0] = sum(member for member in state.isr - {place} if member != n)\nreturn leave(state, n)",
    "return leave(state, int(any(state.flags[i] for i in state.isr)))",
    "return leave(state, int(all(x in state.isr for x in state.others_isr[1])))",
    "return leave(state, sum(i * len(other) for other in state.others_isr for i in other | state.isr))",
    "for member in state.isr:\n    state.isr -= {member}\nreturn leave(state, len(state.isr) + len(Ids({1, 2})))",
    "ids = NOBODY\nfor i in range(3):\n    if i not in state.isr:\n        ids |= {i}\nstate.isr = ids\nreturn True",
    "wide = Ids({n + 9, 40}) - {place + 9}\nreturn leave(state, len(wide) + sum(i for i in wide))",
]


@pytest.mark.slow
def test_every_reading_does_what_python_does(tmp_path):
    agree_on(tmp_path, *BODIES)


@pytest.mark.parametrize(
    "body",
    [
        "return leave(state, int(place - 1 in state.isr))",
        "state.isr |= {place - 1}\nreturn leave(state, 1)",
        "state.isr = Ids({0, place - 1})\nreturn leave(state, 1)",
        "return leave(state, int(state.isr == {place - 1}))",
    ],
)
def test_every_reading_fails_where_python_does(body, tmp_path):
    fail_alike(tmp_path, body)
    assert "-1 is no id, which is 0 or more" in check(model_of(tmp_path, body)).reason


def test_a_parameter_can_be_a_set(tmp_path):
    text = model_text("return leave(state, len(place))").replace(
        "place: Annotated[int, Id(3)]", "place: Annotated[Ids, IdSet(2)]"
    )
    model = load(tmp_path, text).MODEL
    assert list(model.actions[0].parameters[0].values) == [0, 1, 2, 3]
    state = model.layout.blank()
    assert model.actions[0].apply(state, [3]) and state.n == 2
    assert readings.interpreted(model) == readings.compiled(model)
    formulas_agree(model)


def test_a_witness_and_a_trace_show_sets(tmp_path):
    text = model_text("state.isr |= {place}\nreturn leave(state, n + 1)")
    invariant = '''def small(state: State) -> bool:
    """It is small."""
    isr = state.isr
    return len(isr) < 3 and 2 not in isr


MODEL'''
    result = check(
        load(tmp_path, text.replace("MODEL", invariant).replace("actions=[", "always=[small], actions=[")).MODEL
    )
    assert result.trace is not None
    witness = explain(result.trace)
    assert witness is not None and "isr={" in witness.text
    assert "isr" in str(result.trace)


OPERATIONS: list[Callable] = [
    lambda one, other: one | other, lambda one, other: one & other, lambda one, other: one - other,
    lambda one, other: one ^ other,
    lambda one, other: one == other, lambda one, other: one != other, lambda one, other: one <= other,
    lambda one, other: one < other, lambda one, other: one >= other, lambda one, other: one > other,
    lambda one, other: [each in one for each in range(30)], lambda one, other: len(one), lambda one, other: sorted(one),
]  # fmt: skip
SETS = st.sets(st.integers(0, 29))


@given(SETS, SETS)
def test_an_id_set_computes_as_a_set_does(one, other):
    def plain(value):
        return set(value) if isinstance(value, Ids) else value

    for operation in OPERATIONS:
        wanted = operation(one, other)
        for sides in ((Ids(one), Ids(other)), (Ids(one), other), (one, Ids(other))):
            assert plain(operation(*sides)) == wanted
    assert list(Ids(one)) == sorted(one) and Ids(one).bits == sum(1 << each for each in one)
    assert ID_SETS[Ids(one).bits] == Ids(one) and hash(Ids(one)) == hash(ID_SETS[Ids(one).bits])
    assert pickle.loads(pickle.dumps(Ids(one))) == Ids(one)


@pytest.mark.parametrize("compute", [
    lambda ids: ids + ids, lambda ids: ids | 1, lambda ids: ids >> 1, lambda ids: -ids, lambda ids: ids < 1,
    lambda ids: ids - 1, lambda ids: ids * 2, lambda ids: ids[0],
])  # fmt: skip
def test_arithmetic_of_a_set_is_an_error(compute):
    with pytest.raises(TypeError):
        compute(Ids({1}))
    assert Ids({1}) != 2


def test_an_id_set_does_not_change():
    with pytest.raises(AttributeError, match="an id set does not change"):
        Ids({1}).bits = 3
    ids = other = Ids({1})
    ids |= {2}
    assert other == {1} and ids == {1, 2} and str(ids) == "{1, 2}"
