"""Proofs of earlier runs: the hashes of the questions that the solver answered with "impossible".

A hash covers the whole formula and the solver's version, and the key of the hashes is the text of all the code between
a formula and its answer, so that no change of an answer is missed.
"""

import hashlib

from kafkacheck.checker.process.cache import Lines
from kafkacheck.checker.process.sources import CHECKER, digest_of_sources
from kafkacheck.checker.proofs.obligations import Obligation
from kafkacheck.checker.proofs.solver import VERSION
from kafkacheck.checker.symbolic import terms


def _digest() -> str:
    return " ".join(digest_of_sources(CHECKER / folder) for folder in ("symbolic", "proofs"))


def key(obligation: Obligation, second: str = "") -> str:
    """The hash of all that an obligation depends on. `second`: the solver that repeats it, with its version."""
    formula = terms.digest(terms.conjunction(*obligation.assertions))
    solvers = f"{VERSION} {second}" if second else VERSION
    return hashlib.sha256(f"{solvers} {formula}".encode()).hexdigest()


class ProofCache:
    """The hashes of proved questions. A cache that cannot be read or written only costs time."""

    def __init__(self, enabled: bool = True) -> None:
        self._kept = Lines("proofs", _digest()) if enabled else None
        self._known: set[str] = set()

    def has(self, each: str) -> bool:
        """Whether the question with this hash was proved before."""
        return each in self._known or (self._kept is not None and self._kept.has(each))

    def add(self, each: str) -> None:
        """Remember that this is proved."""
        self._known.add(each)
        if self._kept is not None:
            self._kept.add(each)
