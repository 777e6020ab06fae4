"""The distributed reading: level after level, each expanded and absorbed by shards, each kept whole in a run directory.

The search begins in this process (see `checker.distributed.sharding`). From then on a level that is wide enough is a
Spark job, in which every shard expands its states and Spark brings the successors to the shards that own them; narrower
levels are not worth a job, and the same work is done here.
"""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from kafkacheck.checker.checkpoints.blocks import Level, place_of
from kafkacheck.checker.checkpoints.run_directory import Committed, RunDirectory, Shard, Summary
from kafkacheck.checker.compiled.self_check import Examples
from kafkacheck.checker.distributed import shard as shards
from kafkacheck.checker.distributed.shard import Absorbed, Trouble, Work
from kafkacheck.checker.exploration.evaluation import Evaluation
from kafkacheck.checker.exploration.exploration import Exploration, Found, Watch, failure, states_reason
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.background import FailedError, Job
from kafkacheck.checker.process.errors import SelfCheckError
from kafkacheck.checker.schema.objects import Values


class Workers(Protocol):
    """The workers that expand a level."""

    def run(self, work: Work, parts: Sequence[Shard], reason_to_stop: Callable[[], str]) -> list[Absorbed]:
        """The reports of the shards; FailedError with the reason if they could not work, or were stopped."""


class HereWorkers:
    """Do a level's work in this process, one shard after the other."""

    def run(self, work: Work, parts: Sequence[Shard], reason_to_stop: Callable[[], str]) -> list[Absorbed]:
        """As `Workers`."""
        inboxes: list[list[shards.Message]] = [[] for _ in parts]
        for shard, part in enumerate(parts):
            for owner, message in shards.expand(work, shard, part.level):
                inboxes[owner].append(message)
            _stop_for(reason_to_stop())
        answers = []
        for shard, part in enumerate(parts):
            answers.append(shards.absorb(work, shard, inboxes[shard], part.visited))
            inboxes[shard] = []
            _stop_for(reason_to_stop())
        return _checked(answers)


class SparkWorkers:
    """Do a level's work as one Spark job; `start` gives the Spark context, and is asked when one is first needed."""

    def __init__(self, start: Callable[[Callable[[], str]], Any]) -> None:
        self._start = start
        self._context: Any = None

    def run(self, work: Work, parts: Sequence[Shard], reason_to_stop: Callable[[], str]) -> list[Absorbed]:
        """As `Workers`. UsageError if Spark does not start."""
        if self._context is None:
            self._context = self._start(reason_to_stop)
        context, count = self._context, len(parts)
        levels, runs = [part.level for part in parts], [part.visited for part in parts]

        def expand(shard: int) -> Iterator[tuple[int, shards.Message]]:
            return shards.expand(work, shard, levels[shard])

        def absorb(shard: int, messages: Iterator[tuple[int, shards.Message]]) -> Iterator[Absorbed | Trouble]:
            yield shards.absorb(work, shard, (message for _, message in messages), runs[shard])

        def job() -> list[Any]:
            context.setJobGroup(name, name)
            sent = context.parallelize(range(count), count).flatMap(expand).partitionBy(count, int)
            answers: list[Any] = sent.mapPartitionsWithIndex(absorb).collect()
            return answers

        def cancel() -> None:
            context.cancelJobGroup(name)

        name = f"level {work.level}"
        return _checked(Job(job, cancel, _spark_reason).wait(reason_to_stop))


def _spark_reason(error: BaseException) -> str:
    from kafkacheck.checker.distributed import spark

    return f"Spark failed: {spark.reason(error)}"


def _stop_for(reason: str) -> None:
    if reason:
        raise FailedError(reason)


def _checked(answers: Sequence[Absorbed | Trouble]) -> list[Absorbed]:
    found = []
    for answer in answers:
        if isinstance(answer, Trouble):
            raise FailedError(answer.reason)
        found.append(answer)
    return sorted(found, key=lambda each: each.shard)


