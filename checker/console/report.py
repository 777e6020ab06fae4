"""The text of checks: the closing line, the table of many checks, and the JSON document."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from kafkacheck.checker.catalogue.catalogue import Expectation
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model, settings
from kafkacheck.checker.process.statuses import NOT_EXHAUSTED
from kafkacheck.checker.result import Result, outcomes_of
from kafkacheck.checker.traces import trace as traces
from kafkacheck.checker.traces.trace import Trace, ending_of

if TYPE_CHECKING:
    from rich.table import Table

PLAIN_TABLE_WIDTH = 1000
"""Columns of the closing table if there is no terminal: nothing is folded."""
LEFT = MODEL, VERDICT, PROPERTY, EXPECTED = ("model", "verdict", "property", "expected?")
RIGHT = ("distinct", "generated", "depth", "seconds", "trace")
PICTURE = "picture"
"""The columns of the closing table; the picture's only if the table is wide enough."""


@dataclass(frozen=True)
class Checked:
    """One model of a run over the catalogue: the expected verdict, the result, and the files that show it.

    result: None if the model could not be checked at all.
    files: the files of the counterexample; empty if there is none.
    error: why it could not be checked, evaluated or written to the end; `error_status` is the exit status for that.
    is_begun: False if Ctrl-C ended the run before it came to this model.
    is_judged: False if nothing is expected: of an own model that does not say what, or at other settings.
    changes: the settings that were asked for and fit; `left_out` are those that do not.
    """

    name: str
    expectation: Expectation | None
    result: Result | None
    files: tuple[Path, ...] = ()
    error: str = ""
    error_status: int = 0
    is_begun: bool = True
    is_judged: bool = True
    changes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_finished(self) -> bool:
        """Whether there is a verdict, or an error instead of one, that more time would not change."""
        if self.result is None:
            return self.is_begun and self.error_status != NOT_EXHAUSTED
        return self.result.verdict is not Verdict.NOT_EXHAUSTED or self.is_expected

    @property
    def judgement(self) -> str:
        """Whether the verdict is as expected: "yes", "unfinished", "not begun", "-", or "no: " and the expected one."""
        if self.is_expected:
            return "yes"
        if not self.is_finished:
            return "unfinished" if self.is_begun else "not begun"
        if not self.is_judged and self.result is not None:
            return "-"
        if self.expectation is None:
            return "no: nothing"
        is_vacuous = self.result is not None and self.result.is_vacuous
        return f"no: {self.expectation.text()}{', not vacuously' if is_vacuous else ''}"

    @property
    def is_unexpected(self) -> bool:
        """Whether it has ended otherwise than expected, or with an error."""
        return self.is_finished and not self.is_expected and (self.is_judged or self.result is None)

    @property
    def is_expected(self) -> bool:
        """Whether the verdict, and the property if one is violated, are those that the catalogue expects.

        A verdict that holds only because something never happens any more (`Result.is_vacuous`) is never expected.
        """
        found, expected = self.result, self.expectation
        return (
            found is not None
            and expected is not None
            and (found.verdict, found.property) == (expected.verdict, expected.property)
            and not found.is_vacuous
            and not differing_counts(found, expected)
        )


def differing_counts(found: Result, expected: Expectation) -> list[str]:
    """The counts that a model expects and a search found otherwise, as they are in the closing line: `distinct=9`."""
    words = closing_line(found).split(" ")
    return [f"{name}={count}" for name, count in expected.counts if f"{name}={count}" not in words]


def expectation_text(result: Result, expected: Expectation | None) -> str:
    """That a violation is the expected one, or that the verdict is not; empty if nothing is expected or it holds."""
    row = Checked(result.model.name, expected, result)
    if expected is None or not row.is_finished or (row.is_expected and expected.verdict is Verdict.HOLDS):
        return ""
    if row.is_expected:
        return f"as expected: this model is meant to end in {expected.text()}"
    return f"not as expected: this model is meant to end in {expected.text()}"


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
        *([] if result.states_excluded is None else [f"excluded={result.states_excluded}"]),
        f"depth={result.depth}",
        f"seconds={result.seconds:.2f}",
        *([] if result.checked is None else [f"checked={result.checked}"]),
    ]
    return " ".join(words)


def violation_lines(result: Result) -> list[str]:
    """One line for each violation, if the search went on past them; and why it did not come to its end."""
    if not result.violations:
        return []
    lines = [
        f"violated: {kind_of(result.model, trace)} {ending_of(trace)} trace={len(trace.steps)}"
        for trace in result.violations
    ]
    if result.reason:
        lines.append(f"other properties may be violated, too, as the search is not finished: {result.reason}")
    return lines


