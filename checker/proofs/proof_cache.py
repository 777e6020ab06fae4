"""What was proved before: the hashes of the questions that the solver answered with "impossible".

A hash covers the whole formula and the solver's version, so that nothing that could change an answer is missed.
"""

import contextlib
import hashlib
import os
from pathlib import Path

from checker.machine.machine_code import cache_folder
from checker.proofs import terms
from checker.proofs.obligations import Obligation
from checker.proofs.solver import VERSION

MOST_BYTES = 8 << 20
"""The size at which the older half of the file is forgotten."""

_LENGTH = 64


def key(obligation: Obligation, second: str = "") -> str:
    """The hash of all that an obligation depends on; `second` is the solver that repeats it, with its version."""
    formula = terms.digest(terms.conjunction(*obligation.assertions))
    solvers = f"{VERSION} {second}" if second else VERSION
    return hashlib.sha256(f"{solvers} {formula}".encode()).hexdigest()


class ProofCache:
    """The hashes in a file of the cache folder. A cache that cannot be read or written costs time, nothing else."""

    def __init__(self, enabled: bool = True) -> None:
        self._path: Path | None = None
        self._known: set[str] = set()
        if enabled:
            with contextlib.suppress(OSError, RuntimeError):
                self._path = cache_folder() / "proofs"
                lines = self._path.read_text(encoding="ascii", errors="replace").splitlines()
                self._known = {line for line in lines if len(line) == _LENGTH}

    def has(self, each: str) -> bool:
        """Whether this was proved before."""
        return each in self._known

    def add(self, each: str) -> None:
        """Remember that this is proved."""
        self._known.add(each)
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._forget(self._path)
                with open(self._path, "a", encoding="ascii") as file:
                    file.write(f"{each}\n")

    @staticmethod
    def _forget(path: Path) -> None:
        if not path.exists() or path.stat().st_size < MOST_BYTES:
            return
        lines = path.read_text(encoding="ascii", errors="replace").splitlines(keepends=True)
        temporary = path.with_suffix(f".{os.getpid()}")
        temporary.write_text("".join(lines[len(lines) // 2 :]), encoding="ascii")
        os.replace(temporary, path)
