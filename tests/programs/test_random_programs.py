"""Random programs mean the same in every reading, and are made of all that the language has (`tests.fuzz`).

Far more of them are compared by `python -m tests.fuzz`, outside continuous integration.
"""

import ast
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import pytest

from kafkacheck.checker.compiled import native
from kafkacheck.checker.proofs import obligations
from kafkacheck.checker.symbolic import symbolic
from tests.fuzz import __main__ as command
from tests.fuzz import comparing, programs, proving
from tests.fuzz.ledger import Ledger
from tests.fuzz.programs import DifferenceError
from tests.programs import coverage_of_language as coverage
from tests.programs.random_programs import module_text, with_model
from tests.support.command import PATIENCE, ROOT
from tests.support.marks import long_but
from tests.support.snippets import load

pytestmark = pytest.mark.slow

SOON = (9, 22, 15, 21, 3, 23, 24, 6, 16, 44)
COVERING = (*SOON, *sorted(set(range(25)) - {*SOON}))
"""The seeds whose programs must have every line of the readers and every pair of nodes; now the first have them."""


@pytest.mark.parametrize("first", range(0, 25, 5))
def test_two_hundred_programs_mean_the_same_interpreted_and_compiled(first, tmp_path):
    totals = sum((comparing.compiled_programs(seed, tmp_path) for seed in range(first, first + 5)), Counter())
    assert totals["programs"] > 30 and totals["refused"] <= 10
    assert totals["HOLDS"] and totals["VIOLATED"] and totals["EVALUATION_FAILED"]


@pytest.mark.parametrize("first", long_but(range(0, 25, 5), [0, 15]))
def test_fifty_programs_mean_the_same_to_proofs_and_bounded_checks(first, tmp_path):
    totals = sum((proving.proved_programs(seed, tmp_path) for seed in range(first, first + 5)), Counter())
    assert totals["programs"] > 5 and totals["proved"] and totals["refuted"] and totals["mutants DIFFERENT"]


def test_the_programs_are_made_of_all_that_the_language_has(tmp_path):
    lines, missing = coverage.LinesRun(), coverage.pairs_of_language()
    for seed in COVERING:
        if not missing and not lines.missing:
            break
        numbers = range(programs.PROGRAMS)
        with programs.imported(tmp_path, f"covering_{seed}", module_text(seed, numbers)) as module:
            with lines:
                models = [model for _, model in programs.models(module, seed, numbers) if model is not None]
            for model in models:
                missing -= {pair for function in model.functions() for pair in coverage.pairs_of(function)}
                coverage.use(model, lines)
    assert sorted(missing) == []
    assert lines.shown() == []


def test_the_programs_have_every_word_of_the_language():
    words = Counter()
    for seed in range(40):
        for each in ast.parse(module_text(seed, range(programs.PROGRAMS))).body:
            if isinstance(each, ast.FunctionDef) and not each.name.startswith("model_"):
                words.update(coverage.words_of(ast.Module(each.body, [])))
    assert sorted(coverage.words_of_language() - set(words)) == []


def test_what_the_language_has_is_taken_from_its_sources(monkeypatch):
    before = coverage.words_of_language()
    monkeypatch.setattr(coverage.subset, "_BUILTINS", (*coverage.subset._BUILTINS, "sorted"))
    monkeypatch.setattr(coverage.subset.FunctionReader, "_do_While", None, raising=False)
    monkeypatch.setattr(coverage.expressions.ExpressionReader, "_read_Await", None, raising=False)
    assert coverage.words_of_language() - before == {"sorted", "While", "Await"}


@dataclasses.dataclass
class Sum:
    """A node that the language does not have."""

    part: "Expression"  # noqa: F821  # as in checker.language.ir, with whose names it is read


def test_a_new_node_of_the_typed_form_must_be_written(monkeypatch):
    before = coverage.pairs_of_language()
    monkeypatch.setattr(coverage.ir, "Expression", coverage.ir.Expression | Sum)
    new = coverage.pairs_of_language() - before
    assert {("Binary", "left", "Sum"), ("Sum", "part", "Call"), ("Sum", "part", "Const")} <= new


def find_difference(compare, tmp_path, first=0):
    """The first difference that some seeds show."""
    for seed in range(first, first + 200):
        compare(seed, tmp_path)


def evaluate_all(call, operators, sides):
    """A chain of comparisons whose last sides are evaluated in any case."""
    terms = [call._term(side) for side in sides]
    pairs = zip(operators, terms, terms[1:], strict=False)
    return symbolic.terms.conjunction(*(symbolic._compared(*each) for each in pairs))


def keep_reach(call, condition, expression):
    """A part of a condition whose faults count in any case."""
    before = call._machine.state()
    value = call._term(expression)
    call._machine.go_to(symbolic._merged(condition, call._machine.state(), before))
    return value


