"""Asks the models that an edit reaches, those first that are likely to tell something soon, in several processes.

Each model is asked at its own settings, at first with few states if it is large; then at other settings, and to its
end. The report lists the answers in an order that does not depend on which came first.
"""

import heapq
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kafkacheck.checker.change.asking import Answer, Asker, Question
from kafkacheck.checker.change.definitions import Tree
from kafkacheck.checker.change.edits import Edit, Edits, edits_between
from kafkacheck.checker.change.judging import Change, Effort, Judged
from kafkacheck.checker.change.pool import Pool
from kafkacheck.checker.change.reach import Reached, chosen, models_of, reached, unreached
from kafkacheck.checker.change.traps import Line
from kafkacheck.checker.change.trees import edited_checker, python_files
from kafkacheck.checker.change.variants import Settings, mentioning
from kafkacheck.checker.exploration.verdict import Verdict

FEW = 100_000
"""How many states of a larger model are searched at first, and of any model at other settings."""
MORE = 3
"""By how much a model may have more states than it has so far, and still be searched to its end."""
MANY = 600_000
"""With more states than this, a model is searched at other settings as far as `FEW` only."""
STATES_PER_SECOND = 60_000
"""About how many states are judged in a second, by both searches and the comparison together."""
OVERHEAD = 1.5
"""About how many seconds it takes to read a model and to make its machine code."""
UNTELLING = 1.5
"""By how much a model counts as slower that fails already, or of which no file says how many states it has."""
MENDING = 0.5
"""By how much other settings of such a model count as slower: they may be those at which it holds."""
MENTIONED = 0.4
"""By how much a model counts as slower that has settings of its own which the edited functions read."""
WHOLE = 1.5
"""By how much the search of a large model to its end counts as slower than it is."""
WORTH = (2.0, 4.0, 6.0, 12.0, 8.0)
"""By how much settings of each rank count as slower than they are."""
AGAIN = 0.25
"""By how much settings of a rank count as slower for each one of the same model that comes before them."""
MUCH = 10_000_000
"""How many states are searched at most with one member more, of a model in which an edit makes other steps only."""
FIRST_MUCH = 40.0
"""After how many seconds one of the processes begins with such searches; many small ones tell more until then."""
LINES = 1.5
"""By how much the question whether a model runs the edited lines counts as slower than it is."""
SHARE = 0.2
"""The most of the time that one model takes at other settings."""
MUCH_SHARE = 0.3
"""The most of the time that one takes if it is searched far."""
DIED = "its process was ended from outside, as for lack of memory"
"""Why a question has no answer if its process is gone."""
IN_TIME = 0.9
"""The share of the time that is left in which an answer is asked for, so that it does not come too late."""
LEAST = 0.5
"""With fewer seconds left than this, nothing is begun any more."""


