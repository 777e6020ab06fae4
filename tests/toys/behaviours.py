"""Small systems that show one behaviour of a search each: deadlock, steps, constraint, examples, initial states."""

from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ById, Count, Flag, Id, Struct

LIMIT = 6
NOBODY = -1

Number = Annotated[int, Count(LIMIT)]


class Pair(Struct):
    """Two counters."""

    left: Number
    right: Number


def add_left(pair: Pair) -> bool:
    """Count left up."""
    if pair.left == LIMIT:
        return False
    pair.left += 1
    return True


def add_right(pair: Pair) -> bool:
    """Count right up."""
    if pair.right == LIMIT:
        return False
    pair.right += 1
    return True


def start_over(pair: Pair) -> bool:
    """Once both are full, begin again."""
    if pair.left + pair.right < 2 * LIMIT:
        return False
    pair.left = 0
    pair.right = 0
    return True


def left_is_large(pair: Pair) -> bool:
    """A step that never happens."""
    if pair.left <= LIMIT:
        return False
    pair.left = 0
    return True


def start_at_corner(pair: Pair, left: Annotated[bool, Flag()], right: Annotated[bool, Flag()]) -> bool:
    """One of three initial states: the lower corners and the middle."""
    if left and right:
        return False
    pair.left = 4 if left else 0
    pair.right = 4 if right else 0
    return True


def start_in_the_middle(pair: Pair) -> None:
    """One more initial state."""
    pair.left = 2
    pair.right = 2


def start_in_the_middle_too(pair: Pair) -> None:
    """The same initial state once more."""
    start_in_the_middle(pair)


def start_outside(pair: Pair, left: Number) -> bool:
    """Initial states on both sides of the constraint."""
    pair.left = left
    return True


def sum_grows(before: Pair, after: Pair) -> bool:
    """False of starting over."""
    return after.left + after.right > before.left + before.right


def sum_is_small(pair: Pair) -> bool:
    """False three steps from the beginning."""
    return pair.left + pair.right < 3


def left_is_small(pair: Pair) -> bool:
    """False three steps from the beginning, too."""
    return pair.left < 3


def right_is_small(pair: Pair) -> bool:
    """False one step from the beginning where right begins at 2."""
    return pair.right < 3


def left_is_positive(pair: Pair) -> bool:
    """False of the blank state."""
    return pair.left > 0


def left_never_small(before: Pair, after: Pair) -> bool:
    """False of the step that takes left to 3."""
    return before.left == after.left or after.left < 3


def sum_inside(pair: Pair) -> bool:
    """The constraint: states with a larger sum are not explored."""
    return pair.left + pair.right <= 4


def sum_is_four_at_most(pair: Pair) -> bool:
    """An invariant that only states outside the constraint violate."""
    return pair.left + pair.right <= 4


def left_equals_right(pair: Pair) -> bool:
    """Has examples."""
    return pair.left == pair.right and pair.left > 0


def left_exceeds_all(pair: Pair) -> bool:
    """Has no example."""
    return pair.left > LIMIT or pair.right > LIMIT


def pair_model(name: str, **rest) -> Model:
    """A model of two counters."""
    return Model(**{"name": name, "state": Pair, "actions": [add_left, add_right], **rest})


GRID = pair_model("grid", actions=[add_left, add_right, start_over, left_is_large], sometimes=[left_equals_right])
STEP_VIOLATED = pair_model("step_violated", actions=[add_left, add_right, start_over], always=[sum_grows])
STEP_BEFORE_STATE = pair_model("step_before_state", always=[left_never_small, left_is_small])
STATE_BEFORE_STEP = pair_model("state_before_step", always=[left_is_small, left_never_small])
TWO_IN_ONE_LEVEL = pair_model("two_in_one_level", always=[left_is_small, sum_is_small])
INITIAL_VIOLATED = pair_model("initial_violated", always=[sum_is_small, left_is_positive])
UNMET = pair_model("unmet", sometimes=[left_equals_right, left_exceeds_all])
CONSTRAINED = pair_model("constrained", constraint=sum_inside)
VIOLATED_OUTSIDE = pair_model("violated_outside", constraint=sum_inside, always=[sum_is_four_at_most])
STEP_OUTSIDE = pair_model("step_outside", constraint=sum_inside, always=[sum_grows], check_deadlock=True)
STARTS_OUTSIDE = pair_model("starts_outside", initial=start_outside, constraint=sum_inside)
STARTS = pair_model("starts", initial=[start_at_corner, start_in_the_middle, start_in_the_middle_too])
ONE_START_VIOLATED = pair_model(
    "one_start_violated", initial=[start_in_the_middle, start_at_corner], always=[right_is_small]
)
SHORTEST_OF_STARTS = pair_model("shortest_of_starts", initial=[start_in_the_middle], always=[right_is_small])
STUCK = pair_model("stuck", check_deadlock=True)
VIOLATED_WHERE_STUCK = pair_model("violated_where_stuck", actions=[add_left], always=[left_is_small])
STUCK_AT_ONCE = pair_model("stuck_at_once", actions=[left_is_large], check_deadlock=True)
ALONE = pair_model("alone", actions=[left_is_large])


PhilosopherId = Annotated[int, Id("philosophers")]


class Table(Struct):
    """Who holds the fork to the left of each seat, and who eats."""

    holders: Annotated[Array[Annotated[int, Id("philosophers", none=NOBODY)]], ById("philosophers")]
    eating: Annotated[Array[Annotated[bool, Flag()]], ById("philosophers")]


def take_left_fork(table: Table, philosopher_id: PhilosopherId) -> bool:
    """The left fork first."""
    if table.holders[philosopher_id] != NOBODY:
        return False
    table.holders[philosopher_id] = philosopher_id
    return True


def take_right_fork(table: Table, philosopher_id: PhilosopherId) -> bool:
    """Then the right one, and the meal begins."""
    right = (philosopher_id + 1) % len(table.holders)
    if table.holders[philosopher_id] != philosopher_id:
        return False
    if table.holders[right] != NOBODY:
        return False
    table.holders[right] = philosopher_id
    table.eating[philosopher_id] = True
    return True


def put_forks_down(table: Table, philosopher_id: PhilosopherId) -> bool:
    """The meal ends."""
    if not table.eating[philosopher_id]:
        return False
    table.eating[philosopher_id] = False
    table.holders[philosopher_id] = NOBODY
    table.holders[(philosopher_id + 1) % len(table.holders)] = NOBODY
    return True


def neighbours_do_not_eat(table: Table) -> bool:
    """No two neighbours eat at a time."""
    for philosopher_id in range(len(table.eating)):
        if table.eating[philosopher_id] and table.eating[(philosopher_id + 1) % len(table.eating)]:
            return False
    return True


PHILOSOPHERS = Model(
    name="philosophers",
    state=Table,
    bounds={"philosophers": 4},
    actions=[take_left_fork, take_right_fork, put_forks_down],
    always=[neighbours_do_not_eat],
    check_deadlock=True,
)
