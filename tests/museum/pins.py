"""What each `model/<family>/expected_bugs.toml` pins of its bugs; `python -m tests.museum.pins [ID ...]` pins it anew.

As in `tests.expected`, no number is written by hand. The lengths and counts are those of complete searches.
"""

import argparse
from typing import Any

from kafkacheck.checker.catalogue.museum import PINNED_FILE, Exhibit, Museum, bugs, chosen_bugs, pinned
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.model import Model
from kafkacheck.checker.process.errors import UsageError
from kafkacheck.checker.result import Result
from kafkacheck.checker.search import check
from tests import expected

HEADER = """\
# What a search of each known bug must find, by its id. Written by `python -m tests.museum.pins`, never by hand.
# `broken` has for each variant without the fix the length of the shortest counterexample (with the initial state) and
# the distinct states that were met until then; `fixed` the verdict with the fix, all distinct states and the levels.
"""


def museum(engine: str | None = None) -> Museum:
    """A museum that searches without limits by a reading, or by that which answers soonest for a model of that size."""
    sizes = {name: facts["distinct"] for name, facts in expected.pinned().items()}

    def search(model: Model, limits: Limits) -> Result:
        return check(model, engine=engine or expected.engine_for(sizes[model.name]), limits=limits)

    return Museum(search, Limits())


def variant_of(result: Result) -> dict[str, Any]:
    """What is pinned of one variant without the fix."""
    found = result.trace if result.verdict is Verdict.VIOLATED else None
    return {"trace_states": len(found.steps) if found else 0, "distinct": result.states_distinct}


def fixed_of(result: Result) -> dict[str, Any]:
    """What is pinned of the half with the fix."""
    return {"verdict": result.verdict.name, "distinct": result.states_distinct, "depth": result.depth}


def facts_of(exhibit: Exhibit) -> dict[str, Any]:
    """What is pinned of one bug."""
    assert exhibit.fixed is not None
    return {"broken": [variant_of(each) for each in exhibit.broken], "fixed": fixed_of(exhibit.fixed)}


def text_of(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {text_of(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(text_of(inner) for inner in value) + "]"
    return f'"{value}"' if isinstance(value, str) else f"{value:_}"


def table_of(identifier: str, facts: dict[str, Any]) -> str:
    """One table of the file."""
    return "\n".join([f'["{identifier}"]', *(f"{key} = {text_of(value)}" for key, value in facts.items())])


def pin(names: list[str]) -> None:
    """Search the bugs named as in `kafkacheck bugs`, or all, and write what was found."""
    searched, facts = museum(), pinned() if names else {}
    for bug in chosen_bugs(names):
        if not bug.lacks:
            facts[bug.id] = facts_of(searched.visit(bug))
    for folder in sorted({bug.folder for bug in bugs()}):
        tables = [table_of(bug.id, facts[bug.id]) for bug in bugs() if bug.id in facts and bug.folder == folder]
        text = HEADER + "\n" + "\n\n".join(tables) + "\n"
        (expected.CATALOGUE / folder / PINNED_FILE).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Pins anew what searches of the museum find.")
    parser.add_argument("names", nargs="*", metavar="ID", help="a bug to pin, in place of all")
    try:
        pin(parser.parse_args().names)
    except UsageError as error:
        parser.error(str(error))
