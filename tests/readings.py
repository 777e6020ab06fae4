"""The two readings run side by side, without what surrounds them, so that many small searches take little time."""

from functools import lru_cache
from typing import NamedTuple

from checker import kernel, machine_code
from checker.compiled import CompiledSearch
from checker.exploration import Found, HandOver, Watch
from checker.interpreted import InterpretedSearch
from checker.model import Model
from checker.native import Entry
from checker.result import Limits, Verdict


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


@lru_cache(maxsize=64)
def entries_of(model: Model) -> dict[str, Entry]:
    """A model's machine code."""
    return machine_code.entries(kernel.kernel_text(model))


def outcome(search: InterpretedSearch | CompiledSearch, found: Found | None) -> Outcome:
    counts = search.counts
    told = found or Found(Verdict.HOLDS)
    numbers = (counts.distinct, counts.generated, counts.depth)
    return Outcome(
        told.verdict, told.property, told.reason, len(told.chain), *numbers, tuple(counts.fired), frozenset(counts.met)
    )


def interpreted(model: Model, limits: Limits | None = None) -> Outcome:
    """What the interpreted reading finds."""
    search = InterpretedSearch(model, Watch(limits or Limits()))
    return outcome(search, search.run())


def compiled(model: Model, limits: Limits | None = None, found: HandOver | None = None) -> Outcome:
    """What the compiled reading finds, from the start or from where the other one stopped."""
    search = CompiledSearch(model, entries_of(model), Watch(limits or Limits()), found)
    return outcome(search, search.run())
