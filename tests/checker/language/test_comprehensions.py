"""any(...), all(...) and sum(...) over generators, enumerate(...) and zip(...): each reading does what Python does."""

import numpy as np
import pytest

from kafkacheck.checker.compiled import machine_code
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.mutation.equivalence import different_compiled, different_interpreted
from kafkacheck.checker.mutation.substitution import mutants, switched, switches_of
from kafkacheck.checker.search import check
from kafkacheck.checker.traces.witness import explain
from tests.support import readings
from tests.support.bodies import agree_on, fail_alike, model_of, model_text
from tests.support.snippets import load

TRUTHS = [
    "any(cell.up for cell in state.cells)",
    "all(cell.up for cell in state.cells)",
    "not any(cell.up for cell in state.cells if cell.x > place)",
    "all(cell.up for cell in state.cells if cell.x > place and not cell.up if rules.on)",
    "any(x == place for x in state.row)",
    "all(flag for flag in state.flags)",
    "any(i * i > state.n for i in range(place, state.n))",
    "all(state.row[i] > 0 for i in range(2, -1, -1))",
    "any(contains(state.ids, i) and cell.up for i, cell in enumerate(state.cells))",
    "all(one.x <= other.x for one, other in zip(state.cells, state.others))",
    "any(i == x + other.x for i, (x, other) in enumerate(zip(state.row, state.others)))",
    "any(x > y for cell in state.cells for x in cell.row for y in state.row)",
    "any(x == y for cell in state.cells if cell.up for i, x in enumerate(cell.row) if i < place for y in state.row)",
    "any(all(x <= y for y in state.row) for x in state.row)",
    "all(is_high(cell, place) for cell in state.cells)",
    "state.f and any(cell.up for cell in state.cells) or all(state.row[i] == place for i in range(state.n))",
    "any(rules.off for cell in state.cells) or all(rules.on for cell in state.cells)",
    "any(True for cell in state.cells if cell.up) != all(False for cell in state.others if cell.up)",
    "any(cell.up for cell in state.cells if rules.off and state.row[7] == 1)",
    "all(cell.up for cell in cells)",
    "any(LIMIT == x for x in state.row)",
    "any(LIMIT.up for LIMIT in state.cells)",
    "any(n.up for n in state.cells) and n > 1",
]

NUMBERS = [
    "sum(cell.x for cell in state.cells)",
    "sum(1 for cell in state.cells if cell.up)",
    "2 * sum(i * x for i, x in enumerate(state.row) if i >= place) - state.n",
    "sum(x * y for x, y in zip(state.row, state.row))",
    "sum(sum(cell.row[i] for cell in state.cells) for i in range(2))",
    "sum(cell.row[i] - x for i in range(2) for cell in state.cells for x in state.row if x > i)",
    "sum(i for i in range(rules.step, state.n + 5, 2))",
    "max(sum(x for x in state.row), sum(1 for i in range(place)))",
    "sum(1 if any(x > 1 for x in cell.row) else cell.x for cell in state.cells)",
]

LOOPS = [
    "for i, x in enumerate(state.row):\n    n += i * x",
    "for cell, other in zip(state.cells, state.others):\n    if cell.up:\n        n += other.x",
    "for i, (cell, x) in enumerate(zip(state.others, state.row)):\n    n += cell.x * i + x",
    "for one, two, three in zip(state.row, state.cells, state.row):\n    n += one * two.x - three",
    "for i, x in enumerate(state.row):\n    i += x\n    n += i\n    state.row[2] = x",
    "for cell, x in zip(cells, state.row):\n    cell.x = x\n    cells = state.others\n    n += cells[1].x",
    "for i, x in enumerate(state.row):\n    for y in state.row:\n        n += sum(i * z for z in state.row if z < y)",
    "for i in range(3):\n    if any(x == i for x in state.row):\n        n += i\n        state.row[i] = 1",
]

FAILING = [
    "any(12 // x == place for x in state.row)",
    "any(state.row[i] > 2 for i in range(4))",
    "all(state.row[i] >= 0 for i in range(n + 2))",
    "sum(0 for x in state.row if 1 // x == place) == 1",
    "any(state.f for x in state.cells[n + 1].row)",
]

