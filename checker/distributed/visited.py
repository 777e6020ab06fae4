"""The exact set of visited states, as runs that are sorted by fingerprint.

New states are looked up in all of them; if fingerprints are equal, the states are compared. Runs are merged so
that each is at least twice as long as the next, so there are at most about log2(n) of them, and all merges together
move each state about log2(n) times at most.
"""

from collections.abc import Sequence

import numpy as np

from kafkacheck.checker.checkpoints.blocks import Array, Candidates, Level, Visited


def distinct(candidates: Candidates, fingerprints: Array) -> Level:
    """The distinct states among candidates, by ascending fingerprint, each with its least parent.

    Quickest if the candidates come in a few stretches of ascending fingerprints, which are then only merged.
    """
    sorted_by = np.argsort(fingerprints, kind="stable")
    found = Level(candidates.states[sorted_by], fingerprints[sorted_by], candidates.parents[sorted_by])
    repeated = _repeated(found)
    if _differ(found.states[repeated], found.states[repeated - 1]).any():  # different states of one fingerprint
        sorted_by = np.lexsort((*found.states.T, found.fingerprints))
        found = Level(*(column[sorted_by] for column in found))
        repeated = _repeated(found)
        repeated = repeated[~_differ(found.states[repeated], found.states[repeated - 1])]
    first = np.ones(len(fingerprints), bool)
    first[repeated] = False
    starts = np.flatnonzero(first)
    if len(starts) == len(fingerprints):
        return found
    return Level(found.states[starts], found.fingerprints[starts], np.minimum.reduceat(found.parents, starts))


def _repeated(found: Level) -> Array:
    """The rows that have the fingerprint of the row before."""
    return np.flatnonzero(found.fingerprints[1:] == found.fingerprints[:-1]) + 1


def unvisited(found: Level, runs: Sequence[Visited]) -> Level:
    """The states found that are in none of the runs."""
    rows = np.arange(len(found.fingerprints))
    for run in runs:
        if len(run.fingerprints) and len(rows):
            rows = rows[~_is_in(run, found, rows)]
    return found if len(rows) == len(found.fingerprints) else Level(*(column[rows] for column in found))


def merged(runs: Sequence[Visited]) -> Visited:
    """One run of the states of all."""
    states = np.concatenate([run.states for run in runs])
    fingerprints = np.concatenate([run.fingerprints for run in runs])
    order = np.argsort(fingerprints, kind="stable")  # which merges sorted stretches
    return Visited(states[order], fingerprints[order])


def to_merge(lengths: Sequence[int]) -> int:
    """How many of the last of these runs should become one, given their lengths, oldest first; 1: none."""
    count, length = 1, lengths[-1]
    while count < len(lengths) and lengths[-count - 1] < 2 * length:
        length += lengths[-count - 1]
        count += 1
    return count


def _differ(one: Array, other: Array) -> Array:
    different: Array = one[:, 0] != other[:, 0]
    for word in range(1, one.shape[1]):
        different |= one[:, word] != other[:, word]
    return different


def _is_in(run: Visited, found: Level, rows: Array) -> Array:
    """For each of these rows of the states found, whether the run has it."""
    fingerprints = found.fingerprints[rows]
    places = np.searchsorted(run.fingerprints, fingerprints)
    places[places == len(run.fingerprints)] = 0
    present: Array = run.fingerprints[places] == fingerprints
    alike = np.flatnonzero(present)
    others = alike[_differ(run.states[places[alike]], found.states[rows[alike]])]
    for row in others:  # another state has the same fingerprint: look at all that have it
        place = int(places[row]) + 1
        present[row] = False
        while place < len(run.fingerprints) and run.fingerprints[place] == fingerprints[row]:
            present[row] |= bool((run.states[place] == found.states[rows[row]]).all())
            place += 1
    return present
