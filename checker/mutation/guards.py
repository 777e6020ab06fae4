"""Does every guard earn its place? Each condition of a model's actions is removed in turn, and the rest explored.

A mutant (see `checker.mutation.mutation`) is *caught* if it violates a property or a lemma sooner than the model
itself does (in a model that holds: at all), if its code breaks the contract of an action, or if something that the
model can do never happens any more. It is *redundant* if it takes the same steps as the model from every state that the
model reaches. If these steps are not by the same actions, which fairness tells apart, every liveness property of the
model must hold as well. Otherwise it is *unexplained*: no property needs the condition.

All mutants of a model are one program with switches (`checker.language.removal`), so that machine code is made once.
First the steps from the model's states are compared, and only mutants that take other steps are explored.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from kafkacheck.checker.compiled import kernel, machine_code
from kafkacheck.checker.compiled.compiled import CompiledSearch
from kafkacheck.checker.compiled.native import Entry
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.language import removal
from kafkacheck.checker.liveness.liveness import judged
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation import guard_cache
from kafkacheck.checker.mutation.equivalence import Differences, different_compiled, different_interpreted
from kafkacheck.checker.mutation.mutation import Mutant
from kafkacheck.checker.mutation.substitution import mutants, switched, switches_of
from kafkacheck.checker.process import cache
from kafkacheck.checker.process.errors import EvaluationError, ModelError, NotExhaustedError
from kafkacheck.checker.result import result_of
from kafkacheck.checker.traces.trace import Trace, rebuild

SMALL = 20_000
"""A model with at most this many states, over all its mutants together, is explored by plain Python; machine code takes
a second to make."""
QUICK = 20_000
"""A model with at most this many states is explored by machine code that was compiled quickly."""
ROOM = 4
"""A mutant is explored up to this many times the states of the model."""
LEAST_ROOM = 100_000


class Outcome(Enum):
    """The outcome for a mutant; EXCLUDED: the rules leave the condition out, so that nothing was removed."""

    CAUGHT = "caught"
    REDUNDANT = "redundant"
    UNEXPLAINED = "unexplained"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class Finding:
    """The finding on one mutant in one model.

    `by`: the property that caught it, "deadlock", "contract", "vacuity", or "definition" if the model is refused
    without the condition; `reason` says more. `length`: the states of its shortest counterexample at `bounds`, None
    if it has none. `states` and `steps`: the distinct and generated states that were visited, of the model itself
    if the mutant is redundant. `trace`: the counterexample as text, if it was asked for.
    """

    guard: str
    place: str
    outcome: Outcome
    by: str = ""
    reason: str = ""
    length: int | None = None
    model: str = ""
    bounds: tuple[tuple[str, int], ...] = ()
    states: int = 0
    steps: int = 0
    trace: str = ""


class Examiner:
    """Examines the mutants of one model. `mutants` are all of them; `with_traces` keeps counterexamples as text.

    `limits` are for each mutant. Earlier findings are used if the machine code is still the same.
    """

    def __init__(self, model: Model, with_traces: bool = False, limits: Limits | None = None) -> None:
        self.model = model.with_lemmas()  # lemmas are stronger than the properties, so that more is caught, and sooner
        self.mutants = mutants(self.model)
        self._with_traces = with_traces
        self._limits = limits or Limits()
        self._programs: list[_Program] | None = None
        self._refused: dict[int, str] = {}

    def examine(self, numbers: Iterable[int]) -> list[Finding]:
        """The findings on the mutants of those numbers (places in `mutants`), in order.

        EvaluationError if the model's own code fails; NotExhaustedError if it is not explored to the end within
        the limits.
        """
        asked = list(numbers)
        found: dict[int, Finding] = {}
        for program in self._all_programs():
            found |= program.examine([number for number in asked if number in program.known])
        for number in set(asked) & self._refused.keys():
            blank = _blank(self.model, self.mutants[number])
            found[number] = replace(blank, outcome=Outcome.CAUGHT, by="definition", reason=self._refused[number])
        return [found[number] for number in asked]

    def _all_programs(self) -> "list[_Program]":
        if self._programs is None:
            self._programs = []
            self._make_programs(dict(enumerate(self.mutants)))
        return self._programs

    def _make_programs(self, known: dict[int, Mutant]) -> None:
        """Programs that together have these conditions: one, but for those that make the model ill-formed."""
        if not known:
            return
        try:
            model = switched(self.model, known)
        except ModelError as error:
            numbers = list(known)
            if len(numbers) == 1:
                self._refused[numbers[0]] = str(error)
                return
            middle = len(numbers) // 2
            for part in (numbers[:middle], numbers[middle:]):
                self._make_programs({number: known[number] for number in part})
            return
        assert self._programs is not None
        self._programs.append(_Program(model, known, self._with_traces, self._limits))


class _Program:
    """A model with switches, and its search while no condition is removed."""

    def __init__(self, model: Model, known: Mapping[int, Mutant], with_traces: bool, limits: Limits) -> None:
        self.model = model
        self.known = known
        self._switches = switches_of(model)
        self._with_traces = with_traces
        self._limits = limits
        self._text = ""
        self._entries: dict[str, Entry] | None = None
        self._search: InterpretedSearch | CompiledSearch | None = None
        self._cache: guard_cache.Outcomes | None = None
        self._may_stall: bool | None = None

    def examine(self, numbers: Sequence[int]) -> dict[int, Finding]:
        """The findings on the model without each of these conditions."""
        found = {
            number: replace(_blank(self.model, self.known[number]), outcome=Outcome.EXCLUDED)
            for number in numbers
            if number not in self._switches
        }
        left = [number for number in numbers if number in self._switches]
        if not left:
            return found
        known = self._remembered(left)
        found |= known
        left = [number for number in left if number not in known]
        if not left:
            return found
        search = self._explored()
        different = self._different(left)
        for number in left:
            blank = _blank(self.model, self.known[number])
            if number in different.steps or (number in different.names and self._settles()):
                found[number] = self._followed(number, blank, number in different.names)
            else:
                found[number] = _counted(replace(blank, outcome=Outcome.REDUNDANT), search.counts)
            if self._cache is not None:
                self._cache.keep(number, _kept(found[number]))
        return found

    def _remembered(self, numbers: Sequence[int]) -> dict[int, Finding]:
        """The earlier findings, if the model is not small."""
        if self._search is None and self._cache is None:
            self._begin()
        if self._cache is None:
            return {}
        known = self._cache.known()
        return {
            number: replace(_blank(self.model, self.known[number]), **_restored(known[number]))
            for number in numbers
            if number in known
        }

    def _begin(self) -> None:
        """Explore the model by plain Python if it is small; otherwise make its machine code."""
        most = max(1, SMALL // len(self.known))
        limits = replace(self._limits, max_states=min(most, self._limits.max_states or most))
        small = InterpretedSearch(self.model, Watch(limits))
        small.counts.tolerated = _past_everything(self.model)
        stopped = small.run()
        if stopped is None or stopped.verdict is not Verdict.NOT_EXHAUSTED:
            self._search = _finished(small, stopped)
            return
        self._text = kernel.kernel_text(self.model)
        self._cache = guard_cache.Outcomes(self.model, self._text, self.known, self._limits, self._with_traces)

    def _explored(self) -> InterpretedSearch | CompiledSearch:
        """The search of the model itself, past its violations."""
        if self._search is not None:
            return self._search
        with cache.one_at_a_time("guards"):  # the processes that share the work need the same kernel
            self._entries = machine_code.entries_soon(self._text)
        search = CompiledSearch(self.model, self._entries, Watch(self._limits))
        search.counts.tolerated = _past_everything(self.model)
        self._search = _finished(search, search.run())
        if search.counts.distinct > QUICK:
            with cache.one_at_a_time("guards"):
                self._entries = machine_code.entries(self._text)
        return self._search

    def _different(self, numbers: Sequence[int]) -> Differences:
        """The conditions without which some step is another, or is another action's."""
        if isinstance(self._search, InterpretedSearch):
            return different_interpreted(self.model, self._search.snapshot().states, numbers)
        assert self._search is not None and self._entries is not None
        return different_compiled(self.model, self._entries, self._search.states, numbers)

    def _followed(self, number: int, blank: Finding, has_same_steps: bool) -> Finding:
        removal.remove(number)
        try:
            return self._judged(blank, has_same_steps)
        finally:
            removal.remove(removal.NOTHING)

    def _judged(self, blank: Finding, has_same_steps: bool) -> Finding:
        """The finding on the model without the condition that is removed now, by exploring it."""
        usual = self._explored().counts
        limits = replace(self._limits, max_states=self._limits.max_states or max(ROOM * usual.distinct, LEAST_ROOM))
        watch = Watch(limits)
        search: InterpretedSearch | CompiledSearch
        if self._entries is None:
            search = InterpretedSearch(self.model, watch)
        else:
            search = CompiledSearch(self.model, self._entries, watch)
        search.counts.tolerated = _lengths(usual)
        found = search.run()
        reason = _vacuity(self.model, usual, search.counts) if found is None else ""
        if found is None and not reason and self._settles():
            lasso = judged(result_of(search, None, watch), watch)
            if lasso.trace is not None:
                return self._caught(search.counts, lasso.property or "", "", lasso.trace, blank)
            if lasso.verdict is not Verdict.HOLDS:
                return _counted(replace(blank, reason=lasso.reason), search.counts)
        if found is None and reason:
            return _counted(replace(blank, outcome=Outcome.CAUGHT, by="vacuity", reason=reason), search.counts)
        if found is None and has_same_steps:
            return _counted(replace(blank, outcome=Outcome.REDUNDANT), search.counts)
        if found is None:
            return _counted(replace(blank, reason=_difference(usual, search.counts)), search.counts)
        if found.verdict is Verdict.NOT_EXHAUSTED:
            return _counted(replace(blank, reason=f"undecided: {found.reason}"), search.counts)
        by = found.property or ("deadlock" if found.verdict is Verdict.DEADLOCK else "contract")
        trace = trace_of(self.model, found) if found.chain else None
        return self._caught(search.counts, by, found.reason, trace, blank)

    def _settles(self) -> bool:
        """Whether the model has liveness properties and all hold."""
        if self._may_stall is None:
            chosen = removal.removed()
            removal.remove(removal.NOTHING)
            watch = Watch(Limits())
            own = judged(result_of(self._explored(), None, watch), watch) if self.model.liveness else None
            self._may_stall = own is None or own.verdict is not Verdict.HOLDS
            removal.remove(chosen)
        return not self._may_stall

    def _caught(self, counts: Exploration, by: str, reason: str, trace: Trace | None, blank: Finding) -> Finding:
        text = ""
        if self._with_traces and trace is not None:
            from kafkacheck.checker.pictures.render import trace_text

            text = trace_text(trace)
        length = None if trace is None else len(trace.steps)
        caught = replace(blank, outcome=Outcome.CAUGHT, by=by, reason=reason, length=length, trace=text)
        return _counted(caught, counts)


