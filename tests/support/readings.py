"""The two readings run side by side, without what surrounds them, so that many small searches take little time."""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from kafkacheck.checker.checkpoints.run_directory import RunDirectory, kernel_name
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.distributed.distributed import DistributedSearch, HereWorkers, Workers
from kafkacheck.checker.distributed.shard import Work
from kafkacheck.checker.distributed.sharding import write_shards
from kafkacheck.checker.exploration.exploration import Found, Snapshot, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model


class Outcome(NamedTuple):
    """All that a search has found; `length` is that of the behaviour it reports."""

    verdict: Verdict
    property: str | None
    reason: str
    length: int
    distinct: int
    generated: int
    depth: int
    fired: tuple[int, ...]
    met: frozenset[int]
    excluded: int = 0


text_of = lru_cache(maxsize=4)(kernel.kernel_text)
"""A model's kernel, made once for its machine code and its run directory."""


@lru_cache(maxsize=64)
def entries_of(model: Model) -> dict[str, Entry]:
    """A model's machine code."""
    return machine_code.entries_soon(text_of(model))


def outcome(search: InterpretedSearch | CompiledSearch | DistributedSearch, found: Found | None) -> Outcome:
    counts = search.counts.reported(found)
    told = found or Found(Verdict.HOLDS)
    numbers = (counts.distinct, counts.generated, counts.depth)
    return Outcome(
        told.verdict,
        told.property,
        told.reason,
        len(told.chain),
        *numbers,
        tuple(counts.fired),
        frozenset(counts.met),
        counts.excluded,
    )


def interpreted(model: Model, limits: Limits | None = None) -> Outcome:
    """What the interpreted reading finds."""
    search = InterpretedSearch(model, Watch(limits or Limits()))
    return outcome(search, search.run())


def compiled(model: Model, limits: Limits | None = None, found: Snapshot | None = None) -> Outcome:
    """What the compiled reading finds, from the start or from where the other one stopped."""
    search = CompiledSearch(model, entries_of(model), Watch(limits or Limits()), found)
    return outcome(search, search.run())


def distributed_search(
    model: Model,
    folder: Path,
    shards: int,
    limits: Limits | None = None,
    workers: Workers | None = None,
    widest: int = 1,
) -> DistributedSearch:
    """A search by shards in a run directory, handed over at the first level with `widest` states.

    Continues the run that the folder holds, if any.
    """
    watch, run = Watch(limits or Limits()), RunDirectory(folder)
    if not run.committed():
        run.create({"model": model.name, "goes_past": False}, text_of(model))
        search = CompiledSearch(model, entries_of(model), watch)
        assert search.run(widest) is None and search.frontier
        write_shards(search, run, shards)
    sizes = kernel.sizes_of(model)
    work = Work(str(folder), kernel_name(run.kernel.read_text()), sizes, shards, 0)
    return DistributedSearch(model, run, work, watch, (HereWorkers(), workers or HereWorkers()), widest=1)


def distributed(model: Model, folder: Path, shards: int, limits: Limits | None = None, widest: int = 1) -> Outcome:
    """What the distributed reading finds, all shards in this process."""
    search = distributed_search(model, folder, shards, limits, widest=widest)
    return outcome(search, search.run())
