"""What protocol code sees outside of itself is read once, is plain, and stays what it was, or is refused."""

import builtins
import enum
import threading
from enum import EnumType, IntEnum

import pytest

from kafkacheck.checker.compiled import kernel
from kafkacheck.checker.distributed.distributed import DistributedSearch
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.graphs import dataset
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import ModelError
from kafkacheck.checker.proofs import bmc, equivalent
from kafkacheck.checker.proofs.prove import Settings, prove
from kafkacheck.checker.schema import plain_values
from kafkacheck.checker.search import check
from kafkacheck.checker.stateful import state_machine
from kafkacheck.checker.traces.replay import replay
from tests.support.snippets import line_of, load

HEAD = '''"""A counter."""
from enum import IntEnum, IntFlag, EnumMeta, nonmember
from types import ModuleType
from typing import Annotated, NamedTuple

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Count, EnumOf, Struct

N = Annotated[int, Count(9)]
'''
LATER = (
    HEAD
    + '''
LIMIT = 2
LIMITED = True
TOOLS = ModuleType("tools")
TOOLS.LIMIT = 2


class Mode(IntEnum):
    """Modes."""

    OFF = 0
    ON = 2


class Other(IntEnum):
    """Other modes."""

    OFF = 1
    ON = 7


class Inner(NamedTuple):
    """A group of rules."""

    most: int = 2


class Rules(NamedTuple):
    """Rules."""

    limit: int = 2
    inner: Inner = Inner()


class State(Struct):
    """A number."""

    a: N
    b: N


def limit() -> int:
    """A limit."""
    return 2


def other_limit() -> int:
    """Another limit."""
    return 7


limit.most = 2


def go(state: State, rules: Rules, by: Annotated[int, Count(1, 1)]) -> bool:
    """Up to the limit."""
    if LIMITED and state.a >= BOUND:  # here
        return False
    state.a = min(9, state.a + by)
    return True


def never_five(state: State) -> bool:
    """Never 5."""
    return state.a != 5


def model(**more) -> Model:
    """The model, which is defined when it is asked for."""
    return Model(name="late", state=State, actions=[go], rules=Rules(), always=[never_five], **more)
'''
)

CHANGES = {
    "a number": ("LIMIT", "LIMIT = 7", ["LIMIT was 2", "is 7 now"]),
    "a flag": ("LIMIT", "LIMITED = False", ["LIMITED was True", "is False now"]),
    "a number becomes a flag": ("LIMIT", "LIMITED = 1", ["LIMITED was True", "is 1 now"]),
    "a name that is gone": ("LIMIT", "del LIMIT", ["LIMIT was 2", "not there"]),
    "a function": ("limit()", "limit = other_limit", ["limit was the function of", "is the function of"]),
    "a function's code": ("limit()", "limit.__code__ = other_limit.__code__", ["the code of limit was replaced"]),
    "an action's code": (
        "LIMIT",
        "go.__code__ = go.__code__.replace(co_consts=(*go.__code__.co_consts, 5))",
        ["the code of go was replaced"],
    ),
    "a property's code": ("LIMIT", "never_five.__code__ = never_five.__code__.replace()", ["the code of never_five"]),
    "a function's attribute": ("limit.most", "limit.most = 7", ["limit.most was 2", "is 7 now"]),
    "a module": ("TOOLS.LIMIT", "TOOLS = ModuleType('others'); TOOLS.LIMIT = 2", ["TOOLS was <module 'tools'>"]),
    "a module's attribute": ("TOOLS.LIMIT", "TOOLS.LIMIT = 7", ["TOOLS.LIMIT was 2", "is 7 now"]),
    "a module's attribute that is gone": ("TOOLS.LIMIT", "del TOOLS.LIMIT", ["TOOLS.LIMIT was 2", "is gone"]),
    "a module's class": (
        "TOOLS.LIMIT",
        "TOOLS.__class__ = type('M', (ModuleType,), {'LIMIT': property(lambda self: 7)})",
        ["TOOLS", "M"],
    ),
    "an enum": ("Mode.ON", "Mode = Other", ["Mode was <enum 'Mode'>", "is <enum 'Other'> now"]),
    "an enum's operator": ("Mode.ON", "Mode.__le__ = lambda one, two: False", ["Mode has a __le__ of its own"]),
    "an operator of the base of all enums": ("Mode.ON", "IntEnum.__le__ = lambda one, two: False", ["__le__"]),
    "an operator that a number lacks": ("Mode.ON", "Mode.__iadd__ = lambda one, two: 3", ["Mode has a __iadd__"]),
    "the class of the rules": ("rules.limit", "Rules.limit = property(lambda self: 2)", ["rules.limit", "field"]),
    "a hidden builtin": ("LIMIT", "min = max", ["min was not there", "when the model was defined"]),
    "a builtin": ("LIMIT", "import builtins; builtins.min = max", ["min was <built-in function min>", "max"]),
    "a field": ("LIMIT", "State.a = property(lambda self: 1)", ["State.a is no longer the field that it was"]),
    "two fields": ("LIMIT", "State.a, State.b = State.b, State.a", ["State.a is no longer the field that it was"]),
    "how fields are stored": (
        "LIMIT",
        "State.__setattr__ = lambda self, name, value: object.__setattr__(self, name, min(value, 2))",
        ["State has a __setattr__ of its own"],
    ),
    "how records are compared": ("LIMIT", "State.__eq__ = lambda self, other: True", ["State has a __eq__ of its own"]),
    "a group of rules": ("rules.inner.most", "Inner.most = property(lambda self: 2)", ["rules.inner.most", "field"]),
    "an annotation": (
        "LIMIT",
        "go.__annotations__['by'] = Annotated[int, Count(2, 2)]",
        ["the annotation of by was", "Count(highest=1, lowest=1)", "Count(highest=2, lowest=2)"],
    ),
}


