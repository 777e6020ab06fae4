"""The plain subset: what is refused, where and with which mend; and what the reader finds out about sound code."""

import itertools
import runpy
import warnings
from pathlib import Path

import pytest

from kafkacheck.checker.language import ir
from kafkacheck.checker.language.ir import ANY_ARRAY
from kafkacheck.checker.language.subset import Program
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.schema.layout import Layout
from tests.support import clean_functions, container_cases, more_subset_cases, set_cases
from tests.support.snippets import line_of, load
from tests.support.subset_cases import BODIES, PRELUDE, WHOLE, text_of


def refusal(module, **rest):
    """What is said about a model whose action is `act`."""
    with pytest.raises(ModelError) as caught:
        Model(**{"name": "snippet", "state": module.State, "bounds": {"members": 2}, "actions": [module.act], **rest})
    return str(caught.value)


CASES = [*BODIES, *more_subset_cases.CASES, *set_cases.CASES, *container_cases.CASES, *WHOLE]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_code_outside_the_subset_is_told_where_and_what_instead(case, tmp_path):
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):  # some of it Python itself finds odd
        module = load(tmp_path, text_of(case))
        said = refusal(module)
    for words in case.words:
        assert words in said
    if "# here" in case.code:
        assert line_of(module, "# here") in said


FUNCTIONS = [*clean_functions.CLEAN, *clean_functions.CAUTIOUS, *clean_functions.DIRTY]
CLEAN_LAYOUT = Layout(clean_functions.State, {})


def read(function, rules=None, layout=CLEAN_LAYOUT):
    """A function as the reader understands it."""
    program = Program(rules or clean_functions.Rules())
    count = function.__code__.co_argcount
    types = [layout.root, program.host(program.rules)] if count == 2 else [layout.root]
    return program.function(function, types)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_whether_false_means_that_nothing_was_written(function):
    assert read(function).false_is_clean == (function in clean_functions.CLEAN)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_the_reader_is_right_on_every_state(function):
    found = read(function)
    rules = clean_functions.Rules()
    witnesses = 0
    for values in itertools.product(range(4), range(2), (0, 2, 3), (0, 1, 3), (3,), (0,), (1,), (2,)):
        state = CLEAN_LAYOUT.restore(values)
        enabled = function(state, rules)
        after = CLEAN_LAYOUT.flatten(state)
        written = {leaf.owner for leaf, old, new in zip(CLEAN_LAYOUT.leaves, values, after, strict=True) if old != new}
        assert written <= found.written
        witnesses += not enabled and after != values
    assert (witnesses > 0) == (function in clean_functions.DIRTY)


def action_of(tmp_path, code, **rest):
    """A model's only action, from the statements of `act(state)`."""
    body = "\n".join("    " + line for line in code.splitlines())
    module = load(tmp_path, f'{PRELUDE}\n\ndef act(state: State) -> bool:\n    """The action."""\n{body}\n')
    model = Model(**{"name": "m", "state": module.State, "bounds": {"members": 2}, "actions": [module.act], **rest})
    return model.actions[0].read


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("return state.flag", set()),
        ("state.number = 1\nreturn True", {("State", "number")}),
        ("state.number += 1\nreturn True", {("State", "number")}),
        ("state.cells[0].number = 1\nreturn True", {("Cell", "number")}),
        ("state.cells[0].row[1] = 1\nreturn True", {("Cell", "row")}),
        ("cell = state.cells[1]\ncell.flag = True\nreturn True", {("Cell", "flag")}),
        ("row = state.row\nrow[0] = 1\nreturn True", {("State", "row")}),
        ("row = state.row if state.flag else state.row\nrow[0] = 1\nreturn True", None),
        ("row = state.row\nrow = state.cells[0].row\nrow[0] = 1\nreturn True", {ANY_ARRAY}),
        ("row = state.row\nif state.flag:\n    row = state.cells[0].row\nrow[0] = 1\nreturn True", {ANY_ARRAY}),
        ("row = state.row\nfor i in range(2):\n    row[i] = 1\n    row = state.cells[0].row\nreturn True", {ANY_ARRAY}),
        ("row = state.row\nfor i in range(2):\n    row = state.cells[0].row\nrow[0] = 1\nreturn True", {ANY_ARRAY}),
        ("count_up(state)\nreturn True", {("State", "number")}),
        ("return state.flag and count_up(state)", {("State", "number")}),
        ("return False and count_up(state)", set()),
        ("return count_up(state) if LIMIT == 2 else state.flag", set()),
        ("if LIMIT == 2:\n    state.flag = True\nreturn state.number == 1", set()),
        ("if LIMIT == 3:\n    return False\nstate.flag = True\nreturn True", set()),
    ],
)
def test_which_fields_may_be_written(code, written, tmp_path):
    if written is None:
        with pytest.raises(ModelError, match="both values of a conditional expression"):
            action_of(tmp_path, code)
        return
    found = action_of(tmp_path, code).written
    assert found == written or (ANY_ARRAY in written and found >= written)


