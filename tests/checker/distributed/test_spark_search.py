"""Searches on Spark: local mode and a standalone cluster of processes, killed at the worst moments."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from kafkacheck.checker.catalogue import catalogue
from kafkacheck.checker.catalogue.model_source import Source
from kafkacheck.checker.checkpoints.run_directory import RunDirectory
from kafkacheck.checker.distributed import java, runs
from kafkacheck.checker.distributed.runs import Cluster
from kafkacheck.checker.exploration.verdict import Limits, Verdict
from tests.expected import pinned
from tests.support import readings
from tests.support.command import PATIENCE, ROOT

pytestmark = pytest.mark.slow

KIP320 = {"distinct": 737_794, "generated": 1_929_154, "depth": 26}
SMALLER = ("--set", "log_size=1", "--set", "max_records=1")
SMALLER_KIP320 = {"distinct": 97_531, "generated": 236_863, "depth": 22}
"""Levels 10 to 15 have more than 8,000 states each, as levels 14 to 19 of the whole one have more than 60,000."""
LOCAL = "local[2]"


def command(*arguments):
    return [sys.executable, "-m", "checker", *map(str, arguments)]


@contextlib.contextmanager
def running(*arguments, program=None, **settings):
    """The command as a process, in a session of its own, all of which is killed on leaving; or another program."""
    process = subprocess.Popen(
        [*map(str, program), *map(str, arguments)] if program else command(*arguments), cwd=ROOT, text=True,
        start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **settings,
    )  # fmt: skip
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(what, process):
    """Wait for a condition while a process runs."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.05)


def counts_of(line):
    return {name: int(re.search(rf"\b{name}=(\d+)", line)[1]) for name in ("distinct", "generated", "depth")}


def ended(process):
    output, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    return output.splitlines()[-1]


SEARCHES = [
    ("replication.kip101", 3, 1),
    ("replication.truncate_to_high_watermark", 1, 1),
    ("cluster.consumer.unclean", 2, 70),
]
"""Models, the number of shards, and from how many states on a level is a job."""


