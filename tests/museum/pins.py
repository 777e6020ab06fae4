"""What each `model/<family>/expected_bugs.toml` pins of its bugs; `python -m tests.museum.pins [ID ...]` pins it anew.

As in `tests.expected`, no number is written by hand. The lengths and counts are those of complete searches.
"""

import argparse
import tomllib
from functools import cache
from typing import Any

from checker.catalogue.museum import Exhibit, Museum, bugs, chosen_bugs
from checker.exploration.verdict import Limits, Verdict
from checker.process.errors import UsageError
from checker.result import Result
from checker.search import check
from tests import expected

FILE = "expected_bugs.toml"

HEADER = """\
# What a search of each known bug must find, by its id. Written by `python -m tests.museum.pins`, never by hand.
# `broken` has for each variant without the fix the length of the shortest counterexample (with the initial state) and
# the distinct states that were met until then; `fixed` the verdict with the fix, all distinct states and the levels.
"""


def museum() -> Museum:
    """A museum that searches without limits, by the reading that answers soonest for a model of that size."""
    sizes = {name: facts["distinct"] for name, facts in expected.pinned().items()}
    return Museum(
        lambda model, limits: check(model, engine=expected.engine_for(sizes[model.name]), limits=limits), Limits()
    )


@cache
def pinned() -> dict[str, Any]:
    """The tables of all these files by the bugs' ids."""
    files = sorted(expected.CATALOGUE.rglob(FILE))
    return {bug: facts for file in files for bug, facts in tomllib.loads(file.read_text(encoding="utf-8")).items()}


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


def readme_table() -> str:
    """The museum as README.md shows it, from what is pinned."""
    rows = ["| bug | what went wrong | violates | states |", "| --- | --- | --- | --- |"]
    facts = pinned()
    for bug in bugs():
        lengths = " and ".join(str(each["trace_states"]) for each in facts[bug.id]["broken"])
        states = facts[bug.id]["fixed"]["distinct"]
        rows.append(f"| {bug.id} | {bug.title} | `{bug.property}` in {lengths} | {states:,} |")
    return "\n".join(rows)


def table_of(identifier: str, facts: dict[str, Any]) -> str:
    """One table of the file."""
    return "\n".join([f'["{identifier}"]', *(f"{key} = {text_of(value)}" for key, value in facts.items())])


def pin(names: list[str]) -> None:
    """Search the bugs named as in `kafkacheck bugs`, or all; write what was found, print README.md's table."""
    searched, facts = museum(), pinned() if names else {}
    for bug in chosen_bugs(names):
        if not bug.lacks:
            facts[bug.id] = facts_of(searched.visit(bug))
    for area in sorted({bug.area for bug in bugs()}):
        tables = [table_of(bug.id, facts[bug.id]) for bug in bugs() if bug.id in facts and bug.area == area]
        text = HEADER + "\n" + "\n\n".join(tables) + "\n"
        (expected.CATALOGUE / area / FILE).write_text(text, encoding="utf-8")
    print(readme_table())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Pins anew what searches of the museum find.")
    parser.add_argument("names", nargs="*", metavar="ID", help="a bug to pin, in place of all")
    try:
        pin(parser.parse_args().names)
    except UsageError as error:
        parser.error(str(error))
