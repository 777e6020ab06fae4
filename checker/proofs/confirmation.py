"""Whether plain Python agrees with a proof: a short search, and actions run from states drawn at random.

It shares nothing with the proof but the model's functions. So it notices a formula that differs from its function, a
proof that was cached by mistake, and a solver that errs.
"""

import itertools
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kafkacheck.checker.exploration.evaluation import call_text
from kafkacheck.checker.exploration.exploration import Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.proofs import samples
from kafkacheck.checker.proofs.obligations import CODE, DISABLED, FORM, RANGES, Obligation
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.traces.trace import Trace, rebuild

SEARCH_SECONDS = 1.0
"""How long the search may take; many small models are searched whole in that time."""
SAMPLE_SECONDS = 0.4
"""How many CPU seconds the actions are run from states that are drawn."""
MOST_DRAWN = 1_500
"""At most this many states are drawn."""
MOST_REACHED = 300
"""How many of the reached states are drawn again; others are drawn near them."""
MOST_CALLS = 4
"""Each action is run from a state with at most this many values of its parameters."""

Call = tuple[Action, Values]
"""An action and the values of its parameters."""


@dataclass(frozen=True)
class Effect:
    """The effect of an action on one state: its error, "" for none, or whether it is enabled and the state after it."""

    error: str
    enabled: bool
    after: Values

    @property
    def fails(self) -> bool:
        """Whether its code fails."""
        return bool(self.error)

    def is_like(self, other: "Effect") -> bool:
        """Whether both fail, or both do the same."""
        if self.fails or other.fails:
            return self.fails and other.fails
        return (self.enabled, self.after) == (other.enabled, other.after)


def run(model: Model, action: Action, given: Values, state: Any) -> Effect:
    """The effect of an action in plain Python on a state, which it may change."""
    try:
        enabled = action.apply(state, given)
        return Effect("", enabled, tuple(map(int, model.layout.flatten(state))))
    except MemoryError:
        raise
    except Exception as error:  # whatever the code of the model raises
        return Effect(f"{type(error).__name__}: {error}", False, model.layout.blank_values)


@dataclass(frozen=True)
class Confirmed:
    """How much plain Python has tried.

    searched: how many distinct states the search has visited, up to depth, and is_complete whether these are all.
    drawn: how many states actions were run from, `assumed`: in how many of these every assumption holds; None if
    nothing is assumed. calls: how often an action was run, and enabled how often it was.
    """

    searched: int
    depth: int
    is_complete: bool
    drawn: int = 0
    assumed: int | None = None
    calls: int = 0
    enabled: int = 0

    def told(self, model: Model) -> str:
        """In a line: `lock: plain Python agrees: a search of 96 states, all there are; ...`."""
        far = "all there are" if self.is_complete else f"to depth {self.depth}"
        assumed = f" ({self.assumed:,} have all that is assumed)" if self.assumed is not None else ""
        return (
            f"{model.name}: plain Python agrees: a search of {self.searched:,} states, {far}; {self.calls:,} "
            f"calls from {self.drawn:,} states drawn{assumed}, {self.enabled:,} of them enabled"
        )


@dataclass(frozen=True)
class Evidence:
    """A call in plain Python that contradicts an obligation; `told` says how."""

    before: Values
    action: Action
    parameters: Values
    told: str


