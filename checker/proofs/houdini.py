"""Finding lemmas (Houdini): the largest inductive part of a pool of candidates, and its part that a property needs.

Candidates that are false in a reachable state are dropped first. Then the solver looks for a step from a state in which
all remaining ones hold to one in which some do not; those are dropped, until it finds none. A candidate on which the
solver gives up is dropped, too. At first only written candidates are tried; if they do not suffice, simple clauses are
added.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model, Property
from kafkacheck.checker.proofs import candidates
from kafkacheck.checker.proofs.obligations import narrowed, obligations
from kafkacheck.checker.proofs.reached import Reached, explore
from kafkacheck.checker.proofs.solver import Answer, Session, Status, Translation
from kafkacheck.checker.symbolic import symbolic, term_values, terms
from kafkacheck.checker.symbolic.symbolic import Step
from kafkacheck.checker.symbolic.terms import Term
from kafkacheck.checker.symbolic.well_formed import well_formed

BLOCK = 1 << 16
"""How many states are evaluated at once."""

MOST_ALONE = 40
"""At most this many candidates are asked about one at a time, to learn which others each of them rests on."""


@dataclass(frozen=True)
class Found:
    """The lemmas found in a pool.

    states: how many states were searched, and is_complete whether these are all reachable ones.
    pool: how many candidates there were; `clauses` of them were generated. false: how many are false in a reachable
    state, not_inductive: how many were dropped after that. kept: the rest, which is inductive. needed:
    those kept ones that all are needed to prove the properties; None if the properties are not among the kept. useful:
    those on which the proofs found rest. given_up: those dropped because the solver gave no answer. doubtful: those
    needed ones that may not be needed, because the solver gave no answer without them, or was not asked any more.
    is_late: whether the time was over before the inductive clauses were known, so that none was used.
    """

    states: int
    is_complete: bool
    pool: int
    clauses: int
    false: int
    not_inductive: int
    kept: tuple[Property, ...]
    needed: tuple[Property, ...] | None
    useful: tuple[Property, ...]
    given_up: tuple[str, ...]
    doubtful: tuple[Property, ...] = ()
    is_late: bool = False


def find_lemmas(
    model: Model,
    pool: Sequence[Property],
    targets: Sequence[Property],
    timeout: float | None,
    limits: Limits,
    progress: Callable[[str], None] = lambda text: None,
) -> Found:
    """Find lemmas for some properties, and for the contract of every action, in a pool and among simple clauses.

    `timeout` is in seconds for each question. `limits` bound the search whose states the candidates must hold in, and
    its seconds the search among clauses, too, and after that the one for lemmas that can be left out; `progress` is
    called with lines of text.
    """
    aims = [each for each in targets if not each.is_step]
    pool = [each for each in pool if not each.is_step]
    steps = [each for each in targets if each.is_step]
    reached = explore(model.with_properties(()), limits)
    true = true_everywhere(model, [*aims, *pool], reached)
    searched = f"hold in {reached.counts.distinct:,} reachable states"
    progress(f"{len(true)} of {len(aims) + len(pool)} candidates {searched}")
    attempt = _Attempt(model, true, aims, steps, _Clock(timeout), progress)
    attempt.run()
    clauses: list[Property] = []
    is_late = False
    if not attempt.is_enough and {each.name for each in aims} <= {each.name for each in true}:
        written = {each.name for each in true}
        clauses = [each for each in candidates.clauses(model.layout, reached) if each.name not in written]
    if clauses:
        progress(f"{len(clauses)} simple clauses {searched}, too")
        richer = _Attempt(model, [*true, *clauses], aims, steps, _Clock(timeout, limits.max_seconds), progress)
        try:
            richer.run()
            attempt = richer
        except _TimeIsUpError:
            is_late = True
    tried = len(true) + (0 if is_late else len(clauses))
    return Found(
        states=reached.counts.distinct,
        is_complete=reached.is_complete,
        pool=len(aims) + len(pool) + len(clauses),
        clauses=len(clauses),
        false=len(aims) + len(pool) - len(true),
        not_inductive=tried - len(attempt.kept),
        kept=attempt.chosen(attempt.kept),
        needed=None if attempt.needed is None else attempt.chosen(attempt.needed),
        useful=attempt.chosen(attempt.useful),
        given_up=attempt.given_up,
        doubtful=attempt.chosen(attempt.doubtful),
        is_late=is_late,
    )


def true_everywhere(model: Model, pool: Sequence[Property], reached: Reached) -> list[Property]:
    """Those of a pool of invariants that hold in every state reached, and whose code does not fail in any."""
    leaves = symbolic.variables(model.layout)
    left = list(pool)
    for first in range(0, reached.counts.distinct, BLOCK):
        known = term_values.known_of(model.layout, reached.rows(first, first + BLOCK))
        values = term_values.evaluate([symbolic.holds(each, leaves) for each in left], known)
        left = [each for each, holds in zip(left, values, strict=True) if np.all(holds)]
    return left


class _TimeIsUpError(Exception):
    """There is no time left for more questions."""


class _Clock:
    """How long a question may take: its timeout, or less if the time for all of them ends before."""

    def __init__(self, timeout: float | None, seconds: float | None = None) -> None:
        self._timeout = timeout
        self._seconds = seconds
        self.start()

    def start(self) -> None:
        """Let the time for all questions begin now."""
        self._end = None if self._seconds is None else time.monotonic() + self._seconds

    def left(self) -> float | None:
        """Seconds for the next question, None for any; _TimeIsUpError if there is no time for one."""
        if self._end is None:
            return self._timeout
        remaining = self._end - time.monotonic()
        if remaining <= 0:
            raise _TimeIsUpError
        return remaining if self._timeout is None else min(remaining, self._timeout)


class _Attempt:
    """The inductive part of some candidates, and its part that some properties need."""

    def __init__(
        self,
        model: Model,
        pool: Sequence[Property],
        aims: Sequence[Property],
        steps: Sequence[Property],
        clock: _Clock,
        progress: Callable[[str], None],
    ) -> None:
        self._pool = {each.name: each for each in pool}
        self._wanted = [each.name for each in aims]
        self._clock = clock
        self._progress = progress
        self._search = _Houdini(model, tuple(self._pool.values()), steps, clock, progress)
        self.kept: tuple[str, ...] = ()
        self.is_enough = False
        self.needed: tuple[str, ...] | None = None
        self.useful: tuple[str, ...] = ()
        self.doubtful: tuple[str, ...] = ()
        self.given_up: tuple[str, ...] = ()

    def run(self) -> None:
        """Find out; _TimeIsUpError if there is no time to learn what is inductive."""
        self.kept = self._search.largest_inductive(self._pool) or ()
        self._progress(f"{len(self.kept)} of {len(self._pool)} candidates are inductive")
        proves_steps = self._search.proves_steps(self.kept)
        self.is_enough = set(self._wanted) <= set(self.kept) and proves_steps
        self.given_up = self._search.take_given_up()
        self.useful = self._search.used(self.kept, [name for name in self._wanted if name in self.kept])
        if self.is_enough:
            self._clock.start()
            self.needed, self.doubtful = self._search.smallest(self.kept, self._wanted)

    def chosen(self, names: Iterable[str]) -> tuple[Property, ...]:
        """The candidates of these names."""
        return tuple(self._pool[name] for name in names)


class _Houdini:
    """A pool of candidates, by name, and the questions about each action."""

    def __init__(
        self,
        model: Model,
        pool: Sequence[Property],
        steps: Sequence[Property],
        clock: _Clock,
        progress: Callable[[str], None],
    ) -> None:
        self._pool = {each.name: each for each in pool}
        self._progress = progress
        before = symbolic.variables(model.layout)
        held = {name: symbolic.holds(each, before) for name, each in self._pool.items()}
        self._actions = []
        for action in model.actions:
            step = symbolic.step(action, before, symbolic.parameter_variables(action))
            self._actions.append(_ActionQuestions(model, action.name, self._pool, held, step, clock))
        self._rest = _StepQuestions(model, steps, held, clock)
        self._asked: tuple[_StepQuestions | _ActionQuestions, ...] = (*self._actions, self._rest)

    def proves_steps(self, names: Sequence[str]) -> bool:
        """Whether the contract and the properties of steps are proved if these candidates hold."""
        return self._rest.are_proved(names)

    def take_given_up(self) -> tuple[str, ...]:
        """The candidates without an answer since the last call."""
        given_up = dict.fromkeys(name for each in self._asked for name in each.given_up)
        for each in self._asked:
            each.given_up.clear()
        return tuple(given_up)

    def largest_inductive(self, names: Iterable[str], wanted: Collection[str] = ()) -> tuple[str, ...] | None:
        """The largest inductive part of some candidates; None as soon as one of the wanted is not in it."""
        left = dict.fromkeys(names)
        moved = True
        while moved:
            moved = False
            for action in self._actions:
                while dropped := action.broken(tuple(left)):
                    moved = True
                    left = {name: None for name in left if name not in dropped}
                    if not wanted:
                        self._progress(f"{len(left)} candidates are left at {action.name}")
                    if not left.keys() >= set(wanted):
                        return None
        return tuple(left)

    def smallest(self, names: Sequence[str], wanted: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """A part of an inductive set that proves the wanted ones, and from which no other one can be left out.

        Then its members that may not be needed after all, because the solver gave no answer without them.
        """
        part = self.used(names, wanted)
        needed: list[str] = []
        doubtful: list[str] = []
        while waiting := [name for name in part if name not in wanted and name not in needed]:
            self._progress(f"{len(part)} are left; {len(waiting)} of them may not be needed")
            try:
                less = self.largest_inductive((name for name in part if name != waiting[0]), wanted)
                is_proved = less is not None and self.proves_steps(less)
            except _TimeIsUpError:
                needed += waiting
                doubtful += waiting
                break
            is_undecided = bool(self.take_given_up())
            if less is not None and is_proved:
                part = self.used(less, wanted)
            else:
                needed.append(waiting[0])
                doubtful += waiting[:1] * is_undecided
        return tuple(name for name in part if name in needed), tuple(name for name in part if name in doubtful)

    def used(self, names: Sequence[str], wanted: Collection[str]) -> tuple[str, ...]:
        """Those of an inductive set that the proofs found for the wanted ones, and for the steps, rest on."""
        used = {*wanted, *self._rest.resting_on()}
        waiting = list(used)
        while waiting:
            name = waiting.pop()
            for action in self._actions:
                new = action.resting_on(name) - used
                used |= new
                waiting += new
        return tuple(name for name in names if name in used)


class _Questions:
    """Puts questions about steps to the solver, under candidates that hold before them.

    A few candidates are asked about in a session of their own, which is by far the fastest; many share one, in which
    nothing is translated twice.
    """

    def __init__(self, assumed: Sequence[Term], held: Mapping[str, Term], clock: _Clock) -> None:
        self._assumed = assumed
        self._held = held
        self._clock = clock
        self._translation = Translation()
        self._shared: Session | None = None
        self._keeps = {name: terms.flag(f"keep {name}") for name in held}

    def ask(self, left: Sequence[str], goal: Term) -> Answer:
        """Whether a step can reach the goal from a state in which all that are left hold.

        The core of an answer has numbers of those that are left, and perhaps the goal's, which comes after them.
        _TimeIsUpError if there is no time to ask.
        """
        timeout = self._clock.left()
        if len(left) <= MOST_ALONE:
            session = Session(timeout, self._translation)
            session.add(*self._assumed)
            return session.ask(*(self._held[name] for name in left), goal)
        if self._shared is None:
            self._shared = Session(timeout, self._translation)
            self._shared.add(*self._assumed)
            self._shared.add(*(terms.implication(self._keeps[name], term) for name, term in self._held.items()))
        self._shared.limit(timeout)
        return self._shared.ask(*(self._keeps[name] for name in left), goal)


class _StepQuestions:
    """Whether every action keeps its contract, and every step its properties, if some candidates hold before it."""

    def __init__(self, model: Model, steps: Sequence[Property], held: Mapping[str, Term], clock: _Clock) -> None:
        self.given_up: list[str] = []
        asked = obligations(model, (), steps)
        self._asked = [each for each in (*asked.contract, *asked.preservation) if not each.is_trivial]
        formed = well_formed(model.layout, symbolic.variables(model.layout))
        self._questions = _Questions((formed,), held, clock)
        self._helping: dict[int, frozenset[str]] = {}

    def are_proved(self, left: Sequence[str]) -> bool:
        """Whether nothing of it can be violated."""
        for number, each in enumerate(self._asked):
            if number in self._helping and self._helping[number] <= set(left):
                continue
            answer = self._questions.ask(left, each.violation)
            if answer.status is not Status.UNSATISFIABLE:
                if answer.status is Status.UNKNOWN:
                    self.given_up.append(f"{each.subject} of {each.action}")
                return False
            self._helping[number] = _helping(left, answer)
        return True

    def resting_on(self) -> frozenset[str]:
        """The candidates that the proofs found last rest on."""
        return frozenset().union(*self._helping.values())


class _ActionQuestions:
    """Which candidates an action does not preserve, if the remaining ones hold before it."""

    def __init__(
        self, model: Model, name: str, pool: Mapping[str, Property], held: Mapping[str, Term], step: Step, clock: _Clock
    ) -> None:
        self.name = name
        self.given_up: list[str] = []
        self._defaults = {leaf.path: leaf.scalar.blank for leaf in model.layout.leaves}
        self._held = held
        after = narrowed(model.layout, step.leaves)
        self._after = {name: symbolic.holds(each, after) for name, each in pool.items()}
        formed = well_formed(model.layout, symbolic.variables(model.layout))
        self._questions = _Questions((formed, step.enabled, terms.negation(step.fault)), held, clock)
        self._helping = {name: frozenset([name]) for name in pool if self._after[name] is held[name]}
        self._steps: list[_Breaking] = []

    def broken(self, left: Sequence[str]) -> list[str]:
        """Candidates that one step breaks, all that it does; none if no step breaks one."""
        for step in self._steps:
            if step.missing.isdisjoint(left) and not step.broken.isdisjoint(left):
                return [name for name in left if name in step.broken]
        open_ones = [name for name in left if not self._is_settled(name, left)]
        if not open_ones:
            return []
        if len(left) > MOST_ALONE:
            return self._broken_by(left, open_ones)
        for name in open_ones:
            dropped = self._broken_by(left, [name])
            if dropped:
                return dropped
        return []

    def resting_on(self, name: str) -> frozenset[str]:
        """The candidates that the proof found last for this one rests on."""
        return self._helping[name]

    def _is_settled(self, name: str, left: Sequence[str]) -> bool:
        """Whether it was proved by candidates that are all left."""
        helping = self._helping.get(name)
        return helping is not None and helping <= set(left)

    def _broken_by(self, left: Sequence[str], asked: Sequence[str]) -> list[str]:
        """Of those that are left all that a step breaks which breaks one of the asked; none if there is none."""
        goal = terms.disjunction(*(terms.negation(self._after[name]) for name in asked))
        answer = self._questions.ask(left, goal)
        if answer.status is Status.UNSATISFIABLE:
            self._helping |= dict.fromkeys(asked, _helping(left, answer))
            return []
        if answer.status is Status.SATISFIABLE:
            step = self._breaking(answer)
            assert step.missing.isdisjoint(left) and not step.broken.isdisjoint(asked), "the readings differ"
            self._steps.append(step)
            return [name for name in left if name in step.broken]
        if len(asked) == 1:
            self.given_up += asked
            return list(asked)
        half = len(asked) // 2
        return self._broken_by(left, asked[:half]) or self._broken_by(left, asked[half:])

    def _breaking(self, answer: Answer) -> "_Breaking":
        known = {**self._defaults, **answer.values}
        before = term_values.evaluate(list(self._held.values()), known)
        after = term_values.evaluate(list(self._after.values()), known)
        return _Breaking(
            frozenset(name for name, holds in zip(self._held, before, strict=True) if not holds),
            frozenset(name for name, holds in zip(self._after, after, strict=True) if not holds),
        )


class _Breaking(NamedTuple):
    """A step that was met: the candidates that are missing before it, and those that are broken after it."""

    missing: frozenset[str]
    broken: frozenset[str]


def _helping(left: Sequence[str], answer: Answer) -> frozenset[str]:
    """The candidates that an answer rests on."""
    return frozenset(left[number] for number in answer.core if number < len(left))
