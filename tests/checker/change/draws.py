"""How many needed conditions does `change` miss? `python -m tests.checker.change.draws` measures it.

A draw is a condition of a rule in `impl/`: a model of the catalogue that holds is drawn, then one of the mutants that
`kafkacheck guards` makes of it. It counts if that model catches it within some seconds. The edit is made in a copy of
the sources, and `kafkacheck change` compares the two. Each draw is one line; the last line has the totals. The exit
status is 1 if fewer than 95 of 100 draws are reported as failing, or one is called harmless (HOLDS).
"""

import argparse
import ast
import json
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from kafkacheck.checker.mutation import mutation
from kafkacheck.checker.mutation.guards import Examiner, Outcome
from kafkacheck.checker.mutation.mutation import IS_REMOVED, Mutant
from kafkacheck.checker.process.errors import KafkacheckError
from tests import ROOT

ENOUGH = 0.95
LARGEST = 120_000
"""The most states of a model that is drawn, so that it is soon known whether it catches the condition."""
PATIENCE = 30.0
"""The most seconds in which a model must catch a condition, and by which `change` may be late."""
LIMITS = Limits(max_seconds=PATIENCE)


class _Removed(ast.NodeTransformer):
    """Makes the removal of a condition final."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """What takes the place of a removed condition, or the node with its parts."""
        is_switch = isinstance(node.test, ast.Call) and isinstance(node.test.func, ast.Name)
        return node.body if is_switch and node.test.func.id == IS_REMOVED else self.generic_visit(node)


def edited(source: str, mutant: Mutant) -> str:
    """The text of a file in which a function lacks the condition that a mutant removes."""
    made = ast.unparse(_Removed().visit(mutation.switched(mutant.function, [(0, mutant)])))
    found = next(
        each
        for each in ast.parse(source).body
        if isinstance(each, ast.FunctionDef) and each.name == mutant.function.__name__
    )
    lines = source.splitlines()
    return "\n".join([*lines[: found.lineno - 1], made, *lines[found.end_lineno :], ""])


def draws(chance: random.Random):
    """Conditions that a model catches, each with its model, without end."""
    names = sorted(
        name
        for name, each in catalogue.expectations().items()
        if each.verdict is Verdict.HOLDS and each.distinct <= LARGEST
    )
    while True:
        name = chance.choice(names)
        examiner = Examiner(catalogue.find_model(name), limits=LIMITS)
        rules = [each for each in examiner.mutants if path_of(each).is_relative_to(ROOT / "impl")]
        examiner.mutants = [chance.choice(rules)]
        try:
            (finding,) = examiner.examine([0])
        except KafkacheckError:
            continue
        if finding.outcome is Outcome.CAUGHT:
            yield name, examiner.mutants[0]


def path_of(mutant: Mutant) -> Path:
    """The file of a mutant's function."""
    return Path(mutant.function.__code__.co_filename).resolve()


def copied(folder: Path) -> None:
    """Copy the sources into a folder."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)


def change(folder: Path, seconds: float, workers: int) -> dict:
    """What `change` says of a folder, as its JSON document."""
    words = ["change", "--against", str(ROOT), "--json", "--max-seconds", str(seconds), "--workers", str(workers)]
    done = subprocess.run(
        [sys.executable, "-m", "checker", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout) if done.stdout else {"verdict": f"ERROR {done.stderr[-200:]}", "models": []}


def main() -> int:
    """Draw, edit, and ask."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--max-seconds", type=float, default=180.0)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    verdicts: Counter[str] = Counter()
    drawn = draws(random.Random(given.seed))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        copied(folder)
        for number in range(1, given.number + 1):
            name, mutant = next(drawn)
            path = path_of(mutant)
            target = folder / path.relative_to(ROOT)
            target.write_text(edited(path.read_text(encoding="utf-8"), mutant), encoding="utf-8")
            told = change(folder, given.max_seconds, given.workers)
            shutil.copyfile(path, target)
            verdicts[told["verdict"]] += 1
            kinds = {failure["kind"] for model in told["models"] for failure in model["failures"]}
            worst = "outcome" if "outcome" in kinds else "protocol" if kinds else "nothing"
            words = [f"{number}: {told['verdict']} {worst} {told.get('seconds', 0):.0f} s:"]
            words += [f"{mutant.place}: {mutant.name} ({name})"]
            print(*words, flush=True)
    share = verdicts["FAILS"] / given.number
    told = ", ".join(f"{verdict} {count}" for verdict, count in sorted(verdicts.items()))
    print(f"draws: seed={given.seed} {told}: {share:.0%} of {given.number} are reported as failing")
    return int(share < ENOUGH or verdicts["HOLDS"] > 0)


if __name__ == "__main__":
    sys.exit(main())