class Confirmation:
    """A model's actions and properties in plain Python, compared with the obligations on them.

    `invariants` are the lemmas and the properties of states, `steps` the properties of steps; the constraint, if there
    is one, is assumed beside them.
    """

    def __init__(self, model: Model, invariants: Sequence[Property], steps: Sequence[Property]) -> None:
        self._model = model
        self._invariants = invariants
        self._steps = steps
        self._assumptions = [*([] if model.constraint is None else [model.constraint]), *invariants]
        self._evidence: dict[tuple[str, str, bool], Evidence] = {}
        self._search: Searched | None = None
        self._is_broken = False
        self._drawn = self._assumed = self._calls = self._enabled = 0

    def collect(self) -> None:
        """Search, draw states, run actions, and note violations; only at the first call."""
        if self._search is not None:
            return
        self._search = searched = Searched(_asked(self._model, [*self._invariants, *self._steps]))
        found = searched.found
        if found is not None and found.verdict is Verdict.EVALUATION_FAILED and found.chain:
            calls = [(each, given) for each in self._model.actions for given in each.combinations()]
            self._is_broken = self._examine(found.chain[-1], calls)
        draw(self._model, searched.sample(MOST_REACHED), self._examine_some)

    def confirm(self, proved: Iterable[tuple[Obligation, str]], is_whole: bool) -> Confirmed:
        """How much was looked at, if nothing of it contradicts the obligations that were proved, each with how.

        SelfCheckError if something does; EvaluationError if the code of an action fails in a reachable state
        in a way that no obligation speaks of. `is_whole`: everything is proved, and so every property holds for ever.
        """
        self.collect()
        for obligation, how in proved:
            evidence = self._against(obligation)
            if evidence is not None:
                raise self._contradiction(obligation, how, evidence)
        search = self._search
        assert search is not None
        if is_whole and self._is_broken and search.found is not None:  # a failure that no obligation covers
            raise EvaluationError(search.found.reason)
        if is_whole:
            search.check_nothing_found("everything is proved")
        return Confirmed(
            search.states, search.depth, search.is_complete, self._drawn, self._assumed, self._calls, self._enabled
        )

    def _against(self, obligation: Obligation) -> Evidence | None:
        key = obligation.subject, obligation.action
        evidence = self._evidence.get((*key, True))
        return evidence if evidence or obligation.assumptions else self._evidence.get((*key, False))

    def _contradiction(self, obligation: Obligation, how: str, evidence: Evidence) -> SelfCheckError:
        assumed = ", in which everything that is assumed holds" if obligation.assumptions else ""
        return SelfCheckError(
            f"{self._model.name}: {obligation.text} is proved ({how}), but in plain "
            f"Python {call_text(evidence.action, evidence.parameters)} {evidence.told}, from the state "
            f"above{assumed}: it has {shortly(self._model, evidence.before)}",
            "\n".join(["a state that contradicts a proof:", *state_lines(self._model, evidence.before)]),
        )

    # -- running actions ---------------------------------------------------------------------------------------

    def _examine_some(self, values: Values, rng: random.Random) -> bool:
        return self._examine(values, some_calls(self._model, rng))

    def _examine(self, values: Values, calls: Iterable[Call]) -> bool:
        """Run actions from a state and note violations; whether every assumption holds in the state."""
        layout = self._model.layout
        state = layout.restore(values)
        is_assumed = all(_holds(each, state) for each in self._assumptions)
        self._drawn += 1
        self._assumed += is_assumed
        for action, given in calls:
            self._calls += 1
            effect = run(self._model, action, given, state)
            self._enabled += effect.enabled
            for subject, told in self._wrong(values, state, effect, is_assumed):
                evidence = Evidence(values, action, given, told)
                self._evidence.setdefault((subject, action.name, is_assumed), evidence)
            if effect.error or effect.after != values:
                state = layout.restore(values)
        return is_assumed

    def _wrong(self, values: Values, after: Any, effect: Effect, is_assumed: bool) -> Iterator[tuple[str, str]]:
        """The violations by an effect that may have been proved impossible: the subjects, each with words for it."""
        layout = self._model.layout
        bad = layout.first_out_of_range(effect.after)
        if effect.error:
            yield CODE, f"fails ({effect.error})"
        elif not effect.enabled:
            if effect.after != values:
                yield DISABLED, "returns False after it has written"
        elif bad is not None:
            yield RANGES, f"leaves {bad[0].path} = {bad[1]}, outside its range {bad[0].low} .. {bad[0].high}"
        elif layout.canonical(effect.after) != effect.after:
            yield FORM, "leaves a queue or bag in a form that none can have"
        elif is_assumed:
            broken = [each.name for each in self._invariants if not _holds(each, after)]
            before = layout.restore(values)
            broken += [each.name for each in self._steps if not _holds(each, before, after)]
            for name in broken:
                yield name, f"breaks {name}"


