"""`kafkacheck prove`: prove the properties of a model by induction, and search for a behaviour if that fails."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.console.options import (
    EXIT_STATUSES,
    Seconds,
    json_option,
    property_option,
    set_option,
    smt2_option,
    timeout_option,
)
from kafkacheck.checker.console.output import json_text, say, tell
from kafkacheck.checker.console.progress import PLAIN_INTERVAL
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model, Property, Protocol
from kafkacheck.checker.model.settings import headline, rules_of, settings_text, told_settings, with_settings
from kafkacheck.checker.pictures.render import trace_text
from kafkacheck.checker.process import shutdown
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.foreign_code import safe_text
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.process.statuses import INVARIANT_VIOLATED, NOT_EXHAUSTED, STEP_VIOLATED
from kafkacheck.checker.proofs import second_solver
from kafkacheck.checker.proofs.houdini import Found, find_lemmas
from kafkacheck.checker.proofs.judgement import Judgement, ProofVerdict, judge
from kafkacheck.checker.proofs.provable import left_out, left_out_text, with_provable
from kafkacheck.checker.proofs.prove import Checked, Failure, Proof, Settings, begun
from kafkacheck.checker.proofs.prove import prove as prove_by_induction
from kafkacheck.checker.proofs.reached import Reached
from kafkacheck.checker.proofs.scripts import Scripts
from kafkacheck.checker.proofs.solver import VERSION
from kafkacheck.checker.proofs.workers import worker_count
from kafkacheck.checker.schema import pretty
from kafkacheck.checker.traces import trace as traces
from kafkacheck.checker.traces.witness import find_witness

AUTO = "auto"
LEMMAS = "LEMMAS"
"""The name that a file of lemmas defines: a tuple or list of invariants."""

MOST_NAMED = 5
"""At most this many candidates on which the solver gave up are named."""


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@set_option
@property_option
@click.option(
    "--lemmas",
    metavar="auto|FILE",
    help="Use other lemmas than the model's: LEMMAS of a Python file, or those that can be found (auto).",
)
@timeout_option
@click.option(
    "--max-seconds",
    type=Seconds(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="S",
    help="If a proof fails: search for a real counterexample for this long.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), metavar="N", help="Solver processes side by side.  [as many as cores]"
)
@click.option("--no-cache", is_flag=True, help="Prove again what was proved before.")
@smt2_option
@click.option(
    "--solver",
    type=click.Choice(["z3", "cvc5"]),
    default="z3",
    show_default=True,
    help="cvc5: repeat each question to Z3 with cvc5, from SMT-LIB scripts.",
)
@json_option
def prove(
    model_name: str,
    changes: tuple[str, ...],
    properties: tuple[str, ...],
    lemmas: str | None,
    timeout: float,
    max_seconds: float,
    jobs: int | None,
    no_cache: bool,
    scripts: Path | None,
    solver: str,
    as_json: bool,
) -> int:
    """Prove the properties of MODEL for all its states at its bounds, reachable or not, by induction with Z3.

    Every lemma and property must hold at the start and be preserved by every action. If a step fails, a state from
    which it does is shown, and whether a search reaches it. The last line is the verdict.
    """
    model = with_settings(catalogue.find_model(model_name), changes)
    second = second_solver.version() if solver == second_solver.NAME else ""
    chosen = Settings(timeout, jobs or worker_count(), not no_cache, scripts, second)
    limits = Limits(max_seconds=max_seconds)
    return prove_model(model, properties, lemmas, chosen, limits, as_json)


def prove_model(
    model: Model, properties: Sequence[str], lemmas: str | None, settings: Settings, limits: Limits, as_json: bool
) -> int:
    """Prove a model's properties, print the outcome, and return the exit status.

    `lemmas` is "auto", or the name of a file with other lemmas than the model's. ModelError if it has none,
    UsageError if there is no such file, if a property does not exist or cannot be proved, or a file cannot be
    written, EvaluationError if the model's code fails in the search.
    """
    if lemmas not in (None, AUTO):
        model = model.with_given_lemmas(lemmas_of(str(lemmas)))
    wanted = with_provable(model, properties)
    if settings.smt_lib is not None:
        Scripts(settings.smt_lib)  # says at once that the folder is of no use
    if not as_json:
        say(headline(model))
    listener = _Progress(model.name) if as_json else _print_line
    found = None
    chosen: Sequence[Property] | None = None
    proof = None
    if lemmas == AUTO:
        try:
            found = find_lemmas(
                model,
                model.lemmas,
                wanted.properties,
                settings.timeout,
                limits,
                lambda text: tell(f"{model.name}: {text}"),
            )
        except KeyboardInterrupt:
            proof = begun(model, wanted.properties, ())
            proof.interrupted = shutdown.reason()
    if found is not None:
        names = {each.name for each in wanted.properties}
        chosen = found.needed if found.needed is not None else [each for each in found.useful if each.name not in names]
        if not as_json:
            say("\n".join(pool_lines(found)))
    proof = proof or prove_by_induction(model, settings, properties or None, listener, chosen)
    judgement = judge(proof, limits)
    if as_json:
        say(json_text(document(proof, judgement, left_out(wanted, deadlock_is_judged=False), found)))
    else:
        say("\n".join(closing_lines(proof, judgement, left_out_text(wanted, deadlock_is_judged=False))))
    if proof.interrupted:
        tell(f"error: {proof.interrupted}; {len(proof.unknown)} of {len(proof.checked)} obligations are undecided")
    return exit_status(proof, judgement)


def lemmas_of(name: str) -> list[Protocol]:
    """The invariants that LEMMAS in a Python file, or in a module, lists.

    UsageError if there is no such file or module, ModelError if it has no such list.
    """
    if not catalogue.is_found(name):
        raise UsageError(
            f"there are no lemmas {shortened(name)!r}: it is not {AUTO}, no file, and no module that Python finds; "
            f"name a Python file that defines {LEMMAS}, such as path/to/my_lemmas.py"
        )
    listed = catalogue.named_value(name, LEMMAS)
    if not isinstance(listed, tuple | list) or not all(callable(each) for each in listed):
        shown = shortened(safe_text(listed, repr))
        raise ModelError(f"{name}: {LEMMAS} is {shown}; write a tuple of invariants, `{LEMMAS} = (first, second)`")
    return list(listed)


def _print_line(checked: Checked, count: int) -> None:
    say(line(checked))


class _Progress:
    """Says on stderr, every few seconds, how many obligations are done."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = 0
        self._shown = time.monotonic()

    def __call__(self, checked: Checked, count: int) -> None:
        self._done += 1
        if time.monotonic() - self._shown >= PLAIN_INTERVAL:
            self._shown = time.monotonic()
            tell(f"{self._name}: {self._done} of {count} obligations")