def kind_of(model: Model, trace: Trace) -> str:
    """Whether what a counterexample violates says what users lose, or only restates rules of the system."""
    return "outcome" if trace.property in outcomes_of(model) else "protocol"


def constraint_text(result: Result) -> str:
    """How many states the constraint of a model that holds excludes; empty for another model or verdict."""
    if result.verdict is not Verdict.HOLDS or result.model.constraint is None:
        return ""
    name, excluded = result.model.constraint.name, result.states_excluded
    if not excluded:
        return f"the constraint {name} excludes no state that can be reached"
    return (
        f"holds only within the constraint {name}: {excluded:,} of {result.states_generated:,} generated states lie "
        "outside; they were checked, but their successors were not"
    )


def notes(result: Result, changes: Sequence[str] = ()) -> list[str]:
    """What a verdict does not show by itself, a sentence each: rules that are not read, bounds that no state reaches.

    `changes` are the settings that were asked for. If a property is violated, only their bounds are told: a search that
    ends early reaches few.
    """
    model, idle, told = result.model, result.unreached, []
    unread = settings.unread(model, changes)
    if unread:
        told.append(f"no function that {model.name} runs reads {' or '.join(unread)}, so that it changes nothing")
    asked = settings.names_set(model, changes)
    is_whole = result.verdict is Verdict.HOLDS
    if not is_whole and result.verdict is not Verdict.VIOLATED:
        return told
    bounds = [f"{name}={value}" for name, value in idle.bounds.items() if is_whole or name in asked]
    if bounds:
        until = "" if is_whole else ", up to the violation,"
        smaller = "smaller bounds" if len(bounds) > 1 else "a smaller bound"
        told.append(f"no state{until} reaches {' or '.join(bounds)}; {smaller} may give the same answer")
    return [*told, *idle.calls] if is_whole else told


def document(result: Result, files: Sequence[Path], changes: Sequence[str] = ()) -> dict[str, Any]:
    """The JSON document of one check. `trace` is a list of {action, parameters, state}, or null if there is none.

    `violations`, if the search went on past them: of each its property (null: a deadlock), whether that is an "outcome"
    for users or restates the "protocol", and its trace. `loop`: of a lasso, the index in it of the state in which the
    cycle begins, see `checker.traces.trace`.
    """
    from kafkacheck.checker.traces.witness import explain

    model = result.model
    witness = None if result.trace is None else explain(result.trace)
    all_violations = {} if result.violations is None else {"violations": _violations(result)}
    return {
        "model": model.name,
        "verdict": result.verdict.value,
        "property": result.property,
        "reason": result.reason or None,
        "resume": result.resume,
        "remarks": list(result.remarks),
        "notes": notes(result, changes),
        "states_distinct": result.states_distinct,
        "states_generated": result.states_generated,
        "states_excluded": result.states_excluded,
        "constraint": None if model.constraint is None else model.constraint.name,
        "depth": result.depth,
        "engine": result.engine,
        "seconds": round(result.seconds, 6),
        "checked": result.checked,
        "bytes_per_state": result.bytes_per_state,
        "bounds": dict(model.bounds),
        "rules": settings.rules_of(model),
        "actions": dict(result.actions),
        "unmet": list(result.unmet),
        "trace": None if result.trace is None else traces.to_json(result.trace)["trace"],
        "loop": None if result.trace is None else result.trace.loop,
        "witness": None if witness is None else witness.to_json(),
        "files": [str(file) for file in files],
        **all_violations,
    }


def _violations(result: Result) -> list[dict[str, Any]]:
    """The counterexamples of a search that went on past violations, as `document` has the first."""
    from kafkacheck.checker.traces.witness import explain

    found = []
    for trace in result.violations or ():
        witness = explain(trace)
        found.append(
            {
                "property": trace.property,
                "kind": kind_of(result.model, trace),
                "length": len(trace.steps),
                "trace": traces.to_json(trace)["trace"],
                "loop": trace.loop,
                "witness": None if witness is None else witness.to_json(),
            }
        )
    return found


