"""No number leaves 64 bits: what cannot be shown to stay inside is refused when the model is defined."""

import operator
import random

import pytest

from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.language import ranges
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.search import check
from tests.support.snippets import line_of, load

MODULE = """
from typing import Annotated
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class Cell(Struct):
    value: Annotated[int, Count(2**31 - 1)]


class State(Struct):
    small: Annotated[int, Count(3)]
    big: Annotated[int, Count(2**31 - 1, -(2**31 - 1))]
    cells: Annotated[Array[Cell], ByPosition(40)]
    who: Annotated[int, Id(3, none=-1)]
    done: bool


def twice(value: int) -> int:
    return value + value  # in the callee


def power(value: int, rounds: int) -> int:
    for _ in range(rounds):
        value = value * 2  # in the loop
    return value


def act(state: State) -> bool:
    if state.done:
        return False
    BODY
    state.small = min(max(result, 0), 3)
    state.done = True
    return True


def holds(state: State) -> bool:
    BODY
    return result != 1 << 40


def grows(before: State, state: State) -> bool:
    BODY
    return result != 1 << 40


def start(state: State) -> None:
    BODY
    state.small = min(max(result, 0), 3)
"""


def module_with(tmp_path, body):
    return load(tmp_path, MODULE.replace("BODY", body.replace("\n", "\n    ")))


REFUSED = {
    "result = state.big * state.big * state.big  # here": "`state.big * state.big * state.big` can leave 64 bits",
    "result = 2 - state.big * state.big * -4  # here": "2**63 or more",
    "result = 1\nfor _ in range(70):\n    result += result  # here": "`result + result` can leave 64 bits",
    "result = 1\nfor _ in range(state.small * 30):\n    result = -2 * result  # here": "`-2 * result` can leave",
    "result = 0\nfor _ in range(state.big):\n    result += 1  # here": "it can come to more with every round of a loop",
    "result = 1 << state.big  # here": "`1 << state.big` can shift by 2**30 or more",
    "result = state.big << 33  # here": "`state.big << 33` can leave 64 bits",
    "result = abs(state.big * state.big * 2) * 2  # here": "2**63 or more; lower a range, or bound a part of it with",
    "result = 0\nfor i in range(0, state.big * state.big * 2, 1 << 62):  # here\n    result = i": "can leave 64 bits",
    "result = ~(state.big * state.big) * 4  # here": "can leave 64 bits",
}


@pytest.mark.parametrize("role", ["actions", "initial", "always", "step", "sometimes", "constraint"])
@pytest.mark.parametrize("body", REFUSED)
def test_what_may_leave_64_bits_is_refused_with_its_line_wherever_it_stands(body, role, tmp_path):
    text = MODULE.replace("BODY", "result = 0")
    function = {"actions": "act", "initial": "start", "step": "grows"}.get(role, "holds")
    head, tail = text.split(f"def {function}(")
    tail = tail.replace("result = 0", body.replace("\n", "\n    "), 1)
    module = load(tmp_path, f"{head}def {function}({tail}")
    parts = {"actions": [module.act]}
    if role != "actions":
        parts |= {role if role != "step" else "always": [module.grows if role == "step" else module.holds]}
    if role in ("initial", "constraint"):
        parts[role] = module.start if role == "initial" else module.holds
    with pytest.raises(ModelError) as caught:
        Model(name="wide", state=module.State, **parts)
    assert str(caught.value).startswith(f"{line_of(module, '# here')} in {function}: `")
    assert REFUSED[body] in str(caught.value)


def test_a_number_that_grows_in_a_callee_is_refused_there(tmp_path):
    module = module_with(tmp_path, "result = twice(twice(state.big) * (1 << 31))")
    with pytest.raises(ModelError, match=r"`value \+ value` can leave 64 bits") as caught:
        Model(name="wide", state=module.State, actions=[module.act])
    assert line_of(module, "# in the callee") in str(caught.value)
    module = module_with(tmp_path, "result = power(1, state.big)")
    with pytest.raises(ModelError, match=r"`value \* 2` can leave 64 bits") as caught:
        Model(name="wide", state=module.State, actions=[module.act])
    assert line_of(module, "# in the loop") in str(caught.value)


