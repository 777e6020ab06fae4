"""Defining a model: what is derived from it, and every mistake that is told when it is defined."""

from enum import IntEnum
from typing import Annotated, NamedTuple

import pytest

from kafkacheck.checker.model.model import Model
from kafkacheck.checker.process.errors import EvaluationError, ModelError, UsageError
from kafkacheck.checker.schema import Array, ById, Count, EnumOf, Flag, Id, IdSet, Struct
from tests.support.snippets import load


class Mode(IntEnum):
    SLOW = 4
    FAST = 5


class Rules(NamedTuple):
    mode: Mode = Mode.SLOW
    step: int = 1
    wide: bool = False


MemberId = Annotated[int, Id("members")]


class State(Struct):
    count: Annotated[int, Count("highest")]
    owners: Annotated[Array[Annotated[int, Id("members", none=-1)]], ById("members")]
    flag: bool


def start(state: State) -> None:
    state.count = 1


def start_anywhere(state: State, member: MemberId, flag: bool) -> bool:
    if member == 1 and flag:
        return False
    state.owners[member] = member
    state.flag = flag
    return True


def count_up(state: State, rules: Rules) -> bool:
    if state.count + rules.step > 3:
        return False
    state.count += rules.step
    return True


def plain_count_up(state: State) -> bool:
    if state.count == 3:
        return False
    state.count += 1
    return True


def own(state: State, member: MemberId, mode: Mode) -> bool:
    if state.owners[member] == member or mode == Mode.FAST:
        return False
    state.owners[member] = member
    return True


def unannotated(state, member) -> bool:
    if state.owners[member] == member:
        return False
    state.owners[member] = member
    return True


def is_small(state: State) -> bool:
    return state.count < 3


def is_small_by_rules(state: State, rules: Rules) -> bool:
    return state.count < 3 or rules.wide


def grows(before: State, after: State) -> bool:
    return after.count >= before.count


def grows_by_rules(before: State, after: State, rules: Rules) -> bool:
    return after.count >= before.count + rules.step


BOUNDS = {"members": 2, "highest": 3}


def model(**changes) -> Model:
    return Model(**{"name": "tried", "state": State, "bounds": BOUNDS, "actions": [plain_count_up, own], **changes})


def refusal(**changes) -> str:
    with pytest.raises(ModelError) as caught:
        model(**changes)
    return str(caught.value)


def test_what_a_model_knows():
    made = model(
        rules=Rules(), actions=[count_up, own], always=[is_small_by_rules, grows, grows_by_rules], sometimes=[is_small]
    )
    assert made.name == "tried" and made.bounds == BOUNDS and made.rules == Rules()
    assert [action.name for action in made.actions] == ["count_up", "own"]
    assert [(each.name, each.is_step) for each in made.properties] == [
        ("is_small_by_rules", False),
        ("grows", True),
        ("grows_by_rules", True),
    ]
    assert [each.name for each in made.sometimes] == ["is_small"]
    first, second = made.action("own").parameters
    assert (first.name, first.kind, first.values) == ("member", Id("members"), (0, 1))
    assert (second.name, second.kind, second.values) == ("mode", EnumOf(Mode), (4, 5))
    assert list(made.action("own").combinations()) == [(0, 4), (0, 5), (1, 4), (1, 5)]
    assert made.action("own").named((1, 4)) == {"member": 1, "mode": 4}
    assert (
        made.question == "Defining a model: what is derived from it, and every mistake that is told when it is defined."
    )
    assert model(question="Why?").question == "Why?"


def test_actions_and_properties_run():
    made = model(rules=Rules(step=2), actions=[count_up, own], always=[is_small_by_rules, grows_by_rules])
    state = made.layout.blank()
    assert made.action("count_up").apply(state, ()) and state.count == 2
    assert not made.action("count_up").apply(state, ()) and state.count == 2
    assert made.action("own").apply(state, (1, Mode.SLOW)) and state.owners[1] == 1
    assert made.properties[0].holds(state)
    assert made.properties[1].holds(made.layout.blank(), state)
    assert not made.properties[1].holds(state, state)


