"""Does every guard earn its place? Each condition of a model's actions is removed in turn, and the rest explored.

A mutant (see `checker.mutation`) is *caught* where it violates a property or a lemma sooner than the model itself does,
which for a model that holds means at all, where its code breaks the contract of an action, or where something that the
model can do never happens any more. It is *redundant* where it takes the same steps as the model from every state that
the model reaches. Otherwise it is *unexplained*: nothing that must hold says what the condition is for.

Mutants are explored at small bounds first, by plain Python, because most are caught there in no time. The model's own
bounds decide about the rest, by machine code where the model is not small.
"""

from dataclasses import dataclass, replace
from enum import Enum

from checker import kernel, machine_code
from checker.compiled import CompiledSearch
from checker.errors import EvaluationError, ModelError, UsageError
from checker.exploration import Exploration, Found, Watch
from checker.interpreted import InterpretedSearch
from checker.model import Model
from checker.mutation import Mutant
from checker.native import Entry
from checker.result import Limits, Verdict
from checker.sameness import same_compiled, same_interpreted
from checker.signature import signature_of
from checker.substitution import mutants, mutated
from checker.trace import Trace, rebuild

SMALL = 1_500
"""A model with at most so many states is explored by plain Python; machine code takes a second to make."""
MOST_STAGES = 30
"""At so many smaller bounds the model is tried, to find those that are worth trying its mutants at."""
ROOM = 4
"""A mutant is followed up to so many times the states of the model."""
LEAST_ROOM = 100_000


class Outcome(Enum):
    """What became of a mutant; EXCLUDED: the rules leave the condition out, so that nothing was removed."""

    CAUGHT = "caught"
    REDUNDANT = "redundant"
    UNEXPLAINED = "unexplained"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class Finding:
    """What came of one mutant.

    `by`: the property that caught it, "deadlock", "contract", "vacuity", or "definition" where the model is refused
    without the condition; `reason` says more. `length`: the states of
    its shortest counterexample at `bounds`, None where it has none. `states` and `steps`: the distinct and generated
    states that were visited at `bounds`, of the model itself where the mutant is redundant. `trace`: the counterexample
    as text, where it was asked for.
    """

    guard: str
    place: str
    outcome: Outcome
    by: str = ""
    reason: str = ""
    length: int | None = None
    bounds: tuple[tuple[str, int], ...] = ()
    states: int = 0
    steps: int = 0
    trace: str = ""


@dataclass
class _Stage:
    """The model at some bounds, explored to the end, past what it violates itself."""

    model: Model
    search: InterpretedSearch | CompiledSearch
    entries: dict[str, Entry] | None = None

    @property
    def tolerated(self) -> dict[int | None, int]:
        """How long the model's own counterexamples are, by number of the property."""
        counts = self.search.counts
        known: dict[int | None, int] = {number: len(chain) for number, chain in counts.violated.items()}
        return known | ({} if counts.deadlock is None else {None: len(counts.deadlock)})


class Examiner:
    """Examines the mutants of one model. `mutants` are all of them; `with_traces` keeps counterexamples as text.

    EvaluationError where the model's own code fails; UsageError where it has more than `max_states` states.
    """

    def __init__(self, model: Model, with_traces: bool = False, max_states: int | None = None) -> None:
        self.model = model.with_lemmas()  # which say more than what is promised, so that more is caught, and sooner
        self.mutants = mutants(self.model)
        self._with_traces = with_traces
        self._max_states = max_states
        self._stages: list[_Stage] = []
        self._signature = signature_of(self.model)
        self._known: dict[str, Finding] = {}

    def examine(self, mutant: Mutant) -> Finding:
        """What becomes of the model without that condition."""
        blank = Finding(mutant.name, mutant.place, Outcome.UNEXPLAINED)
        try:
            model = mutated(self.model, mutant)
        except ModelError as error:
            return replace(
                blank, outcome=Outcome.CAUGHT, by="definition", reason=str(error), bounds=_bounds(self.model)
            )
        signature = signature_of(model)
        if signature == self._signature:
            return replace(blank, outcome=Outcome.EXCLUDED, bounds=_bounds(model))
        if signature not in self._known:
            self._known[signature] = self._judged(model, blank)
        return replace(self._known[signature], guard=mutant.name, place=mutant.place)

    def _judged(self, model: Model, blank: Finding) -> Finding:
        stages = self.stages()
        for stage in stages[:-1]:
            try:
                small = model.with_bounds(stage.model.bounds)
            except UsageError:
                continue
            search = InterpretedSearch(small, _watch(ROOM * SMALL))
            found = _explored(search, stage)
            if found is not None and found.verdict is not Verdict.NOT_EXHAUSTED:
                return self._caught(small, search.counts, found, blank)
        return self._judged_at_last(model, stages[-1], blank)

    def _judged_at_last(self, model: Model, stage: _Stage, blank: Finding) -> Finding:
        most = self._max_states or max(ROOM * stage.search.counts.distinct, LEAST_ROOM)
        if stage.entries is None:
            assert isinstance(stage.search, InterpretedSearch)
            is_same = same_interpreted(stage.model, model, stage.search.hand_over().states)
            search: InterpretedSearch | CompiledSearch = InterpretedSearch(model, _watch(most))
        else:
            assert isinstance(stage.search, CompiledSearch)
            entries = machine_code.entries_soon(kernel.kernel_text(model))
            is_same = same_compiled(model, (stage.entries, entries), stage.search.kept()[0])
            search = CompiledSearch(model, entries, _watch(most))
        if is_same:
            return _counted(replace(blank, outcome=Outcome.REDUNDANT), model, stage.search.counts)
        found = _explored(search, stage)
        if found is None:
            reason = _vacuity(stage, search.counts)
            outcome = Outcome.CAUGHT if reason else Outcome.UNEXPLAINED
            reason = reason or _difference(stage.search.counts, search.counts)
            by = "vacuity" if outcome is Outcome.CAUGHT else ""
            return _counted(replace(blank, outcome=outcome, by=by, reason=reason), model, search.counts)
        if found.verdict is Verdict.NOT_EXHAUSTED:
            reason = f"not exhausted: {found.reason}"
            return _counted(replace(blank, reason=reason), model, search.counts)
        return self._caught(model, search.counts, found, blank)

    def _caught(self, model: Model, counts: Exploration, found: Found, blank: Finding) -> Finding:
        by = found.property or ("deadlock" if found.verdict is Verdict.DEADLOCK else "contract")
        text = ""
        if self._with_traces and found.chain:
            from checker.render import trace_text

            text = trace_text(trace_of(model, found))
        caught = replace(
            blank, outcome=Outcome.CAUGHT, by=by, reason=found.reason, length=len(found.chain) or None, trace=text
        )
        return _counted(caught, model, counts)

    def stages(self) -> list[_Stage]:
        """The model at ever larger bounds, its own at last; made when first asked for."""
        if not self._stages:
            self._stages = [*_small_stages(self.model), _last_stage(self.model, self._max_states)]
        return self._stages


