"""What became of the mutants of a model before, kept as long as nothing that it depends on has changed.

A file for each program: its name is a hash of the machine code's text, of what is asked, and of the checker itself; its
lines are outcomes, each written at once, so that several processes may write.
"""

import contextlib
import functools
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from checker.language.signature import signature_of
from checker.machine.machine_code import cache_folder
from checker.model import Model
from checker.mutants.mutation import Mutant
from checker.places import CHECKER
from checker.result import Limits

KEPT = 400
"""How many programs are remembered; the ones longest unused go first."""


class Outcomes:
    """The outcomes of one program. A cache that cannot be read or written costs time, nothing else."""

    def __init__(self, model: Model, text: str, known: Mapping[int, Mutant], limits: Limits, with_traces: bool) -> None:
        live = signature_of([each.read for each in model.predicates()])
        fair = [f"{each.action.name} {each.parameters} {each.is_strong}" for each in model.fairness]
        guards = [f"{number} {mutant.place} {mutant.name}" for number, mutant in known.items()]
        names = [each.name for each in (*model.properties, *model.sometimes)] + [each.name for each in model.liveness]
        parts = [_checker(), model.name, text, live, *names, *guards, *fair, repr(limits), str(with_traces)]
        digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        self._path: Path | None = None
        with contextlib.suppress(OSError, RuntimeError):
            self._path = cache_folder() / "guards" / f"{digest}.jsonl"

    def known(self) -> dict[int, dict[str, Any]]:
        """What is remembered, by number of the condition. A line that is damaged counts as none."""
        found: dict[int, dict[str, Any]] = {}
        if self._path is None:
            return found
        with contextlib.suppress(OSError):
            for line in self._path.read_text(encoding="utf-8").splitlines():
                with contextlib.suppress(ValueError):
                    number, outcome = json.loads(line)
                    found[int(number)] = dict(outcome)
            os.utime(self._path)
        return found

    def keep(self, number: int, outcome: Mapping[str, object]) -> None:
        """Remember an outcome."""
        if self._path is None:
            return
        with contextlib.suppress(OSError):
            if not self._path.exists():
                self._path.parent.mkdir(parents=True, exist_ok=True)
                kept = sorted(self._path.parent.glob("*.jsonl"), key=lambda each: each.stat().st_mtime)
                for old in kept[: max(0, len(kept) - KEPT + 1)]:
                    old.unlink(missing_ok=True)
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(json.dumps([number, outcome]) + "\n")


@functools.cache
def _checker() -> str:
    """A hash of the checker's own sources, but for what its commands read, share out and print."""
    digest = hashlib.sha256()
    for path in sorted(CHECKER.rglob("*.py")):
        if not path.is_relative_to(CHECKER / "commands"):
            digest.update(path.read_bytes())
    return digest.hexdigest()
