"""The limits, the progress and the verdict of a search."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """The outcome of a search. Only a search that visited every reachable state says HOLDS."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    DEADLOCK = "DEADLOCK"
    NOT_EXHAUSTED = "NOT_EXHAUSTED"
    EVALUATION_FAILED = "EVALUATION_FAILED"
    SELF_CHECK_FAILED = "SELF_CHECK_FAILED"


@dataclass(frozen=True)
class Limits:
    """When a search stops unfinished: distinct states, seconds, bytes of memory. None means no limit."""

    max_states: int | None = None
    max_seconds: float | None = None
    max_memory: int | None = None


COMPILING = "compiling"
"""The engine of a `Progress` while the search waits for the compiler, and nothing is known yet."""


@dataclass(frozen=True)
class Progress:
    """How far a search is. `frontier` is the number of states found and not yet expanded, `memory` bytes resident.

    `left` is about how many states will still be found, None if no estimate can be made. `remark` is a line to
    show once.
    """

    depth: int
    states_distinct: int
    states_generated: int
    frontier: int
    seconds: float
    engine: str
    memory: int
    left: int | None = None
    remark: str = ""


ProgressListener = Callable[[Progress], None]