def drop_writes(call, condition, expression):
    """A part of a condition whose writes happen in any case."""
    reach, call._reach = call._reach, symbolic.terms.conjunction(call._reach, condition)
    value = call._term(expression)
    call._reach = reach
    return value


WRONG = [("_compare", evaluate_all, 62), ("_under", keep_reach, 8), ("_under", drop_writes, 102)]
"""The method that is damaged, how, and the seed to begin with: few programs show each, and this one does."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "wrong", "first"), WRONG)
def test_a_wrong_order_of_the_symbolic_reading_is_found(name, wrong, first, tmp_path, monkeypatch):
    monkeypatch.setattr(symbolic._Call, name, wrong)
    with pytest.raises(DifferenceError, match=r"symbolic: |equivalent: |prove says |SelfCheckError"):
        find_difference(proving.proved_programs, tmp_path, first)


def test_proofs_that_do_not_know_the_form_of_queues_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(obligations, "well_formed", lambda layout, leaves: symbolic.TRUE)
    with pytest.raises(DifferenceError, match=r"is refuted from .*, which is not well-formed"):
        find_difference(proving.proved_programs, tmp_path, 26)


def test_a_wrong_order_of_machine_code_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(native.ir, "is_harmless", lambda expression: True)
    with pytest.raises(DifferenceError, match="interpreted and compiled: "):
        find_difference(comparing.compiled_programs, tmp_path)


# -- the long run ----------------------------------------------------------------------------------------------


def test_a_difference_saves_the_program(tmp_path, monkeypatch, capsys):
    def differ(seed, folder):
        raise DifferenceError(seed, 3, "interpreted and compiled: verdict")

    monkeypatch.setitem(command.KINDS, "compiled", command.Kind(differ, 1))
    assert command.work("compiled", range(7, 8), tmp_path) == command.DIFFERENT
    path = tmp_path / "difference_compiled_7_3.py"
    assert str(path) in capsys.readouterr().out
    assert path.read_text() == with_model(module_text(7, [3]), 3)
    assert load(tmp_path, path.read_text()).MODEL.name == "random_7_3"


@pytest.mark.parametrize(("ended", "status"), [(command.DIFFERENT, 1), (-11, 3), (1, 3)])
def test_a_difference_or_a_crash_ends_the_run(ended, status, tmp_path, monkeypatch, capsys):
    (tmp_path / "at_compiled_0").write_text("5")

    def run(*arguments, **settings):
        return subprocess.CompletedProcess(arguments, ended, "what the process says\n")

    monkeypatch.setattr(subprocess, "run", run)
    assert command.main(["--programs", "10", "--out", str(tmp_path)]) == status
    told = capsys.readouterr().out
    assert "what the process says" in told and ("at seed 5" in told) == (status == 3)
    assert not Ledger(tmp_path).entries


def test_a_line_that_a_kill_has_cut_short_is_as_if_not_written(tmp_path):
    ledger = Ledger(tmp_path)
    for first, generator in ((0, "one"), (5, "one"), (10, "two")):
        ledger.add(command.Entry("compiled", first, first + 5, generator, Counter(programs=40, cpu=1500)))
    with ledger.path.open("a") as file:
        file.write('{"kind": "compiled", "first": 15')
    again = Ledger(tmp_path)
    assert again.entries == ledger.entries and again.path.read_text().count("\n") == 3
    assert again.programs("compiled") == 120 and again.next_seed("compiled", 0) == 15
    assert again.next_seed("proofs", 4) == 4
    assert [line.split(":")[0] for line in again.lines()] == [
        "compiled, generator one, seeds 0..9", "compiled, generator two, seeds 10..14", "compiled",
    ]  # fmt: skip


@pytest.mark.parametrize("arguments", [["--programs", "-1"], ["--processes", "0"], ["--seed", "x"], ["--range", "0"]])
def test_a_wrong_command_is_refused(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(arguments)
    assert ended.value.code == 2 and "error: " in capsys.readouterr().err


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    arguments = ["--programs", "20", "--range", "1", "--seed", "40", "--out", str(tmp_path)]
    program = [sys.executable, "-m", "tests.fuzz", *arguments]
    process = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    until = time.monotonic() + PATIENCE
    while not Ledger(tmp_path).entries:
        assert time.monotonic() < until and process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    kept = Ledger(tmp_path).path.read_text()
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert Ledger(tmp_path).path.read_text().startswith(kept) and "no difference" in done.stdout
    entries = [json.loads(line) for line in Ledger(tmp_path).path.read_text().splitlines()]
    assert [each["first"] for each in entries] == list(range(40, 40 + len(entries)))
    assert sum(each["totals"]["programs"] for each in entries) >= 20
    assert subprocess.run(program, cwd=ROOT, capture_output=True).returncode == 0
    assert len(Ledger(tmp_path).entries) == len(entries)  # nothing is left to do
