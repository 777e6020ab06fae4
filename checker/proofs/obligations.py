"""The proof obligations of a model, as questions for the solver: each asks for a state that violates one.

Every action, from every well-typed state in which the lemmas and properties hold: its code does not fail, it leaves
every field in its range, it changes nothing if it is not enabled, and each lemma and property holds after it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kafkacheck.checker.model import Action, Model, Property
from kafkacheck.checker.schema.layout import Layout
from kafkacheck.checker.symbolic import symbolic, terms
from kafkacheck.checker.symbolic.symbolic import Leaves, Step
from kafkacheck.checker.symbolic.terms import FALSE, Term

CODE = "no error"
RANGES = "ranges"
DISABLED = "disabled changes nothing"
CONTRACT = (CODE, RANGES, DISABLED)
"""The obligations on each action for any properties: no index or sum is out of bounds, every written field stays in its
range, and nothing is written if it returns False."""


@dataclass(frozen=True)
class Obligation:
    """One obligation on one action: `violation` is impossible if the assumptions hold.

    subject: one of `CONTRACT`, or the name of a lemma or property that the action must preserve.
    """

    subject: str
    action: str
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
        return (*self.assumptions, self.violation)

    @property
    def is_trivial(self) -> bool:
        """Whether it is proved by its form: the action does not touch the fields of the subject."""
        return self.violation is FALSE

    def assuming(self, assumptions: Sequence[Term]) -> "Obligation":
        """The same under other assumptions."""
        return Obligation(self.subject, self.action, tuple(assumptions), self.violation)


@dataclass(frozen=True)
class Obligations:
    """All proof obligations of a model.

    invariant: the assumption that the invariants hold, and the model's constraint if it has one.
    contract: assumes nothing; an obligation that fails is asked again with the invariant assumed.
    preservation: in the order of the invariants and step properties, then of the actions.
    """

    invariant: tuple[Term, ...]
    contract: tuple[Obligation, ...]
    preservation: tuple[Obligation, ...]


def obligations(model: Model, invariants: Sequence[Property], steps: Sequence[Property] = ()) -> Obligations:
    """The obligations by which the invariants hold of every reachable state and `steps` of every step."""
    before = symbolic.variables(model.layout)
    held = {each.name: symbolic.holds(each, before) for each in invariants}
    limiting = () if model.constraint is None else (model.constraint,)
    assumed = (*held.values(), *(symbolic.holds(each, before) for each in limiting))
    taken = [(action, symbolic.step(action, before, symbolic.parameter_variables(action))) for action in model.actions]
    contract = [each for action, step in taken for each in _contract(model.layout, action, before, step)]
    preserved = [
        Obligation(each.name, action.name, assumed, _broken(model.layout, each, held.get(each.name), before, step))
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


def _contract(layout: Layout, action: Action, before: Leaves, step: Step) -> list[Obligation]:
    works = terms.negation(step.fault)
    outside = [
        terms.negation(terms.is_within(leaf, each.low, each.high))
        for leaf, each in zip(step.leaves, layout.leaves, strict=True)
    ]
    return [
        Obligation(CODE, action.name, (), step.fault),
        Obligation(RANGES, action.name, (), terms.conjunction(step.enabled, works, terms.disjunction(*outside))),
        Obligation(
            DISABLED,
            action.name,
            (),
            terms.conjunction(terms.negation(step.enabled), works, differs(before, step.leaves)),
        ),
    ]


def differs(one: Leaves, other: Leaves) -> Term:
    """Whether two states are not the same."""
    return terms.disjunction(
        *(terms.negation(terms.equals(left, right)) for left, right in zip(one, other, strict=True))
    )