def test_flags_are_tried_as_booleans():
    [action] = model(initial=start_anywhere).initial
    assert list(action.combinations()) == [(0, False), (0, True), (1, False), (1, True)]


def test_initial_states():
    assert [state.count for state in model().initial_states()] == [0]
    assert [state.count for state in model(initial=start).initial_states()] == [1]
    assert [state.count for state in model(initial=[start, start]).initial_states()] == [1]
    found = [(list(state.owners), state.flag) for state in model(initial=[start_anywhere]).initial_states()]
    assert found == [([0, -1], False), ([0, -1], True), ([-1, 1], False)]


def nowhere(state: State) -> bool:
    return state.flag


def too_far(state: State) -> None:
    state.count = 3
    state.count += 1


def fails(state: State, count: Annotated[int, Count("highest")]) -> bool:
    state.owners[count] = 0
    return True


@pytest.mark.parametrize(
    ("initial", "words"),
    [
        (nowhere, "tried has no initial state: nowhere returned False for all parameters"),
        (too_far, "too_far leaves count = 4, outside its range 0 .. 3"),
        (fails, "fails on the blank state failed: IndexError: index 2 is outside this array"),
    ],
)
def test_an_initial_state_that_is_none(initial, words):
    with pytest.raises(EvaluationError) as caught:
        model(initial=initial).initial_states()
    assert words in str(caught.value)
    assert initial is nowhere or "test_model.py:" in str(caught.value)


def test_parameters_gives_domains():
    made = model(actions=[unannotated], parameters={"member": MemberId})
    assert made.actions[0].parameters[0].values == (0, 1)
    made = model(actions=[own], parameters={"member": Id(1)})
    assert made.actions[0].parameters[0].values == (0,)


def act_nothing(state: State) -> None:
    state.count = 1


def act_number(state: State) -> int:
    return state.count


def no_state() -> bool:
    return True


def rules_only(rules: Rules) -> bool:
    return rules.wide


def rules_last(state: State, member: MemberId, rules: Rules) -> bool:
    return rules.wide and state.owners[member] == 0


def rules_between(before: State, rules: Rules, after: State) -> bool:
    return rules.wide or before.flag == after.flag


def three_states(one: State, two: State, three: State) -> bool:
    return one.flag or two.flag or three.flag


def count_and_write(state: State) -> int:
    state.count = 1
    return 1


def number_property(state: State) -> int:
    return state.count


def wide_parameter(state: State, members: Annotated[int, IdSet(30)]) -> bool:
    return state.count == members


def unknown_domain(state: State, leader: Annotated[int, Id("leaders")]) -> bool:
    return state.count == leader


def text_annotation(state: State, leader: "LeaderId") -> bool:  # noqa: F821  # the name is meant to be unknown
    return state.count == leader


def list_rules(state: State, rules: Rules) -> bool:
    return rules.sizes == 1


class ListRules(NamedTuple):
    sizes: list