@pytest.mark.parametrize(
    "code",
    [
        "x: int = 1\nstate.number = x\nreturn True",
        "pass\nreturn not (state.flag or True)",
        "for i in range(3, -1, -1):\n    state.number = i\nreturn True",
        "i = 7\nfor i in range(0):\n    pass\nstate.number = min(i, 3)\nreturn True",
        "if LIMIT == 2:\n    state.number = 99\nreturn True",
        "if LIMIT == 2 and state.number // (LIMIT - 3) == 0:\n    return False\nreturn True",
        "return True if LIMIT == 3 else 1 << (LIMIT - 4) == 0",
        "if LIMIT == 3:\n    return False\nelse:\n    y = 1\nstate.number = y\nreturn True",
        "if LIMIT != 3:\n    y = 1\nelse:\n    return False\nstate.number = y\nreturn True",
        "x = len(state.row) + abs(-1) + int(state.flag) + max(1, 2, 3)\nreturn bool(x)",
        "return schema.contains(5, 2) and cardinality(7) == 3",
        "return Mode.ON == 1 and state.number == schema.MOST_MEMBERS",
        "clear(state)\nreturn True",
        "state.flag = True < state.flag\nreturn True",
        "return +state.number == - -state.number == ~~state.number",
    ],
)
def test_sound_code_is_accepted(code, tmp_path):
    assert action_of(tmp_path, code).returns == "bool"


def test_constants_and_rules_are_folded_in(tmp_path):
    body = action_of(tmp_path, "if LIMIT * 2 == 6 and not False:\n    return len(state.row) == 1\nreturn True").body
    assert body == (ir.Return(ir.Const(False)),)
    body = action_of(tmp_path, "return state.flag and LIMIT == 2").body
    assert body == (ir.Return(ir.Const(False)),)
    body = action_of(tmp_path, "return state.row[state.number] == 1 and LIMIT == 2").body
    assert body != (ir.Return(ir.Const(False)),), "the index may be wrong, so it must be evaluated"


def test_a_function_without_a_body_returns_nothing(tmp_path):
    module = load(tmp_path, f'{PRELUDE}\n\ndef act(state: State) -> None:\n    """Does nothing."""\n')
    assert "act must return True where it is enabled" in refusal(module)


def test_a_function_of_70_lines_is_not_too_long(tmp_path):
    code = "state.number = 1\n" * 69 + "return True"
    assert action_of(tmp_path, code).writes


@pytest.mark.parametrize(
    ("code", "mark"),
    [
        ("def seen(state: State) -> bool:\n    state.number = 1  # here\n    return True", "# here"),
        (
            "def seen(state: State) -> bool:\n    x = state.cells[0]\n    x.row[0] = 1  # here\n    return True",
            "# here",
        ),
        ("def seen(state: State) -> bool:\n    return set_flag(state)", "# in the helper"),
        ("def seen(state: State) -> bool:\n    return state.row[0] == 1 or twice(state)", "# in the helper"),
        ("def seen(before: State, after: State) -> bool:\n    after.flag = True  # here\n    return True", "# here"),
    ],
)
def test_a_property_that_writes_is_told_where(code, mark, tmp_path):
    helper = """
def set_flag(state: State) -> bool:
    state.flag = True  # in the helper
    return True


def twice(state: State) -> bool:
    return set_flag(state) and set_flag(state)


def act(state: State) -> bool:
    state.flag = not state.flag
    return True


"""
    module = load(tmp_path, PRELUDE + helper + code + "\n")
    roles = ["always"] if "before" in code else ["always", "sometimes", "constraint"]
    for role in roles:
        said = refusal(module, **{role: module.seen if role == "constraint" else [module.seen]})
        assert line_of(module, mark) in said
        assert f"seen in `{role}` writes to the state; a property only observes" in said


SWITCHED = """
class Rules(NamedTuple):
    mode: Mode
    wide: bool


def act(state: State, rules: Rules) -> bool:
    if rules.mode == Mode.ON:
        return helper(state, rules)
    elif rules.wide:
        x = 1
    else:
        return False
    state.number = x
    return True


def helper(state: State, rules: Rules) -> bool:
    state.flag = rules.wide
    return True
"""


