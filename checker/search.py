"""Searching a model breadth first, by the reading that answers soonest."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from checker.errors import UsageError
from checker.exploration import Exploration, Found, HandOver, Watch
from checker.interpreted import InterpretedSearch
from checker.model import Model
from checker.result import Limits, ProgressListener, Result, Verdict
from checker.trace import rebuild

if TYPE_CHECKING:
    from checker.compiled import CompiledSearch
    from checker.native import Entry

ENGINES = ("auto", "interpreted", "compiled")


def check(
    model: Model, engine: str = "auto", limits: Limits | None = None, progress: ProgressListener | None = None
) -> Result:
    """Visit every reachable state of a model, breadth first, and say whether its properties hold.

    `engine` is "interpreted" (plain Python, at once), "compiled" (native code, after a compile that is cached) or
    "auto" (interpreted until the compiled reading is ready in another process, then that one goes on from there).
    All give the same counts, depth and verdict, and a shortest counterexample. Ctrl-C and the limits end a search as
    NOT_EXHAUSTED, unless what was found until then violates a property. UsageError for an unknown engine.
    """
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine!r}; choose one of: {', '.join(ENGINES)}")
    with _interruptible() as stop:
        watch = Watch(limits or Limits(), progress, stop)
        if engine == "interpreted":
            search: InterpretedSearch | CompiledSearch = InterpretedSearch(model, watch)
            found = search.run()
        elif engine == "compiled":
            from checker import kernel, machine_code

            search = _compiled(model, machine_code.entries(kernel.kernel_text(model)), watch, None)
            found = search.run()
        else:
            search, found = _soonest(model, watch)
    return _result(model, search, found, watch.seconds)


def _soonest(model: Model, watch: Watch) -> "tuple[InterpretedSearch | CompiledSearch, Found | None]":
    from checker import kernel, machine_code

    with machine_code.compiling(kernel.kernel_text(model)) as compiler:
        if compiler.is_ready():
            at_once = _compiled(model, compiler.entries(), watch, None)
            return at_once, at_once.run()
        search = InterpretedSearch(model, watch)
        found = search.run(compiler.is_ready)
        if found is not None or search.finished:
            return search, found
        going_on = _compiled(model, compiler.entries(), watch, search.hand_over())
        return going_on, going_on.run()


def _compiled(
    model: Model, entries: "dict[str, Entry]", watch: Watch, found: HandOver | None
) -> "CompiledSearch":
    from checker.compiled import CompiledSearch

    return CompiledSearch(model, entries, watch, found)


def _result(model: Model, search: "InterpretedSearch | CompiledSearch", found: Found | None, seconds: float) -> Result:
    counts: Exploration = search.counts
    result = Result(
        model=model,
        verdict=Verdict.HOLDS if found is None else found.verdict,
        states_distinct=counts.distinct,
        states_generated=counts.generated,
        depth=counts.depth,
        engine=search.engine,
        seconds=seconds,
        actions={action.name: count for action, count in zip(model.actions, counts.fired, strict=True)},
        unmet=tuple(each.name for number, each in enumerate(model.sometimes) if number not in counts.met),
        bytes_per_state=search.bytes_per_state,
    )
    if found is not None:
        result.property = found.property
        result.reason = found.reason
        if found.chain:
            result.trace = rebuild(model, found.chain, found.property)
    return result


@contextlib.contextmanager
def _interruptible() -> Iterator[Callable[[], str]]:
    """Let Ctrl-C end the search instead of the process; a second one interrupts at once."""
    pressed = threading.Event()

    def note(number: int, frame: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()

    if threading.current_thread() is not threading.main_thread():
        yield lambda: ""
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: "it was interrupted" if pressed.is_set() else ""
    finally:
        signal.signal(signal.SIGINT, before)
