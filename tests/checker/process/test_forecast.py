"""How many states are still to come, and when memory is said to run out."""

from itertools import accumulate
from math import comb

import pytest

from kafkacheck.checker.exploration import forecast
from kafkacheck.checker.exploration.forecast import memory_warning, states_left

BELL = [comb(40, number) // 10**4 + 1 for number in range(41)]
"""The sizes of levels that grow and shrink as those of a model do."""
MIB = 1 << 20


def left(sizes: list[int]) -> int | None:
    ends = list(accumulate(sizes))
    return states_left(ends, ends[-1])


@pytest.mark.parametrize("levels", range(22, 36))
def test_where_levels_shrink_the_estimate_is_near(levels):
    told, found = left(BELL[:levels]), sum(BELL[:levels])
    assert told is not None
    assert found + told == pytest.approx(sum(BELL), rel=0.1)


@pytest.mark.parametrize("levels", range(1, 22))
def test_where_levels_grow_there_is_no_estimate(levels):
    assert left(BELL[:levels]) is None


def test_states_of_the_next_level_are_no_longer_to_come():
    ends = list(accumulate(BELL[:25]))
    assert states_left(ends, ends[-1] + 1_000) == states_left(ends, ends[-1]) - 1_000
    assert states_left(ends, 2 * sum(BELL)) == 0


def test_few_states_or_levels_are_no_curve():
    assert left([5_000, 9_000, 100]) is None
    assert left([1, 2, 3, 4, 5, 4, 3]) is None


def test_levels_that_hardly_shrink_are_reckoned_to_an_end():
    assert left([1_000_000] * 6 + [999_999] * 2 + [999_998]) > 0
    assert forecast.MOST_LEVELS < 10**6


def test_memory_that_is_enough_is_not_spoken_of():
    assert memory_warning(60 * MIB, 100 * MIB, 100, 500_000, 40_000, 1e5) == ""
    assert memory_warning(49 * MIB, 100 * MIB, 100, 500_000, None, 1e5) == ""


def test_with_an_estimate_the_lack_is_told_at_once():
    told = memory_warning(10 * MIB, 100 * MIB, 1024, 10_000, 100_000, 1e5)
    assert told.startswith("the search will need about 108 MiB of memory for 110,000 states. It may have 100 MiB, ")
    assert "takes 1,024 bytes a state" in told and "--max-memory" in told and "--set" in told


def test_without_an_estimate_the_lack_is_told_at_half_of_the_limit():
    told = memory_warning(50 * MIB, 100 * MIB, 1024, 50_000, None, 1024)
    assert told.startswith("half of the memory is used and levels still grow; at this rate it runs out in about 50 s")
    assert "at this rate" not in memory_warning(50 * MIB, 100 * MIB, 1024, 50_000, None, 0)