def trace_of(model: Model, found: Found) -> Trace:
    """The counterexample of a mutated model, by plain Python."""
    return rebuild(model, found.chain, found.property, found.verdict is Verdict.DEADLOCK)


def undecided(model: Model, number: int, reason: str) -> Finding:
    """That a model could not judge one of its guards."""
    return replace(_blank(model, mutants(model)[number]), reason=f"undecided: {reason}")


def _blank(model: Model, mutant: Mutant) -> Finding:
    return Finding(mutant.name, mutant.place, Outcome.UNEXPLAINED, model=model.name, bounds=tuple(model.bounds.items()))


def _kept(finding: Finding) -> dict[str, Any]:
    """The part of a finding that is kept, as JSON data."""
    names = ("by", "reason", "length", "states", "steps", "trace")
    return {"outcome": finding.outcome.value, **{name: getattr(finding, name) for name in names}}


def _restored(data: Mapping[str, Any]) -> dict[str, Any]:
    return {**data, "outcome": Outcome(data["outcome"])}


def _counted(finding: Finding, counts: Exploration) -> Finding:
    return replace(finding, states=counts.distinct, steps=counts.generated)


def _lengths(counts: Exploration) -> dict[int | None, int]:
    """How long a model's own counterexamples are, by number of the property, which a mutant must undercut."""
    known: dict[int | None, int] = {number: len(chain) for number, chain in counts.violated.items()}
    return known | ({} if counts.deadlock is None else {None: len(counts.deadlock)})


