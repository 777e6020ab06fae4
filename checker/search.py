"""Searching a model breadth first, by the reading that answers soonest."""

import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from checker.errors import SelfCheckError, UsageError
from checker.exploration import NO_MEMORY, Found, Watch, failure
from checker.interpreted import InterpretedSearch
from checker.interrupts import Stopped
from checker.model import Model
from checker.result import COMPILING, Limits, ProgressListener, Result, Verdict
from checker.trace import rebuild

if TYPE_CHECKING:
    from checker.compiled import CompiledSearch
    from checker.distributed import DistributedSearch
    from checker.kept_levels import Keeping

    Search = InterpretedSearch | CompiledSearch | DistributedSearch

WORTH_COMPILING = 1.0
"""After how many CPU seconds of a search the next one of the model should find its code compiled well."""

ENGINES = ("auto", "interpreted", "compiled")


def check(
    model: Model,
    engine: str = "auto",
    limits: Limits | None = None,
    progress: ProgressListener | None = None,
    keeping: "Keeping | None" = None,
) -> Result:
    """Visit every reachable state of a model, breadth first, and say whether its properties hold.

    `engine` is "interpreted" (plain Python, at once), "compiled" (native code, after a compile that is cached) or
    "auto" (interpreted until the compiled reading is ready in another process, then that one goes on from there).
    Where all that holds, the liveness properties are judged as well, see `checker.liveness`. All give the same counts,
    depth and verdict, and a shortest counterexample; where the model's code fails, counts say how far the search had
    come. Ctrl-C and the limits end a search as NOT_EXHAUSTED, unless what was found until then violates a property.
    `keeping` keeps levels that are whole, and goes on from those that it has. UsageError for an unknown engine.
    """
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; choose one of: {', '.join(ENGINES)}")
    watch = Watch(limits or Limits(), progress)
    begun = time.process_time()
    with watch.interrupts.listening():
        if engine == "interpreted":
            search: Search = InterpretedSearch(model, watch)
            found = search.run()
        else:
            search, found = _with_compiler(model, watch, engine == "auto", keeping)
        found, checked = self_checked(search, found, time.process_time() - begun)
        result = result_of(search, found, watch)
        result.checked = checked
        if result.verdict is Verdict.HOLDS and model.liveness:
            del search  # its memory is needed anew
            if keeping is not None:
                keeping.let_go()
            from checker.liveness import judged

            result = judged(result, watch, may_compile=engine != "interpreted")
        if keeping is not None:
            keeping.finish(result, watch)
        result.remarks = tuple(watch.remarks)
        return result


def _with_compiler(
    model: Model, watch: Watch, meanwhile: bool, keeping: "Keeping | None"
) -> "tuple[Search, Found | None]":
    """Search by the compiled reading; until it is ready by the interpreted one, or else wait, as `meanwhile` says.

    Code that was compiled quickly begins, and code that is compiled well in the meantime goes on.
    """
    from checker.machine import kernel, machine_code

    search = InterpretedSearch(model, watch)
    try:
        with watch.interrupts.stopping_ours():
            text = kernel.kernel_text(model)
    except Stopped:
        return search, search.counts.stopped(model, watch.reason_to_stop("compiled", search.counts, 0))
    except MemoryError:
        return search, search.counts.stopped(model, NO_MEMORY)
    if keeping is not None:
        keeping.begin(model, text)
    with contextlib.ExitStack() as processes:
        try:
            first = processes.enter_context(machine_code.compiling_soon(text))
        except MemoryError:
            return search, search.counts.stopped(model, NO_MEMORY)
        if meanwhile and not first.is_ready() and not (keeping and keeping.is_resumed):
            found = search.run(first.is_ready)
            if found is not None or search.finished:
                return search, found
        stopped = wait(search, first.is_ready)
        if stopped is not None:
            return search, stopped
        from checker.compiled import CompiledSearch

        try:
            better = machine_code.Improvement(text, processes) if first.is_quick else None
            going_on = CompiledSearch(model, first.entries(), watch, search.hand_over(), better)
        except MemoryError:
            return search, search.counts.stopped(model, NO_MEMORY)
        if keeping is not None:
            going_on.at_level = keeping.note
            reason = keeping.restore(going_on)
            if reason:
                return going_on, going_on.counts.stopped(model, reason)
        begun = time.process_time()
        found = going_on.run()
        if better is not None and time.process_time() - begun > WORTH_COMPILING and not watch.interrupts.pressed:
            better.linger()
        return going_on, found


def wait(search: InterpretedSearch, is_ready: Callable[[], bool]) -> Found | None:
    """Wait for the compiler; Found where a limit or Ctrl-C ends the waiting."""
    watch = search.watch
    while not is_ready() or watch.interrupts.pressed:  # Ctrl-C may have ended the compiler, too
        is_due = watch.is_due() or watch.interrupts.pressed
        reason = watch.reason_to_stop(COMPILING, search.counts, 0) if is_due else ""
        if reason:
            return search.counts.stopped(search.model, reason)
        time.sleep(0.01)
    return None


def self_checked(search: "Search", found: Found | None, seconds: float) -> tuple[Found | None, int | None]:
    """What to report of a search that took so many CPU seconds, and how many of its states were checked once more."""
    if found is not None or isinstance(search, InterpretedSearch):
        return found, None
    from checker.compiled import CompiledSearch

    try:
        if isinstance(search, CompiledSearch):
            from checker import self_check

            return None, self_check.of_search(search, seconds)
        from checker.sharded import checking

        return None, checking.of_run(search, seconds)
    except SelfCheckError as error:
        return failure(error), None


def result_of(search: "Search", found: Found | None, watch: Watch) -> Result:
    """The answer of a search that stopped, for what it found."""
    model, counts = search.model, search.counts
    model.require_unchanged()
    result = Result(
        model=model,
        verdict=Verdict.HOLDS if found is None else found.verdict,
        states_distinct=counts.distinct,
        states_generated=counts.generated,
        depth=counts.depth,
        engine=search.engine,
        seconds=watch.seconds,
        actions={action.name: count for action, count in zip(model.actions, counts.fired, strict=True)},
        unmet=tuple(each.name for number, each in enumerate(model.sometimes) if number not in counts.met),
        bytes_per_state=search.bytes_per_state,
        interrupted=watch.interrupts.pressed,
        states_excluded=None if model.constraint is None else counts.excluded,
    )
    if found is not None:
        result.property = found.property
        result.reason = found.reason
        if found.chain:
            result.trace = rebuild(model, found.chain, found.property, found.verdict is Verdict.DEADLOCK)
    return result
