"""`kafkacheck bmc`: check all behaviours of a model up to a length, by the solver."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    Place,
    json_option,
    property_option,
    set_option,
    smt2_option,
    timeout_option,
)
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import headline, rules_of, with_settings
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
from kafkacheck.checker.proofs.provable import left_out, left_out_text, with_provable
from kafkacheck.checker.proofs.scripts import Scripts
from kafkacheck.checker.proofs.solver import VERSION
from kafkacheck.checker.traces import trace as traces


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.option(
    "--depth", type=click.IntRange(min=1), required=True, metavar="N", help="How many states a behaviour has at most."
)
@set_option
@property_option
@timeout_option
@click.option(
    "--out",
    "folder",
    type=Place(),
    metavar="DIR",
    help="Write a counterexample into this folder: JSON, ITF, DOT and SVG.",
)
@smt2_option
@json_option
def bmc(
    model_name: str,
    depth: int,
    changes: tuple[str, ...],
    properties: tuple[str, ...],
    timeout: float,
    folder: Path | None,
    scripts: Path | None,
    as_json: bool,
) -> int:
    """Check every behaviour of MODEL that has at most N states, by unrolling its actions for Z3.

    BOUNDED: nothing is wrong in these behaviours. HOLDS: besides, no behaviour is longer. UNKNOWN and TIMEOUT: the
    solver gave up, at the depth that is printed.
    """
    model = with_provable(with_settings(catalogue.find_model(model_name), changes), properties)
    return check_model(model, depth, timeout, folder, scripts, as_json)


def check_model(
    model: Model, depth: int, timeout: float, folder: Path | None, script_folder: Path | None, as_json: bool
) -> int:
    """Check all behaviours of at most `depth` states, print what was found, and return the exit status.

    `script_folder`, if one is given, gets every question as an SMT-LIB script. UsageError if a file cannot be
    written, EvaluationError if the model's code fails.
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
            say(result.confirmed.told(model))
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
        "confirmed": None if result.confirmed is None else asdict(result.confirmed),
        "trace": None if result.trace is None else traces.to_json(result.trace)["trace"],
        "files": [str(file) for file in files],
    }


def exit_status(result: BoundedResult) -> int:
    """The exit status for the result of a bounded check."""
    if result.verdict is BoundedVerdict.VIOLATED:
        is_step = any(each.is_step for each in result.model.properties if each.name == result.property)
        return STEP_VIOLATED if is_step else INVARIANT_VIOLATED
    return {
        BoundedVerdict.HOLDS: 0,
        BoundedVerdict.DEADLOCK: DEADLOCK,
        BoundedVerdict.EVALUATION_FAILED: EVALUATION_FAILED,
    }.get(result.verdict, NOT_EXHAUSTED)