def pytest_generate_tests(metafunc):
    """With --long every model of the catalogue is searched by Spark."""
    if "spark_from" in metafunc.fixturenames:
        others = sorted(set(pinned()) - {name for name, _, _ in SEARCHES})
        more = [(name, 2, 1 + pinned()[name]["distinct"] // (2 * pinned()[name]["depth"])) for name in others]
        metafunc.parametrize(("name", "shards", "spark_from"), SEARCHES + more * metafunc.config.getoption("--long"))


def test_spark_gives_the_same_answer(spark_session, name, shards, spark_from, tmp_path):
    told = []
    cluster = Cluster(LOCAL, shards=shards, spark_from=spark_from, tell=told.append)
    result = runs.begin(Source(name), tmp_path / "run", cluster, Limits())
    wanted = readings.compiled(catalogue.find_model(name))
    assert (result.verdict, result.property) == (wanted.verdict, wanted.property)
    counts = (result.states_distinct, result.states_generated, result.depth, tuple(result.actions.values()))
    assert counts == (wanted.distinct, wanted.generated, wanted.depth, wanted.fired)
    assert result.trace is None if wanted.verdict is Verdict.HOLDS else len(result.trace.steps) == wanted.length
    assert len(told) == 1 and re.fullmatch(r"Spark 4\.\S+ on local\[2\] with Java .*", told[0])
    assert RunDirectory(tmp_path / "run").committed() == list(
        range(1, len(RunDirectory(tmp_path / "run").committed()) + 1)
    )


def test_a_small_space_needs_no_spark(tmp_path):
    told = []
    result = runs.begin(Source("kip101"), None, Cluster(LOCAL, tell=told.append), Limits())
    assert result.verdict is Verdict.VIOLATED and result.engine == "compiled" and told == []


@pytest.mark.long
def test_killing_everything_loses_no_finished_level(tmp_path):
    folder = tmp_path / "run"
    run = RunDirectory(folder)
    options = ("--engine", "spark", "--spark-from", 60_000, "--shards", 3, "--master", LOCAL, "--run-dir", folder)
    with running("check", "kip320", *options) as process:
        wait_until(lambda: len(run.committed()) >= 15, process)
        for each in psutil.Process(process.pid).children(recursive=True):
            each.kill()
        process.kill()
    before = len(run.committed())
    assert before < 26
    files = {path: path.stat().st_mtime_ns for path in (folder / "levels").iterdir()}
    with running("resume", folder, "--master", LOCAL, "--spark-from", 60_000) as process:
        assert counts_of(ended(process)) == KIP320
    assert all(path.stat().st_mtime_ns == time for path, time in files.items()), "a level was found twice"


def python_workers(process):
    """Spark's Python processes: the one that begins the others, and those."""
    found = []
    for each in psutil.Process(process.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("pyspark" in word and "daemon" in word for word in each.cmdline()):
                found.append(each)
    return found


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_killing_python_workers_costs_time_only(seed, tmp_path):
    """One of them, the one that begins the others, or all, up to three times, whatever they are at."""
    chosen, folder = random.Random(seed), tmp_path / "run"
    options = ("--engine", "spark", "--spark-from", 1000, "--shards", 2, "--master", LOCAL, "--run-dir", folder)
    killed = 0
    with running("check", "kip320", *options) as process:
        for _ in range(3):
            level = len(RunDirectory(folder).committed()) if folder.exists() else 0
            wait_until(lambda level=level: len(RunDirectory(folder).committed()) > level + 1, process)
            time.sleep(chosen.random())
            workers = python_workers(process)
            for each in chosen.choice([workers, workers[:1], workers[-1:]]):
                with contextlib.suppress(psutil.Error):
                    each.kill()
                    killed += 1
        assert counts_of(ended(process)) == KIP320
    assert killed


@pytest.fixture(scope="module")
def standalone(tmp_path_factory):
    """A standalone cluster, a master and two workers as processes on loopback: its address, and the workers."""
    import pyspark

    from kafkacheck.checker.distributed import spark

    folder = tmp_path_factory.mktemp("cluster")
    home = Path(pyspark.__file__).parent
    environment = {
        **os.environ, "JAVA_HOME": str(java.find().home(folder)), "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": "", "SPARK_DAEMON_JAVA_OPTS": spark.LIGHT,
        "SPARK_WORKER_DIR": str(folder / "work"), "SPARK_LOCAL_DIRS": str(folder / "local"),
    }  # fmt: skip

    def start(name, *arguments):
        log = (folder / f"{name}.log").open("w")
        return subprocess.Popen(
            [home / "bin" / "spark-class", *arguments], stdout=log, stderr=log, env=environment,
            start_new_session=True, cwd=folder,
        )  # fmt: skip

    processes = [
        start(
            "master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0"
        )
    ]
    try:
        address = ""

        def has_address():
            nonlocal address
            found = re.search(r"spark://127\.0\.0\.1:\d+", (folder / "master.log").read_text())
            address = found[0] if found else ""
            return bool(address)

        wait_until(has_address, processes[0])
        own = ("--cores", "1", "--memory", "1g", "--host", "127.0.0.1", "--webui-port", "0")
        for number in range(2):
            processes.append(start(f"worker{number}", "org.apache.spark.deploy.worker.Worker", *own, address))
        for number in range(2):
            log = folder / f"worker{number}.log"
            wait_until(lambda log=log: "Successfully registered" in log.read_text(), processes[number + 1])
        yield address, processes[1:]
    finally:
        for process in processes:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def executors(workers):
    """The executors that workers have started."""
    found = []
    for child in (child for worker in workers for child in psutil.Process(worker.pid).children(recursive=True)):
        with contextlib.suppress(psutil.Error):  # some are helpers that end at once
            if "CoarseGrainedExecutorBackend" in " ".join(child.cmdline()):
                found.append(child)
    return found


def test_a_standalone_cluster_that_loses_an_executor_gives_the_same_answer(standalone, tmp_path):
    """Begun by spark-submit, as README tells a user of a cluster to do."""
    import pyspark

    from kafkacheck.checker.distributed import spark

    address, workers = standalone
    folder = tmp_path / "run"
    program = [Path(pyspark.__file__).parent / "bin" / "spark-submit", "--master", address]
    program += ["--driver-java-options", spark.LIGHT, "--conf", f"spark.executor.extraJavaOptions={spark.LIGHT}"]
    for setting in ("spark.driver.host=127.0.0.1", "spark.executor.memory=512m", "spark.executor.cores=1"):
        program += ["--conf", setting]
    environment = {
        **os.environ, "JAVA_HOME": str(java.find().home(tmp_path)), "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }  # fmt: skip
    asked = ("check", "kip320", *SMALLER, "--engine", "spark", "--spark-from", 8_000, "--shards", 2)
    program.append(ROOT / "checker" / "__main__.py")
    with running(*asked, "--run-dir", folder, program=program, env=environment) as process:
        wait_until(lambda: len(RunDirectory(folder).committed()) >= 11, process)
        both = executors(workers)
        assert len(both) == 2
        both[0].kill()
        assert counts_of(ended(process)) == SMALLER_KIP320


@pytest.mark.long
def test_a_master_that_is_lost_leaves_a_run_that_can_be_resumed(tmp_path):
    folder = tmp_path / "run"
    options = ("--engine", "spark", "--spark-from", 8_000, "--shards", 2, "--master", LOCAL, "--run-dir", folder)
    with running("check", "kip320", *SMALLER, *options, "--json") as process:
        wait_until(lambda: len(RunDirectory(folder).committed()) >= 11, process)
        [java_process] = [
            each for each in psutil.Process(process.pid).children(recursive=True) if each.name() == "java"
        ]
        java_process.kill()
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 20, errors
        answer = json.loads(output)
        assert answer["verdict"] == "NOT_EXHAUSTED"
        assert "Spark failed: " in answer["reason"] and f"continue with: kafkacheck resume {folder}" in answer["reason"]
    finished = runs.resume(folder, Cluster(LOCAL, spark_from=10**9), Limits())
    assert (finished.states_distinct, finished.states_generated, finished.depth) == tuple(SMALLER_KIP320.values())


FAILING = '''
from typing import Annotated

from kafkacheck.checker.model import Model
from kafkacheck.checker.schema import Array, ByPosition, Count, Struct


class Board(Struct):
    """Cells that count."""

    cells: Annotated[Array[Annotated[int, Count(20)]], ByPosition(3)]


def count_up(board: Board, cell: Annotated[int, Count(2)]) -> bool:
    """Count one cell up; once their sum is 6, look beyond them."""
    if board.cells[cell] == 20:
        return False
    total = board.cells[0] + board.cells[1] + board.cells[2]
    board.cells[cell] = board.cells[cell + total // 6] + 1
    return True


MODEL = Model(name="failing", state=Board, actions=[count_up])
'''


def test_what_fails_in_a_worker_is_told_with_its_place(tmp_path):
    path = tmp_path / "failing.py"
    path.write_text(FAILING)
    process = subprocess.run(
        command("check", path, "--engine", "spark", "--spark-from", 1, "--shards", 2, "--master", LOCAL),
        capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT, check=False,
    )  # fmt: skip
    assert process.returncode == 75, process.stderr
    assert "failing: EVALUATION_FAILED" in process.stdout
    line = FAILING.splitlines().index("    board.cells[cell] = board.cells[cell + total // 6] + 1") + 1
    assert f"failing.py:{line}: " in process.stderr and "Traceback" not in process.stderr
