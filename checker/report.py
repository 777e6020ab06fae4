"""What a check says: the progress of a search, its closing line, the table of many checks, and the JSON document."""

import io
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from checker import trace as traces
from checker.catalogue import Expectation
from checker.result import Progress, Result
from checker.settings import rules_of

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

PLAIN_INTERVAL = 5.0
"""Seconds between two progress lines where they are not redrawn in place."""
LIVE_INTERVAL = 0.1
"""Seconds between two updates of the line that is redrawn."""
RATE_INTERVAL = 1.0
"""Seconds over which rates are averaged, at least."""
PLAIN_TABLE_WIDTH = 1000
"""Columns of the closing table where there is no terminal: nothing is folded."""
LEFT = ("model", "verdict", "property", "expected?")
RIGHT = ("distinct", "generated", "depth", "seconds", "trace")
PICTURE = "picture"
"""The columns of the closing table; the picture's only where it is wide enough."""


@dataclass(frozen=True)
class Checked:
    """One model of a run over the catalogue: what was expected, what came out, and the files that show it.

    result: None where the model could not be checked at all.
    files: what was written for the counterexample; empty where there is none.
    error: why it could not be checked, evaluated or written to the end; `error_status` is the exit status for that.
    """

    name: str
    expectation: Expectation | None
    result: Result | None
    files: tuple[Path, ...] = ()
    error: str = ""
    error_status: int = 0

    @property
    def is_expected(self) -> bool:
        """Whether the verdict, and the property if one is violated, are those that the catalogue expects."""
        found, expected = self.result, self.expectation
        return (
            found is not None
            and expected is not None
            and (found.verdict, found.property) == (expected.verdict, expected.property)
        )


def closing_line(result: Result) -> str:
    """The last line of a check, such as `lock: VIOLATED mutual_exclusion trace=12 distinct=... generated=...`."""
    words = [f"{result.model.name}:", result.verdict.value]
    if result.property is not None:
        words.append(result.property)
    if result.trace is not None:
        words.append(f"trace={len(result.trace.steps)}")
    words += [
        f"distinct={result.states_distinct}",
        f"generated={result.states_generated}",
        f"depth={result.depth}",
        f"seconds={result.seconds:.2f}",
    ]
    return " ".join(words)


def document(result: Result, files: tuple[Path, ...]) -> dict[str, Any]:
    """The JSON document of one check. `trace` is a list of {action, parameters, state}, or null where there is none."""
    model = result.model
    return {
        "model": model.name,
        "verdict": result.verdict.value,
        "property": result.property,
        "reason": result.reason or None,
        "states_distinct": result.states_distinct,
        "states_generated": result.states_generated,
        "depth": result.depth,
        "engine": result.engine,
        "seconds": round(result.seconds, 6),
        "bytes_per_state": result.bytes_per_state,
        "bounds": dict(model.bounds),
        "rules": rules_of(model),
        "actions": dict(result.actions),
        "unmet": list(result.unmet),
        "trace": None if result.trace is None else traces.to_json(result.trace)["trace"],
        "files": [str(file) for file in files],
    }


def catalogue_document(rows: Sequence[Checked]) -> list[dict[str, Any]]:
    """The JSON document of a run over the catalogue: one check each, with what was expected of it."""
    documents = []
    for row in rows:
        found = {"model": row.name} if row.result is None else document(row.result, row.files)
        wanted = None if row.expectation is None else row.expectation.text()
        documents.append(found | {"error": row.error or None, "expected": wanted, "is_expected": row.is_expected})
    return documents


def json_text(data: Any) -> str:
    """`data` as indented JSON."""
    return json.dumps(data, indent=2)


def vacuous_text(result: Result) -> str:
    """What was never seen, although the model says it can be; empty where there is no such thing."""
    parts = []
    if result.unmet:
        parts.append(f"no reachable state is an example of {', '.join(result.unmet)}")
    if result.never_fired:
        parts.append(f"never possible in any reachable state: {', '.join(result.never_fired)}")
    return "; ".join(parts)


