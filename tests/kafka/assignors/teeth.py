"""Would a wrong rule of `impl/assignors/` be noticed? `python -m tests.kafka.assignors.teeth`.

Kafka's answers to a sample of groups are asked once. Then each condition of the functions is made wrong, one at a time:
always true, always false, or with the other side of a limit. A wrong rule that gives all of Kafka's answers is left; it
is printed, and the command ends with status 1 if it is not in `LEFT`.
"""

import ast
import contextlib
import copy
import importlib
import itertools
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import click

import kafkacheck.impl.assignors as assignors
from tests.kafka.assignors.asking import ASSIGNORS, FAILED, Case, Order, answer_of, answers_of_kafka, group_of
from tests.kafka.assignors.groups import KEEPERS, ONE_OWNER, orders, random_groups
from tests.kafka.libs import KafkaError, classes_of
from tests.kafka.systems import jvm

CANNOT = 2
PATIENCE = 10
"""Seconds after which a wrong rule that goes round and round counts as told."""
NAME = "wrong_assignors"
SOURCES = Path(next(iter(assignors.__path__)))
OTHER_SIDE = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
EARLY = "where it goes on instead of stopping, nothing more moves"
LEFT = {
    "sticky_general.py:is_balanced: name not in full is True": "one random group of some 50,000 tells it, "
    "such as one of `python -m tests.kafka.assignors sticky --part sample --sample 50000`",
    "sticky_general.py:move: source != member is True": "a partition must have come back to its first owner, and "
    "another one of the topic must come back to the same member after it; no group did so",
    "uniform.py:kept_and_room: extra_stays is True in extra_stays and len(mine) < quota and "
    "(0 < larger < len(group.members) - place)": "the newest release has it; in 4.0.0 it is asked without",
    "uniform.py:uniform_assignment: not topics is False": "without a topic nothing is kept, and nothing is free",
    "uniform_different.py:uniform_for_different_topics: len(subscribers(group, topic)) >= 2 is True": EARLY,
    "uniform_different.py:even_out: place == last is False": EARLY,
    "uniform_different.py:even_out: last == NOBODY is False in is_evened_out(spread, topic) or last == NOBODY": EARLY,
    "uniform_different.py:is_evened_out: loads[members[-1]] - loads[members[0]] <= 1 is False": EARLY,
    "uniform_different.py:is_evened_out: loads[members[-1]] - loads[members[0]] <= 1 has the limit on the other "
    "side": EARLY,
}
"""Wrong rules that give the same assignments, by `module:function: what is wrong`, each with the reason."""

Known = list[tuple[str, Order, list[Case], list[tuple[int, ...]]]]


@click.command()
@click.argument("modules", nargs=-1, metavar="[MODULE]...")
@click.option("--kafka", "release", metavar="RELEASE", help="Which release; by default the newest.")
@click.option("--sample", type=click.IntRange(1), default=4000, show_default=True, help="How many groups.")
@click.option("--seed", type=int, default=0, show_default=True, help="Where the random groups begin.")
def main(modules: tuple[str, ...], release: str | None, sample: int, seed: int) -> None:
    """Make each condition of the assignors wrong, and look whether Kafka's answers tell it.

    MODULE is one of impl/assignors/, such as range; all of them by default.
    """
    files = {path.stem for path in SOURCES.glob("*.py")}
    for each in set(modules) - files:
        print(f"error: there is no module {each}; expected one of {', '.join(sorted(files))}", file=sys.stderr)
        raise SystemExit(CANNOT)
    try:
        classes = classes_of(release)
    except KafkaError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(CANNOT) from None
    os.environ[jvm.CLASSES] = classes.path
    jvm.started()
    known = asked(sample, seed)
    told = 0
    left = []
    for where, module, text in wrong_rules(modules or tuple(files)):
        if is_told(module, text, known):
            told += 1
        else:
            left.append(where)
            print(f"left: {where}: {LEFT.get(where, 'no reason is known')}", flush=True)
    print(f"Kafka {classes.release}: {told + len(left)} wrong rules, {told} told, {len(left)} left")
    raise SystemExit(1 if set(left) - set(LEFT) else 0)


