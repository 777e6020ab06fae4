"""What `kafkacheck guards` says where it ends early, and that nothing goes on behind it."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool

import psutil
import pytest

from kafkacheck.checker.catalogue.catalogue import find_model
from kafkacheck.checker.commands import guards
from kafkacheck.checker.mutation.guards import Examiner
from tests.checker.mutation.test_guards import CISTERN
from tests.support.command import PATIENCE, ROOT, Command, write


@pytest.fixture
def kafkacheck(capsys):
    return Command(capsys)


@pytest.fixture
def cistern(tmp_path):
    return write(tmp_path / "cistern.py", CISTERN)


@pytest.mark.parametrize(("error", "told"), [(KeyboardInterrupt, "interrupted"), (BrokenProcessPool, "lack of memory")])
def test_what_was_found_is_told_when_it_ends_early(kafkacheck, cistern, monkeypatch, error, told):
    """Of one model, a guard is settled that it has caught or found redundant."""
    whole = kafkacheck("guards", cistern, "--workers", 1).last_line
    monkeypatch.setattr("kafkacheck.checker.commands.guards.LEAST_SHARE", 1)
    examine = guards._examine
    asked = []

    def examine_three_times(*arguments):
        asked.append(arguments)
        if len(asked) > 3:
            raise error
        return examine(*arguments)

    monkeypatch.setattr("kafkacheck.checker.commands.guards._examine", examine_three_times)
    ended = kafkacheck("guards", cistern, "--workers", 1)
    caught, redundant, undecided = map(
        int, re.findall(r"(\d+) caught, (\d+) redundant, 0 unexplained, (\d+) undecided$", ended.last_line)[0]
    )
    assert (ended.status, len(asked)) == (20, 4)
    assert told in ended.error and f"; {undecided} of " in ended.error
    assert ended.out.count("\ncaught ") == caught > 0 and ended.out.count("\nredundant ") == redundant > 0
    assert undecided == len(Examiner(find_model(str(cistern))).mutants) - caught - redundant - ended.out.count("\nexcl")
    assert whole != ended.last_line


def begun(tmp_path):
    """The command in a session of its own, with two processes to share the work."""
    arguments = [
        sys.executable,
        "-m",
        "checker",
        "guards",
        "cluster.consumer.unclean",
        "cluster.power",
        "--workers",
        "2",
    ]
    process = subprocess.Popen(
        arguments,
        cwd=ROOT,
        env={**os.environ, "KAFKACHECK_CACHE": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("cluster.")  # now Python has loaded what it needs
    return process


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0, 0.3, 1.5])
@pytest.mark.parametrize("pressed", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_or_a_request_to_end_ends_every_process_at_once_and_quietly(tmp_path, pressed, seconds):
    """Ctrl-C reaches the whole group, also processes that only begin; a request to end reaches the first one only."""
    process = begun(tmp_path)
    time.sleep(seconds)
    others = psutil.Process(process.pid).children(recursive=True)
    if pressed == signal.SIGINT:
        os.killpg(process.pid, pressed)
    else:
        process.send_signal(pressed)
    out, err = process.communicate(timeout=30)
    told = re.fullmatch(
        r"(cluster\..* examined; .* caught\n)*error: interrupted(?: by SIGTERM)?; (\d+) of \d+ guards are undecided\n",
        err,
    )
    assert process.returncode == 20
    assert told is not None and out.endswith(f" 0 unexplained, {told[2]} undecided\n")
    assert not psutil.wait_procs(others, timeout=5)[1]


@pytest.mark.slow
def test_where_the_first_process_is_killed_the_others_end_too(tmp_path):
    process = begun(tmp_path)
    while len(others := psutil.Process(process.pid).children(recursive=True)) < 3:  # one of them tracks resources
        time.sleep(0.1)
    process.kill()
    process.wait()
    assert not psutil.wait_procs(others, timeout=PATIENCE)[1]
