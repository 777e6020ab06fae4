"""`kafkacheck guards`: remove each guard of a model in turn, in several processes, and judge it."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

import click

from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.console.options import EXIT_STATUSES, limit_options, set_option
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.mutation import guard_group, guard_list
from kafkacheck.checker.mutation.guard_group import Key, Member, Verdicts
from kafkacheck.checker.mutation.guard_list import Listed
from kafkacheck.checker.mutation.guards import Examiner, Finding, Outcome, undecided
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import NotExhaustedError, UsageError
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.process.sources import bootstrap
from kafkacheck.checker.process.statuses import NOT_EXHAUSTED, UNEXPLAINED

SECONDS_BETWEEN_REMARKS = 5.0
LEAST_SHARE = 8
"""How many guards are put to a model together at least, for which its own steps are taken once."""


@click.command(epilog=EXIT_STATUSES)
@click.argument("patterns", metavar="MODEL...", nargs=-1, required=True)
@set_option
@click.option(
    "--guard",
    "texts",
    metavar="TEXT",
    multiple=True,
    help="Examine only the guards whose place or name contains this text. May be repeated.",
)
@click.option("--traces", is_flag=True, help="Print the counterexample of each guard that is caught.")
@click.option("--alone", is_flag=True, help="Do not ask other models of the catalogue about unexplained guards.")
@limit_options
@click.option(
    "--workers", type=click.IntRange(1, 256), metavar="N", help="In how many processes.  [default: one for each core]"
)
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list of objects on stdout instead of text.")
def guards(
    patterns: tuple[str, ...],
    changes: tuple[str, ...],
    texts: tuple[str, ...],
    traces: bool,
    alone: bool,
    max_states: int | None,
    max_seconds: float | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Remove each guard and each condition of MODEL's actions in turn, and say what fails without it.

    A guard is caught by a property that fails without it (sooner than it does anyway), by an action that breaks its
    contract, or by vacuity: something that can happen no longer does. A guard without which every step is the same is
    redundant. Any other is unexplained, unless the file guards.toml beside the model's lists it with a reason. The last
    line counts them.

    Several models, by names of the catalogue or patterns such as 'cluster.*', judge a guard together: one that catches
    it is enough, and it is redundant if every model that has it finds it redundant. Guards that are still unexplained
    are put to the other models of the catalogue that have the same state; then, unless they are listed, to small ones
    of other systems that call the same function. The smallest come first. --max-states and
    --max-seconds are for each guard in each model; a guard that is not decided within them is unexplained.  [default: 4
    times the states of the model]
    """
    if changes and len(patterns) > 1:
        raise UsageError("--set is for one MODEL; several are examined at their defaults, so leave it out")
    wish = Wish(texts, traces, Limits(max_states, max_seconds), workers, alone, as_json)
    return examine_models(patterns, changes, wish)


@dataclass(frozen=True)
class Wish:
    """How guards are to be examined: those whose place or name has one of `texts`, all if there is none.

    `traces`: with counterexamples. `limits`: for each guard in each model. `jobs`: how many processes. `alone`: by no
    other models than those named.
    """

    texts: Sequence[str]
    traces: bool
    limits: Limits
    jobs: int | None
    alone: bool
    as_json: bool


@dataclass(frozen=True)
class Judged:
    """A finding, the listed reason for its guard, if there is one, and the models that have judged it.

    `is_default`: whether these have their own bounds and rules, to which the list refers.
    """

    finding: Finding
    listed: Listed | None = None
    models: Sequence[str] = ()
    is_default: bool = True

    @property
    def is_listed(self) -> bool:
        """Whether the guard survived and a listed reason explains it."""
        return self.finding.outcome is Outcome.UNEXPLAINED and self.listed is not None

    @property
    def is_needless(self) -> bool:
        """Whether the guard is listed although it does not survive unexplained."""
        if self.listed is None or not self.is_default or self.finding.outcome is Outcome.UNEXPLAINED:
            return False
        return self.listed.is_met or self.finding.outcome is Outcome.CAUGHT

    @property
    def is_wrong(self) -> bool:
        """Whether the guard is unexplained, or listed and need not be."""
        return self.is_needless or self.word == Outcome.UNEXPLAINED.value

    @property
    def word(self) -> str:
        """The guard in a word: "listed", or the outcome."""
        return "listed" if self.is_listed else self.finding.outcome.value


