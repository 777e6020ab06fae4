"""Bounded model checking: whether a behaviour up to a length breaks a property, by unrolling the actions.

Behaviours are lengthened one state at a time, so that the first violation has a shortest one. Longer behaviours than
these are not judged, unless there are none.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from kafkacheck.checker.exploration.evaluation import Evaluation, call_text
from kafkacheck.checker.model import Model
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import EvaluationError, SelfCheckError
from kafkacheck.checker.proofs.confirmation import Confirmed, Searched, shortly, state_lines
from kafkacheck.checker.proofs.differential import confirm_steps
from kafkacheck.checker.proofs.obligations import differs
from kafkacheck.checker.proofs.scripts import Script, Scripts
from kafkacheck.checker.proofs.solver import Answer, Session, Status
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.schema.objects import Values
from kafkacheck.checker.symbolic import symbolic, terms
from kafkacheck.checker.symbolic.symbolic import Leaves
from kafkacheck.checker.symbolic.terms import FALSE, Term
from kafkacheck.checker.traces.trace import Trace, rebuild


class BoundedVerdict(Enum):
    """The answer of a bounded check. HOLDS: there are no longer behaviours. BOUNDED: there may be."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    DEADLOCK = "DEADLOCK"
    EVALUATION_FAILED = "EVALUATION_FAILED"
    BOUNDED = "BOUNDED"
    UNKNOWN = "UNKNOWN"
    TIMEOUT = "TIMEOUT"


@dataclass(frozen=True)
class BoundedResult:
    """The result of a bounded check.

    depth: every behaviour of this many states was checked, and no shorter one violates anything; the length of `trace`
    if there is one, as in a search. property: the violated one. reason: why the verdict is UNKNOWN,
    TIMEOUT or EVALUATION_FAILED. confirmed: if nothing is violated, how much of that was tried in plain Python as well.
    """

    model: Model
    verdict: BoundedVerdict
    depth: int
    seconds: float
    property: str | None = None
    trace: Trace | None = None
    reason: str = ""
    confirmed: Confirmed | None = None


Listener = Callable[[int, float], None]
"""Called with each depth that is proved, and the seconds so far."""


LONGER = "a step is possible"


class _UndecidedError(Exception):
    """The solver gave no answer."""


def check_bounded(
    model: Model,
    depth: int,
    timeout: float | None = None,
    listener: Listener | None = None,
    scripts: Scripts | None = None,
) -> BoundedResult:
    """Check every behaviour of at most `depth` states; `timeout` is in seconds for each question to the solver.

    `scripts` gets every question. SelfCheckError if plain Python and the solver do not say the same.
    """
    model.require_unchanged()
    unrolling = _Unrolling(model, timeout)
    try:
        return _lengthened(unrolling, model, depth, listener)
    finally:
        if scripts is not None:
            scripts.write(model, unrolling.asked)


def _lengthened(unrolling: "_Unrolling", model: Model, depth: int, listener: Listener | None) -> BoundedResult:
    began = time.perf_counter()
    proved = 0

    def result(verdict: BoundedVerdict, **more: object) -> BoundedResult:
        model.require_unchanged()
        depth = proved + (verdict in (BoundedVerdict.VIOLATED, BoundedVerdict.DEADLOCK))
        return BoundedResult(model, verdict, depth, time.perf_counter() - began, **more)  # type: ignore[arg-type]  # the rest of the fields

    try:
        for _ in range(depth):
            if not unrolling.lengthen():
                confirmed = unrolling.confirm(proved, is_whole=True)
                return result(BoundedVerdict.HOLDS, confirmed=confirmed)
            found = unrolling.violation()
            if found is not None:
                name, chain = found
                return result(BoundedVerdict.VIOLATED, property=name, trace=_replayed(model, chain, name))
            dead = unrolling.deadlock()
            if dead is not None:
                return result(BoundedVerdict.DEADLOCK, trace=_replayed(model, dead))
            unrolling.check_contract()
            proved += 1
            if listener is not None:
                listener(proved, time.perf_counter() - began)
        return result(BoundedVerdict.BOUNDED, confirmed=unrolling.confirm(proved))
    except _UndecidedError as error:
        reason = str(error)
        is_late = reason in ("timeout", "canceled")
        return result(BoundedVerdict.TIMEOUT if is_late else BoundedVerdict.UNKNOWN, reason=reason)
    except KeyboardInterrupt:
        return result(BoundedVerdict.UNKNOWN, reason=f"it was {shutdown.reason()}")
    except EvaluationError as error:
        return result(BoundedVerdict.EVALUATION_FAILED, reason=str(error))