def catalogue_document(rows: Sequence[Checked]) -> list[dict[str, Any]]:
    """The JSON document of a run over the catalogue: one check each, with its expected verdict."""
    documents = []
    for row in rows:
        found = {"model": row.name} if row.result is None else document(row.result, row.files, row.changes)
        wanted = None if row.expectation is None else row.expectation.text()
        is_expected = row.is_expected if row.is_judged else None
        judged = {"expected": wanted, "is_finished": row.is_finished, "is_expected": is_expected}
        documents.append(found | {"error": row.error or None} | judged)
    return documents


def vacuous_text(result: Result) -> str:
    """The examples and actions that never occurred, although the model has them; empty if all did."""
    parts = []
    if result.unmet:
        parts.append(f"no reachable state is an example of {', '.join(result.unmet)}")
    if result.never_fired:
        parts.append(f"never possible in any reachable state: {', '.join(result.never_fired)}")
    return "; ".join(parts)


def closing_table(rows: Sequence[Checked], stream: TextIO) -> str:
    """The table of a run over a catalogue, and a sentence.

    As wide as the terminal of `stream`, if it is one. If that is narrow, the property stands under the verdict, and
    pictures and other expected verdicts are listed below the table; numbers are never folded.
    """
    from rich.console import Console

    text = io.StringIO()
    width = None if stream.isatty() else PLAIN_TABLE_WIDTH
    console = Console(file=text, force_terminal=stream.isatty(), width=width, markup=False, emoji=False)
    cells = [_cells(row) for row in rows]
    styles = ["red" if row.is_unexpected else None for row in rows]
    table = _table(cells, styles, (*LEFT, *RIGHT, PICTURE), padding=1)
    is_narrow = console.measure(table, options=console.options.update(width=PLAIN_TABLE_WIDTH)).maximum > console.width
    if is_narrow:
        stacked = [each | {VERDICT: f"{each[VERDICT]}\n{each[PROPERTY]}".rstrip()} for each in cells]
        table = _table(stacked, styles, (MODEL, VERDICT, *RIGHT), padding=0)
    console.print(table)
    lines = [line.rstrip() for line in text.getvalue().rstrip().split("\n")]
    if is_narrow:
        below = [f"{each[MODEL]}: as expected? {each[EXPECTED]}" for each in cells if each[EXPECTED] != "yes"]
        below += [f"{each[MODEL]}: {PICTURE} {each[PICTURE]}" for each in cells if each[PICTURE]]
        lines += ["", *below] if below else []
    return "\n".join([*lines, "", _sentence(rows)])


def _sentence(rows: Sequence[Checked]) -> str:
    """How many models there are and how many verdicts are the expected ones, and which are not."""
    unexpected = [row.name for row in rows if row.is_unexpected]
    told = [f"not as expected: {', '.join(unexpected)}"] if unexpected else []
    for judgement, words in (("unfinished", "unfinished"), ("not begun", "not begun"), ("-", "nothing is expected of")):
        names = [row.name for row in rows if row.judgement == judgement]
        told += [f"{words}: {', '.join(names)}"] if names else []
    finished = sum(row.is_finished for row in rows)
    if finished < len(rows):
        return f"{finished} of {len(rows)} models finished; {'; '.join(told)}"
    return f"{len(rows)} of {len(rows)} models; {'; '.join(told) or 'every verdict is as expected'}"


def _table(
    cells: Sequence[dict[str, str]], styles: Sequence[str | None], columns: Sequence[str], padding: int
) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, padding))
    for name in columns:
        is_number = name in RIGHT
        table.add_column(name, justify="right" if is_number else "left", no_wrap=is_number, overflow="fold")
    for each, style in zip(cells, styles, strict=True):
        table.add_row(*(each[name] for name in columns), style=style)
    return table


def _cells(row: Checked) -> dict[str, str]:
    """The cells of a row, by column."""
    found = row.result
    cells = dict.fromkeys((*LEFT, *RIGHT, PICTURE), "")
    cells |= {MODEL: row.name, EXPECTED: row.judgement}
    if found is None:
        return cells | {VERDICT: "ERROR" if row.is_finished else Verdict.NOT_EXHAUSTED.value if row.is_begun else ""}
    if row.files:
        cells[PICTURE] = str(next((file for file in row.files if file.suffix == ".svg"), row.files[0]))
    return cells | {
        VERDICT: found.verdict.value,
        PROPERTY: found.property or "",
        "distinct": f"{found.states_distinct:,}",
        "generated": f"{found.states_generated:,}",
        "depth": str(found.depth),
        "seconds": f"{found.seconds:.2f}",
        "trace": "" if found.trace is None else str(len(found.trace.steps)),
    }