def trace_of(model: Model, found: Found) -> Trace:
    """The counterexample of a mutated model, by plain Python."""
    return rebuild(model, found.chain, found.property, found.verdict is Verdict.DEADLOCK)


def _bounds(model: Model) -> tuple[tuple[str, int], ...]:
    return tuple(model.bounds.items())


def _counted(finding: Finding, model: Model, counts: Exploration) -> Finding:
    return replace(finding, bounds=_bounds(model), states=counts.distinct, steps=counts.generated)


def _watch(states: int | None) -> Watch:
    return Watch(Limits(max_states=states))


def _explored(search: InterpretedSearch | CompiledSearch, stage: _Stage) -> Found | None:
    """What a mutant does that the model does not, or not so soon."""
    search.counts.tolerated = stage.tolerated
    return search.run()


def _vacuity(stage: _Stage, counts: Exploration) -> str:
    """What the model can do and the mutant cannot; empty where there is no such thing."""
    before, model = stage.search.counts, stage.model
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
    """Lets a search go on past whatever is violated."""
    return dict.fromkeys([None, *range(len(model.properties))], 0)


def _small_stages(model: Model) -> list[_Stage]:
    """The model at smaller bounds at which it is small, the smallest first; each larger than any other of its kind."""
    found: list[_Stage] = []
    waiting, tried = [{name: min(bound, 1) for name, bound in model.bounds.items()}], 0
    seen = [model.bounds]
    while waiting and tried < MOST_STAGES:
        bounds = waiting.pop(0)
        if bounds in seen:
            continue
        seen.append(bounds)
        tried += 1
        stage = _small_stage(model, bounds)
        if stage is not None:
            found.append(stage)
            waiting += _raised(bounds, model.bounds)
    found.sort(key=lambda each: each.search.counts.distinct)
    return [each for place, each in enumerate(found) if not any(_replaces(later, each) for later in found[place + 1 :])]


def _small_stage(model: Model, bounds: dict[str, int]) -> _Stage | None:
    try:
        search = InterpretedSearch(model.with_bounds(bounds), _watch(SMALL))
    except UsageError:
        return None
    search.counts.tolerated = _past_everything(model)
    try:
        return _Stage(search.model, search) if search.run() is None else None
    except EvaluationError:
        return None


def _raised(bounds: dict[str, int], most: dict[str, int]) -> list[dict[str, int]]:
    """The bounds with one of them raised by a half, at least by 1."""
    raised = {name: min(most[name], bound + max(1, bound // 2)) for name, bound in bounds.items()}
    return [{**bounds, name: value} for name, value in raised.items() if value != bounds[name]]


def _replaces(one: _Stage, other: _Stage) -> bool:
    """Whether a stage includes another and is at most twice as large."""
    includes = all(bound <= one.model.bounds[name] for name, bound in other.model.bounds.items())
    return includes and one.search.counts.distinct <= 2 * other.search.counts.distinct


def _last_stage(model: Model, max_states: int | None) -> _Stage:
    """The model at its own bounds. EvaluationError where its code fails, UsageError where it is too large."""
    small = InterpretedSearch(model, _watch(SMALL))
    stage = _Stage(model, small)
    small.counts.tolerated = _past_everything(model)
    found = small.run()
    if found is not None and found.verdict is Verdict.NOT_EXHAUSTED:
        text = kernel.kernel_text(model)
        with machine_code.one_at_a_time("guards"):  # the processes that share the work need the same kernel
            entries = machine_code.entries_soon(text)
        stage = _Stage(model, CompiledSearch(model, entries, _watch(max_states)), entries)
        stage.search.counts.tolerated = _past_everything(model)
        found = stage.search.run()
    if found is None:
        return stage
    if found.verdict is Verdict.NOT_EXHAUSTED:
        raise UsageError(
            f"{model.name} itself cannot be explored to the end: {found.reason}; choose smaller bounds with --set"
        )
    raise EvaluationError(f"{model.name} itself fails, so nothing can be said of its guards: {found.reason}")