def closing_table(rows: Sequence[Checked], count: int, stream: TextIO) -> str:
    """The table of a run over a catalogue of `count` models, and a sentence.

    As wide as the terminal behind `stream`, if it is one; where that is narrow, pictures are listed below the table.
    """
    from rich.console import Console

    text = io.StringIO()
    width = None if stream.isatty() else PLAIN_TABLE_WIDTH
    console = Console(file=text, force_terminal=stream.isatty(), width=width, markup=False, emoji=False)
    table = _table(rows, PICTURE)
    is_narrow = console.measure(table, options=console.options.update(width=PLAIN_TABLE_WIDTH)).maximum > console.width
    console.print(_table(rows) if is_narrow else table)
    lines = [line.rstrip() for line in text.getvalue().rstrip().split("\n")]
    if is_narrow:
        lines += ["", *(f"{row.name}: {PICTURE} {_cells(row)[PICTURE]}" for row in rows if _cells(row)[PICTURE])]
    unexpected = [row.name for row in rows if not row.is_expected]
    told = f"not as expected: {', '.join(unexpected)}" if unexpected else "every verdict is as expected"
    return "\n".join([*lines, "", f"{len(rows)} of {count} models; {told}"])


def _table(rows: Sequence[Checked], *more: str) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1 if more else 0))
    for name in (*LEFT, *RIGHT, *more):
        table.add_column(name, justify="right" if name in RIGHT else "left", overflow="fold")
    for row in rows:
        cells = _cells(row)
        style = None if row.is_expected else "red"
        table.add_row(*(cells[str(column.header)] for column in table.columns), style=style)
    return table


def _cells(row: Checked) -> dict[str, str]:
    """The cells of a row, by column."""
    cells = dict.fromkeys((*LEFT, *RIGHT, PICTURE), "")
    wanted = "nothing" if row.expectation is None else row.expectation.text()
    cells |= {"model": row.name, "verdict": "ERROR", "expected?": "yes" if row.is_expected else f"no: {wanted}"}
    found = row.result
    if found is None:
        return cells
    if row.files:
        cells[PICTURE] = str(next((file for file in row.files if file.suffix == ".svg"), row.files[0]))
    return cells | {
        "verdict": found.verdict.value,
        "property": found.property or "",
        "distinct": f"{found.states_distinct:,}",
        "generated": f"{found.states_generated:,}",
        "depth": str(found.depth),
        "seconds": f"{found.seconds:.2f}",
        "trace": "" if found.trace is None else str(len(found.trace.steps)),
    }


class ProgressReport:
    """Listens to a search and shows how far it is on `stream`: redrawn in place on a terminal, else line by line.

    A context manager, because the line that is redrawn is taken away at the end.
    """

    def __init__(self, name: str, stream: TextIO | None = None) -> None:
        self._name = name
        self._stream = stream or sys.stderr
        self._live: Live | None = None
        self._shown = time.monotonic()
        self._mark: Progress | None = None
        self._rates = (0.0, 0.0)

    def __enter__(self) -> "ProgressReport":
        if self._stream.isatty():
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(file=self._stream), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show `progress`, unless something was shown just before."""
        now = time.monotonic()
        if now - self._shown < (PLAIN_INTERVAL if self._live is None else LIVE_INTERVAL):
            return
        self._shown = now
        self._measure(progress)
        if self._live is None:
            print(self._plain(progress), file=self._stream, flush=True)
        else:
            self._live.update(self._one_line(progress), refresh=True)

    def _measure(self, progress: Progress) -> None:
        """Distinct and generated states a second, since the last time that lies far enough back."""
        distinct, generated, seconds = 0, 0, 0.0
        if self._mark is not None:
            distinct, generated = self._mark.states_distinct, self._mark.states_generated
            seconds = self._mark.seconds
        passed = progress.seconds - seconds
        if passed >= RATE_INTERVAL or (self._mark is None and passed > 0):
            new = (progress.states_distinct - distinct, progress.states_generated - generated)
            self._rates = (new[0] / passed, new[1] / passed)
            self._mark = progress

    def _plain(self, progress: Progress) -> str:
        return (
            f"{self._name}: depth={progress.depth} distinct={progress.states_distinct} "
            f"generated={progress.states_generated} distinct/s={self._rates[0]:.0f} "
            f"generated/s={self._rates[1]:.0f} frontier={progress.frontier} "
            f"memory={progress.memory / 1e6:.0f}MB seconds={progress.seconds:.1f} engine={progress.engine}"
        )

    def _one_line(self, progress: Progress) -> Any:
        from rich.text import Text

        parts: list[str | tuple[str, str]] = [
            (f"{self._name}  ", "bold"),
            f"depth {progress.depth}  ",
            f"distinct {progress.states_distinct:,} ({self._rates[0]:,.0f}/s)  ",
            f"generated {progress.states_generated:,} ({self._rates[1]:,.0f}/s)  ",
            f"frontier {progress.frontier:,}  ",
            f"{progress.memory / 1e6:,.0f} MB  ",
            (f"{progress.seconds:.1f} s  {progress.engine}", "dim"),
        ]
        return Text.assemble(*parts, no_wrap=True, overflow="ellipsis")
