"""Pages in Markdown: the README is short, links lead somewhere, and generated pages are what their command prints."""

import re
from pathlib import Path

import pytest

from kafkacheck.checker.commands.command_line import main
from kafkacheck.checker.commands.properties import first_sentence, used_in
from kafkacheck.checker.process.sources import CHECKER
from tests.kafka import judged
from tests.project import map as map_of_rules
from tests.project.style_rules import KAFKA_WORDS, words_in
from tests.support.command import ROOT, TANK, in_process, write

PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part in ("out", "build", "dist") for part in path.relative_to(ROOT).parts)
)
NAMES = [path.relative_to(ROOT).as_posix() for path in PAGES]


def anchors_of(text: str) -> set[str]:
    """The anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page: Path) -> list[str]:
    """The relative links of a page that lead to no file, or to no heading of it."""
    broken = []
    for link in re.findall(r"\]\((?!\w+:)([^)]+)\)", page.read_text("utf-8")):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors_of(target.read_text("utf-8"))):
            broken.append(link)
    return broken


def test_the_readme_is_short():
    text = (ROOT / "README.md").read_bytes()
    assert len(text) <= 12_000 and len(text.splitlines()) <= 250


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    assert broken_links(ROOT / name) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One: two\n[a](page.md) [b](gone.md) [c](#one-two) [d](page.md#two) [e](https://example.org)\n")
    assert broken_links(page) == ["gone.md", "page.md#two"]


def test_there_are_pages_and_those_of_the_checker_fit_every_system():
    assert {"README.md", "model/BUGS.md", "spec/PROPERTIES.md", "checker/graphs/README.md"} <= set(NAMES)
    for page in CHECKER.rglob("*.md"):
        words = set(words_in(page.read_text("utf-8")))
        assert not {word for word in words if word in KAFKA_WORDS or word.removesuffix("s") in KAFKA_WORDS}, page


@pytest.mark.slow
def test_the_page_of_the_properties_is_what_the_command_prints(capsys):
    assert main(["properties", "--markdown"]) == 0
    page = (ROOT / "spec" / "PROPERTIES.md").read_text("utf-8")
    assert page == capsys.readouterr().out, "write it anew: kafkacheck properties --markdown > spec/PROPERTIES.md"


def test_the_map_of_the_rules_is_what_the_docstrings_say():
    text = (ROOT / "impl" / "MAP.md").read_text("utf-8")
    assert text == map_of_rules.page(), "write it anew: python -m tests.project.map > impl/MAP.md"
    assert "| `obey_as_leader` | BecomeLeader; Kafka's Partition.makeLeader |" in text.splitlines()
    assert map_of_rules.part("Source", "F.\n\n    When: a.\n    Source: b |\n        c.\n    Left out: d.") == "b \\| c"
    assert map_of_rules.part("Source", "F.") == map_of_rules.part("Source", None) == ""


def test_the_page_of_the_judges_is_what_was_recorded(tmp_path, monkeypatch):
    text = (ROOT / "impl" / "JUDGED.md").read_text("utf-8")
    assert text == judged.page(), "write it anew: python -m tests.kafka.judged > impl/JUDGED.md"
    assert judged.NOT_YET not in text, "name the class that judges the module, or why none does, in judged.py"
    assert set(judged.covered()) <= {run.name for run in judged.RUNS}
    monkeypatch.setattr(judged, "COVERED", tmp_path / "covered.toml")
    judged.record("a:b", "4.4.0", "m: CONFORMS fields=1/2 actions=1/1 edges=3/4 refusals=0/0 steps=9 walked=1")
    told = {"kafka": "4.4.0", "outcome": "CONFORMS", "edges": "3/4", "refusals": "0/0", "steps": "9"}
    assert judged.covered() == {"a:b": told}


BUG = """
["LEAK-1"]
title = "the valve stays | open"
model = "tank"
property = "never_full"
broken = [{ valve = "OPEN" }]
fixed_by = "TAP-8: shut it"
"""
PINS = """
["LEAK-1"]
broken = [{ trace_states = 4, distinct = 4 }]
fixed = { verdict = "HOLDS", distinct = 3_000, depth = 3 }
"""


@pytest.fixture
def place(tmp_path):
    write(tmp_path / "model" / "__init__.py", "")
    write(tmp_path / "model" / "tank.py", TANK)
    write(tmp_path / "model" / "pipes" / "bugs.toml", BUG)
    return tmp_path


def test_properties_are_listed_with_the_models_that_use_them_and_what_violates_them(place):
    ended = in_process("properties", folder=place)
    assert ended.status == 0, ended.err
    told = r"^never_full  \(invariant, model/tank.py:\d+\)\n    .*\n    in: tank\n    violated by: LEAK-1$"
    assert re.search(told, ended.out, re.MULTILINE)
    assert re.search(r"^rises_slowly  \(step, ", ended.out, re.MULTILINE)
    page = in_process("properties", "--markdown", folder=place).out
    assert "## [model/tank.py](../model/tank.py)" in page
    assert re.search(r"^\| `never_full` \| invariant \| .* \| `tank` \| LEAK-1 \|$", page, re.MULTILINE)


def test_the_page_of_bugs_has_what_is_pinned_and_says_if_nothing_is(place):
    ended = in_process("bugs", "--list", "--markdown", folder=place)
    assert ended.status == 0, ended.err
    assert "| LEAK-1 | the valve stays \\| open | `tank` | `never_full` | - | - | TAP-8: shut it |" in ended.out
    write(place / "model" / "pipes" / "expected_bugs.toml", PINS)
    assert "| `never_full` in 4 | 3,000 |" in in_process("bugs", "--list", "--markdown", folder=place).out
    write(place / "model" / "pipes" / "expected_bugs.toml", "[")
    ended = in_process("bugs", "--list", "--markdown", folder=place)
    assert ended.status == 150 and "cannot be read as TOML" in ended.err


@pytest.mark.parametrize("others", [[], ["--json"], ["--list", "--json"]], ids=str)
def test_a_page_of_bugs_is_a_list_and_not_json(place, others):
    ended = in_process("bugs", "--markdown", *others, folder=place)
    assert ended.status == 2 and "give it with --list, without --json and --kafka" in ended.err


def test_a_first_sentence_ends_at_a_full_stop_before_a_capital_letter():
    assert first_sentence("It is e.g. small,\n    or not. It\n    ends.\n\n    More.") == "It is e.g. small, or not."
    assert first_sentence(None) == ""


def test_models_are_told_by_folder_if_there_are_many():
    names = ["a", "a.b", *(f"c.{n}" for n in range(6)), "d"]
    assert used_in(["a", "a.b", "c.1", "d"], names) == "all of `a`, `c.1`, `d`"
    assert used_in(names[2:7], names) == "5 of 6 of `c`"