def _vacuity(model: Model, before: Exploration, counts: Exploration) -> str:
    """The actions and examples that the model has and the mutant lacks; empty if there are none."""
    unmet = [each.name for number, each in enumerate(model.sometimes) if number in before.met - counts.met]
    idle = [
        each.name
        for each, then, now in zip(model.actions, before.fired, counts.fired, strict=True)
        if then > 0 and now == 0
    ]
    told = [f"{name} has no example" for name in unmet] + [f"{name} is never possible" for name in idle]
    return ", ".join(told)


def _difference(before: Exploration, after: Exploration) -> str:
    return (
        f"{after.distinct:,} states and {after.generated:,} steps, where the model has {before.distinct:,} and "
        f"{before.generated:,}; no property tells them apart"
    )


def _past_everything(model: Model) -> dict[int | None, int]:
    """Lets a search go on past all violations."""
    return dict.fromkeys([None, *range(len(model.properties))], 0)


def _finished(search: InterpretedSearch | CompiledSearch, found: Found | None) -> InterpretedSearch | CompiledSearch:
    """The search, which must have come to its end. EvaluationError or NotExhaustedError if it did not."""
    if found is None:
        return search
    name = search.model.name
    if found.verdict is Verdict.NOT_EXHAUSTED:
        raise NotExhaustedError(
            f"{name} itself cannot be explored to the end: {found.reason}; choose smaller bounds with --set, or wider "
            "limits"
        )
    raise EvaluationError(f"{name} itself fails, so nothing can be said of its guards: {found.reason}")
