"""Handing a search of the compiled reading over to shards: its levels as files of a run directory."""

import itertools

import numpy as np

from kafkacheck.checker.checkpoints.blocks import Array, Level, Visited, parent_of
from kafkacheck.checker.checkpoints.run_directory import Committed, File, RunDirectory, Shard, Summary, Violation
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.distributed import shard as shards


def write_shards(search: CompiledSearch, run: RunDirectory, count: int) -> Committed:
    """Write all levels of a search that stopped at the end of one, for `count` shards; the last level.

    UsageError or OSError if a file cannot be written.
    """
    states, parents, fingerprints = search.kept()
    counts = search.counts
    names = np.zeros(len(states), np.uint64)
    visited = _visited(run, states, fingerprints, count, len(counts.level_ends))
    fired, met = tuple(int(each) for each in search.fired()), tuple(sorted(counts.met))
    summary = Summary(counts.generated, counts.excluded, fired, met, _violated(search, fingerprints, count))
    for number, (start, end) in enumerate(itertools.pairwise([0, *counts.level_ends]), start=1):
        is_last = end == counts.level_ends[-1]
        parts = []
        for shard, rows in _parts(fingerprints, start, end, count):
            origins = names[parents[rows]] if start else np.zeros(len(rows), np.uint64)
            names[rows] = np.uint64(parent_of(shard, 0)) + np.arange(len(rows), dtype=np.uint64)
            part = run.write(shards.file_name(number, shard), Level(states[rows], fingerprints[rows], origins))
            parts.append(Shard(part, (visited[shard],) if is_last else ()))
        level = Committed(number, tuple(parts), summary if is_last else None, search.watch.seconds)
        run.commit(level)
    return level


def _violated(search: CompiledSearch, fingerprints: Array, count: int) -> tuple[Violation, ...]:
    """The initial states that violate a property, as in a summary, if a search goes on past them."""
    found = []
    for number, (state,) in sorted(search.counts.violated.items()):
        packed = search.model.layout.pack(np.array([state], np.int64))[0]
        rows = np.flatnonzero((search.states == packed).all(axis=1))
        if not len(rows):
            found.append((number, 0, 0, 0, True))
        for shard, own in _parts(fingerprints, 0, len(fingerprints), count) if len(rows) else ():
            found += [(number, 1, shard, int(row), False) for row in np.flatnonzero(own == rows[0])]
    return tuple(found)


def _parts(fingerprints: Array, start: int, end: int, count: int) -> list[tuple[int, Array]]:
    """For each shard the numbers of its states among start .. end-1, by ascending fingerprint."""
    order = start + np.argsort(fingerprints[start:end], kind="stable")
    firsts = np.searchsorted(shards.owners(fingerprints[order], count), np.arange(count + 1, dtype=np.uint64))
    return [(shard, order[first:last]) for shard, (first, last) in enumerate(itertools.pairwise(firsts))]


def _visited(run: RunDirectory, states: Array, fingerprints: Array, count: int, level: int) -> list[File]:
    return [
        run.write(f"{shards.file_name(level, shard)}-visited", Visited(states[rows], fingerprints[rows]))
        for shard, rows in _parts(fingerprints, 0, len(fingerprints), count)
    ]
