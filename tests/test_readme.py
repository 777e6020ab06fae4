"""The README's own words: its model is the one that is run, and its numbers and picture are those of today."""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from checker.catalogue import catalogue
from checker.commands.command_line import main
from checker.pictures.render import write_files
from checker.proofs.prove import Settings, prove
from checker.search import check

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")


def section(heading: str) -> str:
    """The text below a heading."""
    return README.split(f"## {heading}\n", 1)[1].split("\n## ")[0]


def blocks_after(heading: str) -> list[str]:
    """The Python blocks below a heading."""
    found: list[str] = re.findall(r"```python\n(.*?)```", section(heading), re.DOTALL)
    assert found
    return found


def block_after(heading: str) -> str:
    """The first of them."""
    return blocks_after(heading)[0]


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
    assert (tmp_path / "out" / "replication.kip320-strong_isr.lanes.svg").exists()


def test_the_line_that_the_readme_shows_is_what_is_pinned():
    line = re.search(r"replication.kip320: HOLDS distinct=(\d+) generated=(\d+) depth=(\d+)", README)
    assert line is not None
    pinned = tomllib.loads((ROOT / "model/replication/expected.toml").read_text("utf-8"))["replication.kip320"]
    assert [int(number) for number in line.groups()] == [pinned["distinct"], pinned["generated"], pinned["depth"]]


def test_the_rule_that_the_readme_puts_back_by_hand_loses_what_it_says(capsys):
    (command,) = re.findall(r"^\.venv/bin/kafkacheck (check \S+ --set .*)$", section("The museum"), re.MULTILINE)
    (line,) = re.findall(r"^(cluster\.kraft: .*) seconds=", section("The museum"), re.MULTILINE)
    assert main([*shlex.split(command), "--engine", "interpreted"]) == 12
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{line} ")


def test_the_picture_in_the_readme_is_that_of_todays_counterexample(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # a picture names places by their path from here
    result = check(catalogue.find_model("kip101"))
    assert result.trace is not None
    write_files(result.trace, tmp_path)
    name = "replication.kip101-weak_isr.lanes.dot"
    assert (tmp_path / name).read_text("utf-8") == (ROOT / "tests" / "data" / name).read_text("utf-8")


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """The folder in which the command of the README made its data set."""
    folder = tmp_path_factory.mktemp("graph")
    command, *_ = re.findall(r"^\.venv/bin/kafkacheck (explore .*)$", README, re.MULTILINE)  # Spark has its own tests
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "checker", *command.split()], cwd=folder, env=environment, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["duckdb", "pandas", "pyspark"])
def test_the_queries_in_the_readme_answer_what_it_says(graph, reader, request, monkeypatch, capsys):
    if reader == "pyspark":
        request.getfixturevalue("spark_session")
    (query,) = [block for block in blocks_after("Query the state graph") if reader in block]
    if reader == "pyspark":
        query = query.replace("graph/", f"{graph}/graph/")  # Spark has settled already where it works
    monkeypatch.chdir(graph)
    exec(compile(query, "README.md", "exec"), {})
    (said,) = re.findall(r"# (.*)$", query, re.MULTILINE)
    assert capsys.readouterr().out.rstrip() == said


@pytest.mark.slow
def test_the_questions_in_the_readme_can_be_asked(graph, spark_session, monkeypatch, capsys):
    monkeypatch.chdir(graph)
    commands = re.findall(r"^\.venv/bin/kafkacheck (analyze graph --.*)$", README, re.MULTILINE)
    statuses = [main(shlex.split(command)) for command in commands]
    assert statuses == [0, 1], capsys.readouterr().err  # from some states the ISR cannot grow back any more
    assert "replication.kip101: 1306 of 9045 states satisfy" in capsys.readouterr().out


def test_every_file_and_model_that_the_readme_names_exists():
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", README):
        assert (ROOT / link).exists(), link
    for name in re.findall(r"kafkacheck (?:check|explore|graph|replay) ([a-z0-9_.]+)\b(?![/])", README):
        assert name.endswith(".py") or catalogue.full_name(name), name


@pytest.mark.slow
def test_the_proof_in_the_readme_is_what_is_proved():
    proof = prove(catalogue.find_model("kip320"), Settings(use_cache=False))
    assert proof.is_proved
    assert f"PROVED obligations={len(proof.checked)} failed=0 unknown=0" in README
    assert f"the {len(proof.lemmas)} lemmas of" in README


@pytest.mark.slow
def test_dropping_the_epoch_check_breaks_the_lemma_that_the_readme_names():
    bounds = {"replicas": 2, "log_size": 1, "max_records": 1}
    model = catalogue.find_model("kip320").with_bounds(bounds).with_rules({"fencing": "NONE"})
    proof = prove(model, Settings(jobs=0, use_cache=False))
    assert ("well_formed_logs", "follower_replicate") in {
        (each.obligation.subject, each.obligation.action) for each in proof.failed
    }
