"""Asks the models that an edit reaches, one after the other, within the time that there is."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.change import elsewhere
from kafkacheck.checker.change.definitions import Tree
from kafkacheck.checker.change.edits import Edit, Edits, edits_between, only_functions
from kafkacheck.checker.change.former import Former, OtherModelError
from kafkacheck.checker.change.judging import Change, Judged, Searched, compared, judged_here, searched
from kafkacheck.checker.change.reach import Reached, chosen, models_of, reached, unreached
from kafkacheck.checker.change.trees import edited_checker, python_files
from kafkacheck.checker.change.variants import RANKS, Settings, variants
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model.settings import with_settings
from kafkacheck.checker.process.errors import EvaluationError, KafkacheckError, ModelError, UsageError

FIRST_PART = 0.6
"""The share of the time after which no further model is asked at its own settings before other settings are tried."""
SHARE = 0.2
"""The most of the time that one model takes at other settings."""
LEAST = 0.5
"""With fewer seconds left than this, nothing is begun any more."""


@dataclass
class Report:
    """What `change` found.

    `edits`: what was edited; `checker`: files of the checker that were. `unused`: the edits that no model reaches.
    `judged`: what the edits change in each model at its own settings; `tried`: at other settings. `unfinished`: models
    that there was no time for. `new`: models that there were not before. `red`: models that failed before the edit,
    with what failed, and whether that is expected. `models`: how many there are.
    `is_interrupted`: it was asked to end.
    """

    base: str
    seconds: float
    edits: Edits
    checker: list[str] = field(default_factory=list)
    unused: list[Edit] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    tried: list[Judged] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)
    models: int = 0
    is_interrupted: bool = False
    taken: float = 0.0

    @property
    def is_edited(self) -> bool:
        """Whether anything that models are made of differs."""
        return bool(self.edits.edits)

    @property
    def is_reached(self) -> bool:
        """Whether some model reaches an edit."""
        return bool(self.judged or self.unfinished or self.new or self.errors)

    @property
    def failing(self) -> list[Judged]:
        """The models in which something fails that did not, outcomes first, then the shortest."""
        found = [each for each in (*self.judged, *self.tried) if each.change is Change.FAILS]
        return sorted(found, key=lambda each: (not each.is_outcome, bool(each.settings), each.failures[0].length or 0))

    @property
    def red(self) -> dict[str, str]:
        """What failed before the edit already, by model: as expected, or not."""
        found = dict(self.expected)
        for each in self.judged:
            names = sorted({failure.name for failure in each.former.violations})
            told = ", ".join(names) or each.former.fault
            if told and not found.get(each.model):
                found[each.model] = f"{told}, which is not expected"
        return found


class Run:
    """A run of `change`: it compares the trees, and asks models until its time is over."""

    def __init__(self, before: Path, now: Path, base: str, seconds: float, progress: Callable[[str], None]) -> None:
        self._begun = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._before = before
        self._last = 0.0
        tree = Tree(now, python_files(now))
        self._edits = edits_between(Tree(before, python_files(before), like=tree), tree)
        self._former = Former(self._edits)
        self.report = Report(base, seconds, self._edits, edited_checker(before, now))

    def run(self, patterns: Sequence[str] = ()) -> Report:
        """Ask the models, if patterns are given only those that one fits: at their own settings, then at others, then
        those that were too large at first. UsageError if a pattern fits no model.
        """
        report = self.report
        models = chosen(models_of(self._edits), patterns)
        report.models = len(models)
        asked = reached(self._edits, models)
        report.unused = unreached(self._edits, asked)
        left = list(asked)
        try:
            self._ask(left, FIRST_PART * self._seconds)
            self._try_settings(asked, is_last=not left)
            self._ask(left, self._seconds)
        except KeyboardInterrupt:
            report.is_interrupted = True
        report.unfinished += [each.name for each in left]
        if not report.is_reached and report.is_edited:
            report.unused = list(self._edits.edits)
        report.taken = time.monotonic() - self._begun
        return report

    def _left(self, until: float | None = None) -> float:
        return self._begun + (self._seconds if until is None else until) - time.monotonic()

    def _ask(self, left: list[Reached], until: float) -> None:
        """Judge models one after the other, and take each from the list when that is done."""
        while left and self._left(until) > LEAST and self._left() > self._last:
            each, begun = left[0], time.monotonic()
            self._progress(f"{each.name}: {len(left)} models to go, {self._left():.0f} s left")
            try:
                self._ask_one(each)
            except KafkacheckError as error:
                self.report.errors[each.name] = str(error)
            del left[0]
            self._last = time.monotonic() - begun  # the next one is no smaller, and nothing ends the compiler early

    def _ask_one(self, each: Reached) -> None:
        report = self.report
        if each.before is None:
            report.new.append(each.name)
            return
        found = self._judged(each, (), self._left())
        if found is None:
            return
        report.judged.append(found)
        known = each.expectation
        if known is not None and known.verdict is not Verdict.HOLDS:
            report.expected[found.model] = f"{known.text()}, which is expected"

    def _judged(self, each: Reached, settings: tuple[str, ...], seconds: float) -> Judged | None:
        """What the edits change in a model; None if its program reaches none of them."""
        model = with_settings(catalogue.find_model(each.name), settings)
        if only_functions(list(each.edits)):
            if not self._former.reaches(model):
                return None
            try:
                return replace(judged_here(model, settings, self._former, seconds, each.states), model=each.name)
            except OtherModelError as error:
                self._progress(f"{each.name}: two processes compare it, because it is no single program: {error}")
        return self._judged_apart(each, settings, seconds)

    def _judged_apart(self, each: Reached, settings: tuple[str, ...], seconds: float) -> Judged | None:
        """The same, with the former model in a process of its own; None if both are the same program."""
        begun = time.monotonic()
        model = with_settings(catalogue.find_model(each.name), settings).with_lemmas()
        blank = Judged(each.name, settings, Change.UNFINISHED, is_one_program=False)
        assert each.before is not None
        former = elsewhere.asked(self._before, each.before, settings, elsewhere.digest_of(model), seconds / 2)
        if former.error:
            raise ModelError(f"{each.name} as it was cannot be read: {former.error}")
        if former.found is None:
            return replace(blank, change=Change.NOTHING, seconds=time.monotonic() - begun)
        left = seconds - (time.monotonic() - begun)
        found = compared(blank, former.found, Searched(reason="no time") if left < 0 else searched(model, left))
        return replace(found, seconds=time.monotonic() - begun)

    def _try_settings(self, asked: list[Reached], is_last: bool) -> None:
        """Try other settings in models in which the edit fails nothing, the smallest first, the likeliest setting
        first. A model is done with once something fails; or, if nothing changed in it, once something changes.

        `is_last`: nothing comes after it that needs half of the time that is left.
        """
        until = self._seconds if is_last else self._seconds - self._left() / 2
        by_name = {each.name: each for each in asked}
        queues: list[tuple[Reached, Judged, list[tuple[int, Settings]]]] = []
        for known in self.report.judged:
            each = by_name[known.model]
            if known.change in (Change.NOTHING, Change.STEPS) and only_functions(list(each.edits)):
                queues.append((each, known, variants(catalogue.find_model(each.name), self._edits, each.edits)))
        for rank in RANKS:
            for queue in list(queues):
                each, known, choices = queue
                for settings in [settings for place, settings in choices if place == rank]:
                    if self._left(until) <= LEAST:
                        return
                    found = self._tried(each, settings)
                    if found is not None and _tells_more(found, known):
                        self.report.tried.append(found)
                        queues.remove(queue)
                        break

    def _tried(self, each: Reached, settings: tuple[str, ...]) -> Judged | None:
        """What the edits change at other settings; None if nothing can be said."""
        self._progress(f"{each.name} with {' '.join(settings)}: {self._left():.0f} s left")
        try:
            return self._judged(each, settings, min(self._left(), SHARE * self._seconds))
        except (UsageError, ModelError, EvaluationError):
            return None  # the model cannot have this setting


def _tells_more(found: Judged, known: Judged) -> bool:
    """Whether other settings tell more of an edit than the model's own do."""
    if found.change is Change.FAILS:
        return True
    return known.change is Change.NOTHING and found.change is Change.STEPS
