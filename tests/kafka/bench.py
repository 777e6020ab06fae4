"""One class of Kafka beside one changed model after another: which change does the class tell from the right rules?

The class runs once, as it is for the unchanged model, and is told nothing of a change. Behaviours on which a changed
model and the unchanged one part come first, so that a difference is found soon.
"""

import time
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.conform.differences import listed
from kafkacheck.checker.conform.link import Link, command_of
from kafkacheck.checker.conform.paths import Paths
from kafkacheck.checker.conform.run import Comparison
from kafkacheck.checker.exploration.exploration import Watch
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.language import removal
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import with_settings
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError
from kafkacheck.checker.process.names import RELEASE
from tests.kafka.libs import KafkaError
from tests.kafka.runs import Run, plain

HERE = Path(__file__).resolve().parent
SECONDS_FOR_ANSWER = 60.0
ROOM = 4
"""A changed model is explored up to this many times the states of the unchanged one."""
LEAST_ROOM = 20_000


class Verdict(Enum):
    """The outcome of a change; the best one of several runs comes first."""

    DIFFERS = "differs"
    """Model and class differ."""

    FAILS = "fails"
    """The changed model breaks off, or is none, before the class is asked."""

    CUT_SHORT = "cut short"
    """No difference was found in the time."""

    AGREES = "agrees"
    """Every class of edges was compared; the system cannot tell the change from the right rule."""

    SAME = "same"
    """The changed model takes the same steps from the same states, so that no system could tell."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one change in one run, after how many compared steps, and in which words."""

    verdict: Verdict
    run: str = ""
    steps: int = 0
    detail: str = ""

    @property
    def is_caught(self) -> bool:
        """Whether the change is told from the right rules."""
        return self.verdict in (Verdict.DIFFERS, Verdict.FAILS)

    def __str__(self) -> str:
        told = f"{self.verdict.value} after {self.steps} steps" if self.steps else self.verdict.value
        return f"{told}: {self.detail}" if self.detail else told


def model_of(run: Run, release: str) -> Model:
    """The model of a run by the rules of a release.

    It has no properties: what they say is of no interest here, and they make the machine code larger.
    """
    name = str(HERE / "models" / run.model) if run.model.endswith(".py") else run.model
    settings = (f"{RELEASE}{plain(release)}", *run.settings)
    return with_settings(catalogue.find_model(name), settings).with_properties([])


class Bench:
    """A class of Kafka that runs, and the model of a run by the rules of the release. The process ends with `close`.

    KafkaError if class and model cannot be compared, or differ already.
    """

    def __init__(self, run: Run, release: str, seconds: float, seed: int = 0) -> None:
        self.run, self.seconds, self.seed = run, seconds, seed
        self.model = model_of(run, release)
        actions = [each.name for each in self.model.actions]
        self.known = [each for file in run.known_of(release) for each in listed(HERE / "known" / file, actions)]
        self._link = Link(command_of(str(HERE / "systems" / run.system)), SECONDS_FOR_ANSWER)
        try:
            self._comparison = Comparison(self.model, run.system, self._link)
            self.acts = self._comparison.adapter.acts
            self._usual = self._paths(self.model, None)
            self._keys = set(self._usual.keys())
            found = self._compared(self._usual, np.zeros(self._usual.count, bool))
        except BaseException:
            self.close()
            raise
        if found.verdict is Verdict.DIFFERS:
            self.close()
            raise KafkaError(f"{run.name}, Kafka {release}: the unchanged model {found}; see `python -m tests.kafka`")

    def close(self) -> None:
        """End the class."""
        self._link.__exit__()

    def _paths(self, model: Model, most_states: int | None) -> Paths:
        return Paths(model, self._comparison.adapter, Watch(Limits(max_states=most_states)))

    def judged(self, model: Model, number: int = removal.NOTHING) -> Outcome:
        """Hold a changed model against the class; `number`: the condition of it that is removed."""
        removal.remove(number)
        try:
            paths = self._paths(model, max(LEAST_ROOM, ROOM * self._usual.states))
        except EvaluationError as error:
            return Outcome(Verdict.FAILS, self.run.name, detail=f"its code fails: {_first_line(error)}")
        except KafkacheckError as error:
            return Outcome(Verdict.FAILS, self.run.name, detail=_first_line(error))
        finally:
            removal.remove(removal.NOTHING)
        if paths.is_same(self._usual):
            return Outcome(Verdict.SAME, self.run.name)
        keys = paths.keys()
        is_new = np.array([key not in self._keys for key in keys], bool)
        return self._compared(paths, is_new)

    def _compared(self, paths: Paths, is_first: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Outcome:
        comparison, deadline = self._comparison, time.monotonic() + self.seconds
        comparison.follow(paths, self.known, is_first)
        found = comparison.search(self.seed, 0, lambda: time.monotonic() < deadline)
        steps = comparison.coverage.steps + comparison.coverage.refused
        new = f"{int(is_first.sum())} of {paths.count} classes of steps are others"
        if found is not None:
            _, difference = found
            if difference.kind == "ended":  # no change makes a class of Kafka end, but a machine may be too slow
                raise KafkaError(f"{self.run.name} gave no answer to {difference.action}: {difference.detail}")
            detail = f"{difference.kind} at {difference.action}"
            return Outcome(Verdict.DIFFERS, self.run.name, steps + 1, detail)
        is_whole = not paths.unfinished and time.monotonic() < deadline
        return Outcome(Verdict.AGREES if is_whole else Verdict.CUT_SHORT, self.run.name, steps, new)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