@pytest.fixture
def restored():
    """Puts back what a test changes of Python itself."""
    kept = builtins.min
    yield
    builtins.min = kept
    if "__le__" in vars(IntEnum):
        del IntEnum.__le__


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_rebound_after_the_definition_is_refused_with_the_place(change, tmp_path, restored):
    bound, code, words = CHANGES[change]
    module = load(tmp_path, LATER.replace("BOUND", bound))
    model = module.model()
    model.require_unchanged()
    exec(code, vars(module))
    for engine in ("interpreted", "compiled", "auto"):
        with pytest.raises(ModelError) as raised:
            check(model, engine=engine)
        assert all(word in str(raised.value) for word in words), raised.value
    assert str(tmp_path) in str(raised.value)


def test_the_line_that_sees_the_change_is_named(tmp_path):
    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    model = module.model()
    module.LIMIT = 7
    with pytest.raises(ModelError) as raised:
        check(model)
    assert str(raised.value).startswith(line_of(module, "# here")), raised.value
    assert "in go: LIMIT was 2" in str(raised.value)
    assert "above `Model(...)`" in str(raised.value)


def test_a_change_before_the_definition_and_a_change_back_do_no_harm(tmp_path):
    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    module.LIMIT = 7
    model = module.model()
    assert check(model, engine="interpreted").verdict is Verdict.VIOLATED
    module.LIMIT = 3
    module.LIMIT = 7
    module.unseen = 5
    assert check(model, engine="compiled").verdict is Verdict.VIOLATED


STARTS = {
    "kernel": kernel.kernel_text,
    "graph": lambda model: dataset.write(model, "late", model.folder / "graph"),
    "prove": lambda model: prove(model, Settings(jobs=0, use_cache=False)),
    "bmc": lambda model: bmc.check_bounded(model, 3),
    "describe": equivalent.describe,
    "compare": lambda model: equivalent.compare(model, model.described),
    "replay": lambda model: replay(model, model.trace),
    "state machine": state_machine,
    "other bounds": lambda model: model.with_bounds({}),
    "other properties": lambda model: model.with_properties(["never_five"]),
    "sharded": lambda model: DistributedSearch(model, None, None, None, (None, None), 1),
}


@pytest.mark.parametrize("start", STARTS)
def test_everything_that_runs_a_model_looks_first(start, tmp_path):
    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    module.LIMIT = 9
    model = module.model()
    needed = {"folder": tmp_path, "described": equivalent.describe(model), "trace": check(model).trace}
    for name, value in needed.items():
        object.__setattr__(model, name, value)
    module.LIMIT = 2
    with pytest.raises(ModelError, match="LIMIT was 9"):
        STARTS[start](model)


@pytest.mark.parametrize("engine", ["interpreted", "compiled", "auto"])
def test_what_changes_during_a_search_is_noticed_before_the_answer(engine, tmp_path):
    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    model = module.model()
    reached = model.initial_states

    def and_then():
        states = reached()
        other = threading.Thread(target=setattr, args=(module, "LIMIT", 7))
        other.start()
        other.join()
        return states

    object.__setattr__(model, "initial_states", and_then)
    with pytest.raises(ModelError, match="LIMIT was 2"):
        check(model, engine=engine)


