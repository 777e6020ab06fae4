"""What the README and the pages beside it say: their code is run, their numbers and pictures are those of today."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.commands.command_line import main
from kafkacheck.checker.pictures.render import write_files
from kafkacheck.checker.proofs.prove import Settings, prove
from kafkacheck.checker.search import check
from tests import ROOT
from tests.support.snippets import load

README = (ROOT / "README.md").read_text("utf-8")
MODELS = (ROOT / "model" / "README.md").read_text("utf-8")
PROOFS = (ROOT / "spec" / "PROOFS.md").read_text("utf-8")
GRAPHS = (ROOT / "checker" / "graphs" / "README.md").read_text("utf-8")


def section(heading: str, page: str = README) -> str:
    """The text below a heading."""
    return page.split(f"## {heading}\n", 1)[1].split("\n## ")[0]


def blocks_of(text: str) -> list[str]:
    """The Python blocks of a text."""
    found: list[str] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert found
    return found


def block_after(heading: str) -> str:
    """The first Python block below a heading of the README."""
    return blocks_of(section(heading))[0]


def is_drawn_as_kept(folder: Path, name: str) -> bool:
    """Whether a picture of the README is what was drawn into a folder just now."""
    return (folder / name).read_text("utf-8") == (ROOT / "tests" / "data" / name).read_text("utf-8")


def test_the_model_in_the_readme_is_short_and_gives_the_answer_it_says(tmp_path):
    text = block_after("Write a model")
    assert len([line for line in text.splitlines() if line.strip()]) < 40
    (tmp_path / "counter.py").write_text(text, "utf-8")
    command = [sys.executable, "-m", "checker", "check", str(tmp_path / "counter.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 12, done.stderr
    assert done.stdout.splitlines()[-1].startswith("counter: VIOLATED no_update_is_lost trace=5 ")


def test_the_rule_that_the_readme_deletes_is_there_and_is_needed(tmp_path):
    rule = block_after("Change a rule and see the effect")
    source = (ROOT / "impl" / "replication" / "leader.py").read_text("utf-8")
    assert source.count(rule) == 1
    for folder in ("checker", "impl", "spec", "model"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".py", ".toml"):
                copy = tmp_path / file.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(file.read_text("utf-8"), "utf-8")
    (tmp_path / "impl" / "replication" / "leader.py").write_text(source.replace(rule, ""), "utf-8")
    command = [sys.executable, "-m", "checker", "check", "kip320", "--out", "out"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 12, done.stderr
    assert is_drawn_as_kept(tmp_path / "out", "replication.kip320-strong_isr.lanes.svg")


def test_the_line_that_the_readme_shows_is_what_is_pinned():
    line = re.search(r"replication.kip320: HOLDS distinct=(\d+) generated=(\d+) depth=(\d+)", README)
    assert line is not None
    pinned = tomllib.loads((ROOT / "model/replication/expected.toml").read_text("utf-8"))["replication.kip320"]
    assert [int(number) for number in line.groups()] == [pinned["distinct"], pinned["generated"], pinned["depth"]]


def test_the_rule_that_the_readme_puts_back_by_hand_loses_what_it_says(capsys):
    text = section("The museum", MODELS)
    (command,) = re.findall(r"^\.venv/bin/kafkacheck (check \S+ --set .*)$", text, re.MULTILINE)
    (line,) = re.findall(r"^(cluster\.kraft: .*) seconds=", text, re.MULTILINE)
    assert main([*shlex.split(command), "--engine", "interpreted"]) == 12
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{line} ")


def test_the_picture_in_the_readme_is_that_of_todays_counterexample(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # a picture names places by their path from here
    result = check(catalogue.find_model("kip101"))
    assert result.trace is not None
    write_files(result.trace, tmp_path)
    assert is_drawn_as_kept(tmp_path, "replication.kip101-weak_isr.lanes.svg")


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The folder in which the command of the page on graphs made its data set, of the README's model."""
    folder = tmp_path_factory.mktemp("graph")
    (folder / "counter.py").write_text(block_after("Write a model"), "utf-8")
    (command,) = re.findall(r"^\.venv/bin/kafkacheck (explore .*)$", GRAPHS, re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "checker", *shlex.split(command)], cwd=folder, env=environment, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["duckdb", "pandas"])
