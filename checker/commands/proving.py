"""What `kafkacheck prove` does once the command line is read: prove, search where that fails, print, and judge."""

import time
from collections.abc import Sequence

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.commands import proof_report
from kafkacheck.checker.commands.output import say, tell
from kafkacheck.checker.commands.progress import PLAIN_INTERVAL
from kafkacheck.checker.commands.report import json_text
from kafkacheck.checker.exploration.verdict import Limits
from kafkacheck.checker.model import Model, Property, Protocol
from kafkacheck.checker.model.settings import headline
from kafkacheck.checker.process import endings
from kafkacheck.checker.process.errors import ModelError, UsageError
from kafkacheck.checker.process.foreign import said
from kafkacheck.checker.process.names import shortened
from kafkacheck.checker.process.statuses import INVARIANT_VIOLATED, NOT_EXHAUSTED, STEP_VIOLATED
from kafkacheck.checker.proofs.houdini import find_lemmas
from kafkacheck.checker.proofs.judgement import Judgement, ProofVerdict, judge
from kafkacheck.checker.proofs.provable import left_out, left_out_text, with_provable
from kafkacheck.checker.proofs.prove import Checked, Proof, Settings, begun, prove
from kafkacheck.checker.proofs.scripts import Scripts

AUTO = "auto"
LEMMAS = "LEMMAS"
"""What a file of lemmas defines: a tuple or list of invariants."""


def prove_model(
    model: Model, properties: Sequence[str], lemmas: str | None, settings: Settings, limits: Limits, as_json: bool
) -> int:
    """Prove a model's properties, print what became of it, and return the exit status.

    `lemmas` is "auto", or the name of a file with other lemmas than the model's. ModelError where it has none,
    UsageError where there is no such file, where a property does not exist or cannot be proved, or a file cannot be
    written, EvaluationError where the model's code fails in the search.
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
            proof.interrupted = endings.told()
    if found is not None:
        names = {each.name for each in wanted.properties}
        chosen = found.needed if found.needed is not None else [each for each in found.useful if each.name not in names]
        if not as_json:
            say("\n".join(proof_report.pool_lines(found)))
    proof = proof or prove(model, settings, properties or None, listener, chosen)
    judgement = judge(proof, limits)
    if as_json:
        say(json_text(proof_report.document(proof, judgement, left_out(wanted, deadlock_is_judged=False), found)))
    else:
        say("\n".join(proof_report.closing_lines(proof, judgement, left_out_text(wanted, deadlock_is_judged=False))))
    if proof.interrupted:
        tell(f"error: {proof.interrupted}; {len(proof.unknown)} of {len(proof.checked)} obligations are undecided")
    return exit_status(proof, judgement)


def lemmas_of(name: str) -> list[Protocol]:
    """The invariants that LEMMAS in a Python file, or in a module, lists.

    UsageError where there is no such file or module, ModelError where it has no such list.
    """
    if not catalogue.is_found(name):
        raise UsageError(
            f"there are no lemmas {shortened(name)!r}: it is not {AUTO}, no file, and no module that Python finds; "
            f"name a Python file that defines {LEMMAS}, such as path/to/my_lemmas.py"
        )
    listed = catalogue.named_value(name, LEMMAS)
    if not isinstance(listed, tuple | list) or not all(callable(each) for each in listed):
        shown = shortened(said(listed, repr))
        raise ModelError(f"{name}: {LEMMAS} is {shown}; write a tuple of invariants, `{LEMMAS} = (first, second)`")
    return list(listed)


def _print_line(checked: Checked, count: int) -> None:
    say(proof_report.line(checked))


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
    """The exit status for what became of a proof."""
    if judgement.verdict is ProofVerdict.PROVED:
        return 0
    if judgement.trace is None:
        return NOT_EXHAUSTED
    is_step = judgement.trace.property in [each.name for each in proof.steps]
    return STEP_VIOLATED if is_step else INVARIANT_VIOLATED