def exit_status(proof: Proof, judgement: Judgement) -> int:
    """The exit status for the outcome of a proof."""
    if judgement.verdict is ProofVerdict.PROVED:
        return 0
    if judgement.trace is None:
        return NOT_EXHAUSTED
    is_step = judgement.trace.property in [each.name for each in proof.steps]
    return STEP_VIOLATED if is_step else INVARIANT_VIOLATED


def line(checked: Checked) -> str:
    """An obligation and its outcome: `sorted_queue after node_sends: proved, 0.06 s`."""
    reason = f" ({checked.reason})" if checked.reason else ""
    return f"{checked.obligation.text}: {checked.outcome.value}, {checked.told}{reason}"


def pool_lines(found: Found) -> Iterator[str]:
    """How many candidates for lemmas were dropped and why, and which of the others are needed."""
    clauses = f", {found.clauses:,} of them simple clauses" if found.clauses else ""
    yield (
        f"{found.pool:,} candidates{clauses}: {found.false} are false in a reachable state, "
        f"{found.not_inductive} not inductive"
    )
    if not found.is_complete:
        yield f"    (of the reachable states, {found.states:,} were searched within the limits)"
    if found.is_late:
        yield "    (none of the clauses is used: --max-seconds was over before it was known which are inductive)"
    if found.given_up:
        more = f", and {len(found.given_up) - MOST_NAMED:,} more" if len(found.given_up) > MOST_NAMED else ""
        named = ", ".join(found.given_up[:MOST_NAMED])
        yield f"the solver gave up on these, which were dropped or are open; see --timeout: {named}{more}"
    if found.needed is None:
        yield f"{len(found.kept)} are inductive, but they do not prove everything that was asked for"
        return
    yield f"{len(found.kept)} are inductive; needed, because without any one of them the proof fails:"
    doubtful = {each.name for each in found.doubtful}
    for each in found.needed:
        yield f"    {each.name}" + (
            " (perhaps: whether the proof fails without it was not answered)" * (each.name in doubtful)
        )
    if not found.needed:
        yield "    none"