def examine_models(patterns: Sequence[str], changes: tuple[str, ...], wish: Wish) -> int:
    """Examine the guards of the named models and print the findings; the exit status.

    UsageError if the pattern fits none, or the list of reasons is wrong; NotExhaustedError if the only model is
    not explored to the end within the limits; EvaluationError if a model itself fails.
    """
    members = [guard_group.member(source) for source in guard_group.named(patterns, changes)]
    verdicts = Verdicts(members)
    keys = [key for key in verdicts.keys if not wish.texts or any(text in key for text in wish.texts)]
    for text in wish.texts:
        if not any(text in key for key in keys):
            names = ", ".join(each.model.name for each in members)
            raise UsageError(f"no guard of {names} has {shortened(text)!r} in its place or name; leave out --guard")
    reasons = guard_list.reasons(members)
    ended = "interrupted"  # early: the findings until then are printed
    try:
        if not wish.as_json:
            for each in members:
                say(headline(each.model))
        with _Examining(wish, len(members) > 1) as examining:
            examining.examine(members, keys, verdicts)
            for more_models, listed in ((guard_group.others, {}), (guard_group.callers_elsewhere, reasons)):
                unexplained = [key for key in keys if _is(verdicts.finding(key), Outcome.UNEXPLAINED)]
                asked = [key for key in unexplained if key not in listed]
                if asked and not wish.alone and not changes:
                    more = (guard_group.member(Source(name)) for name in more_models(members))
                    examining.examine(more, asked, verdicts)
            ended = ""
    except KeyboardInterrupt:
        ended = shutdown.reason()
    except BrokenProcessPool:
        ended = "a process was ended from outside, as for lack of memory"
    settled = [key for key in keys if not ended or verdicts.is_settled(key)]
    judged = [
        Judged(finding, reasons.get(key), verdicts.models_of(key), is_default=not changes and not wish.alone)
        for key in settled
        if (finding := verdicts.finding(key)) is not None
    ]
    undecided_count = len(keys) - len(settled)
    if wish.as_json:
        say(json_text([document(each) for each in judged]))
    else:
        for judgement in judged:
            say(text_of(judgement))
        say(closing_line(judged, undecided_count))
    if ended:
        tell(f"error: {ended}; {undecided_count} of {len(keys)} guards are undecided")
        return NOT_EXHAUSTED
    return _status(judged)


def _is(finding: Finding | None, outcome: Outcome) -> bool:
    return finding is not None and finding.outcome is outcome


def _status(judged: Sequence[Judged]) -> int:
    for each in judged:
        if each.is_needless:
            tell(f"error: {guard_list.FILE} lists {each.finding.guard!r}, which is {each.finding.outcome.value}")
    return UNEXPLAINED if any(each.is_wrong for each in judged) else 0


class _Examining:
    """Examines guards model after model, each by several processes or by this one.

    `may_pass`: guards of a model that is not explored to the end within the limits are undecided; otherwise that is an
    error.
    """

    def __init__(self, wish: Wish, may_pass: bool) -> None:
        self._wish = wish
        self._may_pass = may_pass
        self._jobs = wish.jobs or os.cpu_count() or 1
        self._pool: ProcessPoolExecutor | None = None
        self._told = time.monotonic()

    def __enter__(self) -> "_Examining":
        if self._jobs > 1:
            self._pool = ProcessPoolExecutor(self._jobs, multiprocessing.get_context("spawn"), exec, (_BEGIN, {}))
        return self

    def __exit__(self, error: object, *_: object) -> None:
        if self._pool is None:
            return
        with _ctrl_c_waits():  # or Python would have to wait for them when it ends
            if error is not None:
                for each in multiprocessing.active_children():
                    each.kill()
            self._pool.shutdown(cancel_futures=True)

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
        except NotExhaustedError as error:
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
        waiting: set[Future[list[tuple[int, Finding]]]] = set()
        for part in parts:
            with _ctrl_c_waits():  # a new process keeps it blocked for ever; this process ends it
                waiting.add(self._pool.submit(_examine, *given, part))
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for each in done:
                yield from each.result()


