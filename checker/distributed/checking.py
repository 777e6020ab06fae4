"""The self-check of a distributed search: its visited states, and those that its shards name as examples."""

from functools import cached_property

import numpy as np

from kafkacheck.checker.checkpoints.blocks import Array, Level, Visited
from kafkacheck.checker.checkpoints.run_directory import Committed, RunDirectory
from kafkacheck.checker.compiled import self_check
from kafkacheck.checker.compiled.compiled import Workspace
from kafkacheck.checker.compiled.packing import fingerprints as fingerprints_of
from kafkacheck.checker.compiled.self_check import MOST_STATES
from kafkacheck.checker.distributed import shard as shards
from kafkacheck.checker.distributed import visited
from kafkacheck.checker.distributed.distributed import DistributedSearch


class Runs:
    """The states in the sorted runs of all shards, as `checker.compiled.self_check.Visited`."""

    def __init__(self, run: RunDirectory, last: Committed) -> None:
        self._run, self._last = run, last

    @cached_property
    def _shards(self) -> list[list[Visited]]:
        return [[self._run.read(Visited, file) for file in shard.visited] for shard in self._last.shards]

    def drawn(self, most: int) -> Array:
        """Of each shard as many, by ascending fingerprint; all states if there are no more."""
        total = sum(len(run.states) for runs in self._shards for run in runs)
        share = most if total <= most else -(-most // len(self._shards))
        found = []
        for runs in filter(None, self._shards):
            heads = visited.merged([Visited(run.states[:share], run.fingerprints[:share]) for run in runs])
            found.append(heads.states[:share])
        return np.concatenate(found)

    def has(self, states: Array) -> Array:
        """Which of the states are in the run of the shard that owns them."""
        found = np.ones(len(states), bool)
        fingerprints = fingerprints_of(states)
        owners = shards.owners(fingerprints, len(self._shards))
        for number, runs in enumerate(self._shards):
            rows = np.flatnonzero(owners == number)
            found[visited.unvisited(Level(states[rows], fingerprints[rows], rows), runs).parents] = False
        return found


def of_run(search: DistributedSearch, seconds: float) -> int:
    """As `checker.compiled.self_check.of_search`, of a distributed search."""
    space = Workspace(search.work.sizes, shards.kernel_of(search.work), MOST_STATES, 1)
    visited_states = Runs(search.directory, search.levels[-1])
    return self_check.check(search.model, space, visited_states, search.examples, search.watch, seconds)