BODIES = [
    *(f"return leave(state, 1 if {each} else 2)" for each in TRUTHS),
    *(f"return leave(state, {each})" for each in NUMBERS),
    *(f"{each}\nreturn leave(state, n)" for each in LOOPS),
    "if not any(x == place for x in state.row):\n    return False\nreturn leave(state, 1)",
    "found = any(x == place for x in state.row)\nfor x in state.row:\n    n += x\nreturn leave(state, n + int(found))",
    "state.row[sum(x for x in state.row) % 3] += 1 if all(x < 3 for x in state.row) else 0\nreturn leave(state, n)",
]


@pytest.mark.slow
def test_every_reading_does_what_python_does(tmp_path):
    agree_on(tmp_path, *BODIES)


def test_shards_do_what_one_machine_does(tmp_path):
    model = model_of(tmp_path, *BODIES[1:40:5])
    assert readings.distributed(model, tmp_path / "run", 2, widest=10) == readings.compiled(model)


@pytest.mark.parametrize("condition", FAILING)
def test_every_reading_fails_where_python_does(condition, tmp_path):
    fail_alike(tmp_path, f"return leave(state, 1 if {condition} else 2)")


GUARDED = """if not any(cell.up and cell.x > place for cell in state.cells if state.f):
    return False
if sum(1 for x in state.row if x > 1) > 1:
    return False
return leave(state, 1)"""


def test_conditions_in_generators_are_removed_one_by_one(tmp_path):
    model = model_of(tmp_path, GUARDED)
    known = dict(enumerate(each for each in mutants(model) if each.function is model.actions[0].function))
    whole = "any((cell.up and cell.x > place for cell in state.cells if state.f))"
    assert {(each.text, each.change) for each in known.values()} >= {
        (f"if not {whole}: return False", "never taken"),
        ("cell.up and cell.x > place", "without `cell.up`"),
        ("cell.up and cell.x > place", "without `cell.x > place`"),
        ("cell.x > place", "> becomes >="),
        (whole.replace("((", "(").replace("))", ")"), "without `if state.f`"),
        ("sum(1 for x in state.row if x > 1)", "without `if x > 1`"),
        ("x > 1", "> becomes >="),
    }
    able = switched(model, known)
    assert switches_of(able) == set(known)
    plain = different_interpreted(able, states_of(model), known)
    assert plain.steps | plain.names == set(known), "each of them matters"
    assert len(plain.steps) >= 6
    entries = machine_code.entries_soon(kernel_text(able))
    packed = model.layout.pack(np.array(states_of(model), np.int64))
    assert different_compiled(able, entries, packed, known) == plain


def states_of(model):
    return [model.layout.flatten(state) for state in model.initial_states()]


ELEMENT = """
def property(state: State) -> bool:
    \"\"\"It holds.\"\"\"
    return PROPERTY


MODEL = Model(name="snippet", state=State, rules=Rules(), initial=start, actions=[act_0], always=[property])
"""


@pytest.mark.parametrize(
    ("condition", "values", "decision"),
    [
        ("all(cell.x < 3 for cell in state.cells)", {"cell": "state.cells[2]"}, "`cell.x < 3` is false: cell.x = 3"),
        (
            "not any(i > 1 and cell.x > 2 for i, cell in enumerate(state.cells))",
            {"i": 2, "cell": "state.cells[2]"},
            "`i > 1 and cell.x > 2` is true: i = 2, cell.x = 3",
        ),
        (
            "all(one.x <= other.x or other.up for one, other in zip(state.cells, state.others) if one.up)",
            {"one": "state.cells[0]", "other": "state.others[0]"},
            "`one.x <= other.x or other.up` is false: one.x = 3, other.x = 2, other.up = false",
        ),
        ("all(all(x < 3 for x in cell.row) for cell in state.others)", {"cell": "state.others[0]", "x": 3}, None),
        ("all(not is_high(cell, 2) for cell in state.cells)", {"cell": "state.cells[1]"}, "`is_high(cell, 2)` is true"),
        ("state.n == 7 or all(x < 3 for i in range(2) for x in state.cells[i].row)", {"i": 1, "x": 3}, None),
        (
            "sum(x for x in state.row) < 6",
            {},
            "`sum((x for x in state.row)) < 6` is false: sum((x for x in state.row)) = 7",
        ),
    ],
)
def test_a_witness_names_the_element_that_decided(condition, values, decision, tmp_path):
    text = model_text("return leave(state, 1)").partition("MODEL =")[0]
    model = load(tmp_path, text + ELEMENT.replace("PROPERTY", condition)).MODEL
    result = check(model, "interpreted")
    assert result.trace is not None
    witness = explain(result.trace)
    print(witness.text)
    assert dict(witness.values) == values
    assert decision is None or witness.decision == decision