MISTAKES = [
    ({"state": int}, "`state` is <class 'int'>; give the Struct class of a state"),
    ({"state": State.__new__(State)}, "give the Struct class of a state"),
    ({"state": None}, "`state` is None"),
    (
        {"bounds": {"members": 2}},
        "State.count: the bound 'highest' is not defined; the model's bounds are: members. Add",
    ),
    ({"bounds": {}}, "the model's bounds are: none"),
    ({"bounds": None}, "the model's bounds are: none"),
    ({"bounds": {**BOUNDS, "extra": 1}}, "the bound 'extra' is used by no field, no parameter and no function"),
    ({"bounds": {**BOUNDS, "members": 2.0}}, "bound members is 2.0; a bound is a whole number"),
    ({"bounds": {**BOUNDS, "members": 0}}, "State.owners"),
    ({"bounds": [("members", 2)]}, "`bounds` is [('members', 2)]; give a dict by name"),
    ({"actions": []}, "it has no actions; give at least one"),
    ({"actions": own}, "give a list of functions"),
    ({"actions": None}, "`actions` is None; give a list of functions"),
    ({"actions": ["own"]}, "model tried: `actions` lists 'own'; give functions"),
    ({"actions": [print]}, "print> is not a plain Python function"),
    ({"always": [3]}, "`always` lists 3; give functions"),
    ({"constraint": 3}, "`constraint` is 3; give a function, or None"),
    ({"check_deadlock": "no"}, "`check_deadlock` is 'no'; give True or False"),
    ({"drawing": "lanes"}, "`drawing` is 'lanes'; give Lanes(...)"),
    ({"question": 3}, "`question` is 3; give a text"),
    ({"bounds": {3: 4}}, "`bounds` has the name 3; give names"),
    ({"bounds": {"a b": 4}}, "`bounds` has the name 'a b'; give names"),
    ({"always": is_small}, "`always` is the function is_small; give a list of functions: [is_small]"),
    ({"initial": 3}, "`initial` is 3; give a list of functions"),
    ({"initial": ["start"]}, "`initial` lists 'start'; give functions"),
    ({"actions": [own, own]}, "own is listed twice in actions; names must differ"),
    ({"always": [is_small, is_small]}, "is_small is listed twice in always, sometimes and lemmas; names must differ"),
    ({"always": [is_small], "sometimes": [is_small]}, "is_small is listed twice in always, sometimes and lemmas"),
    ({"actions": [act_nothing]}, "act_nothing must return True where it is enabled and False where not"),
    ({"actions": [act_number]}, "act_number must return True where it is enabled and False where not"),
    ({"actions": [no_state]}, "no_state takes no state; an action is `def no_state(state, ...)`"),
    ({"actions": [unannotated]}, "unannotated has a parameter 'member' without a domain; annotate it with a kind"),
    ({"actions": [unannotated]}, "or give parameters={'member': ...}"),
    ({"actions": [unknown_domain]}, "unknown_domain(leader): the bound 'leaders' is not defined"),
    ({"actions": [text_annotation]}, "name 'LeaderId' is not defined; import the names that its annotations use"),
    ({"actions": [wide_parameter]}, "combinations of parameters at these bounds; at most 100,000 are"),
    (
        {"parameters": {"leader": MemberId}},
        "`parameters` names 'leader', which no action takes; the actions take: member",
    ),
    ({"parameters": {"member": int}}, "parameters['member'] is <class 'int'>; give a kind such as Id('members')"),
    ({"parameters": {"member": 3}}, "parameters['member'] is 3; give a kind"),
    ({"parameters": ["member"]}, "`parameters` is ['member']; give a dict by name"),
    ({"parameters": {"member": Id("leaders")}}, "own(member): the bound 'leaders' is not defined"),
    ({"always": [three_states]}, "three_states in `always` takes 3 states; write (state) or (before, after)"),
    ({"always": [no_state]}, "no_state in `always` takes 0 states"),
    ({"sometimes": [grows]}, "grows in `sometimes` takes 2 states; write (state)"),
    ({"constraint": grows}, "grows in `constraint` takes 2 states; write (state)"),
    ({"always": [number_property]}, "number_property in `always` must return True or False"),
    ({"always": [act_nothing]}, "act_nothing in `always` must return True or False"),
    ({"measures": [grows]}, "grows in `measures` takes 2 states; write (state)"),
    ({"measures": [is_small]}, "is_small in `measures` must return a number"),
    ({"measures": [count_and_write]}, "count_and_write in `measures` writes to the state; it only counts"),
    ({"measures": [number_property, number_property]}, "number_property is listed twice in measures"),
    ({"measures": 3}, "`measures` is 3; give a list of functions"),
    ({"sometimes": [plain_count_up]}, "plain_count_up in `sometimes` is an action; give a function that only looks"),
    ({"eventually": [own]}, "own in `eventually` is an action; give a function that only looks at a state"),
    (
        {"sometimes": [plain_count_up], "actions": [own]},
        "plain_count_up in `sometimes` writes to the state; a property only observes",
    ),
    ({"actions": [count_up]}, "count_up takes `rules`, but the model has none; give `rules=...`"),
    ({"always": [is_small_by_rules]}, "is_small_by_rules takes `rules`, but the model has none"),
    ({"rules": Rules(), "actions": [rules_only]}, "rules_only takes (rules); write (state, rules, ...)"),
    ({"rules": Rules(), "actions": [rules_last]}, "rules_last takes (state, member, rules); write (state, rules, ...)"),
    (
        {"rules": Rules(), "always": [rules_between]},
        "rules_between takes (before, rules, after); write (state, rules) or",
    ),
    (
        {"rules": {"mode": Mode.SLOW}},
        "`rules` is {'mode': <Mode.SLOW: 4>}; give a NamedTuple of enum members, ints or bools",
    ),
    ({"rules": (1, 2)}, "`rules` is (1, 2); give a NamedTuple"),
    ({"rules": Rules}, "`rules` is the class Rules; give a NamedTuple of it: Rules()"),
    ({"rules": Rules(mode="slow")}, "rules.mode is 'slow'; a switch is an IntEnum member, an int or a bool"),
    ({"rules": ListRules([1]), "actions": [list_rules]}, "rules.sizes is [1]; a switch is an IntEnum member"),
]


