"""One question to one model: what the edits change in it with some settings. A process answers many of them."""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change import elsewhere
from kafkacheck.checker.change.edits import Edits, only_functions
from kafkacheck.checker.change.former import Former, OtherModelError
from kafkacheck.checker.change.judging import (
    Change,
    Effort,
    Judged,
    Searched,
    compared,
    judged_here,
    lines_run,
    searched,
)
from kafkacheck.checker.change.reach import Reached
from kafkacheck.checker.change.traps import Line, Traps
from kafkacheck.checker.change.variants import Settings, enlarged, has_older_rules, variants
from kafkacheck.checker.model.settings import with_settings
from kafkacheck.checker.process.errors import KafkacheckError, ModelError


@dataclass(frozen=True)
class Question:
    """A model by its name, and the settings with which it is asked; with how much effort, and how early.

    `rank` of the settings: None for the model's own. `cost`: about how many seconds the answer takes, times how little
    it is likely to tell. `is_of_lines`: whether it asks only which of the edited lines the model runs.
    """

    name: str
    settings: Settings
    effort: Effort
    cost: float
    rank: int | None = None
    is_of_lines: bool = False


@dataclass(frozen=True)
class Answer:
    """What the edits change; None if the program reaches none of them. `error`: why that cannot be said.

    `variants`: other settings of the model to try, each with its rank, if it was asked with its own; `enlarged`: those
    with one member more of a set. `lines`: whether the model runs the edited lines, if that was asked
    (`judging.lines_run`).
    """

    judged: Judged | None = None
    variants: tuple[tuple[int, Settings], ...] = ()
    enlarged: tuple[Settings, ...] = ()
    error: str = ""
    lines: dict[Line, bool | None] = field(default_factory=dict)


class Asker:
    """Answers questions about models that some edits reach; `before` is the folder as it was."""

    def __init__(self, before: Path, edits: Edits, models: list[Reached]) -> None:
        self._before = before
        self._edits = edits
        self._models = {each.name: each for each in models}
        self._former = Former(edits)
        self._traps = Traps(edits)

    def answer(self, question: Question) -> Answer:
        """The answer; errors of the model and its settings are told in it."""
        each = self._models[question.name]
        try:
            model = catalogue.find_model(each.name)
            if question.is_of_lines:
                return Answer(lines=lines_run(with_settings(model, question.settings), self._traps, question.effort))
            judged = self._judged(each, question)
            if judged is not None and has_older_rules(model, question.settings):
                judged = replace(judged, has_older_rules=True)
            if judged is None or question.rank is not None:
                return Answer(judged)
            found = variants(model, self._edits, each.edits)
            larger = enlarged(model, self._edits, each.edits)
        except KafkacheckError as error:
            return Answer(error=str(error))
        return Answer(judged, tuple(found), tuple(larger))

    def _judged(self, each: Reached, question: Question) -> Judged | None:
        model = with_settings(catalogue.find_model(each.name), question.settings)
        if only_functions(list(each.edits)):
            if not self._former.reaches(model):
                return None
            try:
                return replace(judged_here(model, question.settings, self._former, question.effort), model=each.name)
            except OtherModelError:
                pass  # it is no single program, so that two processes compare it
        return self._judged_apart(each, question)

    def _judged_apart(self, each: Reached, question: Question) -> Judged | None:
        """The same, with the former model in a process of its own; None if both are the same program."""
        begun, effort = time.monotonic(), question.effort
        model = with_settings(catalogue.find_model(each.name), question.settings).with_lemmas()
        blank = Judged(each.name, question.settings, Change.UNFINISHED, is_one_program=False)
        assert each.before is not None
        digest = elsewhere.digest_of(model)
        half = replace(effort, seconds=effort.seconds / 2)
        former = elsewhere.asked(self._before, each.before, question.settings, digest, half)
        if former.error:
            raise ModelError(f"{each.name} as it was cannot be read: {former.error}")
        if former.found is None:
            return replace(blank, change=Change.NOTHING, seconds=time.monotonic() - begun)
        left = effort.seconds - (time.monotonic() - begun)
        now = Searched(reason="no time") if left < 0 else searched(model, replace(effort, seconds=left))
        return replace(compared(blank, former.found, now), seconds=time.monotonic() - begun)
