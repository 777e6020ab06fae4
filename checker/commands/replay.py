"""`kafkacheck replay`: run a saved trace on today's code."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker import regression
from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.commands.check import exit_status
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, json_option, set_option
from kafkacheck.checker.console.output import json_text, say
from kafkacheck.checker.exploration.verdict import Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.model.settings import rules_of, settings_text, told_settings
from kafkacheck.checker.pictures.render import replay_text
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.process.files import write_together
from kafkacheck.checker.process.statuses import DEADLOCK, NO_LONGER_APPLIES
from kafkacheck.checker.traces import replay as replaying
from kafkacheck.checker.traces import saved as saved_traces


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@click.argument("path", metavar="TRACE.json", type=Place())
@set_option
@click.option("--system", metavar="SYSTEM", help="Drive this system along the trace, too, as `conform` does.")
@click.option(
    "--pytest", "test", type=Place(), metavar="FILE", help="Write a test that fails until the code is mended."
)
@json_option
def replay(
    model_name: str, path: Path, changes: tuple[str, ...], system: str | None, test: Path | None, as_json: bool
) -> int:
    """Run a saved trace of MODEL step by step on today's code.

    MODEL has the bounds and rules that were saved with the trace; --set gives it others. The last line says whether
    the trace still ends in what it was saved for (status 11, 12 or 13 as for `check`), no longer does (0), or at which
    step it no longer applies (1). With --system it says whether the system still differs (23). --pytest keeps the
    trace as a regression test, which fails now, and passes once a step is refused or nothing is violated any more; it
    prints no more than that (status 0).
    """
    if test is not None:
        _keep(model_name, path, changes, test)
        say(json_text({"written": str(test)}) if as_json else f"written: {test}")
        return 0
    return replay_trace(catalogue.find_model(model_name), path, changes, as_json, system)


def _keep(model_name: str, path: Path, changes: Sequence[str], test: Path) -> None:
    """Write a trace as a test. UsageError if the trace breaks nothing any more, or is no violation."""
    saved = saved_traces.read(path)
    if saved.difference is not None:
        raise UsageError(
            f"{path} says how a system differs, which no test of the model can show; use `replay --system`"
        )
    model = saved_traces.as_saved(catalogue.find_model(model_name), saved, changes).with_lemmas()
    trace, unknown = saved_traces.load(model, saved)
    schedule = regression.schedule_of(trace, model_name, test.parent)
    if unknown is not None or not schedule.failure(test.parent):
        raise UsageError(
            f"{path} no longer breaks {saved.property or 'anything'} on the code as it is, so that its test would "
            "pass; write the test before you mend the code"
        )
    write_together({test: regression.page(schedule, trace)})


def replay_trace(model: Model, path: Path, changes: Sequence[str], as_json: bool, system: str | None = None) -> int:
    """Run a saved trace on today's code, with the bounds and rules that it was saved with and then `--set` `changes`.

    If it applies and a `system` is named, that is driven along it, too. Prints the outcome; the exit status is that of
    the violation if it remains, 0 if nothing is violated any more, and NO_LONGER_APPLIES. UsageError if the file is no
    trace of the model, EvaluationError if the model's code fails.
    """
    saved = saved_traces.read(path)
    model = saved_traces.as_saved(model, saved, changes)
    if not as_json:
        is_same = settings_text(model) == saved.settings()
        source = "as saved with the trace" if is_same else f"the trace was saved with {saved.settings()}"
        now = told_settings(model)
        say(f"{model.name}: {now} ({source})" if now else f"{model.name}: no bounds or rules")
    outcome = replaying.replay(model, *saved_traces.load(model, saved))
    violated, length, status = outcome.trace.property, len(outcome.trace.steps), 0
    if system is not None and outcome.failed_step is None:
        from kafkacheck.checker.commands.conform import replay_beside

        return replay_beside(model, system, saved, outcome.trace, as_json)
    if outcome.violated_step is not None:
        verdict, told = "VIOLATED", f"still violates {violated} trace={outcome.violated_step + 1}"
        status = exit_status(model, Verdict.VIOLATED, violated)
    elif outcome.failed_step is not None:
        verdict, told = "NO_LONGER_APPLIES", f"the trace no longer applies at step {outcome.failed_step + 1}"
        status = NO_LONGER_APPLIES
    elif saved.difference is not None:
        verdict, told = "APPLIES", f"the steps apply trace={length}; --system compares a system"
    elif violated is not None:
        verdict, told = "NO_LONGER_VIOLATED", f"no longer violates {violated} trace={length}"
    elif not outcome.is_deadlock:
        verdict, told = "NO_LONGER_DEADLOCK", f"no longer a deadlock trace={length}"
    elif not model.check_deadlock:
        verdict = "DEADLOCK_ALLOWED"
        told = f"still without an enabled action, which {model.name} now allows trace={length}"
    else:
        verdict, told, status = "DEADLOCK", f"still a deadlock trace={length}", DEADLOCK
    if as_json:
        say(json_text(document(model, verdict, outcome)))
    else:
        say(replay_text(outcome))
        say(f"{model.name}: {told}")
    return status


def document(model: Model, verdict: str, outcome: replaying.ReplayOutcome) -> dict[str, Any]:
    """The JSON document of a replay.

    `step` is the number, from 1 on, of the first step that no longer applies, or else of the one in which the property
    is violated; `call`, `reason` and `differences` tell which call no longer applies and why.
    """
    step = outcome.violated_step if outcome.violated_step is not None else outcome.failed_step
    return {
        "model": model.name,
        "verdict": verdict,
        "property": outcome.trace.property,
        "step": None if step is None else step + 1,
        "call": outcome.failed_call or None,
        "reason": outcome.reason or None,
        "differences": [{"field": each.path, "saved": each.before, "now": each.after} for each in outcome.differences],
        "bounds": dict(model.bounds),
        "rules": rules_of(model),
    }