def asked(sample: int, seed: int) -> Known:
    """By assignor the groups of a sample and Kafka's answers."""
    known: Known = []
    for name, each in ASSIGNORS.items():
        groups = random_groups(seed, name in KEEPERS and name not in ONE_OWNER)
        for order in itertools.islice(orders(seed), 10):
            cases = list(itertools.islice(groups, sample // 10))
            known.append((name, order, cases, answers_of_kafka(each.kind, order, cases)))
    return known


def wrong_rules(modules: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """Each wrong rule of some modules: where and what it is, its module, and the module's text with it."""
    for path in [SOURCES / f"{module}.py" for module in sorted(modules)]:
        tree = ast.parse(path.read_text("utf-8"))
        for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
            for number, node in enumerate(ast.walk(function)):
                for what, changed in changes_of(node):
                    wrong = copy.deepcopy(tree)
                    (copied,) = [
                        each for each in wrong.body if isinstance(each, ast.FunctionDef) and each.name == function.name
                    ]
                    changed(list(ast.walk(copied))[number])
                    yield (
                        f"{path.name}:{function.name}: {what}",
                        path.stem,
                        ast.unparse(ast.fix_missing_locations(wrong)),
                    )


def changes_of(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], None]]]:
    """How a node can be made wrong: a text, and what does it to a copy of the node."""
    if isinstance(node, ast.If | ast.IfExp):
        for value in (True, False):
            yield (
                f"{ast.unparse(node.test)} is {value}",
                lambda to, value=value: setattr(to, "test", ast.Constant(value)),
            )
    if isinstance(node, ast.comprehension):
        for number, test in enumerate(node.ifs):
            yield (
                f"{ast.unparse(test)} is True",
                lambda to, number=number: to.ifs.__setitem__(number, ast.Constant(True)),
            )
    if isinstance(node, ast.BoolOp):
        for number, value in enumerate(node.values):
            neutral = isinstance(node.op, ast.And)
            yield (
                f"{ast.unparse(value)} is {neutral} in {ast.unparse(node)}",
                lambda to, number=number, neutral=neutral: to.values.__setitem__(number, ast.Constant(neutral)),
            )
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER_SIDE:
        other = OTHER_SIDE[type(node.ops[0])]
        yield f"{ast.unparse(node)} has the limit on the other side", lambda to: to.ops.__setitem__(0, other())


def is_told(module: str, text: str, known: Known) -> bool:
    """Whether the assignors with this text of a module give another answer than Kafka to some group."""
    with tempfile.TemporaryDirectory() as folder, _in_time():
        package = Path(folder) / NAME
        package.mkdir()
        for path in SOURCES.glob("*.py"):
            source = text if path.stem == module else path.read_text("utf-8")
            (package / path.name).write_text(source.replace("kafkacheck.impl.assignors", NAME), "utf-8")
        for name in [each for each in sys.modules if each.partition(".")[0] == NAME]:
            del sys.modules[name]
        importlib.invalidate_caches()
        sys.path.insert(0, folder)
        try:
            return any(
                _differs(name, order, cases, answers)
                for name, order, cases, answers in known
                if module in reached(_module_of(name))
            )
        finally:
            sys.path.remove(folder)
    return True


def _module_of(name: str) -> str:
    return ASSIGNORS[name].function.__module__.rpartition(".")[2]


@cache
def reached(module: str) -> set[str]:
    """A module and all that it imports from its folder."""
    imported = set(
        re.findall(r"from kafkacheck\.impl\.assignors\.(\w+) import", (SOURCES / f"{module}.py").read_text())
    )
    return {module}.union(*(reached(each) for each in imported))


def _differs(name: str, order: Order, cases: list[Case], answers: list[tuple[int, ...]]) -> bool:
    right = ASSIGNORS[name].function
    function = getattr(importlib.import_module(f"{NAME}.{_module_of(name)}"), right.__name__)
    for case, kafka in zip(cases, answers, strict=True):
        try:
            ours = answer_of(function(group_of(case, order)), order)
        except _TooLongError:
            raise
        except Exception as error:  # a wrong rule may do anything
            ours = FAILED if type(error).__name__ == "NoAssignmentError" else ()
        if ours != kafka:
            return True
    return False


class _TooLongError(BaseException):
    """A wrong rule goes round and round."""


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """Leave the block after PATIENCE."""

    def ends(signum: int, frame: FrameType | None) -> None:
        raise _TooLongError

    signal.signal(signal.SIGALRM, ends)
    signal.alarm(PATIENCE)
    try:
        yield
    except _TooLongError:
        return
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main()
