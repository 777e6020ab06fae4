"""The commands that put questions to the solver: `prove`, `bmc` and `equivalent`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.commands.options import EXIT_STATUSES, Place, Seconds, json_option, set_option
from kafkacheck.checker.model import settings

TIMEOUT = 60.0
"""Seconds for a single question to the solver, unless told otherwise."""


def timeout_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--timeout`, the same for every command that has it."""
    return click.option(
        "--timeout",
        type=Seconds(min=0, min_open=True),
        default=TIMEOUT,
        show_default=True,
        metavar="S",
        help="Give up a single question to the solver after this much time.",
    )(command)


def property_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--property`, the same for every command that has it."""
    return click.option(
        "--property", "properties", metavar="NAME", multiple=True, help="Only this property. May be repeated."
    )(command)


def smt2_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option `--smt2`, the same for every command that has it."""
    return click.option(
        "--smt2",
        "--smt-lib",
        "scripts",
        type=Place(),
        metavar="DIR",
        help="Write every question as an SMT-LIB 2 script into this folder, with an index.",
    )(command)


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL")
@set_option
@property_option
@click.option(
    "--lemmas",
    metavar="auto|FILE",
    help="Other lemmas than the model's: those in LEMMAS of a Python file, or what can be found (auto).",
)
@timeout_option
@click.option(
    "--max-seconds",
    type=Seconds(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Where a proof fails: search for a real counterexample for so long.",
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
    help="cvc5: let it repeat, from SMT-LIB scripts, everything that Z3 is asked.",
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

    Every lemma and property must hold at the start and be preserved by every action. Where a step fails, a state from
    which it does is shown, and whether a search reaches it. The last line is the verdict.
    """
    from kafkacheck.checker.commands import proving
    from kafkacheck.checker.exploration.verdict import Limits
    from kafkacheck.checker.proofs import second_solver
    from kafkacheck.checker.proofs.prove import Settings
    from kafkacheck.checker.proofs.workers import worker_count

    model = settings.with_settings(catalogue.find_model(model_name), changes)
    second = second_solver.version() if solver == second_solver.NAME else ""
    chosen = Settings(timeout, jobs or worker_count(), not no_cache, scripts, second)
    limits = Limits(max_seconds=max_seconds)
    return proving.prove_model(model, properties, lemmas, chosen, limits, as_json)


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

    BOUNDED means that nothing is wrong in these, HOLDS that there are no longer ones; UNKNOWN and TIMEOUT that the
    solver gave up, at the depth that is said.
    """
    from kafkacheck.checker.commands import bmc_report
    from kafkacheck.checker.proofs.provable import with_provable

    model = with_provable(settings.with_settings(catalogue.find_model(model_name), changes), properties)
    return bmc_report.check_model(model, depth, timeout, folder, scripts, as_json)


@click.command(epilog=EXIT_STATUSES)
@click.argument("model_name", metavar="MODEL_A")
@click.argument("other_name", metavar="MODEL_B")
@click.option("--action", "actions", metavar="NAME", multiple=True, help="Compare only this action. May be repeated.")
@set_option
@timeout_option
@smt2_option
@json_option
def equivalent(
    model_name: str,
    other_name: str,
    actions: tuple[str, ...],
    changes: tuple[str, ...],
    timeout: float,
    scripts: Path | None,
    as_json: bool,
) -> int:
    """Prove that the actions of MODEL_A and MODEL_B do the same on every well-typed state, or show where not.

    For an edit that claims to be a refactoring: name the model in another copy of the sources as MODEL_B, by the path
    of its file. The modules beside that file are read with it. --set goes for both.
    """
    from kafkacheck.checker.commands import equivalent_report

    model = settings.with_settings(catalogue.find_model(model_name), changes)
    return equivalent_report.compare_models(model, other_name, changes, actions, timeout, scripts, as_json)


COMMANDS = (prove, bmc, equivalent)
