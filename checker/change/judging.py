"""How an edit changes one model: its steps, its states, and what it violates.

The model as it was and as it is are one program, if that can be (`checker.change.former`). The states of the model as
it was are explored first, past all violations. From each of them both take their steps; if these are the same, so are
all states, by induction, and nothing else has to be explored. Otherwise the model as it is is explored, too.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from kafkacheck.checker.change.former import FORMER, SUFFIX, Former, one_program
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.language import removal
from kafkacheck.checker.liveness.liveness import judged
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.equivalence import different_compiled, different_interpreted
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.result import Result, outcomes_of, result_of, with_violations
from kafkacheck.checker.traces.trace import Trace, ending_of

SMALL = 1_500
"""A model with at most this many states is explored by plain Python; machine code takes seconds to make."""

CONTRACT = "the contract of actions"
VACUITY = "vacuity"
"""What fails if an action or an example never occurs any more."""


class Change(Enum):
    """What an edit changes in a model."""

    NOTHING = "changes no reachable step"
    STEPS = "same verdict"
    FAILS = "FAILS"
    UNFINISHED = "not finished"


@dataclass(frozen=True)
class Failure:
    """Something that fails: its name, whether users lose by that, the states of its shortest counterexample.

    `former`: how many it had before the edit; None if nothing failed then. `trace`: the counterexample, if it has one.
    """

    name: str
    is_outcome: bool
    length: int | None = None
    former: int | None = None
    trace: Trace | None = field(default=None, compare=False)
    reason: str = ""

    @property
    def told(self) -> str:
        """Such as "outcome nothing_is_lost trace=9"."""
        words = [f"{'outcome' if self.is_outcome else 'protocol'} {self.name}"]
        words += [] if self.length is None else [f"trace={self.length}"]
        words += [] if self.former is None else [f"(before: trace={self.former})"]
        return " ".join(words) + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Searched:
    """What a search found, past all violations: how many states and steps, and each violation with its length.

    `idle`: the actions and examples that never occurred. `reason`: why it did not come to its end; else "".
    """

    states: int = 0
    steps: int = 0
    violations: tuple[Failure, ...] = ()
    idle: tuple[str, ...] = ()
    reason: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Judged:
    """What an edit changes in a model with some settings; `former` and `now` are what the searches found.

    `failures`: what fails now and did not fail before, or fails sooner, outcomes first. `mended`: what failed before.
    `is_one_program`: whether the steps could be compared.
    """

    model: str
    settings: tuple[str, ...]
    change: Change
    former: Searched = Searched()
    now: Searched = Searched()
    failures: tuple[Failure, ...] = ()
    mended: tuple[str, ...] = ()
    reason: str = ""
    is_one_program: bool = True
    seconds: float = 0.0

    @property
    def is_outcome(self) -> bool:
        """Whether users lose something."""
        return any(each.is_outcome for each in self.failures)


def judged_here(model: Model, settings: Sequence[str], former: Former, seconds: float, states: int = 0) -> Judged:
    """What an edit changes in a model, within this time, if it has about so many states.

    OtherModelError if both versions are not one program.
    """
    begun = time.monotonic()
    blank = Judged(model.name, tuple(settings), Change.UNFINISHED)
    program = one_program(model.with_lemmas(), former)
    try:
        found = _Program(program, blank, begun + seconds, states).judge()
    finally:
        removal.remove(removal.NOTHING)
    return replace(found, seconds=time.monotonic() - begun)


def searched(model: Model, seconds: float) -> Searched:
    """What a search of a model finds, past all violations, within this time."""
    program = _Program(model, Judged(model.name, (), Change.UNFINISHED), time.monotonic() + seconds)
    return program.searched()


class _Program:
    """A model that takes its former steps while `removal` says so."""

    def __init__(self, model: Model, blank: Judged, deadline: float, states: int = 0) -> None:
        self._model = model
        self._blank = blank
        self._deadline = deadline
        self._is_small = states <= SMALL
        self._entries: dict[str, Entry] | None = None

    def judge(self) -> Judged:
        """What differs between the former steps and those of today."""
        removal.remove(FORMER)
        starts = self._starts()
        search, found = self._search()
        former = self._told(search, found)
        if former.reason:
            return replace(self._blank, former=former, reason=former.reason)
        if self._deadline - time.monotonic() < search.watch.seconds:  # so long a comparison of all steps takes
            return replace(self._blank, former=former, reason="there was no time to compare the steps")
        others = {each.name for each in self._model.properties if each.name.endswith(SUFFIX)}
        removal.remove(removal.NOTHING)
        if not former.fault and starts == self._starts() and not others and not self._takes_other_steps(search):
            return replace(self._blank, change=Change.NOTHING, former=former, now=former)
        search, found = self._search()
        now = self._told(search, found)
        return compared(self._blank, _former_names(former, others), _todays_names(now))

    def searched(self) -> Searched:
        """What a search of the program finds as it is switched now."""
        return self._told(*self._search())

    def _starts(self) -> list[tuple[int, ...]] | None:
        try:
            return [self._model.layout.flatten(state) for state in self._model.initial_states()]
        except KafkacheckError:
            return None

    def _limits(self) -> Limits:
        return Limits(max_seconds=max(0.01, self._deadline - time.monotonic()))

    def _search(self) -> tuple[InterpretedSearch | CompiledSearch, Found | None]:
        """A search of the program as it is switched now, past everything. KeyboardInterrupt if that is asked to end."""
        search, found = self._search_unasked()
        if search.watch.interrupts.pressed:
            raise KeyboardInterrupt
        return search, found

    def _search_unasked(self) -> tuple[InterpretedSearch | CompiledSearch, Found | None]:
        search: InterpretedSearch | CompiledSearch
        if self._is_small:
            search = InterpretedSearch(self._model, Watch(replace(self._limits(), max_states=SMALL)))
            search.counts.tolerate_all(self._model)
            with search.watch.interrupts.listening():
                found = search.run()
            is_full = found is not None and found.verdict is Verdict.NOT_EXHAUSTED
            if not is_full or search.watch.interrupts.reason():
                return search, found
            self._is_small = False
        if self._entries is None:
            self._entries = machine_code.entries_soon(kernel.kernel_text(self._model))
        search = CompiledSearch(self._model, self._entries, Watch(self._limits()))
        search.counts.tolerate_all(self._model)
        with search.watch.interrupts.listening():
            return search, search.run()

    def _takes_other_steps(self, search: InterpretedSearch | CompiledSearch) -> bool:
        if isinstance(search, InterpretedSearch):
            found = different_interpreted(self._model, search.snapshot().states, [FORMER])
        else:
            assert self._entries is not None
            found = different_compiled(self._model, self._entries, search.states, [FORMER])
        return bool(found.steps or (found.names and self._model.liveness))

    def _told(self, search: InterpretedSearch | CompiledSearch, found: Found | None) -> Searched:
        return told(search.counts, found, self._result(search, found))

    def _result(self, search: InterpretedSearch | CompiledSearch, found: Found | None) -> Result:
        result = with_violations(result_of(search, found, search.watch), search.counts)
        if found is None and self._model.liveness:
            watch = Watch(self._limits())
            with watch.interrupts.listening():
                result = judged(result, watch)
        return result


def told(counts: Exploration, found: Found | None, result: Result) -> Searched:
    """What a search found that went on past violations."""
    outcomes = outcomes_of(result.model)
    violations = tuple(
        Failure(ending_of(each), each.property in outcomes, len(each.steps), None, each)
        for each in result.violations or ()
    )
    idle = tuple(f"{name} is never possible" for name in result.never_fired)
    idle += tuple(f"{name} has no example" for name in result.unmet)
    is_fault = found is not None and found.verdict in (Verdict.EVALUATION_FAILED, Verdict.SELF_CHECK_FAILED)
    reason = "" if is_fault or found is None else found.reason
    fault = found.reason if is_fault and found is not None else ""
    if found is None and result.verdict is Verdict.NOT_EXHAUSTED:
        reason = result.reason
    return Searched(counts.distinct, counts.generated, violations, idle, reason, fault)


def _former_names(former: Searched, others: set[str]) -> Searched:
    """The former verdicts: of a property that was another one, the verdict of that one."""
    own = [each for each in former.violations if f"{each.name}{SUFFIX}" not in others]
    named = [replace(each, name=each.name.removesuffix(SUFFIX)) for each in own]
    return replace(former, violations=tuple(named))


def _todays_names(now: Searched) -> Searched:
    return replace(now, violations=tuple(each for each in now.violations if not each.name.endswith(SUFFIX)))


def compared(blank: Judged, former: Searched, now: Searched) -> Judged:
    """The judgement on a model by what both searches found."""
    before = {each.name: each for each in former.violations}
    failures = [
        replace(each, former=before[each.name].length if each.name in before else None)
        for each in now.violations
        if each.name not in before or (each.length or 0) < (before[each.name].length or 0)
    ]
    if now.fault and now.fault != former.fault:
        failures.append(Failure(CONTRACT, False, reason=now.fault))
    idle = [each for each in now.idle if each not in former.idle] if not now.reason and not now.fault else []
    if idle:
        failures.append(Failure(VACUITY, False, reason=", ".join(idle)))
    failures.sort(key=lambda each: (not each.is_outcome, each.length is None, each.length or 0))
    mended = tuple(name for name in before if name not in {each.name for each in now.violations})
    change = Change.FAILS if failures else Change.UNFINISHED if now.reason or former.reason else Change.STEPS
    return replace(
        blank, change=change, former=former, now=now, failures=tuple(failures), mended=mended,
        reason=now.reason or former.reason,
    )  # fmt: skip
