"""What a search is asked and what it answers."""

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from checker.model import Model
    from checker.trace import Trace


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
    """Where a search stops unfinished: distinct states, seconds, bytes of memory. None means no limit."""

    max_states: int | None = None
    max_seconds: float | None = None
    max_memory: int | None = None


COMPILING = "compiling"
"""The engine of a `Progress` while the search waits for the compiler, and nothing is known yet."""


@dataclass(frozen=True)
class Progress:
    """How far a search is. `frontier` is the number of states found and not yet expanded, `memory` bytes resident.

    `left` is about how many states will still be found, None where no estimate can be made. `remark` is something that
    is to be shown once.
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


@dataclass
class Result:
    """The answer of a search.

    `states_generated` counts the initial states and every (action, parameters) enabled in an expanded state;
    `states_excluded` says how many of these lie outside the constraint (None without one): they are checked, but
    neither counted as distinct nor explored. `depth` is the number of levels, the initial states being level 1. When
    a property is violated, the level in which that shows is finished first, so the counts do not depend on the engine.
    `actions` says how often each action was enabled. `unmet` names the `sometimes` properties without an example;
    `reason` says why a search is NOT_EXHAUSTED or EVALUATION_FAILED, and `interrupted` whether Ctrl-C ended it.
    `resume` is the command that goes on with a search that is not finished, if what it found is kept.
    `remarks` are what was told while it ran, such as that memory will run out.
    `checked` is how many visited states plain Python expanded again before HOLDS, see `checker.self_check`; None where
    no machine code took part.
    `bytes_per_state` is the memory, or with Spark the disk, kept per distinct state, where measured.
    """

    model: "Model"
    verdict: Verdict
    states_distinct: int
    states_generated: int
    depth: int
    engine: str
    seconds: float
    actions: dict[str, int] = field(default_factory=dict)
    property: str | None = None
    trace: "Trace | None" = None
    reason: str = ""
    unmet: tuple[str, ...] = ()
    bytes_per_state: float | None = None
    interrupted: bool = False
    states_excluded: int | None = None
    resume: str | None = None
    remarks: tuple[str, ...] = ()
    checked: int | None = None

    @builtins.property
    def never_fired(self) -> tuple[str, ...]:
        """The actions that were never enabled, in the model's order."""
        return tuple(name for name, count in self.actions.items() if count == 0)

    @builtins.property
    def is_vacuous(self) -> bool:
        """Whether the model holds although something that it says is possible never is."""
        return self.verdict is Verdict.HOLDS and bool(self.unmet or self.never_fired)
