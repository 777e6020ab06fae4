"""A model as it was, in a process of its own: for edits of records, rules and bounds, after which the two versions of
a model are no single program.
"""

import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change.judging import Effort, Searched, searched
from kafkacheck.checker.compiled.kernel import kernel_text
from kafkacheck.checker.language.signature import signature_of
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.identity import identity_of
from kafkacheck.checker.model.settings import with_settings
from kafkacheck.checker.process.errors import KafkacheckError
from kafkacheck.checker.process.sources import elsewhere_command

PATIENCE = 30.0
"""Seconds beyond its time limit after which the other process hangs."""

_PROGRAM = """
import kafkacheck.checker.change.elsewhere as elsewhere
from kafkacheck.checker.change.judging import Effort
elsewhere.answer({path!r}, {settings!r}, {lacks!r}, {effort!r})
"""


@dataclass(frozen=True)
class Answer:
    """A former model: a hash of all that a search of it depends on, and what that found if the hash is another one.

    `error`: why there is no such model.
    """

    digest: str = ""
    found: Searched | None = None
    error: str = ""


def digest_of(model: Model) -> str:
    """A hash of what the steps and the verdicts of a model depend on."""
    fair = [f"{each.action.name} {each.parameters} {each.is_strong}" for each in model.fairness]
    parts = identity_of(model, kernel_text(model)), signature_of([each.read for each in model.predicates()]), fair
    return repr((*parts, [each.name for each in model.liveness], model.check_deadlock))


def answer(path: str, settings: Sequence[str], digest: str, effort: Effort) -> None:
    """Write the pickled answer for the model of a file on standard output. It is searched if its digest is another."""
    answers = sys.stdout.buffer
    try:
        model = with_settings(catalogue.find_model(path), settings).with_lemmas()
        own = digest_of(model)
        found = None if own == digest else searched(model, effort)
        told = Answer(own, None if found is None else _without_traces(found))
    except KafkacheckError as error:
        told = Answer(error=str(error))
    pickle.dump(told, answers)
    answers.flush()


def asked(root: Path, path: Path, settings: Sequence[str], digest: str, effort: Effort) -> Answer:
    """The answer of another process for the model of a file in the folder `root`."""
    program = _PROGRAM.format(path=str(path), settings=list(settings), lacks=digest, effort=effort)
    try:
        done = subprocess.run(
            elsewhere_command(str(root), program), stdin=subprocess.DEVNULL, capture_output=True,
            timeout=effort.seconds + PATIENCE, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Answer(found=Searched(reason=f"it was stopped after {effort.seconds:.0f} seconds"))
    if done.returncode or not done.stdout:
        told = done.stderr.decode(errors="replace").strip() or f"its process ended with status {done.returncode}"
        return Answer(error=told.splitlines()[-1])
    found = pickle.loads(done.stdout)
    assert isinstance(found, Answer)
    return found


def _without_traces(found: Searched) -> Searched:
    return replace(found, violations=tuple(replace(each, trace=None) for each in found.violations))
