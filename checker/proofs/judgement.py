"""The meaning of a failed proof: whether a property is violated in a reachable state, and which states are reachable.

A bounded search decides. A counterexample to induction that the search reaches is a real one. If all reachable states
were searched and it is not among them, a lemma that rules it out is missing.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Property
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.proofs.prove import Failure, Proof
from kafkacheck.checker.proofs.reached import Reached, explore
from kafkacheck.checker.symbolic import symbolic, term_values
from kafkacheck.checker.traces.trace import Trace, rebuild

BLOCK = 1 << 16
"""How many states are evaluated at once."""


class ProofVerdict(Enum):
    """The answer of a proof. UNDETERMINED: neither of the others, or no property was asked about."""

    PROVED = "PROVED"
    VIOLATED = "VIOLATED"
    UNDETERMINED = "UNDETERMINED"


@dataclass(frozen=True)
class Judgement:
    """The verdict on a proof.

    trace: a shortest behaviour that violates a property, if the search found one. lemma_traces: behaviours to states
    in which a lemma does not hold, by its name. reached: the states that were searched, None if none were.
    """

    verdict: ProofVerdict
    trace: Trace | None = None
    lemma_traces: tuple[tuple[str, Trace], ...] = ()
    reached: Reached | None = None

    def is_reachable(self, failure: Failure) -> bool | None:
        """Whether the search found the state of a counterexample to induction; None if it cannot tell."""
        if self.reached is None:
            return None
        if self.reached.chain(failure.before) is not None:
            return True
        return False if self.reached.is_complete else None


def judge(proof: Proof, limits: Limits) -> Judgement:
    """The judgement on a proof; if something is not proved, after a search within the limits.

    A proof that was interrupted is UNDETERMINED, and nothing is searched.

    EvaluationError if the model's code fails in a reachable state.
    """
    if proof.is_proved:
        return Judgement(ProofVerdict.PROVED if proof.asked else ProofVerdict.UNDETERMINED)
    if proof.interrupted:
        return Judgement(ProofVerdict.UNDETERMINED)
    model = proof.model.with_properties([each.name for each in proof.asked])
    reached = explore(model, limits)
    found = reached.found
    if found is not None and found.verdict is Verdict.EVALUATION_FAILED:
        raise EvaluationError(found.reason)
    if found is not None and found.verdict is Verdict.VIOLATED:
        return Judgement(ProofVerdict.VIOLATED, rebuild(model, found.chain, found.property), (), reached)
    broken = {*proof.starts_wrong, *(each.obligation.subject for each in proof.failed)}
    suspects = [each for each in proof.invariants if each.name in broken]
    return Judgement(ProofVerdict.UNDETERMINED, None, _false_lemmas(reached, suspects), reached)


def _false_lemmas(reached: Reached, suspects: list[Property]) -> tuple[tuple[str, Trace], ...]:
    """For each of the invariants `suspects` that fails, a behaviour to the first reached state in which it does."""
    layout = reached.model.layout
    leaves = symbolic.variables(layout)
    terms = [symbolic.holds(each, leaves) for each in suspects]
    found: dict[str, Trace] = {}
    for first in range(0, reached.counts.distinct, BLOCK):
        rows = reached.rows(first, first + BLOCK)
        for each, holds in zip(suspects, term_values.evaluate(terms, term_values.known_of(layout, rows)), strict=True):
            wrong = np.flatnonzero(~np.broadcast_to(holds, len(rows)))
            if len(wrong) and each.name not in found:
                chain = reached.chain_to(first + int(wrong[0]))
                found[each.name] = rebuild(reached.model, chain)
    return tuple(found.items())