@pytest.mark.parametrize(("changes", "words"), MISTAKES, ids=[words[:60] for _, words in MISTAKES])
def test_a_mistake_is_told_at_definition(changes, words):
    assert words in refusal(**changes)


def test_a_message_names_the_place_of_the_function():
    line = unannotated.__code__.co_firstlineno
    assert f"test_model.py:{line}: model tried: unannotated has a parameter 'member'" in refusal(actions=[unannotated])
    line = rules_last.__code__.co_firstlineno
    assert f"test_model.py:{line}: model tried: rules_last takes" in refusal(rules=Rules(), actions=[rules_last])


def test_other_bounds():
    made = model(always=[is_small], sometimes=[grows_small], check_deadlock=True, question="Why?", initial=start)
    other = made.with_bounds({"members": 4})
    assert other.bounds == {"members": 4, "highest": 3} and made.bounds == BOUNDS
    assert len(other.layout.leaves) == 6 and other.check_deadlock and other.question == "Why?"
    assert [each.name for each in (*other.properties, *other.sometimes)] == ["is_small", "grows_small"]
    assert [state.count for state in other.initial_states()] == [1]


def grows_small(state: State) -> bool:
    return state.count == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"member": 3}, "tried has no bound 'member'; it has: members, highest; did you mean members?"),
        ({"x": 3}, "tried has no bound 'x'; it has: members, highest"),
        ({"members": 0}, "State.owners: its length"),
        ({"members": -1}, "tried cannot have members=-1"),
        ({"highest": 2}, "tried cannot have highest=2: "),
        ({"highest": 2**40}, "State.count: the range"),
        ({"members": 10**8}, "State has 100,000,002 scalars at these bounds"),
        ({"members": 3.0}, "bound members is 3.0; a bound is a whole number"),
        ({"members": True}, "bound members is True; a bound is a whole number"),
        ({"members": "3"}, "bound members is '3'; a bound is a whole number"),
    ],
)
def test_bounds_that_cannot_be(changes, words):
    def set_three(state: State) -> bool:
        state.count = 3
        return True

    with pytest.raises(UsageError) as caught:
        model(actions=[set_three, own]).with_bounds(changes)
    assert words in str(caught.value)


def test_a_bound_that_makes_a_constant_too_large_names_the_line():
    def set_three(state: State) -> bool:
        state.count = 3
        return True

    with pytest.raises(UsageError) as caught:
        model(actions=[set_three, own]).with_bounds({"highest": 2})
    line = set_three.__code__.co_firstlineno + 1
    assert f"test_model.py:{line}: in set_three: state.count = 3 is outside its range 0 .. 2" in str(caught.value)