@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("mode", ["ON", "OFF"])
def test_code_is_accepted_or_refused_whatever_the_rules(mode, wide, tmp_path):
    module = load(tmp_path, PRELUDE + SWITCHED)
    rules = module.Rules(module.Mode[mode], wide)
    model = Model(name="m", state=module.State, bounds={"members": 2}, rules=rules, actions=[module.act])
    fields = {"ON": {("State", "flag")}, "OFF": {("State", "number")} if wide else set()}
    assert model.actions[0].read.written == fields[mode]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x = 1\n", "x = True\n"),
        ("state.number = x", "state.number = y"),
        ("return helper(state, rules)", "return helper(state)"),
        ("rules.wide:", "rules.width:"),
        ("        return False\n", "        return 0\n"),
    ],
)
@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("mode", ["ON", "OFF"])
def test_a_mistake_in_code_that_the_rules_exclude_is_told_too(old, new, mode, wide, tmp_path):
    assert SWITCHED.count(old) == 1
    module = load(tmp_path, PRELUDE + SWITCHED.replace(old, new))
    assert "in act: " in refusal(module, rules=module.Rules(module.Mode[mode], wide))


def test_an_unknown_switch_is_told_with_those_there_are(tmp_path):
    module = load(tmp_path, PRELUDE + SWITCHED.replace("rules.wide:", "rules.width:"))
    said = refusal(module, rules=module.Rules(module.Mode.OFF, True))
    assert "the rules have no switch 'width'; they have: mode, wide" in said


def test_a_file_that_changed_after_it_was_imported_is_refused(tmp_path):
    text = PRELUDE + "\n\ndef act(state: State) -> bool:\n    state.number = 1\n    return True\n"
    module = load(tmp_path, text)
    Path(module.__file__).write_text(text.replace("number = 1", "number = 2"), encoding="utf-8")
    assert "the text of act is not what Python runs: the file has changed since it was imported; start again" in (
        refusal(module)
    )
    Path(module.__file__).write_text(text.replace("def act", "def cat"), encoding="utf-8")
    assert "no `def act` was found there" in refusal(module)
    Path(module.__file__).write_text(text + "\n\n)", encoding="utf-8")
    assert "no `def act` was found there" in refusal(module)
    Path(module.__file__).write_text(text, encoding="utf-8")
    assert Model(name="m", state=module.State, bounds={"members": 2}, actions=[module.act]).actions
    Path(module.__file__).unlink()
    assert "there is no such file; protocol functions must live in a file" in refusal(module)


def test_a_comment_added_to_a_file_in_use_does_no_harm(tmp_path):
    text = PRELUDE + "\n\ndef act(state: State) -> bool:\n    state.number = 1\n    return True\n"
    module = load(tmp_path, text)
    Path(module.__file__).write_text(text + "# the end\n", encoding="utf-8")
    assert Model(name="m", state=module.State, bounds={"members": 2}, actions=[module.act]).actions


def test_code_without_a_file_is_refused():
    scope = {"State": clean_functions.State}
    exec("def act(state):\n    return True", scope)
    with pytest.raises(ModelError, match="<string>:1: there is no such file; protocol functions must live in a file"):
        Model(name="m", state=clean_functions.State, actions=[scope["act"]])


def test_other_encodings_are_read_as_python_reads_them(tmp_path):
    body = '"""\xe9t\xe9."""\nfrom kafkacheck.checker.schema import *\n\n'
    body += '\nclass State(Struct):\n    "\xe9"\n    flag: bool\n\n\n'
    code = 'def act(state: State) -> bool:\n    "\xe9"\n    state.flag = not state.flag\n    return True\n'
    for name, start in (("latin-1", "# coding: latin-1\n"), ("utf-8-sig", "")):
        path = tmp_path / f"{name.replace('-', '_')}.py"
        path.write_bytes((start + body + code).encode(name))
        scope = runpy.run_path(str(path))
        assert Model(name="m", state=scope["State"], actions=[scope["act"]]).actions


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("if rules.wide:\n    return True", "one path ends without `return`"),
        ("if rules.wide:\n    x = 1\nstate.number = x\nreturn True", "'x' may have no value here"),
        ("if rules.mode == Mode.ON:\n    x = 1\nelif rules.wide:\n    x = 2\nstate.number = x\nreturn True", "'x' may"),
        (
            "if state.flag:\n    if rules.wide:\n        return False\nelse:\n    x = 1\nstate.number = x\nreturn True",
            "'x'",
        ),
        ("if rules.wide:\n    return True\nelse:\n    return False\nstate.number = 1", "this is never reached"),
    ],
)
@pytest.mark.parametrize("wide", [True, False])
@pytest.mark.parametrize("mode", ["ON", "OFF"])
def test_a_path_that_only_other_rules_open_must_be_sound_too(code, words, mode, wide, tmp_path):
    body = "\n".join("    " + line for line in code.splitlines())
    switched = SWITCHED[: SWITCHED.index("def act")] + f"def act(state: State, rules: Rules) -> bool:\n{body}\n"
    module = load(tmp_path, PRELUDE + switched)
    assert words in refusal(module, rules=module.Rules(module.Mode[mode], wide))
