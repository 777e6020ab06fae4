"""How an edit changes one model: its steps, its states, and what it violates.

The model as it was and as it is are one program, if that can be (`checker.change.former`). The states of the model as
it is are explored first, past all violations. If there is none, both take their steps from each of these states; if
these are the same, so are all states, by induction, and nothing else has to be explored. Otherwise the model as it was
is explored, too. A search may be cut short. Then a violation is new if the model as it was has none of that length, and
all its states up to that length were found.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from kafkacheck.checker.change.former import FORMER, SUFFIX, Former, one_program
from kafkacheck.checker.change.traps import Line, Traps
from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.language import removal
from kafkacheck.checker.liveness.liveness import judged
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.equivalence import Differences, different_compiled, different_interpreted
from kafkacheck.checker.mutation.substitution import switches_of
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.result import Result, outcomes_of, result_of, with_violations
from kafkacheck.checker.traces.trace import ending_of, to_json

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

    `former`: how many it had before the edit; None if nothing failed then. `trace`: the counterexample as a JSON
    document (`traces.trace.to_json`), if it has one. `is_lasso`: it violates a liveness property.
    `is_of_steps`: it violates that or a property of steps.
    """

    name: str
    is_outcome: bool
    length: int | None = None
    former: int | None = None
    trace: dict[str, Any] | None = field(default=None, compare=False)
    reason: str = ""
    is_lasso: bool = False
    is_of_steps: bool = False

    @property
    def kind(self) -> str:
        """The word for what fails: an outcome, or a property that restates the protocol."""
        return "outcome" if self.is_outcome else "protocol"

    @property
    def told(self) -> str:
        """Such as "outcome nothing_is_lost trace=9"."""
        words = [f"{self.kind} {self.name}"]
        words += [] if self.length is None else [f"trace={self.length}"]
        words += [] if self.former is None else [f"(before: trace={self.former})"]
        return " ".join(words) + (f": {self.reason}" if self.reason else "")


@dataclass(frozen=True)
class Searched:
    """What a search found, past all violations: how many states and steps, and each violation with its length.

    `idle`: the actions and examples that never occurred. `reason`: why it did not come to its end; else "". `levels`:
    up to which length all behaviours were found.
    """

    states: int = 0
    steps: int = 0
    violations: tuple[Failure, ...] = ()
    idle: tuple[str, ...] = ()
    reason: str = ""
    fault: str = ""
    levels: int = 0


@dataclass(frozen=True)
class Judged:
    """What an edit changes in a model with some settings; `former` and `now` are what the searches found.

    `failures`: what fails now and did not fail before, or fails sooner, outcomes first. `mended`: what failed before.
    `is_one_program`: whether the steps could be compared. `has_older_rules`: whether the settings turn rules to those
    of another release.
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
    has_older_rules: bool = False
    seconds: float = 0.0

    @property
    def is_outcome(self) -> bool:
        """Whether users lose something."""
        return any(each.is_outcome for each in self.failures)

    @property
    def is_new_outcome(self) -> bool:
        """Whether users lose something that they did not lose before, not even later."""
        return any(each.is_outcome and each.former is None for each in self.failures)

    @property
    def is_new_loss(self) -> bool:
        """Whether that is so by the rules of the model's own release."""
        return self.is_new_outcome and not self.has_older_rules


@dataclass(frozen=True)
class Effort:
    """How much is searched: for so many seconds, and at most so many states, of a model that has about `states`."""

    seconds: float
    most_states: int | None = None
    states: int = 0


def judged_here(model: Model, settings: Sequence[str], former: Former, effort: Effort) -> Judged:
    """What an edit changes in a model, with this effort. OtherModelError if both versions are not one program."""
    begun = time.monotonic()
    blank = Judged(model.name, tuple(settings), Change.UNFINISHED)
    program = one_program(model.with_lemmas(), former)
    try:
        found = _Program(program, blank, effort).judge()
    finally:
        removal.remove(removal.NOTHING)
    return replace(found, seconds=time.monotonic() - begun)


