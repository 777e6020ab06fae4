"""What `kafkacheck guards` does once the command line is read: share the mutants out, print, and judge."""

import contextlib
import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from checker import guard_list, report
from checker.catalogue import folder_of
from checker.errors import UsageError
from checker.guard_report import Judged, closing_line, document, text_of
from checker.guards import Examiner, Finding
from checker.named import Source
from checker.names import shortened
from checker.output import say, tell
from checker.settings import settings_text
from checker.statuses import NOT_EXHAUSTED, UNEXPLAINED
from checker.substitution import mutants


def examine_model(
    source: Source, pattern: str | None, traces: bool, max_states: int | None, jobs: int | None, as_json: bool
) -> int:
    """Examine the mutants of a model and print what came of them; the exit status.

    UsageError where the pattern fits none, the list of reasons is wrong, or the model is too large; EvaluationError
    where the model itself fails.
    """
    model = source.model()
    known = mutants(model)
    chosen = [number for number, each in enumerate(known) if pattern is None or pattern in f"{each.place} {each.name}"]
    if not chosen and pattern is not None:
        raise UsageError(f"no guard of {model.name} has {shortened(pattern)!r} in its place or name; leave out --guard")
    reasons = guard_list.reasons(folder_of(source.text), model.name, [each.name for each in known])
    if not as_json:
        say(f"{model.name}: {settings_text(model) or 'no bounds or rules'}")
    judged: list[Judged] = []
    is_whole = False
    with contextlib.suppress(KeyboardInterrupt, BrokenProcessPool):  # what was found until then is told
        examiner = _Examining(source, traces, max_states)
        for finding in examiner.findings(chosen, min(jobs or os.cpu_count() or 1, max(1, len(chosen)))):
            each = Judged(finding, reasons.get(finding.guard), is_default=not source.changes)
            judged.append(each)
            if not as_json:
                say(text_of(each))
        is_whole = True
    if as_json:
        say(report.json_text([document(model.name, each) for each in judged]))
    else:
        say(closing_line(judged))
    if not is_whole:
        tell(f"error: interrupted after {len(judged)} of {len(chosen)} guards")
        return NOT_EXHAUSTED
    for each in judged:
        if each.is_needless:
            tell(f"error: {guard_list.FILE} lists {each.finding.guard!r}, which is {each.finding.outcome.value}")
    return UNEXPLAINED if any(each.is_wrong for each in judged) else 0


class _Examining:
    """Examines mutants by number, here or in other processes."""

    def __init__(self, source: Source, traces: bool, max_states: int | None) -> None:
        self._given = (source, traces, max_states)

    def findings(self, numbers: Sequence[int], jobs: int) -> Iterator[Finding]:
        """What came of each, in order."""
        if jobs == 1:
            _begin(*self._given)
            yield from map(_examine, numbers)
            return
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, context, _begin_process, self._given) as pool:
            try:
                yield from pool.map(_examine, numbers)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


_examiner: Examiner | None = None


def _begin_process(source: Source, traces: bool, max_states: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches this process too, and it has nothing to say
    _begin(source, traces, max_states)


def _begin(source: Source, traces: bool, max_states: int | None) -> None:
    global _examiner
    _examiner = Examiner(source.model(), traces, max_states)


def _examine(number: int) -> Finding:
    assert _examiner is not None
    return _examiner.examine(_examiner.mutants[number])
