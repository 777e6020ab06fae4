"""Finding lemmas: of a pool of candidates, the largest part that is inductive, and which of it a property needs.

Candidates that are false in a reachable state go first. Then the solver looks for a step from a state in which all that
are left hold to one in which some do not; those go, until it finds none.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from checker import candidates, symbolic, term_values, terms
from checker.model import Model, Property
from checker.obligations import narrowed, obligations
from checker.reached import Reached, explore
from checker.result import Limits
from checker.solver import Answer, Session, Status, Translation
from checker.symbolic import Step
from checker.terms import Term

BLOCK = 1 << 16
"""How many states are evaluated at once."""

MOST_ALONE = 40
"""So many candidates are asked about one at a time, to learn which others each of them rests on."""


@dataclass(frozen=True)
class Found:
    """What was found in a pool.

    states: how many states were searched, and is_complete whether these are all reachable ones.
    pool: how many candidates there were. false: how many of them are false in a reachable state, not_inductive: how
    many were dropped after that. kept: the rest, which is inductive. needed: those of the kept without any one of which
    the properties are not proved any more; None where the properties are not among the kept.
    undecided: whether the solver gave no answer somewhere, so that more may have been dropped than had to be.
    doubtful: those of the needed ones of which that is not sure, because the solver gave no answer without them.
    """

    states: int
    is_complete: bool
    pool: int
    false: int
    not_inductive: int
    kept: tuple[Property, ...]
    needed: tuple[Property, ...] | None
    undecided: bool
    doubtful: tuple[Property, ...] = ()


def find_lemmas(
    model: Model,
    pool: Sequence[Property],
    targets: Sequence[Property],
    timeout: float | None,
    limits: Limits,
    progress: Callable[[str], None] = lambda text: None,
) -> Found:
    """Find lemmas for some properties, and for the contract of every action, in a pool and among simple clauses.

    `timeout` is in seconds for each question; `limits` bound the search whose states the candidates must hold in;
    `progress` is told how far it is.
    """
    aims = [each for each in targets if not each.is_step]
    pool = [each for each in pool if not each.is_step]
    steps = [each for each in targets if each.is_step]
    reached = explore(model.with_properties(()), limits)
    true = true_everywhere(model, [*aims, *pool], reached)
    clauses = candidates.clauses(model.layout, reached)
    progress(f"{len(true) + len(clauses)} candidates hold in {reached.counts.distinct:,} reachable states")
    everything = {each.name: each for each in (*true, *clauses)}
    search = _Houdini(model, tuple(everything.values()), steps, timeout, progress)
    kept = search.largest_inductive(everything) or ()
    progress(f"{len(kept)} of them are inductive")
    wanted = [each.name for each in aims]
    is_enough = set(wanted) <= set(kept) and search.proves_steps(kept)
    undecided = search.takes_undecided()
    needed, doubtful = search.smallest(kept, wanted) if is_enough else (None, ())
    return Found(
        states=reached.counts.distinct,
        is_complete=reached.is_complete,
        pool=len(aims) + len(pool) + len(clauses),
        false=len(aims) + len(pool) - len(true),
        not_inductive=len(everything) - len(kept),
        kept=tuple(everything[name] for name in kept),
        needed=None if needed is None else tuple(everything[name] for name in needed),
        undecided=undecided,
        doubtful=tuple(everything[name] for name in doubtful),
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


class _Houdini:
    """A pool of candidates, by name, and what is asked of each action about them."""

    def __init__(
        self,
        model: Model,
        pool: Sequence[Property],
        steps: Sequence[Property],
        timeout: float | None,
        progress: Callable[[str], None],
    ) -> None:
        self._pool = {each.name: each for each in pool}
        self._progress = progress
        before = symbolic.variables(model.layout)
        held = {name: symbolic.holds(each, before) for name, each in self._pool.items()}
        self._actions = []
        for action in model.actions:
            step = symbolic.step(action, before, symbolic.parameter_variables(action))
            self._actions.append(_ActionQuestions(model, action.name, self._pool, held, step, timeout))
        self._rest = _StepQuestions(model, steps, held, timeout)
        self._asked: tuple[_StepQuestions | _ActionQuestions, ...] = (*self._actions, self._rest)

    def proves_steps(self, names: Sequence[str]) -> bool:
        """Whether the contract and the properties of steps are proved where these candidates hold."""
        return self._rest.are_proved(names)

    def takes_undecided(self) -> bool:
        """Whether the solver gave no answer somewhere since this was asked before."""
        undecided = any(each.undecided for each in self._asked)
        for each in self._asked:
            each.undecided = False
        return undecided

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
        """A part of an inductive set that proves the wanted ones, and of which none other can be left out.

        Then those of it that may not be needed after all, because the solver gave no answer without them.
        """
        part = self._used(names, wanted)
        needed: list[str] = []
        doubtful: list[str] = []
        while waiting := [name for name in part if name not in wanted and name not in needed]:
            self._progress(f"{len(part)} are left; {len(waiting)} of them may not be needed")
            less = self.largest_inductive((name for name in part if name != waiting[0]), wanted)
            is_proved = less is not None and self.proves_steps(less)
            is_undecided = self.takes_undecided()
            if less is not None and is_proved:
                part = self._used(less, wanted)
            else:
                needed.append(waiting[0])
                doubtful += waiting[:1] * is_undecided
        return tuple(name for name in part if name in needed), tuple(name for name in part if name in doubtful)

    def _used(self, names: Sequence[str], wanted: Collection[str]) -> tuple[str, ...]:
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

    def __init__(self, assumed: Sequence[Term], held: Mapping[str, Term], timeout: float | None) -> None:
        self._assumed = assumed
        self._held = held
        self._timeout = timeout
        self._translation = Translation()
        self._shared: Session | None = None
        self._keeps = {name: terms.flag(f"keep {name}") for name in held}

    def ask(self, left: Sequence[str], goal: Term) -> Answer:
        """Whether a step can reach the goal from a state in which all that are left hold.

        The core of an answer has numbers of those that are left, and perhaps the goal's, which comes after them.
        """
        if len(left) <= MOST_ALONE:
            session = Session(self._timeout, self._translation)
            session.add(*self._assumed)
            return session.ask(*(self._held[name] for name in left), goal)
        if self._shared is None:
            self._shared = Session(self._timeout, self._translation)
            self._shared.add(*self._assumed)
            self._shared.add(*(terms.implication(self._keeps[name], term) for name, term in self._held.items()))
        return self._shared.ask(*(self._keeps[name] for name in left), goal)


class _StepQuestions:
    """Whether every action keeps its contract, and every step its properties, where some candidates hold before it."""

    def __init__(
        self, model: Model, steps: Sequence[Property], held: Mapping[str, Term], timeout: float | None
    ) -> None:
        self.undecided = False
        asked = obligations(model, (), steps)
        self._violations = [each.violation for each in (*asked.contract, *asked.preservation) if not each.is_trivial]
        self._questions = _Questions((), held, timeout)
        self._helping: dict[int, frozenset[str]] = {}

    def are_proved(self, left: Sequence[str]) -> bool:
        """Whether nothing of it can be violated."""
        for number, violation in enumerate(self._violations):
            if number in self._helping and self._helping[number] <= set(left):
                continue
            answer = self._questions.ask(left, violation)
            if answer.status is not Status.UNSATISFIABLE:
                self.undecided |= answer.status is Status.UNKNOWN
                return False
            self._helping[number] = _helping(left, answer)
        return True

    def resting_on(self) -> frozenset[str]:
        """The candidates that the proofs found last rest on."""
        return frozenset().union(*self._helping.values())


class _ActionQuestions:
    """Which candidates an action does not preserve, where those that are left hold before it."""

    def __init__(
        self,
        model: Model,
        name: str,
        pool: Mapping[str, Property],
        held: Mapping[str, Term],
        step: Step,
        timeout: float | None,
    ) -> None:
        self.name = name
        self.undecided = False
        self._defaults = {leaf.path: leaf.scalar.blank for leaf in model.layout.leaves}
        self._held = held
        after = narrowed(model.layout, step.leaves)
        self._after = {name: symbolic.holds(each, after) for name, each in pool.items()}
        self._questions = _Questions((step.enabled, terms.negation(step.fault)), held, timeout)
        self._helping = {name: frozenset([name]) for name in pool if self._after[name] is held[name]}
        self._steps: list[_Breaking] = []

    def broken(self, left: Sequence[str]) -> list[str]:
        """Candidates that one step breaks, all that it does; none where no step breaks one."""
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
        """Of those that are left all that a step breaks which breaks one of the asked; none where there is none."""
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
            self.undecided = True
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
