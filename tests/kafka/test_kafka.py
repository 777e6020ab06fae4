"""Kafka's own classes of the newest release agree with the models, as far as some seconds for each run show.

`make kafka` compares without a limit of time. Without a JDK, or if Maven cannot fetch the classes, this is skipped.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kafka.runs import RUNS
from tests.support.command import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 15
FIRST = {run.system: run.name for run in reversed(RUNS)}
"""The first run of each class."""
SMALLER = {
    "replication_control:cluster.kraft": ("crashes=0",),
    "controller_requests:controller_model": ("replicas=2", "moves=0"),
    "broker_heartbeats:broker_lifecycle.failover": ("restarts=0",),
    "raft_client:raft_model": ("crashes=0",),
}
"""Bounds at which the state graphs of large runs are found within seconds."""


@pytest.mark.slow
@pytest.mark.parametrize("run", FIRST.values())
def test_kafkas_classes_do_what_the_model_says(release, run):
    changes = [f"--set={each}" for each in SMALLER.get(run, ())]
    command = [sys.executable, "-m", "tests.kafka", run, *changes]
    for seconds in (SECONDS, 4 * SECONDS):  # on a busy machine the JVM may only just have started
        done = subprocess.run(
            [*command, f"--seconds={seconds}"], cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (steps,) = re.findall(r" steps=(\d+)", done.stdout)
        if int(steps) > 0:
            return
    raise AssertionError(f"no step was compared: {done.stdout}")


@pytest.mark.slow
def test_a_rule_as_it_was_before_is_found(release):
    run = "controller_requests:controller_model"
    changes = [f"--set={each}" for each in (*SMALLER[run], "isr_excludes_inactive=false")]
    command = [sys.executable, "-m", "tests.kafka", run, *changes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert " DIFFERENT trace=" in done.stdout