# values that are no plain ints

INTS = [
    *(name for name in vars(int) if name.startswith("__") and callable(vars(int)[name])),
    *(f"__i{name}__" for name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")),
    "__getattr__",
    "__get__",
    "__set__",
    "__setattr__",
    "__del__",
]
FEW = {
    **{name: lambda self, other: self for name in INTS if name.startswith("__i")},
    **{name: lambda self, *others: None for name in ("__del__", "__set__")},
    "__get__": lambda self, *others: self,
    "__getattr__": lambda self, name: object.__getattribute__(self, name),
}
"""What a number has not, and Python would call."""
SHOWN = {"__repr__", "__format__", "__getnewargs__", "__new__"}
"""How a number is shown, made or saved changes nothing that is computed with it."""


@pytest.mark.parametrize("name", INTS)
def test_an_enum_with_operators_of_its_own_is_refused(name):
    usual = {**FEW, **vars(object), **vars(int)}[name]

    def own(self, *others):
        return usual(self, *others)

    for bases in ((), (type("Mixed", (), {name: own}),)):
        try:
            space = EnumType.__prepare__("E", (*bases, IntEnum))
            if not bases:
                space[name] = own
            space["A"] = 1
            made = EnumType("E", (*bases, IntEnum), space)
        except TypeError:  # Python refuses it itself
            continue
        problem = plain_values.enum_problem(made)
        assert (name in problem) == (name not in SHOWN), (name, bases, problem)
        assert bool(plain_values.int_problem(made.A)) == bool(problem)


WRONG = {
    "an enum with an operator": (
        "class E(IntEnum):\n    A = 1\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__",
        "E.A",
        "E has a __eq__ of its own",
    ),
    "a member of one": ("class E(IntEnum):\n    A = 1\n    def __bool__(self): return False\nF = E.A", "F", "__bool__"),
    "an enum whose members are other numbers": (
        "class E(IntEnum):\n    A = 1\n    def __new__(cls, value):\n        made = int.__new__(cls, value + 1)\n"
        "        made._value_ = value\n        return made",
        "E.A",
        "leave out its `__new__`",
    ),
    "an enum with a metaclass": (
        "class Meta(EnumMeta):\n    def __getattribute__(cls, name): return super().__getattribute__(name)\n"
        "class E(IntEnum, metaclass=Meta):\n    A = 1",
        "E.A",
        "the metaclass Meta",
    ),
    "an enum with a descriptor": (
        "class D:\n    def __get__(self, one, owner): return 3\nclass E(IntEnum):\n    A = 1\n    B = D()",
        "E.B",
        "E.B is made by a descriptor of E",
    ),
    "a subclass of int": ("class I(int):\n    def __le__(self, other): return True\nF = I(2)", "F", "F is an I"),
    "a subclass of int without operators": ("class I(int):\n    pass\nF = I(2)", "F", "F is an I"),
    "a flag": ("class E(IntFlag):\n    A = 1\nF = E.A", "F", "F is an E"),
    "a set of flags": ("class E(IntFlag):\n    A = 1", "E.A", "E is an EnumType"),
    "an attribute made by a module": (
        "M = ModuleType('m')\nM.__getattr__ = lambda name: 3",
        "M.LIMIT",
        "M.LIMIT is made by the module's __getattr__",
    ),
    "a module that is none": ("M = type('M', (ModuleType,), {'LIMIT': 3})('m')", "M.LIMIT", "which is no plain module"),
    "an object for a module": ("M = type('M', (), {'LIMIT': 3})()", "M.LIMIT", "M is a M"),
    "a property of the rules": ("", "rules.p", "rules.p is not a field of Mine"),
}


@pytest.mark.parametrize("value", WRONG)
def test_values_that_need_not_be_what_they_seem_are_refused(value, tmp_path):
    code, bound, problem = WRONG[value]
    mine = "class Mine(Rules):\n    p = property(lambda self: 3)\n\n\ndef model("
    text = LATER.replace("BOUND", bound).replace("class State", f"{code}\n\n\nclass State").replace("Rules()", "Mine()")
    module = load(tmp_path, text.replace("def model(", mine))
    with pytest.raises(ModelError, match=problem) as raised:
        module.model()
    assert str(raised.value).startswith(line_of(module, "# here")), raised.value


def test_an_enum_that_only_shows_itself_otherwise_is_accepted(tmp_path):
    code = (
        "class E(IntEnum):\n    A = 2\n    B = A\n    def __str__(self): return 1\n"
        "    def __repr__(self): return 'a'\n"
        "    def __format__(self, how): return 'a'\n    def worth(self): return 3\n    @classmethod\n"
        "    def _missing_(cls, value): return cls.A\n"
    )
    text = LATER.replace("BOUND", "E.B").replace("class State", f"{code}\n\nclass State")
    model = load(tmp_path, text).model()
    assert {check(model, engine=engine).states_distinct for engine in ("interpreted", "compiled")} == {3}


RULES = LATER[LATER.index("class Rules") : LATER.index("class State")]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("limit: int = 2", "limit: int = I(2)", "rules.limit is an I"),
        ("most: int = 2", "most: int = I(2)", "rules.inner.most is an I"),
        ("Count(9)]", "Count(I(8))]", "the size is an I"),
        ("Count(9)]", "EnumOf(E)]", "E has a __lt__ of its own"),
        ("**more)", "bounds={'n': I(2)}, **more)", "bound n is an I"),
        ('    a: N', "    a: N\n\n    def __getattribute__(self, name): return object.__getattribute__(self, name)",
         "State has a __getattribute__ of its own"),
        ("class State(Struct)", "class State(Mixed, Struct)", "State has a __setattr__ of its own"),
        ("    a: N", "    a: N\n\n    def __eq__(self, other): return True", "State has a __eq__ of its own"),
        ("    a: N", "    a: N\n\n    def __ne__(self, other): return True", "State has a __ne__ of its own"),
        (RULES, "class Rules(Odd):\n    pass\n\n\n", "rules.limit is looked up by a __getattribute__ of Rules"),
    ],
)  # fmt: skip
def test_rules_bounds_and_records_are_plain_too(old, new, problem, tmp_path):
    code = (
        "class I(int):\n    def __lt__(self, other): return True\n\n\n"
        "class E(IntEnum):\n    A = 0\n    def __lt__(self, other): return True\n\n\n"
        "class Mixed:\n    __slots__ = ()\n    def __setattr__(self, name, value): pass\n\n\n"
        "class Plain(NamedTuple):\n    limit: int = 2\n\n\n"
        "class Odd(Plain):\n    def __getattribute__(self, name): return tuple.__getattribute__(self, name)\n\n\n"
    )
    text = LATER.replace("BOUND", "rules.limit").replace("N = Annotated", f"{code}N = Annotated").replace(old, new)
    with pytest.raises(ModelError, match=problem):
        load(tmp_path, text).model()


