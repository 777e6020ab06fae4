"""Finding lemmas: of a pool of candidates, the largest part that is inductive, and which of it a property needs.

Candidates that are false in a reachable state go first. Then the solver looks for a step from a state in which all that
are left hold to one in which some do not; those go, until it finds none.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from checker import candidates, symbolic, term_values, terms
from checker.model import Model, Property
from checker.obligations import narrowed, obligations
from checker.reached import Reached, explore
from checker.result import Limits
from checker.solver import Session, Status
from checker.symbolic import Step
from checker.terms import Term

BLOCK = 1 << 16
"""How many states are evaluated at once."""

MOST_ALONE = 40
"""Fewer candidates than this are asked about one at a time, to learn which others each of them rests on."""


@dataclass(frozen=True)
class Found:
    """What was found in a pool.

    pool: how many candidates there were. false: how many of them are false in a reachable state, not_inductive: how
    many were dropped after that. kept: the rest, which is inductive. needed: those of the kept without any one of which
    the properties are not proved any more; None where the properties are not among the kept.
    undecided: whether the solver gave no answer somewhere, so that more may have been dropped than had to be.
    """

    pool: int
    false: int
    not_inductive: int
    kept: tuple[Property, ...]
    needed: tuple[Property, ...] | None
    undecided: bool


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
    true = _true_everywhere(model, [*aims, *pool], reached)
    clauses = candidates.clauses(model.layout, reached)
    progress(f"{len(true) + len(clauses)} candidates hold in {reached.counts.distinct:,} reachable states")
    everything = {each.name: each for each in (*true, *clauses)}
    search = _Houdini(model, tuple(everything.values()), steps, timeout)
    kept = search.largest_inductive(everything) or ()
    progress(f"{len(kept)} of them are inductive")
    wanted = [each.name for each in aims]
    is_enough = set(wanted) <= set(kept) and search.proves_steps(kept)
    needed = search.smallest(kept, wanted, progress) if is_enough else None
    return Found(
        pool=len(aims) + len(pool) + len(clauses),
        false=len(aims) + len(pool) - len(true),
        not_inductive=len(everything) - len(kept),
        kept=tuple(everything[name] for name in kept),
        needed=None if needed is None else tuple(everything[name] for name in needed),
        undecided=search.undecided,
    )


def _true_everywhere(model: Model, pool: Sequence[Property], reached: Reached) -> list[Property]:
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
        self, model: Model, pool: Sequence[Property], steps: Sequence[Property], timeout: float | None
    ) -> None:
        self._pool = {each.name: each for each in pool}
        self.undecided = False
        before = symbolic.variables(model.layout)
        held = {name: symbolic.holds(each, before) for name, each in self._pool.items()}
        self._actions = []
        for action in model.actions:
            step = symbolic.step(action, before, symbolic.parameter_variables(action))
            self._actions.append(_ActionQuestions(model, self._pool, held, step, timeout))
        self._rest = _StepQuestions(model, steps, held, timeout)

    def proves_steps(self, names: Sequence[str]) -> bool:
        """Whether the contract and the properties of steps are proved where these candidates hold."""
        return self._rest.are_proved(names)

    def largest_inductive(self, names: Iterable[str], wanted: Collection[str] = ()) -> tuple[str, ...] | None:
        """The largest inductive part of some candidates; None as soon as one of the wanted is not in it."""
        left = dict.fromkeys(names)
        moved = True
        while moved:
            moved = False
            for action in self._actions:
                while dropped := action.broken(tuple(left)):
                    moved = True
                    self.undecided |= action.undecided
                    left = {name: None for name in left if name not in dropped}
                    if not left.keys() >= set(wanted):
                        return None
        return tuple(left)

    def smallest(
        self, names: Sequence[str], wanted: Collection[str], progress: Callable[[str], None]
    ) -> tuple[str, ...]:
        """A part of an inductive set that proves the wanted ones, and of which none other can be left out."""
        part = tuple(names)
        size = len(part) // 2 if len(part) > MOST_ALONE else 1
        while size:
            first = 0
            while first < len(part):
                progress(f"{len(part)} are left; {len(part) - first} of them may not be needed")
                taken_out = [name for name in part[first : first + size] if name not in wanted]
                less = self.largest_inductive((name for name in part if name not in taken_out), wanted)
                if taken_out and less is not None and self.proves_steps(less):
                    part = less
                else:
                    first += size
            size //= 2
        return tuple(name for name in part if name not in wanted)


def _keeps(session: Session, held: Mapping[str, Term]) -> dict[str, Term]:
    """For each candidate a variable that lets it hold before a step."""
    keeps = {name: terms.flag(f"keep {name}") for name in held}
    session.add(*(terms.implication(keeps[name], term) for name, term in held.items()))
    return keeps


class _StepQuestions:
    """Whether every action keeps its contract, and every step its properties, where some candidates hold before it."""

    def __init__(
        self, model: Model, steps: Sequence[Property], held: Mapping[str, Term], timeout: float | None
    ) -> None:
        asked = obligations(model, (), steps)
        self._violations = [each.violation for each in (*asked.contract, *asked.preservation) if not each.is_trivial]
        self._session = Session(timeout)
        self._keeps = _keeps(self._session, held)
        self._helping: dict[int, frozenset[str]] = {}

    def are_proved(self, left: Sequence[str]) -> bool:
        """Whether nothing of it can be violated."""
        for number, violation in enumerate(self._violations):
            if number in self._helping and self._helping[number] <= set(left):
                continue
            answer = self._session.ask(*(self._keeps[name] for name in left), violation)
            if answer.status is not Status.UNSATISFIABLE:
                return False
            self._helping[number] = frozenset(left[each] for each in answer.core if each < len(left))
        return True


class _ActionQuestions:
    """Which candidates an action does not preserve, where those that are left hold before it."""

    def __init__(
        self, model: Model, pool: Mapping[str, Property], held: Mapping[str, Term], step: Step, timeout: float | None
    ) -> None:
        self.undecided = False
        self._defaults = {leaf.path: leaf.scalar.blank for leaf in model.layout.leaves}
        self._session = Session(timeout)
        self._session.add(step.enabled, terms.negation(step.fault))
        self._helping: dict[str, frozenset[str]] = {}
        self._keeps = _keeps(self._session, held)
        after = narrowed(model.layout, step.leaves)
        self._after = {name: symbolic.holds(each, after) for name, each in pool.items()}
        for name in pool:
            if self._after[name] is held[name]:
                self._helping[name] = frozenset([name])

    def broken(self, left: Sequence[str]) -> list[str]:
        """Candidates that one step breaks, all that it does; none where no step breaks one."""
        open_ones = [name for name in left if not self._is_settled(name, left)]
        if not open_ones:
            return []
        if len(open_ones) > MOST_ALONE:
            return self._broken_by(left, open_ones, open_ones)
        for name in open_ones:
            dropped = self._broken_by(left, [name], open_ones)
            if dropped:
                return dropped
        return []

    def _is_settled(self, name: str, left: Sequence[str]) -> bool:
        """Whether it was proved by candidates that are all left."""
        helping = self._helping.get(name)
        return helping is not None and helping <= set(left)

    def _broken_by(self, left: Sequence[str], asked: Sequence[str], open_ones: Sequence[str]) -> list[str]:
        """Of the open candidates those that a step breaks which breaks one of the asked; none where there is none."""
        goal = terms.disjunction(*(terms.negation(self._after[name]) for name in asked))
        answer = self._session.ask(*(self._keeps[name] for name in left), goal)
        if answer.status is Status.UNSATISFIABLE:
            helping = frozenset(left[number] for number in answer.core if number < len(left))
            self._helping |= dict.fromkeys(asked, helping)
            return []
        if answer.status is Status.SATISFIABLE:
            known = {**self._defaults, **answer.values}
            values = term_values.evaluate([self._after[name] for name in open_ones], known)
            return [name for name, holds in zip(open_ones, values, strict=True) if not holds]
        if len(asked) == 1:
            self.undecided = True
            return list(asked)
        half = len(asked) // 2
        return self._broken_by(left, asked[:half], open_ones) or self._broken_by(left, asked[half:], open_ones)
