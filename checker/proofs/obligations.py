"""The proof obligations of a model, as questions for the solver: each asks for a state that violates one.

Every action, from every well-formed state in which the lemmas and properties hold: its code does not fail, it leaves
every field in its range and every queue and bag in its form, it changes nothing if it is not enabled, and each lemma
and property holds after it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kafkacheck.checker.model import Model, Property
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.symbolic import symbolic, terms
from kafkacheck.checker.symbolic.symbolic import Leaves, Step
from kafkacheck.checker.symbolic.terms import FALSE, TRUE, Term
from kafkacheck.checker.symbolic.well_formed import well_formed

CODE = "no error"
RANGES = "ranges"
DISABLED = "disabled changes nothing"
FORM = "form of queues"
CONTRACT = (CODE, RANGES, DISABLED, FORM)
"""The obligations on each action for any properties: no index or sum is out of bounds, every written field stays in its
range, nothing is written if it returns False, and every queue and bag keeps its form.

The last one is asked only of a state with queues or bags. No protocol code can break it, because only `add`, `remove`,
`clear` and `copy` write them. It is asked because every proof rests on it; a failure is a bug in kafkacheck.
"""


@dataclass(frozen=True)
class Obligation:
    """One obligation on one action: `violation` is impossible if the assumptions hold in a well-formed state.

    subject: one of `CONTRACT`, or the name of a lemma or property that the action must preserve.
    """

    subject: str
    action: str
    formed: Term
    assumptions: tuple[Term, ...]
    violation: Term

    @property
    def is_contract(self) -> bool:
        """Whether it belongs to the contract of the action, and not to a lemma or property."""
        return self.subject in CONTRACT

    @property
    def text(self) -> str:
        """The obligation in words: `sorted_queue after node_sends`."""
        return f"{self.subject} {'in' if self.is_contract else 'after'} {self.action}"

    @property
    def assertions(self) -> tuple[Term, ...]:
        """The terms that cannot hold together once this is proved."""
        return (*((self.formed,) if self.formed is not TRUE else ()), *self.assumptions, self.violation)

    @property
    def is_trivial(self) -> bool:
        """Whether it is proved by its form: the action does not touch the fields of the subject."""
        return self.violation is FALSE

    def assuming(self, assumptions: Sequence[Term]) -> "Obligation":
        """The same under other assumptions."""
        return replace(self, assumptions=tuple(assumptions))


@dataclass(frozen=True)
class Obligations:
    """All proof obligations of a model.

    invariant: the assumption that the invariants hold, and the model's constraint if it has one.
    contract: assumes no invariant; an obligation that fails is asked again with the invariant assumed.
    preservation: in the order of the invariants and step properties, then of the actions.
    """

    invariant: tuple[Term, ...]
    contract: tuple[Obligation, ...]
    preservation: tuple[Obligation, ...]


def obligations(model: Model, invariants: Sequence[Property], steps: Sequence[Property] = ()) -> Obligations:
    """The obligations by which the invariants hold of every reachable state and `steps` of every step."""
    before = symbolic.variables(model.layout)
    formed = well_formed(model.layout, before)
    held = {each.name: symbolic.holds(each, before) for each in invariants}
    limiting = () if model.constraint is None else (model.constraint,)
    assumed = (*held.values(), *(symbolic.holds(each, before) for each in limiting))
    taken = [(action, symbolic.step(action, before, symbolic.parameter_variables(action))) for action in model.actions]
    contract = [
        Obligation(subject, action.name, formed, (), violation)
        for action, step in taken
        for subject, violation in _contract(model.layout, formed, before, step)
    ]
    preserved = [
        Obligation(
            each.name, action.name, formed, assumed, _broken(model.layout, each, held.get(each.name), before, step)
        )
        for each in (*invariants, *steps)
        for action, step in taken
    ]
    return Obligations(assumed, tuple(contract), tuple(preserved))


def _broken(layout: Layout, each: Property, held: Term | None, before: Leaves, step: Step) -> Term:
    """That a step breaks a property: one of steps, or one of states that `held` before it."""
    after = narrowed(layout, step.leaves)
    if held is not None:
        written = {
            id(name)
            for old, new in zip(before, after, strict=True)
            if old is not new
            for name in terms.variables_of([old])
        }
        if written.isdisjoint(map(id, terms.variables_of([held]))):
            return FALSE
    kept = symbolic.holds(each, *((before, after) if each.is_step else (after,)))
    return FALSE if kept is held else terms.conjunction(step.enabled, terms.negation(step.fault), terms.negation(kept))


def narrowed(layout: Layout, leaves: Leaves) -> Leaves:
    """A state whose scalars are proved elsewhere to be in their ranges."""
    return tuple(terms.narrowed(leaf, each.low, each.high) for leaf, each in zip(leaves, layout.leaves, strict=True))


def _contract(layout: Layout, formed: Term, before: Leaves, step: Step) -> Iterator[tuple[str, Term]]:
    """Each part of `CONTRACT` with its violation by a step from a state that is well-formed if `formed`."""
    works = terms.negation(step.fault)
    outside = [
        terms.negation(terms.is_within(leaf, each.low, each.high))
        for leaf, each in zip(step.leaves, layout.leaves, strict=True)
    ]
    yield CODE, step.fault
    yield RANGES, terms.conjunction(step.enabled, works, terms.disjunction(*outside))
    yield DISABLED, terms.conjunction(terms.negation(step.enabled), works, differs(before, step.leaves))
    if formed is not TRUE:
        after = well_formed(layout, narrowed(layout, step.leaves))
        is_kept = after is formed
        yield FORM, FALSE if is_kept else terms.conjunction(step.enabled, works, terms.negation(after))


def differs(one: Leaves, other: Leaves) -> Term:
    """Whether two states are not the same."""
    return terms.disjunction(
        *(terms.negation(terms.equals(left, right)) for left, right in zip(one, other, strict=True))
    )