def closing_lines(proof: Proof, judgement: Judgement, note: str = "") -> Iterator[str]:
    """The lines after the obligations: every counterexample to induction with its reachability, and the verdict.

    `note` comes before the verdict, if it is not empty.
    """
    for name in proof.starts_wrong:
        yield f"\n{name} does not hold in an initial state"
    for each in proof.failed:
        yield ""
        yield from _failure_lines(proof, judgement, each)
    for name, trace in judgement.lemma_traces:
        yield f"\n{name} is false in a reachable state, so it is no lemma:"
        yield trace_text(trace)
    if judgement.trace is not None:
        yield "\na search found a shortest behaviour that violates a property:"
        yield trace_text(judgement.trace)
    yield ""
    if note:
        yield note
    yield from _verdict_lines(proof, judgement)


def _failure_lines(proof: Proof, judgement: Judgement, checked: Checked) -> Iterator[str]:
    each, failure = checked.obligation, checked.failure
    assert failure is not None
    kept = "breaks its contract" if each.is_contract else f"does not preserve {each.subject}"
    yield f"{failure.call} {kept} from this state:"
    yield from (f"    {line}" for line in pretty.lines_unlike_blank(proof.model.layout, failure.before))
    if failure.after is None:
        yield f"  {failure.error}"
    else:
        yield "  and changes"
        for change in _changes(proof, failure):
            yield f"    {change}"
        yield from _witness_lines(proof, each.subject, failure)
    yield f"  {reachability_text(judgement.is_reachable(failure), judgement.reached)}"


def _changes(proof: Proof, failure: Failure) -> list[pretty.Change]:
    assert failure.after is not None
    return pretty.difference(proof.model.layout, failure.before, failure.after)


def _witness_lines(proof: Proof, name: str, failure: Failure) -> Iterator[str]:
    broken = next(each for each in (*proof.invariants, *proof.steps) if each.name == name)
    witness = find_witness(broken, *_states(proof, broken, failure))
    if witness is not None:
        yield f"  {name}: {witness.sentence}".rstrip(" :")
        yield f"    {witness.text}"


def _states(proof: Proof, broken: Property, failure: Failure) -> list[Any]:
    assert failure.after is not None
    states = [failure.before, failure.after] if broken.is_step else [failure.after]
    return [proof.model.layout.restore(values) for values in states]


def reachability_text(is_reachable: bool | None, reached: Reached | None) -> str:
    """Whether a state is reachable, in a sentence."""
    count = f"{reached.counts.distinct:,}" if reached is not None else "0"
    if is_reachable is None:
        return f"whether this state is reachable is open: it is none of the {count} states that were searched"
    if is_reachable:
        return "this state is reachable"
    return f"this state is none of the {count} reachable ones: a lemma that rules it out is missing or was broken"


def _verdict_lines(proof: Proof, judgement: Judgement) -> Iterator[str]:
    model = proof.model
    if not proof.asked:
        what = "are proved" if proof.is_proved else "are all that was asked"
        yield (
            f"{model.name}: there is no safety property to prove, one of states or of steps; the lemmas, and the "
            f"contract of every action, {what}"
        )
    if proof.is_proved:
        for each in proof.asked:
            what = "holds of every step" if each.is_step else "is inductive"
            where = f"for all states with {told_settings(model)}" if settings_text(model) else "for all states"
            yield f"{model.name}: {each.name} {what} ({_count(proof.lemmas)}, {proof.seconds:.1f} s), {where}"
        if proof.second:
            yield second_text(proof)
        if proof.confirmed is not None:
            yield proof.confirmed.told(model)
    words = [f"{model.name}: {judgement.verdict.value}"]
    if judgement.trace is not None:
        words.append(f"{judgement.trace.property} trace={len(judgement.trace.steps)}")
    counted = {
        "obligations": len(proof.checked), "failed": len(proof.failed), "unknown": len(proof.unknown),
    }  # fmt: skip
    words += [f"{name}={count}" for name, count in counted.items()]
    yield " ".join([*words, f"seconds={proof.seconds:.2f}"])