def searched(model: Model, effort: Effort) -> Searched:
    """What a search of a model finds, past all violations, with this effort."""
    return _Program(model, Judged(model.name, (), Change.UNFINISHED), effort).searched()


def lines_run(model: Model, traps: Traps, effort: Effort) -> dict[Line, bool | None]:
    """Whether a model runs the lines behind traps. None for one that it did not until its search was cut short."""
    program, lines = traps.laid(model)
    left = switches_of(program)  # the rules of the model leave out the others
    if not left:
        return dict.fromkeys(lines.values(), False)
    found, is_whole = _Program(program, Judged(model.name, (), Change.UNFINISHED), effort).trapped(sorted(left))
    return {line: number in found if is_whole or number in found else None for number, line in lines.items()}


class _Program:
    """A model that takes its former steps while `removal` says so."""

    def __init__(self, model: Model, blank: Judged, effort: Effort) -> None:
        self._model = model
        self._blank = blank
        self._begun = time.monotonic()
        self._deadline = self._begun + effort.seconds
        self._most_states = effort.most_states
        self._is_small = effort.states <= SMALL
        self._entries: dict[str, Entry] | None = None

    def judge(self) -> Judged:
        """What differs between the former steps and those of today."""
        deadline = self._deadline
        self._deadline = (self._begun + deadline) / 2  # the other half is for the comparison, or the former search
        starts = self._starts()
        search, found = self._search()
        now = self._told(search, found)
        self._deadline = deadline
        others = {each.name for each in self._model.properties if each.name.endswith(SUFFIX)}
        removal.remove(FORMER)
        is_alike = starts == self._starts() and not others and not now.fault
        removal.remove(removal.NOTHING)
        if is_alike and not now.reason and self._may_compare(search) and not self._takes_other_steps(search):
            return replace(self._blank, change=Change.NOTHING, former=now, now=now)
        if now.reason and not now.violations:
            return replace(self._blank, now=now, reason=now.reason)
        removal.remove(FORMER)
        former = self._told(*self._search())
        return compared(self._blank, _former_names(former, others), _todays_names(now))

    def _may_compare(self, search: InterpretedSearch | CompiledSearch) -> bool:
        """Whether there is time to compare all steps, which takes about as long as the search did."""
        return self._deadline - time.monotonic() > search.watch.seconds

    def trapped(self, numbers: Sequence[int]) -> tuple[set[int], bool]:
        """Which traps its steps run into, by their numbers; and whether all of its states were found."""
        search, found = self._search()
        differences = self._differences(search, numbers)
        return differences.steps | differences.names, found is None

    def searched(self) -> Searched:
        """What a search of the program finds as it is switched now."""
        return self._told(*self._search())

    def _starts(self) -> list[tuple[int, ...]] | None:
        try:
            return [self._model.layout.flatten(state) for state in self._model.initial_states()]
        except KafkacheckError:
            return None

    def _limits(self) -> Limits:
        return Limits(max_states=self._most_states, max_seconds=max(0.01, self._deadline - time.monotonic()))

    def _search(self) -> tuple[InterpretedSearch | CompiledSearch, Found | None]:
        """A search of the program as it is switched now, past everything. KeyboardInterrupt if that is asked to end."""
        search, found = self._search_unasked()
        if search.watch.interrupts.pressed:
            raise KeyboardInterrupt
        return search, found

    def _search_unasked(self) -> tuple[InterpretedSearch | CompiledSearch, Found | None]:
        search: InterpretedSearch | CompiledSearch
        if self._is_small:
            most = min(SMALL, self._most_states or SMALL)
            search = InterpretedSearch(self._model, Watch(replace(self._limits(), max_states=most)))
            search.counts.tolerate_all(self._model)
            with search.watch.interrupts.listening():
                found = search.run()
            is_full = found is not None and found.verdict is Verdict.NOT_EXHAUSTED
            if not is_full or most < SMALL or search.watch.interrupts.reason():
                return search, found
            self._is_small = False
        if self._entries is None:
            self._entries = machine_code.entries_soon(kernel.kernel_text(self._model))
        search = CompiledSearch(self._model, self._entries, Watch(self._limits()))
        search.counts.tolerate_all(self._model)
        with search.watch.interrupts.listening():
            return search, search.run()

    def _takes_other_steps(self, search: InterpretedSearch | CompiledSearch) -> bool:
        found = self._differences(search, [FORMER])
        return bool(found.steps or (found.names and self._model.liveness))

    def _differences(self, search: InterpretedSearch | CompiledSearch, numbers: Sequence[int]) -> Differences:
        if isinstance(search, InterpretedSearch):
            return different_interpreted(self._model, search.snapshot().states, numbers)
        assert self._entries is not None
        return different_compiled(self._model, self._entries, search.states, numbers)

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
    of_steps = {each.name for each in result.model.properties if each.is_step}
    violations = tuple(
        Failure(
            ending_of(each),
            each.property in outcomes,
            len(each.steps),
            trace=to_json(each),
            is_lasso=each.loop is not None,
            is_of_steps=each.loop is not None or each.property in of_steps,
        )
        for each in result.violations or ()
    )
    idle = tuple(f"{name} is never possible" for name in result.never_fired)
    idle += tuple(f"{name} has no example" for name in result.unmet)
    is_fault = found is not None and found.verdict in (Verdict.EVALUATION_FAILED, Verdict.SELF_CHECK_FAILED)
    reason = "" if is_fault or found is None else found.reason
    fault = found.reason if is_fault and found is not None else ""
    if found is None and result.verdict is Verdict.NOT_EXHAUSTED:
        reason = result.reason
    return Searched(counts.distinct, counts.generated, violations, idle, reason, fault, len(counts.level_ends))