class Searched:
    """A search of a model in plain Python, for at most `SEARCH_SECONDS`.

    KeyboardInterrupt if Ctrl-C ends it.
    """

    def __init__(self, model: Model, judges_deadlock: bool = False) -> None:
        self._model = model
        watch = Watch(Limits(max_seconds=SEARCH_SECONDS))
        self._search = InterpretedSearch(model, watch)
        if not judges_deadlock:
            self._search.counts.tolerated = {None: 0}
        with watch.interrupts.listening():
            self.found: Found | None = self._search.run()
        if watch.interrupts.pressed:
            raise KeyboardInterrupt

    @property
    def states(self) -> int:
        """How many distinct states were visited."""
        return self._search.counts.distinct

    @property
    def depth(self) -> int:
        """How many levels have at least one state."""
        return self._search.counts.depth

    @property
    def is_complete(self) -> bool:
        """Whether these are all reachable states."""
        return self.found is None

    def sample(self, most: int) -> list[Values]:
        """Some of the states, spread evenly over the search."""
        step = max(1, -(-self.states // most))
        return [self._search.chain(number)[-1] for number in range(0, self.states, step)]

    def check_nothing_found(self, claim: str, longest: float = float("inf")) -> None:
        """SelfCheckError if a behaviour of at most `longest` states violates the claim.

        EvaluationError if no behaviour begins, for example because every initial state is outside the constraint.
        """
        found = self.found
        if found is None or found.verdict is Verdict.NOT_EXHAUSTED or len(found.chain) > longest:
            return
        if not found.chain:  # no state can be explored: the proof is about nothing
            raise EvaluationError(found.reason)
        if found.verdict is Verdict.EVALUATION_FAILED:
            if len(found.chain) == longest:  # the step to a longer behaviour may fail
                return
            what = found.reason
        else:
            what = f"{found.property} is violated" if found.property is not None else "no action is enabled"
        raise SelfCheckError(
            f"{self._model.name}: {claim}, but a search in plain Python reaches a state, the last one above, after "
            f"{len(found.chain)} states: {what}; it has {shortly(self._model, found.chain[-1])}",
            _behaviour(self._model, found),
        )


def _behaviour(model: Model, found: Found) -> str:
    from kafkacheck.checker.pictures.render import trace_text

    trace: Trace = rebuild(model, found.chain, found.property, found.verdict is Verdict.DEADLOCK)
    return f"a behaviour that contradicts the solver:\n{trace_text(trace)}"


def draw(model: Model, reached: Sequence[Values], examine: Callable[[Values, random.Random], bool]) -> None:
    """Draw states and examine each: some of the reached ones, states near those of interest, and any others.

    `examine` says whether a state is of interest, as all that are reached. Ends after `MOST_DRAWN` states, or
    `SAMPLE_SECONDS` of CPU time. The order is always the same.
    """
    rng = random.Random(0)
    waiting, pool, seen = list(reached), list(reached), set()
    rng.shuffle(waiting)
    end = time.thread_time() + SAMPLE_SECONDS
    for number in range(MOST_DRAWN):
        if time.thread_time() > end:
            return
        if number % 4 == 0 and waiting:
            values = waiting.pop()
        elif number % 4 == 1 or not pool:
            values = samples.anywhere(model.layout, rng)
        else:
            values = samples.near(model.layout, rng, rng.choice(pool))
        if values in seen:
            continue
        seen.add(values)
        if examine(values, rng):
            pool.append(values)


def some_calls(model: Model, rng: random.Random) -> Iterator[Call]:
    """Each action with a few values of its parameters, or all if these are few."""
    for action in model.actions:
        if action.combination_count() <= MOST_CALLS:
            yield from ((action, given) for given in action.combinations())
        else:
            for _ in range(MOST_CALLS):
                yield action, tuple(rng.choice(each.values) for each in action.parameters)


def _holds(each: Property, *states: Any) -> bool:
    """Whether a property holds; if its code fails it does not."""
    try:
        return each.holds(*states)
    except MemoryError:
        raise
    except Exception:  # whatever the code of the model raises
        return False


def _asked(model: Model, properties: Sequence[Property]) -> Model:
    """The model with these properties and no others, but for clauses, which no function of the model says."""
    known = {each.function for each in (*model.properties, *model.lemmas)}
    names = {each.name for each in model.properties}
    wanted = model.with_properties([each.name for each in properties if each.name in names])
    lemmas = [each.function for each in properties if each.name not in names and each.function in known]
    return wanted.with_given_lemmas(lemmas).with_lemmas() if lemmas else wanted


def shortly(model: Model, values: Values, most: int = 12) -> str:
    """What is not blank in a state, in a line, of which only the first parts are told."""
    told = [line.strip() for line in itertools.islice(state_lines(model, values), most + 1)]
    return ", ".join([*told[:most], *(["..."] * (len(told) > most))]) or "every scalar at its lowest value"


def state_lines(model: Model, values: Values) -> Iterator[str]:
    """What is not blank in a state, one line each."""
    yield from (f"    {line}" for line in pretty.lines_unlike_blank(model.layout, values))