def test_a_function_in_another_world_is_refused(tmp_path):
    class Names(dict):
        """Names that are made up."""

    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    go = type(module.go)(module.go.__code__, Names(vars(module)), "go")
    go.__annotations__ = module.go.__annotations__
    others = type(module.go)(module.go.__code__, {**vars(module), "__builtins__": {"min": max}}, "go")
    others.__annotations__ = module.go.__annotations__
    for each in (go, others):
        module.go = each
        with pytest.raises(ModelError, match="not Python's own"):
            module.model()


def test_pythons_own_enums_are_plain():
    made = enum.IntEnum("Made", {"A": 1, "B": 5})
    assert plain_values.enum_problem(made) == plain_values.int_problem(made.B) == plain_values.int_problem(True) == ""


# the model itself


@pytest.mark.parametrize("name", ["always", "actions", "bounds", "name", "check_deadlock", "properties", "another"])
def test_a_model_cannot_be_changed_after_its_definition(name, tmp_path):
    model = load(tmp_path, LATER.replace("BOUND", "LIMIT")).model()
    for change in (lambda: setattr(model, name, []), lambda: delattr(model, name)):
        with pytest.raises(ModelError, match=rf"snippet_\d+\.py:\d+: `{name}` of a model cannot change after"):
            change()


def test_a_list_that_a_model_was_given_cannot_change_after_its_definition(tmp_path):
    module = load(tmp_path, LATER.replace("BOUND", "LIMIT"))
    given = {"always": [], "actions": [each.function for each in module.model().actions]}
    for role, more in (("always", module.never_five), ("actions", given["actions"][0])):
        model = Model(name="listed", state=module.State, rules=module.model().rules, **given)
        given[role].append(more)
        with pytest.raises(ModelError, match=f"model listed: `{role}` has changed since"):
            check(model)
        given[role].pop()