class DistributedSearch:
    """A breadth-first search by shards, from the last level of a run directory on.

    Levels with fewer than `widest` states are done by `here`, others by `there`. One that `goes_past` violations and
    deadlocks tells of them when it ends.
    """

    engine = "spark"

    def __init__(
        self,
        model: Model,
        run: RunDirectory,
        work: Work,
        watch: Watch,
        workers: tuple[Workers, Workers],
        widest: int,
        goes_past: bool = False,
        examples: Examples | None = None,
    ) -> None:
        model.require_unchanged()
        self.model = model
        self.watch = watch
        self.examples = examples or Examples()
        """States in which actions were taken, and properties seen to hold, since this process began or went on."""
        self._run, self._work = run, work
        self._here, self._there = workers
        self._widest = widest
        self._goes_past = goes_past
        self._levels = [run.level(number) for number in run.committed()]
        self.counts = self._counts()

    @property
    def directory(self) -> RunDirectory:
        """The run directory."""
        return self._run

    @property
    def work(self) -> Work:
        """The facts about the kernel."""
        return self._work

    @property
    def levels(self) -> list[Committed]:
        """The levels found."""
        return self._levels

    @property
    def bytes_per_state(self) -> float:
        """How many bytes of the disk the run takes for each distinct state."""
        taken = sum(path.stat().st_size for path in self._run.shards.iterdir())
        return taken / max(self.counts.distinct, 1)

    def run(self) -> Found | None:
        """Search until every state is expanded (None) or something stops it. UsageError if Spark does not start."""
        try:
            found = None if self._goes_past else self._judged()
            while found is None and self._levels[-1].states:
                found = self._stopped() or self._level()
        except FailedError as error:
            found = self.counts.stopped(self.model, str(error))
        except SelfCheckError as error:
            found = failure(error)
        if self._goes_past and (found is None or found.verdict is Verdict.NOT_EXHAUSTED):
            judged = self._judged()
            found = replace(judged, reason=found.reason if found else "") if judged else found
        return found

    def _stopped(self) -> Found | None:
        limit = self.watch.limits.max_states
        reason = states_reason(limit) if limit is not None and self.counts.distinct > limit else self._reason_to_stop()
        return self.counts.stopped(self.model, reason) if reason else None

    def _reason_to_stop(self) -> str:
        last = self._levels[-1].states
        return self.watch.reason_to_stop(self.engine, self.counts, self.counts.distinct - last)

    def _level(self) -> Found | None:
        """Expand the last level, and make the next one exist; the finding to report then."""
        before, started = self._levels[-1], time.perf_counter()
        work = self._work._replace(level=before.number + 1)
        workers = self._here if before.states < self._widest else self._there
        answers = workers.run(work, before.shards, self._reason_to_stop)
        failed = self._failed(before, answers)
        if failed is not None:
            return failed
        level = Committed(
            work.level,
            tuple(answer.kept for answer in answers),
            _summary(self._levels[-1], answers),
            time.perf_counter() - started,
            sum(report.sent for answer in answers for report in answer.expanded),
        )
        self._note_examples(before, answers)
        self._run.commit(level)
        self._levels.append(level)
        self._run.sweep(self._levels)
        self.counts = self._counts()
        return None if self._goes_past else self._judged()

    def _note_examples(self, before: Committed, answers: Sequence[Absorbed]) -> None:
        """Keep the first state from which an action was taken, or in which a `sometimes` property was seen to hold."""
        actions, sometimes = self.examples.actions, self.examples.sometimes
        for answer in answers:
            for report in answer.expanded:
                for action, row in report.taken:
                    if action not in actions:
                        actions[action] = self._run.read(Level, before.shards[report.shard].level).states[row].copy()
            for number, row in zip(answer.met, answer.met_in, strict=True):
                if number not in sometimes:
                    sometimes[number] = self._run.read(Level, answer.kept.level).states[row].copy()

    def _counts(self) -> Exploration:
        """The counts of the levels."""
        last = self._levels[-1]
        assert last.summary is not None
        ends = list(itertools.accumulate(level.states for level in self._levels if level.states))
        counts = Exploration(
            distinct=ends[-1] if ends else 0,
            generated=last.summary.generated,
            excluded=last.summary.excluded,
            fired=list(last.summary.fired),
            level_ends=ends,
            met=set(last.summary.met),
        )
        counts.keep_whole()
        return counts

    def _judged(self) -> Found | None:
        """The finding to report, by the last level."""
        summary, counts = self._levels[-1].summary, self.counts
        assert summary is not None
        if summary.deadlock is not None:
            counts.deadlock = self.chain(*summary.deadlock)
        for number, level, shard, row, by_successor in summary.violated:
            behaviour = self.chain(level, shard, row)
            if not level:
                behaviour = [Evaluation(self.model).violating_start(number)]
            elif by_successor:
                behaviour = [*behaviour, Evaluation(self.model).violating_successor(behaviour[-1], number)]
            counts.violated[number] = behaviour
        return counts.judge(self.model)

    def _failed(self, before: Committed, answers: Sequence[Absorbed]) -> Found | None:
        """The finding for a state that could not be evaluated, by evaluating it again on plain objects."""
        evaluation = Evaluation(self.model)
        for report in sorted(report for answer in answers for report in answer.expanded):
            if report.failed is not None:
                behaviour = self.chain(before.number, report.shard, report.failed)
                error = evaluation.failure_of_step(behaviour[-1])
                return failure(error, behaviour)
        for answer in answers:
            if answer.failed is not None:
                part = self._run.read(Level, answer.kept.level)
                behaviour = [*self.chain(before.number, *place_of(int(part.parents[answer.failed])))]
                behaviour.append(self._values(part, answer.failed))
                error = evaluation.failure_of_invariants(behaviour[-1]) or evaluation.failure_of_step(behaviour[-1])
                return failure(error, behaviour)
        return None

    def check_itself(self, seconds: float) -> int:
        """Expand some of the visited states by plain Python, see `checker.compiled.self_check`."""
        from kafkacheck.checker.distributed import checking

        return checking.of_run(self, seconds)

    def chain(self, level: int, shard: int, row: int) -> list[Values]:
        """The states from an initial one to the one in a row of a shard's part of a level."""
        behaviour = []
        for each in reversed(self._levels[:level]):
            part = self._run.read(Level, each.shards[shard].level)
            behaviour.append(self._values(part, row))
            shard, row = place_of(int(part.parents[row]))
        return behaviour[::-1]

    def _values(self, part: Level, row: int) -> Values:
        return tuple(int(value) for value in self.model.layout.unpack(part.states[row : row + 1])[0])


def _summary(before: Committed, answers: Sequence[Absorbed]) -> Summary:
    """The summary after a level, from the one before it."""
    known, expanded = before.summary, sorted(report for answer in answers for report in answer.expanded)
    assert known is not None
    violated = {violation[0]: violation for violation in known.violated}
    for answer in answers:
        for number, row in answer.violated:
            violated.setdefault(number, (number, before.number + 1, answer.shard, row, False))
    for report in expanded:
        for number, row in report.violated:
            violated.setdefault(number, (number, before.number, report.shard, row, True))
    stuck = [(before.number, report.shard, report.deadlock) for report in expanded if report.deadlock is not None]
    return Summary(
        generated=known.generated + sum(report.generated for report in expanded),
        excluded=known.excluded + sum(report.excluded for report in expanded),
        fired=tuple(sum(each) for each in zip(known.fired, *(report.fired for report in expanded), strict=True)),
        met=tuple(sorted({*known.met, *(number for answer in answers for number in answer.met)})),
        violated=tuple(sorted(violated.values())),
        deadlock=known.deadlock or min(stuck, default=None),
    )