@dataclass
class Report:
    """What `change` found.

    `edits`: what was edited; `checker`: files of the checker that were. `unused`: the edits that no model reaches.
    `judged`: what the edits change in each model at its own settings; `tried`: at other settings. `settings`: how
    many other settings were tried; `untried`: those for which there was no time, the likeliest first, each with its
    model. `unfinished`: models that there was no time for. `new`: models that there were not before. `red`: models
    that failed before the edit, with what failed, and whether that is expected. `models`: how many there are.
    `lines`: whether models run the edited lines, by model and settings (`judging.lines_run`). `places`: the files of
    the models that an edit reaches, by name. `is_interrupted`: it was asked to end.
    """

    base: str
    seconds: float
    edits: Edits
    checker: list[str] = field(default_factory=list)
    unused: list[Edit] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    tried: list[Judged] = field(default_factory=list)
    settings: int = 0
    untried: list[tuple[str, Settings]] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)
    lines: dict[tuple[str, Settings], dict[Line, bool | None]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
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
    def idle_lines(self) -> list[Line]:
        """The edited lines that no model was seen to run, of those that some model has in its program.

        Empty if the edit makes a difference somewhere, because then not all models are asked.
        """
        if any(each.change in (Change.STEPS, Change.FAILS) for each in (*self.judged, *self.tried)):
            return []
        run = {line for answers in self.lines.values() for line, is_run in answers.items() if is_run}
        return sorted({line for answers in self.lines.values() for line in answers} - run)

    @property
    def is_never_run(self) -> bool:
        """Whether the edit makes no difference, and no model runs some line of it at its own settings.

        Nor at others that were asked.
        """
        idle = self.idle_lines
        is_whole = {(each.model, ()) for each in self.judged} <= set(self.lines)
        answers = [found.get(line, False) for found in self.lines.values() for line in idle]
        return bool(idle) and is_whole and all(each is False for each in answers)

    @property
    def failing(self) -> list[Judged]:
        """The models in which something fails that did not, or fails sooner.

        Outcomes come first, new ones before those that come sooner; then the rules of the model's own release, then
        models that held, then the shortest.
        """
        found = [each for each in (*self.judged, *self.tried) if each.change is Change.FAILS]
        red = self.red
        return sorted(
            found,
            key=lambda each: (
                not each.is_outcome,
                not each.is_new_outcome,
                each.has_older_rules,
                each.model in red,
                bool(each.settings),
                each.failures[0].length or 0,
            ),
        )

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
    """A run of `change`: it compares the trees, and asks models in so many processes until its time is over."""

    def __init__(
        self, before: Path, now: Path, base: str, seconds: float, progress: Callable[[str], None], workers: int = 1
    ) -> None:
        self._begun = time.monotonic()
        self._seconds = seconds
        self._progress = progress
        self._before = before
        self._workers = workers
        tree = Tree(now, python_files(now))
        self._edits = edits_between(Tree(before, python_files(before), like=tree), tree)
        self._asked: dict[str, Reached] = {}
        self._mentioning: set[str] = set()
        self._judged: dict[str, Judged] = {}
        self._tried: dict[str, list[tuple[int, Judged]]] = {}
        self._queue: list[tuple[float, str, Settings, int, Question]] = []
        self._much: list[tuple[float, str, Settings, int, Question]] = []
        self.report = Report(base, seconds, self._edits, edited_checker(before, now))

    def run(self, patterns: Sequence[str] = ()) -> Report:
        """Ask the models, if patterns are given only those that one fits. UsageError if a pattern fits no model."""
        report = self.report
        models = chosen(models_of(self._edits), patterns)
        report.models = len(models)
        asked = reached(self._edits, models)
        report.unused = unreached(self._edits, asked)
        self._asked = {each.name: each for each in asked}
        self._mentioning = mentioning(self._edits, {each.name: (each.key, each.edits) for each in asked})
        report.places = {each.name: self._edits.now.definitions[each.key].path for each in asked}
        report.new = [each.name for each in asked if each.before is None]
        for each in asked:
            if each.before is not None:
                self._put(each, (), None)
        try:
            if self._queue:
                with Pool(self._workers, Asker(self._before, self._edits, asked).answer) as pool:
                    self._ask(pool)
        except KeyboardInterrupt:
            report.is_interrupted = True
        self._close()
        return report

    def _left(self) -> float:
        return self._begun + self._seconds - time.monotonic()

    def _put(self, each: Reached, settings: Settings, rank: int | None, place: int = 0, is_whole: bool = False) -> None:
        """Put a question where it belongs in the queue; `place`: how many settings of that rank come before these."""
        known = each.expectation
        most = None if is_whole else self._most(each, rank is not None)
        states = each.states if most is None else min(each.states, most)
        cost = OVERHEAD + states / STATES_PER_SECOND
        is_telling = known is not None and known.verdict is Verdict.HOLDS
        if not is_telling:
            cost *= UNTELLING if rank is None else MENDING
        if each.name in self._mentioning:
            cost *= MENTIONED
        if rank is not None:
            cost *= WORTH[rank] * (1 + place * AGAIN)
        elif is_whole and each.name not in self._failing:
            cost *= WHOLE
        effort = Effort(self._seconds, most, each.states)
        question = Question(each.name, settings, effort, cost, rank)
        heapq.heappush(self._queue, (cost, each.name, settings, int(is_whole), question))

    def _put_much(self, each: Reached, settings: Settings) -> None:
        """Put the question whether something fails with one member more, if that is searched far."""
        question = Question(each.name, settings, Effort(self._seconds, MUCH, each.states), each.states, 0)
        heapq.heappush(self._much, (question.cost, each.name, settings, 0, question))

    def _put_lines(self, each: Reached, settings: Settings) -> None:
        """Put the question whether a model runs the edited lines, which costs about as much as to judge it did."""
        cost = LINES * (OVERHEAD + each.states / STATES_PER_SECOND)
        question = Question(each.name, settings, Effort(self._seconds, None, each.states), cost, is_of_lines=True)
        heapq.heappush(self._queue, (cost, each.name, settings, 2, question))

    @staticmethod
    def _most(each: Reached, is_variant: bool) -> int | None:
        """How many states are searched at first, or at other settings; None if all are, because they are few."""
        known = each.expectation
        if not is_variant:
            is_few = known is not None and known.verdict is Verdict.HOLDS and each.states <= FEW
            return None if is_few else max(FEW, MORE * each.states) if each.states <= FEW else FEW
        return MORE * each.states if FEW < MORE * each.states <= MANY else FEW

    @property
    def _failing(self) -> set[str]:
        return {each.model for each in self._judged.values() if each.change is Change.FAILS}

    def _ask(self, pool: Pool[Question, Answer]) -> None:
        """Ask until the queue is empty or the time is over, and remember what was not asked."""
        try:
            self._ask_in_time(pool)
        finally:
            queued = [
                each[-1] for queue in (self._queue, self._much) for each in sorted(queue, key=lambda one: one[:-1])
            ]
            left = [*pool.tasks, *queued]
            self.report.untried = [
                (each.name, each.settings) for each in left if each.rank is not None and self._is_open(each)
            ]

    def _ask_in_time(self, pool: Pool[Question, Answer]) -> None:
        while self._left() > 0:
            while (self._queue or self._much) and pool.is_free and self._left() > LEAST:
                question = self._next(pool.tasks)
                if self._is_open(question):
                    pool.begin(self._limited(question))
            if not pool.tasks:
                return
            told = ", ".join(" ".join([each.name, *each.settings]) for each in pool.tasks)
            to_go = len(self._queue) + len(self._much)
            self._progress(f"{self._so_far()}{told}: {to_go} questions to go, {self._left():.0f} s left")
            for question, answer in pool.answers(self._left()):
                self._note(question, answer or Answer(error=DIED))

    def _so_far(self) -> str:
        """The failure that is known so far, if any: of what users lose newly, if that is known."""
        failing = [each for each in self._all() if each.change is Change.FAILS]
        if not failing:
            return ""
        first = min(failing, key=lambda each: (not each.is_new_loss, not each.is_outcome))
        return f"{first.model} FAILS {first.failures[0].name}; "

    def _next(self, tasks: Sequence[Question]) -> Question:
        """The next question: one that searches far if no other is left, or if one process works on another."""
        is_late = self._seconds - self._left() > FIRST_MUCH
        is_beside = bool(tasks) and all(each.effort.most_states != MUCH for each in tasks)
        if self._much and (not self._queue or (is_late and is_beside)):
            return heapq.heappop(self._much)[-1]
        return heapq.heappop(self._queue)[-1]

    def _limited(self, question: Question) -> Question:
        is_much = question.effort.most_states == MUCH
        share = self._seconds * (1.0 if question.rank is None else MUCH_SHARE if is_much else SHARE)
        return replace(question, effort=replace(question.effort, seconds=min(IN_TIME * self._left(), share)))

    def _is_open(self, question: Question) -> bool:
        """Whether the answer can tell more of a model than is known.

        Whether a model runs the edited lines is asked only while they make no difference anywhere. Anything else can
        tell more, unless users lose something in the model that they did not lose before. If they do so in another one,
        it is enough that anything fails in it.
        """
        if question.is_of_lines:
            is_same = all(each.change in (Change.NOTHING, Change.UNFINISHED) for each in self._all())
            return is_same and (not self.report.lines or bool(self.report.idle_lines))
        known = [self._judged[question.name]] if question.name in self._judged else []
        known += self._tried_of(question.name)
        if any(each.is_new_loss for each in known):
            return question.rank is None and self._judged[question.name].change is Change.UNFINISHED
        is_lost = any(each.is_new_loss for each in self._all())
        return not (is_lost and any(each.change is Change.FAILS for each in known))

    def _all(self) -> list[Judged]:
        return [*self._judged.values(), *(each for found in self._tried.values() for _, each in found)]

    def _note(self, question: Question, answer: Answer) -> None:
        each, judged = self._asked[question.name], answer.judged
        if question.is_of_lines:
            if not answer.error:
                self.report.lines[each.name, question.settings] = answer.lines
            return
        if judged is not None and judged.change is Change.NOTHING:
            self._put_lines(each, question.settings)
        if question.rank is not None:
            self.report.settings += 1
            if judged is not None and _tells_more(judged, [self._judged[each.name], *self._tried_of(each.name)]):
                self._tried.setdefault(each.name, []).append((question.rank, judged))
            return
        if answer.error:
            self.report.errors[each.name] = answer.error
        if judged is None:
            if not answer.error:
                del self._asked[each.name]  # its program has none of the edited functions
            return
        is_first = each.name not in self._judged
        if is_first or judged.change is not Change.UNFINISHED:
            self._judged[each.name] = judged
        if judged.change is Change.STEPS and not judged.former.violations:
            for settings in answer.enlarged:
                self._put_much(each, settings)
        is_cut = judged.change in (Change.UNFINISHED, Change.FAILS) and bool(judged.now.reason or judged.former.reason)
        if is_cut and question.effort.most_states is not None and not judged.is_new_loss:
            self._put(each, (), None, is_whole=True)
        if is_first:
            places = Counter[int]()
            for rank, settings in answer.variants:
                self._put(each, settings, rank, places[rank])
                places[rank] += 1

    def _tried_of(self, name: str) -> list[Judged]:
        return [each for _, each in self._tried.get(name, ())]

    def _close(self) -> None:
        """Put what was found into the report, in the order of the models."""
        report = self.report
        for name, each in self._asked.items():
            if name in self._judged:
                report.judged.append(self._judged[name])
                known = each.expectation
                if known is not None and known.verdict is not Verdict.HOLDS:
                    report.expected[name] = f"{known.text()}, which is expected"
            elif name not in report.new and name not in report.errors:
                report.unfinished.append(name)
            report.tried += [found for _, found in sorted(self._tried.get(name, []), key=lambda one: one[1].settings)]
        if not report.is_reached and report.is_edited:
            report.unused = list(self._edits.edits)
        report.taken = time.monotonic() - self._begun


def _tells_more(found: Judged, known: Sequence[Judged]) -> bool:
    """Whether other settings tell more of an edit than is known: a failure, the first loss, or the first other step."""
    if found.change is Change.FAILS:
        if found.is_new_loss or not any(each.change is Change.FAILS for each in known):
            return True
        return found.is_outcome and not any(each.is_outcome for each in known)
    return found.change is Change.STEPS and all(each.change is Change.NOTHING for each in known)
