"""Kafka's own assignors of the newest release agree with ours on a sample; `python -m tests.kafka.assignors` asks more.

Without a JDK, or if Maven cannot fetch the classes, this is skipped.
"""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka.assignors.asking import ASSIGNORS, MEMBERS
from tests.kafka.assignors.groups import random_groups
from tests.support.command import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
GROUPS = 1500
WRONG = """
from functools import partial
from kafkacheck.impl.assignors.uniform import uniform_assignment
from tests.kafka.assignors import asking
from tests.kafka.assignors.__main__ import main
before = partial(uniform_assignment, extra_stays=False)
asking.ASSIGNORS["uniform"] = asking.Asked(asking.ASSIGNORS["uniform"].kind, before)
main(["uniform", "--part", "sample", "--sample", "200"])
"""


def run(*arguments):
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)


@pytest.mark.slow
def test_kafkas_assignors_give_what_ours_give(release):
    done = run("-m", "tests.kafka.assignors", "--part", "sample", "--sample", str(GROUPS))
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.partition(" different=")[0].partition(" failed=")[0] for line in done.stdout.splitlines()] == [
        f"Kafka {release}, {name}, sample: CONFORMS groups={GROUPS}" for name in ASSIGNORS
    ]


@pytest.mark.slow
def test_a_rule_as_it_was_before_is_found(release):
    done = run("-c", WRONG)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"Kafka {release}, uniform, sample: DIFFERENT groups=200 " in done.stdout


@pytest.mark.slow
def test_the_oddities_of_the_sticky_assignors(release):
    done = run("-m", "tests.kafka.assignors.oddities")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert sum("not all is subscribed to" in line for line in lines) == 6, done.stdout
    assert sum("throws an exception" in line for line in lines) == 4, done.stdout
    assert sum("one partition has two owners" in line for line in lines) == 2, done.stdout
    assert sum(line.endswith("it comes last: t0-0 t0-1; nothing: as it should be") for line in lines) == 2, done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("rang",), "error: there is no assignor rang; expected one of range, "),
        (("--part", "owner"), "error: there is no part owner; expected one of plain, "),
    ],
)
def test_a_name_that_does_not_exist_is_told(arguments, told):
    done = run("-m", "tests.kafka.assignors", *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(told)


def test_a_sample_has_groups_of_all_kinds():
    """Racks, static members, members of several generations, contested partitions, equal topics."""
    groups = list(itertools.islice(random_groups(0, True), 300))
    large = [group.members for group in groups if len(group.members) == MEMBERS]
    assert any(any(group.racks) for group in groups)
    assert any(each.rack for rows in large for each in rows)
    assert any(each.instance for rows in large for each in rows)
    assert any(len({each.generation for each in rows}) == 3 for rows in large)
    assert any(are_contested(rows) for rows in large)
    assert any(len({each.topics for each in rows}) == 1 for rows in large)
    assert not any(are_contested(group.members) for group in itertools.islice(random_groups(0, False), 300))


def are_contested(rows):
    return any(one.owned & other.owned for one, other in itertools.combinations(rows, 2))
