"""The findings are still reproduced on the newest release. Without a JDK, or without the classes, this is skipped."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka.findings.__main__ import FINDINGS, SECONDS, number
from tests.support.marks import long_but

ROOT = Path(__file__).resolve().parents[2]
REPRODUCED = {
    "f1": 1,
    "f2": 2,
    "f3": 1,
    "f4": 2,
    "f5": 2,
    "f6": 1,
    "f7": 1,
    "f8": 1,
    "f9": 1,
    "f10": 1,
    "f11": 1,
    "f12": 1,
    "f13": 1,
    "f14": 2,
    "f15": 2,
    "f16": 1,
    "f17": 1,
    "f18": 1,
    "f19": 1,
    "f20": 1,
    "f21": 2,
    "f22": 1,
    "f23": 1,
    "f24": 1,
    "f25": 1,
}
"""By finding, in how many of its ways it happens in the newest release."""
NOT_ON_CLUSTER = (
    (("f4",), "f4 does not go with --cluster; "),
    (("--libs", "here"), "--libs does not go with --cluster; "),
)
QUICK = ("f5",)
"""Those that every run reproduces."""


@pytest.mark.slow
@pytest.mark.parametrize("finding", long_but(FINDINGS, [each for each in FINDINGS if number(each) in QUICK]))
def test_a_finding_is_reproduced(release, finding):
    name = number(finding)
    command = [sys.executable, "-m", "tests.kafka.findings", "--kafka", release, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=2 * SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    verdicts = [line.endswith("finding reproduced") for line in done.stdout.splitlines()]
    assert sum(verdicts) == REPRODUCED[name], done.stdout


@pytest.mark.parametrize(("arguments", "told"), NOT_ON_CLUSTER)
def test_what_does_not_run_on_a_cluster(arguments, told):
    command = [sys.executable, "-m", "tests.kafka.findings", "--cluster", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {told}")