@contextlib.contextmanager
def _ctrl_c_waits() -> Iterator[None]:
    """Within it, no KeyboardInterrupt is raised; afterwards it is, if one was due."""
    resource_tracker.ensure_running()  # which would let Ctrl-C come through when it is started
    before = signal.pthread_sigmask(signal.SIG_BLOCK, shutdown.REQUESTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_known: tuple[object, Examiner] | None = None


_BEGIN = f"{bootstrap()}\nfrom kafkacheck.checker.commands.guards import begin_process; begin_process()"
"""The first lines of a process: it finds these sources, and ends with this process."""


def begin_process() -> None:
    """Let this process end with the one that began it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process once the one that began it has ended, however that was."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(NOT_EXHAUSTED)


def _examine(source: Source, traces: bool, limits: Limits, numbers: Sequence[int]) -> list[tuple[int, Finding]]:
    """The findings of one model on some of its guards; the last model stays in memory."""
    global _known
    if _known is None or _known[0] != (source, traces, limits):
        _known = None  # frees its memory for the next
        _known = ((source, traces, limits), Examiner(source.model(), traces, limits))
    return list(zip(numbers, _known[1].examine(numbers), strict=True))


def text_of(judged: Judged) -> str:
    """A guard, and the finding without it."""
    finding = judged.finding
    lines = [f"{judged.word:<11} {finding.place}: {finding.guard}", f"            {_told(judged)}"]
    if finding.trace:
        lines += ["", finding.trace, ""]
    return "\n".join(lines)


def _told(judged: Judged) -> str:
    finding = judged.finding
    where = f" in {finding.model}"
    match finding.outcome:
        case Outcome.CAUGHT:
            length = "" if finding.length is None else f" trace={finding.length}"
            reason = f": {finding.reason}" if finding.reason else ""
            return f"{finding.by}{length}{where}{reason}"
        case Outcome.REDUNDANT:
            if len(judged.models) > 1:
                return f"the same steps in {', '.join(judged.models)}"
            return f"the same {finding.states:,} states and {finding.steps:,} steps{where}"
        case Outcome.EXCLUDED:
            return "the rules leave this out, so nothing was removed"
    others = f"; examined in {', '.join(judged.models)}" if len(judged.models) > 1 else ""
    told = f"{finding.reason}{where}{others}"
    return f"{judged.listed.reason} ({told})" if judged.listed is not None else told


def closing_line(judged: Sequence[Judged], undecided: int = 0) -> str:
    """How many guards were caught, are redundant and unexplained; and listed or undecided, if any are."""
    words = [each.word for each in judged] + undecided * ["undecided"]
    kinds = ["caught", "redundant", "unexplained", *(each for each in ("listed", "undecided") if each in words)]
    return f"guards: {', '.join(f'{words.count(kind)} {kind}' for kind in kinds)}"


def document(judged: Judged) -> dict[str, Any]:
    """The JSON object of one guard.

    `model` is the model whose bounds and counts these are, the one that caught the guard if one did; `models` are all
    that were asked; `property` caught it; `trace_states` is null without a trace.
    """
    finding = judged.finding
    return {
        "model": finding.model,
        "models": list(judged.models),
        "guard": finding.guard,
        "place": finding.place,
        "outcome": judged.word,
        "property": finding.by or None,
        "trace_states": finding.length,
        "bounds": dict(finding.bounds),
        "states_distinct": finding.states,
        "states_generated": finding.steps,
        "reason": judged.listed.reason if judged.is_listed and judged.listed else finding.reason or None,
        "trace": finding.trace or None,
    }
