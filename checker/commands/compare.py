"""`kafkacheck compare`: the states and steps that two state graphs do not have in common."""

import sys
from pathlib import Path
from typing import Any

import click

from kafkacheck.checker.commands.analyze import models_of, opened, print_trace, session
from kafkacheck.checker.console.options import EXIT_STATUSES, Place, model_option, spark_options
from kafkacheck.checker.console.output import say
from kafkacheck.checker.process.errors import UsageError


@click.command(epilog=EXIT_STATUSES)
@click.argument("folder_a", metavar="DIR_A", type=Place())
@click.argument("folder_b", metavar="DIR_B", type=Place())
@model_option(multiple=True)
@spark_options
def compare(folder_a: Path, folder_b: Path, named: tuple[str, ...], master: str | None, conf: tuple[str, ...]) -> int:
    """Tell which states and steps the state graph in DIR_B has lost and gained against the one in DIR_A.

    Both must have the same fields; bounds and rules may differ. The first new behaviour is shown, and the first lost.
    """
    from kafkacheck.checker.graphs import analysis_page, data_trace

    folders = {"a": folder_a, "b": folder_b}
    runs = {side: opened(folder) for side, folder in folders.items()}
    if runs["a"]["schema"] != runs["b"]["schema"]:
        raise UsageError(
            f"{folder_a} and {folder_b} have states of different fields, so they cannot be compared: "
            f"{runs['a']['schema']} and {runs['b']['schema']}"
        )
    texts = dict(zip("ab", models_of(list(folders.values()), list(runs.values()), named), strict=True))
    with session(master, conf) as analysis:
        for side, folder in folders.items():
            analysis.open_views(folder, runs[side], f"_{side}")
        columns = {side: list(run["columns"].values()) for side, run in runs.items()}
        takes = {side: any(each["parameters"] for each in run["actions"].values()) for side, run in runs.items()}
        found = analysis.difference(columns, takes)
    for side in "ab":
        say(f"{side}: {folders[side]}: {_settings_of(runs[side])}")
    say(f"\n{analysis_page.table_text('By level', found.levels, sys.stdout.isatty())}")
    for side, told in (("b", "The first behaviour that is new in b"), ("a", "The first behaviour that b has lost")):
        state, step = found.first_state.get(side), found.first_step.get(side)
        if state is None and step is None:
            say(f"\n{told}: none")
            continue
        say(f"\n{told}:")
        is_initial = state is not None and state["level"] == 1
        if step is None or is_initial:
            assert state is not None
            print_trace(data_trace.trace_to(folders[side], runs[side], state["level"], state["state"], texts[side]))
        else:
            print_trace(data_trace.trace_with_step(folders[side], runs[side], step, texts[side]))
    total = {name: sum(found.levels[name].to_pylist()) for name in found.levels.column_names[3:]}
    say(
        f"states: {total['states_lost']} lost, {total['states_gained']} gained; "
        f"steps: {total['steps_lost']} lost, {total['steps_gained']} gained"
    )
    return 0


def _settings_of(run: dict[str, Any]) -> str:
    told = " ".join(f"{name}={value}" for name, value in {**run["bounds"], **run["rules"]}.items())
    return f"{run['model']} {told} states={run['states']} steps={run['edges']}"
