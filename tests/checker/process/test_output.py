"""Streams that are closed, full, or read no more: one clear end, the right status, and no complaint of Python."""

import os
import subprocess
import sys

import pytest

from tests.support.command import PATIENCE, ROOT, TANK, catalogue, write

pytestmark = pytest.mark.slow

NO_DISK = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no disk that is always full")
COMMANDS = {
    "check": ["check", "TANK", "--engine", "interpreted", "--set", "valve=OPEN"],
    "check as JSON": ["check", "TANK", "--engine", "interpreted", "--json"],
    "check all": ["check", "--all", "--max-states", "10", "--engine", "interpreted", "--out", "OUT"],
    "graph": ["graph", "TANK", "--out", "OUT/states.dot"],
    "models": ["models"],
    "help": ["--help"],
}


@pytest.fixture(params=COMMANDS.values(), ids=COMMANDS)
def command(request, tmp_path):
    """Runs a command by a shell, with redirections."""
    places = {"TANK": str(write(tmp_path / "tank.py", TANK)), "OUT": str(tmp_path)}
    folder = catalogue(tmp_path / "catalogue", '[shut]\nverdict = "HOLDS"\n', shut=TANK)
    words = [word.replace("OUT", places["OUT"]).replace("TANK", places["TANK"]) for word in request.param]

    def run(redirections: str, stdout: int = subprocess.PIPE) -> subprocess.CompletedProcess[str]:
        arguments = ["sh", "-c", f'"$@" {redirections}', "sh", sys.executable, "-m", "checker", *words]
        return subprocess.run(
            arguments,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    return run


@NO_DISK
def test_a_full_disk_behind_stdout_is_one_error(command):
    ended = command("> /dev/full")
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("error: cannot print the result on stdout: no space left")


def test_a_closed_stdout_is_one_error(command):
    ended = command(">&-")
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("error: stdout is closed")


@pytest.mark.parametrize("redirection", ["2>&-", pytest.param("2> /dev/full", marks=NO_DISK)])
def test_a_stderr_that_takes_nothing_changes_neither_results_nor_status(command, redirection):
    plain, ended = command(""), command(redirection)
    assert (ended.returncode, ended.stderr) == (plain.returncode, "")
    assert len(ended.stdout.splitlines()) == len(plain.stdout.splitlines()) > 0


def test_a_pipe_that_nobody_reads_is_quiet(command):
    reading, writing = os.pipe()
    os.close(reading)
    ended = command("", stdout=writing)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, "")