def second_text(proof: Proof) -> str:
    """The work of the second solver, in a line."""
    first, second = (sum(each) for each in zip(*_seconds(proof), strict=True)) if proof.repeated else (0.0, 0.0)
    return (
        f"{proof.model.name}: {proof.second} agrees: {len(proof.repeated)} obligations repeated in {second:.1f} s, in "
        f"which Z3 took {first:.1f} s; the others are proved by their form, or by both solvers before"
    )


def _seconds(proof: Proof) -> list[tuple[float, float]]:
    return [(each.seconds, each.second_seconds or 0.0) for each in proof.repeated]


def _count(lemmas: Sequence[Property]) -> str:
    return f"{len(lemmas)} lemma{'' if len(lemmas) == 1 else 's'}"


def document(
    proof: Proof, judgement: Judgement, left_out: Sequence[str] = (), found: Found | None = None
) -> dict[str, Any]:
    """The JSON document of a proof, and of the search for lemmas if there was one.

    `left_out` names the properties that are not judged. `obligations` are in order; a failed one has its
    counterexample to induction.
    """
    model = proof.model
    lemmas = [each.name for each in proof.lemmas]
    reached = judgement.reached
    return {
        "model": model.name,
        "bounds": model.bounds,
        "rules": rules_of(model),
        "solver": f"Z3 {VERSION}",
        "second_solver": proof.second or None,
        "verdict": judgement.verdict.value,
        "properties": [each.name for each in proof.asked],
        "not_judged": list(left_out),
        "lemmas": lemmas,
        "pool": None if found is None else _pool(found),
        "seconds": round(proof.seconds, 3),
        "starts_wrong": list(proof.starts_wrong),
        "confirmed": None if proof.confirmed is None else asdict(proof.confirmed),
        "obligations": [_entry(proof, judgement, each) for each in proof.checked],
        "searched": None if reached is None else {"states": reached.counts.distinct, "all": reached.is_complete},
        "false_lemmas": {name: traces.to_json(trace) for name, trace in judgement.lemma_traces},
        "trace": None if judgement.trace is None else traces.to_json(judgement.trace),
    }


def _pool(found: Found) -> dict[str, Any]:
    return {
        "searched": {"states": found.states, "all": found.is_complete},
        "candidates": found.pool,
        "clauses": found.clauses,
        "false": found.false,
        "not_inductive": found.not_inductive,
        "inductive": [each.name for each in found.kept],
        "needed": None if found.needed is None else [each.name for each in found.needed],
        "given_up": list(found.given_up),
        "late": found.is_late,
        "doubtful": [each.name for each in found.doubtful],
    }


def _entry(proof: Proof, judgement: Judgement, checked: Checked) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "subject": checked.obligation.subject,
        "action": checked.obligation.action,
        "outcome": checked.outcome.value.lower(),
        "seconds": round(checked.seconds, 3),
        "how": checked.how or "solver",
    }
    if checked.second_seconds is not None:
        entry["second_seconds"] = round(checked.second_seconds, 3)
    if checked.reason:
        entry["reason"] = checked.reason
    failure = checked.failure
    if failure is not None:
        layout = proof.model.layout
        entry["counterexample"] = {
            "state": layout.to_json(layout.restore(failure.before)),
            "parameters": failure.action.named([int(value) for value in failure.parameters]),
            "after": None if failure.after is None else layout.to_json(layout.restore(failure.after)),
            "error": failure.error or None,
            "is_reachable": judgement.is_reachable(failure),
        }
    return entry
