"""Sorted runs of visited states: exact also where different states have one fingerprint."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kafkacheck.checker.checkpoints import blocks
from kafkacheck.checker.checkpoints.blocks import Candidates, Level, Visited
from kafkacheck.checker.distributed import visited

WORDS = st.integers(1, 3)
FEW = st.integers(0, 3)
"""So few values that states, fingerprints and parents collide all the time."""


def array(rows, words):
    return np.array(rows, np.uint64).reshape(len(rows), words)


def fingerprint(state):
    """A bad one: states that differ in the first word only have the same."""
    return sum(state[1:]) % 3


@st.composite
def rows(draw, words, most=30):
    return draw(st.lists(st.tuples(*[FEW] * words), max_size=most))


def fingerprints(states):
    return np.array([fingerprint(state) for state in states], np.uint64)


def run_of(states, words):
    """A run of the distinct states."""
    ordered = sorted(set(states), key=lambda state: (fingerprint(state), state))
    return Visited(array(ordered, words), fingerprints(ordered))


@given(st.data(), WORDS)
def test_distinct_keeps_each_state_once_with_its_least_parent(data, words):
    states = data.draw(rows(words))
    parents = data.draw(st.lists(FEW, min_size=len(states), max_size=len(states)))
    found = visited.distinct(Candidates(array(states, words), np.array(parents, np.uint64)), fingerprints(states))
    least = {}
    for state, parent in zip(states, parents, strict=True):
        least[state] = min(parent, least.get(state, parent))
    assert {tuple(map(int, state)): int(p) for state, p in zip(found.states, found.parents, strict=True)} == least
    assert len(found.states) == len(least)
    assert list(found.fingerprints) == sorted(fingerprint(state) for state in least)


@given(st.data(), WORDS)
def test_unvisited_is_the_difference_of_sets(data, words):
    found, *known = (data.draw(rows(words)) for _ in range(4))
    run = run_of(found, words)
    level = Level(run.states, run.fingerprints, np.zeros(len(run.states), np.uint64))
    new = visited.unvisited(level, [run_of(states, words) for states in known])
    assert {tuple(map(int, state)) for state in new.states} == set(found) - {each for run in known for each in run}
    assert len(new.states) == len({tuple(map(int, state)) for state in new.states})


@given(st.data(), WORDS)
def test_merged_has_the_states_of_all_runs_in_order(data, words):
    one, other = data.draw(rows(words)), data.draw(rows(words))
    merged = visited.merged([run_of(one, words), run_of(sorted(set(other) - set(one)), words)])
    assert sorted(tuple(map(int, state)) for state in merged.states) == sorted({*one, *other})
    assert list(merged.fingerprints) == sorted(map(int, merged.fingerprints))


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=200))
def test_there_are_few_runs_and_each_is_twice_as_long_as_the_next(lengths):
    runs = []
    for length in lengths:
        runs.append(length)
        last = visited.to_merge(runs)
        runs[-last:] = [sum(runs[-last:])]
        assert all(before >= 2 * after for before, after in itertools.pairwise(runs))
    assert sum(runs) == sum(lengths)
    assert len(runs) <= sum(lengths).bit_length()


@given(st.data(), WORDS)
def test_a_block_survives_the_way(data, words):
    states = data.draw(rows(words))
    sent = Candidates(array(states, words), fingerprints(states))
    came = blocks.from_bytes(Candidates, blocks.to_bytes(sent))
    assert came.states.tolist() == sent.states.tolist() and came.parents.tolist() == sent.parents.tolist()


def test_a_level_is_read_as_a_run(tmp_path):
    level = Level(array([(1, 2), (3, 4)], 2), np.array([5, 6], np.uint64), np.array([0, 1], np.uint64))
    blocks.write(tmp_path / "level.arrow", level)
    run = blocks.read(Visited, tmp_path / "level.arrow")
    assert run.states.tolist() == [[1, 2], [3, 4]] and run.fingerprints.tolist() == [5, 6]


@given(st.integers(0, 2**20), st.integers(0, 2**40 - 1))
def test_a_parent_names_a_shard_and_a_row(shard, row):
    assert blocks.place_of(blocks.parent_of(shard, row)) == (shard, row)