def test_a_field_holds_in_between_what_was_written_to_it(tmp_path):
    for body in (
        "result = 0\nfor _ in range(70):\n    state.small = state.small + state.small  # here",
        "result = 0\nfor _ in range(70):\n    state.cells[0].value = state.cells[1].value + 1\n"
        "    state.cells[1].value = state.cells[0].value * 2  # here",
    ):
        module = load(tmp_path, MODULE.replace("BODY", body.replace("\n", "\n    "), 1).replace("BODY", "result = 0"))
        with pytest.raises(ModelError, match="can leave 64 bits") as caught:
            Model(name="wide", state=module.State, actions=[module.act])
        assert line_of(module, "# here") in str(caught.value)


ACCEPTED = [
    "result = state.big * state.big",
    "result = 0\nfor i in range(len(state.cells)):\n    result += state.cells[i].value * (state.cells[i].value % 4)",
    "result = 7\nfor i in range(len(state.cells)):\n    result = (result * 31 + state.cells[i].value) % 1000003",
    "result = 0\nfor i in range(state.big):\n    if i > 5:\n        result = i",
    "result = cardinality(including(everyone(30), state.small)) << 50",
    "result = power(power(1, state.small * 10), state.small)",
    "result = 1 << min(abs(state.big), 62)",
    "result = (state.big >> 3) | (state.big ^ 12) & ~state.big",
    "result = state.big * state.big // (state.small - 4) % (state.small - 5)",
    "result = (1 << 61) + (1 << 61) - 1 + (state.small << 59)",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_what_stays_inside_is_accepted_and_alike_in_every_reading(body, tmp_path):
    module = module_with(tmp_path, body)
    parts = {"actions": [module.act], "always": [module.holds, module.grows], "initial": module.start}
    model = Model(name="wide", state=module.State, **parts)
    results = [check(model, engine) for engine in ("interpreted", "compiled")]
    assert len({(each.verdict, each.property, each.reason, each.states_distinct) for each in results}) == 1


def test_a_shift_to_the_right_may_be_of_any_width(tmp_path):
    body = "result = (state.big >> (state.cells[0].value + 100)) + 1"
    module = module_with(tmp_path, body)
    model = Model(name="wide", state=module.State, actions=[module.act])
    for engine in ("interpreted", "compiled"):
        assert check(model, engine).states_distinct == 2


def test_the_interval_of_an_operation_has_every_value_of_it():
    source = random.Random(1)
    compute = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
        "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_, "^": operator.xor,
        "min": min, "max": max,
    }  # fmt: skip
    assert set(compute) == set(ranges._OPERATIONS)
    for _ in range(20_000):
        ends = [source.randint(-9, 9) for _ in range(4)]
        left, right = tuple(sorted(ends[:2])), tuple(sorted(ends[2:]))
        name = source.choice(list(compute))
        low, high = ranges._OPERATIONS[name](left, right)
        for one in range(left[0], left[1] + 1):
            for other in range(right[0], right[1] + 1):
                if not (name in ("//", "%") and other == 0) and not (name in ("<<", ">>") and other < 0):
                    assert low <= compute[name](one, other) <= high, (name, left, right, one, other)
    signs = {"-": operator.neg, "~": operator.invert, "abs": abs}
    for name, sign in signs.items():
        for low in range(-5, 6):
            for high in range(low, 6):
                values = [sign(value) for value in range(low, high + 1)]
                assert ranges._signed(name, (low, high)) == (min(values), max(values))


def test_conditions_are_not_looked_at_so_a_bound_is_written_with_min(tmp_path):
    guarded = "result = 0\nif state.big < 9:\n    result = 1 << abs(state.big)"
    module = module_with(tmp_path, guarded)
    with pytest.raises(ModelError, match=r"bound it with `min\(\.\.\., 62\)`"):
        Model(name="wide", state=module.State, actions=[module.act])
    module = module_with(tmp_path, guarded.replace("abs(state.big)", "min(abs(state.big), 9)"))
    model = Model(name="wide", state=module.State, actions=[module.act])
    assert check(model, "compiled").verdict is Verdict.HOLDS