def _replayed(model: Model, chain: list[Values], violated: str | None = None) -> Trace:
    """The trace along states of the solver's. SelfCheckError if plain Python does not go along them."""
    try:
        return rebuild(model, chain, violated)
    except (EvaluationError, SelfCheckError) as error:
        raise SelfCheckError(
            f"{model.name}: by the solver a behaviour of {len(chain)} states leads to the state above, in plain Python "
            f"none does; it has {shortly(model, chain[-1])}",
            "\n".join([str(error), "the last state of the solver's:", *state_lines(model, chain[-1])]),
        ) from error


class _Unrolling:
    """Behaviours of as many states as were asked for, as one formula that grows."""

    def __init__(self, model: Model, timeout: float | None) -> None:
        self._model = model
        self._session = Session(timeout)
        self._states: list[Leaves] = []
        self._added: list[Term] = []
        self.asked: list[Script] = []

    @property
    def _last(self) -> Leaves:
        return self._states[-1]

    def _add(self, *assertions: Term) -> None:
        self._session.add(*assertions)
        self._added += assertions

    def _can(self, what: str, *assertions: Term) -> Answer | None:
        """The solver's answer if the assertions can hold, None if they cannot. `what` describes them."""
        about = {
            "question": f"{what} in a behaviour of {len(self._states)} states",
            "nothing is wrong if": "sat" if what == LONGER else "unsat",
        }
        self.asked.append(Script(f"{len(self._states)}-{what}", about, (*self._added, *assertions)))
        if terms.conjunction(*assertions) is FALSE:
            return None
        answer = self._session.ask(*assertions)
        if answer.status is Status.UNKNOWN:
            raise _UndecidedError(answer.reason)
        return answer if answer.status is Status.SATISFIABLE else None

    def lengthen(self) -> bool:
        """Add one state; whether there is a behaviour of that length."""
        if not self._states:
            self._start()
        else:
            self._step()
        return self._can(LONGER) is not None

    def _start(self) -> None:
        layout = self._model.layout
        initial = [layout.flatten(state) for state in self._model.initial_states()]
        if len(initial) == 1:
            self._states.append(symbolic.constants(initial[0]))
            return
        state = symbolic.variables(layout, "@1")
        self._add(terms.disjunction(*(_same(state, symbolic.constants(values)) for values in initial)))
        self._states.append(state)

    def _step(self) -> None:
        before, suffix = self._last, f"@{len(self._states)}"
        after = symbolic.variables(self._model.layout, f"@{len(self._states) + 1}")
        chosen = terms.variable(f"action{suffix}", 0, len(self._model.actions) - 1)
        ways = []
        for number, action in enumerate(self._model.actions):
            step = symbolic.step(action, before, symbolic.parameter_variables(action, suffix))
            ways.append(
                terms.conjunction(terms.equals(chosen, terms.number(number)), step.enabled, _same(after, step.leaves))
            )
        self._add(self._expanded(), terms.disjunction(*ways))
        self._states.append(after)

    def _expanded(self) -> Term:
        """Whether the last state is one whose successors count."""
        constraint = self._model.constraint
        return terms.TRUE if constraint is None else symbolic.holds(constraint, self._last)

    def violation(self) -> tuple[str, list[Values]] | None:
        """The first property that the last state or step can violate, and a behaviour that does.

        EvaluationError if the code of a property, or of the constraint, fails in a last state.
        """
        if self._model.constraint is not None:
            answer = self._can(
                f"{self._model.constraint.name} fails", symbolic.fails(self._model.constraint, self._last)
            )
            if answer is not None:
                Evaluation(self._model).holds(self._model.constraint, self._chain(answer)[-1])
        for each in self._model.properties:
            if each.is_step and len(self._states) == 1:
                continue
            states = self._states[-2:] if each.is_step else [self._last]
            answer = self._can(f"{each.name} is violated", terms.negation(symbolic.holds(each, *states)))
            if answer is not None:
                chain = self._chain(answer)
                if Evaluation(self._model).holds(each, *(chain[-2:] if each.is_step else chain[-1:])):
                    raise self._contradiction(f"{each.name} is violated", chain)
                return each.name, chain
        return None

    def deadlock(self) -> list[Values] | None:
        """A behaviour to a last state without an enabled action, if that is an error."""
        if not self._model.check_deadlock:
            return None
        enabled = []
        for action in self._model.actions:
            for values in action.combinations():
                known = [terms.truth(value) if isinstance(value, bool) else terms.number(value) for value in values]
                enabled.append(symbolic.step(action, self._last, known).enabled)
        answer = self._can("no action is enabled", self._expanded(), terms.negation(terms.disjunction(*enabled)))
        if answer is None:
            return None
        chain = self._chain(answer)
        for action, parameters, _ in Evaluation(self._model).successors(chain[-1]):
            raise self._contradiction(f"{call_text(action, parameters)} is not enabled", chain)
        return chain

    def check_contract(self) -> None:
        """EvaluationError if the code of an action fails in a last state, or breaks the action's contract.

        Also if no behaviour goes beyond its initial state, because every one lies outside the constraint.
        """
        evaluation = Evaluation(self._model)
        is_limited = self._model.constraint is not None
        if is_limited and len(self._states) == 1 and self._can("a step stays inside", self._expanded()) is None:
            raise evaluation.none_inside()
        for action in self._model.actions:
            step = symbolic.step(action, self._last, symbolic.parameter_variables(action, f"@{len(self._states)}"))
            changed = differs(self._last, step.leaves)
            outside = terms.negation(terms.conjunction(*self._in_range(step.leaves)))
            is_broken = terms.negation(_agree(step.enabled, changed))
            if action.may_stutter:
                is_broken = terms.conjunction(changed, terms.negation(step.enabled))
            is_wrong = terms.disjunction(step.fault, outside, is_broken)
            answer = self._can(f"{action.name} breaks its contract", self._expanded(), is_wrong)
            if answer is not None:
                chain = self._chain(answer)
                for _ in evaluation.successors(chain[-1]):
                    pass
                raise self._contradiction(f"{action.name} fails or breaks its contract", chain)

    def confirm(self, depth: int, is_whole: bool = False) -> Confirmed:
        """The check by plain Python that behaviours of this many states (`is_whole`: of any length) violate nothing.

        SelfCheckError if a search finds a violation, or a formula of a step differs from its action.
        """
        names = [each.name for each in self._model.properties]
        searched = Searched(self._model.with_properties(names), judges_deadlock=self._model.check_deadlock)
        if is_whole and searched.depth > depth:
            raise SelfCheckError(
                f"{self._model.name}: by the solver no behaviour has more than {depth} states, but a search in plain "
                f"Python finds one with {searched.depth}"
            )
        claim = "nothing is wrong" if is_whole else f"nothing is wrong in {depth} states"
        searched.check_nothing_found(f"by the solver {claim}", float("inf") if is_whole else depth)
        suffix = f"@{depth}"
        state = symbolic.variables(self._model.layout, suffix)  # also of the first one, which may have been constant
        steps = {
            each.name: symbolic.step(each, state, symbolic.parameter_variables(each, suffix))
            for each in self._model.actions
        }
        return confirm_steps(self._model, steps, suffix, searched)

    def _contradiction(self, claim: str, chain: list[Values]) -> SelfCheckError:
        last = chain[-1]
        return SelfCheckError(
            f"{self._model.name}: by the solver {claim} in the state above, in plain Python that is not so; it has "
            f"{shortly(self._model, last)}",
            "\n".join(["a state of the solver's:", *state_lines(self._model, last)]),
        )

    def _in_range(self, leaves: Leaves) -> Iterator[Term]:
        for leaf, each in zip(leaves, self._model.layout.leaves, strict=True):
            yield terms.is_within(leaf, each.low, each.high)

    def _chain(self, answer: Answer) -> list[Values]:
        return [state_of(self._model.layout, leaves, answer.values) for leaves in self._states]


def state_of(layout: Layout, leaves: Leaves, values: dict[str, int]) -> Values:
    """A state whose scalars are constants or variables, as the solver's values have it."""
    found = []
    for leaf, each in zip(leaves, layout.leaves, strict=True):
        names = terms.variables_of([leaf])
        default = leaf.value if leaf.is_constant else each.scalar.blank
        found.append(values.get(str(names[0].payload), default) if names else default)
    return tuple(found)


def _same(one: Leaves, other: Leaves) -> Term:
    return terms.negation(differs(one, other))


def _agree(one: Term, other: Term) -> Term:
    return terms.equals(one, other)
