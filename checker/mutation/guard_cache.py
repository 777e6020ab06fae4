"""Outcomes of the mutants of a model, kept as long as nothing that they depend on has changed.

Outcomes are kept for each program, by its machine code's text, the question, and the checker itself. Each is a line,
written at once, so that several processes may write.
"""

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.language.signature import signature_of
from kafkacheck.checker.model import Model
from kafkacheck.checker.mutation.mutation import Mutant
from kafkacheck.checker.process.cache import Lines
from kafkacheck.checker.process.sources import CHECKER, digest_of_sources


class Outcomes:
    """The outcomes of one program. A cache that cannot be read or written only costs time."""

    def __init__(self, model: Model, text: str, known: Mapping[int, Mutant], limits: Limits, with_traces: bool) -> None:
        live = signature_of([each.read for each in model.predicates()])
        fair = [f"{each.action.name} {each.parameters} {each.is_strong}" for each in model.fairness]
        guards = [f"{number} {mutant.place} {mutant.name}" for number, mutant in known.items()]
        names = [each.name for each in (*model.properties, *model.sometimes)] + [each.name for each in model.liveness]
        checker = digest_of_sources(CHECKER, CHECKER / "commands")
        parts = [checker, model.name, text, live, *names, *guards, *fair, repr(limits), str(with_traces)]
        self._kept = Lines("guards", "\0".join(parts))

    def known(self) -> dict[int, dict[str, Any]]:
        """The outcomes that are kept, by number of the condition."""
        found: dict[int, dict[str, Any]] = {}
        for line in self._kept:
            with contextlib.suppress(ValueError, TypeError):
                number, outcome = json.loads(line)
                found[int(number)] = dict(outcome)
        return found

    def keep(self, number: int, outcome: Mapping[str, object]) -> None:
        """Remember an outcome."""
        self._kept.add(json.dumps([number, outcome]))
