"""What each `model/<family>/expected.toml` pins; `python -m tests.expected [MODEL ...]` pins it anew.

The counts are those of complete runs.

The verdict of a model is decided by whoever writes its docstring; the numbers are what a search of this very code
counts. So the numbers are never written by hand, and a changed verdict shows in the difference of the file.
"""

import argparse
import tomllib
from functools import cache

from kafkacheck.checker.catalogue.catalogue import EXPECTED_FILE, catalogue_names, find_model, full_name
from kafkacheck.checker.model import Model
from kafkacheck.checker.result import Result
from kafkacheck.checker.search import check
from tests import ROOT

CATALOGUE = ROOT / "model"

INTERPRETED_UP_TO = 4_000
"""Up to about this many states plain Python is about as quick as compiling."""

HEADER = """\
# What a check of each model at its default bounds must find. Written by `python -m tests.expected`, never by hand:
# `verdict` and `property` (the one violated) as the models' docstrings explain them, `trace_states` the length of the
# shortest counterexample with the initial state, and the counts of distinct states, generated states and levels. The
# level in which a violation appears is counted whole.
"""


def model_of(name: str) -> Model:
    """The catalogue model of that name."""
    return find_model(name)


@cache
def pinned() -> dict[str, dict]:
    """The tables of all expected.toml by model name."""
    files = sorted(CATALOGUE.rglob(EXPECTED_FILE))
    return {name: facts for file in files for name, facts in tomllib.loads(file.read_text(encoding="utf-8")).items()}


def names_of(family: str, most: int = 10**7) -> list[str]:
    """The catalogue's models of a family at whose default bounds a search visits at most `most` states.

    None of them is defined for that, so that every process that collects tests begins soon.
    """
    sizes = {name: facts["distinct"] for name, facts in pinned().items()}
    return [name for name in catalogue_names() if name.split(".")[0] == family and sizes.get(name, 0) <= most]


def facts_of(result: Result) -> dict:
    """What a result says, in the form in which it is pinned."""
    facts = {"verdict": result.verdict.name}
    if result.property is not None:
        facts["property"] = result.property
    if result.trace is not None:
        facts["trace_states"] = len(result.trace.steps)
    return facts | {"distinct": result.states_distinct, "generated": result.states_generated, "depth": result.depth}


def engine_for(states: int) -> str:
    """The reading that answers soonest where nothing is compiled yet."""
    return "interpreted" if states <= INTERPRETED_UP_TO else "compiled"


def toml_of(name: str, facts: dict) -> str:
    """One table of expected.toml."""
    lines = [f'["{name}"]' if "." in name else f"[{name}]"]
    for key, value in facts.items():
        text = f'"{value}"' if isinstance(value, str) else f"{value:_}"
        lines.append(f"{key} = {text}")
    return "\n".join(lines)


def pin(chosen: list[str]) -> None:
    """Check the chosen models, all where none is chosen, and write what was found."""
    facts = pinned() if chosen else {}
    for name in chosen or catalogue_names():
        facts[name] = facts_of(check(model_of(name), engine="compiled"))
    for family in sorted({name.partition(".")[0] for name in facts}):
        names = [name for name in catalogue_names() if name in facts and f"{name}.".startswith(f"{family}.")]
        text = HEADER + "\n" + "\n\n".join(toml_of(name, facts[name]) for name in names) + "\n"
        (CATALOGUE / family / EXPECTED_FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Pins anew what searches of the catalogue find.")
    parser.add_argument("names", nargs="*", metavar="MODEL", help="a model of the catalogue to pin, in place of all")
    names = parser.parse_args().names
    for unknown in sorted(name for name in names if full_name(name) is None):
        parser.error(f"there is no model {unknown!r} in the catalogue; `kafkacheck models` lists them")
    pin([str(full_name(name)) for name in names])
