"""Progress of a running search: one line that is redrawn on a terminal, otherwise a line now and then."""

import contextlib
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from kafkacheck.checker.exploration.verdict import COMPILING, Progress

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

PLAIN_INTERVAL = 5.0
"""Seconds between two progress lines that are not redrawn in place."""
LIVE_INTERVAL = 0.1
"""Seconds between two updates of the line that is redrawn."""
LEAST_RATED = 1.0
"""Seconds of a search before its first rate is shown."""
MOST_RATED = 3.0
"""About how many seconds back a rate is taken."""


class ProgressReport:
    """Listens to a search and shows how far it is on `stream`: redrawn in place on a terminal, else line by line.

    A context manager, because the line that is redrawn is taken away at the end. A stream that fails is ignored.
    """

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._live: Live | None = None
        self._shown = time.monotonic()
        self._rates = Rates()

    def __enter__(self) -> "ProgressReport":
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), auto_refresh=False, transient=True)
            with contextlib.suppress(OSError):
                self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            with contextlib.suppress(OSError):
                self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show `progress`, unless something was shown just before; a remark in any case."""
        if progress.remark:
            self._tell(progress.remark)
            return
        self._rates.note(progress)
        if self._is_due():
            with contextlib.suppress(OSError):
                if self._live is None:
                    print(self._plain(progress), file=self._stream, flush=True)
                else:
                    self._live.update(self._lines(progress, self._live.console.width), refresh=True)

    def show(self, line: Callable[[], str]) -> None:
        """Show a line about work that is no search, unless something was shown just before."""
        if not self._is_due():
            return
        with contextlib.suppress(OSError):
            if self._live is None:
                print(line(), file=self._stream, flush=True)
            else:
                from rich.text import Text

                self._live.update(Text(line()), refresh=True)

    def _is_due(self) -> bool:
        """Whether the last line was long enough ago; if so, the next one is shown now."""
        now = time.monotonic()
        if now - self._shown < (PLAIN_INTERVAL if self._live is None else LIVE_INTERVAL):
            return False
        self._shown = now
        return True

    def _tell(self, line: str) -> None:
        """Show a remark at once, above the line that is redrawn."""
        with contextlib.suppress(OSError):
            if self._live is None:
                print(line, file=self._stream, flush=True)
            else:
                self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _plain(self, progress: Progress) -> str:
        if progress.engine == COMPILING:
            return f"{self._name}: {COMPILING} seconds={progress.seconds:.1f}"
        rates = self._rates.now()
        told = "" if rates is None else f"distinct/s={rates[0]:.0f} generated/s={rates[1]:.0f} "
        return (
            f"{self._name}: depth={progress.depth} distinct={progress.states_distinct} "
            f"generated={progress.states_generated} {told}frontier={progress.frontier} "
            f"left={'unknown' if progress.left is None else progress.left} "
            f"memory={progress.memory / 1e6:.0f}MB seconds={progress.seconds:.1f} engine={progress.engine}"
        )

    def _lines(self, progress: Progress, width: int) -> "Text":
        """The parts of the progress side by side, in as many lines of `width` letters as they need."""
        from rich.text import Text

        rates = self._rates.now()
        distinct, generated = ("", "") if rates is None else (f" ({rate:,.0f}/s)" for rate in rates)
        parts = [
            (self._name, "bold"),
            (f"depth {progress.depth}", ""),
            (f"distinct {progress.states_distinct:,}{distinct}", ""),
            (f"generated {progress.states_generated:,}{generated}", ""),
            (f"frontier {progress.frontier:,}", ""),
            (_left(progress.left, rates), ""),
            (f"{progress.memory / 1e6:,.0f} MB", ""),
            (f"{progress.seconds:.1f} s", "dim"),
            (progress.engine, "dim"),
        ]
        if progress.engine == COMPILING:
            parts = [parts[0], parts[-1], parts[-2]]
        text, used = Text(no_wrap=True, overflow="ellipsis"), 0
        for part, style in parts:
            if used:
                starts_line = used + 2 + len(part) > width
                text.append("\n" if starts_line else "  ")
                used = 0 if starts_line else used + 2
            text.append(part, style)
            used += len(part)
        return text


def _left(states: int | None, rates: tuple[float, float] | None) -> str:
    """About how much is left, if that can be estimated."""
    if states is None:
        return "left unknown: levels still grow"
    seconds = f" ({states / rates[0]:,.0f} s)" if rates and rates[0] > 0 else ""
    return f"left about {states:,}{seconds}"


class Rates:
    """Distinct and generated states a second, over the last seconds of the progress that was noted."""

    def __init__(self) -> None:
        self._seen: deque[Progress] = deque()

    def note(self, progress: Progress) -> None:
        """Note how far the search is. If the search has begun anew, as for liveness, so do the rates."""
        if self._seen and progress.states_distinct < self._seen[-1].states_distinct:
            self._seen.clear()
        self._seen.append(progress)
        while len(self._seen) > 2 and progress.seconds - self._seen[1].seconds >= MOST_RATED:
            self._seen.popleft()

    def now(self) -> tuple[float, float] | None:
        """The rates; None before the search has been seen long enough to tell."""
        if not self._seen:
            return None
        first, last = self._seen[0], self._seen[-1]
        passed = last.seconds - first.seconds
        if passed < LEAST_RATED:
            return None
        distinct = last.states_distinct - first.states_distinct
        return distinct / passed, (last.states_generated - first.states_generated) / passed
