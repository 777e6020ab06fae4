"""The counts and findings of a search, which one reading hands to another, and when it must stop."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import psutil

from kafkacheck.checker.exploration import forecast
from kafkacheck.checker.exploration.verdict import Limits, Progress, ProgressListener, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import memory
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError, SelfCheckError
from kafkacheck.checker.process.interrupts import Interrupts
from kafkacheck.checker.schema.objects import Values

SECONDS_BETWEEN_LOOKS = 0.05

NO_MEMORY = "the system has no more memory to give"


@dataclass
class Found:
    """The finding that stopped a search: the verdict, the property's name, and the states that lead there."""

    verdict: Verdict
    property: str | None = None
    chain: list[Values] = field(default_factory=list)
    reason: str = ""
    error: KafkacheckError | None = None


def failure(error: EvaluationError | SelfCheckError, chain: Sequence[Values] = ()) -> Found:
    """The finding that evaluating a state failed, to which these states lead."""
    differ = isinstance(error, SelfCheckError)
    verdict = Verdict.SELF_CHECK_FAILED if differ else Verdict.EVALUATION_FAILED
    return Found(verdict, None, list(chain), str(error), error)


@dataclass
class Exploration:
    """The counts and findings of a search so far.

    `level_ends` are the numbers one past the last state of each level found whole; the last of them bounds the level
    that is being expanded. `excluded` counts the generated states outside the constraint, `fired` the steps per
    action. `met` holds the numbers of the `sometimes` properties that have an example. `violated` holds, per property,
    the first behaviour that violates it, and `deadlock` the first that ends in a state without an enabled action; they
    are judged when the level is done. A search goes on past those with at least as many states as
    `tolerated` has for the property's number, or for None: a deadlock. `whole` is a copy that was made when the last
    level was found whole, None before the first one.
    """

    distinct: int = 0
    generated: int = 0
    excluded: int = 0
    fired: list[int] = field(default_factory=list)
    level_ends: list[int] = field(default_factory=list)
    met: set[int] = field(default_factory=set)
    violated: dict[int, list[Values]] = field(default_factory=dict)
    deadlock: list[Values] | None = None
    tolerated: dict[int | None, int] = field(default_factory=dict)
    whole: "Exploration | None" = None

    def keep_whole(self) -> None:
        """Remember the counts: every state of the levels before this one is expanded, and none of this one."""
        ends = list(self.level_ends)
        self.whole = replace(self, fired=list(self.fired), level_ends=ends, met=set(self.met), whole=None)

    def reported(self, found: Found | None) -> "Exploration":
        """The counts to report with a finding: of whole levels if the model's code failed, so that all readings agree.

        How far one is in a level then depends on how many states it expands at a time.
        """
        if found is None or found.verdict is not Verdict.EVALUATION_FAILED:
            return self
        return self.whole or Exploration(fired=[0] * len(self.fired))

    @property
    def depth(self) -> int:
        """How many levels have at least one state."""
        if not self.level_ends or not self.distinct:
            return 0
        return len(self.level_ends) + (self.distinct > self.level_ends[-1])

    def judge(self, model: Model) -> Found | None:
        """The finding to report now: the shortest behaviour first, among equals the property listed first."""
        judged = [each for each, behaviour in self.violated.items() if not self._tolerates(each, behaviour)]
        number = min(judged, key=lambda each: (len(self.violated[each]), each), default=None)
        stuck = self.deadlock
        is_first = stuck is not None and (number is None or len(stuck) < len(self.violated[number]))
        if stuck is not None and is_first and not self._tolerates(None, stuck):
            return Found(Verdict.DEADLOCK, None, stuck)
        if number is None:
            return None
        return Found(Verdict.VIOLATED, model.properties[number].name, self.violated[number])

    def tolerate_all(self, model: Model) -> None:
        """Go on past everything."""
        self.tolerated = dict.fromkeys((None, *range(len(model.properties))), 0)

    def _tolerates(self, number: int | None, behaviour: list[Values]) -> bool:
        return number in self.tolerated and len(behaviour) >= self.tolerated[number]

    def stopped(self, model: Model, reason: str) -> Found:
        """The finding of a search that stops unfinished: a violation if it has one, or that it did not finish."""
        return self.judge(model) or Found(Verdict.NOT_EXHAUSTED, reason=reason)


@dataclass
class Snapshot:
    """A search in the middle: all states in order of discovery, their parents, and the next one to expand."""

    states: list[Values]
    parents: list[int]
    next: int
    counts: Exploration


class Watch:
    """Tells a search when to stop, and its listener how far it is. Both readings ask it now and then."""

    def __init__(self, limits: Limits, listener: ProgressListener | None = None) -> None:
        # The clock starts before the deadline does: a search that was stopped took at least the seconds it was given.
        self._started = time.perf_counter()
        self._next_look = self._started
        self.limits = limits
        self.interrupts = Interrupts(limits.max_seconds)
        self._listener = listener
        self._process = psutil.Process()
        self.memory_limit = limits.max_memory or int(0.9 * memory.available())
        self._base_memory = self._process.memory_info().rss
        self._last: Progress | None = None
        self._first: Progress | None = None
        self.remarks: list[str] = []
        self.is_warned = False

    @property
    def seconds(self) -> float:
        """Seconds since the search began."""
        return time.perf_counter() - self._started

    def is_due(self) -> bool:
        """Whether enough time has passed to look again; cheap enough to ask at every state."""
        return time.perf_counter() >= self._next_look

    def reason_to_stop(self, engine: str, counts: Exploration, expanded: int, each: float | None = None) -> str:
        """Why the search must stop now, or "". Tells the listener how far it is, and once if memory will run out.

        `each` is how many bytes of memory one more state takes, if that is known.
        """
        self._next_look = time.perf_counter() + SECONDS_BETWEEN_LOOKS
        resident = self._process.memory_info().rss
        left = forecast.states_left(counts.level_ends, counts.distinct)
        frontier = counts.distinct - expanded
        self._last = Progress(
            counts.depth, counts.distinct, counts.generated, frontier, self.seconds, engine, resident, left
        )
        self._first = self._first or self._last
        if self._listener is not None:
            self._listener(self._last)
        taken = resident - self._base_memory
        if not self.is_warned and counts.distinct - self._first.states_distinct >= forecast.LEAST_STATES:
            self._warn(self._first, self._last, taken, each)
        if taken > self.memory_limit:
            return memory_reason(self.memory_limit)
        return self.interrupts.reason()

    def _warn(self, first: Progress, last: Progress, taken: int, each: float | None) -> None:
        """Warn as soon as the growth between two looks shows that memory will run out."""
        more = last.states_distinct - first.states_distinct
        if each is None:
            each = max(last.memory - first.memory, 0) / more
        rate = more / (last.seconds - first.seconds)
        told = forecast.memory_warning(taken, self.memory_limit, each, last.states_distinct, last.left, rate)
        if told:
            self.is_warned = True
            self.tell(f"warning: {told}")

    def tell(self, remark: str) -> None:
        """Let the listener show a remark, and the answer have it."""
        self.remarks.append(remark)
        if self._listener is not None:
            last = self._last or Progress(0, 0, 0, 0, self.seconds, "", 0)
            self._listener(replace(last, remark=remark))


def memory_reason(limit: int) -> str:
    """Why a search that used up its memory stopped."""
    return f"it used up the {limit / 2**20:,.0f} MiB of memory it may have"


def states_reason(limit: int) -> str:
    """Why a search that reached its number of states stopped."""
    return f"it was stopped at {limit:,} distinct states"
