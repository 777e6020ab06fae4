"""One condition removed from a function: which conditions there are, and what is left of the function."""

import ast

import pytest

from kafkacheck.checker.language import removal
from kafkacheck.checker.language.source import function_tree, variant
from kafkacheck.checker.mutation.mutation import IS_REMOVED, mutants_of, switched


def step(state, rules, number):
    if rules.strict:
        return False
    if state.level == number:
        return False
    if (state.open and number > 0) or rules.strict:
        state.level += 1
    state.level += 1 if number < 3 else 2
    return True


def is_between(low, number, high):
    return low <= number < high


def names(function, is_predicate=False):
    return [each.name.split(": ", 1)[1] for each in mutants_of(function, is_predicate)]


@pytest.fixture(autouse=True)
def nothing_is_removed():
    yield
    removal.remove(removal.NOTHING)


def with_switches(function, is_predicate=False):
    """The function with all its switches, and its mutants, numbered as they are."""
    known = mutants_of(function, is_predicate)
    tree = switched(function, list(enumerate(known)))
    return variant(function, {IS_REMOVED: removal.is_removed}, tree), known


def test_every_condition_that_a_state_can_decide_is_removed_in_each_way():
    assert sorted(names(step)) == sorted(
        [
            "if state.level == number: return False: never taken",
            "if state.open and number > 0 or rules.strict: never taken",
            "if state.open and number > 0 or rules.strict: always taken",
            "state.open and number > 0 or rules.strict: without `state.open and number > 0`",
            "state.open and number > 0: without `state.open`",
            "state.open and number > 0: without `number > 0`",
            "number > 0: > becomes >=",
            "1 if number < 3 else 2: never",
            "1 if number < 3 else 2: always",
            "number < 3: < becomes <=",
        ]
    )


def test_what_a_predicate_returns_is_a_condition_and_what_an_action_returns_is_none():
    links = [name for name in names(is_between) if not name.startswith("return")]
    assert sorted(set(names(is_between, is_predicate=True)) - set(links)) == [
        "return low <= number < high: always False",
        "return low <= number < high: always True",
    ]


def test_each_mutant_of_a_predicate_answers_as_its_name_says():
    function, known = with_switches(is_between, is_predicate=True)
    answers = {}
    for which, mutant in enumerate(known):
        removal.remove(which)
        answers[mutant.change] = [function(1, number, 3) for number in (0, 1, 2, 3, 4)]
    assert answers == {
        "always True": [True] * 5,
        "always False": [False] * 5,
        "<= becomes < (1)": [False, False, True, False, False],
        "< becomes <= (2)": [False, True, True, True, False],
        "without `low <= number`": [True, True, True, False, False],
        "without `number < high`": [False, True, True, True, True],
    }


def test_mutants_stand_where_their_condition_does_and_leave_the_function_as_it_was():
    first = step.__code__.co_firstlineno
    guard = next(each for each in mutants_of(step, False) if each.text.startswith("if state.level"))
    assert guard.place == f"tests/checker/mutation/test_mutation.py:{first + 3}"
    alone = [ast.unparse(switched(step, [(0, each)])) for each in mutants_of(step, False)]
    assert len(set(alone)) == len(alone)
    before = ast.unparse(function_tree(step))
    assert before not in alone
    assert ast.unparse(switched(step, [])) == before


class Level:
    def __init__(self, level, is_open):
        self.level = level
        self.open = is_open


class Strict:
    strict = False


def test_while_nothing_is_removed_a_function_with_switches_does_what_it_always_does():
    function, known = with_switches(step)
    cases = [(level, is_open, number) for level in (0, 1) for is_open in (False, True) for number in range(4)]

    def outcomes(function):
        found = []
        for level, is_open, number in cases:
            state = Level(level, is_open)
            found.append((function(state, Strict, number), state.level))
        return found

    assert outcomes(function) == outcomes(step)
    for which in range(len(known)):
        removal.remove(which)
        assert outcomes(function) != outcomes(step)


def same_twice(state):
    if state.level == 1:
        return False
    state.level += 1
    if state.level == 1:
        return False
    state.level += 1
    return True


def test_the_same_text_twice_gets_two_names():
    first, second = names(same_twice)
    assert second == f"{first} (2)"