def test_the_queries_on_graphs_answer_what_their_page_says(graph, reader, monkeypatch, capsys):
    monkeypatch.chdir(graph)
    answers_as_said(query_of(reader), capsys)


@pytest.mark.slow
def test_the_query_of_spark_answers_what_its_page_says(graph, spark_session, monkeypatch, capsys):
    monkeypatch.chdir(graph)
    answers_as_said(query_of("pyspark").replace("graph/", f"{graph}/graph/"), capsys)  # Spark works where it began


def query_of(reader):
    """The block of the page on graphs that imports this reader."""
    (query,) = [block for block in blocks_of(GRAPHS) if f"import {reader}" in block or f"from {reader}" in block]
    return query


def answers_as_said(query, capsys):
    """A query prints what its comment says."""
    exec(compile(query, "README.md", "exec"), {})
    (said,) = re.findall(r"# (.*)$", query, re.MULTILINE)
    assert capsys.readouterr().out.rstrip() == said


@pytest.mark.slow
def test_the_questions_on_graphs_can_be_asked(graph, spark_session, monkeypatch, capsys):
    monkeypatch.chdir(graph)
    commands = re.findall(r"^\.venv/bin/kafkacheck (analyze graph --.*)$", GRAPHS, re.MULTILINE)
    statuses = [main(shlex.split(command)) for command in commands]
    told = capsys.readouterr()
    assert statuses == [0, 1], told.err  # once two clients have read the same number, 3 cannot be reached any more
    said = re.findall(r"^counter: .*$", GRAPHS, re.MULTILINE)
    assert len(said) == 2 and all(line in told.out.splitlines() for line in said)


def test_every_model_that_the_readme_names_exists():
    for name in re.findall(r"kafkacheck (?:check|explore|graph|replay) ([a-z0-9_.]+)\b(?![/])", README):
        assert name.endswith(".py") or catalogue.full_name(name), name


def test_every_function_that_the_readme_names_is_where_it_says():
    """In the table that says where the rest is: functions in `code`, then the link to their file."""
    told = [part for row in section("Where the rest is").splitlines() for part in row.split(";") if "](impl/" in part]
    found = [(re.findall(r"`([a-z_]+)`", part), re.findall(r"\]\((impl/[\w/]+\.py)\)", part)) for part in told]
    pairs = [(name, file) for names, files in found for name in names for file in files]
    assert len(pairs) >= 5
    assert [pair for pair in pairs if f"def {pair[0]}(" not in (ROOT / pair[1]).read_text("utf-8")] == []


@pytest.mark.long
def test_the_proof_on_the_page_of_proofs_is_what_is_proved():
    proof = prove(catalogue.find_model("kip320"), Settings(use_cache=False))
    assert proof.is_proved
    assert f"PROVED obligations={len(proof.checked)} failed=0 unknown=0" in PROOFS
    assert f"the {len(proof.lemmas)} lemmas of" in PROOFS


@pytest.mark.slow
def test_dropping_the_epoch_check_breaks_the_lemma_that_the_page_of_proofs_names():
    bounds = {"replicas": 2, "log_size": 1, "max_records": 1}
    model = catalogue.find_model("kip320").with_bounds(bounds).with_rules({"fencing": "NONE"})
    proof = prove(model, Settings(jobs=0, use_cache=False))
    assert ("well_formed_logs", "follower_replicate") in {
        (each.obligation.subject, each.obligation.action) for each in proof.failed
    }


DISKS = """
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Budget, If, Struct


class Disk(Struct):
    is_lost: bool


class State(Struct):
    is_up: bool
    budget: Budget
    {field}


def crash(state: State) -> bool:
    state.is_up = not state.is_up
    return True


def poll(state: State) -> bool:
    return state.is_up


MODEL = Model(state=State, actions=[crash, poll], bounds={{"crashes": 2, "disks": 0}}, {charges}, {stuttering})
"""


def test_charges_stuttering_and_optional_fields_are_written_as_the_page_of_models_says(tmp_path):
    starts = {"charges": "charges=", "stuttering": "stuttering=", "field": "disk: "}
    told = {name: re.search(rf"^- `({start}.*?)` ", MODELS, re.MULTILINE)[1] for name, start in starts.items()}
    found = check(load(tmp_path, DISKS.format(**told)).MODEL, "interpreted")
    assert (found.verdict.name, found.states_distinct, found.depth) == ("HOLDS", 3, 3)
