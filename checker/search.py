"""Searching a model breadth first, by the reading that answers soonest."""

import contextlib
import time
from typing import TYPE_CHECKING

from kafkacheck.checker.exploration.exploration import NO_MEMORY, Found, Watch
from kafkacheck.checker.exploration.interpreted import InterpretedSearch, wait
from kafkacheck.checker.exploration.unreached import unreached
from kafkacheck.checker.exploration.verdict import Limits, ProgressListener, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.interrupts import Stopped
from kafkacheck.checker.result import Result, result_of, self_checked, with_violations

if TYPE_CHECKING:
    from kafkacheck.checker.checkpoints.checkpointing import Checkpoints
    from kafkacheck.checker.compiled.compiled import CompiledSearch

    Search = InterpretedSearch | CompiledSearch

WORTH_COMPILING = 1.0
"""After how many CPU seconds of a search the next one of the model should find its code compiled well."""

ENGINES = ("auto", "interpreted", "compiled")


def check(
    model: Model,
    engine: str = "auto",
    limits: Limits | None = None,
    progress: ProgressListener | None = None,
    checkpoints: "Checkpoints | None" = None,
    keep_going: bool = False,
) -> Result:
    """Visit every reachable state of a model, breadth first, and say whether its properties hold.

    `engine` is "interpreted" (plain Python, at once), "compiled" (native code, after a compile that is cached) or
    "auto" (interpreted until the compiled reading is ready in another process, then that one goes on from there). If
    all properties hold, the liveness properties are judged as well, see `checker.liveness.liveness`. All give the same
    counts, depth and verdict, and a shortest counterexample; if the model's code fails, the counts tell how far the
    search had come. Ctrl-C and the limits end a search as NOT_EXHAUSTED, unless it has met a violation by then.
    `checkpoints` keeps levels that are whole, and goes on from those that it has. `keep_going`: a violation does not
    end the search, and the answer has a shortest counterexample of every violated property. UsageError for an unknown
    engine.
    """
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; choose one of: {', '.join(ENGINES)}")
    watch = Watch(limits or Limits(), progress)
    begun = time.process_time()
    with watch.interrupts.listening():
        first = InterpretedSearch(model, watch)
        if keep_going:
            first.counts.tolerate_all(model)
        search: Search = first
        if engine == "interpreted":
            found = first.run()
        else:
            search, found = _with_compiler(first, engine == "auto", checkpoints)
        found, checked = self_checked(search, found, time.process_time() - begun)
        result = result_of(search, found, watch)
        result.checked = checked
        if keep_going:
            result = with_violations(result, search.counts)
        if result.verdict in (Verdict.HOLDS, Verdict.VIOLATED) and result.states_distinct:
            result.unreached = unreached(model, search.visited, result.verdict is Verdict.HOLDS)
        if found is None and model.liveness:
            del first, search  # their memory is needed anew
            if checkpoints is not None:
                checkpoints.let_go()
            from kafkacheck.checker.liveness.liveness import judged

            result = judged(result, watch, may_compile=engine != "interpreted")
        if checkpoints is not None:
            checkpoints.finish(result, watch)
        result.remarks = tuple(watch.remarks)
        return result


def _with_compiler(
    search: InterpretedSearch, meanwhile: bool, checkpoints: "Checkpoints | None"
) -> "tuple[Search, Found | None]":
    """Search by the compiled reading; until it is ready by the interpreted one, or else wait, as `meanwhile` says.

    `search` is the interpreted one, which has not begun.

    Code that was compiled quickly begins, and code that is compiled well in the meantime goes on.
    """
    from kafkacheck.checker.compiled import kernel, machine_code

    model, watch = search.model, search.watch
    try:
        with watch.interrupts.stopping_ours():
            text = kernel.kernel_text(model)
    except Stopped:
        return search, search.counts.stopped(model, watch.reason_to_stop("compiled", search.counts, 0))
    except MemoryError:
        return search, search.counts.stopped(model, NO_MEMORY)
    if checkpoints is not None:
        checkpoints.begin(model, text)
    with contextlib.ExitStack() as processes:
        try:
            first = processes.enter_context(machine_code.compiling_soon(text))
        except MemoryError:
            return search, search.counts.stopped(model, NO_MEMORY)
        if meanwhile and not first.is_ready() and not (checkpoints and checkpoints.is_resumed):
            found = search.run(first.is_ready)
            if found is not None or search.finished:
                return search, found
        stopped = wait(search, first.is_ready)
        if stopped is not None:
            return search, stopped
        from kafkacheck.checker.compiled.compiled import CompiledSearch

        try:
            better = machine_code.Improvement(text, processes) if first.is_quick else None
            going_on = CompiledSearch(model, first.entries(), watch, search.snapshot(), better)
        except MemoryError:
            return search, search.counts.stopped(model, NO_MEMORY)
        if checkpoints is not None:
            going_on.at_level = checkpoints.note
            reason = checkpoints.restore(going_on)
            if reason:
                return going_on, going_on.counts.stopped(model, reason)
        begun = time.process_time()
        found = going_on.run()
        if better is not None and time.process_time() - begun > WORTH_COMPILING and not watch.interrupts.pressed:
            better.linger()
        return going_on, found
