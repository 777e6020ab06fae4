"""What `kafkacheck guards` does once the command line is read: share the mutants out, print, and judge."""

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass

from checker import catalogue, report
from checker.commands.guard_report import Judged, closing_line, document, text_of
from checker.commands.named import Source
from checker.commands.output import say, tell
from checker.errors import UsageError
from checker.mutants import guard_group, guard_list
from checker.mutants.guard_group import Key, Member, Verdicts
from checker.mutants.guards import Examiner, Finding, Outcome, undecided
from checker.names import shortened
from checker.result import Limits
from checker.settings import headline
from checker.statuses import NOT_EXHAUSTED, UNEXPLAINED

SECONDS_BETWEEN_REMARKS = 5.0
LEAST_SHARE = 8
"""How many guards are put to a model together at least, for which its own steps are taken once."""


@dataclass(frozen=True)
class Wish:
    """How guards are to be examined: those whose place or name has one of `texts`, all where there is none.

    `traces`: with counterexamples. `limits`: for each guard in each model. `jobs`: by so many processes. `alone`: by no
    other models than those named.
    """

    texts: Sequence[str]
    traces: bool
    limits: Limits
    jobs: int | None
    alone: bool
    as_json: bool


def examine_models(patterns: Sequence[str], changes: tuple[str, ...], wish: Wish) -> int:
    """Examine the guards of the named models and print what came of them; the exit status.

    UsageError where the pattern fits none, the list of reasons is wrong, or a model is too large; EvaluationError
    where a model itself fails.
    """
    members = [guard_group.member(source) for source in guard_group.named(patterns, changes)]
    verdicts = Verdicts(members)
    keys = [key for key in verdicts.keys if not wish.texts or any(text in key for text in wish.texts)]
    for text in wish.texts:
        if not any(text in key for key in keys):
            names = ", ".join(each.model.name for each in members)
            raise UsageError(f"no guard of {names} has {shortened(text)!r} in its place or name; leave out --guard")
    folder = catalogue.folder_of(members[0].source.text)
    reasons = guard_list.reasons(folder, members)
    if not wish.as_json:
        for each in members:
            say(headline(each.model))
    is_whole = False
    with contextlib.suppress(KeyboardInterrupt, BrokenProcessPool), _Examining(wish, len(members) > 1) as examining:
        examining.examine(members, keys, verdicts)  # what was found until Ctrl-C is told
        unexplained = [key for key in keys if _is(verdicts.finding(key), Outcome.UNEXPLAINED)]
        if unexplained and not wish.alone and not changes:
            more = (guard_group.member(Source(name)) for name in guard_group.others(members))
            examining.examine(more, unexplained, verdicts)
        is_whole = True
    judged = [
        Judged(finding, reasons.get(key), verdicts.models_of(key), is_default=not changes and not wish.alone)
        for key in keys
        if (finding := verdicts.finding(key)) is not None and (is_whole or finding.outcome is Outcome.CAUGHT)
    ]
    if wish.as_json:
        say(report.json_text([document(each) for each in judged]))
    else:
        for judgement in judged:
            say(text_of(judgement))
        say(closing_line(judged))
    return _status(judged, is_whole, len(keys))


def _is(finding: Finding | None, outcome: Outcome) -> bool:
    return finding is not None and finding.outcome is outcome


def _status(judged: Sequence[Judged], is_whole: bool, count: int) -> int:
    if not is_whole:
        tell(f"error: interrupted after {len(judged)} of {count} guards")
        return NOT_EXHAUSTED
    for each in judged:
        if each.is_needless:
            tell(f"error: {guard_list.FILE} lists {each.finding.guard!r}, which is {each.finding.outcome.value}")
    return UNEXPLAINED if any(each.is_wrong for each in judged) else 0


class _Examining:
    """Examines guards model after model, each by several processes or by this one.

    `may_pass`: where a model is not explored to the end within the limits, its guards are undecided, which is an error
    otherwise.
    """

    def __init__(self, wish: Wish, may_pass: bool) -> None:
        self._wish = wish
        self._may_pass = may_pass
        self._jobs = wish.jobs or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None
        self._told = time.monotonic()

    def __enter__(self) -> "_Examining":
        if self._jobs > 1:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._jobs, context, _begin_process)
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def examine(self, members: Iterable[Member], keys: Sequence[Key], verdicts: Verdicts) -> None:
        """Let each model judge those of these guards that no model before has caught."""
        for each in members:
            by_number = {each.numbers[key]: key for key in verdicts.left(keys) if key in each.numbers}
            for done, (number, finding) in enumerate(self._findings_of(each, list(by_number)), start=1):
                verdicts.note(by_number[number], finding)
                if time.monotonic() - self._told >= SECONDS_BETWEEN_REMARKS:
                    self._told = time.monotonic()
                    caught = len(keys) - len(verdicts.left(keys))
                    tell(f"{each.model.name}: {done} of {len(by_number)} examined; {caught} of {len(keys)} caught")

    def _findings_of(self, member: Member, numbers: list[int]) -> Iterator[tuple[int, Finding]]:
        try:
            yield from self._findings(member, numbers)
        except UsageError as error:
            if not self._may_pass:
                raise
            for number in numbers:
                yield number, undecided(member.model, number, str(error))

    def _findings(self, member: Member, numbers: list[int]) -> Iterator[tuple[int, Finding]]:
        given = (member.source, self._wish.traces, self._wish.limits)
        count = max(1, min(4 * self._jobs, len(numbers) // LEAST_SHARE))
        parts = [numbers[first::count] for first in range(count) if numbers]
        if self._pool is None:
            for part in parts:
                yield from _examine(*given, part)
            return
        waiting = [self._pool.submit(_examine, *given, part) for part in parts]
        for each in as_completed(waiting):
            yield from each.result()


_known: tuple[object, Examiner] | None = None


def _begin_process() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches this process too, and it has nothing to say


def _examine(source: Source, traces: bool, limits: Limits, numbers: Sequence[int]) -> list[tuple[int, Finding]]:
    """What one model says of some of its guards; the one that was asked last is kept."""
    global _known
    if _known is None or _known[0] != (source, traces, limits):
        _known = None  # room for the next
        _known = ((source, traces, limits), Examiner(source.model(), traces, limits))
    return list(zip(numbers, _known[1].examine(numbers), strict=True))
