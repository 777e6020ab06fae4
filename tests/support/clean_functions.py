"""Actions for which the reader must know whether anything can have been written when they return False."""

from typing import Annotated, NamedTuple

from kafkacheck.checker.schema import Array, ByPosition, Count, Flag, Struct

LIMIT = 3


class Rules(NamedTuple):
    """Switches."""

    on: bool = True
    off: bool = False


class State(Struct):
    """The state."""

    number: Annotated[int, Count(LIMIT)]
    flag: Annotated[bool, Flag()]
    row: Annotated[Array[Annotated[int, Count(LIMIT)]], ByPosition(LIMIT)]
    column: Annotated[Array[Annotated[int, Count(LIMIT)]], ByPosition(LIMIT)]


def clear(state: State) -> None:
    state.number = 0


def bump(state: State) -> int:
    state.number = (state.number + 1) % LIMIT
    return 0


def maybe_count(state: State) -> bool:
    if state.number == LIMIT:
        return False
    state.number += 1
    return True


def maybe_not(state: State) -> bool:
    """True where it did nothing."""
    if state.number == LIMIT:
        return True
    state.number += 1
    return False


def set_flag(state: State) -> bool:
    state.flag = not state.flag
    return True


# -- clean: whatever returns False has not written ----------------------------------------------------------------


def guards_first(state: State, rules: Rules) -> bool:
    if state.number == LIMIT:
        return False
    if state.flag:
        return False
    state.number += 1
    return True


def guard_in_a_loop(state: State, rules: Rules) -> bool:
    for i in range(LIMIT):
        if state.row[i] == state.number:
            return False
    state.number = 0
    return True


def write_and_return_in_a_loop(state: State, rules: Rules) -> bool:
    for i in range(LIMIT):
        if state.row[i] == 0:
            state.row[i] = 1
            return True
    return False


def one_branch_each(state: State, rules: Rules) -> bool:
    if state.flag:
        state.number = 1
        return True
    else:
        return False


def returns_a_maybe(state: State, rules: Rules) -> bool:
    return maybe_count(state)


def after_a_maybe_that_did_nothing(state: State, rules: Rules) -> bool:
    if not maybe_count(state):
        return False
    state.flag = True
    return True


def second_maybe(state: State, rules: Rules) -> bool:
    if maybe_count(state):
        return True
    return maybe_count(state)


def maybe_at_the_end(state: State, rules: Rules) -> bool:
    return state.flag and maybe_count(state)


def one_maybe_or_another(state: State, rules: Rules) -> bool:
    return maybe_count(state) or maybe_count(state)


def helper_always_true(state: State, rules: Rules) -> bool:
    return set_flag(state)


def write_excluded_by_the_rules(state: State, rules: Rules) -> bool:
    if rules.off:
        state.number = 0
    if state.flag:
        return False
    state.flag = True
    return True


def helper_excluded_by_the_rules(state: State, rules: Rules) -> bool:
    if rules.off and maybe_not(state):
        return False
    return maybe_count(state)


def chosen_by_the_rules(state: State, rules: Rules) -> bool:
    return maybe_count(state) if rules.on else maybe_not(state)


def never_false(state: State, rules: Rules) -> bool:
    state.number = (state.number + 1) % LIMIT
    return True


# -- not clean: some False may come after a write -----------------------------------------------------------------


def guard_after_a_write(state: State, rules: Rules) -> bool:
    state.number = 0
    if state.flag:
        return False
    return True


def computed_result(state: State, rules: Rules) -> bool:
    state.number = 0
    return state.flag


def result_in_a_name(state: State, rules: Rules) -> bool:
    done = state.number != 0
    state.number = 1
    return done


def write_in_an_earlier_round(state: State, rules: Rules) -> bool:
    for i in range(LIMIT):
        if state.row[i] == LIMIT:
            return False
        state.row[i] += 1
    return True


def write_in_an_inner_loop(state: State, rules: Rules) -> bool:
    for i in range(LIMIT):
        if state.row[i] == LIMIT:
            return False
        for j in range(i):
            state.column[j] = state.row[i]
    return True


def write_in_one_branch(state: State, rules: Rules) -> bool:
    if state.flag:
        state.number = 0
    if state.row[0] == 0:
        return False
    return True


def helper_then_guard(state: State, rules: Rules) -> bool:
    clear(state)
    return state.flag


def value_of_a_writer(state: State, rules: Rules) -> bool:
    place = bump(state)
    return state.row[place] == 1


def writer_in_an_index(state: State, rules: Rules) -> bool:
    return state.row[bump(state)] == 1


def writer_in_a_range(state: State, rules: Rules) -> bool:
    for i in range(bump(state)):
        state.flag = i == 0
    return False


def false_where_it_wrote(state: State, rules: Rules) -> bool:
    return maybe_not(state)


def turned_the_wrong_way(state: State, rules: Rules) -> bool:
    return not maybe_count(state)


def maybe_then_more(state: State, rules: Rules) -> bool:
    return maybe_count(state) and state.flag


def maybe_not_or_more(state: State, rules: Rules) -> bool:
    return maybe_not(state) or state.flag


def two_maybes(state: State, rules: Rules) -> bool:
    return maybe_count(state) and maybe_count(state)


def compared_maybe(state: State, rules: Rules) -> bool:
    return maybe_count(state) == state.flag


def chosen_maybe(state: State, rules: Rules) -> bool:
    return maybe_not(state) if state.flag else maybe_count(state)


def write_kept_by_the_rules(state: State, rules: Rules) -> bool:
    if rules.on:
        state.number = 0
    return state.flag


# -- sound, but the reader does not see it: the functions are compared after each False --------------------------


def turned_maybe(state: State, rules: Rules) -> bool:
    return not maybe_not(state)


def written_and_undone(state: State, rules: Rules) -> bool:
    if state.number != 1:
        return False
    state.number += 1
    state.number -= 1
    return False


CLEAN = [
    guards_first, guard_in_a_loop, write_and_return_in_a_loop, one_branch_each, returns_a_maybe,
    after_a_maybe_that_did_nothing, second_maybe, maybe_at_the_end, one_maybe_or_another,
    helper_always_true, write_excluded_by_the_rules, helper_excluded_by_the_rules, chosen_by_the_rules, never_false,
]  # fmt: skip
CAUTIOUS = [turned_maybe, written_and_undone]
DIRTY = [
    guard_after_a_write, computed_result, result_in_a_name, write_in_an_earlier_round, write_in_an_inner_loop,
    write_in_one_branch, helper_then_guard, value_of_a_writer, writer_in_an_index, writer_in_a_range,
    false_where_it_wrote, turned_the_wrong_way, maybe_then_more, maybe_not_or_more, two_maybes, compared_maybe,
    chosen_maybe, write_kept_by_the_rules,
]  # fmt: skip