def test_other_rules():
    made = model(rules=Rules(), actions=[count_up, own])
    assert made.with_rules({"mode": "FAST", "step": 2, "wide": True}).rules == Rules(Mode.FAST, 2, True)
    assert made.with_rules({"mode": 5, "step": "3", "wide": "false"}).rules == Rules(Mode.FAST, 3, False)
    assert made.with_rules({"mode": "5", "wide": "on"}).rules == Rules(Mode.FAST, 1, True)
    assert made.with_rules({"mode": Mode.FAST}).rules.mode is Mode.FAST
    assert made.with_rules({}) is made and made.rules == Rules()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"modes": "FAST"}, "tried has no rule 'modes'; it has: mode, step, wide; did you mean mode?"),
        ({"mode": "QUICK"}, "rule mode cannot be 'QUICK'; it is one of: SLOW, FAST"),
        ({"mode": 3}, "rule mode cannot be 3; it is one of: SLOW, FAST"),
        ({"mode": "-"}, "rule mode cannot be '-'"),
        ({"step": "one"}, "rule step cannot be 'one'; it is a whole number"),
        ({"step": "1.5"}, "rule step cannot be '1.5'; it is a whole number"),
        ({"wide": "maybe"}, "rule wide cannot be 'maybe'; it is true or false"),
        ({"wide": 2}, "rule wide cannot be 2; it is true or false"),
    ],
)
def test_rules_that_cannot_be(changes, words):
    with pytest.raises(UsageError) as caught:
        model(rules=Rules(), actions=[count_up, own]).with_rules(changes)
    assert words in str(caught.value)


def test_a_model_without_rules_has_no_switch():
    with pytest.raises(UsageError, match="tried has no rule 'mode'; it has: none"):
        model().with_rules({"mode": "FAST"})


def test_some_properties_only():
    made = model(always=[is_small, grows], sometimes=[grows_small])
    chosen = made.with_properties(["grows"])
    assert [each.name for each in chosen.properties] == ["grows"] and chosen.sometimes == ()
    chosen = made.with_properties(["grows_small", "is_small"])
    assert [each.name for each in (*chosen.properties, *chosen.sometimes)] == ["is_small", "grows_small"]
    assert made.with_properties([]).properties == ()
    with pytest.raises(UsageError, match=r"tried has no property 'grow'; it has: is_small, grows, .* mean grows\?"):
        made.with_properties(["grow"])


def test_an_unknown_action():
    with pytest.raises(
        UsageError, match=r"tried has no action 'owns'; it has: plain_count_up, own; did you mean own\?"
    ):
        model().action("owns")


@pytest.mark.parametrize("role", ["bounds", "actions", "always"])
def test_what_a_model_was_given_must_stay(role):
    given = {"bounds": dict(BOUNDS), "actions": [plain_count_up, own], "always": [is_small]}
    made = model(**given)
    assert made.with_properties(["is_small"]).bounds == BOUNDS
    given[role].clear()
    with pytest.raises(ModelError, match=f"`{role}` has changed since"):
        made.with_properties(["is_small"])


def test_the_question_is_the_first_paragraph_of_the_module(tmp_path):
    text = '''"""Does it
    hold?

    More.
    """
from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import *


class State(Struct):
    flag: bool


def flip(state: State) -> bool:
    state.flag = not state.flag
    return True


MODEL = Model(name="m", state=State, actions=[flip])
'''
    made = load(tmp_path, text).MODEL
    assert made.question == "Does it hold?" and made.with_properties([]).question == "Does it hold?"
    assert load(tmp_path, text[text.index("from kafkacheck.checker.model") :]).MODEL.question == ""


def test_flag_and_kind_annotations_mean_the_same():
    def short(state: State, flag: bool) -> bool:
        if state.flag == flag:
            return False
        state.flag = flag
        return True

    def long(state: State, flag: Annotated[bool, Flag()]) -> bool:
        if state.flag == flag:
            return False
        state.flag = flag
        return True

    one, other = model(actions=[short, long, own]).actions[:2]
    assert one.parameters == other.parameters


def test_the_name_of_the_property_that_every_model_has():
    def type_ok(state: State) -> bool:
        """Mine."""
        return True

    with pytest.raises(
        ModelError, match="type_ok is the name of a property that every model has; name yours otherwise"
    ):
        model(always=[type_ok])
