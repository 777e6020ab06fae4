"""Kafka's own classes of the newest release agree with the models, as far as some seconds for each run show.

`make kafka` compares without a limit of time. Without a JDK, or if Maven cannot fetch the classes, this is skipped.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 15
RUNS = (
    ("replication_control:cluster.kraft", ("moves=0", "crashes=0")),
    ("controller_requests:controller_model", ("replicas=2", "moves=0")),
    ("broker_heartbeats", ("restarts=0",)),
    ("partition:partition_model", ()),
    ("raft_client:raft_model", ("crashes=0",)),
    ("replica_fetcher:fetcher_model", ()),
)
"""Runs whose state graphs are found within seconds, with the bounds that make them so."""


@pytest.mark.slow
@pytest.mark.parametrize(("run", "settings"), RUNS)
def test_kafkas_classes_do_what_the_model_says(release, run, settings):
    changes = [f"--set={each}" for each in settings]
    command = [sys.executable, "-m", "tests.kafka", run, f"--seconds={SECONDS}", *changes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (steps,) = re.findall(r" steps=(\d+) ", done.stdout.splitlines()[-1])
    assert int(steps) >= 100, done.stdout


@pytest.mark.slow
def test_a_rule_as_it_was_before_is_found(release):
    change = "--set=isr_excludes_inactive=false"
    command = [sys.executable, "-m", "tests.kafka", RUNS[1][0], *(f"--set={each}" for each in RUNS[1][1]), change]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    assert " DIFFERENT trace=" in done.stdout
