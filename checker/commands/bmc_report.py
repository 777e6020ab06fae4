"""What `kafkacheck bmc` does once the command line is read: check, write and print what was found, and judge."""

from pathlib import Path
from typing import Any

from kafkacheck.checker.commands.confirmed_report import confirmed_entry, confirmed_text
from kafkacheck.checker.commands.output import say, tell
from kafkacheck.checker.commands.report import json_text
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, rules_of
from kafkacheck.checker.pictures.render import trace_text, write_files
from kafkacheck.checker.process.errors import EvaluationError
from kafkacheck.checker.process.files import make_usable
from kafkacheck.checker.process.statuses import (
    DEADLOCK,
    EVALUATION_FAILED,
    INVARIANT_VIOLATED,
    NOT_EXHAUSTED,
    STEP_VIOLATED,
)
from kafkacheck.checker.proofs.bmc import BoundedResult, BoundedVerdict, check_bounded
from kafkacheck.checker.proofs.provable import left_out, left_out_text
from kafkacheck.checker.proofs.scripts import Scripts
from kafkacheck.checker.proofs.solver import VERSION
from kafkacheck.checker.traces import trace as traces


def check_model(
    model: Model, depth: int, timeout: float, folder: Path | None, script_folder: Path | None, as_json: bool
) -> int:
    """Check all behaviours of at most `depth` states, print what was found, and return the exit status.

    `script_folder`, if one is given, gets every question as an SMT-LIB script. UsageError where a file cannot be
    written, EvaluationError where the model's code fails.
    """
    if folder is not None:
        make_usable(folder)
    scripts = None if script_folder is None else Scripts(script_folder)
    if not as_json:
        say(headline(model))

    def progress(done: int, seconds: float) -> None:
        tell(f"{model.name}: nothing is wrong in {done} states, {seconds:.2f} s")

    result = check_bounded(model, depth, timeout, progress, scripts)
    files: tuple[Path, ...] = ()
    if result.trace is not None and folder is not None:
        written = write_files(result.trace, folder)
        files = written.files
        for note in written.notes:
            tell(f"note: {note}")
    if as_json:
        say(json_text(document(result, files)))
    else:
        if result.trace is not None:
            say(trace_text(result.trace))
        for file in files:
            say(f"written: {file}")
        if result.verdict in (BoundedVerdict.UNKNOWN, BoundedVerdict.TIMEOUT):
            say(f"longer behaviours than {result.depth} states are not decided: {result.reason}")
        if result.confirmed is not None:
            say(confirmed_text(model, result.confirmed))
        note = left_out_text(model, deadlock_is_judged=True)
        if note:
            say(note)
        say(closing_line(result))
    if result.verdict is BoundedVerdict.EVALUATION_FAILED:
        raise EvaluationError(result.reason)
    return exit_status(result)


def closing_line(result: BoundedResult) -> str:
    """The last line, such as `lock: VIOLATED mutual_exclusion trace=12 depth=12 seconds=...`."""
    words = [f"{result.model.name}:", result.verdict.value]
    if result.property is not None:
        words.append(result.property)
    if result.trace is not None:
        words.append(f"trace={len(result.trace.steps)}")
    return " ".join([*words, f"depth={result.depth}", f"seconds={result.seconds:.2f}"])


def document(result: BoundedResult, files: tuple[Path, ...]) -> dict[str, Any]:
    """The JSON document of a bounded check; `depth` as in the closing line."""
    model = result.model
    return {
        "model": model.name,
        "bounds": model.bounds,
        "rules": rules_of(model),
        "solver": f"Z3 {VERSION}",
        "verdict": result.verdict.value,
        "property": result.property,
        "not_judged": left_out(model, deadlock_is_judged=True),
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "reason": result.reason or None,
        "confirmed": confirmed_entry(result.confirmed),
        "trace": None if result.trace is None else traces.to_json(result.trace)["trace"],
        "files": [str(file) for file in files],
    }


def exit_status(result: BoundedResult) -> int:
    """The exit status for what a bounded check has found."""
    if result.verdict is BoundedVerdict.VIOLATED:
        is_step = any(each.is_step for each in result.model.properties if each.name == result.property)
        return STEP_VIOLATED if is_step else INVARIANT_VIOLATED
    return {
        BoundedVerdict.HOLDS: 0,
        BoundedVerdict.DEADLOCK: DEADLOCK,
        BoundedVerdict.EVALUATION_FAILED: EVALUATION_FAILED,
    }.get(result.verdict, NOT_EXHAUSTED)