def _former_names(former: Searched, others: set[str]) -> Searched:
    """The former verdicts: of a property that was another one, the verdict of that one."""
    own = [each for each in former.violations if f"{each.name}{SUFFIX}" not in others]
    named = [replace(each, name=each.name.removesuffix(SUFFIX)) for each in own]
    return replace(former, violations=tuple(named))


def _todays_names(now: Searched) -> Searched:
    return replace(now, violations=tuple(each for each in now.violations if not each.name.endswith(SUFFIX)))


def _is_known(failure: Failure, former: Searched) -> bool:
    """Whether the former search would have found a counterexample that is as short."""
    return not former.reason or (not failure.is_lasso and former.levels >= (failure.length or 0))


def compared(blank: Judged, former: Searched, now: Searched) -> Judged:
    """The judgement on a model by what both searches found."""
    before = {each.name: each for each in former.violations}
    failures = [
        replace(each, former=before[each.name].length if each.name in before else None)
        for each in now.violations
        if (each.name not in before or (each.length or 0) < (before[each.name].length or 0)) and _is_known(each, former)
    ]
    if now.fault and not former.fault and not former.reason and not former.violations:
        failures.append(Failure(CONTRACT, False, reason=now.fault))
    is_whole = not now.reason and not now.fault and not former.reason
    idle = [each for each in now.idle if each not in former.idle] if is_whole else []
    if idle:
        failures.append(Failure(VACUITY, False, reason=", ".join(idle)))
    failures.sort(
        key=lambda each: (not each.is_outcome, each.former is not None, each.length is None, each.length or 0)
    )
    left = {each.name for each in now.violations}
    mended = tuple(name for name in before if name not in left) if is_whole else ()
    reason = now.reason or former.reason
    if now.fault and former.fault:  # bounds that do not go together, for example
        reason = f"before the edit as well {former.fault}"
    change = Change.FAILS if failures else Change.UNFINISHED if reason else Change.STEPS
    return replace(
        blank, change=change, former=former, now=now, failures=tuple(failures), mended=mended, reason=reason
    )  # fmt: skip
